"""What weighting the references gains, and how much of the gain survives when the weights are shuffled within each item.

Pooled correlations are confounded: the mean weight of an item's references tells how its outputs are graded, whichever reference carries
which weight. So every gain is shown pooled and within items, beside the gain with shuffled weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.studies.correlate.coefficients import Coefficient, Level
from newsdesk.studies.correlate.intervals import Ends, percentile_ends
from newsdesk.studies.correlate.study import Part, Settings, study_question
from newsdesk.studies.correlate.tables import HumanScores, MetricScores

_SAMPLES = 2_000  # there are several shuffled copies of each metric
_SMALLEST = 0.01
_LEVELS: tuple[Level, ...] = ("pooled", "item")
_COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman")


@dataclass(frozen=True, slots=True)
class Gain:
    """What a weighted metric gains over its plain partner, with the weights as they are and with shuffled ones; `net` is the difference."""

    weighted: str
    plain: str
    human: str
    level: Level
    coefficient: Coefficient
    gain: float
    ci: Ends | None
    shuffled: float | None
    shuffled_ci: Ends | None
    net: float | None
    net_ci: Ends | None

    @property
    def survives(self) -> float | None:
        """The share of a positive gain that is left with shuffled weights."""
        if self.shuffled is None or self.gain <= 0:
            return None
        return self.shuffled / self.gain

    @property
    def confounded(self) -> bool:
        """True if the gain is above zero, worth mentioning (.01), and at least half of it survives shuffling."""
        sure = self.ci is not None and self.ci[0] > 0 and self.gain >= _SMALLEST
        return sure and (self.survives or 0.0) >= 0.5


def gains(
    human: HumanScores,
    partners: Sequence[tuple[MetricScores, MetricScores]],
    shuffled: Mapping[str, Sequence[MetricScores]],
    settings: Settings,
) -> list[Gain]:
    """The gain of each weighted metric over its plain partner; `shuffled` holds copies of a weighted metric with shuffled weights."""
    if not partners:
        return []
    metrics: dict[str, MetricScores] = {}
    for weighted, plain in partners:
        metrics[plain.name] = plain
        metrics[weighted.name] = weighted
        for number, each in enumerate(shuffled.get(weighted.name, ())):
            name = _copy(weighted.name, number)
            metrics[name] = replace(each, name=name)
    few = replace(settings, samples=min(settings.samples, _SAMPLES), resample="items")
    part = study_question(human, list(metrics.values()), few)
    return [
        _gain(
            part,
            weighted.name,
            plain.name,
            len(shuffled.get(weighted.name, ())),
            level,
            coefficient,
        )
        for weighted, plain in partners
        for level in _LEVELS
        for coefficient in _COEFFICIENTS
        if not np.isnan(part.value(level, coefficient, weighted.name))
    ]


def _gain(
    part: Part, weighted: str, plain: str, copies: int, level: Level, coefficient: Coefficient
) -> Gain:
    units = len(part.study.items)
    draws, estimates = part.draws[level, coefficient], part.estimates[level, coefficient]

    def of(name: str) -> tuple[float, Floats]:
        place = part.study.place(name)
        return estimates[place].value, draws[:, place]

    (value, drawn), (base, base_drawn) = of(weighted), of(plain)
    gain = value - base
    row = Gain(
        weighted, plain, part.study.question, level, coefficient,
        gain, percentile_ends(drawn - base_drawn, units), None, None, None, None,
    )  # fmt: skip
    if not copies:
        return row
    mixed = [of(_copy(weighted, number)) for number in range(copies)]
    mean = float(np.mean([each for each, _ in mixed]))
    mean_drawn = np.mean([each for _, each in mixed], axis=0)
    return replace(
        row,
        shuffled=mean - base,
        shuffled_ci=percentile_ends(mean_drawn - base_drawn, units),
        net=value - mean,
        net_ci=percentile_ends(drawn - mean_drawn, units),
    )


def _copy(name: str, number: int) -> str:
    return f"{name} shuffled {number + 1}"


def sentences(rows: Sequence[Gain], coefficient: Coefficient = "spearman") -> list[str]:
    """A sentence for each weighted metric whose pooled gain mostly survives shuffling, and one for those that gain within items."""
    said = []
    chosen = [row for row in rows if row.coefficient == coefficient]
    within = {(row.weighted, row.human): row for row in chosen if row.level == "item"}
    for row in chosen:
        if row.level != "pooled" or not row.confounded:
            continue
        inside = within.get((row.weighted, row.human))
        tail = ""
        if inside is not None and inside.ci is not None:
            tail = f"; within items it gains {inside.gain:+.3f} [{inside.ci[0]:+.3f}, {inside.ci[1]:+.3f}]"
        said.append(
            f"Most of the pooled gain of {row.weighted} over {row.plain} survives shuffling ({row.human}: {row.gain:+.3f}, with shuffled weights"
            f" {row.shuffled:+.3f}, {row.survives:.0%} of it): it does not show that weights tell good references from poor ones{tail}."
        )
    return said
