"""The steps of a long fit, a line each on stderr where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click


def terminal_lines() -> Callable[[str], None] | None:
    """A function that prints a line on stderr; None where nobody looks."""
    if not sys.stderr.isatty():
        return None
    return lambda line: click.echo(line, err=True)
