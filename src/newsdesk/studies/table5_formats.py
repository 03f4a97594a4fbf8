"""Table 5 as JSON, as Markdown and as a section of a page: scores with intervals, tests against one method, and where greedy oracles fall short."""

from __future__ import annotations

from typing import Any

from newsdesk.metrics.significance import Comparison
from newsdesk.pages.page import Section
from newsdesk.pages.plots import intervals
from newsdesk.studies.files import score_json
from newsdesk.studies.table5 import shortfalls
from newsdesk.summarizers import Evaluation
from newsdesk.summarizers.evaluate import MEASURES
from newsdesk.wording import plural


def table5_json(evaluation: Evaluation, against: str | None = None) -> dict[str, Any]:
    """The table as `newsdesk study table5 --json` prints it; with `against` also the tests of all other methods against that one."""
    systems = [
        {
            "system": row.system,
            **{name: score_json(each) for name, each in row.scores.items()},
            "signatures": list(row.signatures),
        }
        for row in evaluation.rows
    ]
    comparisons = [
        {
            "system": system,
            "measure": name,
            "difference": each.difference,
            "ci": [each.low, each.high],
            "p": each.p,
        }
        for system, by_measure in _tests(evaluation, against).items()
        for name, each in by_measure.items()
    ]
    return {"systems": systems, "against": comparisons, "above_oracle": shortfalls(evaluation)}


def table5_markdown(evaluation: Evaluation, against: str | None = None) -> str:
    """The table with signatures, the tests of R1-F against one method, and in how many clusters a method is above an oracle."""
    lines = [f"{plural(len(evaluation.ids), 'cluster')}.", "", evaluation.markdown()]
    if against:
        lines += ["", f"| method | R1-F minus that of {against} | p (Holm) |", "|---|---|---|"]
        for system, by_measure in _tests(evaluation, against).items():
            each = by_measure["R1-F"]
            lines.append(f"| {system} | {_difference(each)} | {each.p:.4f} |")
    for sentence in _above_oracles(evaluation):
        lines += ["", sentence]
    return "\n".join(lines)


def table5_section(evaluation: Evaluation, against: str | None = None) -> Section:
    """Table 5 as a section of a page: the plot of R1-F, the table, the tests against one method, and the signatures."""
    section = Section("Summarizers compared", f"On {plural(len(evaluation.ids), 'cluster')}.")
    scores = [(row.system, row.scores["R1-F"]) for row in evaluation.rows]
    points = [(name, each.value, *(each.ci or (each.value, each.value))) for name, each in scores]
    section.figure(intervals(points, "R1-F"), "Mean R1-F with 95 % intervals over clusters.")
    section.table(
        ("method", *MEASURES),
        [(row.system, *(row.scores[each].value for each in MEASURES)) for row in evaluation.rows],
    )
    if against:
        section.table(
            ("method", f"R1-F minus that of {against}", "p (Holm)"),
            [
                (system, _difference(by_measure["R1-F"]), by_measure["R1-F"].p)
                for system, by_measure in _tests(evaluation, against).items()
            ],
        )
    for sentence in _above_oracles(evaluation):
        section.text(sentence)
    signatures = [signature for row in evaluation.rows for signature in row.signatures]
    measures = [score.signature for row in evaluation.rows for score in row.scores.values()]
    return section.code("\n".join(dict.fromkeys([*signatures, *measures])))


def _tests(evaluation: Evaluation, against: str | None) -> dict[str, dict[str, Comparison]]:
    return evaluation.against(against) if against else {}


def _difference(comparison: Comparison) -> str:
    return f"{comparison.difference:+.3f} [{comparison.low:+.3f}, {comparison.high:+.3f}]"


def _above_oracles(evaluation: Evaluation) -> list[str]:
    """One sentence per greedy oracle on the methods that score above it."""
    sentences = []
    for oracle, above in shortfalls(evaluation).items():
        counts = [f"{system} in {len(ids)}" for system, ids in above.items() if ids]
        sentences.append(
            f"Above {oracle} in R1-F: {', '.join(counts) or 'no method in any cluster'}."
        )
    return sentences
