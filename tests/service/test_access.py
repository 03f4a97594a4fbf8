"""Who gets in: links, sessions, keys, scopes, rate limits. What is stored cannot be used to sign in."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.errors import ArgumentError
from newsdesk.service.app import create_app
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf


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
