"""The chapter of threads with scores: example comments at high, middle and low score (Fujita et al. 2019, Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.results.numbers import number_text
from newsdesk.results.page import Chapter, Section, Verdict
from newsdesk.results.plots import histograms
from newsdesk.results.table import Cell
from newsdesk.studies.report.inputs import Content
from newsdesk.types import Comment, Thread
from newsdesk.wording import plural

_SHOWN = 3  # comments at each level
_BINS = 20
_LONGEST = 400  # characters of a comment


@dataclass(frozen=True, slots=True)
class _Scored:
    """A comment with the title of its article and its score."""

    article: str
    comment: Comment
    score: float


def examples_chapter(content: Content) -> Chapter:
    """Comments of threads at high, middle and low score."""
    scored = [
        _Scored(thread.article.title or thread.article.id, comment, comment.score)
        for thread in records.read(content["file"], Thread)
        for comment in thread.comments
        if comment.score is not None
    ]
    if not scored:
        raise DataError("its comments have no score", file=content["file"])
    ordered = sorted(scored, key=lambda each: -each.score)
    middle = max((len(ordered) - _SHOWN) // 2, 0)
    levels = {
        "high": ordered[:_SHOWN],
        "middle": ordered[middle : middle + _SHOWN],
        "low": ordered[-_SHOWN:],
    }
    values = [each.score for each in ordered]
    section = Section(
        "Example comments",
        f"{plural(len(scored), 'comment')} with a score, from the highest to the lowest.",
    )
    section.figure(
        histograms({"comments": values}, _edges(values[-1], values[0]), "score"),
        "How the scores are distributed.",
    )
    section.table(
        ("level", "score", "votes", "comment", "article"),
        [row for level, examples in levels.items() for row in _rows(level, examples)],
        "The comments of highest, middle and lowest score; equal scores in the order of the file",
    )
    range_ = f"from {number_text(values[-1])} to {number_text(values[0])}"
    sentence = f"The scores of {plural(len(scored), 'comment')} go {range_}; examples stand at both ends and in the middle."
    return Chapter(Verdict(sentence), section)


def _rows(level: str, examples: Sequence[_Scored]) -> list[tuple[Cell, ...]]:
    return [
        (level, example.score, _votes(example.comment), _cut(example.comment.text), example.article)
        for example in examples
    ]


def _votes(comment: Comment) -> str | None:
    return None if comment.votes is None else f"{comment.yes} of {comment.votes}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _edges(low: float, high: float) -> list[float]:
    width = (high - low) / _BINS or 1.0
    return [low + width * place for place in range(_BINS + 1)]
