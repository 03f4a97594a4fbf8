"""Scores of systems: as JSON rows, CSV, LaTeX and per-item values, and as a chapter with its verdict."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.metrics.systems import SystemScores
from newsdesk.records.schema import schema_of
from newsdesk.results.page import Chapter, Section, table_section
from newsdesk.results.part import ResultPart
from newsdesk.results.plots import intervals
from newsdesk.results.table import PValue, ranged, with_ends
from newsdesk.results.verdict import SystemDifference, SystemValue, leader_verdict
from newsdesk.types import Score
from newsdesk.wording import plural

_PICTURED = 3  # metrics whose picture is not folded
_ITEM_COLUMNS = ("id", "system", "metric", "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSystem(ResultPart):
    """The score of one system in one metric."""

    system: str
    metric: str
    signature: str
    value: float
    parts: Mapping[str, float] | None = None
    ci: tuple[float, float] | None = None
    n: int


@dataclass(frozen=True, slots=True)
class ScoreDifference(ResultPart):
    """The difference of two systems in one metric, first minus second, and its test."""

    first: str
    second: str
    metric: str
    difference: float
    ci: tuple[float, float] | None
    p: float
    p_corrected: float
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class ScoresResult(ResultPart):
    """What `newsdesk score --json` prints: scores, and tests between every two systems if asked for."""

    scores: tuple[ScoredSystem, ...]
    comparisons: tuple[ScoreDifference, ...] = ()

    def values(self, metric: str) -> list[SystemValue]:
        """Return the systems in one metric."""
        rows = (row for row in self.scores if row.metric == metric)
        return [SystemValue(row.system, row.value, row.ci) for row in rows]


def score_rows(results: Iterable[SystemScores]) -> Iterator[dict[str, Any]]:
    """Yield a row for each system and metric, as `newsdesk score --json` prints it."""
    for result in results:
        for spec, score in zip(result.metrics, result.scores, strict=True):
            row = ScoredSystem(
                system=result.system.name,
                metric=spec,
                signature=score.signature,
                value=score.value,
                parts=dict(score.parts) or None,
                ci=score.ci,
                n=score.n,
            )
            yield schema_of(ScoredSystem).encode(row)


def as_csv(results: Iterable[SystemScores]) -> str:
    """Return a line for each system and metric, below a header."""
    columns = ("system", "metric", "value", "low", "high", "n", "signature")
    rows = []
    for row in score_rows(results):
        low, high = row.get("ci", ("", ""))
        rows.append({**row, "low": low, "high": high})
    return _csv(columns, rows).rstrip("\n")


def as_latex(results: Sequence[SystemScores]) -> str:
    """Return a `tabular` with a row for each system, and the signatures below it as comments."""
    metrics = results[0].metrics if results else ()
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}",
        r"\toprule",
        _latex_cells(["system", *metrics]),
        r"\midrule",
        *(
            _latex_cells([result.system.name, *map(score_cell, result.scores)])
            for result in results
        ),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, *(f"% {signature}" for signature in signatures(results))])


def score_cell(score: Score) -> str:
    """Return a score as it stands in a table, with the ends of its interval if it has one.

    >>> score_cell(Score(0.5, "rouge-1", 12, ci=(0.25, 0.75)))
    '0.5000 [0.2500, 0.7500]'
    """
    return with_ends(score.value, score.ci)


def signatures(results: Iterable[SystemScores]) -> list[str]:
    """Return every signature once, in the order of the scores."""
    return list(dict.fromkeys(score.signature for result in results for score in result.scores))


def item_rows(results: Iterable[SystemScores]) -> Iterator[dict[str, Any]]:
    """Yield a row for each system, metric and item."""
    for result in results:
        name = result.system.name
        for spec, score in zip(result.metrics, result.scores, strict=True):
            for item, value in zip(result.system.ids, score.items or (), strict=True):
                yield {"id": item, "system": name, "metric": spec, "value": value}


def write_items(
    path: str | os.PathLike[str], results: Iterable[SystemScores], *, overwrite: bool = True
) -> None:
    """Write the value of every item as JSONL, or as CSV where the name ends so."""
    with atomic(path, overwrite=overwrite) as stream:
        if os.fspath(path).endswith(".csv"):
            stream.write(_csv(_ITEM_COLUMNS, item_rows(results)).encode("utf-8"))
        else:
            stream.writelines(map(json_line, item_rows(results)))


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _latex_cells(values: Iterable[str]) -> str:
    return " & ".join(re.sub(r"([&%$#_{}])", r"\\\1", value) for value in values) + r" \\"


def scores_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show scores: a verdict on the first metric, a picture per metric, the table, folded tests."""
    result = ScoresResult.decode(content)
    rows, tests = result.scores, result.comparisons
    metrics = list(dict.fromkeys(row.metric for row in rows))
    systems = list(dict.fromkeys(row.system for row in rows))
    verdict = leader_verdict(
        metrics[0],
        result.values(metrics[0]),
        [
            SystemDifference(test.first, test.second, test.difference, test.ci, test.p_corrected)
            for test in tests
            if test.metric == metrics[0]
        ],
        advice="add --significance",
    )
    section = Section("Scores", _lead(rows, len(systems)))
    more = Section(f"Pictures of {plural(max(len(metrics) - _PICTURED, 0), 'more metric')}")
    for index, metric in enumerate(metrics):
        values = result.values(metric)
        if any(value.ci for value in values):
            target = section if index < _PICTURED else more
            picture = intervals([value.bar for value in values], metric)
            target.figure(picture, f"{metric}, with 95 % intervals over items.")
    cells = {(row.system, row.metric): ranged(row.value, row.ci) for row in rows}
    items_of = {row.system: row.n for row in reversed(rows)}  # that of the first metric stays
    section.fold(more).table(
        ("system", *metrics, "n"),
        [
            (name, *(cells.get((name, metric)) for metric in metrics), items_of[name])
            for name in systems
        ],
    )
    section.fold(_tests(tests)).fold(
        parts_section("metric", [(row.system, row.metric, row.parts) for row in rows])
    )
    signatures = [row.signature for row in rows] + [test.signature for test in tests]
    return Chapter(verdict, section.signatures(signatures))


def _lead(rows: Sequence[ScoredSystem], systems: int) -> str:
    sizes = {row.n for row in rows}
    items = plural(max(sizes), "item")
    return f"{plural(systems, 'system')} on {'up to ' if len(sizes) > 1 else ''}{items}."


def _tests(tests: Sequence[ScoreDifference]) -> Section:
    """Show the tests as one table; an empty section without any."""
    return table_section(
        "Tests between every two systems",
        ("metric", "first", "second", "difference", "p", "p corrected", "n"),
        [
            (
                test.metric,
                test.first,
                test.second,
                ranged(test.difference, test.ci),
                PValue(test.p),
                PValue(test.p_corrected),
                test.n,
            )
            for test in tests
        ],
    )


def parts_section(
    measure: str, rows: Iterable[tuple[str, str, Mapping[str, float] | None]]
) -> Section:
    """Show the parts of scores (precision, recall, F) of rows that have any: system, measure, parts.

    `measure` is the header of the second column.
    """
    kept = [(system, name, parts) for system, name, parts in rows if parts]
    part_names = list(dict.fromkeys(part for *_, parts in kept for part in parts))
    return table_section(
        "Precision, recall and F",
        ("system", measure, *part_names),
        [(system, name, *map(parts.get, part_names)) for system, name, parts in kept],
    )
