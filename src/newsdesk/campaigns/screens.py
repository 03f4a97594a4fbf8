"""A task on a screen: what an annotator sees under letters, the guidance beside it, and a returned form as answers.

A field of a form is named `A.overall`, after the letter and the question; it never holds a target's id, which would break the blinding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from newsdesk.campaigns.campaign import OpenedTask
from newsdesk.campaigns.protocols import Answers, Protocol
from newsdesk.campaigns.sheets.answers import Refused, parse, written
from newsdesk.errors import DataError
from newsdesk.text.borders import lined
from newsdesk.types import CANNOT_JUDGE, Value

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
    """The screen of an opened task, with the answers given so far; a task that was undone has none to show."""
    assignment = opened.assignment
    done = assignment.state == "done"
    same = assignment.same_as
    texts = tuple(
        Text(letter, lined(text), same.get(letter))
        for letter, text in sorted(assignment.texts.items(), key=_by_place)
    )
    chosen = {
        field_name(assignment.slot.shown[target], question): str(written(value))
        for (target, question), value in (opened.answers if done else {}).items()
    }
    return Screen(
        opened.number,
        done,
        tuple((label, lined(text)) for label, text in assignment.task.context),
        lined(opened.article),
        texts,
        options_of(form, len(assignment.task.targets)),
        form.scale_ends(len(assignment.task.targets)),
        chosen,
    )


def options_of(form: Protocol, targets: int) -> tuple[Option, ...]:
    """The answers that a form offers for each text and question, without `cannot-judge`.

    >>> from newsdesk.campaigns.protocols import protocol
    >>> [option.value for option in options_of(protocol("rank"), 3)]
    ['1', '2', '3']
    """
    if form.kind == "rank":
        return tuple(Option(str(rank), str(rank)) for rank in range(1, targets + 1))
    if form.kind == "select":
        return (Option("yes", "yes"),)
    return tuple(Option(str(level.value), str(level.value), level.brief) for level in form.levels)


def guidance_of(form: Protocol, *, linked: bool = False) -> tuple[str, ...]:
    """The form's guidance for a screen, where the article stands beside the task: hints at the sheet of articles are left out.

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
    """The name of the form field of one question on one target."""
    return f"{letter}.{question}"


def answers_of(form: Protocol, opened: OpenedTask, fields: Fields) -> Answers:
    """The answers of a returned form, by target and question; raises DataError that names every missing or invalid one by its letter.

    The field `cannot` withdraws the whole task.
    """
    assignment = opened.assignment
    asked = [
        letter for letter in assignment.slot.shown.values() if letter not in assignment.same_as
    ]
    answers: dict[tuple[str, str], Value] = {}
    faults = []
    for letter in sorted(asked, key=lambda each: (len(each), each)):
        for question in form.questions:
            values = fields.get(field_name(letter, question.name), ())
            cell = (
                CANNOT_JUDGE
                if "cannot" in fields or CANNOT_JUDGE in values
                else (values[0] if values else None)
            )
            value = parse(form, cell, len(assignment.task.targets))
            if isinstance(value, Refused):
                place = f"{letter} ({question.name})" if len(form.questions) > 1 else letter
                faults.append(f"{place}: {'no answer yet' if cell is None else value.reason}")
            else:
                answers[letter, question.name] = value
    if faults:
        raise DataError("; ".join(faults))
    return assignment.unsealed(answers)


def summary_of(form: Protocol, screen: Screen) -> str:
    """The stored answers in a few words: `4`, `ticked: A, C`, or per question `overall: A 1, B 2`; nothing if there are none."""
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
        if form.kind == "select":
            ticked = [letter for letter, value in values.items() if value == "yes"]
            said = f"ticked: {', '.join(ticked)}" if ticked else "none ticked"
        elif len(values) == 1:
            said = next(iter(values.values()))
        else:
            said = ", ".join(f"{letter} {value}" for letter, value in values.items())
        parts.append(f"{question.name}: {said}" if len(form.questions) > 1 else said)
    return "; ".join(parts)


def _by_place(entry: tuple[str, str]) -> tuple[int, str]:
    return len(entry[0]), entry[0]
