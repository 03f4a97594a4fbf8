"""How many items and judgments a comparison of two systems by human grades needs: power by simulation.

A grade is modelled as level of the system + effect of the item (shared by both systems) + effect of this system on this item + noise of the
person, rounded to the scale and clipped to it where there is one. Two systems are judged on the same items by the same people; the means per
item are compared by a paired t-test. Power is the share of simulated campaigns whose p-value is below the level; one simulation of the largest
campaign gives the power of every smaller one, since its first n items are a campaign of n items.

The spreads come from a pilot or from an agreement. From a pilot: the spread of persons is the variance, between people on one item, of the
difference they see between two systems; what is left of the variance of these differences between items is that of the systems (method of moments,
mean over pairs of systems). Where hardly anyone judged two systems on one item, the spread of persons is the variance of the grades of one output. Rounding adds 1/12 to the variance of noise, which is taken off. From an agreement A (alpha or ICC) and the standard
deviation s of grades: noise (1 − A) s², truth A s², half of it shared by the systems of an item.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.types import Judgment

_ROUNDING = 1 / 12  # variance that rounding to whole grades adds
_FEWEST_PAIRS = 20  # degrees of freedom from people who judged the same two outputs
_CELLS = 1 << 22  # draws × items × votes held at a time
_SHOWN_ITEMS = (10, 20, 50, 100, 200, 500, 1_000, 2_000)


# Of two systems: for each item the difference of their grades, and the part of `noise` in its variance.
_Differences: TypeAlias = dict[tuple[str, str], list[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Grades:
    """A model of grades: mean, and standard deviations of items, of systems on items, and of persons.

    The scale, or None for any number.
    """

    mean: float
    item_sd: float
    system_sd: float
    noise_sd: float
    scale: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for name in ("item_sd", "system_sd", "noise_sd"):
            at_least(name, getattr(self, name), 0)
        if self.scale and self.scale[0] >= self.scale[1]:
            raise ArgumentError(f"the scale {self.scale[0]} to {self.scale[1]} has no two grades")

    @property
    def agreement(self) -> float:
        """The share of the variance of single grades that is not noise; rounding to a scale is noise."""
        truth = self.item_sd**2 + self.system_sd**2
        noise = self.noise_sd**2 + (_ROUNDING if self.scale else 0)
        return truth / (truth + noise) if truth + noise else 1.0

    def differences(
        self, difference: float, draws: int, items: int, votes: int, rng: np.random.Generator
    ) -> Floats:
        """Draw how the mean grades of two systems differ on each item: draws × items.

        The true `difference` of the systems is split around the mean; `votes` people grade each output.
        """
        shape = (draws, items)
        item = rng.normal(0, self.item_sd, shape)
        levels = []
        for sign in (0.5, -0.5):
            truth = self.mean + sign * difference + item + rng.normal(0, self.system_sd, shape)
            grades = truth[..., None] + rng.normal(0, self.noise_sd, (*shape, votes))
            if self.scale:
                grades = np.clip(np.round(grades), *self.scale)
            levels.append(grades.mean(axis=2))
        return np.asarray(levels[0] - levels[1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Design:
    """What a number of votes per output needs, and the power that each number of items has.

    `items`, `judgments` and `people` are None where more items are needed than were simulated.
    """

    votes: int
    items: int | None
    judgments: int | None
    people: int | None
    power: dict[int, float]


def of_agreement(agreement: float, sd: float, *, scale: tuple[int, int] | None = None) -> Grades:
    """Return the model of an agreement and a standard deviation of grades, centred on the scale."""
    if not 0 < agreement <= 1:
        raise ArgumentError(f"the agreement is {agreement:g}, not above 0 and at most 1")
    if sd <= 0:
        raise ArgumentError(f"the standard deviation is {sd:g}, not above 0")
    truth, noise = agreement * sd**2, (1 - agreement) * sd**2
    mean = sum(scale) / 2 if scale else 0.0
    half_sd = float(np.sqrt(truth / 2))
    return Grades(
        mean, item_sd=half_sd, system_sd=half_sd, noise_sd=_latent(noise, scale), scale=scale
    )


def of_pilot(
    judgments: Iterable[Judgment],
    *,
    question: str | None = None,
    scale: tuple[int, int] | None = None,
) -> Grades:
    """Return the model of the grades of a pilot.

    The scale is that of the grades given if they are whole numbers.
    """
    grades = _grades(judgments, question)
    values = np.array([value for by_person in grades.values() for value in by_person.values()])
    if scale is None and np.all(values == np.round(values)):
        scale = (int(values.min()), int(values.max()))
    systems = sorted({system for _, system in grades})
    items = sorted({item for item, _ in grades})
    pairs = [(item, *pair) for pair in combinations(systems, 2) for item in items]
    noise, of_differences = _spreads_by_person(grades, pairs) or _spreads_by_output(grades, pairs)
    system_variance = max(of_differences, 0.0) / 2
    item_means = [
        np.mean([np.mean(list(grades[item, s].values())) for s in systems if (item, s) in grades])
        for item in items
    ]
    # What persons and systems add to the variance of an item's mean is small beside the effect of items, and left in.
    item_variance = max(float(np.var(item_means, ddof=1)) - system_variance / len(systems), 0.0)
    return Grades(
        mean=float(values.mean()),
        item_sd=float(np.sqrt(item_variance)),
        system_sd=float(np.sqrt(system_variance)),
        noise_sd=_latent(noise, scale),
        scale=scale,
    )


def _spreads_by_person(
    grades: Mapping[tuple[str, str], Mapping[str, float]], pairs: Sequence[tuple[str, str, str]]
) -> tuple[float, float] | None:
    """Return the variance of persons, and of items' differences, from people who judged both systems.

    `grades` are those of `_grades`, `pairs` an item and two systems. None where too few did.
    """
    variances: list[float] = []  # between people, of the difference they see
    freedoms: list[int] = []  # degrees of freedom of each variance
    differences: _Differences = {}
    for item, first, second in pairs:
        one, other = grades.get((item, first), {}), grades.get((item, second), {})
        seen = [one[person] - other[person] for person in sorted(one.keys() & other.keys())]
        if seen:
            noise_share = 1 / len(seen)
            differences.setdefault((first, second), []).append((float(np.mean(seen)), noise_share))
        if len(seen) > 1:
            variances.append(float(np.var(seen, ddof=1)))
            freedoms.append(len(seen) - 1)
    if sum(freedoms) < _FEWEST_PAIRS:
        return None
    noise = float(np.average(variances, weights=freedoms))
    # A difference holds the noise of two grades.
    return noise / 2, _spread_left(differences, noise)


def _spreads_by_output(
    grades: Mapping[tuple[str, str], Mapping[str, float]], pairs: Sequence[tuple[str, str, str]]
) -> tuple[float, float]:
    """Return the variances of `_spreads_by_person` where people judged outputs of their own.

    What people differ in as a whole counts as noise.
    """
    several = [list(of_output.values()) for of_output in grades.values() if len(of_output) > 1]
    differences: _Differences = {}
    for item, first, second in pairs:
        one, other = (list(grades.get((item, name), {}).values()) for name in (first, second))
        if one and other:
            apart = float(np.mean(one) - np.mean(other))
            noise_share = 1 / len(one) + 1 / len(other)
            differences.setdefault((first, second), []).append((apart, noise_share))
    if not several or all(len(listed) < 2 for listed in differences.values()):
        raise ArgumentError(
            "the pilot has no output that two people judged, or no two items with the same two systems; collect a few, or give --agreement and --sd"
        )
    freedoms = [len(of_output) - 1 for of_output in several]
    variances = [np.var(of_output, ddof=1) for of_output in several]
    noise = float(np.average(variances, weights=freedoms))
    return noise, _spread_left(differences, noise)


def _spread_left(differences: _Differences, noise: float) -> float:
    """Return the variance of items' differences without noise, a mean over pairs of systems."""
    several = [listed for listed in differences.values() if len(listed) > 1]
    spreads = [
        float(np.var([apart for apart, _ in listed], ddof=1))
        - noise * float(np.mean([noise_share for _, noise_share in listed]))
        for listed in several
    ]
    return float(np.average(spreads, weights=[len(listed) - 1 for listed in several]))


def plan_items(
    model: Grades,
    difference: float,
    *,
    votes: Sequence[int] = (1, 2, 3, 5),
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    most_items: int = 1_000,
    per_person: int = 200,
    draws: int = 2_000,
    seed: int = 0,
) -> list[Design]:
    """Find for each number of votes how many items show the difference with this power, and their cost.

    `comparisons` divides the level (Bonferroni); `per_person` is how many outputs one person can judge.
    """
    if difference <= 0:
        raise ArgumentError(f"the difference is {difference:g}, not above 0")
    if not 0 < power < 1 or not 0 < level < 1:
        raise ArgumentError("power and level must lie between 0 and 1")
    for name, count in (("most_items", most_items), ("draws", draws), ("per_person", per_person)):
        at_least(name, count, 3)
    if not votes or min(votes) < 1 or len(set(votes)) < len(votes):
        raise ArgumentError("the numbers of votes are none, below one, or one comes twice")
    at_least("comparisons", comparisons, 1)
    designs = []
    for count in votes:
        curve = power_curve(
            model, difference, count, most_items, level=level / comparisons, draws=draws, seed=seed
        )
        # The curve starts at two items.
        reached = np.flatnonzero(curve >= power)
        items = int(reached[0]) + 2 if len(reached) else None
        judgments = 2 * items * count if items else None  # two systems
        people = max(count, math.ceil(judgments / per_person)) if judgments else None
        by_items = {n: float(curve[n - 2]) for n in _SHOWN_ITEMS if n <= most_items}
        designs.append(Design(count, items, judgments, people, power=by_items))
    return designs


def power_curve(
    model: Grades, difference: float, votes: int, items: int, *, level: float, draws: int, seed: int
) -> Floats:
    """Return the power with 2, 3, … `items` items, made monotone."""
    from scipy.stats import t
    from sklearn.isotonic import IsotonicRegression

    counts = np.arange(2, items + 1)  # the sizes of campaigns
    critical = t.ppf(1 - level / 2, counts - 1)
    rng = stream("study-plan", seed, votes)
    significant = np.zeros(len(counts))
    chunk = max(1, _CELLS // (items * votes))
    for start in range(0, draws, chunk):
        size = min(chunk, draws - start)
        seen = model.differences(difference, size, items, votes, rng)  # draws × items
        # draws × sizes: the sums over the first 2, 3, … items
        sums, squares = np.cumsum(seen, axis=1)[:, 1:], np.cumsum(seen**2, axis=1)[:, 1:]
        variance = np.maximum(squares - sums**2 / counts, 0) / (counts - 1)
        # A campaign without any variance decides by the sign of its mean.
        error = np.sqrt(variance / counts)
        significant += (sums / counts > critical * np.maximum(error, 1e-12)).sum(axis=0)
    monotone = IsotonicRegression().fit_transform(counts, significant / draws)
    return np.asarray(monotone, dtype=np.float64)


def difference_seen(model: Grades, difference: float, *, seed: int = 0) -> float:
    """Return the difference of mean grades that people see, which a scale that clips makes smaller."""
    rng = stream("study-plan-seen", seed)
    return float(model.differences(difference, draws=200, items=500, votes=1, rng=rng).mean())


def _latent(variance: float, scale: tuple[int, int] | None) -> float:
    """Return the standard deviation of noise before grades are rounded."""
    return float(np.sqrt(max(variance - (_ROUNDING if scale else 0), 0)))


def _grades(
    judgments: Iterable[Judgment], question: str | None
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the grades of each (item, system), by person; controls and withdrawn ones are left out."""
    grades: dict[tuple[str, str], dict[str, float]] = {}
    questions = set()
    for judgment in judgments:
        if judgment.control or judgment.withdrawn or question not in (None, judgment.question):
            continue
        if isinstance(judgment.value, str):
            raise ArgumentError(f"the judgment {judgment.value!r} is no grade; plan needs numbers")
        questions.add(judgment.question)
        grades.setdefault((judgment.item, judgment.target), {})[judgment.annotator] = float(
            judgment.value
        )
    if len(questions) > 1:
        named = ", ".join(sorted(questions))
        raise ArgumentError(f"the pilot has several questions ({named}); name one with --question")
    if not grades:
        raise ArgumentError(
            "the pilot has no judgments of this question"
            if question
            else "the pilot has no judgments"
        )
    return grades
