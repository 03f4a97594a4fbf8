"""`newsdesk rank`: fit, apply and evaluate rankers of comments."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "fit": (
        "newsdesk.cli.rank.fit",
        "Fit a ranker on threads with scores or likes, or on a campaign.",
    ),
    "apply": (
        "newsdesk.cli.rank.apply",
        "Rank the comments of threads with a fitted model, or with the model that ships.",
    ),
    "eval": (
        "newsdesk.cli.rank.eval",
        "Evaluate runs against scores, with length control and tests between systems.",
    ),
    "compare": (
        "newsdesk.cli.rank.compare",
        "Compare rankers on held-out threads by cross-validation or training files.",
    ),
    "explain": (
        "newsdesk.cli.rank.apply",
        "Explain in words why each comment has its score.",
    ),
    "game": (
        "newsdesk.cli.rank.checks",
        "Test whether filler text moves weak comments above better ones.",
    ),
    "audit": (
        "newsdesk.cli.rank.checks",
        "Compare likes with scores: correlation and distributions.",
    ),
    "vectors": (
        "newsdesk.cli.rank.fit",
        "Train skip-gram word vectors on the comments of threads.",
    ),
}


@click.command("rank", cls=LazyGroup, table=VERBS)
def rank_command() -> None:
    """Rank comments by quality: fit, apply, explain, evaluate with length control, test against gaming.

    \b
    Example:
      newsdesk rank apply ready comments.csv -o ranked.html
    """
