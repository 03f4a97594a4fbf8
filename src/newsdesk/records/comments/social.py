"""Conversations of social networks as threads: JSON of Mastodon's interface, ActivityStreams and Bluesky's interface.

Mastodon gives statuses in a list, or around one status as `ancestors` and `descendants`. ActivityStreams are collections of notes, or of the activities that created them, such as the outbox of an archive, or a note with its replies.
Bluesky gives the thread of a post with nested replies, or a list of posts. The post that began a conversation is its article, with its text where the file holds it, and all others are comments, whose parent is
the post they answer unless that is the article. Posts that answer none and are answered by none are one thread, named after the file. Boosts, deleted and blocked posts, and what was not public are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from newsdesk.records.comments.cells import Cells, text_of_html
from newsdesk.records.comments.grouping import Account, Rows
from newsdesk.records.schema import Json

MASTODON, ACTIVITIES, BLUESKY = "mastodon", "activitystreams", "bluesky"
_Object = Mapping[str, Any]
_NOTES = {"Note", "Article", "Page", "Question"}
_COLLECTIONS = {"Collection", "OrderedCollection", "CollectionPage", "OrderedCollectionPage"}
_ACTIVITIES = {"Create", "Update"}
_PUBLIC = {"https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"}
_OPEN = {"public", "unlisted", None}
# Where posts stand in each format, in the order in which they are read.
_KEYS = {
    MASTODON: ("context", "ancestors", "status", "statuses", "descendants"),
    ACTIVITIES: ("object", "first", "items", "orderedItems", "replies"),
    BLUESKY: ("thread", "parent", "value", "post", "posts", "feed", "replies"),
}


@dataclass(frozen=True, slots=True)
class SocialPost:
    """A post of any network: its id, that of the post it answers, and the cells of a comment.

    An id that the file leaves out is empty.
    """

    id: str
    parent: str | None
    cells: Cells
    url: str | None = None
    title: str | None = None


def social_format(value: Json) -> str | None:
    """Return the network whose JSON a value is; None where it is another's."""
    if not isinstance(value, dict):
        return None
    posts = (_inner(value, "thread", "post"), _inner(value, "post"), value)
    if any(_is_bluesky(post) for post in posts) or _first_of(value, _is_bluesky, "thread", "posts", "feed"):  # fmt: skip
        return BLUESKY
    if _is_status(value) or isinstance(value.get("descendants"), list):
        return MASTODON
    is_stream = "activitystreams" in str(value.get("@context"))
    kind = value.get("type")
    if kind in _COLLECTIONS and (is_stream or {"items", "orderedItems", "first"} & value.keys()):
        return ACTIVITIES
    noted: Any = value.get("object") if kind in _ACTIVITIES else value
    is_note = isinstance(noted, dict) and noted.get("type") in _NOTES and "content" in noted
    return ACTIVITIES if is_note and (is_stream or "attributedTo" in noted) else None


def read_social(format: str, values: Iterable[tuple[int, Json]], account: Account) -> Rows:
    """Yield the cells of each public post that is a comment, with its number in the file."""
    reader = {MASTODON: _status, ACTIVITIES: _note, BLUESKY: _bluesky_post}[format]
    posts: dict[str, SocialPost] = {}
    outside: dict[str, str] = {}  # posts that the file does not hold, with what they answer
    for _, value in values:
        for item in _objects(value, _KEYS[format]):
            outside.update(_between(item))
            post = reader(item, account)
            if post is not None:
                posts.setdefault(post.id or f"row-{len(posts) + 1}", post)
    yield from _comments(posts, outside)


def _objects(value: Json, keys: tuple[str, ...]) -> Iterator[_Object]:
    """Yield every object under these keys, outer ones first; other keys hold quoted posts and the like."""
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict):
            yield item
            if item.get("type") != "Announce":  # what is boosted is not part of the conversation
                waiting += [item[key] for key in reversed(keys) if isinstance(item.get(key), dict | list)]  # fmt: skip


def _comments(posts: Mapping[str, SocialPost], outside: Mapping[str, str]) -> Rows:
    parents = {**outside, **{name: post.parent for name, post in posts.items() if post.parent}}
    answered = set(parents.values())
    roots: dict[str, str] = {}
    for number, (name, post) in enumerate(posts.items(), 1):
        root = _root(name, parents, roots)
        if root == name and root in answered:
            continue  # the article
        if root == name:
            yield number, post.cells
            continue
        article = posts.get(root)
        about: dict[str, Any] = {"article": root}
        if article is not None:
            text = article.cells["text"]
            about |= {"article_text": text, "url": article.url, "title": article.title}
        parent = None if post.parent == root else post.parent
        yield number, {**post.cells, **about, "parent": parent}


def _root(name: str, parents: Mapping[str, str], roots: dict[str, str]) -> str:
    """Return the post that began the conversation of another; a circle of answers begins with its first."""
    path = [name]
    seen = {name}
    while (above := parents.get(path[-1])) is not None and path[-1] not in roots:
        if above in seen:
            break
        path.append(above)
        seen.add(above)
    root = roots.get(path[-1], path[-1])
    roots.update(dict.fromkeys(path, root))
    return root


def _inner(value: Json, *keys: str) -> Json:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first_of(value: _Object, is_post: Callable[[Json], bool], *keys: str) -> bool:
    """Return True if a list under one of these keys begins with a post."""
    lists = (value[key] for key in keys if isinstance(value.get(key), list) and value[key])
    return any(
        is_post(post)
        for items in lists
        for post in (items[0], _inner(items[0], "post"), _inner(items[0], "value", "post"))
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_status(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("account"), dict):
        return False
    return "content" in value and bool({"in_reply_to_id", "favourites_count"} & value.keys())


def _between(item: _Object) -> dict[str, str]:
    """Map the id of a context's own status, which is not in it, to the ancestor that it answers."""
    above, below = item.get("ancestors"), item.get("descendants")
    if not isinstance(above, list) or not isinstance(below, list) or not (above and below):
        return {}
    name, last = _inner(below[0], "in_reply_to_id"), _inner(above[-1], "id")
    return {str(name): str(last)} if name and last and name != last else {}


def _status(item: _Object, account: Account) -> SocialPost | None:
    if not _is_status(item):
        return None
    if item.get("reblog"):
        account.skipped["a boost"] += 1
        return None
    if item.get("visibility") not in _OPEN:
        account.skipped["not public"] += 1
        return None
    author = item["account"]
    cells = {
        "comment": item.get("id"),
        "text": text_of_html(_text(item["content"]) or ""),
        "likes": item.get("favourites_count"),
        "at": item.get("created_at"),
        "author": author.get("acct") or author.get("username"),
    }
    answers = item.get("in_reply_to_id")
    parent = None if answers is None else str(answers)
    return SocialPost(str(item.get("id") or ""), parent, cells, _text(item.get("url")))


def _note(item: _Object, account: Account) -> SocialPost | None:
    kind = item.get("type")
    if kind == "Announce":
        account.skipped["a boost"] += 1
    if kind == "Tombstone":
        account.skipped["deleted"] += 1
    if kind not in _NOTES:
        return None
    to = [*_listed(item.get("to")), *_listed(item.get("cc"))]
    if to and not _PUBLIC & {name for name in to if isinstance(name, str)}:
        account.skipped["not public"] += 1
        return None
    contents = item.get("contentMap")
    content = item.get("content") or next(iter(contents.values() if isinstance(contents, dict) else ()), "")  # fmt: skip
    likes = item.get("likes")
    cells = {
        "comment": item.get("id"),
        "text": text_of_html(_text(content) or ""),
        "likes": likes.get("totalItems") if isinstance(likes, dict) else None,
        "at": item.get("published"),
        "author": _name(item.get("attributedTo")),
    }
    url = item.get("url")
    title = _text(item.get("name"))
    return SocialPost(str(item.get("id") or ""), _address(item.get("inReplyTo")), cells, _text(url), title)  # fmt: skip


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _address(value: Json) -> str | None:
    """Return the address of an object that is given whole, by its address, or in a list."""
    first = next(iter(_listed(value)), None)
    return _text(first.get("id") if isinstance(first, dict) else first)


def _name(value: Json) -> str | None:
    """Return the name of an actor, or its address where that is all there is."""
    first = next(iter(_listed(value)), None)
    if isinstance(first, dict):
        return _text(first.get("preferredUsername")) or _text(first.get("name")) or _address(first)
    return _text(first)


def _is_bluesky(value: Json) -> bool:
    return isinstance(value, dict) and str(value.get("uri")).startswith("at://") and (
        isinstance(_inner(value, "record", "text"), str)
    )  # fmt: skip


def _bluesky_post(item: _Object, account: Account) -> SocialPost | None:
    for key, reason in (("notFound", "not found"), ("blocked", "blocked")):
        if item.get(key) is True:
            account.skipped[reason] += 1
    if not _is_bluesky(item):
        return None
    record, handle = item["record"], _inner(item, "author", "handle")
    cells = {
        "comment": item["uri"],
        "text": record["text"],
        "likes": item.get("likeCount"),
        "at": record.get("createdAt") or item.get("indexedAt"),
        "author": handle or _inner(item, "author", "did"),
    }
    page = f"https://bsky.app/profile/{handle}/post/{item['uri'].rpartition('/')[2]}"
    answers = _text(_inner(record, "reply", "parent", "uri"))
    return SocialPost(item["uri"], answers, cells, page if handle else None)
