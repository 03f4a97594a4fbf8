"""The chapter of `newsdesk study correlate --json`: metrics against people, pooled, within items and over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.results.densities import density_scatter
from newsdesk.results.page import Section, Verdict
from newsdesk.results.plots import grouped_intervals
from newsdesk.results.table import Cell, ranged
from newsdesk.studies.report.chapter import Chapter, Content, ends_of
from newsdesk.studies.report.disagreements import disagreements_part, instance_part
from newsdesk.studies.report.metric_tests import close_part, gains_part, pairs_part, tests_part
from newsdesk.wording import plural

COEFFICIENTS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall tau-b", "kendall_c": "tau-c"}  # fmt: skip
_LEVELS = {"item": "within items", "pooled": "pooled over items", "system": "over systems"}
_MEANINGS = {
    "item": "over the systems of each item, then averaged: which output of one article is better",
    "pooled": "over all outputs at once: easy and hard articles count too",
    "system": "over the systems' means: which system is better",
}
_HUMAN = "Human"
_FEW_SYSTEMS = (
    6  # up to which intervals of rank correlations are conservative (`python -m research coverage`)
)
_STEPS = "Over so few systems a rank correlation has few possible values, and its interval is too wide rather than too narrow: believe that of Pearson."
_NARROW = "Over systems the interval of a rank correlation can be a little too narrow (simulated ones covered 91.8 to 95.4 %): where it is close, believe that of Pearson, which holds."


def correlations_chapter(content: Content) -> Chapter:
    """Correlations of metrics with each human question: scatter plots, intervals, tables by level, gains of weighting, disagreements, tests."""
    rows = content["correlations"]
    questions = list(dict.fromkeys(row["human"] for row in rows))
    levels = [level for level in _LEVELS if any(row["level"] == level for row in rows)]
    section = Section("Metrics against people", _lead(rows, questions, levels))
    for note in content.get("notes") or ():
        section.text(note)
    for question in questions:
        section.include(_question(content, question, levels))
    section.fold(instance_part(content.get("instance")))
    section.fold(pairs_part(content.get("pairs") or ()))
    section.fold(close_part(content.get("close") or ()))
    section.fold(tests_part(content.get("tests") or ()))
    section.signatures([row["signature"] for row in rows])
    return Chapter(_verdict(content, rows, questions[0], levels[0]), section)


def _lead(rows: Sequence[Mapping[str, Any]], questions: Sequence[str], levels: Sequence[str]) -> str:  # fmt: skip
    metrics = {row["metric"] for row in rows} - {_HUMAN}
    most = max(row["n"] for row in rows)
    sizes = f"{plural(len(metrics), 'metric')} against {plural(len(questions), 'human question')} on up to {plural(most, 'output')}."
    meanings = "; ".join(f"{_LEVELS[level]}: {_MEANINGS[level]}" for level in levels)
    human = f" {_HUMAN} is how well one half of the judges agrees with the other." if any(row["metric"] == _HUMAN for row in rows) else ""  # fmt: skip
    return f"{sizes} A correlation of 1 is the order that people give, 0 is chance. {meanings[:1].upper()}{meanings[1:]}.{human}"


def _question(content: Content, question: str, levels: Sequence[str]) -> Section:
    """One question: pictures, the table of the first level, the other levels folded, gains of weights, disagreements."""
    rows = [row for row in content["correlations"] if row["human"] == question]
    part = Section(f"Against {question}")
    _scatter(part, content, question, rows)
    _pictured(part, question, rows, levels)
    gains = [each for each in content.get("gains") or () if each["human"] == question]
    part.extend(gains_part(gains, COEFFICIENTS))
    for level in levels:
        target = part if level == levels[0] else Section(f"Correlations {_LEVELS[level]}")
        chosen = [row for row in rows if row["level"] == level]
        table = _table(chosen)
        if level == "system":
            few = min(row["n"] for row in chosen) <= _FEW_SYSTEMS
            target.text(_STEPS if few else _NARROW)
        target.table(*table, f"Correlation with {question}, {_LEVELS[level]}, 95 % intervals")
        if target is not part:
            part.fold(target)
    examples = [each for each in content.get("examples") or () if each.get("question") == question]
    return part.extend(disagreements_part(examples))


def _scatter(
    part: Section, content: Content, question: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Each metric of Figure 1 of Qin et al. (2018) against people, its pooled Spearman correlation above the panel."""
    shown = [each for each in content.get("scatter") or () if each["human"] == question]
    if not shown:
        return
    pooled = {row["metric"]: row for row in rows if row["level"] == "pooled"}
    panels = {
        _panel(each["metric"], pooled.get(each["metric"])): [
            (x, y) for x, y in each["points"] if y is not None
        ]
        for each in shown
    }
    most = max(map(len, panels.values()))
    noise = (
        f" Noise of standard deviation {shown[0]['noise']:g} is added to the human scores, so that equal ones do not hide each other."
        if shown[0].get("noise")
        else ""
    )
    part.figure(
        density_scatter(panels, f"people: {question}", "metric, on the human scale"),
        f"Metrics against people, {plural(most, 'output')} each: darker where dots are dense, the line is the regression. A metric that people agree with rises steeply.{noise}",
    )


def _panel(metric: str, pooled: Mapping[str, Any] | None) -> str:
    value = pooled["spearman"]["value"] if pooled is not None and _known(pooled) else None
    return metric if value is None else f"{metric}, ρ = {value:.3f}"


def _pictured(
    part: Section, question: str, rows: Sequence[Mapping[str, Any]], levels: Sequence[str]
) -> None:
    """Spearman correlations within items and pooled in one picture, best first, people among themselves last."""
    pictured = [level for level in levels if level != "system"] or list(levels)
    known = {(row["metric"], row["level"]): row for row in rows if _known(row)}
    names = {row["metric"] for row in known.values() if row["level"] in pictured}

    def best(name: str) -> tuple[bool, float]:
        row = known.get((name, pictured[0]))
        return name == _HUMAN, -row["spearman"]["value"] if row else 2.0

    bars = [
        (name, [_point(known.get((name, level))) for level in pictured])
        for name in sorted(names, key=best)
    ]
    if bars:
        part.figure(
            grouped_intervals(bars, [_LEVELS[level] for level in pictured], "Spearman correlation"),
            f"Spearman correlation with {question} and 95 % intervals, best first.",
        )


def _known(row: Mapping[str, Any]) -> bool:
    return row["spearman"] is not None and row["spearman"]["value"] is not None


def _point(row: Mapping[str, Any] | None) -> tuple[float, float, float] | None:
    if row is None:
        return None
    value = row["spearman"]["value"]
    return (value, *(ends_of(row["spearman"].get("ci")) or (value, value)))


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
    shown = [name for name in COEFFICIENTS if any(row.get(name) for row in rows)]
    body: list[tuple[Cell, ...]] = [
        (row["metric"], *(_cell(row.get(name)) for name in shown), row["n"]) for row in rows
    ]
    return ("metric", *(COEFFICIENTS[name] for name in shown), "n"), body


def _cell(coefficient: Mapping[str, Any] | None) -> Cell:
    return None if not coefficient else ranged(coefficient["value"], coefficient.get("ci"))
