"""The chapter of `newsdesk score --json`: systems by metric, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from newsdesk.results.page import Section
from newsdesk.results.plots import intervals
from newsdesk.results.table import Cell, PValue, ranged
from newsdesk.studies.report.chapter import (
    Chapter,
    Content,
    Difference,
    Measured,
    ends_of,
    leader_verdict,
)
from newsdesk.wording import plural

_PICTURED = 3  # metrics whose picture is not folded


def scores_chapter(content: Content) -> Chapter:
    """Scores of systems: a verdict on the first metric, a picture per metric, the table, and the tests folded."""
    rows = content["scores"]
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    by_key = {(row["system"], row["metric"]): row for row in rows}
    tests = content.get("comparisons") or ()
    verdict = leader_verdict(
        metrics[0],
        [_measured(row) for row in rows if row["metric"] == metrics[0]],
        [_difference(test) for test in tests if test["metric"] == metrics[0]],
        advice="add --test",
    )
    section = Section("Scores", _lead(rows, len(systems)))
    more = Section(f"Pictures of {plural(max(len(metrics) - _PICTURED, 0), 'more metric')}")
    for place, metric in enumerate(metrics):
        points = [_measured(row) for row in rows if row["metric"] == metric]
        if any(point.ci for point in points):
            bars = [
                (point.system, point.value, *(point.ci or (point.value,) * 2)) for point in points
            ]
            target = section if place < _PICTURED else more
            target.figure(intervals(bars, metric), f"{metric}, with 95 % intervals over items.")
    section.fold(more)
    section.table(
        ("system", *metrics, "n"),
        [
            (
                system,
                *(_cell(by_key.get((system, metric))) for metric in metrics),
                next(row["n"] for row in rows if row["system"] == system),
            )
            for system in systems
        ],
    )
    section.fold(_tests(tests)).fold(_parts(rows))
    signatures = [row["signature"] for row in rows] + [test["signature"] for test in tests]
    return Chapter(verdict, section.signatures(signatures))


def _lead(rows: Sequence[dict[str, Any]], systems: int) -> str:
    sizes = sorted({row["n"] for row in rows})
    items = plural(sizes[-1], "item")
    return f"{plural(systems, 'system')} on {'up to ' if len(sizes) > 1 else ''}{items}."


def _measured(row: dict[str, Any]) -> Measured:
    return Measured(row["system"], row["value"], ends_of(row.get("ci")))


def _difference(row: dict[str, Any]) -> Difference:
    p = row.get("p_corrected", row.get("p"))
    return Difference(row["first"], row["second"], row["difference"], ends_of(row["ci"]), p)


def _cell(row: dict[str, Any] | None) -> Cell:
    return None if row is None else ranged(row["value"], row.get("ci"))


def _tests(tests: Sequence[dict[str, Any]]) -> Section:
    section = Section("Tests between every two systems")
    if not tests:
        return section
    return section.table(
        ("metric", "first", "second", "difference", "p", "p corrected", "n"),
        [
            (
                test["metric"],
                test["first"],
                test["second"],
                ranged(test["difference"], test["ci"]),
                PValue(test["p"]),
                PValue(test["p_corrected"]),
                test["n"],
            )
            for test in tests
        ],
    )


def _parts(rows: Sequence[dict[str, Any]]) -> Section:
    section = Section("Precision, recall and F")
    with_parts = [row for row in rows if row.get("parts")]
    if not with_parts:
        return section
    names = list(dict.fromkeys(name for row in with_parts for name in row["parts"]))
    return section.table(
        ("system", "metric", *names),
        [
            (row["system"], row["metric"], *(row["parts"].get(name) for name in names))
            for row in with_parts
        ],
    )
