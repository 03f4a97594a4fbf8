"""Checks of settings: a value that a method cannot work with is refused in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from newsdesk.errors import ArgumentError


def one_of(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Refuse a setting that is not one of those there are."""
    if value not in allowed:
        options = ", ".join(repr(each) for each in allowed)
        raise ArgumentError(f"{name} is {value!r}, not one of {options}")


def at_least(name: str, value: float, least: float) -> None:
    """Refuse a number below the least that makes sense."""
    if value < least:
        raise ArgumentError(f"{name} is {value}, not at least {least}")
