"""Summarizers of clusters: the methods of Gholipour Ghalandari et al. (2020) in one framework, seeded and traced, with the paper's evaluation."""

from newsdesk.summarizers.evaluate import SummaryEvaluation, evaluate, evaluate_outputs
from newsdesk.summarizers.prepare import Candidate, Prepared, Sentence, Summary, prepare
from newsdesk.summarizers.summarizer import (
    Scored,
    Summarizer,
    seeded_summarizer,
    summarizer,
)

__all__ = [
    "Candidate",
    "Prepared",
    "Scored",
    "Sentence",
    "Summarizer",
    "Summary",
    "SummaryEvaluation",
    "evaluate",
    "evaluate_outputs",
    "prepare",
    "seeded_summarizer",
    "summarizer",
]
