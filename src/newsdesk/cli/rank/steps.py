"""Prints the steps of a long fit on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click


def terminal_lines() -> Callable[[str], None] | None:
    """A function that prints a line on stderr; None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda line: click.echo(line, err=True)
