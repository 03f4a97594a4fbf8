"""Do the intervals of the protocols hold? Coverage in simulated campaigns of three sizes, by what the report prints.

Four systems differ in quality, items in difficulty, and six annotators, three to an item, in strictness, in the part of a scale that they use and in noise. What an interval must contain is
the value of the same annotators over endless items: the mean of 200 campaigns of 400 items each, or where it is known by construction the constructed value (models).
`python -m bench protocols [RUNS]` prints the share of intervals that contain it, of RUNS campaigns (default 1,000) at each size; the line is 93 to 97 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import mean

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.campaigns.aggregate import value_matrix
from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.report.evidence import results_of
from newsdesk.campaigns.report.models import models_of
from newsdesk.stats.graded import graded_model
from newsdesk.types import Judgment, Value

RUNS = 1_000
SIZES = (20, 60, 200)
LOW, HIGH = 0.93, 0.97
SYSTEMS = ("lead", "centroid", "textrank", "random")
QUALITY = np.array([0.6, 0.25, 0.0, -0.7])
PEOPLE = tuple(f"w{number}" for number in range(1, 7))
PER_ITEM = 3
_TRUTH_RUNS, _TRUTH_ITEMS = 200, 400
_MEASURES = Mapping[str, tuple[float, tuple[float, float]]]
_PEOPLE_RNG = np.random.default_rng(24)
BIAS = _PEOPLE_RNG.normal(0, 0.4, len(PEOPLE))
BIAS -= BIAS.mean()
SPREAD = np.exp(_PEOPLE_RNG.normal(0, 0.3, len(PEOPLE)))
NOISE = 0.7 * np.exp(_PEOPLE_RNG.normal(0, 0.25, len(PEOPLE)))
CUTS = np.array([-1.2, -0.3, 0.5, 1.3])


def seen(rng: np.random.Generator, items: int) -> Iterator[tuple[int, int, Floats]]:
    """Yield item, annotator, and how good each system's text seems to them."""
    quality = QUALITY + rng.normal(0, 0.8, (items, 1)) + rng.normal(0, 0.5, (items, len(SYSTEMS)))
    for item in range(items):
        for person in rng.permutation(len(PEOPLE))[:PER_ITEM].tolist():
            noise = rng.normal(0, NOISE[person], len(SYSTEMS))
            yield item, person, quality[item] + BIAS[person] + noise


def judgment(
    item: int, person: int, target: int, question: str, value: Value, task: str = ""
) -> Judgment:
    """One judgment of a simulated campaign."""
    name = SYSTEMS[target]
    return Judgment(
        "c", task or f"e{item}|{name}", f"e{item}", name, question, value, PEOPLE[person]
    )


def campaign(name: str, rng: np.random.Generator, items: int) -> list[Judgment]:
    """The judgments of a simulated campaign by one protocol."""
    rows = []
    for item, person, quality in seen(rng, items):
        if name == "best-worst":
            order = np.argsort(-quality)
            values: list[Value] = ["neither"] * len(SYSTEMS)
            values[order[0]], values[order[-1]] = "best", "worst"
            rows += [
                judgment(item, person, n, "overall", each, f"e{item}")
                for n, each in enumerate(values)
            ]
            continue
        if name == "pairwise":
            for one in range(len(SYSTEMS)):
                for other in range(one):
                    apart = quality[one] - quality[other]
                    ranks = (1, 1) if abs(apart) < 0.3 else (1, 2) if apart > 0 else (2, 1)
                    task = f"e{item}|{one}|{other}"
                    rows += [
                        judgment(item, person, n, "overall", rank, task)
                        for n, rank in zip((one, other), ranks, strict=True)
                    ]
            continue
        for n, each in enumerate(quality.tolist()):
            if name == "da":
                score = int(np.clip(round(50 + 18 * SPREAD[person] * each), 0, 100))
                rows.append(judgment(item, person, n, "score", score))
            elif name == "likert":
                rows += [
                    judgment(
                        item, person, n, question, int(1 + np.searchsorted(CUTS, each + shift))
                    )
                    for question, shift in (("informative", 0.0), ("fluent", 0.3))
                ]
            else:
                rows += [
                    judgment(item, person, n, label, each > cut)
                    for label, cut in (("opinion", 0.0), ("attack", 1.0))
                ]
    return rows  # fmt: skip


def reported(name: str, rows: list[Judgment], seed: int) -> _MEASURES:
    """What the report prints: values and intervals by name."""
    results = results_of(protocol(name), rows, seed)
    found = {}
    for standing in results.questions or ():
        for each in standing.systems:
            found[f"strength of {each.system}"] = (each.strength, each.strength_ci)
    for criterion in results.criteria or ():
        for row in (*criterion.systems, *criterion.raw[:1], *criterion.estimates[:1]):
            found[f"{criterion.measure} of {row.name}, {criterion.question}"] = (row.value, row.ci)
        for choice in criterion.choices:
            found[f"strength of {choice.system}"] = (choice.strength, choice.strength_ci)
    return found  # type: ignore[return-value]


def truth_of(name: str) -> dict[str, float]:
    """The values over endless items."""
    values: dict[str, list[float]] = {}
    for run in range(_TRUTH_RUNS // (10 if name in ("pairwise", "best-worst") else 2)):
        rows = campaign(name, np.random.default_rng([9, run]), _TRUTH_ITEMS)
        for key, (value, _) in reported(name, rows, 0).items():
            values.setdefault(key, []).append(value)
    return {key: mean(each) for key, each in values.items()}


def graded(rng: np.random.Generator, items: int, seed: int) -> tuple[_MEASURES, dict[str, float]]:
    """The graded model on grades that it describes: the mean grade, and each annotator's bias."""
    values = np.full((len(PEOPLE), items), np.nan)
    quality = rng.normal(size=items)
    for item in range(items):
        for person in rng.permutation(len(PEOPLE))[:PER_ITEM].tolist():
            grade = quality[item] + BIAS[person] + rng.normal(0, NOISE[person])
            values[person, item] = 1 + np.searchsorted(CUTS, grade)
    model = graded_model(values, levels=[1, 2, 3, 4, 5])
    nodes = np.linspace(-6, 6, 2_001)
    weights = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    below = special.ndtr((CUTS[:, None] - nodes) / np.exp(np.log(NOISE).mean()))
    value, interval = model.mean()
    assert interval is not None
    found = {"mean grade": (value, interval)}
    found |= {f"bias of {name}": (float(model.bias[n]), (float(model.bias_ci[n, 0]), float(model.bias_ci[n, 1]))) for n, name in enumerate(PEOPLE)}  # fmt: skip
    truth = {"mean grade": 5 - float(below.sum(axis=0) @ weights)}
    return found, truth | {f"bias of {name}": float(BIAS[n]) for n, name in enumerate(PEOPLE)}


def skills(rng: np.random.Generator, items: int, seed: int) -> tuple[_MEASURES, dict[str, float]]:
    """Votes of uneven annotators: the share of yes by the model of Dawid and Skene."""
    yes = rng.random(items) < 0.4
    right = np.array([0.92, 0.9, 0.85, 0.8, 0.7, 0.6])
    rows = [
        Judgment("c", f"t{item}", f"e{item}", "x", "constructive", bool(yes[item] == (rng.random() < right[person])), name)
        for item in range(items)
        for person, name in enumerate(PEOPLE)
    ]  # fmt: skip
    assert value_matrix(rows).shape == (len(PEOPLE), items)
    [model] = models_of(protocol("constructive"), rows, seed)
    share = next(each for each in model.answers if each.answer == "constructive")
    return {"share of yes": (share.model, share.model_ci)}, {"share of yes": 0.4}  # type: ignore[dict-item]


def covered(
    run: Callable[[np.random.Generator, int, int], tuple[_MEASURES, Mapping[str, float]]],
    items: int,
    runs: int,
) -> tuple[float, float, float]:
    """The share of intervals that contain the truth, over all measures, and the lowest and highest of one measure."""
    hits: dict[str, list[bool]] = {}
    for seed in range(runs):
        found, truth = run(np.random.default_rng([seed, items]), items, seed)
        for key, (_, interval) in found.items():
            if interval is not None:
                hits.setdefault(key, []).append(interval[0] <= truth[key] <= interval[1])
    shares = [mean(each) for each in hits.values()]
    return mean(shares), min(shares), max(shares)


def _by_protocol(
    name: str, truth: Mapping[str, float], rng: np.random.Generator, items: int, seed: int
) -> tuple[_MEASURES, Mapping[str, float]]:
    return reported(name, campaign(name, rng, items), seed), truth


def designs() -> dict[
    str,
    Callable[[], Callable[[np.random.Generator, int, int], tuple[_MEASURES, Mapping[str, float]]]],
]:
    """Every protocol and model, by name; the truth is computed when one is begun."""
    made = {
        name: partial(lambda each: partial(_by_protocol, each, truth_of(each)), name)
        for name in ("da", "likert", "multi-label", "best-worst", "pairwise")
    }
    return {**made, "graded model": lambda: graded, "Dawid–Skene": lambda: skills}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Print the coverage of each design and size; the number of designs outside the line."""
    runs = int(arguments[0]) if arguments else RUNS
    missed = 0
    for name, begin in designs().items():
        run = begin()
        for items in SIZES:
            share, low, high = covered(run, items, runs)
            print(
                f"{name:<14} {items:>4} items  covered {share:6.1%}  (by measure {low:.1%} to {high:.1%})",
                flush=True,
            )
            missed += not LOW <= share <= HIGH
    return missed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
