"""Human scores from judgments: of a file, of a campaign in a store, or of a table of scores.

Numbers without a protocol are taken as scores of which the highest is best. Ranks read that way would turn every result upside down, so
`refuse_unnamed_ranks` stops where a question looks like ranks and asks which it is. It does not guess: a scale of 1 to 5 on which every
item happens to have a 1 looks the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from newsdesk.campaigns.aggregate import Tally, tallies, values_of
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.errors import ArgumentError, DataError
from newsdesk.studies.correlate.tables import HumanScores, Key
from newsdesk.types import Judgment


def human_scores(judgments: Iterable[Judgment], form: Protocol | None = None) -> list[HumanScores]:
    """Scores of outputs by question, higher is better; the judgment's target is the system, and of several rows with one key the last counts.

    With the protocol, ranks become the share of other systems ranked below; without it values are taken as grades or votes. Control questions
    and withdrawn answers are left out.
    """
    current = {judgment.key: judgment for judgment in judgments if not judgment.control}
    if form is None:
        return _by_question(tallies(current.values()))
    asked = {each.question for each in current.values()}
    names = [question.name for question in form.questions if question.name in asked]
    return _by_question(row for name in names for row in values_of(current.values(), form, name))


def ranked_scores(judgments: Sequence[Judgment], form: Protocol) -> list[HumanScores]:
    """Read the judgments of a table under a protocol of ranks, whatever its questions are called."""
    for each in judgments:
        if float(each.value) < 1:
            raise DataError(
                f"{each.question!r} of item {each.item!r}, system {each.target!r}, is {float(each.value):g}, and ranks count from 1;"
                " leave --protocol rank out, or choose the questions that are ranks with --questions"
            )
    names = dict.fromkeys(each.question for each in judgments)
    asked = replace(form, questions=tuple(Question(name, name) for name in names))
    return human_scores(judgments, asked)


def refuse_unnamed_ranks(judgments: Iterable[Judgment], source: str) -> None:
    """Refuse judgments that look like ranks where no protocol says whether they are: by the name of a question, or by its values."""
    by_question: dict[str, list[Judgment]] = {}
    for each in answered(judgments):
        if not each.control and not isinstance(each.value, str):
            by_question.setdefault(each.question, []).append(each)
    for question, asked in by_question.items():
        if "rank" in re.split(r"[\W_]+", question.lower()) or _look_like_ranks(asked):
            raise ArgumentError(
                f"{source}: {question!r} looks like ranks; say what it is: --protocol rank if 1 is best, --protocol grade if the highest is best"
            )


def _look_like_ranks(judgments: Iterable[Judgment]) -> bool:
    """True if every judge gave every item's outputs whole numbers from 1, which is used, up to at most the number of outputs."""
    rankings: dict[tuple[str, str, str], list[float]] = {}
    for each in judgments:
        key = (each.task, each.item, each.annotator)
        rankings.setdefault(key, []).append(float(each.value))
    return any(max(values) > 1 for values in rankings.values()) and all(
        min(values) == 1 and max(values) <= len(values) and all(map(float.is_integer, values))
        for values in rankings.values()
    )


def _by_question(rows: Iterable[Tally]) -> list[HumanScores]:
    by_question: dict[str, dict[Key, tuple[float, ...]]] = {}
    for row in rows:
        by_question.setdefault(row.question, {})[row.item, row.target] = row.values
    if not by_question:
        raise DataError("there are no judgments of outputs")
    return [HumanScores(question, values) for question, values in by_question.items()]
