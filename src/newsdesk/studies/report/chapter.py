"""What every chapter of a report has in common: its verdict, and the sentence that says which system leads and whether that is real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from newsdesk.results.numbers import interval_text, p_text
from newsdesk.results.page import Section, Verdict
from newsdesk.wording import plural

LEVEL = 0.05  # of the tests that a verdict rests on

Content: TypeAlias = Mapping[str, Any]  # what a command printed as JSON


@dataclass(frozen=True, slots=True)
class Chapter:
    """One result of a study: what it says, and the section that shows it."""

    verdict: Verdict
    section: Section


@dataclass(frozen=True, slots=True)
class Measured:
    """A system's value in one measure, with its interval where one was computed."""

    system: str
    value: float
    ci: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One system's value minus another's, with interval and p-value."""

    first: str
    second: str
    value: float
    ci: tuple[float, float] | None
    p: float | None

    def reversed(self) -> Difference:
        """The same difference with the systems exchanged."""
        ends = (-self.ci[1], -self.ci[0]) if self.ci else None
        return Difference(self.second, self.first, -self.value, ends, self.p)

    @property
    def real(self) -> bool:
        """Whether the test, or without one the interval, tells the two apart."""
        if self.p is not None:
            return self.p < LEVEL
        return self.ci is not None and (self.ci[0] > 0 or self.ci[1] < 0)


def ends_of(pair: Sequence[float] | None) -> tuple[float, float] | None:
    """The ends of an interval as JSON holds them."""
    return (float(pair[0]), float(pair[1])) if pair else None


def leader_verdict(
    measure: str, systems: Sequence[Measured], differences: Sequence[Difference], *, advice: str
) -> Verdict:
    """Which system leads in a measure, and from which others it can be told apart; `advice` says how to test where no test was run."""
    ordered = sorted(systems, key=lambda each: -each.value)
    best = ordered[0]
    if len(ordered) == 1:
        sentence = f"{best.system} has a {measure} of {_shown(best)}; there is no other system."
        return Verdict(sentence, best.value, best.ci, f"{measure} of {best.system}")
    tests = {each.second: each for each in _of(best.system, differences)}
    if not tests:
        sentence = f"{best.system} has the highest {measure} of {plural(len(ordered), 'system')}, {_shown(best)}, but no test against it was run: {advice}."
        return Verdict(sentence, best.value, best.ci, f"{measure} of {best.system}")
    nearest = next(tests[each.system] for each in ordered[1:] if each.system in tests)
    level = [
        each.system for each in ordered[1:] if each.system in tests and not tests[each.system].real
    ]
    untested = [each.system for each in ordered[1:] if each.system not in tests]
    beaten = [each.system for each in ordered[1:] if each.system in tests]
    sentence = _sentence(measure, best.system, beaten, level, untested)
    label = f"{measure} of {best.system} minus that of {nearest.second}"
    if nearest.p is not None:
        label += f", p {p_text(nearest.p)}"
    return Verdict(sentence, nearest.value, nearest.ci, label)


def _sentence(
    measure: str, best: str, tested: Sequence[str], level: Sequence[str], untested: Sequence[str]
) -> str:
    if level:
        return f"{best} has the highest {measure}, but cannot be told apart from {listed(level)}."
    if untested:
        return f"{best} is better than {listed(tested)} in {measure}; it was not tested against {listed(untested)}."
    others = f"all {len(tested)} others" if len(tested) > 1 else tested[0]
    return f"{best} is better than {others} in {measure}."


def _of(best: str, differences: Sequence[Difference]) -> list[Difference]:
    return [
        difference if difference.first == best else difference.reversed()
        for difference in differences
        if best in (difference.first, difference.second)
    ]


def _shown(measured: Measured) -> str:
    if measured.ci is None:
        return f"{measured.value:.3f}"
    return interval_text(measured.value, *measured.ci)


def listed(names: Sequence[str]) -> str:
    """Names as part of a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
