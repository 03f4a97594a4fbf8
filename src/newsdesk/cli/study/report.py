"""Report results as one page (`newsdesk study report`), and check the numbers of papers (`newsdesk study claims`)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, note, refuse_existing
from newsdesk.cli.options import flag, option

if TYPE_CHECKING:
    from newsdesk.studies.claims import CheckedNumber, ClaimsFile


@click.command("claims")
@click.argument("claims", nargs=-1, required=True, metavar="CLAIMS...")
@option("--only", "Check only claims whose ids begin with this.", default="", metavar="PREFIX")
@option("--data-dir", "Folder of the data; default: that of the claims file.", metavar="DIR")
@option(
    "--data-file",
    "data_files",
    "File of one data set; repeatable.",
    multiple=True,
    metavar="NAME=FILE",
)
@flag("--simulated", "Run the claims of the paper on simulated data where none is named.")
@option(
    "--work", "Folder to run commands in, which is kept; default: a temporary one.", metavar="DIR"
)
@option("--timeout-s", "Time limit of one command, in seconds.", default=600.0)
@emits
def claims_command(
    claims: tuple[str, ...],
    only: str,
    data_dir: str | None,
    data_files: tuple[str, ...],
    work: str | None,
    timeout_s: float,
    *,
    simulated: bool,
    emit: Emit,
) -> int:
    """Check the numbers of a paper: reproduced, drifted, or not obtainable and why.

    CLAIMS is a TOML file, or the name of one that comes with newsdesk. Only newsdesk itself is run, and it writes into a working folder alone. Exit code 3 if
    a number drifted or could not be obtained although the file says that it can.

    \b
    Example:
      newsdesk study claims gholipour-2020
      newsdesk study claims gholipour-2020 --data-file clusters=wcep/ --only table3
    """
    from newsdesk.cli.progress import drawn
    from newsdesk.studies.claims import check_claims, check_places, read_claims
    from newsdesk.studies.claims.result import claims_json

    files = dict(map(_data_file, data_files))
    listed = [read_claims(claim) for claim in claims]
    check_places(files, listed)
    checked = []
    with drawn("claims") as progress:
        for file in listed:
            checked += check_claims(
                file,
                only=only,
                data_folder=data_dir,
                places=files,
                simulated=simulated,
                work=work,
                timeout_s=timeout_s,
                progress=progress,
            )
    if not checked:
        raise click.BadParameter(f"no claim begins with {only!r}", param_hint="--only")
    emit(
        checked,
        lambda checked: _claims_table(checked, listed),
        claims_json,
        page="Claims checked",
        command=f"newsdesk study claims {shlex.join(claims)}",
    )
    return 3 if any(claim.fails for claim in checked) else 0


def _data_file(text: str) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    if not equals or not file:
        raise click.BadParameter(f"{text!r} is not like NAME=FILE", param_hint="--data-file")
    return name, file


def _claims_table(checked: Sequence[CheckedNumber], listed: Sequence[ClaimsFile]) -> str:
    from newsdesk.results.table import table
    from newsdesk.studies.claims.result import claim_rows, notes, summary

    header = ["claim", "where", "numbers", "answer"]
    return "\n".join([table(header, claim_rows(checked)), "", summary(checked), *notes(listed)])


@click.command("report")
@click.argument("results", nargs=-1, required=True, metavar="DIR|FILE...")
@option("--title", "Title of the page.", default="Study report")
@option("--date", "Date on the page; none: no date. Default: today.", metavar="DATE")
@option(
    "--tables", "Also write every table to this folder as Markdown, LaTeX and CSV.", metavar="DIR"
)
@option("-o", "--out", "Output file (.html).", required=True, metavar="FILE")
@options.force
def report_command(
    results: tuple[str, ...],
    title: str,
    date: str | None,
    tables: str | None,
    out: str,
    *,
    force: bool,
) -> None:
    """Write results of other commands as one self-contained page: verdict, plots, tables, commands.

    Reads what other commands print with --json, and threads with scores, in files or folders; each is recognised by its content.

    \b
    Example:
      newsdesk study report scores.json rankers.json -o report.html
    """
    from datetime import date as day

    from newsdesk.files import write_text
    from newsdesk.studies.report import read_report
    from newsdesk.wording import plural

    refuse_existing(out, force=force)
    report = read_report(results)
    shown = {None: f"Written {day.today().isoformat()}.", "none": ""}.get(date, f"Written {date}.")
    write_text(out, report.html(title, date=shown), overwrite=force)
    click.echo(f"wrote {out}: {plural(len(report.chapters), 'result')}", err=True)
    if tables:
        written = report.write_tables(tables, overwrite=force)
        click.echo(f"wrote {plural(len(written), 'file')} to {tables}", err=True)
    for name in report.unused:
        note(f"{name} is no result that a report knows")
