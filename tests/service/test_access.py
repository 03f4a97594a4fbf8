"""Who gets in: links, sessions, keys, scopes, rate limits. What is stored cannot be used to sign in."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.errors import ArgumentError
from newsdesk.service.app import create_app
from newsdesk.service.database import ended_sessions
from newsdesk.service.links import admin_link
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, at_once, csrf


def test_an_admin_link_works_once(office: Office) -> None:
    token = office.desk.access.admin_link().token
    first, second = office.stranger(), office.stranger()
    assert first.post("/sign-in", data={"token": token}).headers["location"] == "/"
    assert second.post("/sign-in", data={"token": token}).status_code == 403
    assert first.get("/", headers=HTML).status_code == 200
    assert second.get("/", headers=HTML).headers["location"] == "/sign-in"


def test_a_new_admin_link_replaces_the_unused_one(office: Office) -> None:
    old = office.desk.access.admin_link().token
    new = office.desk.access.admin_link().token
    client = office.stranger()
    assert client.post("/sign-in", data={"token": old}).status_code == 403
    assert client.post("/sign-in", data={"token": new}).status_code == 303


def test_a_second_server_leaves_the_first_link_valid_until_one_is_used(tmp_path: Path) -> None:
    settings = ServiceSettings(tmp_path / "data")
    links = [admin_link(settings, "127.0.0.1", port) for port in (8000, 8001, 8002)]
    tokens = [str(link).partition("=")[2] for link in links]
    with Office.opened(create_app(settings)) as office:
        client = office.stranger()
        assert client.post("/sign-in", data={"token": tokens[0]}).status_code == 303
        codes = [office.stranger().post("/sign-in", data={"token": one}).status_code for one in tokens]  # fmt: skip
        assert codes == [403] * 3  # one of them signed in: the others are worth nothing
        assert admin_link(settings, "127.0.0.1", 8000) is None
        renewed = str(admin_link(settings, "127.0.0.1", 8000, renew=True))
        token = renewed.partition("=")[2]
        assert office.stranger().post("/sign-in", data={"token": token}).status_code == 303


def test_opening_a_link_signs_nobody_in(office: Office) -> None:
    office.campaign("pilot", "grade")
    token = office.desk.access.invite("pilot", "ann").token
    client = office.stranger()
    page = client.get(f"/join/{token}")
    assert page.status_code == 200 and COOKIE not in client.cookies
    admin = office.desk.access.admin_link().token
    assert client.get(f"/sign-in?token={admin}").status_code == 200
    assert COOKIE not in client.cookies


def test_a_session_cookie_is_httponly_samesite_and_secure_behind_tls(office: Office) -> None:
    for scheme, secure in (("http", False), ("https", True)):
        client = office.stranger()
        client.base_url = f"{scheme}://testserver"
        token = office.desk.access.admin_link().token
        cookie = client.post("/sign-in", data={"token": token}).headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie
        assert ("secure" in cookie) is secure


@pytest.mark.parametrize("change", ["x{}", "{}x", "9{}", ""])
def test_a_changed_cookie_is_a_stranger(office: Office, change: str) -> None:
    client = office.admin()
    client.cookies = {COOKIE: change.format(client.cookies[COOKIE])}
    assert client.get("/", headers=HTML).headers["location"] == "/sign-in"


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_signing_out_ends_the_session_at_every_server_and_no_other(
    tmp_path: Path, store: str, request: pytest.FixtureRequest
) -> None:
    url = None if store == "sqlite" else request.getfixturevalue("empty_postgresql")
    settings = ServiceSettings(tmp_path / "data", store=url)
    with Office.opened(create_app(settings)) as one, Office.opened(create_app(settings)) as two:
        client, elsewhere = one.admin(), one.admin()
        thief, at_two = one.stranger(), two.stranger()
        thief.cookies = at_two.cookies = {COOKIE: client.cookies[COOKIE]}
        token = csrf(client)
        assert [thief.get("/").status_code, at_two.get("/").status_code] == [200, 200]
        answers = at_once([lambda: client.post("/sign-out", data={"csrf": token}).status_code] * 4)
        assert set(answers) <= {303, 403} and 303 in answers  # 403: it was over already
        assert COOKIE not in client.cookies
        assert thief.get("/", headers=HTML).headers["location"] == "/sign-in"
        assert elsewhere.get("/", headers=HTML).status_code == 200
        time.sleep(2.1)  # for which another server may believe what it has read
        assert at_two.get("/", headers=HTML).headers["location"] == "/sign-in"


def test_ended_sessions_are_forgotten_when_their_cookies_are_too_old(tmp_path: Path) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    app = create_app(ServiceSettings(tmp_path / "data", session_s=100), clock=lambda: now)
    with Office.opened(app) as office:
        for days in range(4):
            now = datetime(2026, 1, 1 + days, tzinfo=UTC)
            access = office.desk.access
            person = access.add_annotator("pilot", "ann")
            access.sign_out(access.cookie(person))
        with office.desk.store.database.read() as connection:
            assert len(connection.execute(sa.select(ended_sessions)).all()) == 1


def test_signing_out_everywhere_ends_every_session(office: Office) -> None:
    client = office.admin()
    other = office.stranger()
    other.cookies = {COOKIE: client.cookies[COOKIE]}
    token = csrf(client)
    assert client.post("/sign-out-everywhere", data={"csrf": token}).status_code == 303
    assert other.get("/", headers=HTML).status_code == 303


def test_a_form_without_its_token_or_from_another_site_changes_nothing(office: Office) -> None:
    client = office.admin()
    token = csrf(client)
    path = "/sign-out-everywhere"
    assert client.post(path).status_code == 403
    assert client.post(path, data={"csrf": "0" * 64}).status_code == 403
    for header in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.post(path, data={"csrf": token}, headers=header).status_code == 403
    assert client.get("/", headers=HTML).status_code == 200


def test_keys_have_scopes_and_can_be_revoked(office: Office) -> None:
    reader, judge = office.program("read"), office.program("judge")
    assert reader.get("/openapi.json").status_code == 200
    answer = judge.get("/openapi.json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope")
    assert office.program("admin").get("/openapi.json").status_code == 200
    for key in office.desk.access.all_keys():
        office.desk.access.revoke_key(key.id)
    assert reader.get("/openapi.json").status_code == 401


def test_a_key_for_one_annotator_judges_and_nothing_else(office: Office) -> None:
    with pytest.raises(ArgumentError, match="judge alone"):
        office.desk.access.add_key("k", ["read"], campaign="pilot", annotator="ann")
    with pytest.raises(ArgumentError, match="needs a scope"):
        office.desk.access.add_key("k", [])


def test_no_token_is_stored_as_it_is(office: Office) -> None:
    office.campaign("pilot", "grade")
    access = office.desk.access
    tokens = [
        access.admin_link().token,
        access.invite("pilot", "ann").token,
        access.add_key("k", ["read"]).token,
    ]
    office.admin()
    for path in office.desk.folder.root.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not [token for token in tokens if token.encode() in content], path


def test_a_new_invitation_makes_the_old_link_invalid(office: Office) -> None:
    office.campaign("pilot", "grade")
    old = office.desk.access.invite("pilot", "ann").token
    office.desk.access.invite("pilot", "ann")
    assert office.stranger().get(f"/join/{old}").status_code == 403


def test_guessing_tokens_is_slowed_down(tmp_path: Path) -> None:
    with Office.opened(
        create_app(ServiceSettings(tmp_path / "data", sign_ins_per_minute=5))
    ) as office:
        codes = [
            office.client.post("/sign-in", data={"token": f"guess {n}"}).status_code
            for n in range(7)
        ]
    assert codes == [403] * 5 + [429] * 2


def test_the_signing_key_is_for_its_owner_alone(office: Office) -> None:
    path = office.desk.folder.root / "service" / "secret"
    assert path.stat().st_mode & 0o077 == 0


def test_staff_have_the_scopes_of_their_role_until_they_are_dismissed(office: Office) -> None:
    office.campaign("pilot", "grade")
    admin = office.admin()
    access = office.desk.access
    for role, events, keys in (("reader", 303, 403), ("moderator", 303, 403), ("lead", 303, 403)):
        client = office.stranger()
        token = access.staff_link(f"the {role}", role).token  # type: ignore[arg-type]
        assert client.post("/sign-in", data={"token": token}).status_code == 303
        assert client.get("/events", headers=HTML).status_code in (200, events), role
        assert client.get("/access", headers=HTML).status_code == keys, role
        assert client.get("/api/v1/campaigns").json() == {"campaigns": []}, role
        assert client.get("/api/v1/campaigns/pilot").status_code == 404, role
        [person] = [person for person in access.all_staff() if person.role == role]
        answer = admin.post(f"/access/staff/{person.id}/dismiss", data={"csrf": csrf(admin)})
        assert answer.status_code == 303
        assert client.get("/events", headers=HTML).headers.get("location") == "/sign-in", role


def test_a_lead_sees_the_own_campaigns_alone(office: Office) -> None:
    office.campaign("pilot", "grade")
    office.campaign("other", "grade")
    access = office.desk.access
    client = office.stranger()
    client.post("/sign-in", data={"token": access.staff_link("lea", "lead").token})
    [lead] = [person for person in access.all_staff() if person.role == "lead"]
    access.lead(lead.id, "pilot")
    listed = client.get("/api/v1/campaigns").json()["campaigns"]
    assert [campaign["name"] for campaign in listed] == ["pilot"]


def test_a_role_given_anew_replaces_the_old_one(office: Office) -> None:
    access = office.desk.access
    access.staff_link("mo", "moderator")
    access.staff_link("mo", "reader")
    assert [(person.name, person.role) for person in access.all_staff()] == [("mo", "reader")]
    assert not access.has_admin()
