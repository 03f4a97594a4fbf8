"""`newsdesk rank`: fit, apply and evaluate rankers of comments."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module of this package, one-line help).
VERBS = {
    "fit": ("fit", "Fit a ranker on threads with scores or likes, or on a campaign."),
    "apply": (
        "apply",
        "Rank the comments of threads with a fitted model, or with the model that ships.",
    ),
    "bridge": ("apply", "Rank comments by what opposed groups of voters both value."),
    "eval": (
        "eval",
        "Evaluate runs against scores, with length control and tests between systems.",
    ),
    "compare": (
        "compare",
        "Compare rankers on held-out threads by cross-validation or training files.",
    ),
    "explain": ("apply", "Explain in words why each comment has its score."),
    "game": ("eval", "Test whether filler text moves weak comments above better ones."),
    "audit": ("eval", "Compare likes with scores: correlation and distributions."),
    "vectors": ("fit", "Train skip-gram word vectors on the comments of threads."),
}


@click.command("rank", cls=LazyGroup, package=__name__, table=VERBS)
def rank_command() -> None:
    """Rank comments by quality: fit, apply, explain, evaluate with length control, test against gaming.

    \b
    Example:
      newsdesk rank apply ready comments.csv -o ranked.html
    """
