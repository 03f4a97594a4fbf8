"""`newsdesk comment verify`: whether suggestions are as they were sealed."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import show


@click.command("verify")
@click.argument("file", type=options.INPUT)
@click.option(
    "--key",
    metavar="FILE",
    help="Key to trust (PEM); suggestions sealed with another key are refused.",
)
@options.as_json
@options.printed
@options.force
def verify_command(file: str, key: str | None, out: str, *, as_json: bool, force: bool) -> None:
    """Check the seals of suggestions that `comment suggest` wrote, and name every altered field.

    The exit code is 1 if a suggestion cannot be trusted.

    \b
    Example:
      newsdesk comment verify suggestions.jsonl
    """
    from newsdesk.cli.table import Cell, table
    from newsdesk.commenters.suggestion import public_key, read_rows, verify_all
    from newsdesk.errors import DataError
    from newsdesk.jsonl import json_text
    from newsdesk.wording import plural

    trusted = public_key(key) if key else None
    verdicts = list(verify_all(read_rows(file), trusted))
    rows: list[list[Cell]] = [
        [verdict.number, verdict.article, str(verdict)] for verdict in verdicts
    ]
    printed = table(["suggestion", "article", "verdict"], rows)
    if as_json:
        printed = json_text({"suggestions": [verdict.as_json() for verdict in verdicts]})
    show(out, printed, force=force)
    bad = [verdict for verdict in verdicts if not verdict.good]
    if bad:
        count = f"{len(bad)} of {plural(len(verdicts), 'suggestion')}"
        first = (
            f"suggestion {bad[0].number} is {bad[0]}"
            if bad[0].altered
            else f"suggestion {bad[0].number}: {bad[0]}"
        )
        raise DataError(f"{count} cannot be trusted; {first}", file=file)
