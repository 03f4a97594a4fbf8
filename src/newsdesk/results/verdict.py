"""What a result says, in one sentence: who leads in a measure, and from whom the leader cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from newsdesk.results.table import interval_text, number_text, p_text
from newsdesk.wording import listed, plural

SURE = 0.05  # the level of the tests that a verdict rests on
_ALL = 1_000_000  # names in a list that is not cut


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report found: a sentence, the number it rests on with its interval, and the command for it."""

    sentence: str
    value: float | None = None
    ci: tuple[float, float] | None = None
    label: str = ""
    command: str = ""

    @property
    def number(self) -> str:
        """The number that the verdict rests on, with its interval; empty where there is none."""
        if self.value is None:
            return ""
        return interval_text(self.value, *self.ci) if self.ci else number_text(self.value)

    def html(self) -> str:
        """Return the verdict as a box: the number large, then the sentence, then the command."""
        number = ""
        if self.value is not None:
            value, _, ends = self.number.partition(" ")  # the ends of the interval, if there is one
            small = f' <span class="ends">{escape(ends)}</span>' if ends else ""
            number = (
                f'<p class="key"><strong>{escape(value)}</strong>{small} '
                f"<span>{escape(self.label)}</span></p>"
            )
        return (
            f'<div class="verdict">{number}<p>{escape(self.sentence)}</p>{command_block(self.command)}</div>'
            if self.sentence or number
            else ""
        )


@dataclass(frozen=True, slots=True)
class SystemValue:
    """A system's value in one measure, with its interval where one was computed."""

    system: str
    value: float
    ci: tuple[float, float] | None = None

    @property
    def bar(self) -> tuple[str, float, float, float]:
        """The system with its value and the ends of its interval, for a plot."""
        return self.system, self.value, *(self.ci or (self.value, self.value))

    def __str__(self) -> str:
        return f"{self.value:.3f}" if self.ci is None else interval_text(self.value, *self.ci)


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """One system's value minus another's, with interval and p-value."""

    first: str
    second: str
    value: float
    ci: tuple[float, float] | None
    p: float | None

    def reversed(self) -> SystemDifference:
        """Return the same difference with the systems exchanged."""
        ends = None
        if self.ci:
            low, high = self.ci
            ends = -high, -low
        return SystemDifference(self.second, self.first, -self.value, ends, self.p)

    @property
    def real(self) -> bool:
        """Whether the test, or without one the interval, tells the two apart."""
        if self.p is not None:
            return self.p < SURE
        if self.ci is None:
            return False
        low, high = self.ci
        return low > 0 or high < 0


def rivals_text(rivals: Sequence[str], alone: str, most: int = 4) -> str:
    """Say from which rivals a leader cannot be told apart; `alone` where there are none.

    >>> rivals_text(["b", "c"], ""), rivals_text([], ", ahead of all")
    (', but cannot be told apart from b and c', ', ahead of all')
    """
    return f", but cannot be told apart from {listed(rivals, most)}" if rivals else alone


def leader_verdict(
    measure: str,
    systems: Sequence[SystemValue],
    differences: Sequence[SystemDifference],
    *,
    advice: str,
) -> Verdict:
    """Say which system leads in a measure, and from which others it can be told apart.

    `advice` says how to test where no test was run.
    """
    best, *others = sorted(systems, key=lambda system: -system.value)
    label = f"{measure} of {best.system}"
    if not others:
        sentence = f"{best.system} has a {measure} of {best}; there is no other system."
        return Verdict(sentence, best.value, best.ci, label)
    # Every rival → the best system minus this one.
    tests: dict[str, SystemDifference] = {}
    for difference in differences:
        if difference.first == best.system:
            tests[difference.second] = difference
        elif difference.second == best.system:
            tests[difference.first] = difference.reversed()
    if not tests:
        sentence = f"{best.system} has the highest {measure} of {plural(len(systems), 'system')}, {best}, but no test against it was run: {advice}."
        return Verdict(sentence, best.value, best.ci, label)
    tested = [other.system for other in others if other.system in tests]
    untested = [other.system for other in others if other.system not in tests]
    nearest = tests[tested[0]]
    p = "" if nearest.p is None else f", p {p_text(nearest.p)}"
    if equal := [system for system in tested if not tests[system].real]:
        rivals = rivals_text(equal, alone="", most=_ALL)
        sentence = f"{best.system} has the highest {measure}{rivals}."
    elif untested:
        sentence = f"{best.system} is better than {listed(tested, _ALL)} in {measure}; it was not tested against {listed(untested, _ALL)}."
    else:
        beaten = f"all {len(tested)} others" if len(tested) > 1 else tested[0]
        sentence = f"{best.system} is better than {beaten} in {measure}."
    return Verdict(
        sentence, nearest.value, nearest.ci, f"{label} minus that of {nearest.second}{p}"
    )


def command_block(text: str) -> str:
    """Return a command as HTML to copy and paste; nothing where it is empty."""
    return f'<pre class="command"><code>{escape(text)}</code></pre>' if text else ""
