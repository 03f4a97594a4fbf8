"""Wide tables of anybody: a row per article, with the outputs of systems, their ranks, or both in columns.

    url, reference, lead, textrank, overall lead, overall textrank

One column is called `id`, `item` or `url`. Columns `reference` (`reference 2`, …) hold references, `annotator` says who judged, `title` and `task` are ignored. A column of ranks has the name of a question
and that of a column of outputs, in either order: "overall lead", "Coherence ranking A", "B_informativeness". Upper case, punctuation, the word
"rank" and the ending of a question do not matter. Every other column holds the outputs of the system it is named after, unless `systems` says which columns do and
which system each stands for: in the guide for human evaluators they are called A, B, C and D.

Nothing here is blinded: letters of such a table are the same system in every row. A sheet of ours, in which they are not, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.sheets.check import MAX_FAULTS, SheetFault
from newsdesk.campaigns.sheets.guidance import Refused, blank, parse, quoted
from newsdesk.campaigns.sheets.layout import MOST_OUTPUTS, REVISION, URL, comparable
from newsdesk.campaigns.sheets.read import ITEM_NAMES, Filled, ReturnedRow
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.text.normalize import lined
from newsdesk.types import Judgment, Output, Reference, References, Value
from newsdesk.wording import plural

Systems = Mapping[str, str]  # the name of a column of outputs → the system it stands for
_ANNOTATOR = "annotator"
_IGNORED = ("title", "task")
_REFERENCE = re.compile(r"references?( \d+)?")
_RANK_WORDS = frozenset(("rank", "ranks", "ranking", "rankings"))


def parse_systems(text: str) -> dict[str, str]:
    """Parse the columns of outputs, each with the system it stands for where that is not its name.

    >>> parse_systems("A=lead, B=textrank"), parse_systems("lead,textrank")
    ({'A': 'lead', 'B': 'textrank'}, {'lead': 'lead', 'textrank': 'textrank'})
    """
    systems: dict[str, str] = {}
    for part in text.split(","):
        column, equals, system = (piece.strip() for piece in part.partition("="))
        if not column or (equals and not system):
            raise ArgumentError(f"{part.strip()!r} is not COLUMN or COLUMN=SYSTEM, as in A=lead")
        if column in systems:
            raise ArgumentError(f"the column {column!r} is named twice")
        system = system or column
        if system in systems.values():
            other = next(name for name, value in systems.items() if value == system)
            raise ArgumentError(f"the columns {other!r} and {column!r} both stand for {system!r}")
        systems[column] = system
    return systems


def wide_outputs(
    table: Filled, form: Protocol, systems: Systems | None = None
) -> tuple[list[Output], list[References]]:
    """Return the outputs of a wide table, and its references if it has a column of them.

    `systems` says which columns hold outputs; None: every column that is nothing else.
    """
    layout = _WideColumns.of(table, form, systems, ())
    outputs: list[Output] = []
    references: list[References] = []
    row_of: dict[str, int] = {}
    for row in table.rows:
        texts = {
            system: text for system, place in layout.outputs.items() if (text := _text(row, place))
        }
        if not texts:
            continue
        item, url = _text(row, layout.item), _text(row, layout.url)
        if not item:
            name = table.names[layout.item]
            raise DataError(f"row {row.number} has outputs, but no {name!r}", file=table.file)
        if item in row_of:
            raise DataError(f"rows {row_of[item]} and {row.number} are both about {item!r}", file=table.file)  # fmt: skip
        row_of[item] = row.number
        outputs += [Output(item, system, text) for system, text in texts.items()]
        written = [text for place in layout.references if (text := _text(row, place))]
        if layout.references and not written:
            raise DataError(f"row {row.number} has no reference", file=table.file)
        if written:
            references.append(References(item, tuple(map(Reference, written)), url=url or None))
    if not outputs:
        raise DataError("no row of the table has an output", file=table.file)
    return outputs, references


@dataclass(frozen=True, slots=True)
class WideRanks:
    """The judgments of a wide table, and its faults."""

    judgments: tuple[Judgment, ...]
    faults: tuple[SheetFault, ...]


def wide_ranks(
    table: Filled,
    campaign: str,
    form: Protocol,
    tasks: Iterable[Task],
    *,
    at: str,
    systems: Systems | None = None,
    annotator: str | None = None,
) -> WideRanks:
    """Return the ranks in a wide table as judgments; a row without a rank is not done yet.

    `annotator` is whose ranks they are where no column says it. A text that is not the campaign's is a fault: its ranks are about another system or item.
    """
    if form.kind != "rank":
        raise DataError(f"a wide table holds ranks, and the protocol {form.name!r} has none", file=table.file)  # fmt: skip
    return _Ranks(table, campaign, form, list(tasks), at, systems, annotator).read()


@dataclass(frozen=True, slots=True)
class _WideColumns:
    """The places of a wide table's columns; `outputs` and `ranks` are by system."""

    item: int
    url: int | None
    annotator: int | None
    references: tuple[int, ...]
    outputs: Mapping[str, int]
    ranks: Mapping[tuple[str, str], int]  # (system, question) → place
    others: tuple[int, ...]  # neither outputs nor ranks

    @classmethod
    def of(
        cls, table: Filled, form: Protocol, systems: Systems | None, targets: Sequence[str]
    ) -> _WideColumns:
        """Recognise the columns by name; `targets` are systems that may have ranks and no outputs."""
        places = _named_places(table)
        references = tuple(place for name, place in places.items() if _REFERENCE.fullmatch(name))
        fixed = {*ITEM_NAMES, _ANNOTATOR, *_IGNORED}
        free = {
            name: place
            for name, place in places.items()
            if name not in fixed and place not in references
        }
        # The bare name of a column of outputs → its system.
        labels = {_bare(name): system for name, system in (systems or {}).items()}
        if systems is None:
            labels = {_bare(name): name for name in targets} or {
                name: table.names[place] for name, place in free.items()
            }
        ranks = _rank_places(table, free, form, labels)
        outputs = {
            system: free[name]
            for name, system in labels.items()
            if name in free and free[name] not in ranks.values()
        }
        others = {*free.values()} - {*ranks.values()} - {*outputs.values()}
        item = next(places[name] for name in ITEM_NAMES if name in places)
        missing = [name for name in systems or () if _bare(name) not in free and not targets]
        if missing:
            raise DataError(f"the column {missing[0]!r} is missing", file=table.file)
        return cls(
            item=item,
            url=places.get(URL),
            annotator=places.get(_ANNOTATOR),
            references=references,
            outputs=outputs,
            ranks=ranks,
            others=tuple(sorted(others)),
        )


def _named_places(table: Filled) -> dict[str, int]:
    """Return the places of the columns by bare name; refuse a sheet of ours and names that repeat."""
    if table.ours:
        raise DataError(
            f"a blinded sheet of campaign {table.campaign!r}, whose letters stand for other systems in every row",
            file=table.file,
        )
    if table.copies:
        names = " and ".join(map(repr, (table.sheet, *table.copies)))
        raise DataError(f"the sheets {names} are all tables; keep one of them", file=table.file)
    bare = [_bare(name) for name in table.names]
    for name in bare:
        if name and bare.count(name) > 1:
            raise DataError(f"the column {name!r} is there twice", file=table.file)
    places = {name: place for place, name in enumerate(bare) if name}
    if REVISION.name in places:
        raise DataError(
            "a blinded sheet without its column of tasks, which alone tells what its letters stand for",
            file=table.file,
        )
    return places


def _rank_places(
    table: Filled, free: Mapping[str, int], form: Protocol, labels: Mapping[str, str]
) -> dict[tuple[str, str], int]:
    """Return by (system, question) the places of the columns that are named after both.

    `free` are the places of columns of no other use by bare name, `labels` the systems by bare name.
    """
    places: dict[tuple[str, str], int] = {}
    for name, place in free.items():
        for question, label in _readings(name, form):
            if label not in labels:
                continue
            if (other := places.setdefault((labels[label], question), place)) != place:
                names = f"{table.names[other]!r} and {table.names[place]!r}"
                reason = f"the columns {names} both hold ranks of {labels[label]!r} as {question}"
                raise DataError(reason, file=table.file)
            break
    return places


def _readings(name: str, form: Protocol) -> Iterator[tuple[str, str]]:
    """Yield the question that a column's name begins or ends with, and the rest of the name."""
    words = [word for word in name.split() if word not in _RANK_WORDS]
    for question in form.questions:
        asked = _bare(question.name)
        # "coherence" and "informativeness" ask what "coherent" and "informative" do.
        stem, length = asked[: max(len(asked) - 1, 4)], len(asked.split())
        starts = words[:length], words[length:]
        ends = words[-length:], words[:-length]
        for part, rest in (starts, ends):
            if rest and " ".join(part).startswith(stem):
                yield question.name, " ".join(rest)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Reads the ranks of a table row by row."""

    table: Filled
    campaign: str
    form: Protocol
    tasks: Sequence[Task]
    at: str
    systems: Systems | None
    annotator: str | None

    def read(self) -> WideRanks:
        """Return the judgments of all rows without a fault, and the faults, at most MAX_FAULTS and a count."""
        targets = tuple(dict.fromkeys(target.id for task in self.tasks for target in task.targets))
        layout = _WideColumns.of(self.table, self.form, self.systems, targets)
        self._check(layout, targets)
        task_of = {url: task for task in self.tasks for label, url in task.context if label == URL}
        task_of |= {task.item: task for task in self.tasks}
        judgments: list[Judgment] = []
        faults: list[SheetFault] = []
        row_of: dict[tuple[str, str], int] = {}
        for row in self.table.rows:
            if all(blank(_cell(row, place)) for place in layout.ranks.values()):
                continue
            names = [_text(row, place) for place in (layout.item, layout.url)]
            task = next((task_of[name] for name in names if name in task_of), None)
            who = self.annotator or _text(row, layout.annotator)
            if task is None:
                reason = f"{quoted(names[0])} is not an item of campaign {self.campaign!r}"
                faults.append(self._fault(row, layout.item, reason))
            elif not who:
                place = layout.item if layout.annotator is None else layout.annotator
                faults.append(self._fault(row, place, "the row does not say who judged"))
            elif (first := row_of.setdefault((task.id, who), row.number)) != row.number:
                reason = f"repeats row {first}, which is the one that counts"
                faults.append(self._fault(row, layout.item, reason))
            else:
                answers, wrong = self._row(row, layout, task)
                faults += wrong
                judgments += [] if wrong else self._judgments(task, who, answers)
        if more := faults[MAX_FAULTS:]:
            reason = f"{plural(len(more), 'further fault')} not listed"
            faults[MAX_FAULTS:] = [replace(more[0], reason=reason)]
        return WideRanks(tuple(judgments), tuple(faults))

    def _check(self, layout: _WideColumns, targets: Sequence[str]) -> None:
        """Refuse a table that lacks a column of ranks or the annotator, or ranks an unknown system."""
        file = self.table.file
        if not layout.ranks:
            example = f"{self.form.questions[-1].name} {targets[0]}"
            raise DataError(
                f"no column holds ranks: call them after a question and a system, as in {example!r}, "
                f"or say with --systems which column stands for which system, as in A={targets[0]}",
                file=file,
            )
        if unknown := [system for system, _ in layout.ranks if system not in targets]:
            listed = ", ".join(targets)
            raise DataError(f"no output of campaign {self.campaign!r} is by {unknown[0]!r}; there are: {listed}", file=file)  # fmt: skip
        for place in layout.others:
            name = self.table.names[place]
            if any(_readings(_bare(name), self.form)) and self._has_ranks(place):
                raise DataError(
                    f"the column {name!r} holds ranks of no system of campaign {self.campaign!r}; "
                    "say with --systems which one it is, or leave the column out",
                    file=file,
                )
        for target in targets:
            for question in self.form.questions:
                if (target, question.name) not in layout.ranks:
                    raise DataError(f"no column ranks {target!r} as {question.name}", file=file)
        if self.annotator is None and layout.annotator is None:
            raise DataError("nothing says who judged: add a column 'annotator', or name them with --annotator", file=file)  # fmt: skip

    def _has_ranks(self, place: int) -> bool:
        cells = (_cell(row, place) for row in self.table.rows)
        return any(not isinstance(parse(self.form, cell, MOST_OUTPUTS), Refused) for cell in cells)

    def _row(
        self, row: ReturnedRow, layout: _WideColumns, task: Task
    ) -> tuple[dict[tuple[str, str], Value], list[SheetFault]]:
        """Return the answers of a row by (system, question), and its faults."""
        answers: dict[tuple[str, str], Value] = {}
        faults = []
        texts = {target.id: target.text for target in task.targets}
        for system, place in layout.outputs.items():
            text = _text(row, place)
            if text and system in texts and _same(text) != _same(texts[system]):
                reason = f"another text than that of {system!r} in campaign {self.campaign!r}"
                faults.append(self._fault(row, place, reason))
        for (system, question), place in layout.ranks.items():
            cell = _cell(row, place)
            if system not in texts and blank(cell):
                continue
            value = parse(self.form, cell, len(texts))
            if isinstance(value, Refused):
                faults.append(self._fault(row, place, value.reason))
            else:
                answers[system, question] = value
        return answers, faults

    def _judgments(
        self, task: Task, who: str, answers: Mapping[tuple[str, str], Value]
    ) -> list[Judgment]:
        return [
            Judgment(self.campaign, task.id, task.item, system, question, value, who, at=self.at)
            for (system, question), value in answers.items()
        ]

    def _fault(self, row: ReturnedRow, place: int, reason: str) -> SheetFault:
        column = f"{letter(place)} ({self.table.names[place]})"
        return SheetFault(self.table.sheet, row.number, column, reason)


def _bare(name: str) -> str:
    """Return a name in lower case, its words parted by single spaces, without punctuation."""
    return " ".join(re.findall(r"\w+", name.casefold().replace("_", " ")))


def _same(text: str) -> str:
    return comparable(lined(text))


def _cell(row: ReturnedRow, place: int) -> object:
    return row.cells[place] if place < len(row.cells) else None


def _text(row: ReturnedRow, place: int | None) -> str:
    """Return a cell as text without white space around it; empty for a column that is not there."""
    cell = None if place is None else _cell(row, place)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell).strip()
