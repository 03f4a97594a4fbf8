"""The report of a campaign (results, agreement, progress, audit of annotators) from its store: as sections, one page, or values for JSON.

A report of a study has a chapter for that JSON, and one for the progress that `newsdesk campaign status --json` prints.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.report.agreements import agreement_of
from newsdesk.campaigns.report.evidence import Evidence, results_of
from newsdesk.campaigns.report.result import AgreementRow, CampaignReport, JudgedResults
from newsdesk.campaigns.report.sections import (
    AUDIT_HEADER,
    agreement_section,
    audit_section,
    criterion_part,
    datasheet_section,
    estimates_part,
    models_section,
    progress_section,
    result_section,
    without_tables,
)
from newsdesk.results.page import Chapter, Section, Verdict, page, table_section
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
from newsdesk.types import Judgment, Thread
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


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


def report_sections(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> list[Section]:
    """Return results, agreement, progress, audit, datasheet; votes beside the likes of `threads`."""
    return _sections(Evidence.read(store, campaign, seed=seed), threads)


def _sections(evidence: Evidence, threads: Iterable[Thread]) -> list[Section]:
    """Return the sections of a report; comments of `threads` are looked up by article and comment id."""
    comments = {
        (thread.article.id, comment.id): comment
        for thread in threads
        for comment in thread.comments
    }
    campaign, judgments = evidence.campaign, evidence.judgments
    return [
        result_section(campaign, judgments, comments, evidence.results, evidence.seed),
        agreement_section(evidence.agreement),
        progress_section(campaign, evidence.status),
        audit_section(evidence),
        models_section(evidence.models),
        datasheet_section(evidence.datasheet),
    ]


def results_of_judgments(
    form: Protocol, judgments: Iterable[Judgment], *, seed: int = 0
) -> JudgedResults:
    """Compute results and agreement of judgments in no store; answers to controls do not count."""
    counted = [judgment for judgment in answered(judgments) if not judgment.control]
    return JudgedResults(
        form.name,
        len(counted),
        len({judgment.annotator for judgment in counted}),
        results_of(form, counted, seed),
        agreement_of(form, counted, seed),
    )


def report_content(store: Store, campaign: str, *, seed: int = 0) -> dict[str, Any]:
    """Return the report as values, as `campaign report --json` prints them: annotators by hashed ids."""
    return Evidence.read(store, campaign, seed=seed).report.as_json()


def report_page(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> str:
    """Return the report as one self-contained HTML page, the verdict first."""
    evidence = Evidence.read(store, campaign, seed=seed)
    command = shlex.join(
        ["newsdesk", "campaign", "report", campaign, "--seed", str(seed), "--json"]
    )
    return page(
        f"Campaign {campaign}",
        evidence.campaign.protocol.title,
        _sections(evidence, threads),
        verdict=dataclasses.replace(evidence.results.verdict, command=command),
        exports=True,
    )


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
    for criterion in report.results.criteria or ():
        criterion_part(section, criterion)
    estimates_part(section, report.results, "With 95 % intervals over items")
    section.include(_agreement(report.agreement)).fold(_annotators(report))
    if report.models:
        section.fold(models_section(report.models))
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
            (
                each.system,
                each.n,
                ranged(each.mean_rank, each.mean_rank_ci),
                each.wins,
                each.ties,
                each.losses,
                ranged(each.strength, each.strength_ci),
            )
            for each in (systems or standing.systems)
        ],
        name if test.p is None else f"{name}: Friedman {test}",
    )


def _agreement(rows: Sequence[AgreementRow]) -> Section:
    """Show the measures of agreement with their intervals."""
    section = Section("How far annotators agree")
    if not rows:
        return section.text("Nothing yet.")
    return section.table(
        ("measure", "value", "items", "note"),
        [(row.measure, ranged(row.value, row.ci), row.items, row.note or None) for row in rows],
    )


def _annotators(report: CampaignReport) -> Section:
    """Show the audit of each annotator, and the results without who looks careless."""
    section = table_section(
        "Audit of the annotators",
        (*AUDIT_HEADER, "looks careless"),
        [(*row.cells, "; ".join(row.careless) or None) for row in report.annotators],
    )
    return without_tables(section, report.without)
