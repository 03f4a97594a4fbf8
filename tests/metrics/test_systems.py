"""Systems scored side by side: statistics computed once, and the formats that scores are written in."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from newsdesk import samples
from newsdesk.metrics import MeanMetric, metric
from newsdesk.metrics.systems import System, incomplete, join, score_systems
from newsdesk.results.scores import as_csv, as_latex, item_rows, score_rows, write_items
from newsdesk.types import Output, Reference, References

pytestmark = pytest.mark.usefixtures("both_ways")

SPECS = ("rouge-1", "chrf")


def systems() -> list[System]:
    references = [References(each.id, (Reference(each.summary),)) for each in samples.events()]
    return join(samples.outputs(), references, lang="en")


def test_statistics_are_computed_once_for_a_score_and_its_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: Counter[str] = Counter()
    statistics = MeanMetric.statistics

    def counted(self: MeanMetric, batch: Any) -> Any:
        calls[self.name] += 1
        return statistics(self, batch)

    monkeypatch.setattr(MeanMetric, "statistics", counted)
    (result,) = score_systems(systems()[:1], ["rouge-1", "meteor"], samples=50)
    assert calls == {"rouge-1": 1, "meteor": 1}
    assert all(score.ci for score in result.scores)


def test_scores_are_those_of_each_metric_alone() -> None:
    results = score_systems(systems(), SPECS, samples=50)
    assert [each.system.name for each in results] == ["lead", "extract", "fluent", "shaky"]
    rows = list(score_rows(results))
    assert [row["metric"] for row in rows] == list(SPECS) * 4
    texts = {each.id: each.text for each in samples.outputs() if each.system == "fluent"}
    events = samples.events()
    alone = metric("chrf").corpus(
        [texts[each.id] for each in events], [[each.summary] for each in events], lang="en"
    )
    assert rows[5]["value"] == alone.value
    assert rows[5]["signature"] == alone.signature


def test_a_metric_that_is_named_twice_is_shown_twice() -> None:
    results = score_systems(systems()[:1], ["rouge-1", "rouge-1"])
    assert len(list(score_rows(results))) == 2
    assert as_latex(results).count("rouge-1 &") == 1


def test_csv_and_latex_hold_what_the_rows_hold() -> None:
    results = score_systems(systems(), SPECS, samples=50)
    written = list(csv.DictReader(io.StringIO(as_csv(results))))
    for row, each in zip(score_rows(results), written, strict=True):
        assert float(each["value"]) == row["value"]
        assert [float(each["low"]), float(each["high"])] == row["ci"]
    plain = list(csv.DictReader(io.StringIO(as_csv(score_systems(systems(), SPECS)))))
    assert {each["low"] for each in plain} == {""}
    lines = as_latex(results).splitlines()
    assert lines[2] == r"system & rouge-1 & chrf \\"
    assert lines[-1].startswith("% chrf|")


def test_names_are_escaped_in_latex() -> None:
    joined = join([Output("x", "a_b & 5%", "t")], [References("x", (Reference("t"),))], lang="en")
    assert r"a\_b \& 5\% & 1.0000 \\" in as_latex(score_systems(joined, ["rouge-1"]))


def test_every_item_of_every_system_and_metric_is_written(tmp_path: Path) -> None:
    results = score_systems(systems(), SPECS)
    rows = list(item_rows(results))
    assert len(rows) == 4 * 2 * 12
    write_items(tmp_path / "items.csv", results)
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as stream:
        assert [float(row["value"]) for row in csv.DictReader(stream)] == [
            row["value"] for row in rows
        ]


def test_a_system_that_lacks_items_is_named() -> None:
    references = [References(item, (Reference("r"),)) for item in ("x", "y")]
    outputs = [Output("x", "s", "t"), Output("x", "u", "t"), Output("y", "u", "t")]
    assert incomplete(join(outputs, references, lang="en")) == [
        "s answers 1 item where another answers 2; compare with care"
    ]
    assert incomplete(systems()) == []
