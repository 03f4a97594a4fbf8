"""The first page after signing in, and the sample newsroom for an empty folder."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.service import work
from newsdesk.service.access.principals import Principal, require
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.pages.campaigns import Admin
from newsdesk.service.pages.rendering import page, see, slug

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, principal: Annotated[Principal, Depends(require("judge"))]) -> Response:
    """An annotator's campaign, or the list of campaigns for an admin."""
    if principal.campaign is not None:
        return see(f"/annotate/{slug(principal.campaign)}")
    if "admin" not in principal.scopes:
        raise Problem(403, "scope", "this page is for admins")
    desk = desk_of(request)
    campaigns = desk.store.campaigns()
    rows = [(campaign, desk.store.status(campaign.name)) for campaign in campaigns]
    empty = not campaigns and not desk.folder.record_files()
    return page(request, "home.html", principal, rows=rows, empty=empty)


@router.post("/sample")
async def sample(request: Request, admin: Admin) -> Response:
    """Lay out the sample newsroom: its files, its campaigns, and an open campaign to try."""
    desk = desk_of(request)
    await desk.workers.run(work.sample, desk.store_url, str(desk.folder.root))
    return see("/")
