"""Protocols: TOML forms that say what annotators are asked and which answers are valid.

Those of `PROTOCOLS` are included; your own is a file with the same keys. A protocol has one of seven kinds, which decides what an answer is:

- `scale`: a whole number of the form's levels for every target and question (the grades of Qin et al. 2018, and Likert items);
- `select`: true or false for every target and question; what is not ticked is an explicit no (the votes of Fujita et al. 2019, several labels of a text);
- `rank`: a rank for every target and question, 1 = best, ties allowed (the guide for human evaluators; of two texts a preference);
- `label`: one of the form's levels, by name, for every target (the hand check of Gholipour Ghalandari et al. 2020);
- `slider`: a whole number from the first to the last of the levels, which are marks of the slider (direct assessment, Graham et al. 2013);
- `best-worst`: of the texts of a task one is `best`, one `worst`, all others `neither` (Louviere and Woodworth 1991; Kiritchenko and Mohammad 2017);
- `spans`: the passages of every target that a question is about, such as `0-12 40-63`, or `none` (see `spans`).

In every kind `cannot-judge` is a valid answer, too: the annotator withdraws, or declines to give, the answer to one question about one target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from newsdesk import packaged
from newsdesk.campaigns.spans import spans_fault
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import InputFile
from newsdesk.records.schema import parse_toml
from newsdesk.registry import PROTOCOLS, offer
from newsdesk.types import CANNOT_JUDGE, Value

Kind = Literal["scale", "select", "rank", "label", "slider", "best-worst", "spans"]
# How texts are put into tasks: as the kind has it, each alone, in bundles of one item, or every two of an item.
Unit = Literal["", "text", "bundle", "pair"]
CHOICES = ("best", "worst", "neither")
Answers: TypeAlias = Mapping[tuple[str, str], Value]  # (target, question) → value


@dataclass(frozen=True, slots=True)
class Question:
    """One question, asked about every target."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class FormLevel:
    """A point of a scale or a label: its value, its criterion in brief and in full, and examples."""

    value: int | str
    brief: str
    full: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    """A form: questions, guidance, valid answers, and how many targets a task bundles.

    `unit` says how the texts of an item are put into tasks, `rounds` in how many bundles a text is.
    """

    name: str
    kind: Kind
    title: str
    questions: tuple[Question, ...]
    guidance: tuple[str, ...]
    levels: tuple[FormLevel, ...] = ()
    conditions: tuple[str, ...] = ()
    good_examples: tuple[str, ...] = ()
    bad_examples: tuple[str, ...] = ()
    bundle: int = 1
    version: int = 1
    unit: Unit = ""
    rounds: int = 1

    @property
    def relative(self) -> bool:
        """Whether the answers to a question say how the texts of a task compare, and are one unit."""
        return self.kind in ("rank", "best-worst")

    @property
    def paired(self) -> bool:
        """Whether each task is a preference between two texts."""
        return self.kind == "rank" and self.unit == "pair"

    @property
    def values(self) -> tuple[int | str, ...]:
        """The values of all levels, in the order of the form."""
        return tuple(level.value for level in self.levels)

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last value of a scale or a slider."""
        return int(self.levels[0].value), int(self.levels[-1].value)

    def scale_ends(self, *targets: int) -> str:
        """Return what the ends of the ranks of so many targets mean.

        Empty for other kinds, whose levels speak for themselves.

        >>> protocol("rank").scale_ends(4), protocol("rank").scale_ends(2, 4), protocol("grade").scale_ends(1)
        ('1 best … 4 worst', '1 best … 2 or 4 worst', '')
        """
        if self.kind != "rank" or not targets:
            return ""
        *smaller, largest = [str(size) for size in sorted(set(targets))]
        worst = f"{', '.join(smaller)} or {largest}" if smaller else largest
        return f"1 best … {worst} worst"

    def asking(self, names: Sequence[str]) -> Protocol:
        """Return the protocol with only these of its questions, in its own order.

        Guidance that begins with the name of a question that is not asked, such as "Coherent: …", is left out.

        >>> [question.name for question in protocol("rank").asking(["overall"]).questions]
        ['overall']
        """
        known = [question.name for question in self.questions]
        if not names:
            raise ArgumentError(f"name at least one question of {self.name!r}: {', '.join(known)}")
        if unknown := [name for name in names if name not in known]:
            raise ArgumentError(
                f"protocol {self.name!r} has no question {unknown[0]!r}; {offer(unknown[0], known)}"
            )
        dropped = tuple(f"{name.casefold()}:" for name in known if name not in names)
        return replace(
            self,
            questions=tuple(each for each in self.questions if each.name in names),
            guidance=tuple(
                line for line in self.guidance if not line.casefold().startswith(dropped)
            ),
        )

    def faults(
        self, targets: Sequence[str], answers: Answers, texts: Mapping[str, str] | None = None
    ) -> list[str]:
        """Return what is wrong with the answers to a task, in words; an empty list if nothing is.

        `texts` by target say where passages may end.
        """
        expected = {(target, question.name) for target in targets for question in self.questions}
        reasons = [f"no answer for {_place(*key)}" for key in sorted(expected - answers.keys())]
        reasons += [f"{_place(*key)} was not asked" for key in sorted(answers.keys() - expected)]
        for key in sorted(expected & answers.keys()):
            text = (texts or {}).get(key[0])
            fault = self._value_fault(answers[key], len(targets), text)
            reasons += [f"{_place(*key)}: {fault}"] if fault else []
        if self.kind == "best-worst" and not reasons:
            reasons = [
                fault
                for question in self.questions
                if (fault := _choice_fault(question.name, targets, answers))
            ]
        return reasons

    def value_faults(self, answers: Answers, texts: Mapping[str, str]) -> list[str]:
        """Return what is wrong with single answers to a task, whose other answers are not known."""
        asked = [question.name for question in self.questions]
        return [
            f"{_place(*key)}: {fault}"
            for key, value in answers.items()
            if (
                fault := "was not asked"
                if key[1] not in asked
                else self._value_fault(value, len(texts), texts.get(key[0]))
            )
        ]

    def _value_fault(self, value: Value, targets: int, text: str | None) -> str | None:
        """Return what is wrong with an answer to a task of so many targets; None if nothing is."""
        if value == CANNOT_JUDGE:
            return None
        if self.kind == "spans":
            return spans_fault(value, text)
        if self.kind == "slider":
            return _slider_fault(value, *self.ends)
        if self.kind == "best-worst":
            return None if value in CHOICES else f"{value!r} is not one of {', '.join(CHOICES)}"
        if self.kind == "select":
            return None if isinstance(value, bool) else f"{value!r} is not true or false"
        if self.kind == "rank":
            return _rank_fault(value, targets)
        if value in self.values and not isinstance(value, bool | float):
            return None
        options = ", ".join(str(each) for each in self.values)
        return f"{value!r} is not one of {options}"


def _rank_fault(value: Value, targets: int) -> str | None:
    """Return what is wrong with a rank; halves (1.5, 1.5, 3) are accepted and normalised later."""
    if isinstance(value, bool | str) or not 1 <= value <= targets or value * 2 != int(value * 2):
        return f"{value!r} is not a rank from 1 to {targets}"
    return None


def _slider_fault(value: Value, low: int, high: int) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return None
    return f"{value!r} is not a whole number from {low} to {high}"


def _choice_fault(question: str, targets: Sequence[str], answers: Answers) -> str | None:
    """Return what is wrong with the choices of a best and a worst text; None if nothing is."""
    chosen = [answers[target, question] for target in targets]
    if all(value == CANNOT_JUDGE for value in chosen):
        return None
    for choice in ("best", "worst"):
        if (times := chosen.count(choice)) != 1:
            return f"{question}: {times} texts are {choice!r}, and one is wanted"
    return None


def _place(target: str, question: str) -> str:
    return f"{target} ({question})"


def protocol(name: str) -> Protocol:
    """Return the protocol of this name, or the one in a TOML file of your own if the name ends in .toml."""
    if name.endswith(".toml"):
        text = "\n".join(line for _, line in InputFile(name).texts())
        return parse_protocol(text, name)
    file = str(PROTOCOLS.load(name))
    text = packaged.path("campaigns", "forms", file).read_text("utf-8")
    return parse_protocol(text, file)


def parse_protocol(text: str, file: str) -> Protocol:
    """Parse a TOML form; raise DataError if it is incomplete or has unknown keys."""
    form = parse_toml(text, Protocol, file)
    if CANNOT_JUDGE in form.values:
        raise DataError(f"{CANNOT_JUDGE!r} is an answer to every form and no level", file=file)
    if fault := _form_fault(form):
        raise DataError(fault, file=file)
    return form


def _form_fault(form: Protocol) -> str | None:
    """Return what is missing from a form, or does not fit its kind; None if nothing is."""
    if form.kind in ("scale", "label", "slider") and len(form.levels) < 2:
        return f"a protocol of kind {form.kind!r} needs at least two levels"
    if form.kind == "slider":
        numbers = [level for level in form.values if isinstance(level, int)]
        if len(numbers) < len(form.values) or numbers != sorted(set(numbers)):
            return "the levels of a slider are whole numbers, each larger than the one before"
    if form.kind == "best-worst" and form.bundle < 3:
        return f"`bundle` is {form.bundle}: of fewer than 3 texts best and worst say what a preference says"
    if form.unit == "pair" and form.kind != "rank":
        return f"`unit` is 'pair', which is for kind 'rank', not {form.kind!r}"
    if min(form.rounds, form.bundle) < 1:
        return "`bundle` and `rounds` start at 1"
    return None


def form_path(name: str) -> Path:
    """Return the path of an included form, to copy and edit."""
    path = packaged.path("campaigns", "forms", f"{name}.toml")
    if not path.is_file():
        raise FileError(f"{name}: there is no such form")
    return path
