"""Summaries of clusters: every extractive method of the WCEP paper in one framework, seeded, traced and evaluated as there."""

from newsdesk.summarizers.evaluate import Evaluation, evaluate, evaluate_outputs
from newsdesk.summarizers.prepare import Prepared, prepare
from newsdesk.summarizers.summarizer import (
    Scored,
    Summarizer,
    seeded_summarizer,
    summarizer,
)
from newsdesk.summarizers.summary import Candidate, Sentence, Summary

__all__ = [
    "Candidate",
    "Evaluation",
    "Prepared",
    "Scored",
    "Sentence",
    "Summarizer",
    "Summary",
    "evaluate",
    "evaluate_outputs",
    "prepare",
    "seeded_summarizer",
    "summarizer",
]
