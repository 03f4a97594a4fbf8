"""Every route by every role: what the table does not list is refused, what it lists is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from newsdesk.service.app import create_app
from newsdesk.service.people import STAFF, Scope
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf
from tests.service.route_table import KEYS, ROLES, TABLE, routes
from tests.service.test_comments import ROWS, dropped, ended

# Leads to nothing, whoever asks: there is no such study, import or attribute.
_NOTHING = {
    ("GET", "/studies/{number}"),
    ("POST", "/campaigns/{campaign}/imports/{number}/undo"),
    ("DELETE", "/api/v1/attributes/{name}"),
    ("POST", "/access/staff/{number}/campaigns"),
}
# Ends or changes the session of whoever asks: after all others.
_LAST = ("/join/{token}", "/sign-out", "/sign-out-everywhere")


@dataclass
class Everybody:
    """An app with something behind every route, and a client of each role; Lea leads `pilot` and not `other`."""

    office: Office
    clients: dict[str, TestClient]
    tokens: dict[str, str]
    values: dict[str, str]

    def path(self, route: str, **values: str) -> str:
        """Fill the parameters of a route's path."""
        known = {**self.values, **values}
        named = {"file": "judgments.jsonl", "kind": "judgments", "name": "app.css", "form": "csv"}
        return re.sub(r"\{(\w+)(:path)?\}", lambda at: {**named, **known}[at[1]], route)

    def ask(self, role: str, method: str, path: str) -> Any:
        """Send a request of a role, with the token of its session."""
        return self.clients[role].request(
            method,
            path,
            params={"campaign": "pilot", "annotator": "ann"},
            headers={**HTML, "x-csrf-token": self.tokens[role]},
            data={"on": "true"} if method == "POST" else None,
        )


@pytest.fixture(scope="module")
def everybody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everybody]:
    data = tmp_path_factory.mktemp("roles") / "data"
    settings = ServiceSettings(data=data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with Office.opened(create_app(settings)) as office:
        office.campaign("pilot", "grade")
        office.campaign("other", "grade")
        clients = {"stranger": office.stranger(), "annotator": office.annotator("pilot", "ann")}
        for role in STAFF:
            clients[role] = office.stranger()
            token = office.desk.access.staff_link(f"the {role}", role).token
            clients[role].post("/sign-in", data={"token": token})
        for label in KEYS:
            scope: Scope = label.removeprefix("key ")  # type: ignore[assignment]
            clients[label] = office.program(scope)
        [lea] = [each for each in office.desk.access.all_staff() if each.role == "lead"]
        office.desk.access.lead(lea.id, "pilot")
        tokens = dict.fromkeys(clients, "") | {
            role: csrf(clients[role]) for role in ("annotator", *STAFF)
        }
        yield Everybody(office, clients, tokens, _values(office, clients["admin"], data))


def _values(office: Office, admin: TestClient, data: Path) -> dict[str, str]:
    """Bring files, allow one for other sites, and return what stands in the paths of routes."""
    address, _ = ended(admin, dropped(admin, ROWS.encode(), "harbour.csv"))
    file_id = address.split("/")[2]
    admin.post(f"/comments/{file_id}/embed", data={"csrf": csrf(admin), "on": "true"})
    (data / "report.html").write_text("<title>A report</title>")
    return {
        "campaign": "pilot",
        "number": str(next(iter(office.numbers("pilot", "ann").values()))),
        "token": office.desk.access.invite("pilot", "ben").token,
        "annotator": "ann",
        "file_id": file_id,
        "article": "a1",
        "path": "report.html",
        "event": "1",
        "story": "1",
    }


def _refused(answer: Any) -> bool:
    """Whether somebody was turned away: not known, not allowed, or told that there is nothing."""
    return answer.status_code in (401, 403, 404) or answer.headers.get("location") == "/sign-in"


def _at_last(entry: tuple[tuple[str, str], frozenset[str]]) -> tuple[bool, bool]:
    (method, route), _ = entry
    return route in _LAST and method == "POST", route.startswith("/sign-out")


def test_every_route_is_in_the_table_and_the_table_has_no_other() -> None:
    assert set(TABLE) == set(routes())


@pytest.mark.parametrize("role", ROLES)
def test_what_the_table_does_not_list_is_refused(everybody: Everybody, role: str) -> None:
    for (method, route), allowed in TABLE.items():
        if role not in allowed:
            answer = everybody.ask(role, method, everybody.path(route))
            assert _refused(answer), (role, method, route, answer.status_code)
    assert everybody.office.desk.store.status("pilot").judgments == 0


@pytest.mark.parametrize("role", ROLES)
def test_what_the_table_lists_is_not_refused(everybody: Everybody, role: str) -> None:
    for (method, route), allowed in sorted(TABLE.items(), key=_at_last):
        if role not in allowed:
            continue
        number = "0" if "/items/" in route or "/access/" in route else everybody.values["number"]
        answer = everybody.ask(role, method, everybody.path(route, number=number))
        if (method, route) in _NOTHING or "/events/" in route:  # no file of events here
            assert answer.status_code not in (401, 403), (role, method, route)
        elif route not in _LAST and route != "/sign-in":
            assert not _refused(answer), (role, method, route, answer.text)


def test_a_lead_runs_the_own_campaigns_and_no_other(everybody: Everybody) -> None:
    of_campaigns = [(method, route) for method, route in TABLE if "/campaigns/{campaign}" in route]
    assert len(of_campaigns) > 20
    for method, route in of_campaigns:
        path = everybody.path(route, campaign="other", number="0")
        answer = everybody.ask("lead", method, path)
        assert answer.status_code in (403, 404), (method, route, answer.status_code)
        assert "Comment number" not in answer.text
