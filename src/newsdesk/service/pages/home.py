"""Serve sign-in by link, token or invitation, and the page of access: API keys, staff, and the campaigns of leads."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.campaigns import Store
from newsdesk.errors import ArgumentError
from newsdesk.service.desk import desk_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.pages import page, see
from newsdesk.service.people import SCOPES, STAFF, Access, Invitation, Role, Scope, UserAccount
from newsdesk.service.principals import (
    Admin,
    Principal,
    Somebody,
    check_origin,
    limit_joining,
    limit_sign_ins,
    optional_principal,
)
from newsdesk.service.sessions import COOKIE

router = APIRouter(include_in_schema=False)

_JOINED = "newsdesk_joined"  # a cookie: how often this browser has joined by the link
_JOINED_S = 365 * 24 * 3600
_MOST_JOINED = 3  # people may share a computer
_INVALID = "This link or token is not valid any longer; ask for a new one."


@router.get("/sign-in")
async def sign_in_page(request: Request, token: str = "") -> Response:
    """Return the sign-in page; a token of the address is filled in, and used when the form is sent."""
    principal = await optional_principal(request)
    if principal is not None and not token:
        return see("/")
    return page(request, "sign-in.html", token=token[:200], fault=None)


@router.post("/sign-in", dependencies=[Depends(check_origin)])
def sign_in(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Sign in by an admin token or an invitation token."""
    desk = desk_of(request)
    token = token.strip()
    person = desk.access.sign_in(token)
    if person is not None:
        return _start_session(request, desk.access, person, "/")
    if desk.access.invitation(token) is not None:
        return see(f"/join/{token}")
    limit_sign_ins(request)
    return page(request, "sign-in.html", status=403, token="", fault=_INVALID)


@router.post("/sign-out")
def sign_out(
    request: Request, principal: Annotated[Principal | None, Depends(optional_principal)]
) -> Response:
    """End the session of this browser, on the server too: a copy of the cookie is worth nothing."""
    desk_of(request).access.sign_out(request.cookies.get(COOKIE, ""))
    response = see("/sign-in")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return response


@router.post("/sign-out-everywhere")
def sign_out_everywhere(request: Request, principal: Somebody) -> Response:
    """End the sessions of a person in all browsers."""
    if principal.person is not None:
        desk_of(request).access.sign_out_everywhere(principal.person)
    return see("/sign-in")


@router.get("/join/{token}")
def join_page(request: Request, token: str) -> Response:
    """Return what an invitation is for.

    Opening it does nothing yet, so that a preview of a link signs nobody in.
    """
    invitation = _invitation(request, token)
    form = desk_of(request).store.campaign(invitation.campaign).protocol
    return page(
        request, "join.html", token=token, invitation=invitation, form=form, fault=None, name=""
    )


@router.post("/join/{token}", dependencies=[Depends(check_origin)])
def join(request: Request, token: str, name: Annotated[str, Form(max_length=100)] = "") -> Response:
    """Accept an invitation: sign in as its annotator, or join the open campaign under a name."""
    desk = desk_of(request)
    invitation = _invitation(request, token)
    path = f"/annotate/{slug(invitation.campaign)}"
    person = invitation.person or _joined_before(request, invitation.campaign)
    if person is not None:
        return _start_session(request, desk.access, person, path)
    joined = request.cookies.get(_JOINED, "")
    count = int(joined) if joined.isdecimal() and len(joined) < 4 else 0
    try:
        if count >= _MOST_JOINED:
            raise ArgumentError(
                "this browser has joined several times; ask for a link of your own, by name"
            )
        limit_joining(request)
        person = _new_annotator(desk.store, desk.access, invitation.campaign, name.strip())
    except ArgumentError as error:
        form = desk.store.campaign(invitation.campaign).protocol
        return page(
            request, "join.html", status=400, token=token, invitation=invitation, form=form,
            fault=str(error), name=name,
        )  # fmt: skip
    response = _start_session(request, desk.access, person, path)
    response.set_cookie(
        _JOINED, str(count + 1), max_age=_JOINED_S, path=f"/join/{token}",
        httponly=True, samesite="lax", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


def _joined_before(request: Request, campaign: str) -> UserAccount | None:
    """Return the annotator of the campaign as whom this browser is signed in; None if it is not."""
    person = desk_of(request).access.signed_in(request.cookies.get(COOKIE, ""))
    return person if person is not None and person.campaign == campaign else None


def _invitation(request: Request, token: str) -> Invitation:
    """Return a valid invitation; an invalid token counts against the caller's address."""
    invitation = desk_of(request).access.invitation(token)
    if invitation is None:
        limit_sign_ins(request)
        raise Problem(403, "invitation", _INVALID)
    return invitation


def _new_annotator(store: Store, access: Access, campaign: str, name: str) -> UserAccount:
    store.join(campaign, name)  # refuses a name that somebody has already
    return access.add_annotator(campaign, name)


def _start_session(request: Request, access: Access, person: UserAccount, path: str) -> Response:
    """Redirect to a path with a new session cookie."""
    response = see(path)
    response.set_cookie(
        COOKIE,
        access.cookie(person),
        max_age=int(desk_of(request).settings.session_s),
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.get("/access")
def access_page(request: Request, admin: Admin) -> Response:
    """Return all keys, and the forms for a new key and another admin."""
    return _page(request, admin, None)


@router.post("/access/keys")
def add_key(
    request: Request,
    admin: Admin,
    label: Annotated[str, Form(max_length=100)],
    scopes: Annotated[list[Scope], Form(max_length=len(SCOPES))],
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


@router.post("/access/staff")
def add_staff(
    request: Request,
    admin: Admin,
    name: Annotated[str, Form(max_length=100)],
    role: Annotated[Role, Form()],
) -> Response:
    """Return a link that signs somebody of the staff in, once."""
    token = desk_of(request).access.staff_link(name.strip(), role).token
    base = str(request.base_url).rstrip("/")
    return _page(request, admin, ("The link, which works once", f"{base}/sign-in?token={token}"))


def _page(request: Request, admin: Principal, shown: tuple[str, str] | None) -> Response:
    """Return the page of keys; `shown` is the label and text of a secret that is shown once."""
    desk = desk_of(request)
    return page(
        request,
        "access.html",
        admin,
        keys=desk.access.all_keys(),
        scopes=SCOPES,
        staff=desk.access.all_staff(),
        roles=STAFF,
        campaigns=[campaign.name for campaign in desk.store.campaigns()],
        shown=shown,
    )


@router.post("/access/staff/{number}/dismiss")
def dismiss(request: Request, number: int, admin: Admin) -> Response:
    """Take the role from somebody of the staff."""
    desk_of(request).access.dismiss(number if 0 <= number < 2**31 else 0)
    return see("/access")


@router.post("/access/staff/{number}/campaigns")
def give_campaigns(
    request: Request,
    number: int,
    admin: Admin,
    campaign: Annotated[list[str] | None, Form(max_length=1000)] = None,
) -> Response:
    """Make exactly these campaigns the own ones of a lead."""
    desk = desk_of(request)
    stored = {each.name for each in desk.store.campaigns()}
    chosen = [name for name in campaign or () if name in stored]
    desk.access.lead_exactly(number if 0 <= number < 2**31 else 0, chosen)
    return see("/access")
