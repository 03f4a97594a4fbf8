"""Paired significance tests between systems: every two systems, every metric, on the items that both answer.

The interval of a difference is that of the paired bootstrap (Koehn 2004). The p-value is the paired bootstrap's or that of approximate
randomization (Noreen 1989). The p-values of all comparisons of one call are corrected together, because each of them could have
been reported as the finding. CIDEr's idf comes from the references of the shared items.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.metric import Metric, metric
from newsdesk.metrics.systems import System
from newsdesk.settings import one_of
from newsdesk.stats.significance import Correction, corrected, paired_bootstrap, randomization
from newsdesk.text.encode import Encoded
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Difference

Test = Literal["bootstrap", "randomization"]
_FIELDS = ("first", "second", "metric", "difference", "ci", "p", "p_corrected", "n", "signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison(Difference):
    """The difference of two systems in one metric, on the `n` items that both answer."""

    metric: str
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Return the fields in the order in which they are printed."""
        return {name: getattr(self, name) for name in _FIELDS}


def compare_systems(
    systems: Sequence[System],
    specs: Sequence[str],
    *,
    test: Test = "bootstrap",
    correction: Correction = "holm",
    samples: int = 10_000,
    seed: int = 0,
) -> list[SystemComparison]:
    """Test every two systems against each other in every metric, and correct the p-values for the number of tests."""
    one_of("test", test, get_args(Test))
    one_of("correction", correction, get_args(Correction))
    if len(systems) < 2:
        raise ArgumentError(f"a paired test needs at least two systems, not {len(systems)}")
    tested: list[SystemComparison] = []
    for first, second in itertools.combinations(systems, 2):
        pair = _shared(first, second)
        tested += [_tested(pair, metric(spec), spec, test, samples, seed) for spec in specs]
    note = f"test:{test}[samples={samples},seed={seed}]|correction:{correction}[{len(tested)}]"
    return [
        dataclasses.replace(row, signature=f"{row.signature}|{note}")
        for row in corrected(tested, correction)
    ]


def _tested(
    pair: tuple[System, System], one: Metric, spec: str, test: Test, samples: int, seed: int
) -> SystemComparison:
    """Return one comparison, its p-value not corrected yet."""
    first, second = pair
    ours, theirs = one.statistics(first.batch), one.statistics(second.batch)
    result = paired_bootstrap(ours, theirs, one.values, samples=samples, seed=seed)
    p = result.p
    if test == "randomization":
        p = randomization(ours, theirs, one.values, samples=samples, seed=seed)
    signed = one.signature(first.batch)
    return SystemComparison(
        first.name, second.name, result.estimate, p, p, metric=spec, signature=signed
    )


def _shared(first: System, second: System) -> tuple[System, System]:
    """Return both systems on the items that both answer, in the same order."""
    if first.ids == second.ids:
        return first, second
    common = set(first.ids) & set(second.ids)
    if not common:
        raise ArgumentError(
            f"systems {first.name!r} and {second.name!r} share no items; score them in separate calls"
        )
    return _restricted(first, common), _restricted(second, common)


def _restricted(system: System, items: set[str]) -> System:
    places = [place for place, item in enumerate(system.ids) if item in items]
    batch = system.batch
    spans = [batch.reference_offsets[place : place + 2].tolist() for place in places]
    weights: list[Floats] = [batch.weights[low:high] for low, high in spans]
    restricted = Encoded(
        [batch.candidates[place] for place in places],
        [text for low, high in spans for text in batch.references[low:high]],
        np.concatenate(weights),
        offsets_of(np.array([high - low for low, high in spans], dtype=np.int64)),
        batch.lang,
    )
    restricted.weighting = batch.weighting
    return System(system.name, tuple(system.ids[place] for place in places), restricted)
