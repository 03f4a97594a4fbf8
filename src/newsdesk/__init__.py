"""newsdesk: corpora, judgments, models and believable verdicts for news events, articles and reader comments.

Names load when they are first used, so that `import newsdesk` costs next to nothing.
"""

from __future__ import annotations

from newsdesk.lazy import home_of, loader

__version__ = "0.2.0.dev0"

# What the module offers, and where each name lives. Type checkers read the same from __init__.pyi; a test compares the two.
_HOMES = {
    "newsdesk": ("campaigns",),
    "newsdesk.campaigns": ("agreement",),
    "newsdesk.campaigns.protocols": ("Protocol", "protocol"),
    "newsdesk.campaigns.store": ("Store",),
    "newsdesk.commenters": ("Commenter", "Suggestion", "commenter"),
    "newsdesk.corpus.extract": ("Extracted", "extract"),
    "newsdesk.errors": (
        "ArgumentError",
        "DataError",
        "FileError",
        "MissingExtraError",
        "NewsdeskError",
        "SpecError",
    ),
    "newsdesk.metrics": ("Metric", "metric", "score"),
    "newsdesk.rankers": ("Ranker", "ranker"),
    "newsdesk.records": ("Reader", "read", "write"),
    "newsdesk.summarizers": ("Summary", "summarizer"),
    "newsdesk.text": (
        "Normalizer",
        "Vocabulary",
        "encode",
        "encoder",
        "language",
        "sentences",
        "tokenizer",
    ),
    "newsdesk.types": (
        "Article",
        "Cluster",
        "ClusterArticle",
        "Comment",
        "ControlQuestion",
        "Entity",
        "Event",
        "Judgment",
        "Output",
        "Pair",
        "Ranked",
        "Reference",
        "References",
        "Score",
        "Source",
        "Thread",
    ),
}
_HOME_OF = home_of(_HOMES)

__all__ = ["__version__", *_HOME_OF]
__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
