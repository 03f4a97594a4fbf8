"""Table 5 as a result: JSON, Markdown, and the chapter of a report with its verdict on R1-F.

Beside scores with intervals it has the tests against one method, and in which clusters a method is above a greedy oracle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.results.page import Chapter, Section, table_section
from newsdesk.results.part import ResultPart, gathered, json_of
from newsdesk.results.plots import intervals
from newsdesk.results.table import Cell, PValue, ranged
from newsdesk.results.verdict import SystemDifference, SystemValue, leader_verdict
from newsdesk.studies.sweep import score_json
from newsdesk.studies.table5 import shortfalls
from newsdesk.summarizers import SummaryEvaluation
from newsdesk.summarizers.evaluate import (
    IN_THE_PAPER,
    note_on_the_paper,
    paper_values,
    shown_name,
)
from newsdesk.wording import plural

_FIELDS = ("system", "signatures")  # the other keys of a row are measures
_MAIN = "R1-F"
Shortfalls = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodScore(ResultPart):
    """The mean of one measure over clusters, with its interval."""

    value: float
    ci: tuple[float, float] | None = None
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class MethodRow(ResultPart):
    """One summarization method by every measure."""

    system: str
    signatures: tuple[str, ...]
    scores: Mapping[str, MethodScore]

    @property
    def main(self) -> SystemValue:
        """The measure that the verdict rests on."""
        return SystemValue(shown_name(self.system), self.scores[_MAIN].value, self.scores[_MAIN].ci)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTest(ResultPart):
    """The difference of a method from the one that all are tested against, in one measure.

    P is corrected by Holm.
    """

    system: str
    measure: str
    difference: float
    ci: tuple[float, float] | None = None
    p: float


@dataclass(frozen=True, slots=True)
class Table5Result(ResultPart):
    """What `newsdesk study table5 --json` prints."""

    systems: tuple[MethodRow, ...]
    against: tuple[MethodTest, ...] = ()
    above_oracle: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None
    notes: tuple[str, ...] = ()  # on fits, tuned settings, and methods that are not the paper's

    @property
    def baseline(self) -> str:
        """The method that the others were tested against: the only one without a test of its own."""
        tested = {test.system for test in self.against}
        return next((row.system for row in self.systems if row.system not in tested), "")


def table5_json(
    evaluation: SummaryEvaluation, against: str | None = None, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the table as `newsdesk study table5 --json` prints it.

    With `against` also the tests against that method.
    """
    systems = [
        {
            "system": row.system,
            **{name: score_json(score) for name, score in row.scores.items()},
            "signatures": list(row.signatures),
        }
        for row in evaluation.rows
    ]
    tests = [json_of(test) for test in _tested(evaluation, against)]
    shown = {"notes": list(notes)} if notes else {}
    return {"systems": systems, "against": tests, "above_oracle": shortfalls(evaluation), **shown}


def _tested(evaluation: SummaryEvaluation, against: str | None) -> Iterator[MethodTest]:
    for system, by_measure in (evaluation.against(against) if against else {}).items():
        for name, test in by_measure.items():
            ends = (test.low, test.high)
            yield MethodTest(
                system=system, measure=name, difference=test.difference, ci=ends, p=test.p_corrected
            )


def table5_markdown(
    evaluation: SummaryEvaluation, against: str | None = None, notes: Sequence[str] = ()
) -> str:
    """Return the table with signatures, the tests of R1-F against one method, and who is above an oracle."""
    lines = [f"{plural(len(evaluation.ids), 'cluster')}.", "", evaluation.markdown()]
    if against:
        lines += ["", f"| method | {_MAIN} minus that of {against} | p (Holm) |", "|---|---|---|"]
        for test in _tested(evaluation, against):
            if test.measure == _MAIN and test.ci:
                ends = f"[{test.ci[0]:+.3f}, {test.ci[1]:+.3f}]"
                name = shown_name(test.system)
                lines.append(f"| {name} | {test.difference:+.3f} {ends} | {test.p:.4f} |")
    for sentence in [*_above(shortfalls(evaluation)), *notes]:
        lines += ["", sentence]
    return "\n".join(lines)


def _above(oracles: Shortfalls) -> list[str]:
    """Return one sentence per greedy oracle on the methods that score above it."""
    sentences = []
    for oracle, above in oracles.items():
        counts = [f"{system} in {len(ids)}" for system, ids in above.items() if ids]
        sentences.append(
            f"Above {oracle} in {_MAIN}: {', '.join(counts) or 'no method in any cluster'}."
        )
    return sentences


def table5_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show Table 5: a verdict among methods that do not see the reference, picture, table, folded tests."""
    result = Table5Result.decode(gathered(content, "systems", _FIELDS, "scores"))
    rows, baseline = result.systems, result.baseline
    measures = list(rows[0].scores)
    fair = [row for row in rows if not row.system.startswith(("oracle", "lead-oracle"))] or rows
    verdict = leader_verdict(
        _MAIN,
        [row.main for row in fair],
        [
            SystemDifference(shown_name(test.system), baseline, test.difference, test.ci, test.p)
            for test in result.against
            if test.measure == _MAIN
        ],
        advice="add --against METHOD",
    )
    section = Section("Summarizers", f"On {plural(rows[0].scores[_MAIN].n, 'cluster')}.")
    section.figure(
        intervals([row.main.bar for row in rows], _MAIN),
        f"Mean {_MAIN} with 95 % intervals over clusters. An oracle chooses by the reference and bounds what extraction can reach.",
    )
    section.table(("method", *measures), list(_with_the_paper(rows, measures)))
    if note := note_on_the_paper(row.system for row in rows):
        section.text(note)
    section.fold(
        Section("With intervals").table(
            ("method", *measures),
            [(shown_name(row.system), *(ranged(row.scores[name].value, row.scores[name].ci) for name in measures)) for row in rows],
        )
    ).fold(_tests(result.against, baseline))  # fmt: skip
    for sentence in [*_above(result.above_oracle or {}), *result.notes]:
        section.text(sentence)
    signatures = [text for row in rows for text in row.signatures]
    signatures += [row.scores[name].signature for row in rows for name in measures]
    return Chapter(verdict, section.signatures(signatures))


def _with_the_paper(
    rows: Sequence[MethodRow], measures: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Yield the values of each method, and below them those that the paper prints for it, of its own data."""
    for row in rows:
        yield shown_name(row.system), *(row.scores[name].value for name in measures)
        if paper := paper_values(row.system):
            yield IN_THE_PAPER, *map(paper.get, measures)


def _tests(against: Sequence[MethodTest], baseline: str) -> Section:
    return table_section(
        f"Tests against {baseline}",
        ("method", "measure", f"minus that of {baseline}", "p (Holm)"),
        [
            (
                shown_name(test.system),
                test.measure,
                ranged(test.difference, test.ci),
                PValue(test.p),
            )
            for test in against
        ],
    )
