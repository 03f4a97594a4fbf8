"""Serve the first page after signing in, the sample newsroom for an empty folder, and API keys."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.service import work
from newsdesk.service.access.people import SCOPES, Scope
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.names import slug
from newsdesk.service.pages.rendering import page, see
from newsdesk.service.principals import Admin, Principal, require

router = APIRouter(include_in_schema=False)


@router.get("/access")
def access_page(request: Request, admin: Admin) -> Response:
    """Return all keys, and the forms for a new key and another admin."""
    return _page(request, admin, None)


@router.post("/access/keys")
def add_key(
    request: Request,
    admin: Admin,
    label: Annotated[str, Form(max_length=100)],
    scopes: Annotated[list[Scope], Form(max_length=3)],
    campaign: Annotated[str, Form(max_length=500)] = "",
    annotator: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Return a new API key, which is shown once."""
    issued = desk_of(request).access.add_key(
        label.strip(), scopes, campaign=campaign or None, annotator=annotator or None
    )
    return _page(request, admin, ("The new key", issued.token))


@router.post("/access/keys/{number}/revoke")
def revoke_key(request: Request, number: int, admin: Admin) -> Response:
    """Make a key invalid."""
    desk_of(request).access.revoke_key(number if 0 <= number < 2**31 else 0)
    return see("/access")


@router.post("/access/admins")
def add_admin(
    request: Request, admin: Admin, name: Annotated[str, Form(max_length=100)]
) -> Response:
    """Return a link that signs another admin in, once."""
    token = desk_of(request).access.admin_link(name.strip()).token
    base = str(request.base_url).rstrip("/")
    return _page(request, admin, ("The link, which works once", f"{base}/sign-in?token={token}"))


def _page(request: Request, admin: Principal, shown: tuple[str, str] | None) -> Response:
    desk = desk_of(request)
    return page(
        request,
        "access.html",
        admin,
        keys=desk.access.all_keys(),
        scopes=SCOPES,
        campaigns=[campaign.name for campaign in desk.store.campaigns()],
        shown=shown,
    )


@router.get("/")
def home(request: Request, principal: Annotated[Principal, Depends(require("judge"))]) -> Response:
    """Return an annotator's campaign, or the list of campaigns for an admin."""
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
