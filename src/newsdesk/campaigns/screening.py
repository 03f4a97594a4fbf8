"""Exclude annotators who failed control questions, as Fujita et al. (2019) did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsdesk.campaigns.control import Audit, audit, failed, known_answers

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


def exclude_failed(store: Store, campaign: str, *, at: str, min_right: float = 1.0) -> list[Audit]:
    """Exclude all who answered less than this share of their control questions rightly, and open their slots; returns their audits.

    By default who answered one wrongly is excluded.
    """
    known = known_answers(store.tasks(campaign))
    audits = failed(audit(store.judgments(campaign, names=True), known), min_right)
    for each in audits:
        reason = f"{each.correct} of {each.controls} control questions right"
        store.exclude(campaign, each.annotator, reason, at=at)
    return audits
