"""The first page after signing in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.service.access.principals import Principal, require
from newsdesk.service.desk import desk_of
from newsdesk.service.pages.rendering import page, see, slug

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, principal: Annotated[Principal, Depends(require("judge"))]) -> Response:
    """An annotator's campaign, or the list of campaigns for an admin."""
    if principal.campaign is not None:
        return see(f"/annotate/{slug(principal.campaign)}")
    campaigns = desk_of(request).store.campaigns()
    return page(request, "home.html", principal, campaigns=campaigns)
