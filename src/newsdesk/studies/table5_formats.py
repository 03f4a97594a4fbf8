"""Table 5 as JSON and as Markdown: scores with intervals, tests against one method, and where greedy oracles fall short."""

from __future__ import annotations

from typing import Any

from newsdesk.studies.files import score_json
from newsdesk.studies.table5 import shortfalls
from newsdesk.summarizers import SummaryEvaluation
from newsdesk.types import Difference
from newsdesk.wording import plural


def table5_json(evaluation: SummaryEvaluation, against: str | None = None) -> dict[str, Any]:
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
            "p": each.p_corrected,
        }
        for system, by_measure in _tests(evaluation, against).items()
        for name, each in by_measure.items()
    ]
    return {"systems": systems, "against": comparisons, "above_oracle": shortfalls(evaluation)}


def table5_markdown(evaluation: SummaryEvaluation, against: str | None = None) -> str:
    """The table with signatures, the tests of R1-F against one method, and in how many clusters a method is above an oracle."""
    lines = [f"{plural(len(evaluation.ids), 'cluster')}.", "", evaluation.markdown()]
    if against:
        lines += ["", f"| method | R1-F minus that of {against} | p (Holm) |", "|---|---|---|"]
        for system, by_measure in _tests(evaluation, against).items():
            each = by_measure["R1-F"]
            lines.append(f"| {system} | {_difference(each)} | {each.p_corrected:.4f} |")
    for sentence in _above_oracles(evaluation):
        lines += ["", sentence]
    return "\n".join(lines)


def _tests(evaluation: SummaryEvaluation, against: str | None) -> dict[str, dict[str, Difference]]:
    return evaluation.against(against) if against else {}


def _difference(comparison: Difference) -> str:
    return f"{comparison.difference:+.3f} [{comparison.low:+.3f}, {comparison.high:+.3f}]"


def _above_oracles(evaluation: SummaryEvaluation) -> list[str]:
    """One sentence per greedy oracle on the methods that score above it."""
    sentences = []
    for oracle, above in shortfalls(evaluation).items():
        counts = [f"{system} in {len(ids)}" for system, ids in above.items() if ids]
        sentences.append(
            f"Above {oracle} in R1-F: {', '.join(counts) or 'no method in any cluster'}."
        )
    return sentences
