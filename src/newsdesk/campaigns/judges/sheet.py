"""What a judge is asked: a task under letters, in one of two orders, and the answers by letter.

Turn 0 has the texts in an order drawn from the campaign's seed, turn 1 the same order turned round. A task with one text has its answers listed the other way
round instead. As JSON, a line per task and turn:

    {"task": "3/0", "protocol": "grade", "kind": "scale", "guidance": […], "questions": [{"name", "text"}], "answers": [1, 2, 3, 4, 5],
     "levels": [{"value", "brief"}], "context": [{"label", "text"}], "article": "…", "texts": {"A": "…", "B": "…"}}

and the line of an answer, in any order: `{"task": "3/0", "values": {"A": {"grade": 4}, "B": {"grade": 2}}}`; with one question the value alone will do,
`{"task": "3/0", "values": {"A": 4, "B": 2}}`. Ids say nothing about systems or people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import Task
from newsdesk.streams import stream
from newsdesk.types import CANNOT_JUDGE, Value

TURNS = 2
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter_of(place: int) -> str:
    """Return A, B, …, Z, AA, AB, … for 0, 1, …"""
    more, index = divmod(place, len(_LETTERS))
    return (letter_of(more - 1) if more else "") + _LETTERS[index]


@dataclass(frozen=True, slots=True)
class JudgeSheet:
    """A task as a judge sees it in one turn; `shown` maps letters to targets, in the order shown."""

    id: str
    task: Task
    turn: int
    protocol: Protocol
    shown: Mapping[str, str]

    @property
    def texts(self) -> dict[str, str]:
        """The texts by letter."""
        text_of = {target.id: target.text for target in self.task.targets}
        return {letter: text_of[target] for letter, target in self.shown.items()}

    @property
    def options(self) -> tuple[Value, ...]:
        """The answers to choose from, in the order of this turn; none for ranks."""
        if self.protocol.kind == "rank":
            return ()
        options = self.protocol.values if self.protocol.kind != "select" else (True, False)
        turned = self.turn == 1 and len(self.shown) == 1
        return tuple(reversed(options)) if turned else tuple(options)

    def as_json(self) -> dict[str, Any]:
        """Return what a program reads."""
        form = self.protocol
        briefs: dict[Value, str] = {level.value: level.brief for level in form.levels}
        levels = [{"value": value, "brief": briefs[value]} for value in self.options if value in briefs and form.levels]  # fmt: skip
        return {
            "task": self.id,
            "protocol": form.name,
            "kind": form.kind,
            "guidance": list(form.guidance),
            "questions": [{"name": each.name, "text": each.text} for each in form.questions],
            "answers": list(self.options) or list(range(1, len(self.shown) + 1)),
            "levels": levels,
            "context": [{"label": label, "text": text} for label, text in self.task.context],
            "article": self.task.article,
            "texts": self.texts,
        }

    def read(self, values: Any) -> dict[tuple[str, str], Value] | str:
        """Return answers by target and question, or what is wrong with them.

        What was not answered in a select-all task is a no.
        """
        if not isinstance(values, dict):
            return "`values` is not an object of letters"
        names = [question.name for question in self.protocol.questions]
        answers: dict[tuple[str, str], Value] = {}
        for letter, given in values.items():
            if letter not in self.shown:
                return f"there is no text {letter!r}"
            by_name = given if isinstance(given, dict) else dict.fromkeys(names, given) if len(names) == 1 else {}  # fmt: skip
            for name, value in by_name.items():
                if isinstance(value, bool | int | float | str):
                    answers[self.shown[letter], str(name)] = self._value(value)
        if self.protocol.kind == "select":
            asked = [(target, name) for target in self.shown.values() for name in names]
            answers = {**dict.fromkeys(asked, False), **answers}
        faults = self.protocol.faults(list(self.shown.values()), answers)
        return faults[0] if faults else answers

    def _value(self, value: Value) -> Value:
        """Return whole floats as integers and yes or no as truth values, as models write them."""
        if value == CANNOT_JUDGE:
            return value
        if self.protocol.kind == "select" and not isinstance(value, bool):
            return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}.get(str(value).lower(), value)  # fmt: skip
        if isinstance(value, str) and self.protocol.kind in ("scale", "rank"):
            return float(value) if value.replace(".", "", 1).isdigit() and "." in value else int(value) if value.isdigit() else value  # fmt: skip
        whole = isinstance(value, float) and value.is_integer()
        return int(value) if whole else value


def sheets_of(number: int, task: Task, protocol: Protocol, *, seed: int) -> list[JudgeSheet]:
    """Return the two turns of a task; `number` is its place in the campaign, and names it."""
    order = stream(f"judge order\0{task.id}", seed).permutation(len(task.targets)).tolist()
    sheets = []
    for turn in range(TURNS):
        places = order if turn == 0 else list(reversed(order))
        shown = {letter_of(at): task.targets[place].id for at, place in enumerate(places)}
        sheets.append(JudgeSheet(f"{number}/{turn}", task, turn, protocol, shown))
    return sheets
