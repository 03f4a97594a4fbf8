"""`newsdesk corpus`: from portal pages and web crawls to event clusters."""

from __future__ import annotations

import click

from newsdesk.cli.corpus.align import align_command
from newsdesk.cli.corpus.articles import articles_command
from newsdesk.cli.corpus.build import build_command
from newsdesk.cli.corpus.dedup import dedup_command
from newsdesk.cli.corpus.events import events_command
from newsdesk.cli.corpus.split import split_command
from newsdesk.cli.corpus.stats import stats_command
from newsdesk.cli.corpus.truncate import truncate_command


@click.group("corpus")
def corpus_command() -> None:
    """Build event clusters from portal pages and web crawls, with every lost record counted."""


for verb in (
    build_command,
    events_command,
    articles_command,
    dedup_command,
    align_command,
    split_command,
    truncate_command,
    stats_command,
):
    corpus_command.add_command(verb)
