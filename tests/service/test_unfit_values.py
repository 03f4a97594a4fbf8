"""Every route × every parameter with values that a database or a parser cannot take: no 5xx on SQLite or PostgreSQL, and no traceback."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from newsdesk.campaigns.store import Store
from newsdesk.errors import ArgumentError
from newsdesk.service.app import ROUTERS, create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import Office, csrf

NUL = "a\0b"
VALUES = (NUL, "\0", "9" * 30, "-1", "é\u202e", "")
# Work in a worker process takes long and sees no store: the values of its body are tried where a shape is shared.
SLOW = {"/sample", "/api/v1/studies/lengths", "/api/v1/studies/curve", "/api/v1/studies/table5"}
# Fields of forms that routes read by hand.
FORMS = {
    "/campaigns/new": ("name", "protocol", "annotators", "per_item", "seed", "sample", "threads"),
    "/campaigns/{campaign}/import": ("prefer",),
    "/annotate/{campaign}/tasks/{number}": ("A.grade", "opened_at", "away"),
}
BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/campaigns": {
        "name": "new", "protocol": "grade", "annotators": ["ann"], "per_item": 1, "seed": 1, "questions": ["q"],
        "threads": [{"article": {"id": "a", "text": "t", "title": "t"}, "comments": [{"id": "c", "text": "x"}]}],
    },
    "/api/v1/judgments": {
        "judgments": [{"campaign": "pilot", "task": "c0", "item": "a0", "target": "c0", "question": "grade", "value": 3, "annotator": "ann"}]
    },
    "/v1alpha1/attributes/{name}": {"model": "ready", "inverted": False},
    "/api/v1/score": {"outputs": [{"id": "1", "system": "s", "text": "t"}], "references": [{"id": "1", "references": ["t"]}], "metrics": ["rouge1"]},
    "/api/v1/rank": {"model": "ready", "threads": []},
    "/api/v1/explain": {"model": "ready", "threads": []},
    "/api/v1/suggest": {"model": "none", "articles": []},
    "/api/v1/summarize": {"method": "centroid", "clusters": [], "model": "m"},
    "/v1alpha1/comments:analyze": {"comment": {"text": "x"}, "requestedAttributes": {"CONSTRUCTIVE": {}}, "languages": ["en"], "sessionId": "s", "communityId": "c"},
}  # fmt: skip


def routes() -> Iterator[APIRoute]:
    for module in ROUTERS:
        for route in importlib.import_module(module).router.routes:
            assert isinstance(route, APIRoute)
            yield route


def names(dependant: Dependant, kind: str) -> set[str]:
    """The parameters of a kind that a route and what it depends on take."""
    own = {field.alias for field in getattr(dependant, f"{kind}_params")}
    return own.union(*(names(one, kind) for one in dependant.dependencies))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    inside = [leaf for key, one in pairs for leaf in leaves(one, (*path, key))]
    yield from inside or [path]


def replaced(value: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    changed = copy.deepcopy(value)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = leaf
    return changed


def filled(path: str, values: dict[str, str]) -> str:
    """A path with values that exist, and those given in place of them."""
    present = {"campaign": "pilot", "number": "0", "name": "NEW", "kind": "judgments", "file": "judgments.jsonl", "annotator": "ann", "token": "t"}  # fmt: skip
    for name, value in {**present, **values}.items():
        path = path.replace(f"{{{name}}}", quote(value, safe="")).replace(f"{{{name}:path}}", quote(value, safe=""))  # fmt: skip
    return path


def requests(route: APIRoute) -> Iterator[dict[str, Any]]:
    """One request for each parameter of a route and each value, the others as they should be."""
    queries = dict.fromkeys(names(route.dependant, "query"), "pilot")
    forms = dict.fromkeys((*names(route.dependant, "body"), *FORMS.get(route.path, ())), "ann")
    for value in VALUES:
        for name in names(route.dependant, "path"):
            if value:
                yield {"url": filled(route.path, {name: value}), "params": queries, "data": forms}
        for name in queries:
            yield {"url": filled(route.path, {}), "params": {**queries, name: value}, "data": forms}
        for name in forms:
            data = {**forms, name: value}
            yield {"url": filled(route.path, {}), "params": queries, "data": data}
            if value == NUL:  # the same as a form with files
                yield {"url": filled(route.path, {}), "params": queries, "data": data, "files": {"files": ("a\0b.xlsx", b"\0")}}  # fmt: skip
    for path in leaves(BODIES[route.path]) if route.path in BODIES else ():
        for leaf in (NUL, 10**30, -(2**31), ""):
            body = replaced(BODIES[route.path], path, leaf)
            yield {"url": filled(route.path, {}), "params": queries, "json": body}


@pytest.fixture(params=["sqlite", "postgresql"])
def office_on(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Office]:
    url = None if request.param == "sqlite" else request.getfixturevalue("empty_postgresql")
    settings = ServiceSettings(
        tmp_path / "data", store=url, requests_per_minute=10**9, sign_ins_per_minute=10**9
    )
    with Office.opened(create_app(settings)) as office:
        office.campaign("pilot", "grade", None)
        office.desk.store.join("pilot", "ann")
        yield office


def test_no_value_of_any_parameter_is_a_5xx(office_on: Office) -> None:
    admin, ann, program = office_on.admin(), office_on.annotator("pilot", "ann"), office_on.program("admin")  # fmt: skip
    for client in (admin, ann):
        client.headers["x-csrf-token"] = csrf(client)
    tried = 0
    for route in routes():
        if route.path in SLOW:
            continue
        clients: list[TestClient] = [admin, ann]
        if route.path.startswith(("/api/", "/v1alpha1/")):
            clients = [program]
        for sent in requests(route):
            for method in sorted(route.methods):
                for client in clients:
                    if route.path.startswith("/sign-out"):
                        continue  # it would end the session; its parameters are the cookie alone
                    answer = client.request(method, **sent)
                    tried += 1
                    assert answer.status_code < 500, (method, route.path, sent, answer.text[:300])
    assert tried > 500


def test_a_nul_in_a_name_is_refused_with_a_sentence_on_both_stores(office_on: Office) -> None:
    program = office_on.program("admin")
    body = {"judgments": [{**BODIES["/api/v1/judgments"]["judgments"][0], "annotator": NUL}]}
    answer = program.post("/api/v1/judgments", json=body)
    assert answer.status_code in (400, 404, 422)
    assert office_on.desk.store.status("pilot").judgments == 0
    with pytest.raises(ArgumentError, match="NUL character, which a store cannot keep"):
        office_on.desk.access.invited(NUL)
    with pytest.raises(ArgumentError, match="more than 64 bits"):
        office_on.desk.access.revoke_key(2**70)


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_json_and_toml_are_refused_and_no_bug(shared_office: Office, depth: int) -> None:
    admin, program = shared_office.admin(), shared_office.program("admin")
    token = csrf(admin)
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    for route in routes():
        if route.path.startswith(("/api/", "/v1alpha1/")) and "POST" in route.methods:
            answer = program.post(
                filled(route.path, {}),
                content=deep,
                headers={"content-type": "application/json", "idempotency-key": route.path},
                params={"file": "x.jsonl"},
            )
            assert answer.status_code < 500, (route.path, answer.text[:200])
    for text in ("a = " + "[" * depth + "]" * depth, "a." * depth + "b = 1", "[" + "a." * depth + "b]"):  # fmt: skip
        upload = {"plan": ("plan.toml", text.encode())}
        answer = admin.post("/campaigns/new", data={"csrf": token}, files=upload)
        assert answer.status_code == 400, answer.text[:300]
        upload = {"own-form": ("form.toml", text.encode())}
        fields = {"csrf": token, "name": "x", "annotators": "ann"}
        assert admin.post("/campaigns/new", data=fields, files=upload).status_code == 400


@pytest.mark.parametrize("charset", ["punycode", "undefined", "unicode_escape", "utf-7", "idna"])
def test_a_form_in_an_odd_encoding_is_refused(shared_office: Office, charset: str) -> None:
    body = b'--x\r\ncontent-disposition: form-data; name="token"\r\n\r\n\\ud800\xff\r\n--x--\r\n'
    answer = shared_office.stranger().post(
        "/sign-in",
        content=body,
        headers={"content-type": f"multipart/form-data; boundary=x; charset={charset}"},
    )
    assert answer.status_code == 415


def test_a_lone_surrogate_reaches_no_store(office_on: Office) -> None:
    program = office_on.program("admin")
    body = json.dumps(BODIES["/api/v1/judgments"]).replace('"ann"', '"\\ud800"')
    headers = {"content-type": "application/json"}
    assert program.post("/api/v1/judgments", content=body, headers=headers).status_code == 422
    store: Store = office_on.desk.store
    with pytest.raises(ArgumentError, match="surrogate"):
        store.status("\ud800")
