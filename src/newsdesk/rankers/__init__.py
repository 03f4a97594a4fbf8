"""Rankers of an article's comments, and figures of them that length cannot pass for quality in."""

from newsdesk.rankers.ranker import RankedComment, Ranker, ranker

__all__ = ["RankedComment", "Ranker", "ranker"]
