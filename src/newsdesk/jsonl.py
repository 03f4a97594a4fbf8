"""Values as JSON on one line, with letters as they are: what JSONL files hold and `--json` prints."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any) -> str:
    """Return a value as JSON on one line; NaN and infinity, which no JSON reader takes, are an error."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def json_line(value: Any) -> bytes:
    """Return a value as one line of a JSONL file."""
    return json_text(value).encode("utf-8") + b"\n"
