"""Rankers of an article's comments, and their length-controlled evaluation."""

from newsdesk.rankers.ranker import RankedComment, Ranker, ranker

__all__ = ["RankedComment", "Ranker", "ranker"]
