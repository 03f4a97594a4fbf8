"""Ranked threads as files: a table for spreadsheet programs, JSON lines with everything, or a run.

The name decides: `.csv` is the table, `.html` the page (`ranked_page`), `.trec` and `.jsonl` are runs, unless a full `.jsonl` is asked for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic, write_text
from newsdesk.jsonl import json_line
from newsdesk.rankers.ranked import Label, Placed, RankedThread
from newsdesk.rankers.ranked_page import TOP, ranked_page

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_DIGITS = 6


def write_ranked(
    path: str,
    ranked: Iterable[RankedThread],
    *,
    full: bool = False,
    top: int | None = None,
    overwrite: bool = False,
) -> int:
    """Write ranked threads in the form that the name asks for, `top` comments of each (on a page 200 if left out, else all), and return the number of comments written."""
    kind = form_of(path)
    if full and kind != ".jsonl":
        raise ArgumentError(f"{path}: only a .jsonl file can be full; a .csv file has all columns")
    if kind == ".html":
        return _write_page(path, ranked, TOP if top is None else top, overwrite=overwrite)
    write = write_table if kind == ".csv" else write_full if full else write_run
    return write(path, first_of_each(ranked, top), overwrite=overwrite)


def form_of(path: str) -> str:
    """The form of a file by its name: .csv, .html, .trec, or .jsonl for any other.

    >>> form_of("ranked.csv.gz"), form_of("-")
    ('.csv', '.jsonl')
    """
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    return suffix if suffix in (".csv", ".html", ".trec") else ".jsonl"


def first_of_each(ranked: Iterable[RankedThread], top: int | None) -> Iterator[RankedThread]:
    """The threads with their first comments alone, so many each; all of them without a number."""
    for thread in ranked:
        yield thread if top is None else thread.first(top)


def _write_page(path: str, ranked: Iterable[RankedThread], top: int, *, overwrite: bool) -> int:
    count = 0

    def counted() -> Iterator[RankedThread]:
        nonlocal count
        for thread in ranked:
            count += min(len(thread.comments), top)
            yield thread

    write_text(path, ranked_page(counted(), top), overwrite=overwrite)
    return count


def write_run(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write the lines of a run, as .jsonl or .trec, and return how many there were."""
    lines = (line for thread in ranked for line in thread.lines())
    return records.write(path, lines, overwrite=overwrite)


def write_full(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write a line of JSON per comment with its text, probability and reasons, and return how many there were."""
    count = 0
    with atomic(path, overwrite=overwrite) as stream:
        for thread in ranked:
            for comment in thread.comments:
                stream.write(json_line(row(thread, comment)))
                count += 1
    return count


def write_table(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write a CSV file, UTF-8 with a mark as spreadsheet programs expect, and return the number of comments.

    A text that such a program would take for a formula has an apostrophe before it.
    """
    count = 0
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(b"\xef\xbb\xbf")
        header: list[str] | None = None
        for thread in ranked:
            if not thread.comments:
                continue
            rows = [_cells(row(thread, comment)) for comment in thread.comments]
            if header is None:
                header = list(rows[0])
                stream.write(_csv_line(header))
            for cells in rows:
                stream.write(_csv_line([cells.get(name, "") for name in header]))
                count += 1
        if header is None:
            stream.write(_csv_line(["article", "rank", "comment", "text", "score"]))
    return count


def row(thread: RankedThread, placed: Placed) -> dict[str, Any]:
    """A comment as a JSON object; `value` is what it is ranked by, where that is not the score. What the model does not say is left out."""
    fields: dict[str, Any] = {
        "article": thread.article.id,
        "rank": placed.rank,
        "comment": placed.comment.id,
        "text": placed.comment.text,
        "score": round(placed.score, _DIGITS),
    }
    if not thread.by_score:
        fields["value"] = round(placed.value, _DIGITS)
    if placed.probability is not None:
        fields["probability"] = round(placed.probability, _DIGITS)
    if placed.reasons is not None:
        fields["reasons"] = [asdict(reason) for reason in placed.reasons]
    return {**fields, "signature": thread.signature}


def label_text(label: Label) -> str:
    """A reason in one line: what, the words that show it, and the effect."""
    shown = f" ({', '.join(label.words[:3])})" if label.words else ""
    return f"{label.text}{shown} {label.effect:+.2f}" if label.effect else f"{label.text}{shown}"


def _cells(fields: dict[str, Any]) -> dict[str, str]:
    cells = {}
    for name, value in fields.items():
        if name == "reasons":
            labels = [Label(each["text"], each["words"], each["effect"]) for each in value]
            cells[name] = safe("; ".join(map(label_text, labels)))
        else:
            cells[name] = safe(value) if isinstance(value, str) else str(value)
    return cells


def safe(text: str) -> str:
    """A text that no spreadsheet program takes for a formula.

    >>> safe("=1+1"), safe("fine")
    ("'=1+1", 'fine')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode("utf-8")
