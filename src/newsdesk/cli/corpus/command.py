"""`newsdesk corpus`: from portal pages and web crawls to event clusters."""

from __future__ import annotations

import click

from newsdesk.cli.corpus.align import align_command
from newsdesk.cli.corpus.articles import articles_command
from newsdesk.cli.corpus.build import build_command
from newsdesk.cli.corpus.events import events_command


@click.group("corpus")
def corpus_command() -> None:
    """Build event clusters from portal pages and web crawls, with every lost record counted."""


for verb in (events_command, articles_command, align_command, build_command):
    corpus_command.add_command(verb)
