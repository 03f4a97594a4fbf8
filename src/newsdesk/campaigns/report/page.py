"""The report of a campaign from its store: as sections to include elsewhere, as one self-contained page, or as values for JSON."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from newsdesk.campaigns.report.evidence import Evidence
from newsdesk.campaigns.report.sections import (
    agreement_section,
    audit_section,
    datasheet_section,
    progress_section,
    result_section,
)
from newsdesk.results.page import Section, page
from newsdesk.types import Thread

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def report_sections(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> list[Section]:
    """Return results, agreement, progress, audit and datasheet; votes are compared with the likes of `threads`."""
    return _sections(Evidence.read(store, campaign, seed=seed), threads)


def _sections(evidence: Evidence, threads: Iterable[Thread]) -> list[Section]:
    comments = {(t.article.id, comment.id): comment for t in threads for comment in t.comments}
    campaign, judgments = evidence.campaign, evidence.judgments
    return [
        result_section(campaign, judgments, comments, evidence.results, evidence.seed),
        agreement_section(evidence.agreement),
        progress_section(campaign, evidence.status),
        audit_section(evidence),
        datasheet_section(evidence.datasheet),
    ]


def report_content(store: Store, campaign: str, *, seed: int = 0) -> dict[str, Any]:
    """Return the report as values, as `newsdesk campaign report --json` prints them; annotators appear by hashed ids."""
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
