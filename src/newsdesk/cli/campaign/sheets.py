"""Exchange sheets with annotators: write them, import what comes back, and decide conflicts."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import now, opens_store, side_option, systems_of, systems_option
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import flag, option
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.exchange import WrittenSheet
    from newsdesk.campaigns.store import Store


_IMPORTED = ("number", "at", "by", "file", "annotator", "seal", "new", "corrected", "unchanged", "sha256", "taken back")  # fmt: skip
_COLUMNS = ("task", "annotator", "shown", "question", "ours", "theirs")


@click.command("import")
@click.argument("name")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@side_option
@systems_option
@option("--annotator", "Annotator whose ranks a wide table holds.", metavar="NAME")
@flag(
    "--trust-unsealed",
    "Import sheets whose seal is missing or does not fit; the import is marked as trusted.",
)
@opens_store
@options.as_json()
def import_command(
    name: str,
    files: tuple[str, ...],
    prefer: Any,
    systems: str | None,
    annotator: str | None,
    *,
    store: Store,
    trust_unsealed: bool,
    as_json: bool,
) -> int:
    """Import returned workbooks, CSV files, wide tables or judgments (idempotent).

    Valid rows are stored; every fault is listed with its sheet, row and column. A cell that contradicts an answer given since the sheet
    was written is a conflict: it is listed with both values and kept for `newsdesk campaign conflicts`, unless --theirs or --ours decides. The exit code
    is 3 where there was a fault or a conflict. A sheet whose seal is missing or does not fit is refused: its head or its rows are not those that were written for its
    annotator. `newsdesk campaign imports` lists what was imported, and takes it back. A table that is not a sheet of ours (.xlsx, .csv) holds ranks in columns named after a question and a system, such as "overall lead".

    \b
    Example:
      newsdesk campaign import pilot sheets/annotator-1.xlsx
    """
    from newsdesk import campaigns

    results = campaigns.import_files(
        store,
        name,
        files,
        at=now(),
        prefer=prefer,
        systems=systems_of(systems),
        annotator=annotator,
        trust_unsealed=trust_unsealed,
        by=_user(),
    )
    if as_json:
        from newsdesk.jsonl import json_text

        click.echo(json_text({"files": [result.as_json() for result in results]}))
    for result in results:
        for fault in result.faults:
            click.secho(f"{result.file}: {fault}", err=True, fg="red")
        for warning in result.warnings:
            click.secho(f"{result.file}: warning: {warning}", err=True, fg="yellow")
        for conflict in result.conflicts:
            click.secho(f"{result.file}: conflict: {conflict}", err=True, fg="red")
        if not as_json:
            click.echo(
                f"{result.file}: {result.new} new, {result.corrected} corrected, {result.unchanged} unchanged"
            )
    return 3 if any(result.faults or result.conflicts for result in results) else 0


@click.command("imports")
@click.argument("name")
@options.whole_number("--undo", "Number of an import to take back.")
@opens_store
@emits
def imports_command(name: str, undo: int | None, *, store: Store, emit: Emit) -> None:
    """List the imported files of a campaign, or take one back as a whole.

    Each has its number, time, who imported it, file, SHA-256, annotator, seal and counts of judgments. With --undo the answers of an import are replaced by
    those of before, and tasks that had none are open again; a task that was answered since keeps its answers.

    \b
    Example:
      newsdesk campaign imports pilot
    """
    from newsdesk.results.table import table

    if undo is not None:
        back = store.undo_import(name, undo, at=now(), by=_user())
        kept = f", {plural(back.kept, 'task')} answered since" if back.kept else ""
        tasks, answers = plural(back.tasks, "task"), plural(back.answers, "answer")
        click.echo(f"import {undo} taken back: {answers} of {tasks} as before{kept}", err=True)
    emit(
        [record.as_json() for record in store.imports(name)],
        lambda rows: table(_IMPORTED, [_import_row(row) for row in rows]),
        lambda rows: {"imports": rows},
    )


def _import_row(record: dict[str, Any]) -> tuple[Any, ...]:
    """Return an import as a row of the table: its hash is cut."""
    return (*(record[name] for name in _IMPORTED[:-2]), str(record["sha256"] or "")[:12], record["undone_at"])  # fmt: skip


def _user() -> str:
    """Return who runs the command, as the record of an import names them."""
    try:
        return f"command: {getpass.getuser()}"
    except (KeyError, OSError):  # a user without a name
        return "command"


@click.command("conflicts")
@click.argument("name")
@option("--annotator", "List only the conflicts of this annotator.", metavar="NAME")
@side_option
@opens_store
@emits
def conflicts_command(
    name: str, annotator: str | None, prefer: Any, *, store: Store, emit: Emit
) -> None:
    """List or resolve conflicts: cells of imported sheets that contradict newer answers.

    A newer answer is one given after the sheet was written. --theirs stores the sheets' answers, --ours keeps the stored ones; without either
    the conflicts are only listed.

    \b
    Example:
      newsdesk campaign conflicts pilot
    """
    from newsdesk.results.table import table

    conflicts = store.conflicts(name, annotator)
    if prefer is not None:
        stored = store.resolve(name, prefer, annotator, at=now())
        decided, corrected = (
            plural(len(conflicts), "conflict"),
            plural(stored.corrected, "judgment"),
        )
        click.echo(f"{decided} decided, {corrected} corrected", err=True)
    emit(
        conflicts,
        lambda rows: table(_COLUMNS, [tuple(getattr(row, c) for c in _COLUMNS) for row in rows]),
        lambda rows: {"conflicts": [asdict(row) for row in rows]},
    )


@click.command("sheets")
@click.argument("name")
@options.folder("Folder for one workbook per annotator.")
@flag("--csv", "as_csv", "Write CSV files instead of workbooks.")
@option(
    "--layout",
    "rows: a row for every text; guide: a row for every ranking, as in the guide for human evaluators (url, reference, A, B, …, then the ranks).",
    type=click.Choice(("rows", "guide")),
    default="rows",
)
@options.force
@opens_store
def sheets_command(
    name: str, out: str, layout: Any, *, store: Store, as_csv: bool, force: bool
) -> None:
    """Write one blinded workbook per annotator; the blinding key stays in the store.

    \b
    Example:
      newsdesk campaign sheets pilot -o sheets/
    """
    from newsdesk import campaigns

    form: Any = "csv" if as_csv else "xlsx"
    campaigns.write_sheets(
        store, name, out, format=form, layout=layout, overwrite=force, progress=_say
    )


def _say(sheet: WrittenSheet) -> None:
    cut = f"; {plural(sheet.cut, 'text')} cut to the length of a cell" if sheet.cut else ""
    click.echo(f"{sheet.annotator}: {plural(sheet.tasks, 'task')}{cut}", err=True)
