"""Filler for the gaming test, one file per language. It is for measuring only: a model that trains on filler needs sentences of its own."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources


@functools.cache
def sections(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lines of each `[section]` of a file, without comments and empty lines."""
    found: dict[str, list[str]] = {}
    for line in resources.files(__name__).joinpath(name).read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return {section: tuple(lines) for section, lines in found.items()}
