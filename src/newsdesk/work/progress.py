"""Progress of long work: one value and one type of callback for every part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work has come.

    A line about its present step and, where the size is known, how much is done.
    """

    step: str
    done: float | None = None
    total: float | None = None

    @property
    def fraction(self) -> float | None:
        """The share that is done, from 0 to 1; None where the size is unknown."""
        return min(1.0, self.done / self.total) if self.total and self.done is not None else None


# Called with every step of long work.
OnProgress = Callable[[Progress], None]
# Called with the name of every finished step.
Finished = Callable[[str], None]


def silent(progress: Progress) -> None:
    """Ignore progress."""


def counting(report: OnProgress, total: int | None = None) -> Finished:
    """Return a function that counts its calls, each with the name of a finished step, and reports them."""
    done = 0

    def finished(step: str) -> None:
        nonlocal done
        done += 1
        report(Progress(step, done, total))

    return finished


def named(report: OnProgress, name: str) -> OnProgress:
    """Return a callback that reports steps under a name, as in `ranknet: loss 0.6931`."""
    return lambda progress: report(replace(progress, step=f"{name}: {progress.step}"))
