"""`newsdesk comment` and its verbs."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module of this package, one-line help).
VERBS = {
    "fit": ("fit", "Fit a commenter on threads and save it."),
    "suggest": ("suggest", "Suggest comments under articles, labelled and sealed."),
    "verify": ("suggest", "Check whether suggestions were altered, and in which field."),
    "compare": ("fit", "Compare commenters on held-out articles by plain and weighted metrics."),
}


@click.command("comment", cls=LazyGroup, package=__name__, table=VERBS)
def comment_command() -> None:
    """Suggest comments under articles: retrieve or generate them, labelled as machine-suggested.

    \b
    Example:
      newsdesk comment suggest model/ articles.jsonl -n 3
    """
