"""Sheets out of the store and back into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.sheets import Filled, Sheet, SheetRow, check, read_csv, read_workbook
from newsdesk.campaigns.store import Store
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Judgment, Value


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


def sheets_of(store: Store, campaign: str) -> dict[str, Sheet]:
    """One sheet per annotator who has not been excluded, by the annotator's name; it holds what they have answered so far."""
    names = _annotators(store, campaign)
    return {name: sheet_of(store, campaign, name) for name in names}


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


def refuse_two_sheets_of_one(files: Sequence[str]) -> None:
    """Two different workbooks of one annotator in one import cannot both be right."""
    seen: dict[tuple[str, str], str] = {}
    for file in files:
        if not file.endswith((".xlsx", ".csv")):
            continue
        filled = _read(file)
        other = seen.setdefault((filled.campaign, filled.annotator), file)
        if other != file:
            raise ArgumentError(
                f"{other} and {file} are both sheets of {filled.annotator!r}; import one of them"
            )


def import_file(store: Store, campaign: str, file: str, at: str) -> Imported:
    """Take in one returned sheet, or a file of judgments."""
    if not file.endswith((".xlsx", ".csv")):
        stored = store.import_judgments(campaign, records.read(file, Judgment))
        faults = tuple(
            f"task {each.task!r} of {each.annotator!r}: {each.reason}" for each in stored.rejected
        )
        return Imported(file, stored.new, stored.corrected, stored.unchanged, faults)
    filled = _read(file)
    if filled.campaign != campaign:
        raise DataError(
            f"a sheet of the campaign {filled.campaign!r}, not of {campaign!r}", file=file
        )
    if filled.annotator not in _annotators(store, campaign):
        raise DataError(f"{filled.annotator!r} is not an annotator of {campaign!r}", file=file)
    sheet = sheet_of(store, campaign, filled.annotator)
    returned = check(filled, sheet)
    shown = {row.task.id: row for row in sheet.rows}
    judgments = [
        _judgment(campaign, shown[each.task], filled.annotator, target, question, value, at)
        for each in returned.answers
        for (target, question), value in each.answers.items()
    ]
    stored = store.import_judgments(campaign, judgments)
    listed = [f"sheet {fault}" for fault in returned.faults]
    listed += [f"task {each.task!r}: {each.reason}" for each in stored.rejected]
    return Imported(file, stored.new, stored.corrected, stored.unchanged, tuple(listed))


def _read(file: str) -> Filled:
    return read_workbook(file) if file.endswith(".xlsx") else read_csv(file)


def _judgment(
    campaign: str, row: SheetRow, annotator: str, target: str, question: str, value: Any, at: str
) -> Judgment:
    known = {each.id: each for each in row.task.targets}[target].answer is not None
    return Judgment(
        campaign=campaign,
        task=row.task.id,
        item=row.task.item,
        target=target,
        question=question,
        value=value,
        annotator=annotator,
        shown=letter(row.order.index(target)),
        at=at,
        control=True if known else None,
        via="sheet",
    )
