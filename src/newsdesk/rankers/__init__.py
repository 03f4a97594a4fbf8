"""Rankers of an article's comments, and their length-controlled evaluation."""

from newsdesk.rankers.ranker import RankedComment, Ranker, Step, ranker

__all__ = ["RankedComment", "Ranker", "Step", "ranker"]
