"""Progress of a long fit: one value for each step, passed to a callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a long fit: a line about it and, where the number of steps is known, how many of them are done."""

    text: str
    done: int | None = None
    total: int | None = None


# Called with each step of a long fit.
Progress = Callable[[Step], None]


def silent(step: Step) -> None:
    """The progress callback that does nothing."""
