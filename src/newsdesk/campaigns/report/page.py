"""Build the report of a campaign from the store: as sections to include elsewhere, or as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.report.panel import agreement_section, audit_section, progress_section
from newsdesk.campaigns.report.results import result_section
from newsdesk.pages.page import Section, page
from newsdesk.types import Thread

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def report_sections(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> list[Section]:
    """Progress, results, agreement and the audit of annotators; votes are compared with the likes of `threads`."""
    described = store.campaign(campaign)
    judgments = answered(store.judgments(campaign, control=False))
    comments = {(t.article.id, comment.id): comment for t in threads for comment in t.comments}
    audited = list(store.judgments(campaign, include_excluded=True))
    return [
        progress_section(described, store.status(campaign)),
        result_section(described, judgments, comments, seed),
        agreement_section(described, judgments, seed),
        audit_section(list(store.tasks(campaign)), audited),
    ]


def report_page(
    store: Store, campaign: str, threads: Iterable[Thread] = (), *, seed: int = 0
) -> str:
    """The report as one self-contained HTML page."""
    title = store.campaign(campaign).protocol.title
    return page(f"Campaign {campaign}", title, report_sections(store, campaign, threads, seed=seed))
