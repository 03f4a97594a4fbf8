"""Exclude annotators who fail their control questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsdesk.campaigns.control import Audit, audit, failed, known_answers

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def exclude_failed(store: Store, campaign: str, *, at: str, min_right: float = 1.0) -> list[Audit]:
    """Exclude all who answered less than this share of their control questions rightly, and open their slots; returns their audits.

    By default who answered one wrongly is excluded.
    """
    answers = known_answers(store.tasks(campaign))
    audits = failed(audit(store.judgments(campaign, names=True), answers), min_right)
    for failing in audits:
        reason = f"{failing.correct} of {failing.controls} control questions right"
        store.exclude(campaign, failing.annotator, reason, at=at)
    return audits
