"""The page of API keys and admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.service.access.people import SCOPES, Scope
from newsdesk.service.access.principals import Principal
from newsdesk.service.desk import desk_of
from newsdesk.service.pages.campaigns import Admin
from newsdesk.service.pages.rendering import page, see

router = APIRouter(prefix="/access", include_in_schema=False)


@router.get("")
def access_page(request: Request, admin: Admin) -> Response:
    """All keys, and the forms for a new key and another admin."""
    return _page(request, admin, None)


@router.post("/keys")
def add_key(
    request: Request,
    admin: Admin,
    label: Annotated[str, Form(max_length=100)],
    scopes: Annotated[list[Scope], Form(max_length=3)],
    campaign: Annotated[str, Form(max_length=500)] = "",
    annotator: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """A new API key, which is shown once."""
    issued = desk_of(request).access.add_key(
        label.strip(), scopes, campaign=campaign or None, annotator=annotator or None
    )
    return _page(request, admin, ("The new key", issued.token))


@router.post("/keys/{number}/revoke")
def revoke_key(request: Request, number: int, admin: Admin) -> Response:
    """Make a key invalid."""
    desk_of(request).access.revoke_key(number if 0 <= number < 2**31 else 0)
    return see("/access")


@router.post("/admins")
def add_admin(
    request: Request, admin: Admin, name: Annotated[str, Form(max_length=100)]
) -> Response:
    """A link that signs another admin in, once."""
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
