"""Metrics against people, pooled, within items and over systems: the result of `newsdesk study correlate`, and its chapter.

Its texts are outputs on which two metrics disagree most, and one whole item (Qin et al. 2018, Tables 2 to 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.results.densities import density_scatter
from newsdesk.results.metric_tests import (
    CloseSystems,
    Ends,
    MetricDifference,
    PairOrder,
    WeightingGain,
    close_part,
    gains_part,
    gains_text,
    pairs_part,
    pairs_text,
    shown,
    tests_part,
    tests_text,
)
from newsdesk.results.page import Chapter, Section, Verdict
from newsdesk.results.part import ResultPart, json_of
from newsdesk.results.plots import grouped_intervals
from newsdesk.results.table import Cell, ranged, table
from newsdesk.stats.coefficients import Level
from newsdesk.wording import plural

TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall tau-b", "kendall_c": "tau-c"}  # fmt: skip
_LEVELS = {"item": "within items", "pooled": "pooled over items", "system": "over systems"}
_MEANINGS = {
    "item": "over the systems of each item, then averaged: which output of one article is better",
    "pooled": "over all outputs at once: easy and hard articles count too",
    "system": "over the systems' means: which system is better",
}
_HUMAN = "Human"
# Up to so many systems intervals of rank correlations are conservative (`python -m research coverage`).
_FEW_SYSTEMS = 6
_STEPS = "Over so few systems a rank correlation has few possible values, and its interval is too wide rather than too narrow: believe that of Pearson."
_NARROW = "Over systems the interval of a rank correlation can be a little too narrow (simulated ones covered 91.8 to 95.4 %): where it is close, believe that of Pearson, which holds."


@dataclass(frozen=True, slots=True)
class CoefficientValue(ResultPart):
    """The value of one correlation coefficient, with its interval and p-value; None where undefined."""

    value: float | None = None
    ci: Ends | None = None
    p: float | None = None

    @property
    def cell(self) -> Cell:
        """The value with its interval as a cell of a table."""
        return ranged(self.value, self.ci)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationRow(ResultPart):
    """One metric against one human question at one level, by every coefficient.

    `n` counts outputs, items or systems.
    """

    metric: str
    human: str
    level: Level
    pearson: CoefficientValue | None = None
    spearman: CoefficientValue | None = None
    kendall: CoefficientValue | None = None
    kendall_c: CoefficientValue | None = None
    n: int
    signature: str

    def coefficient(self, name: str) -> CoefficientValue:
        """Return a coefficient by its name; without a value where it is undefined."""
        value: CoefficientValue | None = getattr(self, name)
        return value or CoefficientValue()

    @property
    def rho(self) -> float | None:
        """Spearman's coefficient, None where it is undefined."""
        return self.coefficient("spearman").value

    @property
    def point(self) -> tuple[float, float, float] | None:
        """Spearman's coefficient with the ends of its interval, for a plot."""
        value = self.rho
        ends = self.coefficient("spearman").ci
        return None if value is None else (value, *(ends or (value, value)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterPanel(ResultPart):
    """The outputs by one question (with noise) and one metric, on the human scale."""

    metric: str
    human: str
    noise: float | None = None
    points: Any  # pairs of numbers; the second may be null


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement(ResultPart):
    """An output with its human score and two metrics' scores, as they are and on the human scale."""

    question: str = ""
    item: str
    system: str
    text: str = ""
    human: float | None = None
    first: str
    first_value: float
    first_normalized: float
    second: str
    second_value: float
    second_normalized: float


@dataclass(frozen=True, slots=True)
class ScoredText(ResultPart):
    """A reference with its weight, or a system's output with its human score."""

    source: str
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class WholeItem(ResultPart):
    """One item with all its references and outputs."""

    item: str
    references: tuple[ScoredText, ...]
    outputs: tuple[ScoredText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationsResult(ResultPart):
    """What `newsdesk study correlate --json` prints."""

    correlations: tuple[CorrelationRow, ...]
    tests: tuple[MetricDifference, ...] = ()
    gains: tuple[WeightingGain, ...] = ()
    pairs: tuple[PairOrder, ...] = ()
    close: tuple[CloseSystems, ...] = ()
    examples: tuple[Disagreement, ...] = ()
    instance: WholeItem | None = None
    scatter: tuple[ScatterPanel, ...] = ()
    verdict: str = ""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the study as JSON values, gains with what shuffling says of them."""
        return {**json_of(self), "gains": [gain.as_json() for gain in self.gains]}

    def text(self) -> str:
        """Return the study as tables for the terminal: verdict, correlations, gains, pairs, tests, signatures."""
        blocks = [
            "\n".join([self.verdict, *self.notes]),
            *self._question_tables(),
            gains_text(self.gains),
            pairs_text(self.pairs),
            tests_text(self.tests),
            "\n".join(dict.fromkeys(row.signature for row in self.correlations)),
        ]
        return "\n\n".join(filter(None, blocks))

    def _question_tables(self) -> Iterator[str]:
        """Yield a table for each question that people were asked."""
        names = ("pearson", "spearman", "kendall")
        for question in dict.fromkeys(row.human for row in self.correlations):
            rows: list[list[Cell]] = [
                [
                    row.metric,
                    row.level,
                    *(shown(value.value, value.ci) for value in map(row.coefficient, names)),
                    row.n,
                ]
                for row in self.correlations
                if row.human == question
            ]
            yield f"{question}\n{table(['metric', 'level', *names, 'n'], rows)}"


def correlations_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show metrics against each human question: pictures, tables by level, gains, examples, tests."""
    result = CorrelationsResult.decode(content)
    rows = result.correlations
    questions = list(dict.fromkeys(row.human for row in rows))
    levels = [level for level in _LEVELS if any(row.level == level for row in rows)]
    section = Section("Metrics against people", _lead(rows, questions, levels))
    for note in result.notes:
        section.text(note)
    for question in questions:
        section.include(_question(result, question, levels))
    section.fold(item_part(result.instance))
    section.fold(pairs_part(result.pairs))
    section.fold(close_part(result.close))
    section.fold(tests_part(result.tests))
    section.signatures([row.signature for row in rows])
    return Chapter(_verdict(result, questions[0], levels[0]), section)


def _lead(rows: Sequence[CorrelationRow], questions: Sequence[str], levels: Sequence[str]) -> str:
    """Return the first paragraph: how much was compared, and what each level means."""
    metrics = {row.metric for row in rows}
    most = max(row.n for row in rows)
    sizes = f"{plural(len(metrics - {_HUMAN}), 'metric')} against {plural(len(questions), 'human question')} on up to {plural(most, 'output')}."
    meanings = "; ".join(f"{_LEVELS[level]}: {_MEANINGS[level]}" for level in levels)
    human = f" {_HUMAN} is how well one half of the judges agrees with the other." if _HUMAN in metrics else ""  # fmt: skip
    return f"{sizes} A correlation of 1 is the order that people give, 0 is chance. {meanings[:1].upper()}{meanings[1:]}.{human}"


def _question(result: CorrelationsResult, question: str, levels: Sequence[str]) -> Section:
    """Show one question: pictures, gains of weights, tables by level (all but the first folded), examples."""
    rows = [row for row in result.correlations if row.human == question]
    part = Section(f"Against {question}")
    _scatter(part, [panel for panel in result.scatter if panel.human == question], question, rows)
    _pictured(part, question, rows, levels)
    gains = [gain for gain in result.gains if gain.human == question]
    part.extend(gains_part(gains, TITLES))
    for level in levels:
        target = part if level == levels[0] else Section(f"Correlations {_LEVELS[level]}")
        chosen = [row for row in rows if row.level == level]
        if level == "system":
            few = min(row.n for row in chosen) <= _FEW_SYSTEMS
            target.text(_STEPS if few else _NARROW)
        caption = f"Correlation with {question}, {_LEVELS[level]}, 95 % intervals"
        _table(target, chosen, caption)
        if target is not part:
            part.fold(target)
    examples = [example for example in result.examples if example.question == question]
    return part.extend(disagreements_part(examples))


def _scatter(
    part: Section, chosen: Sequence[ScatterPanel], question: str, rows: Sequence[CorrelationRow]
) -> None:
    """Append Figure 1 of Qin et al. (2018): metrics against people, pooled Spearman above each panel.

    `chosen` are the panels of this question, `rows` its correlations.
    """
    if not chosen:
        return
    pooled = {row.metric: row.rho for row in rows if row.level == "pooled"}
    panels = {
        _panel(panel.metric, pooled.get(panel.metric)): [
            (x, y) for x, y in panel.points if y is not None
        ]
        for panel in chosen
    }
    most = max(map(len, panels.values()))
    noise = ""
    if noise_sd := chosen[0].noise:
        noise = f" Noise of standard deviation {noise_sd:g} is added to the human scores, so that equal ones do not hide each other."
    part.figure(
        density_scatter(panels, across=f"people: {question}", up="metric, on the human scale"),
        f"Metrics against people, {plural(most, 'output')} each: darker where dots are dense, the line is the regression. A metric that people agree with rises steeply.{noise}",
    )


def _panel(metric: str, rho: float | None) -> str:
    return metric if rho is None else f"{metric}, ρ = {rho:.3f}"


def _pictured(
    part: Section, question: str, rows: Sequence[CorrelationRow], levels: Sequence[str]
) -> None:
    """Append Spearman within items and pooled in one picture, best first, people among themselves last."""
    pictured = [level for level in levels if level != "system"] or list(levels)
    points: dict[tuple[str, str], tuple[float, float, float] | None]
    points = {(row.metric, row.level): row.point for row in rows if row.level in pictured}
    names = dict.fromkeys(name for (name, _), point in points.items() if point)

    def best_first(name: str) -> tuple[bool, float]:
        value, *_ = points.get((name, pictured[0])) or (-2.0,)  # below any correlation
        return name == _HUMAN, -value

    bars = [
        (name, [points.get((name, level)) for level in pictured])
        for name in sorted(names, key=best_first)
    ]
    if bars:
        part.figure(
            grouped_intervals(bars, [_LEVELS[level] for level in pictured], "Spearman correlation"),
            f"Spearman correlation with {question} and 95 % intervals, best first.",
        )


def _verdict(result: CorrelationsResult, question: str, level: str) -> Verdict:
    """Return the verdict of the study with the highest Spearman correlation of this question and level.

    A study without a sentence of its own gets one that names the best metric.
    """
    candidates = [
        (row.rho, row)
        for row in result.correlations
        if (row.human, row.level) == (question, level)
        and row.metric != _HUMAN
        and row.rho is not None
    ]
    if not candidates:
        return Verdict(result.verdict or "No correlation could be computed.")
    rho, best = max(candidates, key=lambda candidate: candidate[0])
    sentence = f"{best.metric} correlates best with {question} {_LEVELS[level]}."
    label = f"Spearman of {best.metric} with {question}, {_LEVELS[level]}"
    return Verdict(result.verdict or sentence, rho, best.coefficient("spearman").ci, label)


def _table(section: Section, rows: Sequence[CorrelationRow], caption: str) -> None:
    names = [name for name in TITLES if any(getattr(row, name) for row in rows)]
    body = [(row.metric, *(row.coefficient(name).cell for name in names), row.n) for row in rows]
    section.table(("metric", *map(TITLES.__getitem__, names), "n"), body, caption)


def disagreements_part(examples: Sequence[Disagreement]) -> Section:
    """Show the examples of one question, a folded table per pair of metrics."""
    section = Section("Disagreements")
    with_text = any(example.text for example in examples)
    for first, second in dict.fromkeys((example.first, example.second) for example in examples):
        rows: list[tuple[Cell, ...]] = [
            (
                *((example.text,) if with_text else ()),
                _short(example.human),
                f"{example.first_normalized:.1f} ({example.first_value:.2f})",
                f"{example.second_normalized:.1f} ({example.second_value:.2f})",
                example.system,
                example.item,
            )
            for example in examples
            if (example.first, example.second) == (first, second)
        ]
        section.fold(
            Section(f"Where {first} and {second} disagree").table(
                (*(("output",) if with_text else ()), "people", first, second, "system", "item"),
                rows,
                "The outputs that two metrics judge most differently: on the human scale (same mean and variance, clipped to its ends), the raw value in brackets",
            )
        )
    return section


def item_part(item: WholeItem | None) -> Section:
    """Show one item with all its references and outputs."""
    if item is None:
        return Section("One whole item")
    section = Section(f"One whole item: {item.item}")
    section.table(
        ("weight", "reference"),
        [(_short(text.score), text.text) for text in _best_first(item.references)],
        "References, best first",
    )
    return section.table(
        ("people", "output", "system"),
        [(_short(text.score), text.text, text.source) for text in _best_first(item.outputs)],
        "Outputs of the systems, best first",
    )


def _short(value: float | None) -> str | None:
    """Write a score as people do: at most two decimals."""
    return None if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _best_first(texts: Sequence[ScoredText]) -> list[ScoredText]:
    return sorted(texts, key=lambda text: -(text.score or 0.0))
