"""Sheets out of the store, one per annotator, and back into it; and judgments that were collected elsewhere.

A returned sheet is parsed once, whatever is asked of it. Files are imported one by one, each in a transaction of its own, so that what
is wrong with one does not undo another.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from newsdesk import records
from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.sheets import (
    Filled,
    Sheet,
    SheetRow,
    TaskAnswers,
    check,
    read_csv,
    read_workbook,
    write_csv,
    write_workbook,
)
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import make_folder
from newsdesk.types import Judgment, Value

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

SheetFormat = Literal["xlsx", "csv"]

_READ: Mapping[str, Callable[[str], Filled]] = {".xlsx": read_workbook, ".csv": read_csv}
_WRITE = {"xlsx": write_workbook, "csv": write_csv}
_UNFIT = re.compile(r'^\.|[/\\%:*?"<>|\x00-\x1f]')  # of a file name, on some system


@dataclass(frozen=True, slots=True)
class WrittenSheet:
    """A sheet on disk: whose it is, where it lies, and how many tasks it holds."""

    annotator: str
    path: Path
    tasks: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What one file brought."""

    file: str
    new: int
    corrected: int
    unchanged: int
    faults: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The row that --json prints."""
        counts = {"new": self.new, "corrected": self.corrected, "unchanged": self.unchanged}
        return {"file": self.file, **counts, "faults": list(self.faults)}


def write_sheets(
    store: Store,
    campaign: str,
    folder: str | os.PathLike[str],
    *,
    format: SheetFormat = "xlsx",
    overwrite: bool = False,
    progress: Callable[[WrittenSheet], None] | None = None,
) -> list[WrittenSheet]:
    """Hand out open slots and write one blinded sheet per annotator into the folder: all of them, or none where one is there already.

    `progress` hears of every sheet when it is on disk.
    """
    place = make_folder(folder)
    store.hand_out(campaign)
    sheets = sheets_of(store, campaign)
    paths = {annotator: place / f"{_file_name(annotator)}.{format}" for annotator in sheets}
    _check_writable(paths.values(), overwrite=overwrite)
    written = []
    for annotator, sheet in sheets.items():
        _WRITE[format](paths[annotator], sheet, overwrite=overwrite)
        written.append(WrittenSheet(annotator, paths[annotator], len(sheet.rows)))
        if progress is not None:
            progress(written[-1])
    return written


def _file_name(annotator: str) -> str:
    """The name of an annotator's sheet, inside the folder whatever the annotator is called; no two share one."""
    return _UNFIT.sub(lambda unfit: f"%{ord(unfit[0]):02X}", annotator)


def _check_writable(paths: Iterable[Path], *, overwrite: bool) -> None:
    for path in paths:
        if path.is_dir():
            raise FileError(f"{path}: is a folder, not a file")
        if path.is_file() and not overwrite:
            raise FileError(f"{path}: exists already; add --force to replace it")


def sheets_of(store: Store, campaign: str) -> dict[str, Sheet]:
    """One sheet per annotator who has not been excluded, by the annotator's name; it holds what they have answered so far."""
    return {name: sheet_of(store, campaign, name) for name in _annotators(store, campaign)}


def sheet_of(store: Store, campaign: str, annotator: str) -> Sheet:
    """The sheet of one annotator."""
    answers: dict[str, dict[tuple[str, str], Value]] = defaultdict(dict)
    for each in store.judgments(campaign, annotator=annotator):
        answers[each.task][each.target, each.question] = each.value
    slots = sorted(store.assignments(campaign, annotator), key=lambda each: each.slot.position)
    rows = tuple(
        SheetRow(each.task, each.slot.order, answers[each.task.id])
        for each in slots
        if each.state != "void"
    )
    return Sheet(campaign, annotator, store.campaign(campaign).protocol, rows)


def _annotators(store: Store, campaign: str) -> list[str]:
    return [who.name for who in store.status(campaign).annotators if who.excluded_at is None]


def import_files(
    store: Store, campaign: str, files: Sequence[str | os.PathLike[str]], *, at: str
) -> list[Imported]:
    """Take in returned sheets (.xlsx, .csv) and files of judgments; `at` is the moment that the answers of sheets get.

    The same file again changes nothing. Nothing is imported where a sheet cannot be read or two are one annotator's.
    """
    names = [os.fspath(file) for file in files]
    sheets = {
        name: _READ[ending](name)
        for name in dict.fromkeys(names)
        if (ending := _sheet_ending(name))
    }
    _refuse_two_of_one(sheets)
    return [
        import_sheet(store, campaign, sheets[name], at=at)
        if name in sheets
        else _import_judgments(store, campaign, name)
        for name in names
    ]


def _sheet_ending(file: str) -> str | None:
    return next((ending for ending in _READ if file.endswith(ending)), None)


def _refuse_two_of_one(sheets: Mapping[str, Filled]) -> None:
    """Two different workbooks of one annotator in one import cannot both be right."""
    file_of: dict[tuple[str, str], str] = {}
    for file, filled in sheets.items():
        other = file_of.setdefault((filled.campaign, filled.annotator), file)
        if other != file:
            raise ArgumentError(
                f"{other} and {file} are both sheets of {filled.annotator!r}; import one of them"
            )


def import_sheet(store: Store, campaign: str, filled: Filled, *, at: str) -> Imported:
    """Take in one returned sheet; `at` is the moment that its answers get."""
    if filled.campaign != campaign:
        raise DataError(
            f"a sheet of the campaign {filled.campaign!r}, not of {campaign!r}", file=filled.file
        )
    if filled.annotator not in _annotators(store, campaign):
        raise DataError(
            f"{filled.annotator!r} is not an annotator of {campaign!r}", file=filled.file
        )
    sheet = sheet_of(store, campaign, filled.annotator)
    returned = check(filled, sheet)
    rows = {row.task.id: row for row in sheet.rows}
    judgments = [
        judgment
        for each in returned.answers
        for judgment in _judgments(sheet, rows[each.task], each, at)
    ]
    stored = store.import_judgments(campaign, judgments)
    faults = [f"sheet {fault}" for fault in returned.faults]
    faults += [f"task {each.task!r}: {each.reason}" for each in stored.rejected]
    return Imported(filled.file, stored.new, stored.corrected, stored.unchanged, tuple(faults))


def _import_judgments(store: Store, campaign: str, file: str) -> Imported:
    stored = store.import_judgments(campaign, records.read(file, Judgment))
    faults = tuple(
        f"task {each.task!r} of {each.annotator!r}: {each.reason}" for each in stored.rejected
    )
    return Imported(file, stored.new, stored.corrected, stored.unchanged, faults)


def _judgments(sheet: Sheet, row: SheetRow, answered: TaskAnswers, at: str) -> list[Judgment]:
    """The answers to one task as judgments."""
    controls = {target.id for target in row.task.targets if target.answer is not None}
    return [
        Judgment(
            campaign=sheet.campaign,
            task=row.task.id,
            item=row.task.item,
            target=target,
            question=question,
            value=value,
            annotator=sheet.annotator,
            shown=letter(row.order.index(target)),
            at=at,
            control=True if target in controls else None,
            via="sheet",
        )
        for (target, question), value in answered.answers.items()
    ]
