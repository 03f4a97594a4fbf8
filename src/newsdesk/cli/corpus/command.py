"""`newsdesk corpus`: from portal pages and web crawls to event clusters."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

VERBS = {
    "build": ("newsdesk.cli.corpus.build", "All steps from one file of settings, resumable."),
    "events": ("newsdesk.cli.corpus.events", "Read portal pages into events."),
    "archive": ("newsdesk.cli.corpus.archive", "Get cited sources from the Wayback Machine."),
    "articles": ("newsdesk.cli.corpus.articles", "Extract articles from WARCs, folders or JSONL."),
    "dedup": ("newsdesk.cli.corpus.dedup", "Drop near-duplicates of articles."),
    "align": ("newsdesk.cli.corpus.align", "Align articles with events: clusters."),
    "split": ("newsdesk.cli.corpus.split", "Split clusters by date: train, val and test."),
    "truncate": ("newsdesk.cli.corpus.truncate", "Cut clusters to so many articles."),
    "comments": ("newsdesk.cli.corpus.comments", "Build a comment corpus by a paper's filters."),
    "stats": ("newsdesk.cli.corpus.stats", "Statistics of clusters, as a table or a page."),
    "release": (
        "newsdesk.cli.corpus.release",
        "Release a corpus by address and hash, or with texts.",
    ),
    "rebuild": (
        "newsdesk.cli.corpus.rebuild",
        "Make the corpus of a release again, proved by hashes.",
    ),
    "forget": ("newsdesk.cli.corpus.forget", "Remove an article, a domain or an author for good."),
}


@click.command("corpus", cls=LazyGroup, table=VERBS)
def corpus_command() -> None:
    """Build event clusters from portal pages and web crawls, with every lost record counted."""
