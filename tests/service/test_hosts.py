"""Proxies and hosts: forwarded headers count from named proxies alone, and no host but those of the settings gets into a link or redirect."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from pathlib import Path

import pytest
from click.testing import CliRunner

from newsdesk.cli.serve import serve_command
from newsdesk.errors import ArgumentError
from newsdesk.service.app import create_app
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import LOOPBACK, ServiceSettings
from tests.service.office import Office, csrf
from tests.service.serving import running

FORGED = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "evil.example",
    "forwarded": "for=203.0.113.9;proto=https;host=evil.example",
}


def sign_in(port: int, token: str, headers: dict[str, str]) -> tuple[int, str]:
    """Status and cookie of a sign-in."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    form = {"content-type": "application/x-www-form-urlencoded", **headers}
    connection.request("POST", "/sign-in", f"token={token}", form)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers.get("set-cookie", "")


@pytest.mark.parametrize(
    ("proxies", "counts"), [((), False), (("192.0.2.7",), False), (("127.0.0.0/8",), True)]
)
def test_forwarded_headers_count_from_named_proxies_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxies: tuple[str, ...], counts: bool
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # uvicorn's own variable is no setting of ours
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    settings = ServiceSettings(tmp_path / "data", proxies=proxies, sign_ins_per_minute=3)
    with running(settings) as (port, app):
        status, cookie = sign_in(port, app.state.desk.access.admin_link().token, FORGED)
        assert status == 303 and ("Secure" in cookie) is counts
        # Guesses from ever new addresses are those of one caller, unless a proxy says otherwise.
        codes = [
            sign_in(port, "guess", {**FORGED, "x-forwarded-for": f"203.0.113.{n}"})[0]
            for n in range(5)
        ]
        assert codes == ([403] * 5 if counts else [403] * 3 + [429] * 2)


def test_links_and_redirects_name_an_allowed_host_or_none(tmp_path: Path) -> None:
    settings = ServiceSettings(tmp_path / "data", hosts=(*LOOPBACK, "desk.example.org"))
    with Office.opened(create_app(settings)) as office:
        office.campaign("pilot", "grade")
        admin, program = office.admin(), office.program("read")
        cookie = {"cookie": f"{COOKIE}={admin.cookies[COOKIE]}"}
        token = csrf(admin)
        for host, allowed in (
            ("desk.example.org", True), ("DESK.example.org:8443", True), ("localhost:1", True), ("[::1]:8000", True),
            ("evil.example", False), ("desk.example.org.evil.example", False), ("desk.example.org@evil.example", False),
            ("evil.example:80@localhost", False), ("localhost:99999999", False), ("localhost:80:80", False), ("[::1", False),
        ):  # fmt: skip
            headers = {**cookie, "host": host, **FORGED}
            fields = {"csrf": token, "whom": "all"}
            links = admin.post("/campaigns/pilot/invite", data=fields, headers=headers)
            slash = admin.get("/access/", headers=headers)
            root = program.get("/$discovery/rest", headers={"host": host})
            assert links.status_code == root.status_code == (200 if allowed else 400), host
            assert slash.status_code == (307 if allowed else 400)
            for answer in (links, slash, root):
                text = answer.text + answer.headers.get("location", "")
                bases = set(re.findall(r'https?://[^/"<]+(?=/(?:join|access|"))', text))
                assert bases <= ({f"http://{host}"} if allowed else set()), (host, bases)
        assert admin.get("/health", headers={"host": "10.1.2.3"}).status_code == 200


def test_the_address_of_the_connection_itself_is_a_host(tmp_path: Path) -> None:
    with running(ServiceSettings(tmp_path / "data", hosts=("desk.example.org",))) as (port, _):
        for host, status in (("127.0.0.1", 200), ("127.0.0.2", 400), ("desk.example.org", 200)):
            connection = HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/sign-in", headers={"host": f"{host}:{port}"})
            assert connection.getresponse().status == status
            connection.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hosts", "https://desk.example.org"),
        ("hosts", "desk.example.org:80"),
        ("hosts", "*"),
        ("proxies", "proxy.example.org"),
        ("proxies", "*"),
    ],
)
def test_a_host_or_proxy_that_is_none_is_refused_at_the_start(
    tmp_path: Path, field: str, value: str
) -> None:
    with pytest.raises(ArgumentError, match="is not"):
        ServiceSettings(tmp_path, **{field: (value,)})  # type: ignore[arg-type]
    option = "--allowed-host" if field == "hosts" else "--proxy"
    result = CliRunner().invoke(serve_command, ["--data", str(tmp_path / "data"), option, value])
    assert isinstance(result.exception, ArgumentError) and not (tmp_path / "data").exists()


def test_settings_reach_the_processes_of_the_server(tmp_path: Path) -> None:
    settings = ServiceSettings(tmp_path, hosts=("a.example",), proxies=("192.0.2.0/24",))
    assert ServiceSettings.from_json(settings.as_json()) == settings
