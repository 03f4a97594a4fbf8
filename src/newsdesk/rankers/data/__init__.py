"""Lines of text by section, one file per language.

`filler` is for the gaming test and for measuring only; `padding` is what the newsdesk ranker learns from, written apart from it; `words` are its phrases, `care` words
typed in haste.
"""

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
