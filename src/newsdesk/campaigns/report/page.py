"""Build the report of a campaign from the store: as sections to include elsewhere, as one self-contained page, or as values for JSON."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from newsdesk.campaigns.campaign import Campaign, answered
from newsdesk.campaigns.report.audits import (
    audit_content,
    audit_section,
    audits_of,
    without_content,
)
from newsdesk.campaigns.report.content import (
    agreement_content,
    campaign_verdict,
    progress_content,
    protocol_content,
    results_content,
)
from newsdesk.campaigns.report.datasheet import datasheet, datasheet_section
from newsdesk.campaigns.report.panel import agreement_section, progress_section
from newsdesk.campaigns.report.results import result_section
from newsdesk.campaigns.report.standings import Standing, standings_of
from newsdesk.results.page import Section, page
from newsdesk.types import Judgment, Thread

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def report_sections(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> list[Section]:
    """Progress, results, agreement and the audit of annotators; votes are compared with the likes of `threads`."""
    described = store.campaign(campaign)
    judgments = answered(store.judgments(campaign, control=False))
    return _sections(
        store, described, judgments, standings_of(described, judgments, seed), threads, seed
    )


def _sections(
    store: Store,
    described: Campaign,
    judgments: Sequence[Judgment],
    standings: Sequence[Standing],
    threads: Iterable[Thread],
    seed: int,
) -> list[Section]:
    campaign = described.name
    status = store.status(campaign)
    comments = {(t.article.id, comment.id): comment for t in threads for comment in t.comments}
    audited = list(store.judgments(campaign, include_excluded=True))
    tasks = list(store.tasks(campaign))
    audits = audits_of(described, tasks, audited)
    return [
        result_section(described, judgments, comments, standings, seed),
        agreement_section(described, judgments, seed),
        progress_section(described, status),
        audit_section(audits, without_content(described, judgments, audits, seed)),
        datasheet_section(datasheet(described, status, tasks, audited, judgments, seed)),
    ]


def report_content(store: Store, campaign: str, *, seed: int = 0) -> dict[str, Any]:
    """The report as values, as `newsdesk campaign report --json` prints them; annotators appear by their hashed ids."""
    described, status = store.campaign(campaign), store.status(campaign)
    judgments = answered(store.judgments(campaign, control=False))
    audited = list(store.judgments(campaign, include_excluded=True))
    tasks = list(store.tasks(campaign))
    audits = audits_of(described, tasks, audited)
    return {
        "campaign": campaign,
        "protocol": protocol_content(described.protocol),
        "progress": progress_content(described, status),
        "results": results_content(
            described, judgments, standings_of(described, judgments, seed), seed
        ),
        "agreement": agreement_content(described, judgments, seed),
        "annotators": audit_content(audits),
        "without": without_content(described, judgments, audits, seed),
        "datasheet": [
            {"topic": topic, "question": question, "answer": answer}
            for topic, question, answer in datasheet(
                described, status, tasks, audited, judgments, seed
            )
        ],
    }


def report_page(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> str:
    """The report as one self-contained HTML page, the verdict first."""
    described = store.campaign(campaign)
    judgments = answered(store.judgments(campaign, control=False))
    standings = standings_of(described, judgments, seed)
    verdict = campaign_verdict(results_content(described, judgments, standings, seed))
    command = shlex.join(
        ["newsdesk", "campaign", "report", campaign, "--seed", str(seed), "--json"]
    )
    return page(
        f"Campaign {campaign}",
        described.protocol.title,
        _sections(store, described, judgments, standings, threads, seed),
        verdict=dataclasses.replace(verdict, command=command),
        exports=True,
    )
