"""Asks a judge every task of a campaign twice and stores each answer at once: what is stored is never asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Protocol as Interface

from newsdesk.campaigns.judges.sheet import JudgeSheet, sheets_of
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.models import ModelAnswer
from newsdesk.errors import ArgumentError
from newsdesk.types import Value
from newsdesk.work.progress import OnProgress, counting, silent

_KINDS = ("scale", "select", "rank", "label")
Answers = Mapping[tuple[str, str], Value]


class CampaignJudge(Interface):
    """Whoever answers tasks."""

    @property
    def name(self) -> str:
        """What the answers are stored under: whoever answers otherwise has another name."""

    def answers(self, sheets: Iterable[JudgeSheet]) -> Iterator[tuple[JudgeSheet, Answers | str]]:
        """Yield each sheet with its answers, or with what was wrong, as they come."""


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """What a run asked: sheets that were new, those stored before, and those without a valid answer."""

    judge: str
    asked: int
    stored_before: int
    unusable: int


def ask_judge(
    store: Store,
    campaign: str,
    judge: CampaignJudge,
    *,
    now: Callable[[], str],
    most_tasks: int | None = None,
    retry: bool = False,
    progress: OnProgress = silent,
) -> JudgeRun:
    """Ask a judge what it has not answered yet; with `retry` also what it answered wrongly.

    At most the first `most_tasks` tasks.
    """
    waiting = open_sheets(store, campaign, judge.name, most_tasks=most_tasks, retry=retry)
    finished, unusable = counting(progress), 0
    for sheet, answers in judge.answers(waiting.sheets):
        fault = answers if isinstance(answers, str) else ""
        unusable += bool(fault)
        stored = {} if isinstance(answers, str) else answers
        letters = {target: letter for letter, target in sheet.shown.items()}
        answer = ModelAnswer(sheet.task.id, judge.name, sheet.turn, stored, letters, now(), fault)
        store.add_model_answer(campaign, answer)
        finished(sheet.id)
    return JudgeRun(judge.name, len(waiting.sheets), waiting.stored, unusable)


@dataclass(frozen=True, slots=True)
class OpenSheets:
    """The sheets that a judge has not answered yet, and the number of those it has."""

    sheets: tuple[JudgeSheet, ...]
    stored: int


def open_sheets(
    store: Store, campaign: str, judge: str, *, most_tasks: int | None = None, retry: bool = False
) -> OpenSheets:
    """Return what a judge of this name is still to be asked."""
    form = store.campaign(campaign)
    if form.protocol.kind not in _KINDS:
        raise ArgumentError(
            f"{form.protocol.name!r} is a form of kind {form.protocol.kind}; judges answer {', '.join(_KINDS)}"
        )
    texts = store.articles(campaign)
    before = {
        (answer.task, answer.turn)
        for answer in store.model_answers(campaign, judge)
        if answer.usable or not retry
    }
    sheets = [
        sheet
        for number, task in enumerate(islice(store.tasks(campaign), most_tasks), 1)
        for sheet in sheets_of(
            number, task.with_article(texts.get(task.item, "")), form.protocol, seed=form.seed
        )
    ]
    waiting = tuple(sheet for sheet in sheets if (sheet.task.id, sheet.turn) not in before)
    return OpenSheets(waiting, len(sheets) - len(waiting))
