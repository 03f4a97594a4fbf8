"""Strict conversion between JSON objects and the values of `types`, by field annotations.

A schema is derived once per type. It refuses an unknown key, a missing one and a wrong type with the path of the fault
(`articles[2].title`); `null` is the same as leaving an optional key out, and what is left out is not written.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import difflib
import functools
import json
import math
import re
import tomllib
import types as python_types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Cluster, Output, Reference

Json = Any
T = TypeVar("T")
Convert = Callable[[Json, str], Any]


def parse_line(text: str) -> dict[str, Json]:
    """Return one strict JSON object: no key twice, no NaN or Infinity, no lone surrogate."""
    if not text.strip():
        raise DataError("the line is empty; a record is one JSON object")
    value = parse_json(text)
    if not isinstance(value, dict):
        raise DataError(f"{_kind(value)} is not a record; a record is one JSON object")
    return value


def parse_json(text: str) -> Json:
    """Parse any JSON value strictly: no key twice, no NaN or Infinity, no lone surrogate."""
    try:
        value = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise DataError(f"not JSON: {error.msg.lower()} at {where}column {error.colno}") from error
    except UnicodeEncodeError as error:
        raise DataError("a lone surrogate (half of a character) in a text") from error
    except RecursionError as error:
        raise DataError("not a record: nested too deep") from error
    except ValueError as error:  # Python refuses to read a number of thousands of digits
        raise DataError("not a record: a number of more than 4,000 digits") from error
    return value


def parse_toml(
    text: str, kind: type[T], file: str, prepare: Callable[[dict[str, Json]], Json] = lambda t: t
) -> T:
    """Decode a TOML text strictly as a dataclass; every fault names the file, and the key by its path.

    A date becomes text, as in all our formats. `prepare` rewrites the table where a key may be written in several ways.
    """
    try:
        record: T = schema_of(kind).decode(prepare(_without_dates(toml_table(text))))
    except DataError as error:
        raise error.at(file, None) from None
    except ArgumentError as error:
        raise DataError(str(error), file=file) from error
    return record


MOST_TOML_BYTES = 1 << 20  # forms, plans, claims and settings of a build have a few thousand
# A key of more than a hundred names: the parser's time grows with the square of their number.
_PART_OF_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"""(?<![\w\\"'-]){_PART_OF_KEY}(?:[ \t]*\.[ \t]*{_PART_OF_KEY}){{100}}""")


def toml_table(text: str) -> dict[str, Any]:
    """Parse a TOML text; DataError if it is broken, or larger or deeper than a text that people write."""
    if len(text) > MOST_TOML_BYTES:
        raise DataError(f"{len(text)} characters of TOML; {MOST_TOML_BYTES} are read")
    if _LONG_KEY.search(text):  # Python's parser takes time that grows with the square of its parts
        raise DataError("not TOML of ours: a key of more than 100 names")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}") from error
    except RecursionError as error:
        raise DataError("not TOML of ours: nested too deep") from error


def _without_dates(value: Any) -> Json:
    if isinstance(value, dict):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dates(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"the key `{twice}` stands twice in one object")
    return record


def _no_constant(name: str) -> Json:
    raise DataError(f"{name} is not a number that JSON knows")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


class Schema:
    """The JSON form of one dataclass: decodes, encodes and reads CSV cells."""

    def __init__(self, kind: type[Any]) -> None:
        self.kind = kind
        hints, fields = typing.get_type_hints(kind), dataclasses.fields(kind)
        self.fields = {field.name: _converter(hints[field.name]) for field in fields}
        missing = dataclasses.MISSING
        optional = [f for f in fields if (f.default, f.default_factory) != (missing, missing)]
        self._defaults = {field.name: field.default for field in optional}
        self.required = [name for name in self.fields if name not in self._defaults]
        self._open = getattr(kind, "OPEN", False)  # other keys are left alone, not refused
        self._nullable = {
            name for name in self.required if type(None) in typing.get_args(hints[name])
        }

    def decode(self, value: Json, path: str = "") -> Any:
        """Return the record that a JSON object holds."""
        if not isinstance(value, Mapping):
            raise DataError(f"{_named(path)} is {_kind(value)}, not an object")
        fields: dict[str, Any] = {}
        for key, content in value.items():
            convert = self.fields.get(key)
            if convert is None:
                if self._open:
                    continue
                raise DataError(self._unknown(key, path))
            if content is not None or (key in self.required and key not in self._nullable):
                fields[key] = convert(content, _join(path, key))
        for key in self.required:
            if key in self._nullable and key in value:
                fields.setdefault(key, None)
            if key not in fields:
                raise DataError(f"{_named(_join(path, key))} is missing")
        try:
            return self.kind(**fields)
        except DataError as error:
            raise DataError(
                f"in {_named(path)}: {error.reason}" if path else error.reason
            ) from None

    def encode(self, record: Any) -> dict[str, Json]:
        """Return the JSON object of a record, without what stands at its default."""
        encoded: dict[str, Json] = {}
        for name in self.fields:
            value = getattr(record, name)
            if name in self._defaults and value == self._defaults[name]:
                continue
            encoded[name] = _encoded(value)
        return encoded

    def from_text(self, name: str, text: str) -> Json:
        """Return the JSON value that a CSV cell stands for, by the type of its field."""
        convert = self.fields[name]
        if convert is _text or (isinstance(convert, functools.partial) and convert.func is _one_of):
            return text
        if convert in (_truth, _scalar) and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if convert in (_whole, _number, _scalar):
            for number in (int, float):
                with contextlib.suppress(ValueError):
                    return number(text)
        return text

    def _unknown(self, key: str, path: str) -> str:
        close = difflib.get_close_matches(key, self.fields, n=1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        where = f" in {_named(path)}" if path else ""
        return f"unknown key `{key}`{where}{hint}"


class _OutputSchema(Schema):
    """The text may be a list of sentences, which become its lines."""

    def __init__(self, kind: type[Any]) -> None:
        super().__init__(kind)
        self.fields["text"] = _text_or_sentences


class _ReferenceSchema(_OutputSchema):
    """A reference of full weight is written, and any may be read, as its bare text."""

    def decode(self, value: Json, path: str = "") -> Any:
        if isinstance(value, str | list):
            return Reference(_text_or_sentences(value, path))
        return super().decode(value, path)


class _ClusterSchema(Schema):
    """An article without an id gets `{cluster}/{n}`, counted from 1.

    The summary may be a list of sentences.
    """

    def __init__(self, kind: type[Any]) -> None:
        super().__init__(kind)
        self.fields["summary"] = _text_or_sentences

    def decode(self, value: Json, path: str = "") -> Any:
        articles = value.get("articles") if isinstance(value, Mapping) else None
        if isinstance(articles, list):
            named = [
                {**article, "id": f"{value.get('id')}/{n}"}
                if isinstance(article, Mapping) and article.get("id") is None
                else article
                for n, article in enumerate(articles, 1)
            ]
            value = {**value, "articles": named}
        return super().decode(value, path)


_SCHEMAS: dict[type[Any], Schema] = {}


def schema_of(kind: type[Any]) -> Schema:
    """Return the schema of a record type, derived once."""
    if kind not in _SCHEMAS:
        special: dict[type[Any], type[Schema]] = {
            Reference: _ReferenceSchema,
            Output: _OutputSchema,
            Cluster: _ClusterSchema,
        }
        _SCHEMAS[kind] = special.get(kind, Schema)(kind)
    return _SCHEMAS[kind]


def _encoded(value: Any) -> Json:
    if isinstance(value, Reference) and value.weight == 1:
        return value.text
    if dataclasses.is_dataclass(value):
        return schema_of(type(value)).encode(value)
    if isinstance(value, tuple | list):
        return [_encoded(item) for item in value]
    return value


def _converter(hint: Any) -> Convert:
    """Return the function that turns JSON into a field of this annotation."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, python_types.UnionType):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        return _converter(options[0]) if len(options) == 1 else _scalar
    if origin is typing.Literal:
        return functools.partial(_one_of, typing.get_args(hint))
    if origin is tuple:
        return functools.partial(_list_of, _converter(typing.get_args(hint)[0]))
    if origin is Mapping:
        content = typing.get_args(hint)[1]
        return functools.partial(_map_of, _converter(content), type(None) in typing.get_args(content))  # fmt: skip
    if hint is Any:
        return lambda value, path: value
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return lambda value, path: schema_of(hint).decode(value, path)
    return {str: _text, int: _whole, float: _number, bool: _truth}[hint]


def _text(value: Json, path: str) -> str:
    if isinstance(value, str):
        return value
    raise DataError(f"{_named(path)} is {_kind(value)}, not text")


def _text_or_sentences(value: Json, path: str) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(_list_of(_text, value, path))
    return _text(value, path)


def _whole(value: Json, path: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise DataError(f"{_named(path)} is {_kind(value)}, not a whole number")


def _number(value: Json, path: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise DataError(f"{_named(path)} is {_kind(value)}, not a number")
    if isinstance(value, float) and not math.isfinite(value):
        what = "not a number" if math.isnan(value) else "too large for a number"
        raise DataError(f"{_named(path)} is {what}")
    return value


def _truth(value: Json, path: str) -> bool:
    if isinstance(value, bool):
        return value
    raise DataError(f"{_named(path)} is {_kind(value)}, not true or false")


def _scalar(value: Json, path: str) -> str | int | float | bool:
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return _number(value, path)
    raise DataError(f"{_named(path)} is {_kind(value)}, not text, a number, true or false")


def _one_of(allowed: tuple[str, ...], value: Json, path: str) -> str:
    if value in allowed and isinstance(value, str):
        return value
    options = ", ".join(repr(option) for option in allowed)
    raise DataError(f"{_named(path)} is {value!r}, not one of {options}")


def _list_of(convert: Convert, value: Json, path: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise DataError(f"{_named(path)} is {_kind(value)}, not a list")
    return tuple(convert(item, f"{path}[{n}]") for n, item in enumerate(value))


def _map_of(convert: Convert, nullable: bool, value: Json, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{_named(path)} is {_kind(value)}, not an object")
    return {
        key: None if item is None and nullable else convert(item, _join(path, key))
        for key, item in value.items()
    }


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _named(path: str) -> str:
    return f"`{path}`" if path else "the record"


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {value!r}" if len(repr(value)) < 40 else "a number"
        case str():
            return f"the text {value!r}" if len(value) < 40 else "text"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"
