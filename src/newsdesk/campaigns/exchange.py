"""Write sheets from the store, one per annotator, and import returned sheets and judgments collected elsewhere.

A returned sheet is parsed once. Each file is imported in a transaction of its own, so that a fault in one does not undo another. A sheet's cells know
the revision they were written from: what nobody touched changes nothing, and what contradicts a newer answer is a conflict, kept in the store.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from newsdesk import records
from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.campaign import Conflict, ImportSource, SealState, Side
from newsdesk.campaigns.sheets import (
    Filled,
    Layout,
    Sheet,
    SheetRow,
    Systems,
    TaskAnswers,
    check,
    check_layout,
    cut_texts,
    read_csv,
    read_workbook,
    sealed,
    wide_ranks,
    write_csv,
    write_workbook,
)
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import make_folder
from newsdesk.types import Judgment, Value

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


SheetFormat = Literal["xlsx", "csv"]

_READ = {".xlsx": read_workbook, ".xlsm": read_workbook, ".csv": read_csv}
_UNREAD = (".xls", ".xlsb", ".xltx", ".ods", ".fods", ".numbers", ".tsv", ".pdf", ".docx", ".html")
_WRITE = {"xlsx": write_workbook, "csv": write_csv}
# Of a file name, on some system: characters, and names of devices.
_UNFIT = re.compile(r'^\.|[. ]$|[/\\%:*?"<>|\x00-\x1f]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)
_LONGEST_FILE_NAME = 180  # bytes, of 255 that file systems take


@dataclass(frozen=True, slots=True)
class WrittenSheet:
    """A sheet on disk; `cut` of its texts exceed a cell and were cut."""

    annotator: str
    path: Path
    tasks: int
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing one file: counts of judgments, faults, conflicts and warnings."""

    file: str
    new: int
    corrected: int
    unchanged: int
    faults: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()
    warnings: tuple[str, ...] = ()
    number: int | None = None  # of the import in the store
    seal: SealState | None = None  # of a sheet

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object: file, counts, faults, conflicts and warnings."""
        counts = {"new": self.new, "corrected": self.corrected, "unchanged": self.unchanged}
        conflicts = [asdict(conflict) for conflict in self.conflicts]
        told = {
            "faults": list(self.faults),
            "conflicts": conflicts,
            "warnings": list(self.warnings),
        }
        return {"file": self.file, **counts, **told, "import": self.number, "seal": self.seal}


def write_sheets(
    store: Store,
    campaign: str,
    folder: str | os.PathLike[str],
    *,
    format: SheetFormat = "xlsx",
    layout: Layout = "rows",
    overwrite: bool = False,
    progress: Callable[[WrittenSheet], None] | None = None,
) -> list[WrittenSheet]:
    """Hand out open slots and write one blinded sheet per annotator.

    No sheet is written if one of them exists already. The layout `guide` has a ranking in one row,
    as the guide for human evaluators.

    `progress` is called with every sheet once it is on disk.
    """
    # An unknown name or a layout of other protocols leaves no folder behind.
    check_layout(layout, store.campaign(campaign).protocol)
    place = make_folder(folder)
    store.hand_out(campaign)
    sheets = {
        name: replace(sheet, layout=layout) for name, sheet in sheets_of(store, campaign).items()
    }
    # Names that differ in case alone, which earlier versions took, are one file on some systems.
    taken: Counter[str] = Counter()
    paths = {}
    for annotator in sheets:
        name = _file_name(annotator)
        taken[name.casefold()] += 1
        copy = f"%{taken[name.casefold()]}" if taken[name.casefold()] > 1 else ""
        paths[annotator] = place / f"{name}{copy}.{format}"
    _check_writable(paths.values(), overwrite=overwrite)
    written = []
    for annotator, sheet in sheets.items():
        _WRITE[format](paths[annotator], sheet, overwrite=overwrite)
        cut = cut_texts(sheet)
        written.append(WrittenSheet(annotator, paths[annotator], len(sheet.rows), cut))
        if progress is not None:
            progress(written[-1])
    return written


def _file_name(annotator: str) -> str:
    """Return a unique file name for an annotator's sheet; it cannot leave the folder, and fits everywhere."""
    name = _UNFIT.sub(lambda unfit: f"%{ord(unfit[0]):02X}", annotator)
    name = _DEVICE.sub(lambda device: f"%{ord(device[0][0]):02X}{device[0][1:]}", name)
    content = name.encode()
    if len(content) <= _LONGEST_FILE_NAME:
        return name
    digest = hashlib.sha256(content).hexdigest()[:16]
    return f"{content[:_LONGEST_FILE_NAME].decode(errors='ignore')}%{digest}"


def _check_writable(paths: Iterable[Path], *, overwrite: bool) -> None:
    for path in paths:
        if path.is_dir():
            raise FileError(f"{path}: is a folder, not a file")
        if path.is_file() and not overwrite:
            raise FileError(f"{path}: exists already; add --force to replace it")


def sheets_of(store: Store, campaign: str) -> dict[str, Sheet]:
    """Return the sheets of all annotators who are not excluded, by name, with their answers so far."""
    articles = store.articles(campaign)
    return {
        name: sheet_of(store, campaign, name, articles) for name in _annotators(store, campaign)
    }


def sheet_of(
    store: Store, campaign: str, annotator: str, articles: Mapping[str, str] | None = None
) -> Sheet:
    """Return the sheet of one annotator with their answers; `articles` saves reading them again."""
    answers: dict[str, dict[tuple[str, str], Value]] = defaultdict(dict)
    revisions: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for (task, target, question), (value, seq) in store.cells(campaign, annotator).items():
        answers[task][target, question] = value
        revisions[task][target, question] = seq
    texts = store.articles(campaign) if articles is None else articles
    assignments = store.assignments(campaign, annotator)
    rows = tuple(
        SheetRow(
            assigned.task,
            assigned.slot.order,
            # What was withdrawn to open a task again is not shown as an answer.
            answers[assigned.task.id] if assigned.state == "done" else {},
            revisions[assigned.task.id],
            texts.get(assigned.task.item, ""),
        )
        for assigned in sorted(assignments, key=lambda each: each.slot.position)
        if assigned.state != "void"
    )
    form = store.campaign(campaign).protocol
    # Earlier versions took names that no line can show: such a sheet is called after its id in exports.
    who = annotator if annotator.isprintable() else store.annotator_id(campaign, annotator)
    return Sheet(campaign, who, form, rows, store.sheet_key(campaign))


def _annotators(store: Store, campaign: str) -> list[str]:
    return [who.name for who in store.status(campaign).annotators if who.excluded_at is None]


def import_files(
    store: Store,
    campaign: str,
    files: Sequence[str | os.PathLike[str]],
    *,
    at: str,
    prefer: Side | None = None,
    systems: Systems | None = None,
    annotator: str | None = None,
    trust_unsealed: bool = False,
    by: str = "",
) -> list[Imported]:
    """Import returned sheets (.xlsx, .xlsm, .csv), wide tables of ranks and files of judgments.

    `at` is the timestamp of answers from sheets. In a wide table, which is not a sheet of ours, `systems` has the system that each column of outputs
    stands for, unless its name says it, and `annotator` is who gave the ranks, unless a column says it.

    Importing is idempotent. Nothing is imported if a sheet cannot be read or two sheets belong to one annotator. `prefer` decides conflicts of
    sheets with newer answers: `theirs` for the sheet, `ours` for the store; without it they are listed and kept. A sheet whose seal is missing or does not
    fit is refused unless `trust_unsealed`. Every file is recorded as an import, `by` whom (`Store.imports`, `Store.undo_import`).
    """
    store.campaign(
        campaign
    )  # an unknown name is reported before anything that is wrong with a file
    names = [os.fspath(file) for file in files]
    sheets = {
        name: _READ[ending](name, foreign=True)
        for name in dict.fromkeys(names)
        if (ending := _sheet_ending(name))
    }
    _refuse_two_of_one({name: filled for name, filled in sheets.items() if filled.ours})
    results = []
    for name in names:
        filled = sheets.get(name)
        if filled is None:
            source = ImportSource(Path(name).name, _file_hash(name), by, at)
            results.append(_stored(store, campaign, name, records.read(name, Judgment), source))
        elif filled.ours:
            results.append(
                import_sheet(
                    store, campaign, filled,
                    at=at, prefer=prefer, trust_unsealed=trust_unsealed, by=by,
                )
            )  # fmt: skip
        else:
            form, tasks = store.campaign(campaign).protocol, store.tasks(campaign)
            ranks = wide_ranks(
                filled, campaign, form, tasks, at=at, systems=systems, annotator=annotator
            )
            faults = tuple(f"sheet {fault}" for fault in ranks.faults)
            source = ImportSource(Path(name).name, _file_hash(name), by, at, annotator)
            results.append(_stored(store, campaign, name, ranks.judgments, source, faults))
    return results


def _sheet_ending(file: str) -> str | None:
    """Return the ending of a sheet that can be read; None for a file of judgments."""
    ending = Path(file).suffix.lower()
    if ending in _UNREAD:
        raise FileError(f"{file}: {ending} files are not read; save it as .xlsx or .csv")
    return ending if ending in _READ else None


def _refuse_two_of_one(sheets: Mapping[str, Filled]) -> None:
    """Refuse two different sheets of one annotator in one import."""
    file_of: dict[tuple[str, str], str] = {}
    for file, filled in sheets.items():
        other = file_of.setdefault((filled.campaign, filled.annotator), file)
        if other != file:
            raise ArgumentError(
                f"{other} and {file} are both sheets of {filled.annotator!r}; import one of them"
            )


def import_sheet(
    store: Store,
    campaign: str,
    filled: Filled,
    *,
    at: str,
    prefer: Side | None = None,
    trust_unsealed: bool = False,
    by: str = "",
) -> Imported:
    """Import one returned sheet, answered `at` a time; `prefer` decides conflicts with newer answers.

    A sheet without its seal is refused unless `trust_unsealed`, or its campaign is of an earlier version, which wrote none.
    """
    if filled.campaign != campaign:
        raise DataError(
            f"a sheet of the campaign {filled.campaign!r}, not of {campaign!r}", file=filled.file
        )
    everybody = store.status(campaign).annotators
    own_name = next(
        (
            who.name
            for who in everybody
            if who.excluded_at is None and filled.annotator in (who.name, who.id)
        ),
        None,
    )
    if own_name is None:
        raise DataError(
            f"{filled.annotator!r} is not an annotator of {campaign!r}", file=filled.file
        )
    sheet = sheet_of(store, campaign, own_name)
    state = _seal_state(store, filled, sheet, trust=trust_unsealed)
    returned = check(filled, sheet, unkeyed=state != "sealed")
    rows = {row.task.id: row for row in sheet.rows}
    judgments = [
        judgment
        for answer in returned.answers
        for judgment in _judgments(sheet, rows[answer.task], answer, at)
    ]
    bases = {answer.task: answer.revisions for answer in returned.answers}
    file = Path(filled.file)
    source = ImportSource(file.name, _file_hash(filled.file), by, at, own_name, state)
    merged = store.merge_sheet(campaign, judgments, bases, prefer=prefer, at=at, source=source)
    stored = merged.stored
    faults = [f"sheet {fault}" for fault in returned.faults]
    faults += [f"task {each.task!r}: {each.reason}" for each in stored.rejected]
    warnings = tuple(f"sheet {warning}" for warning in returned.warnings)
    if state != "sealed":
        warnings += ("not sealed: nothing proves that these are the answers of its annotator",)
    return Imported(
        filled.file,
        new=stored.new,
        corrected=stored.corrected,
        unchanged=stored.unchanged,
        faults=tuple(faults),
        conflicts=merged.conflicts,
        warnings=warnings,
        number=merged.number,
        seal=state,
    )


def _seal_state(store: Store, filled: Filled, sheet: Sheet, *, trust: bool) -> SealState:
    """Return whether a sheet is sealed, unsealed as those of earlier versions, or trusted; else refuse it."""
    if sealed(filled, sheet):
        return "sealed"
    if trust:
        return "trusted"
    if not filled.seal and not store.campaign(sheet.campaign).sealed:
        return "unsealed"
    problem = (
        "its seal does not fit: its head or its rows are not those that were written"
        if filled.seal
        else "it has no seal"
    )
    raise DataError(
        f"not the sheet that was written for {filled.annotator!r}: {problem}; write the sheet anew, or add --trust-unsealed if you know that the answers are theirs",
        file=filled.file,
    )


def _file_hash(file: str) -> str | None:
    """Return the SHA-256 of a file; None for what cannot be read twice."""
    if not Path(file).is_file():
        return None
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _stored(
    store: Store,
    campaign: str,
    file: str,
    judgments: Iterable[Judgment],
    source: ImportSource,
    faults: tuple[str, ...] = (),
) -> Imported:
    """Store judgments of many annotators; what is rejected is a fault, too."""
    merged = store.import_file(campaign, judgments, source)
    stored = merged.stored
    faults += tuple(
        f"task {each.task!r} of {each.annotator!r}: {each.reason}" for each in stored.rejected
    )
    return Imported(
        file,
        new=stored.new,
        corrected=stored.corrected,
        unchanged=stored.unchanged,
        faults=faults,
        warnings=stored.warnings,
        number=merged.number,
    )


def _judgments(sheet: Sheet, row: SheetRow, answered: TaskAnswers, at: str) -> list[Judgment]:
    """Return the answers to one task as judgments."""
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
