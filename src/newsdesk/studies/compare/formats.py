"""A comparison of systems as JSON, and its verdict in one sentence."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from newsdesk.results.part import plain
from newsdesk.results.verdict import SURE, rivals_text
from newsdesk.studies.compare.ranks import RankStudy
from newsdesk.studies.compare.systems import MeasuredDifference, SystemMeasure, SystemStudy
from newsdesk.wording import listed

_PAIR_FIELDS = (
    *("measure", "kind", "first", "second", "difference", "ci", "p", "p_corrected"),
    *("wins", "ties", "losses", "equal_length", "equal_length_ci", "n", "signature"),
)


def compare_json(study: SystemStudy) -> dict[str, Any]:
    """Return the comparison as `newsdesk study compare --json` prints it."""
    return plain(
        {
            "systems": [_system(study, name) for name in study.systems],
            "comparisons": [
                {name: getattr(pair, name) for name in _PAIR_FIELDS} for pair in study.comparisons
            ],
            "ranks": [_ranks(rank) for rank in study.ranks],
            "lengths": [
                {"measure": slope.measure, "per_doubling": slope.slope, "ci": slope.ci}
                for slope in study.slopes
            ],
            "verdict": verdict(study),
        }
    )


def _system(study: SystemStudy, name: str) -> dict[str, Any]:
    measures = {
        row.measure: {
            "kind": row.kind,
            "value": row.value,
            "ci": row.ci,
            "parts": dict(row.parts),
            "n": row.n,
            "groups": row.groups,
            "signature": row.signature,
        }
        for row in study.measured
        if row.system == name
    }
    return {"system": name, "measures": measures, "words": study.words.get(name)}


def _ranks(study: RankStudy) -> dict[str, Any]:
    return {
        "human": study.question,
        "systems": [asdict(system) for system in study.systems],
        "friedman": {"statistic": study.statistic, "p": study.p, "blocks": study.blocks},
        "critical_distance": study.distance,
        "duels": {
            "systems": study.order,
            "wins": study.duels.wins.tolist(),
            "ties": study.duels.ties.tolist(),
        },
        "note": study.note,
    }


def verdict(study: SystemStudy) -> str:
    """Name the leading system, whom it cannot be told apart from, and what length explains.

    It leads by the first human question, or else the first metric.
    """
    measure = _primary(study)
    rows = study.of(measure)
    best = rows[0]
    said = (
        f"{best.system} leads by {measure} ({best.value:.3f} [{best.ci[0]:.3f}, {best.ci[1]:.3f}])"
    )
    pairs = [
        comparison for comparison in study.comparisons
        if comparison.measure == measure and best.system in (comparison.first, comparison.second)
    ]  # fmt: skip
    if not pairs:
        return f"{said}."
    equal = [_other(pair, best) for pair in pairs if pair.p_corrected >= SURE]
    said += rivals_text(equal, ", ahead of every other system")
    by_length = [
        _other(pair, best) for pair in pairs if pair.p_corrected < SURE and _explained(pair, best)
    ]
    if by_length:
        said += f"; at equal length its lead over {listed(by_length)} is not sure"
    return f"{said}."


def _primary(study: SystemStudy) -> str:
    human = [row.measure for row in study.measured if row.kind == "human"]
    return "overall" if "overall" in human else study.measures[0]


def _other(pair: MeasuredDifference, best: SystemMeasure) -> str:
    return pair.second if pair.first == best.system else pair.first


def _explained(pair: MeasuredDifference, best: SystemMeasure) -> bool:
    """Return True if the lead's interval at equal length holds zero or lies on the other side."""
    if pair.equal_length_ci is None:
        return False
    low, high = pair.equal_length_ci
    return low <= 0 if pair.first == best.system else high >= 0
