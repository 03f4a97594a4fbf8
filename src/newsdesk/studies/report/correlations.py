"""The chapter of `newsdesk study correlate --json`: metrics against people, pooled, within items and over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.pages.page import Section, Verdict
from newsdesk.pages.plots import intervals
from newsdesk.pages.table import Cell, PValue, ranged
from newsdesk.studies.report.chapter import Chapter, Content, ends_of
from newsdesk.wording import plural

_COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall_c")
_TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall tau-b", "kendall_c": "tau-c"}  # fmt: skip
_LEVELS = {"item": "within items", "pooled": "pooled over items", "system": "over systems"}
_HUMAN = "Human"
_MOST_TESTS = 400  # rows of the folded table; the JSON has all


def correlations_chapter(content: Content) -> Chapter:
    """Correlations of metrics with each human question: the best within items, pictures, tables by level, gains of weighting, and tests folded."""
    rows = content["correlations"]
    questions = list(dict.fromkeys(row["human"] for row in rows))
    levels = [level for level in _LEVELS if any(row["level"] == level for row in rows)]
    section = Section("Metrics against people", _lead(rows, questions))
    for question in questions:
        asked = [row for row in rows if row["human"] == question]
        part = Section(f"Against {question}")
        for level in levels[:2]:
            bars = [_bar(row) for row in asked if row["level"] == level and _known(row)]
            if bars:
                caption = (
                    f"Spearman correlation with {question}, {_LEVELS[level]}, with 95 % intervals."
                )
                part.figure(intervals(bars, f"Spearman, {_LEVELS[level]}"), caption)
        for level in levels:
            chosen = [row for row in asked if row["level"] == level]
            target = Section(f"Correlations {_LEVELS[level]}") if level != levels[0] else part
            target.table(*_table(chosen), f"Correlation with {question}, {_LEVELS[level]}")
            if target is not part:
                part.fold(target)
        section.include(part)
    section.fold(_gains(content.get("gains") or ())).fold(_pairs(content.get("pairs") or ()))
    section.fold(_tests(content.get("tests") or ()))
    for note in content.get("notes") or ():
        section.text(note)
    section.signatures([row["signature"] for row in rows])
    return Chapter(_verdict(content, rows, questions[0], levels[0]), section)


def _lead(rows: Sequence[Mapping[str, Any]], questions: Sequence[str]) -> str:
    metrics = {row["metric"] for row in rows} - {_HUMAN}
    most = max(row["n"] for row in rows)
    return f"{plural(len(metrics), 'metric')} against {plural(len(questions), 'human question')} on up to {plural(most, 'output')}."


def _known(row: Mapping[str, Any]) -> bool:
    return row["spearman"] is not None and row["spearman"]["value"] is not None


def _bar(row: Mapping[str, Any]) -> tuple[str, float, float, float]:
    value = row["spearman"]["value"]
    return (row["metric"], value, *(ends_of(row["spearman"].get("ci")) or (value, value)))


def _verdict(
    content: Content, rows: Sequence[Mapping[str, Any]], question: str, level: str
) -> Verdict:
    """The sentence of the study, with the highest Spearman correlation; without one it is named here."""
    candidates = [
        row
        for row in rows
        if (row["human"], row["level"]) == (question, level)
        and row["metric"] != _HUMAN
        and _known(row)
    ]
    if not candidates:
        return Verdict(content.get("verdict") or "No correlation could be computed.")
    best = max(candidates, key=lambda row: float(row["spearman"]["value"]))
    name = f"{best['metric']} correlates best with {question} {_LEVELS[level]}."
    ends = ends_of(best["spearman"].get("ci"))
    label = f"Spearman of {best['metric']} with {question}, {_LEVELS[level]}"
    return Verdict(content.get("verdict") or name, best["spearman"]["value"], ends, label)


def _table(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    shown = [name for name in _COEFFICIENTS if any(row.get(name) for row in rows)]
    body: list[tuple[Cell, ...]] = [
        (row["metric"], *(_cell(row.get(name)) for name in shown), row["n"]) for row in rows
    ]
    return ("metric", *(_TITLES[name] for name in shown), "n"), body


def _cell(coefficient: Mapping[str, Any] | None) -> Cell:
    return None if not coefficient else ranged(coefficient["value"], coefficient.get("ci"))


def _gains(gains: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("Gains of weighting, and what is left of them with shuffled weights")
    if not gains:
        return section
    return section.table(
        ("weighted", "question", "level", "coefficient", "gain", "shuffled", "net"),
        [
            (
                each["weighted"],
                each["human"],
                each["level"],
                _TITLES[each["coefficient"]],
                ranged(each["gain"], each["ci"]),
                ranged(each["shuffled"], each["shuffled_ci"]),
                ranged(each["net"], each["net_ci"]),
            )
            for each in gains
        ],
        "A gain that survives shuffling comes from the item, not from its weights",
    )


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("Accuracy on pairs of outputs")
    if not pairs:
        return section
    return section.table(
        ("metric", "question", "accuracy", "with ties calibrated", "pairs"),
        [
            (
                each["metric"],
                each["human"],
                ranged(each["accuracy"], each["ci"]),
                ranged(each["calibrated"], each["calibrated_ci"]),
                each["n"],
            )
            for each in pairs
        ],
    )


def _tests(tests: Sequence[Mapping[str, Any]]) -> Section:
    """The tests of Spearman correlations; of many only those on pairs that differ most surely."""
    chosen = [each for each in tests if each.get("coefficient", "spearman") == "spearman"]
    chosen = sorted(chosen, key=lambda each: float(each["p"]))[:_MOST_TESTS]
    title = "Tests between metrics (Spearman)"
    section = Section(title if len(chosen) < _MOST_TESTS else f"{title}: the {_MOST_TESTS} surest")
    if not chosen:
        return section
    return section.table(
        ("question", "level", "first", "second", "difference", "p", "p corrected", "test"),
        [
            (
                each["human"],
                each["level"],
                each["first"],
                each["second"],
                ranged(each["difference"], each.get("ci")),
                PValue(each["p"]),
                PValue(each["p_corrected"]),
                each.get("test"),
            )
            for each in chosen
        ],
    )
