"""Accounts of a step: how many units it read, how many it kept, and why it dropped each of the others.

Every step of the corpus part returns a `StepTally`, and a tally whose counts do not add up cannot be constructed. Counts that are
not losses (leaves without a source, texts found by the fallback) are notes beside the account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from newsdesk.errors import ArgumentError, DataError


@dataclass(frozen=True, slots=True)
class StepTally:
    """What one step read, kept and dropped by reason; `notes` are counts that are not losses.

    >>> StepTally("events", 3, 2, {"empty": 1}) + StepTally("events", 1, 1, {})
    StepTally(step='events', read=4, kept=3, dropped={'empty': 1}, notes={})
    """

    step: str
    read: int
    kept: int
    dropped: Mapping[str, int]
    notes: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lost = sum(self.dropped.values())
        if self.read != self.kept + lost:
            raise DataError(
                f"the counts of step {self.step!r} do not add up: read {self.read}, kept {self.kept}, dropped {lost}"
            )
        if min((self.kept, *self.dropped.values(), *self.notes.values())) < 0:
            raise DataError(f"a count of step {self.step!r} is below zero")

    def __add__(self, other: StepTally) -> StepTally:
        """Return the accounts of two parts of one step together."""
        if not isinstance(other, StepTally):
            return NotImplemented
        if other.step != self.step:
            raise ArgumentError(
                f"a tally of step {self.step!r} cannot be added to one of step {other.step!r}"
            )
        return StepTally(
            self.step,
            self.read + other.read,
            self.kept + other.kept,
            _sum(self.dropped, other.dropped),
            _sum(self.notes, other.notes),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a report; reasons are sorted, so that equal tallies are equal bytes."""
        return {
            "step": self.step,
            "read": self.read,
            "kept": self.kept,
            "dropped": dict(sorted(self.dropped.items())),
            "notes": dict(sorted(self.notes.items())),
        }


class Accounts:
    """Builds a tally while a step runs: every unit read is either kept or dropped.

    >>> accounts = Accounts("events")
    >>> accounts.keep(2)
    >>> accounts.drop("empty")
    >>> accounts.tally().read
    3
    """

    def __init__(self, step: str) -> None:
        self.step = step
        self._kept = 0
        self._dropped: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()

    def keep(self, n: int = 1) -> None:
        """Count units that go on to the next step."""
        self._kept += n

    def drop(self, reason: str, n: int = 1) -> None:
        """Count units that are lost, with the reason."""
        self._dropped[reason] += n

    def note(self, what: str, n: int = 1) -> None:
        """Count what is worth knowing and is not a loss."""
        self._notes[what] += n

    def tally(self) -> StepTally:
        """Return the accounts so far, sorted by name; reasons counted zero times are left out."""
        dropped, notes = (
            {name: n for name, n in sorted(counts.items()) if n}
            for counts in (self._dropped, self._notes)
        )
        return StepTally(self.step, self._kept + sum(dropped.values()), self._kept, dropped, notes)


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in sorted({*left, *right})}
