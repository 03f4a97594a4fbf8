"""Files that come with the package: tables and word lists, read once, in the folder `data` of the part that needs them.

A table has one entry a line; empty lines and lines that begin with `#` are skipped, and `[name]` begins a section where a file has some.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path


def path(part: str, *names: str) -> Path:
    """Return where a file or folder of a part lies: `path("summarizers", "data", "rewriter")`."""
    return Path(str(resources.files(f"newsdesk.{part}").joinpath(*names)))


@functools.cache
def table(part: str, name: str) -> tuple[str, ...]:
    """Return the entries of a file without sections.

    >>> table("summarizers", "stop_words_en.txt")[:2]
    ('a', 'about')
    """
    lines = path(part, "data", name).read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@functools.cache
def sections(part: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the entries of each section of a file."""
    entries: dict[str, list[str]] = {}
    for line in table(part, name):
        if line.startswith("["):
            section = entries.setdefault(line.strip("[]"), [])
        else:
            section.append(line)
    return {name: tuple(lines) for name, lines in entries.items()}
