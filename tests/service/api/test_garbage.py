"""Requests that nobody meant: every answer is documented, none is a 500, and none hangs. Long runs are in `bench.service_api`."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings, strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from newsdesk.service.app import ROUTERS
from tests.service.office import Office

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def routes() -> Iterator[tuple[str, str]]:
    for module in ROUTERS:
        for route in importlib.import_module(module).router.routes:
            if isinstance(route, APIRoute) and route.path.startswith(("/api/", "/v1alpha1/")):
                yield from ((method, route.path) for method in sorted(route.methods))


ROUTES = sorted(routes())


def test_the_document_describes_every_route_and_every_reference_leads_somewhere(
    reader: TestClient,
) -> None:
    document = reader.get("/openapi.json").json()
    described = {
        (method.upper(), path) for path, each in document["paths"].items() for method in each
    }
    assert described == set(ROUTES)
    text = json.dumps(document)
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', text)):
        assert name in document["components"]["schemas"], name
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert {"401", "403", "429", "503"} <= operation["responses"].keys(), path
            assert operation["summary"] and operation["description"]


def make_up_requests(
    api: Office, client: TestClient, method: str, path: str, examples: int
) -> None:
    """Send requests that the document allows and check each answer against it."""
    schema = schemathesis.openapi.from_dict(api.app.openapi())
    headers = dict(client.headers)

    @given(case=schema[path][method].as_strategy())
    @settings(
        max_examples=examples, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def run(case: Any) -> None:
        sent = case.as_transport_kwargs(base_url="http://testserver")
        answer = client.request(
            sent["method"],
            sent["url"],
            params=sent.get("params"),
            headers={**dict(sent.get("headers") or {}), **headers},
            json=sent.get("json"),
            content=sent.get("data"),
        )
        response = schemathesis.Response.from_any(answer)
        case.validate_response(response, checks=CHECKS, headers=headers)

    run()


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda value: str(value))
def test_answers_to_made_up_requests_are_as_the_document_says(
    api: Office, admin: TestClient, method: str, path: str
) -> None:
    make_up_requests(api, admin, method, path, examples=6)


def test_an_answer_that_is_not_documented_is_noticed(api: Office, admin: TestClient) -> None:
    document = api.app.openapi()
    hidden = document["paths"]["/api/v1/campaigns/{campaign}"]["get"]["responses"].pop("404")
    try:
        with pytest.raises(FailureGroup, match="404"):
            make_up_requests(api, admin, "GET", "/api/v1/campaigns/{campaign}", examples=3)
    finally:
        document["paths"]["/api/v1/campaigns/{campaign}"]["get"]["responses"]["404"] = hidden


_TEXT = st.text(max_size=30)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_BODIES = st.binary(max_size=60) | _JSON.map(lambda value: json.dumps(value).encode())


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda value: str(value))
def test_garbage_neither_crashes_nor_hangs(
    admin: TestClient, api: Office, method: str, path: str
) -> None:
    @given(
        body=_BODIES,
        value=_TEXT.filter(lambda text: text not in ("", ".", "..")),
        query=st.dictionaries(_TEXT, _TEXT, max_size=2),
        key=st.none() | st.binary(max_size=20),
    )
    @settings(
        max_examples=15, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def run(body: bytes, value: str, query: dict[str, str], key: bytes | None) -> None:
        from urllib.parse import quote

        where = re.sub(r"\{[^}]*\}", lambda _: quote(value, safe=""), path)
        headers: dict[str, Any] = {"content-type": "application/json"}
        if key is not None:
            headers["idempotency-key"] = key.replace(b"\r", b"").replace(b"\n", b"").strip() or b"k"
        answer = admin.request(method, where, params=query, content=body, headers=headers)
        assert answer.status_code < 500, (answer.status_code, answer.text)
        if answer.status_code >= 400:
            assert {"code", "message"} <= answer.json()["error"].keys()

    run()
