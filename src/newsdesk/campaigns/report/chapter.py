"""The chapters of `newsdesk campaign report --json` and `campaign status --json` in the report of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.campaigns.report.result import AgreementRow, CampaignReport
from newsdesk.campaigns.report.sections import (
    AUDIT_HEADER,
    datasheet_section,
    estimates_part,
    without_tables,
)
from newsdesk.results.page import Chapter, Section, Verdict
from newsdesk.results.part import ResultPart
from newsdesk.results.plots import bars
from newsdesk.results.standings import (
    RankStanding,
    places_figure,
    places_used,
    strengths_figure,
    wins_figure,
)
from newsdesk.results.table import ranged
from newsdesk.wording import plural


@dataclass(frozen=True, slots=True)
class AnnotatorProgress(ResultPart):
    """How many tasks an annotator has done, and why they were excluded, if they were."""

    id: str
    done: int
    slots: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class CampaignProgress(ResultPart):
    """What `newsdesk campaign status --json` prints, as far as a report shows it."""

    campaign: str
    done: int
    slots: int
    judgments: int
    annotators: tuple[AnnotatorProgress, ...]


def campaign_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show a campaign: verdict, pictures of its results, tables, agreement, and its datasheet."""
    report = CampaignReport.decode(content)
    judgments, annotators = report.progress["judgments"], report.progress["annotators"]
    section = Section(
        f"Campaign {report.campaign}",
        f"{report.protocol['title']} {plural(judgments, 'judgment')} by {plural(annotators, 'annotator')}.",
    )
    for standing in report.results.questions or ():
        _ranks(section, standing)
    estimates_part(section, report.results, "With 95 % intervals over items")
    section.include(_agreement(report.agreement)).fold(_annotators(report))
    section.fold(datasheet_section(report.datasheet))
    return Chapter(report.results.verdict, section)


def status_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show the progress of a campaign."""
    status = CampaignProgress.decode(content)
    done = f"{status.done:,} of {plural(status.slots, 'slot')}"
    sentence = f"Campaign {status.campaign}: {done} done, {plural(status.judgments, 'judgment')}; `campaign report --json` has the results."
    section = Section(f"Progress of campaign {status.campaign}")
    if status.annotators:
        section.figure(
            bars([(each.id, each.done) for each in status.annotators], "tasks done"),
            "Tasks that each annotator has done.",
        )
    section.table(
        ("annotator", "done", "of", "excluded"),
        [(each.id, each.done, each.slots, each.reason) for each in status.annotators],
    )
    return Chapter(Verdict(sentence), section)


def _ranks(section: Section, standing: RankStanding) -> None:
    """Append strengths, places, pairwise wins and the table of one question."""
    name, test = standing.question, standing.friedman
    ordered = [each for each in standing.systems if each.strength is not None]
    systems = sorted(ordered, key=lambda each: -(each.strength or 0.0))
    if systems:
        strengths_figure(section, name, systems)
    if used := places_used(systems):
        labels = [f"place {place + 1}" for place in range(used)]
        places_figure(section, systems, labels, f"{name}: how often each place was given.")
    duels = standing.duels
    wins_figure(section, duels, duels.systems, f"{name}: pairwise wins, ties counted as half.")
    section.table(
        ("system", "n", "mean rank", "wins", "ties", "losses", "strength"),
        [
            (each.system, each.n, each.cells[0], each.wins, each.ties, each.losses, each.cells[1])
            for each in (systems or standing.systems)
        ],
        name if test.p is None else f"{name}: Friedman {test}",
    )


def _agreement(rows: Sequence[AgreementRow]) -> Section:
    section = Section("How far annotators agree")
    if not rows:
        return section.text("Nothing yet.")
    return section.table(
        ("measure", "value", "items", "note"),
        [(row.measure, ranged(row.value, row.ci), row.items, row.note or None) for row in rows],
    )


def _annotators(report: CampaignReport) -> Section:
    section = Section("Audit of the annotators")
    if not report.annotators:
        return section
    section.table(
        (*AUDIT_HEADER, "looks careless"),
        [(*row.cells, "; ".join(row.careless) or None) for row in report.annotators],
    )
    return without_tables(section, report.without)
