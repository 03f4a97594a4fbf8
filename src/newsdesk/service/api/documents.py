"""The OpenAPI document: what FastAPI derives from the routes, with the shapes of bodies that routes read themselves, and with the ways to send a key."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from newsdesk.service.api.shapes.campaigns import (
    AttributeRequest,
    CampaignRequest,
    JudgmentsRequest,
)
from newsdesk.service.api.shapes.perspective import AnalyzeRequest
from newsdesk.service.api.shapes.rankings import ExplainRequest, RankRequest
from newsdesk.service.api.shapes.scores import ScoreRequest
from newsdesk.service.api.shapes.studies import CurveRequest, LengthsRequest, Table5Request
from newsdesk.service.api.shapes.suggestions import SuggestRequest
from newsdesk.service.api.shapes.summaries import SummarizeRequest

_REFERENCE = "#/components/schemas/{model}"
_BODIES: tuple[type[BaseModel], ...] = (
    AnalyzeRequest, AttributeRequest, CampaignRequest, CurveRequest, ExplainRequest, JudgmentsRequest, LengthsRequest,
    RankRequest, ScoreRequest, SuggestRequest, SummarizeRequest, Table5Request,
)  # fmt: skip
_RECORDS = (
    "Article", "Cluster", "ClusterArticle", "Comment", "ControlQuestion", "Judgment", "Output", "References",
    "Thread",
)  # fmt: skip
_SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
}
_IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Any text of up to 200 visible ASCII characters. The same request under the same key is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}


def takes(shape: type[BaseModel], *, once: bool = True) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads a JSON body of this shape and, with `once`, an `Idempotency-Key`."""
    content = {"application/json": {"schema": {"$ref": _REFERENCE.format(model=shape.__name__)}}}
    body = {"requestBody": {"required": True, "content": content}}
    return {**body, "parameters": [_IDEMPOTENCY]} if once else body


def takes_nothing() -> dict[str, Any]:
    """The `openapi_extra` of a post without a body, with an `Idempotency-Key`."""
    return {"parameters": [_IDEMPOTENCY]}


def takes_bytes(*kinds: str) -> dict[str, Any]:
    """The `openapi_extra` of a route whose body is a file of one of these media types, with an `Idempotency-Key`."""
    file = {"schema": {"type": "string", "format": "binary"}}
    body = {"required": True, "content": dict.fromkeys(kinds, file)}
    return {"requestBody": body, "parameters": [_IDEMPOTENCY]}


def document(app: FastAPI) -> dict[str, Any]:
    """Build the OpenAPI document once and keep it."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    built = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes
    )
    components = built.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    _, defined = models_json_schema(
        [(shape, "validation") for shape in _BODIES], ref_template=_REFERENCE
    )
    schemas.update(defined.get("$defs", {}))
    for name in _RECORDS:
        if name in schemas:
            schemas[name]["additionalProperties"] = False
    if "References" in schemas:
        items = schemas["References"]["properties"]["references"]
        items["items"] = {"anyOf": [{"type": "string"}, items["items"]]}
    components["securitySchemes"] = {name: _SECURITY[name] for name in ("bearer", "header")}
    built["security"] = [{"bearer": []}, {"header": []}]
    for path, operations in built["paths"].items():
        if path.startswith("/v1alpha1/"):
            components["securitySchemes"]["query"] = _SECURITY["query"]
            for operation in operations.values():
                operation["security"] = [{"query": []}, {"bearer": []}, {"header": []}]
    app.openapi_schema = built
    return built
