"""The chapter of `newsdesk study table5 --json`: summarizers by ROUGE on the same clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from newsdesk.summarizers.evaluate import IN_THE_PAPER, note_on_the_paper, paper_values
from newsdesk.wording import plural

_BESIDES = ("system", "signatures")
_MAIN = "R1-F"


def summaries_chapter(content: Content) -> Chapter:
    """Table 5: a verdict on R1-F among the methods that do not see the reference, the picture, the table, and the tests folded."""
    rows = content["systems"]
    measures = [name for name in rows[0] if name not in _BESIDES]
    fair = [row for row in rows if not _is_oracle(row["system"])] or rows
    against = content.get("against") or ()
    baseline = _baseline(rows, against)
    verdict = leader_verdict(
        _MAIN,
        [_measured(row) for row in fair],
        [_difference(each, baseline) for each in against if each["measure"] == _MAIN],
        advice="add --against METHOD",
    )
    section = Section("Summarizers", f"On {plural(rows[0][_MAIN]['n'], 'cluster')}.")
    points = [_measured(row) for row in rows]
    bars = [(point.system, point.value, *(point.ci or (point.value,) * 2)) for point in points]
    section.figure(
        intervals(bars, _MAIN),
        "Mean R1-F with 95 % intervals over clusters. An oracle chooses by the reference and bounds what extraction can reach.",
    )
    section.table(
        ("method", *measures),
        list(_with_the_paper(rows, measures)),
    )
    if note := note_on_the_paper(row["system"] for row in rows):
        section.text(note)
    section.fold(_with_intervals(rows, measures)).fold(_tests(against, baseline))
    for sentence in _above(content.get("above_oracle") or {}):
        section.text(sentence)
    signatures = [text for row in rows for text in row["signatures"]]
    signatures += [row[name]["signature"] for row in rows for name in measures]
    return Chapter(verdict, section.signatures(signatures))


def _with_the_paper(
    rows: Sequence[Mapping[str, Any]], measures: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """The values of each method, and below them those that the paper prints for it, of its own data."""
    for row in rows:
        yield row["system"], *(row[name]["value"] for name in measures)
        if paper := paper_values(row["system"]):
            yield IN_THE_PAPER, *map(paper.get, measures)


def _is_oracle(system: str) -> bool:
    return system.startswith("oracle") or system.startswith("lead-oracle")


def _baseline(rows: Sequence[Mapping[str, Any]], against: Sequence[Mapping[str, Any]]) -> str:
    """The method that the others were tested against: the only one without a test of its own."""
    tested = {each["system"] for each in against}
    return next((row["system"] for row in rows if row["system"] not in tested), "")


def _measured(row: Mapping[str, Any]) -> Measured:
    score = row[_MAIN]
    return Measured(row["system"], score["value"], ends_of(score["ci"]))


def _difference(row: Mapping[str, Any], baseline: str) -> Difference:
    return Difference(row["system"], baseline, row["difference"], ends_of(row["ci"]), row["p"])


def _with_intervals(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> Section:
    return Section("With intervals").table(
        ("method", *measures),
        [
            (row["system"], *(ranged(row[name]["value"], row[name]["ci"]) for name in measures))
            for row in rows
        ],
    )


def _tests(against: Sequence[Mapping[str, Any]], baseline: str) -> Section:
    section = Section(f"Tests against {baseline}")
    if not against:
        return section
    return section.table(
        ("method", "measure", f"minus that of {baseline}", "p (Holm)"),
        [
            (each["system"], each["measure"], ranged(each["difference"], each["ci"]), PValue(each["p"]))
            for each in against
        ],
    )  # fmt: skip


def _above(oracles: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """One sentence per greedy oracle on the methods that score above it."""
    sentences = []
    for oracle, above in oracles.items():
        counts = [f"{system} in {len(ids)}" for system, ids in above.items() if ids]
        sentences.append(
            f"Above {oracle} in R1-F: {', '.join(counts) or 'no method in any cluster'}."
        )
    return sentences
