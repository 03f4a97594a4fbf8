"""A task on a screen: what an annotator sees under letters, the guidance beside it, and a returned form as answers.

A field of a form is named `A.overall`, after the letter and the question; it never holds a target's id, which would break the blinding.

What one annotator may see and send as data: tasks and judgments in which numbers and letters stand in place of ids.

A task of the annotator is called `#` and its number, and its targets are called by the letters they are shown under. Which text, system or control question is behind them is not
told: neither in tasks nor in judgments, nor in the reasons for which judgments are rejected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsdesk.campaigns.campaign import OpenedTask, Rejection, State, Stored
from newsdesk.campaigns.protocols import CHOICES, Answers, Protocol
from newsdesk.campaigns.sheets.guidance import Refused, parse, written
from newsdesk.campaigns.spans import NOTHING
from newsdesk.errors import ArgumentError, DataError
from newsdesk.text.normalize import lined
from newsdesk.types import CANNOT_JUDGE, Judgment, Value
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

PAIR = "pair"  # in place of a letter in the name of a field: a choice between two texts
_NUMBER = re.compile(r"#(0|[1-9][0-9]{0,8})")
# Names no target, which would break the blinding.
_UNEQUAL = "texts that are the same have unequal ranks; they are stored as they are"


@dataclass(frozen=True, slots=True)
class BlindTask:
    """A task as one annotator sees it: context, article, texts by letter, and the answers so far."""

    name: str
    state: State
    context: tuple[tuple[str, str], ...]
    article: str
    texts: Mapping[str, str]
    answers: Mapping[tuple[str, str], Value]


def own_tasks(store: Store, campaign: str, annotator: str) -> Iterator[BlindTask]:
    """Yield the tasks of an annotator, in their order."""
    for place in store.places(campaign, annotator):
        opened = store.open_task(campaign, annotator, place.number)
        if opened is not None:
            yield blind(opened)


def blind(opened: OpenedTask) -> BlindTask:
    """Return a task without what its annotator must not know."""
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
    """Return the next task to do, claimed if it was not the annotator's yet; None if nothing is left."""
    for after_claim in (False, True):
        if after_claim:
            store.claim(campaign, annotator, at=at)
        for place in store.places(campaign, annotator):
            opened = store.open_task(campaign, annotator, place.number)
            if place.state != "done" and opened is not None:
                return blind(opened)
    return None


def own_judgments(store: Store, campaign: str, annotator: str) -> Iterator[Judgment]:
    """Yield the current judgments of an annotator, with the names of `own_tasks`."""
    for task in own_tasks(store, campaign, annotator):
        for (letter, question), value in task.answers.items():
            yield Judgment(
                campaign, task.name, task.name, letter, question, value, annotator, shown=letter
            )


def store_own(
    store: Store, campaign: str, annotator: str, judgments: Iterable[Judgment], *, at: str
) -> Stored:
    """Store an annotator's judgments of tasks named as in `own_tasks`, atomically and idempotently.

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
            letters if any(letter not in shown for letter, _ in answers) else shown, answers
        )
        if faults:
            rejected.append(Rejection(name, annotator, len(rows), faults[0]))
        else:
            complete += _unblinded(opened[name], rows, answers, annotator, at)
    stored = store.import_judgments(campaign, complete) if complete else Stored()
    # Its reasons name targets: what they say is not for the annotator.
    reason = "these answers are not valid together, or the task is not open to you any longer"
    refused = [
        replace(rejection, task=name_of[rejection.task], reason=reason)
        for rejection in stored.rejected
    ]
    warnings = (_UNEQUAL,) if stored.warnings else ()
    return replace(stored, rejected=(*rejected, *refused), warnings=warnings)


def _unblinded(
    opened: OpenedTask,
    rows: list[Judgment],
    answers: Mapping[tuple[str, str], Value],
    annotator: str,
    at: str,
) -> Iterator[Judgment]:
    """Yield the answers by letter as judgments of targets; `rows` are the judgments as they came."""
    task = opened.assignment.task
    for (target, question), value in opened.assignment.unsealed(answers).items():
        yield Judgment(
            rows[0].campaign, task.id, task.item, target, question, value, annotator,
            at=at, seconds=rows[0].seconds, via="web",
        )  # fmt: skip


def _opened(store: Store, campaign: str, annotator: str, name: str) -> OpenedTask:
    """Return the task that an annotator calls `#3`; an error if it is not theirs."""
    number = _NUMBER.fullmatch(name)
    opened = store.open_task(campaign, annotator, int(number[1])) if number else None
    if opened is None:
        raise ArgumentError(f"{name!r} is not a task of yours; they are called as `#3`")
    return opened


def _name(number: int) -> str:
    return f"#{number}"


Fields = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that can be chosen: its value in the form, and what it says."""

    value: str
    label: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """One text to judge, under its letter; `same_as` is the letter of an earlier text that it repeats."""

    letter: str
    text: str
    same_as: str | None
    lines: tuple[tuple[int, str], ...] = ()  # each with its place in the text as stored


@dataclass(frozen=True, slots=True)
class Screen:
    """All that an annotator is shown of a task. Nothing in it says which target a letter stands for.

    `ends` says what the first and the last of the options mean, where they do not say it themselves.
    """

    number: int
    done: bool
    context: tuple[tuple[str, str], ...]
    article: str
    texts: tuple[Text, ...]
    options: tuple[Option, ...]
    ends: str
    chosen: Mapping[str, str]  # field → value


def screen_of(form: Protocol, opened: OpenedTask) -> Screen:
    """Return the screen of an opened task, with its answers unless they were undone."""
    assignment = opened.assignment
    done = assignment.state == "done"
    same = _same_as(form, opened)
    passages = assignment.texts if form.kind == "spans" else {}
    texts = tuple(
        Text(letter, lined(text), same.get(letter), _lines(text))
        for letter, text in sorted(assignment.texts.items(), key=_by_place)
    )
    letters = assignment.slot.shown
    given = {
        (letters[target], question): value
        for (target, question), value in (opened.answers if done else {}).items()
    }
    chosen = {
        field_name(letter, question): str(written(value, passages.get(letter)))
        for (letter, question), value in given.items()
    }
    if form.paired:
        chosen |= _preferences(form, sorted(assignment.texts, key=_by_length), given)
    return Screen(
        number=opened.number,
        done=done,
        context=tuple((label, lined(text)) for label, text in assignment.task.context),
        article=lined(opened.article),
        texts=texts,
        options=options_of(form, len(assignment.task.targets)),
        ends=form.scale_ends(len(assignment.task.targets)),
        chosen=chosen,
    )


def _lines(text: str) -> tuple[tuple[int, str], ...]:
    """Return the lines that are shown of a text, each with its place in the text as stored."""
    places, behind = [], 0
    for line in lined(text).splitlines():
        start = text.find(line, behind)
        places.append((start, line))
        behind = start + len(line)
    return tuple(places)


def one_click(form: Protocol, texts: int) -> bool:
    """Return True if a task takes one choice, which can be stored as soon as it is made."""
    chosen = form.kind in ("scale", "label", "rank") and (texts == 1 or form.paired)
    return chosen and len(form.questions) == 1


def options_of(form: Protocol, targets: int) -> tuple[Option, ...]:
    """Return the answers that a form offers for each text and question, without `cannot-judge`.

    >>> from newsdesk.campaigns.protocols import protocol
    >>> [option.value for option in options_of(protocol("rank"), 3)]
    ['1', '2', '3']
    """
    if form.paired:
        sides = (Option("A", "A", "is better"), Option("tie", "tie", "both are as good"))
        return (*sides, Option("B", "B", "is better"))
    if form.kind in ("best-worst", "slider", "spans"):
        return tuple(Option(each, each) for each in CHOICES if form.kind == "best-worst")
    if form.kind == "rank":
        return tuple(Option(str(rank), str(rank)) for rank in range(1, targets + 1))
    if form.kind == "select":
        return (Option("yes", "yes"),)
    return tuple(Option(str(level.value), str(level.value), level.brief) for level in form.levels)


def guidance_of(form: Protocol, *, linked: bool = False) -> tuple[str, ...]:
    """Return the form's guidance for a screen, where the article stands beside the task.

    Hints at the sheet of articles are left out.

    `linked`: whether the task has a link, so that guidance about it is of use.
    """
    lines = []
    for line in form.guidance:
        if line.startswith("Article:") or (line.startswith("Link:") and not linked):
            continue
        text = line.removeprefix("Link:").strip()
        lines.append(text[:1].upper() + text[1:])
    return tuple(lines)


def field_name(letter: str, question: str) -> str:
    """Return the name of the form field of one question on one target."""
    return f"{letter}.{question}"


def answers_of(form: Protocol, opened: OpenedTask, fields: Fields) -> Answers:
    """Return the answers of a returned form, by target and question.

    Raises DataError that names every missing or invalid one by its letter.

    The field `cannot` withdraws the whole task.
    """
    answers, faults = _read_fields(form, opened, fields)
    if faults:
        several = len(form.questions) > 1
        raise DataError(
            "; ".join(f"{_place(field, several=several)}: {why}" for field, why in faults.items())
        )
    assignment = opened.assignment
    same = _same_as(form, opened)
    asked = [letter for letter in assignment.slot.shown.values() if letter not in same]
    if form.kind == "best-worst" and (wrong := form.faults(asked, answers)):
        raise DataError("; ".join(wrong))
    return assignment.unsealed(answers)


def faults_of(form: Protocol, opened: OpenedTask, fields: Fields) -> dict[str, str]:
    """Return what is missing or not valid in a returned form, by field."""
    return _read_fields(form, opened, fields)[1]


def _read_fields(
    form: Protocol, opened: OpenedTask, fields: Fields
) -> tuple[dict[tuple[str, str], Value], dict[str, str]]:
    """Return the answers of a returned form by letter and question, and the faults by field."""
    assignment = opened.assignment
    same = _same_as(form, opened)
    asked = [letter for letter in assignment.slot.shown.values() if letter not in same]
    if form.paired:
        fields = {**fields, **_ranks(form, sorted(asked, key=_by_length), fields)}
    answers: dict[tuple[str, str], Value] = {}
    faults: dict[str, str] = {}
    for letter in sorted(asked, key=lambda each: (len(each), each)):
        for question in form.questions:
            field = field_name(letter, question.name)
            values = fields.get(field, ())
            cell = next(iter(values), None)
            if "cannot" in fields or CANNOT_JUDGE in values:
                cell = CANNOT_JUDGE
            text = assignment.texts[letter]
            value = parse(form, cell, len(assignment.task.targets), text)
            if isinstance(value, Refused):
                empty = cell is None or not cell.strip()
                faults[field] = "no answer yet" if empty else value.reason
            else:
                answers[letter, question.name] = value
    return answers, faults


def _place(field: str, *, several: bool) -> str:
    letter, _, question = field.partition(".")
    return f"{letter} ({question})" if several else letter


def _same_as(form: Protocol, opened: OpenedTask) -> Mapping[str, str]:
    """Return the letters that repeat an earlier text and get its answers; none where one text of several is chosen."""
    chosen = form.kind == "best-worst" or form.paired
    return {} if chosen else opened.assignment.same_as


def _ranks(form: Protocol, letters: Sequence[str], fields: Fields) -> dict[str, list[str]]:
    """Return the choices between two texts, in fields such as `pair.overall`, as the ranks that they mean."""
    ranks_of = {"A": ("1", "2"), "tie": ("1", "1"), "B": ("2", "1")}
    ranks: dict[str, list[str]] = {}
    for question in form.questions:
        choice = next(iter(fields.get(field_name(PAIR, question.name), ())), None)
        if choice == CANNOT_JUDGE:
            ranks |= {field_name(letter, question.name): [choice] for letter in letters}
        elif choice in ranks_of:
            both = zip(letters, ranks_of[choice], strict=True)
            ranks |= {field_name(letter, question.name): [rank] for letter, rank in both}
    return ranks


def _preferences(
    form: Protocol, letters: Sequence[str], given: Mapping[tuple[str, str], Value]
) -> dict[str, str]:
    """Return stored ranks of two texts as the choice between them, by field."""
    chosen = {}
    for question in form.questions:
        values = [given[key] for letter in letters if (key := (letter, question.name)) in given]
        if len(values) == 2:
            one, other = values
            if CANNOT_JUDGE in values:
                choice = CANNOT_JUDGE
            elif float(one) == float(other):
                choice = "tie"
            else:
                choice = letters[float(one) > float(other)]
            chosen[field_name(PAIR, question.name)] = choice
    return chosen


def summary_of(form: Protocol, screen: Screen) -> str:
    """Return the stored answers in a few words: `4`, `ticked: A, C`, or `overall: A 1, B 2`."""
    if not screen.chosen:
        return ""
    if all(value == CANNOT_JUDGE for value in screen.chosen.values()):
        return "cannot judge"
    parts = []
    for question in form.questions:
        values = {
            text.letter: screen.chosen.get(field_name(text.letter, question.name), "")
            for text in screen.texts
        }
        if form.paired:
            said = screen.chosen.get(field_name(PAIR, question.name), "")
        elif form.kind == "best-worst":
            said = ", ".join(
                f"{name} {letter}" for letter, name in values.items() if name != "neither"
            )
        elif form.kind == "spans":
            said = plural(
                sum(value != NOTHING for value in values.values() for _ in value.splitlines()),
                "passage",
            )
        elif form.kind == "select" and len(values) == 1:
            said = "yes" if "yes" in values.values() else "no"
        elif form.kind == "select":
            ticked = [letter for letter, value in values.items() if value == "yes"]
            said = f"ticked: {', '.join(ticked)}" if ticked else "none ticked"
        elif len(values) == 1:
            said = next(iter(values.values()))
        else:
            said = ", ".join(f"{letter} {value}" for letter, value in values.items())
        parts.append(f"{question.name}: {said}" if len(form.questions) > 1 else said)
    return "; ".join(parts)


def _by_length(letter: str) -> tuple[int, str]:
    return len(letter), letter


def _by_place(entry: tuple[str, str]) -> tuple[int, str]:
    return _by_length(entry[0])
