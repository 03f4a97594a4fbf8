"""The values of a campaign besides its tasks, and the rules that need no database.

Annotators are pseudonymized by a keyed hash of their name, HMAC-SHA256 with the campaign's own secret: the same person has the same id
in every export of a campaign and another one in every other campaign, and names cannot be guessed without the secret.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

from newsdesk.campaigns.assign import Slot, same_as_shown
from newsdesk.campaigns.keys import keyed
from newsdesk.campaigns.protocols import Answers, FormLevel, Protocol, Question
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_text
from newsdesk.types import Judgment, Value

State = Literal["open", "claimed", "done", "void"]
Side = Literal["theirs", "ours"]  # of a conflict: the sheet's answer, or the stored one

LONGEST_NAME = 100
# Printable for Python, and not seen: fillers, variation selectors, a joiner and a blank.
_IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Letters that look like Latin ones, and those; our own choice of what fonts for text do not tell apart.
_LATIN = str.maketrans(
    "АВСЕНІӀЈКМОРЅТУХҮԌԚԜаԁеһіјкорԛѕԝхуүсӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγηικνορυχϳոսօցհıɑɡ",
    "ABCEHIIJKMOPSTYXYGQWadehijkopqswxyyclvABEZHIKMNOPTYXaynikvopuxjnuoghiag",
)
_STROKES = str.maketrans("I1|0", "lllO")
_HASH_LENGTH = 16  # 64 bits: two of a million annotators collide with probability 3e-8


@dataclass(frozen=True, slots=True)
class Campaign:
    """A protocol and the number of annotators per item; workers join an `open` campaign by themselves.

    `sealed`: all its sheets have a seal; those of campaigns of earlier versions may have none.
    """

    name: str
    protocol: Protocol
    per_item: int
    seed: int
    open: bool
    sealed: bool = True


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task as one annotator sees it, who is shown letters and texts; the blinding key is in `slot`."""

    task: Task
    slot: Slot
    state: State

    @property
    def texts(self) -> dict[str, str]:
        """The text shown under each letter."""
        of = {target.id: target.text for target in self.task.targets}
        return {letter: of[target] for target, letter in self.slot.shown.items()}

    @property
    def same_as(self) -> dict[str, str]:
        """Map each letter that repeats the text of an earlier letter to that letter."""
        shown = self.slot.shown
        same = same_as_shown(self.task, self.slot.order)
        return {shown[target]: shown[original] for target, original in same.items()}

    def unsealed(self, answers: Answers) -> dict[tuple[str, str], Value]:
        """Turn answers by letter into answers by target.

        An answer to a text counts for every target with that text.

        An unknown letter stays as it is, so that `faults` can name it.
        """
        complete = dict(answers)
        for later, original in self.same_as.items():
            for (letter, question), value in answers.items():
                if letter == original:
                    complete.setdefault((later, question), value)
        target_of = {letter: target for target, letter in self.slot.shown.items()}
        return {
            (target_of.get(at, at), question): value for (at, question), value in complete.items()
        }


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """A task in the list of one annotator: its number, which says nothing about it, and its state."""

    number: int
    state: State


@dataclass(frozen=True, slots=True)
class OpenedTask:
    """A task that one annotator opened: what they see, the article, and their answers so far."""

    number: int
    assignment: Assignment
    article: str
    answers: Mapping[tuple[str, str], Value]


@dataclass(frozen=True, slots=True)
class TaskView:
    """An opened task among the annotator's others, and the one they answered just before, if asked for."""

    opened: OpenedTask
    places: Sequence[TaskPlace]
    before: OpenedTask | None


@dataclass(frozen=True, slots=True)
class Rejection:
    """A task that an import rejected, and the reason; all its judgments are left out."""

    task: str
    annotator: str
    judgments: int
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
    """Counts of judgments that were stored, the tasks that were rejected, and warnings."""

    new: int = 0
    corrected: int = 0
    unchanged: int = 0
    rejected: tuple[Rejection, ...] = ()
    warnings: tuple[str, ...] = ()

    def __add__(self, other: Stored) -> Stored:
        return Stored(
            new=self.new + other.new,
            corrected=self.corrected + other.corrected,
            unchanged=self.unchanged + other.unchanged,
            rejected=self.rejected + other.rejected,
            warnings=self.warnings + other.warnings,
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """A cell of a sheet (`theirs`) that contradicts an answer given since it was written (`ours`)."""

    task: str
    annotator: str
    target: str
    shown: str
    question: str
    ours: Value
    theirs: Value

    def __str__(self) -> str:
        return (
            f"task {self.task!r} of {self.annotator!r}, {self.shown} ({self.question}): "
            f"{self.theirs!r} in the sheet, {self.ours!r} in the store"
        )


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of merging a sheet: what was stored, and the cells that contradict newer answers."""

    stored: Stored
    conflicts: tuple[Conflict, ...] = ()
    number: int | None = None  # of the import, where it was recorded


SealState = Literal["sealed", "unsealed", "trusted"]


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file that is imported: its name and hash, who imports it and when, and whose sheet it is, if it is one."""

    file: str
    sha256: str | None
    by: str
    at: str
    annotator: str | None = None
    seal: SealState | None = None


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """An import as stored, with its number, its counts of judgments, and when it was taken back."""

    number: int
    source: ImportSource
    new: int
    corrected: int
    unchanged: int
    undone_at: str | None
    undone_by: str | None

    @property
    def unsealed(self) -> bool:
        """Whether it counts and is a sheet without a seal, which does not prove whose answers it holds."""
        return self.source.seal in ("unsealed", "trusted") and self.undone_at is None

    def as_json(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        fields = asdict(self)
        return {"number": fields.pop("number"), **fields.pop("source"), **fields}


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What came of taking an import back: tasks whose answers are as before, and those answered since."""

    tasks: int
    answers: int
    kept: int


@dataclass(frozen=True, slots=True)
class AnnotatorStatus:
    """Progress of one annotator; void slots, as those of an excluded annotator, are not counted."""

    name: str
    id: str
    slots: int
    done: int
    excluded_at: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """Progress of a campaign.

    Its slots by state, its current judgments, corrections and conflicts, and each annotator.

    `withdrawn` of the judgments are `cannot-judge`.
    """

    tasks: int
    slots: int
    open: int
    claimed: int
    done: int
    judgments: int
    corrections: int
    withdrawn: int
    conflicts: int
    annotators: tuple[AnnotatorStatus, ...]


def annotator_id(secret: str, name: str) -> str:
    """Return the pseudonym of an annotator in exports: a keyed hash of the name."""
    return keyed(secret.encode(), name).hex()[:_HASH_LENGTH]


def check_text(text: str, what: str) -> None:
    """Refuse text that not every database can store."""
    if "\0" in text:
        raise ArgumentError(f"{what} holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{what} holds a lone surrogate (half of a character)") from error


def moment(time: datetime) -> str:
    """Return a time as judgments store it: UTC, to the second.

    >>> moment(datetime(2026, 1, 2, 9, 30, tzinfo=UTC))
    '2026-01-02T09:30:00Z'
    """
    if time.tzinfo is None:
        raise ArgumentError(f"{time} has no time zone; take datetime.now(UTC)")
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def check_moment(at: str) -> None:
    """Refuse a timestamp that is not UTC with a Z: timestamps are compared as text."""
    try:
        good = at.endswith("Z") and "T" in at and datetime.fromisoformat(at)
    except ValueError:
        good = False
    if not good:
        raise ArgumentError(f"{at!r} is not a UTC moment like 2019-05-01T09:30:00Z")


def check_name(name: str, what: str) -> None:
    """Refuse a name that is empty, longer than a line, or has characters that nobody sees."""
    if not name or name != name.strip():
        raise ArgumentError(f"{what} {name!r} is empty or has spaces around it")
    check_text(name, f"{what} {name!r}")
    if not name.isprintable() or _IGNORED.search(name):
        raise ArgumentError(
            f"{what} {name!r} has control, bidirectional or invisible characters; write it on one line without them"
        )


def check_annotator(name: str) -> None:
    """Refuse the name of an annotator that cannot be shown on one line of a page or a sheet."""
    check_name(name, "annotator")
    if len(name) > LONGEST_NAME:
        raise ArgumentError(f"a name has at most {LONGEST_NAME} characters, not {len(name)}")


@lru_cache(maxsize=2**14)  # a name that joins is compared with those of all others
def likenesses(name: str) -> frozenset[tuple[str, str]]:
    """Return what a name has in common with every name that people take for the same.

    The name in compatible characters and lower case; the same with Greek, Cyrillic and Armenian letters as the Latin ones they look like; and with I, l, 1 and |
    and with O and 0 as one.

    >>> bool(likenesses("Ann") & likenesses("ａnn")), bool(likenesses("Paul") & likenesses("РauI"))
    (True, True)
    >>> bool(likenesses("Zoe") & likenesses("Zoë"))
    False
    """
    compatible = unicodedata.normalize("NFKC", name)
    latin = compatible.translate(_LATIN)
    return frozenset(
        {
            ("folded", unicodedata.normalize("NFKC", compatible.casefold())),
            ("latin", latin.casefold()),
            ("strokes", latin.translate(_STROKES)),
        }
    )


def unequal_twins(protocol: Protocol, task: Task, answers: Answers, annotator: str) -> list[str]:
    """Return a warning for each pair of identical texts with unequal ranks, which count as they are."""
    if protocol.kind != "rank":
        return []
    return [
        f"task {task.id!r} of {annotator!r}: {target} and {original} are the same text but have the ranks {one} and {other} ({question.name})"
        for target, original in task.same_as.items()
        for question in protocol.questions
        if (one := answers[target, question.name]) != (other := answers[original, question.name])
    ]


def with_unticked(protocol: Protocol, task: Task, answers: Answers) -> Answers:
    """Return the answers with an explicit no for what a select-all task left unticked."""
    if protocol.kind != "select":
        return answers
    asked = (
        (target.id, question.name) for target in task.targets for question in protocol.questions
    )
    return {**dict.fromkeys(asked, False), **answers}


def same_value(one: Value, other: Value) -> bool:
    """Return True if two values mean the same: 1 and 1.0 do, 1 and True do not."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def answered(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return the judgments without withdrawn ones (`cannot-judge`), which no statistic counts."""
    return [judgment for judgment in judgments if not judgment.withdrawn]


def protocol_to_json(protocol: Protocol) -> str:
    """Serialize a protocol for the store."""
    return json_text(asdict(protocol))


def protocol_from_json(text: str) -> Protocol:
    """Read a protocol back from the JSON of `protocol_to_json`."""
    form: Mapping[str, Any] = json.loads(text)
    lists = {key: tuple(value) for key, value in form.items() if isinstance(value, list)}
    lists["questions"] = tuple(Question(**question) for question in form["questions"])
    lists["levels"] = tuple(
        FormLevel(**{**level, "examples": tuple(level["examples"])}) for level in form["levels"]
    )
    return Protocol(**{**form, **lists})
