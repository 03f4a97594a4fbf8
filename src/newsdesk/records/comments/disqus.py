"""Disqus's XML export: threads first, then posts that name their thread. It has no likes.

Deleted and spam posts, those not approved, and all posts of deleted threads are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.records.comments.cells import Cells
from newsdesk.records.comments.flat import Rows
from newsdesk.records.comments.grouping import Account
from newsdesk.records.comments.markup import text_of_html
from newsdesk.records.comments.xml import Element, elements


def read_disqus(chunks: Iterable[bytes], account: Account) -> Rows:
    """The cells of each public post."""
    threads: dict[str, Element] = {}
    for element in elements(chunks, ("thread", "post")):
        if element.name == "thread":
            threads[element.attributes.get("id", "")] = element
            continue
        if reason := _hidden(element, threads):
            account.skipped[reason] += 1
            continue
        yield element.line, _cells(element, threads)


def _thread_of(post: Element) -> str:
    thread = post.child("thread")
    return thread.attributes.get("id", "") if thread else ""


def _hidden(post: Element, threads: dict[str, Element]) -> str | None:
    if post.value("isDeleted") == "true":
        return "deleted"
    if post.value("isSpam") == "true":
        return "spam"
    if post.value("isApproved") == "false":
        return "not approved"
    thread = threads.get(_thread_of(post))
    return "in a deleted thread" if thread and thread.value("isDeleted") == "true" else None


def _cells(post: Element, threads: dict[str, Element]) -> Cells:
    name = _thread_of(post)
    thread = threads.get(name)
    author, parent = post.child("author"), post.child("parent")
    return {
        "article": name,
        "title": text_of_html(thread.value("title")) if thread else "",
        "url": thread.value("link") if thread else "",
        "comment": post.attributes.get("id", ""),
        "text": text_of_html(post.value("message")),
        "at": post.value("createdAt"),
        "author": (author.value("username") or author.value("name")) if author else "",
        "parent": parent.attributes.get("id", "") if parent else "",
    }
