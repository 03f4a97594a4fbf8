"""The web app attacked: keys that reach too far, tokens used twice at once, forged hosts, slow bodies, and names that are markup."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from newsdesk.campaigns import Target, Task
from newsdesk.service.app import create_app
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import ServiceSettings
from tests.service.crowds import run_in_thread
from tests.service.office import HTML, Office, at_once, csrf
from tests.service.route_table import routes
from tests.service.test_routes import PUBLIC, filled

MARKUP = """"><img src=x onerror=alert(1)>{{7*7}}<script>alert('x')</script>"""
FORMULA = '=HYPERLINK("http://evil.example","click")'


def test_an_admin_key_of_one_campaign_reaches_nothing_else_whatever_the_route(
    office: Office,
) -> None:
    office.campaign("1", "grade", ["cy", "dan"])
    office.campaign("pilot", "grade")
    key = office.program("admin", campaign="pilot")
    # What scores texts has no campaign; signing out is of sessions; the first page leads to the own campaign.
    texts = {"/api/v1/score", "/api/v1/rank", "/api/v1/explain", "/api/v1/summarize"}
    texts |= {"/sign-out-everywhere", "/"}
    for method, path in routes():
        if (method, path) in PUBLIC or path in texts or path.startswith("/v1alpha1"):
            continue
        body = {"json": {"model": "ready"}} if path.startswith("/api/") else {"data": {"label": "k", "scopes": "admin", "name": "eve"}}  # fmt: skip
        answer = key.request(method, filled(path), params={"campaign": "1"}, **body)  # type: ignore[arg-type]
        if answer.status_code == 200:
            assert "cy" not in answer.text.split('"') and "Comment number" not in answer.text
            assert method == "GET", (method, path)
        else:
            assert answer.status_code in (400, 401, 403, 404, 415, 422), (method, path)
    assert len(office.desk.access.all_keys()) == 1
    assert office.desk.attributes.all().keys() == {"CONSTRUCTIVE", "UNCONSTRUCTIVE"}
    assert office.desk.store.status("1").annotators[0].excluded_at is None


@pytest.mark.parametrize("scope", ["read", "judge"])
def test_a_key_cannot_give_itself_more_scopes(office: Office, scope: Any) -> None:
    key = office.program(scope)
    assert key.get("/access", headers=HTML).status_code == 403
    for path, fields in (
        ("/access/keys", {"label": "more", "scopes": "admin"}),
        ("/access/staff", {"name": "eve", "role": "admin"}),
        ("/campaigns/new", {"name": "eve"}),
    ):
        assert key.post(path, data=fields).status_code == 403
    assert len(office.desk.access.all_keys()) == 1


def test_a_one_time_token_sent_many_times_at_once_signs_one_in(office: Office) -> None:
    token = office.desk.access.admin_link().token
    clients = [office.stranger() for _ in range(6)]
    requests = [partial(client.post, "/sign-in", data={"token": token}) for client in clients]
    codes = [answer.status_code for answer in at_once(requests)]
    assert sorted(codes) == [303] + [403] * 5


def test_the_same_answer_sent_many_times_at_once_is_stored_once(office: Office) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    fields = {"csrf": csrf(ann), "A.grade": "4"}
    number = office.desk.store.places("pilot", "ann")[0].number
    path = f"/annotate/pilot/tasks/{number}"
    codes = at_once([lambda: ann.post(path, data=fields).status_code] * 6)
    assert codes == [303] * 6
    assert [each.value for each in office.desk.store.judgments("pilot", current=False)] == [4]


def test_signing_in_replaces_a_cookie_that_somebody_planted(office: Office) -> None:
    planted = office.admin().cookies[COOKIE]
    client = office.stranger()
    client.cookies.set(COOKIE, planted)
    answer = client.post("/sign-in", data={"token": office.desk.access.admin_link("eve").token})
    assert planted not in answer.headers["set-cookie"]
    fixed = office.stranger()
    fixed.cookies.set(COOKIE, "1.0.99.chosen-by-an-attacker")
    token = office.desk.access.admin_link().token
    answer = fixed.post("/sign-in", data={"token": token})
    assert "chosen-by-an-attacker" not in answer.headers["set-cookie"]


def test_a_session_of_one_campaign_opens_no_other_by_its_path(office: Office) -> None:
    office.campaign("pilot", "grade")
    office.campaign("other", "rank")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    for path in ("", "/continue", "/tasks/0", "/tasks/0?saved=0"):
        assert ann.get(f"/annotate/other{path}").status_code == 404
    for path in ("/tasks/0", "/tasks/0/undo"):
        answer = ann.post(f"/annotate/other{path}", data={"csrf": token, "A.overall": "1"})
        assert answer.status_code == 404
    assert office.desk.store.status("other").judgments == 0


@pytest.mark.parametrize(
    "host", ["evil.example", 'a"><script>alert(1)</script>', "[::1", "a b", "x" * 5000, "é", ""]
)
def test_a_forged_host_is_no_error_of_the_server_and_no_markup(office: Office, host: str) -> None:
    office.campaign("pilot", "grade")
    admin = office.admin()
    token = csrf(admin)
    answer = admin.post(
        "/campaigns/pilot/invite",
        data={"csrf": token, "whom": "all"},
        headers={b"host": host.encode()},
    )
    assert answer.status_code < 500
    assert "<script>alert" not in answer.text


def test_names_that_are_markup_are_shown_as_they_are_on_every_page(office: Office) -> None:
    campaign, person = f"c {MARKUP}"[:90], f"p {MARKUP}"[:90]
    task = Task("t", "a", (Target("x", MARKUP),), (("title", MARKUP), ("url", "javascript:alert(1)")), MARKUP)  # fmt: skip
    office.campaign(campaign, "grade", [person, "ben"], tasks=[task])
    ann = office.annotator(campaign, person)
    admin = office.admin()
    token = csrf(admin)
    home = ann.get("/", headers=HTML).headers["location"]
    number = office.desk.store.places(campaign, person)[0].number
    path = home.replace("/annotate/", "/campaigns/")
    ann.post(f"{home}/tasks/{number}", data={"csrf": csrf(ann, home), "A.grade": "4"})
    reason = {"csrf": token, "annotator": "ben", "reason": MARKUP}
    assert admin.post(f"{path}/exclude", data=reason).status_code == 303
    upload = {"files": (f"{MARKUP}.jsonl", b"nothing")}
    pages = [
        ann.get(home, headers=HTML),
        ann.get(f"{home}/tasks/{number}?saved={number}", headers=HTML),
        *(admin.get(each, headers=HTML) for each in ("/", path, f"{path}/audit", f"{path}/report")),
        admin.post("/access/keys", data={"csrf": token, "label": MARKUP, "scopes": "read"}),
        admin.post(f"{path}/invite", data={"csrf": token, "whom": "all"}),
        admin.post(f"{path}/import", data={"csrf": token}, files=upload),
        admin.get(f"/sign-in?token={MARKUP}", headers=HTML),
        admin.post("/campaigns/new", data={"csrf": token, "name": MARKUP, "annotators": MARKUP}),
        admin.get(f"/campaigns/{MARKUP}", headers=HTML),
    ]
    for page in pages:
        assert page.status_code in (200, 400, 404), page
        assert "<img src=x" not in page.text and "<script>alert" not in page.text
        assert 'href="javascript:' not in page.text and ">49<" not in page.text
        assert "\n" not in str(page.headers.get("content-disposition", ""))


def test_a_downloaded_sheet_holds_no_formula(office: Office) -> None:
    task = Task("t", "a", (Target("x", FORMULA),), (("title", FORMULA),), FORMULA)
    office.campaign("pilot", "grade", [FORMULA, "ben"], tasks=[task])
    admin = office.admin()
    sheet = admin.get("/campaigns/pilot/sheet", params={"annotator": FORMULA, "format": "csv"})
    cells = [cell for line in sheet.content.decode("utf-8-sig").splitlines() for cell in line.split(",")]  # fmt: skip
    assert [cell for cell in cells if cell.lstrip('"').startswith(("=", "+", "@"))] == []
    workbook = admin.get("/campaigns/pilot/sheet", params={"annotator": FORMULA})
    assert workbook.status_code == 200 and b"<f>" not in workbook.content
    assert "evil" not in workbook.headers["content-disposition"] or "%3D" in workbook.headers["content-disposition"]  # fmt: skip


@pytest.mark.parametrize("name", ["../../../etc/passwd", "..%2f..%2fsecret", "/etc/passwd", "\0", "....//x", "a\r\nset-cookie: x=1"])  # fmt: skip
def test_no_path_of_a_request_leads_out_of_its_folder(shared_office: Office, name: str) -> None:
    admin = shared_office.admin()
    token = csrf(admin)
    for path in ("/static/{}", "/campaigns/{}", "/campaigns/{}/report", "/campaigns/x/exports/{}"):
        answer = admin.get(path.format(name.replace("\0", "%00").replace("\r\n", "%0d%0a")))
        assert answer.status_code == 404 and "root:" not in answer.text
        assert "set-cookie" not in answer.headers
    fields = {"csrf": token, "name": "x", "protocol": "grade", "annotators": "2", "threads": name}
    answer = admin.post("/campaigns/new", data=fields)
    assert answer.status_code == 400 and "root:" not in answer.text
    assert admin.get("/campaigns/x").status_code == 404


def test_a_body_that_never_ends_is_given_up(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(tmp_path / "data", request_timeout_s=0.2))
    with Office.opened(app) as office:
        key = office.desk.access.add_key("k", ["read"]).token
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/api/v1/score", "raw_path": b"/api/v1/score",
            "root_path": "", "scheme": "http", "query_string": b"", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": {},
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"authorization", f"Bearer {key}".encode())],
        }  # fmt: skip
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.05)
            return {"type": "http.request", "body": b" ", "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message)

        run_in_thread(asyncio.wait_for(app(scope, receive, send), 5))
    assert sent[0]["status"] == 503


@pytest.mark.parametrize(
    "body",
    [
        b'{"comment":{"text":"\\ud800"},"requestedAttributes":{"CONSTRUCTIVE":{}}}',
        b'{"comment":{"text":"a","text":"b"},"requestedAttributes":{"CONSTRUCTIVE":{}}}',
        b'{"comment":{"text":"a"},"requestedAttributes":{"CONSTRUCTIVE":null}}',
        b'{"comment":{"text":"a"},"requestedAttributes":{"CONSTRUCTIVE":{}},"languages":["",""]}',
        b'{"comment":{"text":"a"},"requestedAttributes":{"CONSTRUCTIVE":{}},"languages":["en\\u0000"]}',
        b'{"comment":{"text":"a"},"requestedAttributes":{"CONSTRUCTIVE":{}},"languages":"en"}',
        b'{"comment":{"text":"a"},"requestedAttributes":{"TOXICITY":{}}}',
        b'{"comment":{"text":"a"},"requestedAttributes":[]}',
        b'{"comment":"a","requestedAttributes":{"CONSTRUCTIVE":{}}}',
        b'{"comment":{"text":"' + b"a" * 30_000 + b'"},"requestedAttributes":{"CONSTRUCTIVE":{}}}',
        b"[" * 100_000,
        b"\xff\xfe",
        b"",
        b"null",
    ],
)
def test_odd_bodies_of_comments_analyze_get_its_own_error(
    shared_office: Office, body: bytes
) -> None:
    platform = shared_office.program("read")
    answer = platform.post("/v1alpha1/comments:analyze", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_a_comment_of_thousands_of_sentences_does_not_hold_up_the_platform(
    shared_office: Office,
) -> None:
    platform: TestClient = shared_office.program("read")
    body = {
        "comment": {"text": "No. " * 5_000},
        "requestedAttributes": {"CONSTRUCTIVE": {}},
        "languages": ["en"],
        "spanAnnotations": True,
        "doNotStore": True,
    }
    answer = platform.post("/v1alpha1/comments:analyze", json=body)
    assert answer.status_code == 200
    spans = answer.json()["attributeScores"]["CONSTRUCTIVE"]["spanScores"]
    assert len(spans) == 101 and (spans[0]["begin"], spans[-1]["end"]) == (0, 20_000)
