"""JSON: values written on one line with letters as they are, as JSONL files hold them and `--json` prints them, and values read.

`records.schema` reads records strictly; `json_value` is for everything else.
"""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any) -> str:
    """Return a value as JSON on one line; NaN and infinity, which no JSON reader takes, are an error."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def json_line(value: Any) -> bytes:
    """Return a value as one line of a JSONL file."""
    return json_text(value).encode("utf-8") + b"\n"


_DEEPEST = 200


def json_value(text: str | bytes, *, strict: bool = True) -> Any:
    """Read a JSON value; ValueError if it is broken or nested more than 200 deep.

    What comes back can be walked by recursive functions. Not `strict` takes control characters in strings.
    """
    too_deep = f"nested more than {_DEEPEST} deep"
    try:
        value = json.loads(text, strict=strict)
    except RecursionError as error:
        raise ValueError(too_deep) from error
    brackets = (
        text.count(b"[") + text.count(b"{")
        if isinstance(text, bytes)
        else text.count("[") + text.count("{")
    )
    if brackets > _DEEPEST:
        level = [value]
        for _ in range(_DEEPEST + 1):
            level = [inner for outer in level for inner in _inner(outer)]
        if level:
            raise ValueError(too_deep)
    return value


def _inner(value: Any) -> list[Any]:
    """Return the values directly inside a list or an object."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
