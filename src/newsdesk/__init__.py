"""newsdesk: corpora, judgments, models and believable verdicts for news events, articles and reader comments.

Names load when they are first used, so that `import newsdesk` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# What the module offers, and where each name lives. Type checkers read the same from __init__.pyi; a test compares the two.
_HOMES = {
    "newsdesk.campaigns": ("agreement",),
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
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'newsdesk' has no attribute {name!r}")
    home = importlib.import_module(_HOME_OF[name])
    return getattr(home, name, None) or importlib.import_module(f"{home.__name__}.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)
