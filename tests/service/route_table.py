"""Who may use which route: the one table that tests of access and the walk through all pages go by.

A role that is not named beside a route is refused there, and a route that is not here fails a test.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from fastapi.routing import APIRoute

from newsdesk.service.app import ROUTERS

PEOPLE = ("stranger", "annotator", "reader", "moderator", "lead", "admin")
KEYS = ("key read", "key judge", "key metrics", "key admin")
ROLES = (*PEOPLE, *KEYS)

_ALL = frozenset(ROLES)
_KNOWN = _ALL - {"stranger"}
_READ = frozenset(("reader", "moderator", "lead", "admin", "key read", "key admin"))
_MODERATE = frozenset(("moderator", "admin", "key admin"))
_LEAD = frozenset(("lead", "admin", "key admin"))  # a lead: campaigns of their own
_SEES = frozenset(("lead", "admin", "key read", "key admin"))  # what a campaign holds
_JUDGE = frozenset(("annotator", "admin", "key judge", "key admin"))
_METRICS = frozenset(("admin", "key metrics", "key admin"))
_ADMIN = frozenset(("admin", "key admin"))
_ANNOTATE = frozenset(("annotator",))
_SIGNED: frozenset[str] = frozenset()  # a signature of the body, which no role has

Route = tuple[str, str]

TABLE: dict[Route, frozenset[str]] = {
    ("GET", "/health"): _ALL,
    ("GET", "/ready"): _ALL,
    ("GET", "/metrics"): _METRICS,
    ("GET", "/static/{name}"): _ALL,
    ("GET", "/openapi.json"): _READ,
    ("GET", "/sign-in"): _ALL,
    ("POST", "/sign-in"): _ALL,
    ("POST", "/sign-out"): _ALL,
    ("POST", "/sign-out-everywhere"): _KNOWN,
    ("GET", "/join/{token}"): _ALL,  # the token is the permission
    ("POST", "/join/{token}"): _ALL,
    ("GET", "/"): _READ | _ANNOTATE,
    ("POST", "/sample"): _ADMIN,
    ("GET", "/access"): _ADMIN,
    ("POST", "/access/keys"): _ADMIN,
    ("POST", "/access/keys/{number}/revoke"): _ADMIN,
    ("POST", "/access/staff"): _ADMIN,
    ("POST", "/access/staff/{number}/campaigns"): _ADMIN,
    ("POST", "/access/staff/{number}/dismiss"): _ADMIN,
    ("GET", "/annotate/{campaign}"): _ANNOTATE,
    ("GET", "/annotate/{campaign}/continue"): _ANNOTATE,
    ("GET", "/annotate/{campaign}/tasks/{number}"): _ANNOTATE,
    ("POST", "/annotate/{campaign}/tasks/{number}"): _ANNOTATE,
    ("POST", "/annotate/{campaign}/tasks/{number}/undo"): _ANNOTATE,
    ("GET", "/campaigns"): _LEAD,
    ("GET", "/campaigns/new"): _LEAD,
    ("POST", "/campaigns/new"): _LEAD,
    ("GET", "/campaigns/{campaign}"): _LEAD,
    ("GET", "/campaigns/{campaign}/items"): _LEAD,
    ("GET", "/campaigns/{campaign}/items/{number}"): _LEAD,
    ("POST", "/campaigns/{campaign}/invite"): _LEAD,
    ("POST", "/campaigns/{campaign}/uninvite"): _LEAD,
    ("POST", "/campaigns/{campaign}/exclude"): _LEAD,
    ("POST", "/campaigns/{campaign}/include"): _LEAD,
    ("GET", "/campaigns/{campaign}/sheet"): _LEAD,
    ("GET", "/campaigns/{campaign}/sheets.zip"): _LEAD,
    ("POST", "/campaigns/{campaign}/import"): _LEAD,
    ("POST", "/campaigns/{campaign}/imports/{number}/undo"): _LEAD,
    ("POST", "/campaigns/{campaign}/resolve"): _LEAD,
    ("GET", "/campaigns/{campaign}/audit"): _LEAD,
    ("GET", "/campaigns/{campaign}/report"): _LEAD,
    ("GET", "/campaigns/{campaign}/exports/{file}"): _LEAD,
    ("GET", "/files"): _READ,
    ("POST", "/files"): _MODERATE,
    ("GET", "/files/{file_id}"): _READ,
    ("POST", "/files/{file_id}/name"): _MODERATE,
    ("POST", "/files/{file_id}/columns"): _MODERATE,
    ("GET", "/files/{file_id}/download"): _READ,
    ("POST", "/files/{file_id}/delete"): _MODERATE,
    ("GET", "/comments"): _READ,
    ("GET", "/comments/{file_id}"): _READ,
    ("GET", "/comments/{file_id}/{article}"): _READ,
    ("POST", "/comments/{file_id}/{article}/moderate"): _MODERATE,
    ("POST", "/comments/{file_id}/embed"): _MODERATE,
    ("GET", "/comments/{file_id}/{article}/export/{form}"): _READ,
    ("GET", "/embed/{file_id}/{article}"): _ALL,  # of files that a moderator shows to everybody
    ("POST", "/comments/{file_id}/{article}/vote"): _MODERATE,
    ("GET", "/votes/{file_id}"): _READ,
    ("POST", "/votes/{file_id}/adapt"): _MODERATE,
    ("POST", "/votes/{file_id}/use"): _MODERATE,
    ("GET", "/events"): _READ,
    ("GET", "/events/{file_id}"): _READ,
    ("GET", "/events/{file_id}/stories/{story}"): _READ,
    ("GET", "/events/{file_id}/{event}"): _READ,
    ("GET", "/score"): _READ,
    ("POST", "/score"): _READ,
    ("GET", "/studies"): _READ,
    ("GET", "/studies/reports/{path:path}"): _READ,
    ("POST", "/studies"): _READ,
    ("GET", "/studies/{number}"): _READ,
    ("POST", "/api/v1/score"): _READ,
    ("POST", "/api/v1/rank"): _READ,
    ("POST", "/api/v1/explain"): _READ,
    ("POST", "/api/v1/summarize"): _READ,
    ("POST", "/api/v1/suggest"): _READ,
    ("GET", "/api/v1/studies"): _READ,
    ("POST", "/api/v1/studies/lengths"): _READ,
    ("POST", "/api/v1/studies/curve"): _READ,
    ("POST", "/api/v1/studies/table5"): _READ,
    ("GET", "/api/v1/campaigns"): _READ,  # those that one sees
    ("POST", "/api/v1/campaigns"): _ADMIN,
    ("GET", "/api/v1/campaigns/{campaign}"): _SEES,
    ("GET", "/api/v1/campaigns/{campaign}/report"): _SEES,
    ("GET", "/api/v1/campaigns/{campaign}/exports/{kind}"): _SEES,
    ("GET", "/api/v1/campaigns/{campaign}/sheets"): _ADMIN,
    ("GET", "/api/v1/campaigns/{campaign}/sheets/{annotator}"): _ADMIN,
    ("POST", "/api/v1/campaigns/{campaign}/sheets"): _ADMIN,
    ("GET", "/api/v1/judgments"): _SEES | _ANNOTATE,
    ("POST", "/api/v1/judgments"): _JUDGE,
    ("GET", "/api/v1/campaigns/{campaign}/tasks"): _JUDGE,
    ("POST", "/api/v1/campaigns/{campaign}/claims"): _JUDGE,
    ("GET", "/api/v1/attributes"): _READ,
    ("PUT", "/api/v1/attributes/{name}"): _ADMIN,
    ("DELETE", "/api/v1/attributes/{name}"): _ADMIN,
    ("GET", "/$discovery/rest"): _READ,
    ("POST", "/v1alpha1/comments:analyze"): _READ,
    ("POST", "/api/v1/coral"): _SIGNED,
    ("POST", "/api/v1/ranking-challenge/rank"): _READ,
}


def routes() -> Iterator[Route]:
    """Method and path of every route. The app itself has no others: it is made of these routers."""
    for module in ROUTERS:
        for route in import_module(module).router.routes:
            assert isinstance(route, APIRoute), route
            yield from ((method, route.path) for method in sorted(route.methods))
