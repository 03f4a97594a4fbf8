"""Tables that the extractor reads: class names and lines that sound like boilerplate, and what dates are called."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import resources


@functools.cache
def groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """The groups of a table, each under its `[name]`: lines without comments and empty lines."""
    text = resources.files(__name__).joinpath(name).read_text("utf-8")
    parts = re.split(r"^\[([\w-]+)\]$", text, flags=re.MULTILINE)[1:]
    lines = (
        tuple(line for line in body.splitlines() if line and not line.startswith("#"))
        for body in parts[1::2]
    )
    return dict(zip(parts[::2], lines, strict=True))
