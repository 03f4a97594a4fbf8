"""Normalized scores, the outputs on which two metrics disagree most, points for scatter plots, and one whole instance.

Metrics are put on the human scale (Lowe et al. 2017; Qin et al. 2018, Tables 2 and 3): the mean and the standard deviation of the human scores,
clipped to the ends of the scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.metrics.systems import System, pairs
from newsdesk.streams import stream
from newsdesk.studies.correlate.tables import Aligned

_NOISE = 0.05  # added to human scores in scatter plots, as in Figure 1 of Qin et al. (2018)
_POINTS = 2_000
_MOST_STEPS = (
    25  # distinct scores that hide each other: means of two judges on a scale from 1 to 5 have 9
)


@dataclass(frozen=True, slots=True)
class Example:
    """An output with its human score and two metrics' scores, as they are and on the human scale."""

    item: str
    system: str
    text: str
    human: float
    first: str
    first_value: float
    first_normalized: float
    second: str
    second_value: float
    second_normalized: float


@dataclass(frozen=True, slots=True)
class GradedText:
    """A text of an instance: a reference with its weight, or a system's output with its human score."""

    source: str
    text: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Instance:
    """One item with all its references and outputs (Qin et al. 2018, supplement, Tables 5 and 6)."""

    item: str
    references: tuple[GradedText, ...]
    outputs: tuple[GradedText, ...]


def normalized(metric: Floats, human: Floats, scale: tuple[float, float] = (1.0, 5.0)) -> Floats:
    """Return a metric with the mean and standard deviation of the human scores, clipped to the scale.

    Nan stays nan.

    >>> normalized(np.array([0.0, 0.5, 1.0]), np.array([2.0, 3.0, 4.0])).tolist()
    [2.0, 3.0, 4.0]
    """
    spread = float(np.nanstd(metric))
    centre, width = float(np.nanmean(human)), float(np.nanstd(human))
    if spread <= 1e-12:
        return np.where(np.isnan(metric), np.nan, centre)
    return np.clip(centre + (metric - np.nanmean(metric)) / spread * width, *scale)


def scale_of(human: Floats) -> tuple[float, float]:
    """Return the ends of the human scale: 1 to 5 where scores lie in it, else their smallest and largest."""
    low, high = float(np.nanmin(human)), float(np.nanmax(human))
    return (1.0, 5.0) if low >= 1 and 1.5 < high <= 5 else (low, high)


def compared_metrics(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of metrics whose disagreements are worth reading, else the first two metrics."""
    wanted = [("bleu-1", "meteor"), ("meteor", "w-meteor")]
    chosen = [pair for pair in wanted if set(pair) <= set(names)]
    if not chosen:
        chosen = [(plain, weighted) for weighted, plain in pairs(names)][:1]
    return chosen or [(names[0], names[1])] if len(names) > 1 else []


def disagreements(
    study: Aligned, first: str, second: str, texts: Mapping[tuple[str, str], str], count: int = 4
) -> list[Example]:
    """Return outputs with the largest difference of two normalized metrics, half in each direction."""
    scale = scale_of(study.human)
    places = study.place(first), study.place(second)
    one, two = (normalized(study.metrics[place], study.human, scale) for place in places)
    apart = np.round(one - two, 9)
    order = np.argsort(-np.nan_to_num(apart).ravel(), kind="stable")
    chosen = [*order[: count // 2].tolist(), *order[::-1][: count // 2].tolist()]
    rows = []
    for cell in chosen:
        row, column = divmod(cell, apart.shape[1])
        if np.isnan(apart[row, column]) or apart[row, column] == 0:
            continue
        item, system = study.items[row], study.systems[column]
        rows.append(
            Example(
                item,
                system,
                texts.get((item, system), ""),
                float(study.human[row, column]),
                first,
                float(study.metrics[places[0], row, column]),
                float(one[row, column]),
                second,
                float(study.metrics[places[1], row, column]),
                float(two[row, column]),
            )
        )
    return rows


def scatter_noise(study: Aligned) -> float:
    """Return the standard deviation of the noise on human scores in scatter plots.

    It is .05 on a scale from 1 to 5 where scores come in few steps, else 0.
    """
    used = study.human[~np.isnan(study.human)]
    low, high = scale_of(study.human)
    return _NOISE * (high - low) / 4 if len(np.unique(used)) <= _MOST_STEPS else 0.0


def scatter_points(study: Aligned, name: str, seed: int) -> list[tuple[float, float]]:
    """Human score, with noise where scores come in few steps, and the metric on the human scale.

    At most 2,000 outputs, drawn at random.
    """
    values = normalized(study.metrics[study.place(name)], study.human, scale_of(study.human))
    used = np.flatnonzero(~np.isnan(study.human))
    rng = stream("correlate scatter", seed)
    if len(used) > _POINTS:
        used = np.sort(rng.permutation(used)[:_POINTS])
    people = study.human.ravel()[used] + rng.normal(0, scatter_noise(study), len(used))
    return list(zip(people.round(4).tolist(), values.ravel()[used].round(4).tolist(), strict=True))


def shown_metrics(names: Sequence[str], values: Sequence[float]) -> list[str]:
    """Return three metrics to plot: those of Figure 1 that were studied, then those of highest value.

    >>> shown_metrics(["rouge-1", "meteor", "cider", "chrf"], [0.5, 0.4, 0.2, 0.6])
    ['meteor', 'chrf', 'rouge-1']
    """
    figure = [name for name in ("bleu-1", "meteor", "w-meteor") if name in names]
    best = np.argsort(-np.nan_to_num(np.array(values), nan=-2.0), kind="stable").tolist()
    return [*figure, *(names[place] for place in best if names[place] not in figure)][:3]


def texts_of(systems: Sequence[System]) -> dict[tuple[str, str], str]:
    """Return the text of every output."""
    return {
        (item, system.name): text if isinstance(text, str) else " ".join(text)
        for system in systems
        for item, text in zip(system.ids, system.batch.candidates, strict=True)
    }


def instance(study: Aligned, systems: Sequence[System]) -> Instance | None:
    """Return the item whose references differ most in weight, the first of equals, with all its texts.

    None without texts.
    """
    if not systems:
        return None
    batch, ids = systems[0].batch, systems[0].ids
    known = [place for place, item in enumerate(ids) if item in study.items]
    if not known:
        return None

    def spread(place: int) -> float:
        low, high = batch.reference_offsets[place : place + 2].tolist()
        return round(float(np.ptp(batch.weights[low:high])) if high > low else 0.0, 9)

    place = max(known, key=lambda each: (spread(each), -each))
    low, high = batch.reference_offsets[place : place + 2].tolist()
    item, row = ids[place], study.items.index(ids[place])
    references = [
        GradedText("reference", text if isinstance(text, str) else " ".join(text), weight)
        for text, weight in zip(
            batch.references[low:high], batch.weights[low:high].tolist(), strict=True
        )
    ]
    texts = texts_of(systems)
    outputs = [
        GradedText(name, texts[item, name], float(study.human[row, column]))
        for column, name in enumerate(study.systems)
        if (item, name) in texts and not np.isnan(study.human[row, column])
    ]
    return Instance(item, tuple(references), tuple(outputs))
