"""`POST /api/v1/ranking-challenge/rank`: the contract of the Prosocial Ranking Challenge (`ranking-challenge` 3.4.0).

Every id comes back once, nothing is added or removed. Posts are ordered among posts, comments among the replies to the same post or comment, so that a reply stays
below what it replies to. What no model knows, such as a language, keeps its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, invalid, read_body, takes, whole
from newsdesk.service.api.platform_shapes import (
    ChallengeAnswer,
    ChallengeItem,
    ChallengeRequest,
)
from newsdesk.service.api.work import ranker_source, scores_language
from newsdesk.service.desk import desk_of
from newsdesk.service.principals import Principal, require
from newsdesk.text import language
from newsdesk.types import Article, Comment, Thread

router = APIRouter(prefix="/api/v1/ranking-challenge", tags=["comments"])

_NO_LANGUAGE = frozenset(("", "und", "mul", "mis", "zxx"))  # ISO 639-2: not determined, and such


class ItemGroup(NamedTuple):
    """What items must share to be ordered among each other: posts, or comments of a post; a language."""

    type: str
    post: str | None
    lang: str


@router.post(
    "/rank",
    responses=documented(ChallengeAnswer, body=True),
    openapi_extra=takes(ChallengeRequest, once=False),
)
async def rank_items(
    request: Request,
    principal: Annotated[Principal, Depends(require("read", query_key="key"))],
    model: Annotated[str, Query(min_length=1, max_length=200)] = "ready",
) -> Response:
    """Order the items of a page as the Prosocial Ranking Challenge asks; the key may be sent as `?key=`."""
    body = await read_body(request, ChallengeRequest)
    _check_ids(body.items)
    desk = desk_of(request)
    source = ranker_source(desk.folder, model)
    groups = await run_in_threadpool(grouped, body.items, model)
    threads = await run_in_threadpool(_threads, body.items, groups)
    orders = await desk.workers.run(work.order, source, threads) if threads else []
    ranks = {int(row): rank for order in orders for rank, row in enumerate(order)}
    shown = arranged(body.items, groups, ranks)
    return whole(
        {
            "ranked_ids": [body.items[row].id for row in shown],
            "metadata": {"intervention_on": bool(orders)},
        }
    )


def grouped(items: Sequence[ChallengeItem], model: str) -> dict[ItemGroup, list[int]]:
    """Return the rows of the items that are ordered among each other, for groups that a model can order."""
    groups: dict[ItemGroup, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        post = item.post_id if item.type == "comment" else None
        groups[ItemGroup(item.type, post, _language(item))].append(row)
    return {
        group: rows
        for group, rows in groups.items()
        if len(rows) > 1 and scores_language(model, group.lang)
    }


def arranged(
    items: Sequence[ChallengeItem],
    groups: Mapping[ItemGroup, Sequence[int]],
    ranks: Mapping[int, int],
) -> list[int]:
    """Return the rows of all items in the order they are shown: each followed by the replies to it."""
    group_of = {row: group for group, rows in groups.items() for row in rows}
    replies = {parent: _by_rank(rows, group_of, ranks) for parent, rows in _replies(items).items()}
    shown: list[int] = []
    stack = replies.get(None, [])[::-1]
    while stack:
        row = stack.pop()
        shown.append(row)
        stack.extend(replies.get(row, [])[::-1])
    return shown


def _check_ids(items: Sequence[ChallengeItem]) -> None:
    ids: set[str] = set()
    for row, item in enumerate(items):
        if item.id in ids:
            raise invalid("the id is that of an earlier item", "items", row, "id")
        ids.add(item.id)


def _language(item: ChallengeItem) -> str:
    """Return the language that the platform declares, or the one that the script of the text shows."""
    code = (item.language or "").partition("-")[0].lower()
    # Platforms have codes of their own for items without words, which begin with a q.
    undeclared = code in _NO_LANGUAGE or code.startswith("q")
    return language(item.text) if undeclared else code


def _threads(
    items: Sequence[ChallengeItem], groups: Mapping[ItemGroup, Sequence[int]]
) -> list[Thread]:
    """Return the items of each group as comments of their post, called by their rows."""
    posts = {item.id: item for item in items if item.type == "post"}
    threads = []
    for group, rows in groups.items():
        post = posts.get(group.post or "")
        text, title = (post.text, post.title) if post else ("", None)
        article = Article("post", text, title, lang=group.lang)
        comments = tuple(Comment(str(row), _text(items[row])) for row in rows)
        threads.append(Thread(article, comments))
    return threads


def _text(item: ChallengeItem) -> str:
    return f"{item.title}\n{item.text}" if item.title else item.text


def _replies(items: Sequence[ChallengeItem]) -> dict[int | None, list[int]]:
    """Return the rows of the replies to each row, and under None the rest.

    Only what stands before a reply counts as its parent, so that replies never form a circle.
    """
    rows: dict[str, int] = {}
    replies: dict[int | None, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        parent = rows.get(item.parent_id or "")
        if parent is None and item.type == "comment":
            parent = rows.get(item.post_id or "")
        replies[parent].append(row)
        rows[item.id] = row
    return replies


def _by_rank(
    rows: Sequence[int], group_of: Mapping[int, ItemGroup], ranks: Mapping[int, int]
) -> list[int]:
    """Order rows within each group, among the places that the group has; what has no group stays."""
    places: dict[ItemGroup, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row in group_of:
            places[group_of[row]].append(place)
    ordered = list(rows)
    for of_group in places.values():
        best = sorted((rows[place] for place in of_group), key=lambda row: ranks[row])
        for place, row in zip(of_group, best, strict=True):
            ordered[place] = row
    return ordered
