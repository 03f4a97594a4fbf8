"""`newsdesk corpus`, one file for each verb."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

VERBS = {
    "build": ("newsdesk.cli.corpus.build", "Run all steps from one file of settings; resumable."),
    "events": ("newsdesk.cli.corpus.events", "Read portal pages into events."),
    "archive": ("newsdesk.cli.corpus.events", "Download cited sources from the Wayback Machine."),
    "articles": (
        "newsdesk.cli.corpus.build",
        "Extract articles from WARC files, folders of HTML or JSONL.",
    ),
    "dedup": ("newsdesk.cli.corpus.dedup", "Drop near-duplicates of articles."),
    "align": ("newsdesk.cli.corpus.align", "Align articles with events; writes clusters."),
    "split": ("newsdesk.cli.corpus.parts", "Split clusters by date into train, val and test."),
    "truncate": ("newsdesk.cli.corpus.parts", "Truncate clusters to a number of articles."),
    "comments": (
        "newsdesk.cli.corpus.comments",
        "Build a comment corpus with the filters of a paper.",
    ),
    "stats": (
        "newsdesk.cli.corpus.stats",
        "Print statistics of clusters, or write them as a page.",
    ),
    "release": (
        "newsdesk.cli.corpus.release",
        "Release a corpus by address and hash, or with texts.",
    ),
    "rebuild": (
        "newsdesk.cli.corpus.release",
        "Rebuild the corpus of a release and verify it by hashes.",
    ),
    "forget": (
        "newsdesk.cli.corpus.release",
        "Remove an article, a domain or an author from a corpus and all later builds.",
    ),
}


@click.command("corpus", cls=LazyGroup, table=VERBS)
def corpus_command() -> None:
    """Build event clusters from portal pages and web crawls, with every lost record counted.

    \b
    Example:
      newsdesk corpus build corpus.toml -o corpus/
    """
