"""Exchange sheets with annotators: write them, import what comes back, and decide conflicts."""

from __future__ import annotations

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


_COLUMNS = ("task", "annotator", "shown", "question", "ours", "theirs")


@click.command("import")
@click.argument("name")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@side_option
@systems_option
@option("--annotator", "Annotator whose ranks a wide table holds.", metavar="NAME")
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
    as_json: bool,
) -> int:
    """Import returned workbooks, CSV files, wide tables or judgments (idempotent).

    Valid rows are stored; every fault is listed with its sheet, row and column. A cell that contradicts an answer given since the sheet
    was written is a conflict: it is listed with both values and kept for `newsdesk campaign conflicts`, unless --theirs or --ours decides. The exit code
    is 3 where there was a fault or a conflict. A table that is not a sheet of ours (.xlsx, .csv) holds ranks in columns named after a question and a system, such as "overall lead".

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
