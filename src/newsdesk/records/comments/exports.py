"""Exports of comment systems: XML of Disqus and WordPress, which have no likes, and JSON of Coral. What is not public is skipped and counted.

XML is read as a stream of elements by expat. Entity declarations are refused, so that no document can grow on being read. Only the elements asked for become trees, and each is dropped when the next one comes: memory stays that of the largest.

Disqus lists threads first, then posts that name their thread. Deleted and spam posts, those not approved, and all posts of deleted threads are skipped. WordPress (WXR) lists RSS items with the comments of each post. Comments that
are not approved, spam or in the trash are skipped, and so are pingbacks and trackbacks.

Coral's JSON holds comments as its GraphQL interface and exports of its collections give them, in a list or by line. A comment has a `body` (or `revisions`, of which the last counts), and a `story` or `storyID`; lists may be nested in stories,
in `nodes` or `edges`, and replies in comments. Comments that are rejected, withheld or still to be moderated are skipped, as are deleted ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from newsdesk.errors import DataError
from newsdesk.records.comments.cells import Cells, text_of_html
from newsdesk.records.comments.grouping import Account, Rows
from newsdesk.records.schema import Json

_PUBLIC = {"", "NONE", "APPROVED", "ACCEPTED"}
_REASONS = {"PREMOD": "not approved", "SYSTEM_WITHHELD": "withheld", "REJECTED": "rejected"}
_READ = {
    "id", "_id", "body", "revisions", "revision", "story", "storyID", "status", "createdAt",
    "deletedAt", "author", "authorID", "parent", "parentID", "actionCounts", "replies", "comments",
    "section",
}  # fmt: skip
_Story = Mapping[str, Any]


def is_coral(value: Json) -> bool:
    """Return True if an object looks like a comment of Coral, or like an answer of its interface with some.

    A comment is a body with a story, or with counts of actions.
    """
    if not isinstance(value, dict):
        return False
    answer = value.get("data")
    if isinstance(answer, dict) and {"comments", "stories", "story"} & answer.keys():
        return any(True for _ in _comments(answer, {}, ""))
    if not {"body", "revisions"} & value.keys():
        return False
    return isinstance(value.get("story"), dict) or bool({"storyID", "actionCounts"} & value.keys())


def read_coral(values: Iterator[tuple[int, Json]], account: Account) -> Rows:
    """Yield the cells of each public comment."""
    for number, value in values:
        for comment, story, parent in _comments(value, {}, ""):
            account.ignored.update(key for key in comment if key not in _READ)
            if reason := _hidden(comment):
                account.skipped[reason] += 1
                continue
            yield number, _coral_cells(comment, story, parent)


def _comments(
    value: Json, story: _Story, parent: str
) -> Iterator[tuple[Mapping[str, Any], _Story, str]]:
    """Yield every comment in a value, outer ones first, with its story and its parent's id."""
    if isinstance(value, list):
        for inner in value:
            yield from _comments(inner, story, parent)
    elif isinstance(value, dict):
        is_comment = bool({"body", "revisions"} & value.keys())
        if is_comment:
            own = value.get("story")
            story = own if isinstance(own, dict) else story
            yield value, story, parent
            parent = _id(value)
        elif "id" in value and {"comments", "metadata", "url"} & value.keys():
            story = value
        for key, inner in value.items():
            if isinstance(inner, dict | list) and not (is_comment and key != "replies"):
                yield from _comments(inner, story, parent)


def _id(value: Mapping[str, Any]) -> str:
    return str(value.get("id") or value.get("_id") or "")


def _hidden(comment: Mapping[str, Any]) -> str | None:
    if comment.get("deletedAt"):
        return "deleted"
    status = str(comment.get("status") or "").upper()
    return None if status in _PUBLIC else _REASONS.get(status, status.lower())


def _coral_cells(comment: Mapping[str, Any], story: _Story, parent: str) -> Cells:
    revision = _latest(comment)
    body = comment.get("body")
    body = revision.get("body") if body is None else body
    metadata = story.get("metadata")
    above = comment.get("parent")
    return {
        "article": comment.get("storyID") or story.get("id") or story.get("url"),
        "title": metadata.get("title") if isinstance(metadata, dict) else None,
        "category": comment.get("section")
        or (metadata.get("section") if isinstance(metadata, dict) else None),
        "url": story.get("url"),
        "comment": _id(comment),
        "text": text_of_html(body) if isinstance(body, str) else None,
        "likes": _reactions(comment.get("actionCounts") or revision.get("actionCounts")),
        "at": _date(comment.get("createdAt")),
        "author": _author(comment.get("author")) or comment.get("authorID"),
        "parent": comment.get("parentID") or (_id(above) if isinstance(above, dict) else parent),
    }


def _latest(comment: Mapping[str, Any]) -> Mapping[str, Any]:
    revisions = comment.get("revisions")
    last = revisions[-1] if isinstance(revisions, list) and revisions else comment.get("revision")
    return last if isinstance(last, dict) else {}


def _reactions(counts: Json) -> Json:
    if not isinstance(counts, dict):
        return None
    reaction = counts.get("reaction", counts.get("REACTION"))
    return reaction.get("total") if isinstance(reaction, dict) else reaction


def _date(value: Json) -> Json:
    """Return a moment, also in the form of MongoDB's exports."""
    return value.get("$date") if isinstance(value, dict) else value


def _author(value: Json) -> Json:
    return value.get("username") if isinstance(value, dict) else value


_SEPARATOR = " "
_MOST_DEPTH = 100


@dataclass(slots=True)
class Element:
    """An element: its local name and namespace, attributes by local name, its own text, its children."""

    name: str
    namespace: str
    attributes: dict[str, str]
    line: int
    texts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the element itself."""
        return "".join(self.texts).strip()

    def child(self, name: str) -> Element | None:
        """Return the first child of this name."""
        return next((child for child in self.children if child.name == name), None)

    def value(self, name: str) -> str:
        """Return the text of the first child of this name; empty where there is none."""
        child = self.child(name)
        return child.text if child else ""


class _Builder:
    """Builds the trees of wanted elements from the events of the parser."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.done: list[Element] = []
        self._wanted = wanted
        self._open: list[Element] = []
        self._depth = 0
        self.parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = _refuse_entities
        self.parser.ExternalEntityRefHandler = _refuse_entities

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise DataError(f"elements are nested more than {_MOST_DEPTH} deep")
        namespace, _, local = name.rpartition(_SEPARATOR)
        if not self._open and local not in self._wanted:
            return
        local_attributes = {
            key.rpartition(_SEPARATOR)[2]: value for key, value in attributes.items()
        }
        element = Element(local, namespace, local_attributes, self.parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self.done.append(element)

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].texts.append(text)


def _refuse_entities(*arguments: object) -> int:
    raise DataError("the XML declares entities, which are not read; export it again without a DTD")


def elements(chunks: Iterable[bytes], wanted: Iterable[str]) -> Iterator[Element]:
    """Yield the outermost elements of these names, in order."""
    builder = _Builder(frozenset(wanted))
    try:
        for chunk in chunks:
            builder.parser.Parse(chunk, False)
            yield from builder.done
            builder.done.clear()
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise DataError(f"not XML: {message} in line {error.lineno}") from None
    yield from builder.done


def read_disqus(chunks: Iterable[bytes], account: Account) -> Rows:
    """Yield the cells of each public post."""
    threads: dict[str, Element] = {}
    for element in elements(chunks, ("thread", "post")):
        if element.name == "thread":
            threads[element.attributes.get("id", "")] = element
            continue
        if reason := _hidden_post(element, threads):
            account.skipped[reason] += 1
            continue
        yield element.line, _disqus_cells(element, threads)


def _thread_of(post: Element) -> str:
    thread = post.child("thread")
    return thread.attributes.get("id", "") if thread else ""


def _hidden_post(post: Element, threads: dict[str, Element]) -> str | None:
    if post.value("isDeleted") == "true":
        return "deleted"
    if post.value("isSpam") == "true":
        return "spam"
    if post.value("isApproved") == "false":
        return "not approved"
    thread = threads.get(_thread_of(post))
    return "in a deleted thread" if thread and thread.value("isDeleted") == "true" else None


def _disqus_cells(post: Element, threads: dict[str, Element]) -> Cells:
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


_STATUS = {"0": "not approved", "hold": "not approved", "spam": "spam", "trash": "deleted"}
_COMMENT_TYPES = ("", "comment")


def read_wordpress(chunks: Iterable[bytes], account: Account) -> Rows:
    """Yield the cells of each approved comment."""
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
            if reason := _hidden_comment(comment):
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
    """Return the body of a post: the element `encoded` of the namespace of contents, not that of excerpts."""
    bodies = (
        child.text
        for child in item.children
        if child.name == "encoded" and "content" in child.namespace
    )
    return next(bodies, "")


def _hidden_comment(comment: Element) -> str | None:
    kind = comment.value("comment_type")
    if kind not in _COMMENT_TYPES:
        return kind
    return _STATUS.get(comment.value("comment_approved"))
