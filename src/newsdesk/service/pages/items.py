"""Serve the items of a campaign to its lead: searched and filtered, and each with everybody's answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.store.items import ItemFilter
from newsdesk.errors import ArgumentError
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.pages import page
from newsdesk.service.pages.campaigns import Name
from newsdesk.service.principals import Lead
from newsdesk.types import CANNOT_JUDGE, Value

router = APIRouter(prefix="/campaigns/{campaign}/items", include_in_schema=False)

_EACH = 50  # items on a page
_FILTERS: dict[ItemFilter, str] = {
    "all": "All", "open": "Answers missing", "done": "Complete", "differ": "Answers differ", "withdrawn": "Somebody cannot judge",
}  # fmt: skip


@router.get("")
def items_page(
    request: Request,
    name: Name,
    lead: Lead,
    q: Annotated[str, Query(max_length=200)] = "",
    only: ItemFilter = "all",
    first: Annotated[int, Query(ge=0, le=10**7)] = 0,
) -> Response:
    """Return the items that a search and a filter leave."""
    items, count = desk_of(request).store.items(name, search=q, only=only, first=first, most=_EACH)
    return page(
        request, "items.html", lead, campaign=name, items=items, count=count, q=q, only=only, first=first,
        each=_EACH, filters=_FILTERS,
    )  # fmt: skip


@router.get("/{number}")
def item_page(request: Request, name: Name, lead: Lead, number: int) -> Response:
    """Return one item with the answers of all annotators, by name."""
    store = desk_of(request).store
    try:
        item = store.item(name, number if number < 2**31 else -1)
    except ArgumentError as error:
        raise Problem(404, "not-found", "there is no such item") from error
    form = store.campaign(name).protocol
    rows = {
        target.id: [
            (each, [_said(form, each.values.get((target.id, question.name))) for question in form.questions])
            for each in item.answers
        ]
        for target in item.task.targets
    }  # fmt: skip
    return page(
        request, "item.html", lead, campaign=name, item=item, form=form, rows=rows,
        finished=sum(each.state == "done" for each in item.answers),
    )  # fmt: skip


def _said(form: Protocol, value: Value | None) -> tuple[str, str]:
    """Return an answer in words, and what its level means."""
    if value is None:
        return "", ""
    if value == CANNOT_JUDGE:
        return "cannot judge", ""
    if isinstance(value, bool):
        return ("yes" if value else "no"), ""
    brief = next((level.brief for level in form.levels if level.value == value), "")
    return str(value), brief
