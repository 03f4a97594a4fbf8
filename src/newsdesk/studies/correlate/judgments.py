"""Human scores from judgments: of a file, or of a campaign in a store."""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.campaigns.aggregate import Tally, tallies, values_of
from newsdesk.campaigns.protocols import Protocol
from newsdesk.errors import DataError
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


def _by_question(rows: Iterable[Tally]) -> list[HumanScores]:
    by_question: dict[str, dict[Key, tuple[float, ...]]] = {}
    for row in rows:
        by_question.setdefault(row.question, {})[row.item, row.target] = row.values
    if not by_question:
        raise DataError("there are no judgments of outputs")
    return [HumanScores(question, values) for question, values in by_question.items()]
