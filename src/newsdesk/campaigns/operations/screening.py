"""Exclude annotators who fail their control questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsdesk.campaigns.control import AnnotatorAudit, audit, failed, known_answers

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def exclude_failed(
    store: Store, campaign: str, *, at: str, min_right: float = 1.0
) -> list[AnnotatorAudit]:
    """Exclude all with less than this share of control questions right, and open their slots.

    By default who answered one wrongly is excluded. Returns the audits of the excluded.
    """
    answers = known_answers(store.tasks(campaign))
    audits = failed(audit(store.judgments(campaign, names=True), answers), min_right)
    for failing in audits:
        reason = f"{failing.correct} of {failing.controls} control questions right"
        store.exclude(campaign, failing.annotator, reason, at=at)
    return audits
