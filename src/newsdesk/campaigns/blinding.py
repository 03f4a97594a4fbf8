"""What one annotator may see and send as data: tasks and judgments in which numbers and letters stand in place of ids.

A task of the annotator is called `#` and its number, and its targets are called by the letters they are shown under. Which text, system or control question is behind them is not
told: neither in tasks nor in judgments, nor in the reasons for which judgments are rejected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsdesk.campaigns.campaign import OpenedTask, Rejection, State, Stored
from newsdesk.errors import ArgumentError
from newsdesk.types import Judgment, Value

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

_NUMBER = re.compile(r"#(0|[1-9][0-9]{0,8})")
# Names no target, which would break the blinding.
_UNEQUAL = "texts that are the same have unequal ranks; they are stored as they are"


@dataclass(frozen=True, slots=True)
class BlindTask:
    """A task as one annotator sees it: labelled context, the article, the texts by letter, and the answers given so far by letter and question."""

    name: str
    state: State
    context: tuple[tuple[str, str], ...]
    article: str
    texts: Mapping[str, str]
    answers: Mapping[tuple[str, str], Value]


def own_tasks(store: Store, campaign: str, annotator: str) -> Iterator[BlindTask]:
    """The tasks of an annotator, in their order."""
    for place in store.places(campaign, annotator):
        opened = store.open_task(campaign, annotator, place.number)
        if opened is not None:
            yield blind(opened)


def blind(opened: OpenedTask) -> BlindTask:
    """A task without what its annotator must not know."""
    seen = opened.assignment
    letters = seen.slot.shown
    # By letter: the order of the stored answers is that of the targets, which would tell which is which.
    answers = dict(
        sorted(
            ((letters[target], question), value)
            for (target, question), value in opened.answers.items()
        )
    )
    return BlindTask(
        _name(opened.number), seen.state, seen.task.context, opened.article, seen.texts, answers
    )


def claim_task(store: Store, campaign: str, annotator: str, *, at: str) -> BlindTask | None:
    """The next task to do, claimed if it was not the annotator's yet; None if nothing is left."""
    for claimed in (False, True):
        if claimed:
            store.claim(campaign, annotator, at=at)
        for place in store.places(campaign, annotator):
            opened = store.open_task(campaign, annotator, place.number)
            if place.state != "done" and opened is not None:
                return blind(opened)
    return None


def own_judgments(store: Store, campaign: str, annotator: str) -> Iterator[Judgment]:
    """The current judgments of an annotator, with the names of `own_tasks`."""
    for task in own_tasks(store, campaign, annotator):
        for (letter, question), value in task.answers.items():
            yield Judgment(
                campaign, task.name, task.name, letter, question, value, annotator, shown=letter
            )


def store_own(
    store: Store, campaign: str, annotator: str, judgments: Iterable[Judgment], *, at: str
) -> Stored:
    """Store an annotator's judgments of their own tasks, named as in `own_tasks`: each task whole, atomically and idempotently.

    A task that is not theirs is an error; a task whose answers are not valid is rejected, and the others are stored.
    """
    tasks: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        tasks[judgment.task].append(judgment)
    opened = {name: _opened(store, campaign, annotator, name) for name in tasks}
    rejected: list[Rejection] = []
    complete: list[Judgment] = []
    name_of = {task.assignment.task.id: name for name, task in opened.items()}
    for name, rows in tasks.items():
        answers = {(row.target, row.question): row.value for row in rows}
        letters = list(opened[name].assignment.texts)
        shown = [letter for letter in letters if letter not in opened[name].assignment.same_as]
        faults = store.campaign(campaign).protocol.faults(
            letters if any(key[0] not in shown for key in answers) else shown, answers
        )
        if faults:
            rejected.append(Rejection(name, annotator, len(rows), faults[0]))
        else:
            complete += _unblinded(opened[name], rows, answers, annotator, at)
    stored = store.import_judgments(campaign, complete) if complete else Stored()
    # Its reasons name targets: what they say is not for the annotator.
    reason = "these answers are not valid together, or the task is not open to you any longer"
    refused = [replace(e, task=name_of[e.task], reason=reason) for e in stored.rejected]
    warnings = (_UNEQUAL,) if stored.warnings else ()
    return replace(stored, rejected=(*rejected, *refused), warnings=warnings)


def _unblinded(
    opened: OpenedTask,
    rows: list[Judgment],
    answers: Mapping[tuple[str, str], Value],
    annotator: str,
    at: str,
) -> Iterator[Judgment]:
    task = opened.assignment.task
    for (target, question), value in opened.assignment.unsealed(answers).items():
        yield Judgment(
            rows[0].campaign, task.id, task.item, target, question, value, annotator,
            at=at, seconds=rows[0].seconds, via="web",
        )  # fmt: skip


def _opened(store: Store, campaign: str, annotator: str, name: str) -> OpenedTask:
    number = _NUMBER.fullmatch(name)
    opened = store.open_task(campaign, annotator, int(number[1])) if number else None
    if opened is None:
        raise ArgumentError(f"{name!r} is not a task of yours; they are called as `#3`")
    return opened


def _name(number: int) -> str:
    return f"#{number}"
