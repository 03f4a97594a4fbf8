"""Validation of settings: an unusable value raises an error of one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from newsdesk.errors import ArgumentError


def one_of(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raise an error if a setting is not one of the allowed values."""
    if value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ArgumentError(f"{name} is {value!r}, not one of {options}")


def at_least(name: str, value: float, least: float) -> None:
    """Raise an error if a number is below the minimum."""
    if value < least:
        raise ArgumentError(f"{name} is {value}, not at least {least}")


def above_zero(name: str, value: float | None) -> None:
    """Raise an error if a number is set and not above zero."""
    if value is not None and not value > 0:
        raise ArgumentError(f"{name} is {value}, not above zero")
