"""Import of a workbook of 5,000 rankings: read, checked and un-blinded in under 5 s, as we write it and as Excel saves it."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.sheets import (
    Filled,
    Sheet,
    SheetRow,
    check,
    read_csv,
    read_workbook,
    write_csv,
    write_workbook,
)
from newsdesk.campaigns.tasks import Target, Task
from tests.campaigns.sheet_files import fill, fill_csv, save_as_excel_does

ROWS = 5_000
SYSTEMS = 4
LIMIT_S = 5.0
_WORDS = (
    "the ferry hit a breakwater in fog and its radar had been out for days officials said".split()
)
_T = TypeVar("_T")


def rankings() -> Sheet:
    """Summaries of four sentences beside a reference of three."""
    chance = random.Random(0)

    def text(length: int) -> str:
        return " ".join(
            " ".join(chance.choices(_WORDS, k=14)).capitalize() + "." for _ in range(length)
        )

    rows = []
    for number in range(ROWS):
        targets = tuple(Target(f"system-{place}", text(4)) for place in range(SYSTEMS))
        context = (("url", f"https://example.org/{number}"), ("reference", text(3)))
        order = tuple(chance.sample([target.id for target in targets], SYSTEMS))
        rows.append(SheetRow(Task(f"item-{number}", f"item-{number}", targets, context), order))
    return Sheet("bench", "P01", protocol("rank"), tuple(rows), b"key")


def timed(action: Callable[[], _T]) -> tuple[_T, float]:
    started = time.process_time()
    return action(), time.process_time() - started


def imported(path: Path, sheet: Sheet, read: Callable[[Path], Filled], what: str) -> float:
    """Seconds to import a file; every row must come back."""
    returned, seconds = timed(lambda: check(read(path), sheet))
    if len(returned.answers) != ROWS or returned.faults:
        raise SystemExit(f"{what}: {len(returned.answers)} rows, {len(returned.faults)} faults")
    print(f"{what}: {ROWS:,} rows imported in {seconds:.2f} s of CPU (at most {LIMIT_S:.0f})")
    return seconds


def main() -> None:
    sheet = rankings()
    ranks = {
        (row, place, question.name): place + 1
        for row in range(ROWS)
        for place in range(SYSTEMS)
        for question in sheet.protocol.questions
    }
    with tempfile.TemporaryDirectory() as folder:
        book, table = Path(folder) / "P01.xlsx", Path(folder) / "P01.csv"
        _, seconds = timed(lambda: write_workbook(book, sheet))
        print(
            f"workbook of {ROWS:,} rows written in {seconds:.2f} s of CPU, {book.stat().st_size / 1e6:.1f} MB"
        )
        write_csv(table, sheet)
        fill(book, sheet, ranks)
        fill_csv(table, sheet, ranks)
        took = [imported(book, sheet, read_workbook, "workbook as we write it")]
        save_as_excel_does(book)
        took.append(imported(book, sheet, read_workbook, "workbook as Excel saves it"))
        took.append(imported(table, sheet, read_csv, "CSV"))
    if max(took) > LIMIT_S:
        raise SystemExit(f"{max(took):.1f} s is more than {LIMIT_S:.0f} s")
