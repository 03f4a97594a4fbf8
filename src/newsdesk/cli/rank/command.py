"""`newsdesk rank`: fit a ranker of comments, apply it, and evaluate it with control for length.

Each verb is a file of its own, imported when it is called.
"""

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
        "Rank the comments of threads with a fitted model.",
    ),
    "eval": (
        "newsdesk.cli.rank.eval",
        "Evaluate runs against scores, also length-controlled, with tests.",
    ),
    "compare": (
        "newsdesk.cli.rank.compare",
        "Compare rankers on held-out threads.",
    ),
    "explain": (
        "newsdesk.cli.rank.explain",
        "Explain in words why each comment has its score.",
    ),
    "game": (
        "newsdesk.cli.rank.game",
        "Gaming test: append filler to weak comments.",
    ),
    "audit": (
        "newsdesk.cli.rank.audit",
        "Compare likes with scores.",
    ),
    "vectors": (
        "newsdesk.cli.rank.vectors",
        "Train skip-gram word vectors on the comments of threads.",
    ),
}


@click.command("rank", cls=LazyGroup, table=VERBS)
def rank_command() -> None:
    """Rank comments by quality: fit, apply, evaluate with control for length, test against gaming."""
