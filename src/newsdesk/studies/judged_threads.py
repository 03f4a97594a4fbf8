"""The judgments of a campaign as threads that a ranker learns from or is measured on."""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.campaigns.aggregate import gain_threads, values_of
from newsdesk.campaigns.store import Store
from newsdesk.types import Thread


def judged_threads(store: Store, campaign: str, threads: Iterable[Thread] = ()) -> list[Thread]:
    """The comments that a campaign judged, with their scores; their articles are those of `threads`, or without a title.

    The scores answer the campaign's only question, or `overall`; controls and excluded annotators are left out.
    """
    form = store.campaign(campaign).protocol
    rows = values_of(store.judgments(campaign, control=False), form)
    texts = {
        (task.item, target.id): target.text
        for task in store.tasks(campaign)
        for target in task.targets
    }
    articles = {thread.article.id: thread.article for thread in threads}
    return gain_threads(rows, texts, articles, votes=form.kind == "select")
