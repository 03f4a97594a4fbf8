"""How good an aligner is on labelled pairs: precision against recall and calibration, as values and as a part of a page; and fitting one with its measures.

An aligner that is fitted now is measured chronologically: fitted on earlier dates, measured on later ones, and then fitted on all dates. Any other one is
measured on the cited sources of the corpus at hand, each against all events of its date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.features import EventCalendar, FeatureSet
from newsdesk.corpus.align.model import (
    ALIGNERS,
    CitedArticle,
    EventAligner,
    cited_articles,
    labelled_pairs,
)
from newsdesk.errors import ArgumentError
from newsdesk.results.page import Cell, Section
from newsdesk.results.plots import unit_curve
from newsdesk.stats.intervals import wilson_ends
from newsdesk.types import Article, Event

TRAIN_SHARE = 0.8
CURVE_POINTS = 200  # of the picture; a page needs no more, and a corpus has a point for every pair


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Precision and recall of the pairs whose probability reaches a threshold."""

    threshold: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of probabilities between two bounds: how many, their mean, and the share of positives."""

    low: float
    high: float
    pairs: int
    mean_probability: float
    share_positive: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, as if pairs were independent."""
        return wilson_ends(self.share_positive, self.pairs)


@dataclass(frozen=True, slots=True)
class Quality:
    """The measures of a classifier on pairs that it was not fitted on."""

    pairs: int
    positives: int
    average_precision: float
    at_threshold: CurvePoint
    curve: tuple[CurvePoint, ...]
    calibration: tuple[Bin, ...]


def quality(probabilities: ArrayLike, labels: ArrayLike, *, threshold: float = 0.9) -> Quality:
    """Return all measures at once; pairs of equal probability stand or fall together."""
    scores, truth = _pairs(probabilities, labels)
    curve = precision_recall(scores, truth)
    reached = truth[scores >= threshold]
    at = CurvePoint(
        threshold,
        precision=float(reached.mean()) if len(reached) else 0.0,
        recall=float(reached.sum() / truth.sum()),
    )
    return Quality(
        pairs=len(truth),
        positives=int(truth.sum()),
        average_precision=average_precision(scores, truth),
        at_threshold=at,
        curve=curve,
        calibration=calibration(scores, truth),
    )


def precision_recall(probabilities: ArrayLike, labels: ArrayLike) -> tuple[CurvePoint, ...]:
    """Return one point for each distinct probability, from the highest down.

    >>> [(point.precision, point.recall) for point in precision_recall([0.9, 0.8, 0.8], [1, 0, 1])]
    [(1.0, 0.5), (0.6666666666666666, 1.0)]
    """
    scores, truth = _pairs(probabilities, labels)
    thresholds, hits, reached = _cumulated(scores, truth)
    total = int(truth.sum())
    rows = zip(thresholds.tolist(), hits.tolist(), reached.tolist(), strict=True)
    return tuple(CurvePoint(score, hit / count, hit / total) for score, hit, count in rows)


def average_precision(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Return Σ (recall step) · precision over the curve, without interpolation.

    >>> average_precision([0.9, 0.8, 0.7], [1, 0, 1])
    0.8333333333333333
    """
    scores, truth = _pairs(probabilities, labels)
    _, hits, reached = _cumulated(scores, truth)
    steps = np.diff(hits, prepend=0) / truth.sum()
    return float((steps * hits / reached).sum())


def precision_at(curve: Sequence[CurvePoint], recall: float) -> float:
    """Return the highest precision among the points that reach a recall."""
    return max((point.precision for point in curve if point.recall >= recall), default=0.0)


def calibration(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> tuple[Bin, ...]:
    """Return the bins of equal width that hold at least one pair."""
    scores, truth = _pairs(probabilities, labels)
    numbers = np.minimum((scores * bins).astype(np.int64), bins - 1)
    table = []
    for number in np.unique(numbers).tolist():
        inside = numbers == number
        table.append(
            Bin(
                low=number / bins,
                high=(number + 1) / bins,
                pairs=int(inside.sum()),
                mean_probability=float(scores[inside].mean()),
                share_positive=float(truth[inside].mean()),
            )
        )
    return tuple(table)


def _pairs(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, Ints]:
    """Return scores and labels as arrays; refuse unpaired ones, and labels without a positive."""
    scores = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(labels, dtype=np.int64)
    if scores.shape != truth.shape or scores.ndim != 1:
        raise ArgumentError(f"{scores.shape} probabilities and {truth.shape} labels are not paired")
    if not truth.sum():
        raise ArgumentError("no pair is positive: precision and recall are not defined")
    return scores, truth


def _cumulated(scores: Floats, truth: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the distinct scores from the highest, with how many positives and how many pairs reach each."""
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(truth[order])
    last = np.append(np.diff(ordered) != 0, True)  # of each run of equal scores
    return ordered[last], hits[last], np.flatnonzero(last) + 1


@dataclass(frozen=True, slots=True)
class MeasuredAligner:
    """The measures of an aligner, and the first held-out day; None where all cited sources were measured."""

    quality: Quality
    first_day: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a report: `held_out` with its first day, or `cited_sources`."""
        if self.first_day is None:
            return {"cited_sources": asdict(self.quality)}
        return {"held_out": {"from": self.first_day, **asdict(self.quality)}}


def measured_from(values: Mapping[str, Any]) -> MeasuredAligner | None:
    """Return what `as_json` wrote into an object; None if it holds no measures."""
    measures = {**values.get("held_out", values.get("cited_sources", {}))}
    if not measures:
        return None
    first_day = measures.pop("from", None)
    measures["at_threshold"] = CurvePoint(**measures["at_threshold"])
    measures["curve"] = tuple(CurvePoint(**point) for point in measures["curve"])
    measures["calibration"] = tuple(Bin(**row) for row in measures["calibration"])
    return MeasuredAligner(Quality(**measures), first_day)


def measured_on(pairs: Iterable[Mapping[str, Any]], threshold: float) -> MeasuredAligner | None:
    """Return the measures on all pairs; None if there is none.

    Each part of `pairs` holds the lists `probabilities` and `labels`.
    """
    scores: list[float] = []
    labels: list[int] = []
    for part in pairs:
        scores += part["probabilities"]
        labels += part["labels"]
    return MeasuredAligner(quality(scores, labels, threshold=threshold)) if labels else None


@dataclass(frozen=True, slots=True, eq=False)
class FittedAligner:
    """An aligner, and what one fitted on earlier dates reached on later ones, if there are enough."""

    aligner: EventAligner
    train_pairs: int
    held_out: MeasuredAligner | None


def fit_aligner(
    events: Sequence[Event],
    articles: Iterable[Article],
    *,
    features: FeatureSet = "rich",
    threshold: float = 0.9,
    engine: str = "inline",
) -> FittedAligner:
    """Fit an aligner on the articles that events cite; the later dates, a fifth, are held out."""
    calendar = EventCalendar(events)
    sources = cited_articles(calendar, articles)
    cut = _first_held_out_day(calendar, sources)
    held_out = None
    if cut is not None:
        earlier = [source for source in sources if _day(calendar, source) < cut]
        later = [source for source in sources if _day(calendar, source) >= cut]
        past = EventCalendar([event for event in calendar.events if event.date < cut])
        seen = cited_articles(past, [source.article for source in earlier])
        trial: EventAligner = ALIGNERS.make(features).fit_sources(past, seen, engine)
        pairs = labelled_pairs(calendar, later, trial.background_, features)
        scores = trial.probabilities(pairs.matrix)
        held_out = MeasuredAligner(quality(scores, pairs.labels, threshold=threshold), cut)
    aligner = ALIGNERS.make(features).fit_sources(calendar, sources, engine)
    return FittedAligner(aligner, len(sources), held_out)


def _day(calendar: EventCalendar, source: CitedArticle) -> str:
    """Return the date of the first event that cites an article."""
    return calendar.events[source.events[0]].date


def _first_held_out_day(calendar: EventCalendar, sources: Sequence[CitedArticle]) -> str | None:
    """Return the first held-out day; None where either side would lack a date with several events."""
    days = sorted(_day(calendar, source) for source in sources)
    if not days:
        return None
    cut = days[int(TRAIN_SHARE * len(days))]
    several = [day for day in dict.fromkeys(days) if len(calendar.on(day)) > 1]
    both = any(day < cut for day in several) and any(day >= cut for day in several)
    return cut if both else None


def measured_section(measured: MeasuredAligner | None, aligner: str) -> Section:
    """Return both curves with the numbers behind them; `aligner` is its signature."""
    section = Section("How good the aligner is").code(aligner)
    if measured is None:
        return section.text(
            "Not measured: a corpus without obtained cited sources, or with too few dates of several events, has no labelled pairs."
        )
    values = measured.quality
    where = (
        "all cited sources of this corpus, each against every event of its date; if the aligner was fitted on them, the measures are too high"
        if measured.first_day is None
        else f"the cited sources from {measured.first_day} on, after fitting on earlier dates"
    )
    section.text(
        f"Measured on {where}: {values.pairs:,} pairs, of which {values.positives:,} are cited; average precision {values.average_precision:.4f}. "
        "A pair counts as wrong where the event does not cite the article, even if the article reports it."
    )
    at = values.at_threshold
    mark = (f"probability ≥ {at.threshold:g}", at.recall, at.precision)
    curve = [(point.recall, point.precision) for point in thinned(values.curve)]
    section.figure(
        unit_curve(curve, "recall", "precision", mark=mark),
        f"Precision against recall; at probability {at.threshold:g} precision {at.precision:.4f}, recall {at.recall:.4f}",
    )
    bins = [(part.mean_probability, part.share_positive) for part in values.calibration]
    section.figure(
        unit_curve(
            bins,
            "mean probability of the pairs of a bin",
            "share cited",
            bars=[part.interval for part in values.calibration],
            diagonal=True,
        ),
        "Calibration, with 95 % intervals; on the dotted line a probability is the share that is cited",
    )
    rows: list[list[Cell]] = [
        [f"{part.low:g}–{part.high:g}", part.pairs, part.mean_probability, _share(part)]
        for part in values.calibration
    ]
    return section.table(
        ["probability", "pairs", "mean probability", "share cited [95 % interval]"], rows
    )


def _share(part: Bin) -> str:
    low, high = part.interval
    return f"{part.share_positive:.3f} [{low:.3f}, {high:.3f}]"


def thinned(curve: Sequence[CurvePoint], most: int = CURVE_POINTS) -> list[CurvePoint]:
    """Return at most so many points of a curve and its two ends, evenly spread over recall."""
    if len(curve) <= most:
        return list(curve)
    chosen: dict[int, CurvePoint] = {}  # the last point of each step of recall
    for point in curve:
        chosen[int(point.recall * (most - 2))] = point
    return [curve[0], *(point for point in chosen.values() if point not in (curve[0], curve[-1])), curve[-1]]  # fmt: skip
