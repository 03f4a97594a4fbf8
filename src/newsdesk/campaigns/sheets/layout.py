"""The layout of an annotator's sheet, independent of the file format, and the encoding of text in its cells.

Every target has a row of its own, the targets of a task one below the other in the order of this annotator: the context, the text, and
beside it a cell for every question. In rankings a letter (A, B, …) stands before each output. The layout `guide`, of the guide for human evaluators, has a ranking in
one row: url, reference, A, B, …, with `</s>` between sentences, then `overall A`, `overall B`, …. Rankings of newsdesk 0.1.0 are read as such. The workbook names no target and no
system. The column of tasks tells rows apart by a number for people and a keyed digest of the campaign, the annotator, the task and the texts
in the order shown: a row of another annotator, of other texts or in another order is not recognised, and so is never un-blinded with
the wrong key. The last column, which spreadsheet programs hide, has the revisions that the cells of the row were written from, as keyed tokens, so that an
old sheet never overwrites a newer answer; who deletes it only makes the importer ask more often. The head of the column of tasks has a seal, a keyed digest of
campaign, annotator and rows. Sheets of earlier versions have unkeyed digests, numbers as revisions and no seal.

Any text survives a round trip through a cell, or says how much was cut. XML has no place for control characters, lone surrogates and a few others, and a
spreadsheet reads a lone carriage return as it likes. The workbook format writes such a character as `_xHHHH_` and shows it as the character; an underscore that
would begin such a sign by accident is written that way, too. A cell ends at 32,767 UTF-16 units: a longer text is cut and says by how many characters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count
from typing import Literal
from urllib.parse import quote

from newsdesk.campaigns.assign import letter, same_as_shown
from newsdesk.campaigns.keys import TOKEN_DIGITS, keyed, revision_token, token_revision
from newsdesk.campaigns.protocols import Answers, Protocol
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.text.normalize import lined
from newsdesk.text.sentences import sentences
from newsdesk.types import Value
from newsdesk.wording import plural

LIMIT = 32_767
_CUT = " do not fit in a cell]"
_LONGEST_LINK = 2_000  # Excel takes 2,079

# The second half does not ask for the closing underscore: the next character may bring one when it is written.
_UNFIT = re.compile(
    "[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|_(?=x[0-9A-Fa-f]{4})",
)
_SIGN = re.compile("_x([0-9A-Fa-f]{4})_")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
_RISKY = re.compile(r"[\s\ufeff]*['=+\-@＝＋－＠]|[\d\s.,:/%-]+\Z")
_WEB = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)


def encode(text: str) -> str:
    r"""Escape what XML cannot hold as `_xHHHH_`.

    >>> encode("a bell\x07 and _x0041_")
    'a bell_x0007_ and _x005F_x0041_'
    """
    return _UNFIT.sub(lambda unfit: f"_x{ord(unfit[0]):04X}_", text)


def decode(cell: str) -> str:
    """Undo `encode`: the text of a cell."""
    if "_x" not in cell:
        return cell
    return _SIGN.sub(lambda sign: chr(int(sign[1], 16)), cell)


def fit(text: str, task: str, encoded: Callable[[str], str] = encode) -> str:
    """Return the encoded text, cut with a note if it exceeds a cell.

    `task` is the number the annotator sees.

    >>> fit("x" * 40_000, "7-5f0c")[-66:]
    '… [cut: 7,300 more characters of task 7-5f0c do not fit in a cell]'
    """
    cell = encoded(text)
    if len(cell) * 2 <= LIMIT or _units(cell) <= LIMIT:
        return cell
    room = LIMIT - _units(_note(len(text), task))
    low, high = 0, min(len(text), room)
    while low < high:  # the longest beginning that leaves room for the note
        middle = (low + high + 1) // 2
        if _units(encoded(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return encoded(text[:low]) + _note(len(text) - low, task)


def is_cut(cell: str) -> bool:
    """Return True if `fit` has cut the text of this cell."""
    return cell.endswith(_CUT)


def _note(missing: int, task: str) -> str:
    return f"… [cut: {missing:,} more characters of task {task}{_CUT}"


def _units(cell: str) -> int:
    return len(cell.encode("utf-16-le")) // 2


def readings(cell: str) -> tuple[str, str]:
    """Return the texts that may be read back from a written cell.

    As written, and after Excel has saved it.

    openpyxl drops every `x005F_` from the table of strings that Excel makes, so that there `_x0041_` and `A` look alike.
    """
    return decode(cell), decode(cell.replace("x005F_", ""))


def plain(text: str) -> str:
    """Return the text for a CSV field: line breaks are LF, characters that nobody sees are left out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(lambda run: "".join(each for each in run[0] if each in "\t\n"), text)


@lru_cache(maxsize=1024)  # the rows of a task repeat its context
def comparable(text: str) -> str:
    """Return the text without white space and control characters, which spreadsheets change."""
    text = "".join(text.split())
    return text if text.isprintable() else _UNSEEN.sub("", text)


def guard(cell: str) -> str:
    """Prefix an apostrophe to a CSV field that could be taken for a formula, a number or a date."""
    return f"'{cell}" if _RISKY.match(cell) else cell


def unguard(field: str) -> str:
    """Undo `guard`: remove the apostrophe."""
    return field.removeprefix("'")


def link(url: str) -> str | None:
    """Return a percent-encoded http or https link that is safe to open; None for any other URL."""
    if not _WEB.match(url):
        return None
    try:
        target = quote(url, safe=":/?#[]@!$&'()*+,;=%~")
    except UnicodeEncodeError:
        return None
    return target if len(target) <= _LONGEST_LINK else None


def column_number(letters: str) -> int:
    """Return the 0-based place of a column of a spreadsheet.

    >>> column_number("A"), column_number("AA")
    (0, 26)
    """
    number = 0
    for char in letters:
        number = number * 26 + ord(char) - ord("A") + 1
    return number - 1


MOST_OUTPUTS = 26  # of a ranking: one letter each
URL = "url"
SENTENCE_MARK = "</s>"  # between two sentences of an output in the layout `guide`
Layout = Literal["rows", "guide"]
_DIGITS = 12
_KEY_CELL = re.compile(rf"(?P<number>\d+)(?:\.(?P<place>\d+))?-(?P<digest>[0-9a-f]{{{_DIGITS}}})")
_SEAL_DIGITS = 16
_UNKEYED_REVISION = re.compile(r"\d{1,18}")
_REVISION = re.compile(rf"0|[0-9a-f]{{{TOKEN_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A task, its target ids as this annotator sees them (the first is A), and the answers so far."""

    task: Task
    order: tuple[str, ...]
    answers: Answers = field(default_factory=dict)
    revisions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    article: str = ""  # the text of the article, to read beside the task

    def __post_init__(self) -> None:
        if sorted(self.order) != sorted(target.id for target in self.task.targets):
            raise ArgumentError(f"task {self.task.id!r}: the order does not name its targets")

    @property
    def shown(self) -> tuple[Target, ...]:
        """The targets in the order shown."""
        targets = {target.id: target for target in self.task.targets}
        return tuple(targets[target] for target in self.order)

    @property
    def twins(self) -> dict[int, int]:
        """Map each place that repeats the text of an earlier place to the first such place."""
        same = same_as_shown(self.task, self.order)
        return {self.order.index(twin): self.order.index(first) for twin, first in same.items()}


@dataclass(frozen=True, slots=True)
class Sheet:
    """All tasks of one annotator; `annotator` is the pseudonym that the file shows.

    `key` is that of the campaign's sheets; with None rows have the unkeyed digests of earlier versions, to read their sheets.
    """

    campaign: str
    annotator: str
    protocol: Protocol
    rows: tuple[SheetRow, ...]
    key: bytes | None
    layout: Layout = "rows"

    def __post_init__(self) -> None:
        for name, value in (("campaign", self.campaign), ("annotator", self.annotator)):
            if not value.strip() or value != value.strip() or not value.isprintable():
                raise ArgumentError(f"the {name} {value!r} is not a name of one line")
        times = Counter(row.task.id for row in self.rows)
        twice = [task for task, count in times.items() if count > 1]
        if twice:
            raise ArgumentError(f"task {twice[0]!r} is twice in the sheet of {self.annotator!r}")
        check_layout(self.layout, self.protocol)
        for row in self.rows:
            if self.protocol.kind == "rank" and not 2 <= len(row.order) <= MOST_OUTPUTS:
                raise ArgumentError(
                    f"task {row.task.id!r} has {plural(len(row.order), 'output')}; a ranking takes 2 to {MOST_OUTPUTS}"
                )


def check_layout(layout: Layout, protocol: Protocol) -> None:
    """Refuse the layout `guide` for anything but rankings."""
    if layout == "guide" and protocol.kind != "rank":
        problem = f"the layout 'guide' is for rankings; sheets of the protocol {protocol.name!r}"
        raise ArgumentError(f"{problem} have 'rows'")


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column: its name in the header, and the kind of its cells."""

    name: str
    role: Literal["task", "context", "letter", "text", "answer", "article", "revision"]
    source: str = ""  # the label of a context, the name of a question
    place: int | None = None  # of the output in the layout `guide`; in `rows` the row decides


KEY = SheetColumn("task", "task")
LETTER = SheetColumn("output", "letter")
ARTICLE = SheetColumn("article", "article")
REVISION = SheetColumn("revision", "revision")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of cells: one target, or a whole ranking in the layout `guide` (`place` is None)."""

    row: SheetRow
    number: int  # of the task in the sheet, from 1
    place: int | None
    digest: str
    ranked: bool
    sheet_key: bytes | None
    spans: bool = False

    @property
    def marked(self) -> str | None:
        """The text of which passages are marked; None where the protocol asks for none."""
        return self.row.shown[self.place].text if self.spans and self.place is not None else None

    @property
    def key(self) -> str:
        """The content of the first column, which identifies the row."""
        within = "" if self.place is None else f".{self.place + 1}"
        return f"{self.number}{within}-{self.digest}"

    def answer(self, column: SheetColumn) -> Value | None:
        """Return the answer in this column so far; None if there is none."""
        key = self.cell_key(column)
        return None if key is None else self.row.answers.get(key)

    def revision(self, columns: Sequence[SheetColumn]) -> str:
        """Return the revisions of the row's answer cells, in the order of the columns.

        0 for a cell that was written empty.

        Written as `r0-3f…-a1…`, which no program takes for a number or a date.
        """
        keys = (self.cell_key(column) for column in columns if column.role == "answer")
        return "r" + "-".join(self._token(key) for key in keys if key is not None)

    def _token(self, key: tuple[str, str]) -> str:
        revision = self.row.revisions.get(key, 0)
        if revision == 0 or self.sheet_key is None:
            return str(revision)
        return revision_token(self.sheet_key, self._cell(key), revision)

    def parse_revision(self, token: str, key: tuple[str, str]) -> int | None:
        """Return the revision of an answer cell from its token; None for anything else."""
        if self.sheet_key is None:
            return int(token) if _UNKEYED_REVISION.fullmatch(token) else None
        if token == "0" or not _REVISION.fullmatch(token):
            return 0 if token == "0" else None
        return token_revision(self.sheet_key, self._cell(key), token)

    def _cell(self, key: tuple[str, str]) -> str:
        """Return what tells a cell from all others of the campaign."""
        target, question = key
        return f"{self.digest}\0{self.row.order.index(target)}\0{question}"

    def cell_key(self, column: SheetColumn) -> tuple[str, str] | None:
        """Return target and question of an answer cell; None for one beyond the outputs of this row."""
        place = column.place if self.place is None else self.place
        if place is None or place >= len(self.row.order):
            return None
        return self.row.order[place], column.source

    @property
    def separator(self) -> str:
        """What stands between two sentences of an output."""
        return "\n" if self.place is not None else SENTENCE_MARK

    def texts(self, columns: Sequence[SheetColumn], separator: str | None) -> list[str]:
        """Return the cells of context, letter and text; None as separator leaves texts as they are."""
        shown = self.row.shown
        texts = []
        for column in columns:
            shape = _shape(column, separator, ranked=self.ranked)
            if column.role == "context":
                parts = [text for label, text in self.row.task.context if label == column.source]
                texts.append(_joined(list(map(shape, parts))))
                continue
            place = column.place if self.place is None else self.place
            if place is None or place >= len(shown):
                texts.append("")
            elif column.role == "letter":
                texts.append(letter(place))
            elif self.ranked and (first := _first_alike(shown, place)) < place:
                texts.append(f"same as {letter(first)}")
            else:
                texts.append(shape(shown[place].text))
        return texts


def _shape(column: SheetColumn, separator: str | None, *, ranked: bool) -> Callable[[str], str]:
    """Return how a text is laid out in the cells of a column; only outputs have the separator."""
    if separator is None or column.source == URL:
        return str
    if not ranked:
        return lined
    between = separator if column.role == "text" else "\n"
    return lambda text: between.join(_sentences(text))


def _first_alike(shown: Sequence[Target], place: int) -> int:
    """Return the first place with the same text; the place itself if there is none before it."""
    text = shown[place].text
    return next(number for number, target in enumerate(shown) if target.text == text)


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return "\n\n".join(f"{number}) {part}" for number, part in enumerate(parts, 1))


def _sentences(text: str) -> list[str]:
    """Return the sentences as the text separates them, else as the sentence splitter does."""
    text = lined(text)
    if "\n" in text.strip():
        return [part.strip() for part in text.splitlines() if part.strip()]
    return sentences(text)


def columns(sheet: Sheet) -> tuple[SheetColumn, ...]:
    """Return the columns of a sheet in its layout, each with a name of its own."""
    labels = dict.fromkeys(label for row in sheet.rows for label, _ in row.task.context)
    context = [SheetColumn(label, "context", label) for label in labels]
    read = [column for column in context if column.source != URL]
    links = [column for column in context if column.source == URL]
    articles = [ARTICLE] if any(row.article for row in sheet.rows) else []
    questions = [question.name for question in sheet.protocol.questions]
    if sheet.layout == "guide":
        places = range(max((len(row.order) for row in sheet.rows), default=0))
        outputs = [SheetColumn(letter(place), "text", place=place) for place in places]
        ranks = [
            SheetColumn(f"{question} {letter(place)}", "answer", question, place)
            for question in questions
            for place in places
        ]
        # What the guide does not have comes last.
        named = [KEY, *links, *read, *outputs, *ranks, *articles, REVISION]
        key, *shown, revision = _named_apart(named)
        return (*shown, key, revision)
    ranked = sheet.protocol.relative
    answers = [SheetColumn(question, "answer", question) for question in questions]
    beside = [KEY, *read, *([LETTER] if ranked else []), SheetColumn("text", "text"), *answers]
    return tuple(_named_apart([*beside, *links, *articles, REVISION]))


def _named_apart(sheet_columns: Sequence[SheetColumn]) -> Iterator[SheetColumn]:
    """Yield the columns on one line, a name that is taken already with a number after it."""
    taken: set[str] = set()
    for column in sheet_columns:
        plain = " ".join(column.name.split()) or "unnamed"
        others = (f"{plain} ({number})" for number in count(2))
        name = next(name for name in chain([plain], others) if name not in taken)
        taken.add(name)
        yield replace(column, name=name)


def lines(sheet: Sheet) -> Iterator[Line]:
    """Yield the rows below the header, in order: one per target, or per task in the layout `guide`."""
    ranked, spans = sheet.protocol.relative, sheet.protocol.kind == "spans"
    for number, row in enumerate(sheet.rows, 1):
        digest = _digest(sheet, row)
        places: Sequence[int | None] = [None] if sheet.layout == "guide" else range(len(row.order))
        yield from (Line(row, number, place, digest, ranked, sheet.key, spans) for place in places)


def _digest(sheet: Sheet, row: SheetRow) -> str:
    """Return the digest of a row, keyed: with the ids of tasks anybody could try all of them otherwise."""
    texts = [target.text for target in row.shown]
    parts = json.dumps([sheet.campaign, sheet.annotator, row.task.id, row.task.context, texts])
    if sheet.key is None:
        return hashlib.sha256(parts.encode("ascii")).hexdigest()[:_DIGITS]
    return keyed(sheet.key, f"row\0{parts}").hex()[:_DIGITS]


def seal(sheet: Sheet, digests: Iterable[str] | None = None) -> str:
    """Return the seal over campaign, annotator and rows, all of the sheet or those of these digests.

    The order of rows does not matter: annotators sort them.
    """
    if sheet.key is None:
        raise ArgumentError(f"the sheet of {sheet.annotator!r} has no key to seal it with")
    rows = {line.digest for line in lines(sheet)} if digests is None else set(digests)
    parts = json.dumps([sheet.campaign, sheet.annotator, sorted(rows)])
    return keyed(sheet.key, f"seal\0{parts}").hex()[:_SEAL_DIGITS]


def revision_tokens(cell: object) -> list[str]:
    """Return the parts of a cell of revisions; none of anything else."""
    if not isinstance(cell, str) or not cell.strip().startswith("r"):
        return []
    return cell.strip().removeprefix("r").split("-")


def parse_key(cell: str) -> tuple[str, int | None] | None:
    """Parse the first cell of a row into digest and place; the number is for people and may have changed."""
    if not (match := _KEY_CELL.fullmatch(cell.strip())):
        return None
    return match["digest"], int(match["place"]) - 1 if match["place"] else None
