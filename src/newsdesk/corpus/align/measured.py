"""How good an aligner is on labelled pairs, as a part of a page: precision against recall, and calibration.

An aligner that was fitted now is measured on later dates than it was fitted on; any other one on the cited sources of the corpus at hand, each
against all events of its date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.align.training import (
    Bin,
    CurvePoint,
    FittedAligner,
    Quality,
    cited_articles,
    labelled_pairs,
    quality,
)
from newsdesk.results.page import Cell, Section
from newsdesk.results.plots import unit_curve
from newsdesk.types import Article, Event

CURVE_POINTS = 200  # of the picture; a page needs no more, and a corpus has a point for every pair


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
    measures["curve"] = tuple(CurvePoint(**each) for each in measures["curve"])
    measures["calibration"] = tuple(Bin(**each) for each in measures["calibration"])
    return MeasuredAligner(Quality(**measures), first_day)


def measured_fit(fitted: FittedAligner) -> MeasuredAligner | None:
    """Return the held-out measures of an aligner that was fitted now; None where there were too few dates."""
    if fitted.held_out is None:
        return None
    return MeasuredAligner(fitted.held_out, fitted.first_held_out_day)


def measured_on_cited(
    aligner: EventAligner, events: Sequence[Event], sources: Iterable[Article], threshold: float
) -> MeasuredAligner | None:
    """Return the measures of an aligner on the cited sources of a corpus; None if it has none."""
    calendar = EventCalendar(events)
    cited = cited_articles(calendar, sources)
    if not cited:
        return None
    pairs = labelled_pairs(calendar, cited, aligner.background, aligner.features)
    probabilities = aligner.probabilities(pairs.matrix)
    return MeasuredAligner(quality(probabilities, pairs.labels, threshold=threshold))


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
    bins = [(each.mean_probability, each.share_positive) for each in values.calibration]
    section.figure(
        unit_curve(
            bins,
            "mean probability of the pairs of a bin",
            "share cited",
            bars=[each.interval for each in values.calibration],
            diagonal=True,
        ),
        "Calibration, with 95 % intervals; on the dotted line a probability is the share that is cited",
    )
    rows: list[list[Cell]] = [
        [f"{each.low:g}–{each.high:g}", each.pairs, each.mean_probability, _share(each)]
        for each in values.calibration
    ]
    return section.table(
        ["probability", "pairs", "mean probability", "share cited [95 % interval]"], rows
    )


def _share(each: Bin) -> str:
    low, high = each.interval
    return f"{each.share_positive:.3f} [{low:.3f}, {high:.3f}]"


def thinned(curve: Sequence[CurvePoint], most: int = CURVE_POINTS) -> list[CurvePoint]:
    """At most so many points of a curve and its two ends, evenly spread over recall."""
    if len(curve) <= most:
        return list(curve)
    chosen: dict[int, CurvePoint] = {}
    for point in curve:
        chosen[int(point.recall * (most - 2))] = point
    return [curve[0], *(point for point in chosen.values() if point not in (curve[0], curve[-1])), curve[-1]]  # fmt: skip
