"""Tables that the summarizers read: English stop words, and the paper's results to print beside ours."""

from __future__ import annotations

import functools
from importlib import resources


@functools.cache
def table(name: str) -> tuple[str, ...]:
    """The lines of a table, without comments and empty lines."""
    text = resources.files(__name__).joinpath(name).read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
