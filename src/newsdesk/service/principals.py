"""Say who asks, and whether they may: every route that is not public depends on it.

    @router.get("/api/v1/campaigns")
    def campaigns(principal: Reader) -> …

A program sends its key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; a person has a session cookie. A request with a cookie that changes something
must carry the session's CSRF token, in the form field `csrf` or the header `X-CSRF-Token`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.people import ApiKey, Role, Scope, UserAccount
from newsdesk.service.sessions import COOKIE
from newsdesk.service.workers import CALLER

_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_IMPLIED: dict[str, frozenset[Scope]] = {
    "admin": frozenset(("read", "judge", "moderate", "lead", "metrics", "admin")),
    "lead": frozenset(("read", "lead")),
    "moderator": frozenset(("read", "moderate")),
    "reader": frozenset(("read",)),
    "annotator": frozenset(("judge",)),
}


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sends a request; may see all campaigns, or only the `campaign`, or only the `annotator`'s tasks.

    Of somebody of the staff who is no admin, `led` are the own campaigns: they see no other.
    """

    kind: Role | Literal["key"]
    id: str  # for logs and rate limits
    name: str
    scopes: frozenset[Scope]
    campaign: str | None = None
    annotator: str | None = None
    csrf: str = ""  # of a session; empty for keys
    led: frozenset[str] | None = None

    @property
    def person(self) -> int | None:
        """The number of a person; None for a key."""
        number = self.id.removeprefix("person-")
        return int(number) if number.isdecimal() else None

    def sees(self, campaign: str, annotator: str | None = None) -> bool:
        """Return True if it may see this campaign, or in it what belongs to this annotator."""
        if self.campaign is not None and self.campaign != campaign:
            return False
        if self.led is not None and campaign not in self.led:
            return False
        return self.annotator is None or self.annotator == annotator


def require(
    scope: Scope, *, query_key: str | None = None
) -> Callable[[Request], Awaitable[Principal]]:
    """Return a dependency that refuses requests without this scope; `query_key` may hold their key."""

    async def dependency(request: Request) -> Principal:
        principal = await _principal(request, query_key)
        if principal is None:
            raise Problem(401, "sign-in", "sign in, or send an API key")
        if scope not in principal.scopes:
            await request.close()  # of a form that was read for its CSRF token, the files
            raise Problem(403, "scope", f"this needs the scope {scope}")
        return principal

    dependency.__name__ = f"require_{scope}"
    return dependency


async def require_somebody(request: Request) -> Principal:
    """Return whoever is signed in or sends a key; a stranger is refused."""
    principal = await _principal(request, None)
    if principal is None:
        raise Problem(401, "sign-in", "sign in, or send an API key")
    return principal


async def require_annotator(request: Request) -> Principal:
    """Return the annotator of a session; others are refused."""
    principal = await require("judge")(request)
    if principal.campaign is None or principal.annotator is None:
        raise Problem(403, "annotators", "this page is for annotators; open an invitation link")
    return principal


async def require_admin(request: Request) -> Principal:
    """Return an admin of everything; a key for one campaign is refused, whatever its scopes."""
    principal = await require("admin")(request)
    if principal.campaign is not None:
        raise Problem(403, "scope", "this key is for one campaign")
    return principal


async def optional_principal(request: Request) -> Principal | None:
    """Return the principal of a request on a public page; None for a stranger."""
    return await _principal(request, None)


async def _principal(request: Request, query_key: str | None) -> Principal | None:
    """Return who sends a request, by key or cookie, and count it against their rate; None: a stranger."""
    desk = desk_of(request)
    token = _sent_key(request, query_key)
    if token is not None:
        key = desk.access.seen_key(token) or await run_in_threadpool(desk.access.key, token)
        principal = None if key is None else _of_key(key)
    else:
        principal = await _of_cookie(request, desk)
    if principal is not None:
        note_caller(request, principal)
    limit_rate(request, desk, principal)
    return principal


def note_caller(request: Request, principal: Principal) -> None:
    """Note who sends a request, for its line of the log, its turn among others, and the page of an error."""
    request.state.who = CALLER.get().who = principal.id
    request.state.principal = principal


def limit_rate(request: Request, desk: Desk, principal: Principal | None) -> None:
    """Refuse a caller who sends too many requests: a principal, or for strangers an address."""
    if principal is None:
        address = request.client.host if request.client else ""
        key, per_minute = f"address {address}", desk.settings.sign_ins_per_minute * 10
    else:
        key, per_minute = principal.id, desk.settings.requests_per_minute
    _refuse_excess(desk.rates.wait_s(key, per_minute))


def limit_sign_ins(request: Request) -> None:
    """Refuse an address that has tried too many invalid tokens; people may share an address."""
    desk = desk_of(request)
    address = request.client.host if request.client else ""
    _refuse_excess(desk.rates.wait_s(f"sign-in {address}", desk.settings.sign_ins_per_minute))


def limit_joining(request: Request) -> None:
    """Refuse an address from which too many new annotators join by open links."""
    desk = desk_of(request)
    address = request.client.host if request.client else ""
    _refuse_excess(desk.rates.wait_s(f"join {address}", desk.settings.sign_ins_per_minute))


def _refuse_excess(wait_s: float) -> None:
    if wait_s:
        raise Problem(
            429, "rate", "too many requests; try again later",
            headers={"Retry-After": str(int(wait_s) + 1)},
        )  # fmt: skip


def _sent_key(request: Request, query_key: str | None) -> str | None:
    """Return the key of the headers or, where `query_key` names one, of that query parameter."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    token = request.headers.get("x-api-key", "").strip()
    if not token and query_key is not None:
        token = request.query_params.get(query_key, "").strip()
    return token or None


async def _of_cookie(request: Request, desk: Desk) -> Principal | None:
    """Return the person of a session cookie; a request that changes something must pass CSRF."""
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        return None
    person = desk.access.seen_signed_in(cookie)
    person = person or await run_in_threadpool(desk.access.signed_in, cookie)
    if person is None:
        return None
    if request.method not in _SAFE:
        await _check_csrf(request, desk, cookie)
    return _of_person(person, desk.access.signer.csrf(cookie))


async def _check_csrf(request: Request, desk: Desk, cookie: str) -> None:
    """Refuse a request from another site, or without the CSRF token of its session."""
    check_origin(request)
    token: object = request.headers.get("x-csrf-token")
    if token is None and request.headers.get("content-type", "").startswith(
        ("application/x-www-form-urlencoded", "multipart/form-data")
    ):
        token = (await request.form()).get("csrf")
    if not isinstance(token, str) or not desk.access.signer.csrf_matches(cookie, token):
        await request.close()
        raise Problem(403, "csrf", "this form has expired; load the page again")


def check_origin(request: Request) -> None:
    """Refuse a form that was sent from another site, as far as the browser says so."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        same_site = site in ("same-origin", "none")
    else:
        same_site = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not same_site:
        raise Problem(403, "csrf", "this form was sent from another site")


def _of_person(person: UserAccount, csrf: str) -> Principal:
    """Return a person as principal; an annotator sees the own campaign alone."""
    is_annotator = person.role == "annotator"
    return Principal(
        person.role,
        f"person-{person.id}",
        person.name,
        _IMPLIED[person.role],
        campaign=person.campaign if is_annotator else None,
        annotator=person.name if is_annotator else None,
        csrf=csrf,
        led=None if person.role in ("admin", "annotator") else person.led,
    )


def _of_key(key: ApiKey) -> Principal:
    """Return a key as principal; the scope admin implies all others."""
    scopes = _IMPLIED["admin"] if "admin" in key.scopes else key.scopes
    return Principal(
        "key",
        f"key-{key.id}",
        key.label,
        scopes,
        campaign=key.campaign,
        annotator=key.annotator,
    )


Somebody = Annotated[Principal, Depends(require_somebody)]
Reader = Annotated[Principal, Depends(require("read"))]
Moderator = Annotated[Principal, Depends(require("moderate"))]
Lead = Annotated[Principal, Depends(require("lead"))]
Admin = Annotated[Principal, Depends(require_admin)]
