"""A study of correlations as JSON and as a plain table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from newsdesk.metrics.systems import System
from newsdesk.results.part import plain
from newsdesk.studies.correlate.between import MetricTest
from newsdesk.studies.correlate.coefficients import COEFFICIENTS
from newsdesk.studies.correlate.control import Gain
from newsdesk.studies.correlate.correlations import Correlations
from newsdesk.studies.correlate.examples import (
    compared_metrics,
    disagreements,
    instance,
    scatter_noise,
    scatter_points,
    shown_metrics,
    texts_of,
)
from newsdesk.studies.correlate.study import Correlation, Part
from newsdesk.studies.correlate.verdict import notes, verdict


def correlations_json(result: Correlations, systems: Sequence[System] = ()) -> dict[str, Any]:
    """The study as `newsdesk study correlate --json` prints it; with the texts (`systems`) examples and one whole instance have theirs."""
    texts = texts_of(systems)
    studies = [part.study for part in result.parts]
    examples = [
        {"question": study.question, **asdict(example)}
        for study in studies
        for first, second in compared_metrics(study.names)
        for example in disagreements(study, first, second, texts)
    ]
    whole = instance(studies[0], systems)
    return plain(
        {
            "correlations": [_row(correlation) for correlation in result.correlations],
            "tests": [{**asdict(test), "holds": test.holds} for test in result.tests],
            "gains": [_gain(gain) for gain in result.gains],
            "pairs": [asdict(accuracy) for accuracy in result.accuracies],
            "close": [asdict(each) for each in result.close],
            "examples": examples,
            "instance": None if whole is None else asdict(whole),
            "scatter": [
                {
                    "metric": name,
                    "human": study.question,
                    "noise": scatter_noise(study),
                    "points": scatter_points(study, name, result.settings.seed),
                }
                for study, part in zip(studies, result.parts, strict=True)
                for name in shown_metrics(study.names, _within_items(part))
            ],
            "verdict": verdict(result),
            "notes": notes(result),
        }
    )


def _within_items(part: Part) -> list[float]:
    """Spearman of each metric within items, or pooled where no item has a correlation."""
    within, pooled = (part.estimates[level, "spearman"] for level in ("item", "pooled"))
    defined = any(each.n for each in within)
    return [each.value for each in (within if defined else pooled)]


def _row(row: Correlation) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "human": row.human,
        "level": row.level,
        **{name: asdict(row.values[name]) for name in COEFFICIENTS},
        "n": row.n,
        "signature": row.signature,
    }


def _gain(row: Gain) -> dict[str, Any]:
    return {**asdict(row), "survives": row.survives, "confounded": row.confounded}


def cell(value: float | None, ends: tuple[float, float] | None) -> str:
    """A number to three digits with the ends of its interval.

    >>> cell(0.49751, (0.4412, 0.55)), cell(None, None)
    ('0.498 [0.441, 0.550]', '-')
    """
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:.3f}" + (f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else "")


def correlation_cells(row: Correlation) -> list[str | int]:
    """A row of the table of correlations: metric, level, coefficients with intervals, n."""
    values = (row.values[name] for name in ("pearson", "spearman", "kendall"))
    return [row.metric, row.level, *(cell(value.value, value.ci) for value in values), row.n]


def shown_tests(result: Correlations, most: int = 12) -> list[MetricTest]:
    """The permutation tests of Spearman that a reader wants first: within items where there are any, smallest p first."""
    levels = {test.level for test in result.tests}
    level = "item" if "item" in levels else "pooled"
    chosen = [
        test
        for test in result.tests
        if test.test == "permutation" and test.coefficient == "spearman" and test.level == level
    ]
    return sorted(chosen, key=lambda test: (test.p_corrected, test.p))[:most]
