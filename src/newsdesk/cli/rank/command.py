"""`newsdesk rank`: fit a ranker of comments, apply it, and measure it so that length cannot pass for quality.

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
        "Measure runs against scores, also at equal length, with tests.",
    ),
    "compare": (
        "newsdesk.cli.rank.compare",
        "Compare rankers on threads they did not learn from.",
    ),
    "explain": (
        "newsdesk.cli.rank.explain",
        "Say in words why each comment has its score.",
    ),
    "game": (
        "newsdesk.cli.rank.game",
        "Append filler to weak comments and count what they now pass.",
    ),
    "audit": (
        "newsdesk.cli.rank.audit",
        "Set likes beside scores.",
    ),
    "vectors": (
        "newsdesk.cli.rank.vectors",
        "Train skip-gram word vectors on the comments of threads.",
    ),
}


@click.command("rank", cls=LazyGroup, table=VERBS)
def rank_command() -> None:
    """Rank comments by quality: fit, apply, evaluate beyond length, try to game."""
