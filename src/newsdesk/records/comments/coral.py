"""Coral's JSON: comments as its GraphQL interface and exports of its collections give them, in a list or by line.

A comment has a `body` (or `revisions`, of which the last counts), and a `story` or `storyID`; lists may be nested in stories, in `nodes` or `edges`, and replies in
comments. Comments that are rejected, withheld or still to be moderated are skipped and counted, as are deleted ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from newsdesk.records.comments.cells import Cells, text_of_html
from newsdesk.records.comments.flat import Rows
from newsdesk.records.comments.grouping import Account
from newsdesk.records.schema import Json

_PUBLIC = {"", "NONE", "APPROVED", "ACCEPTED"}
_REASONS = {"PREMOD": "not approved", "SYSTEM_WITHHELD": "withheld", "REJECTED": "rejected"}
_READ = {
    "id", "_id", "body", "revisions", "revision", "story", "storyID", "status", "createdAt",
    "deletedAt", "author", "parent", "parentID", "actionCounts", "replies", "comments",
}  # fmt: skip
_Story = Mapping[str, Any]


def is_coral(value: Json) -> bool:
    """Return True if an object looks like a comment of Coral.

    A body with a story, or with counts of actions.
    """
    if not isinstance(value, dict) or not {"body", "revisions"} & value.keys():
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
            yield number, _cells(comment, story, parent)


def _comments(
    value: Json, story: _Story, parent: str
) -> Iterator[tuple[Mapping[str, Any], _Story, str]]:
    """Yield every comment in a value, outer ones first, with its story and its parent's id."""
    if isinstance(value, list):
        for each in value:
            yield from _comments(each, story, parent)
    elif isinstance(value, dict):
        is_comment = bool({"body", "revisions"} & value.keys())
        if is_comment:
            own = value.get("story")
            story = own if isinstance(own, dict) else story
            yield value, story, parent
            parent = _id(value)
        elif "id" in value and {"comments", "metadata", "url"} & value.keys():
            story = value
        for key, each in value.items():
            if isinstance(each, dict | list) and not (is_comment and key != "replies"):
                yield from _comments(each, story, parent)


def _id(value: Mapping[str, Any]) -> str:
    return str(value.get("id") or value.get("_id") or "")


def _hidden(comment: Mapping[str, Any]) -> str | None:
    if comment.get("deletedAt"):
        return "deleted"
    status = str(comment.get("status") or "").upper()
    return None if status in _PUBLIC else _REASONS.get(status, status.lower())


def _cells(comment: Mapping[str, Any], story: _Story, parent: str) -> Cells:
    revision = _latest(comment)
    body = comment.get("body")
    body = revision.get("body") if body is None else body
    metadata = story.get("metadata")
    above = comment.get("parent")
    return {
        "article": comment.get("storyID") or story.get("id") or story.get("url"),
        "title": metadata.get("title") if isinstance(metadata, dict) else None,
        "url": story.get("url"),
        "comment": _id(comment),
        "text": text_of_html(body) if isinstance(body, str) else None,
        "likes": _reactions(comment.get("actionCounts") or revision.get("actionCounts")),
        "at": _date(comment.get("createdAt")),
        "author": _author(comment.get("author")),
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
