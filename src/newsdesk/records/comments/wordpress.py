"""WordPress's export (WXR): RSS items with the comments of each post. It has no likes.

Comments that are not approved, spam or in the trash are skipped and counted, and so are pingbacks and trackbacks.
"""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.records.comments.flat import Rows
from newsdesk.records.comments.grouping import Account
from newsdesk.records.comments.markup import text_of_html
from newsdesk.records.comments.xml import Element, elements

_STATUS = {"0": "not approved", "hold": "not approved", "spam": "spam", "trash": "deleted"}
_COMMENT_TYPES = ("", "comment")


def read_wordpress(chunks: Iterable[bytes], account: Account) -> Rows:
    """The cells of each approved comment."""
    for item in elements(chunks, ("item",)):
        about = {
            "article": item.value("post_id") or item.value("link"),
            "title": text_of_html(item.value("title")),
            "url": item.value("link"),
            "article_text": text_of_html(_content(item)),
        }
        for comment in item.children:
            if comment.name != "comment":
                continue
            if reason := _hidden(comment):
                account.skipped[reason] += 1
                continue
            gmt = comment.value("comment_date_gmt")
            yield (
                comment.line,
                {
                    **about,
                    "comment": comment.value("comment_id"),
                    "text": text_of_html(comment.value("comment_content")),
                    "at": comment.value("comment_date") if gmt.startswith("0000") else gmt,
                    "author": comment.value("comment_author"),
                    "parent": comment.value("comment_parent"),
                },
            )


def _content(item: Element) -> str:
    """The body of a post: the element `encoded` of the namespace of contents, not that of excerpts."""
    bodies = (
        child.text
        for child in item.children
        if child.name == "encoded" and "content" in child.namespace
    )
    return next(bodies, "")


def _hidden(comment: Element) -> str | None:
    kind = comment.value("comment_type")
    if kind not in _COMMENT_TYPES:
        return kind
    return _STATUS.get(comment.value("comment_approved"))
