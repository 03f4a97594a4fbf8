"""Output formats of system scores: JSON rows, CSV, a LaTeX table, and per-item values."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.metrics.systems import SystemScores
from newsdesk.types import Score

_ITEM_COLUMNS = ("id", "system", "metric", "value")


def score_rows(results: Iterable[SystemScores]) -> Iterator[dict[str, Any]]:
    """A row for each system and metric, as `newsdesk score --json` prints it."""
    for result in results:
        for spec, score in zip(result.metrics, result.scores, strict=True):
            row: dict[str, Any] = {
                "system": result.system.name,
                "metric": spec,
                "signature": score.signature,
                "value": score.value,
            }
            if score.parts:
                row["parts"] = dict(score.parts)
            if score.ci:
                row["ci"] = list(score.ci)
            yield {**row, "n": score.n}


def as_csv(results: Iterable[SystemScores]) -> str:
    """A line for each system and metric, below a header."""
    columns = ("system", "metric", "value", "low", "high", "n", "signature")
    rows = []
    for row in score_rows(results):
        low, high = row.get("ci", ("", ""))
        rows.append({**row, "low": low, "high": high})
    return _csv(columns, rows).rstrip("\n")


def as_latex(results: Sequence[SystemScores]) -> str:
    """A `tabular` with a row for each system, and the signatures below it as comments."""
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
    """A score as it stands in a table, with the ends of its interval if it has one.

    >>> score_cell(Score(0.5, "rouge-1", 12, ci=(0.25, 0.75)))
    '0.5000 [0.2500, 0.7500]'
    """
    ends = "" if score.ci is None else f" [{score.ci[0]:.4f}, {score.ci[1]:.4f}]"
    return f"{score.value:.4f}{ends}"


def signatures(results: Iterable[SystemScores]) -> list[str]:
    """Every signature once, in the order of the scores."""
    return list(dict.fromkeys(score.signature for result in results for score in result.scores))


def item_rows(results: Iterable[SystemScores]) -> Iterator[dict[str, Any]]:
    """A row for each system, metric and item."""
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
