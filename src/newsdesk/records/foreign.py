"""Other people's formats, read as our records: published WCEP and Tencent files, COCO captions, TREC runs and qrels, CSV, suggestions of commenters.

Here a key or column that means nothing to us is ignored and counted, never refused; a value that cannot be read is still an
error with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError, SpecError
from newsdesk.records.comments.cells import moment_of, orders_of
from newsdesk.records.comments.grouping import Account, Lines
from newsdesk.records.comments.tencent import is_tencent, read_tencent
from newsdesk.records.kinds import Seen, plural_of
from newsdesk.records.schema import Json, parse_json, parse_line, schema_of
from newsdesk.records.tables import CsvRows
from newsdesk.records.wcep import Ignored, is_wcep, read_wcep, take
from newsdesk.registry import FORMATS
from newsdesk.types import (
    Article,
    Cluster,
    Comment,
    Event,
    Output,
    Ranked,
    Reference,
    References,
    Thread,
)
from newsdesk.wording import plural

Numbered = Iterator[tuple[int, Any]]
NamedRows = Iterator[tuple[int, dict[str, str]]]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format of others: the record types it can hold (none named means any), and its reader."""

    kinds: tuple[type[Any], ...]
    read: Callable[[str, Lines, type[Any], Account], Numbered]


_SUGGESTION_ONLY = {"article", "system", "label", "source"}


def format_of(path: str, first: Mapping[str, Json]) -> str | None:
    """Return the foreign format that a file's name or its first JSON object shows, or None for our own."""
    name = path.removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix == ".csv":
        return "csv"
    if suffix == ".txt" and not first:
        return "lines"
    if suffix == ".qrels" or Path(name).name.startswith("qrels"):
        return "qrels"
    if suffix == ".trec":
        return "trec"
    if suffix == ".json" and (not first or "annotations" in first):
        return "coco"  # a list, an object over many lines, or captions on one
    if is_tencent(first):
        return "tencent"
    if first.keys() >= _SUGGESTION_ONLY:
        return "suggestions"
    return "wcep" if is_wcep(first) else None


def read_foreign(
    format: str, file: str, lines: Lines, kind: type[Any], account: Account
) -> Numbered:
    """Return the records of a foreign file, each with its line number (or its place in a list)."""
    foreign: Foreign = FORMATS.load(format)
    if foreign.kinds and kind not in foreign.kinds:
        can = " or ".join(plural_of(record_type) for record_type in foreign.kinds)
        raise SpecError(
            f"{file}: read as the format {format!r}, which holds {can}; {plural_of(kind)} are needed, one JSON object a line"
        )
    return foreign.read(file, lines, kind, account)


def _read_coco(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    try:
        value = parse_json("\n".join(text for _, text in lines))
    except DataError as error:
        raise error.at(file, None) from None
    if (
        kind is References
        and isinstance(value, dict)
        and isinstance(value.get("annotations"), list)
    ):
        account.ignored.update(key for key in value if key not in ("annotations", "images"))
        return _coco_references(file, value["annotations"], account.ignored)
    if kind is Output and isinstance(value, list):
        return _coco_outputs(file, value, account.ignored)
    wanted = "captions with `annotations`" if kind is References else "results, a list"
    raise DataError(f"not COCO {wanted}", file=file)


def _coco_rows(file: str, rows: list[Json], ignored: Ignored) -> Iterator[tuple[int, str, str]]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not {"image_id", "caption"} <= row.keys():
            raise DataError("an entry without `image_id` or `caption`", file=file, line=number)
        if not isinstance(row["caption"], str):
            raise DataError("`caption` is not text", file=file, line=number)
        ignored.update(key for key in row if key not in ("image_id", "caption", "id"))
        yield number, str(row["image_id"]), row["caption"]


def _coco_references(file: str, rows: list[Json], ignored: Ignored) -> Numbered:
    references_of: dict[str, list[Reference]] = {}
    for _, item, caption in _coco_rows(file, rows, ignored):
        references_of.setdefault(item, []).append(Reference(caption))
    for number, (item, references) in enumerate(references_of.items(), 1):
        yield number, References(item, tuple(references))


def _coco_outputs(file: str, rows: list[Json], ignored: Ignored) -> Numbered:
    system = Path(file).name.partition(".")[0] or "stdin"
    for number, item, caption in _coco_rows(file, rows, ignored):
        yield number, Output(item, system, caption)


def _read_lines(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    """Yield each line of plain text as an item, whose id is its number; a tab tells several references apart."""
    system = Path(file).name.partition(".")[0] or "stdin"
    for number, text in lines:
        if kind is Output:
            yield number, Output(str(number), system, text)
        else:
            yield number, References(str(number), tuple(map(Reference, text.split("\t"))))


def _columns(file: str, lines: Lines, shape: str) -> Iterator[tuple[int, list[str]]]:
    count = len(shape.split())
    for number, text in lines:
        cells = text.split()
        if not cells or text.startswith("#"):
            continue
        if len(cells) != count:
            raise DataError(f"not `{shape}`", file=file, line=number)
        yield number, cells


def _read_trec(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    # Some tools count ranks from 0. The first row tells.
    shift: int | None = None
    for number, cells in _columns(file, lines, "topic Q0 document rank score tag"):
        topic, _, document, rank, score, _ = cells
        try:
            whole_rank = int(rank)
            shift = (1 if whole_rank == 0 else 0) if shift is None else shift
            yield number, Ranked(topic, document, float(score), whole_rank + shift)
        except (ValueError, DataError) as error:
            raise DataError(str(error), file=file, line=number) from None


def _read_qrels(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    """Yield each topic of a qrels file as a thread whose comments have scores but no texts."""
    topics: dict[str, dict[str, Comment]] = {}
    first: dict[str, int] = {}
    for number, cells in _columns(file, lines, "topic 0 document relevance"):
        topic, _, document, relevance = cells
        comments = topics.setdefault(topic, {})
        first.setdefault(topic, number)
        if document in comments:
            reason = f"duplicate document {document!r} of topic {topic!r}"
            raise DataError(reason, file=file, line=number)
        try:
            comments[document] = Comment(document, "", score=float(relevance))
        except (ValueError, DataError) as error:
            raise DataError(str(error), file=file, line=number) from None
    for topic, comments in topics.items():
        yield first[topic], Thread(Article(topic, ""), tuple(comments.values()))


def _read_csv(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    """Yield a header row, then one record a row; for references one reference a row (id, text, weight)."""
    rows = CsvRows((text for _, text in lines), ",")
    read = _csv_references if kind is References else _csv_records
    try:
        names = next(rows, [])
        if twice := [name for name in names if name and names.count(name) > 1]:
            raise DataError(f"the column `{twice[0]}` stands twice in the header")
        yield from read(file, _named_rows(rows, names), kind, account)
    except DataError as error:
        raise (error if error.file else error.at(file, rows.line)) from None


def _named_rows(rows: CsvRows, names: list[str]) -> NamedRows:
    """Yield the cells of each row by column, with its line number."""
    for row in filter(None, rows):
        if len(row) > len(names):
            raise DataError("the row has more cells than the header")
        yield rows.line, dict(zip(names, row, strict=False))


def _cells(row: Mapping[str, str], kind: type[Any], ignored: Ignored) -> dict[str, Json]:
    schema = schema_of(kind)
    values = take(row, {name: name for name in schema.fields}, ignored)
    return {name: schema.from_text(name, text) for name, text in values.items()}


def _csv_records(file: str, rows: NamedRows, kind: type[Any], account: Account) -> Numbered:
    """Yield a record a row.

    From the first date that waits for the order of day and month on, they come when all rows are
    read.
    """
    held: list[tuple[int, dict[str, Json]]] = []
    for line, row in rows:
        cells = _cells(row, kind, account.ignored)
        date, waiting = cells.get("date"), None
        if isinstance(date, str) and orders_of(date):
            moment, waiting = account.dates.read(date, line)
            cells["date"] = moment[:10] if moment else date
        if held or waiting:
            held.append((line, cells))
        else:
            yield line, schema_of(kind).decode(cells)
    if why := account.dates.undecided():
        raise DataError(why, file=file)
    account.notes += account.dates.notes()
    for line, cells in held:
        day = moment_of(cells.get("date"), account.dates.order)
        try:
            yield line, schema_of(kind).decode(cells | ({"date": day[:10]} if day else {}))
        except DataError as error:
            raise error.at(file, line) from None


def _csv_references(file: str, rows: NamedRows, kind: type[Any], account: Account) -> Numbered:
    references_of: dict[str, list[Reference]] = {}
    for _, row in rows:
        cells = {**row, "text": row.get("reference") or row.get("text") or ""}
        item = row.get("id") or ""
        cells.pop("id", None)
        cells.pop("reference", None)
        reference = schema_of(Reference).decode(
            {"text": "", **_cells(cells, Reference, account.ignored)}
        )
        references_of.setdefault(item, []).append(reference)
    for number, (item, references) in enumerate(references_of.items(), 1):
        yield number, References(item, tuple(references))


def _read_tencent(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    return read_tencent(lines, account)


def _read_tencent_words(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    return read_tencent(lines, account, words=True)


def _read_suggestions(file: str, lines: Lines, kind: type[Any], account: Account) -> Numbered:
    """Yield a system's first (best) suggestion for each article as an output; count the others."""
    seen, others = Seen(), 0
    for number, text in lines:
        try:
            row = parse_line(text)
            fields = {
                "id": row.get("article"),
                "system": row.get("system"),
                "text": row.get("text"),
            }
            output = schema_of(Output).decode(fields)
        except DataError as error:
            raise error.at(file, number) from None
        if seen.add(f"{output.system}\0{output.id}"):
            yield number, output
        else:
            others += 1
    if others:
        left = plural(others, "suggestion")
        account.notes.append(f"{left} left out: only the first of an article is its output")


WCEP = Foreign((Cluster, Event, Article), read_wcep)
COCO = Foreign((References, Output), _read_coco)
LINES = Foreign((Output, References), _read_lines)
TREC = Foreign((Ranked,), _read_trec)
QRELS = Foreign((Thread,), _read_qrels)
CSV = Foreign((), _read_csv)
TENCENT = Foreign((Thread,), _read_tencent)
SUGGESTIONS = Foreign((Output,), _read_suggestions)
TENCENT_WORDS = Foreign((Thread,), _read_tencent_words)
KIND_OF_FORMAT: Mapping[str, type[Any]] = {
    "trec": Ranked,
    "qrels": Thread,
    "tencent": Thread,
    "tencent-words": Thread,
    "suggestions": Output,
}
