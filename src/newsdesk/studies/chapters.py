"""Chapters that need other parts: rankers evaluated (`rank eval --json`, `rank compare --json`), and threads with scores.

Rankers are shown by NDCG, precision and measures beyond length; of threads, example comments at high, middle and low score (Fujita et al. 2019, Table 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.rankers.evaluation.evaluate import RankerDifference
from newsdesk.rankers.evaluation.judged import short_names
from newsdesk.results.page import Chapter, Section, Verdict, table_section
from newsdesk.results.part import ResultPart, gathered
from newsdesk.results.plots import histograms, intervals
from newsdesk.results.table import Cell, PValue, number_text, ranged
from newsdesk.results.verdict import SystemDifference, SystemValue, leader_verdict
from newsdesk.studies.report import Content
from newsdesk.types import Comment, Thread
from newsdesk.wording import excerpt, plural

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
    """Return comments of threads at high, middle and low score."""
    scored = [
        _Scored(thread.article.title or thread.article.id, comment, comment.score)
        for thread in records.read(content["file"], Thread)
        for comment in thread.comments
        if comment.score is not None
    ]
    if not scored:
        raise DataError("its comments have no score", file=content["file"])
    ordered = sorted(scored, key=lambda example: -example.score)
    middle = max((len(ordered) - _SHOWN) // 2, 0)
    levels = {
        "high": ordered[:_SHOWN],
        "middle": ordered[middle : middle + _SHOWN],
        "low": ordered[-_SHOWN:],
    }
    values = [example.score for example in ordered]
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
        (
            level,
            example.score,
            _votes(example.comment),
            excerpt(example.comment.text, _LONGEST),
            example.article,
        )
        for example in examples
    ]


def _votes(comment: Comment) -> str | None:
    return None if comment.votes is None else f"{comment.yes} of {comment.votes}"


def _edges(low: float, high: float) -> list[float]:
    width = (high - low) / _BINS or 1.0
    return [low + width * index for index in range(_BINS + 1)]


Ends = tuple[float, float]

_BESIDES = ("system", "n", "ci", "signature")
_TITLES = {"lmp": "LMP", "blmp": "bLMP", "sauc": "sAUC"}
# The title of a table, the measures in it without their cutoffs, and whether it is folded.
_GROUPS = (
    ("NDCG", ("ndcg",), False),
    ("Precision", ("precision",), False),
    ("Beyond length", ("lmp", "blmp", "sauc"), False),
    ("Strict precision, and the halves of bLMP", ("strict_precision", "blmp_longer", "blmp_shorter"), True),
)  # fmt: skip
_CEILING = {"true_rate": "(the true rates)", "fresh_panel": "(a fresh panel)"}


@dataclass(frozen=True, slots=True)
class RankerRow(ResultPart):
    """One ranker by every measure, with intervals; None where the data has no pair for a measure."""

    system: str
    n: int
    ci: Mapping[str, Ends | None]
    signature: str
    measures: Mapping[str, float | None]

    def cell(self, measure: str) -> Cell:
        """Return a measure with its interval as a cell of a table."""
        return ranged(self.measures[measure], self.ci.get(measure))


@dataclass(frozen=True, slots=True, kw_only=True)
class FillerShare(ResultPart):
    """The share of pairs that a ranker gets wrong after filler of one kind was added."""

    system: str
    kind: str
    share: float | None = None
    ci: Ends | None = None


@dataclass(frozen=True, slots=True)
class RankingsResult(ResultPart):
    """What `newsdesk rank eval --json` prints, and with the results of gaming `rank compare --json`."""

    systems: tuple[RankerRow, ...]
    comparisons: tuple[RankerDifference, ...]
    ceiling: Mapping[str, Mapping[str, float]]
    fillers: tuple[FillerShare, ...] = ()

    def values(self, measure: str, names: Mapping[str, str]) -> list[SystemValue]:
        """Return the rankers in one measure by their short names, those that have it."""
        return [
            SystemValue(names[row.system], value, row.ci.get(measure))
            for row in self.systems
            if (value := row.measures[measure]) is not None
        ]


def rankings_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show rankers: a verdict on bLMP, or NDCG without pairs of equal length, pictures, tables, tests."""
    result = RankingsResult.decode(gathered(content, "systems", _BESIDES, "measures"))
    rows, tests = result.systems, result.comparisons
    names = short_names([row.system for row in rows])
    measures = list(rows[0].measures)
    cutoffs = [name for name in measures if name.startswith("ndcg@")]
    ndcg = cutoffs[len(cutoffs) // 2]
    paired = all(row.measures.get("blmp") is not None for row in rows)
    main = "blmp" if paired else ndcg
    verdict = leader_verdict(
        _title(main),
        result.values(main, names),
        [
            SystemDifference(names[test.first], names[test.second], test.difference, test.ci, test.p_randomization)
            for test in tests
            if test.measure == main
        ],
        advice="evaluate at least two runs in one call",
    )  # fmt: skip
    section = Section(
        "Rankers", f"{plural(len(rows), 'ranker')} on {plural(rows[0].n, 'article')}."
    )
    for measure in dict.fromkeys((main, ndcg)):
        bars = [value.bar for value in result.values(measure, names)]
        caption = f"{_title(measure)}, with 95 % intervals over articles."
        if measure == "blmp":
            caption += (
                " bLMP is the accuracy on pairs of equal length; any function of length scores 0.5."
            )
        section.figure(intervals(bars, _title(measure)), caption)
    for title, stems, folded in _GROUPS:
        shown = [name for name in measures if name.partition("@")[0] in stems]
        part = _table(Section(title), result, shown, names)
        section.fold(part) if folded else section.include(part)
    section.fold(_fillers(result.fillers, names)).fold(_tests(tests, names))
    if shortened := [(short, name) for name, short in names.items() if short != name]:
        section.fold(Section("Full names").table(("short", "ranker"), shortened))
    return Chapter(verdict, section.signatures([row.signature for row in rows]))


def _title(measure: str) -> str:
    stem, at, depth = measure.partition("@")
    return _TITLES.get(stem, stem.replace("_", " ").replace("ndcg", "NDCG")) + at + depth


def _table(
    section: Section, result: RankingsResult, measures: Sequence[str], names: Mapping[str, str]
) -> Section:
    if not measures:
        return section
    body: list[tuple[Cell, ...]] = [
        (names[row.system], *map(row.cell, measures)) for row in result.systems
    ]
    body += [
        (_CEILING.get(who, who), *map(values.get, measures))
        for who, values in result.ceiling.items()
    ]
    return section.table(("ranker", *map(_title, measures)), body)


def _fillers(fillers: Sequence[FillerShare], names: Mapping[str, str]) -> Section:
    return table_section(
        "Gaming: pairs that are wrong after filler was added",
        ("ranker", "filler", "share of pairs"),
        [
            (names.get(row.system, row.system), row.kind, ranged(row.share, row.ci))
            for row in fillers
        ],
    )


def _tests(tests: Sequence[RankerDifference], names: Mapping[str, str]) -> Section:
    return table_section(
        "Tests between every two rankers",
        ("measure", "first", "second", "difference", "p, randomization", "p, t-test"),
        [
            (
                _title(test.measure),
                names[test.first],
                names[test.second],
                ranged(test.difference, test.ci),
                _p(test.p_randomization),
                _p(test.p_t),
            )
            for test in tests
        ],
    )


def _p(value: float | None) -> Cell:
    return None if value is None else PValue(value)
