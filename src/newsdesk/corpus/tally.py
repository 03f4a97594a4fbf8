"""Accounts of a step: how many units it read, how many it kept, and why it dropped each of the others.

Every step of the corpus part returns a `StepTally`, and a tally whose counts do not add up cannot be constructed. Counts that are
not losses (leaves without a source, texts found by the fallback) are notes beside the account. On a page the steps are a funnel of losses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from newsdesk.errors import ArgumentError, DataError
from newsdesk.results.page import Cell, Section


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
            read=self.read + other.read,
            kept=self.kept + other.kept,
            dropped=_sum(self.dropped, other.dropped),
            notes=_sum(self.notes, other.notes),
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
            {name: count for name, count in sorted(counts.items()) if count}
            for counts in (self._dropped, self._notes)
        )
        return StepTally(self.step, self._kept + sum(dropped.values()), self._kept, dropped, notes)


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in sorted({*left, *right})}


def by_count(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with the greatest first, and equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the funnel: what it counts, in what it turns them, and its accounts."""

    unit: str
    into: str
    tally: StepTally


def funnel_section(stages: Sequence[Stage]) -> Section:
    """Return what each step read and kept, as bars and as a table."""
    section = Section(
        "The funnel of losses",
        "What each step read and kept. A bar is the share of what the step read that it kept.",
    )
    section.figure(_bars(stages), "From pages and bullets to clusters")
    rows: list[list[Cell]] = [
        [
            stage.tally.step,
            stage.unit,
            stage.tally.read,
            stage.tally.kept,
            stage.into,
            _share(stage),
        ]
        for stage in stages
    ]
    table = Section("The same as a table")
    return section.fold(table.table(["step", "reads", "read", "kept", "as", "share kept"], rows))


def _share(stage: Stage) -> str:
    read = stage.tally.read
    return f"{100 * stage.tally.kept / read:.1f} %" if read else "–"


def _bars(stages: Sequence[Stage]) -> str:
    """Return one bar a step, as HTML: it reads on a phone and needs no drawing library."""
    bars = []
    for stage in stages:
        read, kept = stage.tally.read, stage.tally.kept
        percent = 100 * kept / read if read else 0
        bars.append(
            f'<div style="margin:.5em 0"><div>{escape(stage.tally.step)}: {read:,} {escape(stage.unit)} → '
            f"{kept:,} {escape(stage.into)}</div>"
            f'<div style="background:#7d858d33"><div style="background:#2a7f6f;height:.8em;width:{percent:.2f}%"></div></div></div>'
        )
    return "".join(bars)


def reasons_section(stages: Sequence[Stage]) -> Section:
    """Return how many records each step lost for each reason."""
    section = Section(
        "Losses by reason", "The losses of each step by reason, and counts that are not losses."
    )
    for stage in stages:
        rows: list[list[Cell]] = []
        rows += [[reason, count, "lost"] for reason, count in by_count(stage.tally.dropped).items()]
        rows += [[what, count, "note"] for what, count in by_count(stage.tally.notes).items()]
        caption = f"{stage.tally.step}: {stage.unit}"
        if rows:
            section.table(["what", "count", ""], rows, caption)
        else:
            section.text(f"{caption}: nothing was lost.")
    return section
