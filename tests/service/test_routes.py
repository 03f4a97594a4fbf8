"""Every route of the app, walked: a stranger sees nothing but sign-in, health and static files."""

from __future__ import annotations

import re
from pathlib import Path

from newsdesk.service.app import ROUTERS, create_app
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf
from tests.service.route_table import TABLE, routes

# What a stranger may reach. A path that holds a token is a token's holder's.
PUBLIC = {route for route, allowed in TABLE.items() if "stranger" in allowed}
# What asks for a signature of the body instead of a key or a session: everybody else is a stranger.
SIGNED = {route for route, allowed in TABLE.items() if not allowed}


def filled(path: str) -> str:
    """A path with something in place of its parameters."""
    return re.sub(r"\{[^}]*\}", "1", path)


def test_a_stranger_sees_nothing_but_sign_in_health_and_static_files(
    shared_office: Office,
) -> None:
    office = shared_office
    office.campaign("1", "grade")
    walked = 0
    for method, path in routes():
        if (method, path) in PUBLIC:
            continue
        for headers in (HTML, {"accept": "application/json"}, {"authorization": "Bearer wrong"}):
            client = office.stranger()
            client.cookies = {COOKIE: "1.0.1.x.forged"}
            answer = client.request(method, filled(path), headers=headers)
            where = answer.headers.get("location")
            assert answer.status_code == 401 or where == "/sign-in", (method, path)
            assert "Comment number" not in answer.text
            walked += 1
    assert walked >= 6


def test_an_annotator_sees_only_the_own_tasks_whatever_the_route(office: Office) -> None:
    office.campaign("1", "grade", ["cy", "dan"])
    office.campaign("pilot", "rank")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    # Judgments are the own ones by what the request says: tests of the API try others.
    own = {"/", "/sign-out-everywhere", "/api/v1/judgments"}
    for method, path in routes():
        if (method, path) in PUBLIC or path in own:
            continue
        answer = ann.request(
            method,
            filled(path),
            params={"campaign": "1", "annotator": "cy"},
            headers={"x-csrf-token": token},
        )
        # 415 and 422: a body is missing, which says nothing about anybody.
        refused = (401,) if (method, path) in SIGNED else (403, 404, 415, 422)
        assert answer.status_code in refused, (method, path, answer.status_code)
        assert "Comment number" not in answer.text
    assert office.desk.store.status("1").judgments == 0


def test_the_app_has_no_route_beside_those_of_its_table(office: Office) -> None:
    assert len(office.app.routes) == len(ROUTERS)


def test_what_is_public_exists_and_is_bare(office: Office) -> None:
    assert set(routes()) >= PUBLIC
    assert office.client.get("/health").json() == {"status": "ok"}
    assert office.client.get("/ready").json() == {"status": "ready"}
    assert office.client.get("/static/app.css").status_code == 200
    assert office.client.get("/join/guess").status_code == 403


def test_unknown_paths_and_methods_answer_in_the_error_shape(office: Office) -> None:
    for method, path, status in (("GET", "/api/v1/nothing", 404), ("PUT", "/health", 405)):
        answer = office.client.request(method, path)
        assert answer.status_code == status
        assert answer.json()["error"].keys() == {"code", "message"}


def test_every_answer_has_the_security_headers(office: Office) -> None:
    for path in ("/sign-in", "/health", "/nothing", "/static/app.css"):
        headers = office.client.get(path, headers=HTML).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_body_over_the_limit_is_refused_however_it_is_sent(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(tmp_path / "data", max_body_bytes=1000))
    with Office.opened(app) as office:
        for content in (b"x" * 2000, iter([b"x" * 600] * 3)):
            answer = office.stranger().post(
                "/sign-in",
                content=content,
                headers={
                    "content-type": "application/x-www-form-urlencoded",
                    "accept": "application/json",
                },
            )
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")
