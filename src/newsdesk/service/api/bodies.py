"""Read and document request bodies: strict JSON, checked against a shape, with limits on lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import DataError
from newsdesk.records.schema import parse_json
from newsdesk.service.api.campaign_shapes import (
    AnalyzeRequest,
    AttributeRequest,
    CampaignRequest,
    JudgmentsRequest,
)
from newsdesk.service.api.shapes import (
    CurveRequest,
    ExplainRequest,
    LengthsRequest,
    RankRequest,
    ScoreRequest,
    SuggestRequest,
    SummarizeRequest,
    Table5Request,
)
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.types import Cluster, References, Thread

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
    """Return the `openapi_extra` of a route that reads JSON of this shape; `once`: with a key."""
    content = {"application/json": {"schema": {"$ref": _REFERENCE.format(model=shape.__name__)}}}
    body = {"requestBody": {"required": True, "content": content}}
    return {**body, "parameters": [_IDEMPOTENCY]} if once else body


def takes_nothing() -> dict[str, Any]:
    """Return the `openapi_extra` of a post without a body, with an `Idempotency-Key`."""
    return {"parameters": [_IDEMPOTENCY]}


def takes_bytes(*kinds: str) -> dict[str, Any]:
    """Return the `openapi_extra` of a route whose body is a file of one of these media types."""
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


S = TypeVar("S", bound=BaseModel)


async def read_body(request: Request, shape: type[S]) -> S:
    """Return the body of a request as a shape.

    What is not JSON or does not fit is refused with the place of the fault.
    """
    check_media_type(request)
    raw = await request.body()
    most = desk_of(request).settings.max_items
    return await run_in_threadpool(decode, raw, shape, most)


def check_media_type(request: Request) -> None:
    """Refuse a body that does not say it is JSON: forms of other sites can send any other type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise Problem(415, "media-type", "send JSON with the header Content-Type: application/json")


def decode(raw: bytes, shape: type[S], most: int) -> S:
    """Parse strict JSON into a shape whose lists hold at most so many items."""
    try:
        value = parse_json(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise invalid("the body is not UTF-8") from error
    except DataError as error:
        raise invalid(error.reason) from error
    if not isinstance(value, dict):
        raise invalid("the body is not a JSON object")
    try:
        body = shape.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        located = [{**fault, "loc": ("body", *fault["loc"])} for fault in faults]
        raise RequestValidationError(located) from error
    check_length(body, most)
    return body


def invalid(reason: str, *at: str | int) -> RequestValidationError:
    """Return the error of a body that does not fit."""
    return RequestValidationError([{"type": "record", "loc": ("body", *at), "msg": reason}])


def check_length(body: BaseModel, most: int) -> None:
    """Refuse lists of more than so many items; the comments of threads and the articles of clusters count."""
    for name in type(body).model_fields:
        value = getattr(body, name)
        if isinstance(value, list) and (count := _count(value)) > most:
            raise Problem(
                413, "too-large", f"`{name}` holds {count:,} items; send at most {most:,} at once"
            )


def _count(values: Iterable[Any]) -> int:
    return sum(_size(value) for value in values)


def _size(value: Any) -> int:
    match value:
        case Thread():
            return max(1, len(value.comments))
        case Cluster():
            return max(1, len(value.articles))
        case References():
            return max(1, len(value.references))
        case _:
            return 1
