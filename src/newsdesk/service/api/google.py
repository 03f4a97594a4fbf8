"""Errors in the form of Google's APIs, which clients of comments:analyze expect: `{"error": {"code", "message", "status", "details"}}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PREFIX = "/v1alpha1/"

_TYPE = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def google_body(
    status: int, message: str, details: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """An error in the JSON shape of Google's APIs."""
    body = {"code": status, "message": message, "status": _STATUS.get(status, "INVALID_ARGUMENT")}
    return {"error": body if details is None else {**body, "details": list(details)}}


def detail(kind: str, **fields: Any) -> dict[str, Any]:
    """The detail of an error of the comment analyzer, such as COMMENT_EMPTY."""
    return {"@type": _TYPE, "errorType": kind, **fields}
