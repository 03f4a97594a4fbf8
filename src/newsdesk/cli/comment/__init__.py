"""`newsdesk comment` and its verbs."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "fit": ("newsdesk.cli.comment.fit", "Fit a commenter on threads and save it."),
    "suggest": (
        "newsdesk.cli.comment.suggest",
        "Suggest comments under articles, labelled and sealed.",
    ),
    "verify": (
        "newsdesk.cli.comment.suggest",
        "Check whether suggestions were altered, and in which field.",
    ),
    "compare": (
        "newsdesk.cli.comment.compare",
        "Compare commenters on held-out articles by plain and weighted metrics.",
    ),
}


@click.command("comment", cls=LazyGroup, table=VERBS)
def comment_command() -> None:
    """Suggest comments under articles: retrieve or generate them, labelled as machine-suggested.

    \b
    Example:
      newsdesk comment suggest model/ articles.jsonl -n 3
    """
