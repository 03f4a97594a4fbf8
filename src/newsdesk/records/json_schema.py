"""The JSON Schema (draft 2020-12) of each record type, derived from the same annotations as the strict reader.

What only the reader checks (keys of a file that repeat, dates that exist, numbers within bounds) is not in the schema.
"""

from __future__ import annotations

import dataclasses
import types as python_types
import typing
from collections.abc import Mapping
from typing import Any

from newsdesk.records.kinds import KINDS
from newsdesk.records.schema import schema_of
from newsdesk.types import Cluster, Output, Reference

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SENTENCES = {
    "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    "description": "a text, or its sentences, which become its lines",
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one line of a file of these records.

    >>> json_schema("output")["required"]
    ['id', 'system', 'text']
    """
    return {"$schema": _DRAFT, "title": name, **_of_record(KINDS[name])}


def _of_record(kind: type[Any]) -> dict[str, Any]:
    hints, schema = typing.get_type_hints(kind), schema_of(kind)
    properties = {name: _of_hint(hints[name]) for name in schema.fields}
    if kind in (Output, Reference):
        properties["text"] = _SENTENCES
    if kind is Cluster:
        properties["summary"] = _SENTENCES
        properties["articles"]["items"] = _without_id(properties["articles"]["items"])
    return {
        "type": "object",
        "properties": {name: _nullable(part, name in schema.required) for name, part in properties.items()},
        "required": schema.required,
        "additionalProperties": False,
    }  # fmt: skip


def _without_id(article: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an article in a cluster, which is numbered where it has no id."""
    return {**article, "required": [key for key in article["required"] if key != "id"]}


def _nullable(part: dict[str, Any], required: bool) -> dict[str, Any]:
    """Let an optional key be null, which is the same as leaving it out."""
    if required or not part:
        return part
    if part.keys() == {"type"}:
        return {"type": [part["type"], "null"]}
    return {"anyOf": [part, {"type": "null"}]}


def _of_hint(hint: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, python_types.UnionType):
        options = [_of_hint(option) for option in arguments if option is not type(None)]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _of_hint(arguments[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _of_hint(arguments[1])}
    if hint is Any:
        return {}
    if hint is Reference:
        return {"anyOf": [*_SENTENCES["oneOf"], _of_record(Reference)]}
    if dataclasses.is_dataclass(hint):
        return _of_record(typing.cast("type[Any]", hint))
    return {"type": _PLAIN[hint]}
