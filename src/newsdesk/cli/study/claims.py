"""`newsdesk study claims`: the numbers of a paper, checked by running the commands they are bound to."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show

if TYPE_CHECKING:
    from newsdesk.studies.claims import CheckedNumber, ClaimsFile


@click.command("claims")
@click.argument("claims", nargs=-1, required=True, metavar="CLAIMS...")
@click.option(
    "--only", default="", metavar="PREFIX", help="Check only claims whose ids begin with this."
)
@click.option(
    "--data-dir", metavar="DIR", help="Folder of the data; default: that of the claims file."
)
@click.option(
    "--data", "places", multiple=True, metavar="NAME=FILE", help="File of one data set; repeatable."
)
@click.option(
    "--work",
    metavar="DIR",
    help="Folder to run commands in, which is kept; default: a temporary one.",
)
@click.option(
    "--timeout-s", default=600.0, show_default=True, help="Time limit of one command, in seconds."
)
@options.as_json
@options.printed
@options.force
def claims_command(
    claims: tuple[str, ...],
    only: str,
    data_dir: str | None,
    places: tuple[str, ...],
    work: str | None,
    timeout_s: float,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Check the numbers of a paper: reproduced, drifted, or not obtainable and why.

    CLAIMS is a TOML file, or the name of one that comes with newsdesk. Only newsdesk itself is run, and it writes into a working folder alone. Exit code 3 if
    a number drifted or could not be obtained although the file says that it can.

    \b
    Example:
      newsdesk study claims gholipour-2020
    """
    from newsdesk.cli.progress import drawn
    from newsdesk.jsonl import json_text
    from newsdesk.studies.claims import check_claims, read_claims
    from newsdesk.studies.claims.result import claims_json

    files = dict(map(_place, places))
    if out != "-":
        refuse_existing(out, force=force)
    listed = [read_claims(claim) for claim in claims]
    checked = []
    with drawn("claims") as progress:
        for each in listed:
            checked += check_claims(
                each,
                only=only,
                data_folder=data_dir,
                places=files,
                work=work,
                timeout_s=timeout_s,
                progress=progress,
            )
    if not checked:
        raise click.BadParameter(f"no claim begins with {only!r}", param_hint="--only")
    content = claims_json(checked)
    if out.endswith(".html"):
        from newsdesk.studies.report import result_page

        text = result_page(content, f"newsdesk study claims {shlex.join(claims)}", "Claims checked")
    else:
        text = json_text(content) if as_json else _table(checked, listed)
    show(out, text, force=force)
    return 3 if any(each.fails for each in checked) else 0


def _place(text: str) -> tuple[str, str]:
    name, equals, place = text.partition("=")
    if not equals or not place:
        raise click.BadParameter(f"{text!r} is not like NAME=FILE", param_hint="--data")
    return name, place


def _table(checked: Sequence[CheckedNumber], listed: Sequence[ClaimsFile]) -> str:
    from newsdesk.cli.table import table
    from newsdesk.studies.claims.result import claim_rows, notes, summary

    header = ["claim", "where", "numbers", "answer"]
    return "\n".join([table(header, claim_rows(checked)), "", summary(checked), *notes(listed)])
