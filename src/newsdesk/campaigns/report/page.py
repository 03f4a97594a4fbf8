"""The page of `newsdesk campaign report`, from the store."""

from __future__ import annotations

from newsdesk import records
from newsdesk.campaigns.report_sections import (
    agreement_section,
    audit_section,
    progress_section,
    result_section,
)
from newsdesk.campaigns.store import Store
from newsdesk.pages.page import Section, page
from newsdesk.types import Thread


def report_sections(store: Store, name: str, threads: str | None, seed: int) -> list[Section]:
    """Progress, results, agreement and the audit of annotators."""
    campaign = store.campaign(name)
    judgments = list(store.judgments(name, control=False))
    found = records.read(threads, Thread) if threads else ()
    comments = {(t.article.id, comment.id): comment for t in found for comment in t.comments}
    everything = list(store.judgments(name, include_excluded=True))
    return [
        progress_section(campaign, store.status(name)),
        result_section(campaign, judgments, comments, seed),
        agreement_section(campaign, judgments, seed),
        audit_section(list(store.tasks(name)), everything),
    ]


def report_page(store: Store, name: str, threads: str | None, seed: int) -> str:
    """The report as one self-contained page."""
    title = store.campaign(name).protocol.title
    return page(f"Campaign {name}", title, report_sections(store, name, threads, seed))
