"""Does the audit see a careless annotator, and nobody where there is none? On simulated campaigns with ten annotators.

Honest annotators differ: each has a strictness and a noise of their own. The careless one gives every answer at random: a coin for votes, any
grade, any order. `found` is the share of `RUNS` campaigns with one careless annotator in which exactly that one is flagged by agreement or in
which that one is among the flagged; `false` the share of as many campaigns without one in which anybody is. Run: python -m bench careless
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from newsdesk.campaigns.control import audit
from newsdesk.types import Judgment

RUNS = 200
PEOPLE = 10
FOUND, FALSE = 0.95, 0.05

Answer = Callable[[np.random.Generator, np.ndarray, float, float], list[int | bool]]


@dataclass(frozen=True)
class Design:
    """A kind of campaign: how many tasks of how many texts, how many annotators each, and how they answer."""

    name: str
    kind: str
    tasks: int
    texts: int
    per_task: int


DESIGNS = (
    Design("votes, 60 comments, all judge all", "select", 12, 5, 10),
    Design("votes, 400 comments, 5 of 10 each", "select", 40, 10, 5),
    Design("grades, 60 comments, all judge all", "scale", 60, 1, 10),
    Design("grades, 300 comments, 3 of 10 each", "scale", 300, 1, 3),
    Design("ranks, 15 events of 4 outputs, all judge all", "rank", 15, 4, 10),
    Design("ranks, 100 events of 4 outputs, 3 of 10 each", "rank", 100, 4, 3),
)


def campaign(design: Design, seed: int, *, careless: bool) -> list[Judgment]:
    """The judgments of one simulated campaign; the careless annotator is w10."""
    rng = np.random.default_rng([seed, design.tasks, careless])
    strictness = rng.normal(0, 0.25, PEOPLE)
    noise = 0.7 * np.exp(rng.normal(0, 0.2, PEOPLE))
    judgments = []
    for task in range(design.tasks):
        quality = rng.normal(0, 1, design.texts)
        for person in rng.permutation(PEOPLE)[: design.per_task].tolist():
            seen = quality - strictness[person] + rng.normal(0, noise[person], design.texts)
            if careless and person == PEOPLE - 1:
                seen = rng.normal(0, 1, design.texts)
            judgments += _judgments(design.kind, task, f"w{person + 1}", seen, rng, careless)
    return judgments


def _judgments(
    kind: str, task: int, name: str, seen: np.ndarray, rng: np.random.Generator, careless: bool
) -> Iterator[Judgment]:
    blind = careless and name == f"w{PEOPLE}"
    values: list[int | bool]
    if kind == "select":
        values = (rng.random(len(seen)) < 0.5).tolist() if blind else (seen > 0.3).tolist()
    elif kind == "scale":
        grades = rng.integers(1, 6, len(seen)) if blind else np.clip(np.rint(3 + seen), 1, 5)
        values = [int(grade) for grade in grades]
    else:
        values = [int(rank) + 1 for rank in np.argsort(np.argsort(-seen))]
    for text, value in enumerate(values):
        yield Judgment("c", f"t{task}", f"t{task}", f"x{text}", "q", value, name)


def flagged(judgments: list[Judgment], kind: str) -> set[str]:
    """Whom the audit flags."""
    return {row.annotator for row in audit(judgments, {}, ranks=kind == "rank") if row.careless}


def shares(design: Design, runs: int) -> tuple[float, float]:
    """How often the careless annotator is flagged, and how often anybody is where nobody is careless."""
    guilty = f"w{PEOPLE}"
    found = [
        guilty in flagged(campaign(design, n, careless=True), design.kind) for n in range(runs)
    ]
    false = [bool(flagged(campaign(design, n, careless=False), design.kind)) for n in range(runs)]
    return sum(found) / runs, sum(false) / runs


def main() -> int:
    missed = 0
    for design in DESIGNS:
        found, false = shares(design, RUNS)
        print(f"{design.name:<50} found {found:6.1%}  false {false:6.1%}", flush=True)
        missed += found < FOUND or false > FALSE
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
