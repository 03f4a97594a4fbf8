"""`newsdesk corpus split`: a chronological split with no date in two parts."""

from __future__ import annotations

from pathlib import Path

import click

from newsdesk.cli import options


@click.command("split")
@click.argument("clusters", type=options.READ_TWICE)
@click.option(
    "--shares",
    default="80,10,10",
    show_default=True,
    metavar="N,N,N",
    help="Shares of train, val and test, in percent.",
)
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder for the parts.")
@options.as_json
@options.force
def split_command(clusters: str, shares: str, out: str, *, as_json: bool, force: bool) -> None:
    """Split clusters by date into train, val and test, with a manifest.

    \b
    Example:
      newsdesk corpus split clusters.jsonl -o parts/
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.cli.table import table
    from newsdesk.corpus.splits import PARTS, day_of, selected, split_days
    from newsdesk.files import make_folder
    from newsdesk.jsonl import json_text
    from newsdesk.types import Cluster

    split = split_days(
        (day_of(each) for each in reading(records.read(clusters, Cluster), "dates")),
        _shares(shares),
    )
    folder = make_folder(out)
    files: list[tuple[Path, int | None]] = []
    for part in PARTS:
        members = selected(records.read(clusters, Cluster), split=split, part=part)
        files.append((folder / f"{part}.jsonl", 0))
        count = records.write(files[-1][0], members, overwrite=force)
        files[-1] = (files[-1][0], count)
    spec = f"split(shares={shares!r})"
    records.write_manifest(folder / "manifest.json", files, spec=spec, overwrite=force)
    periods = {
        part: sorted(day for day, each in split.part_of_day.items() if each == part)
        for part in PARTS
    }
    rows = [
        {"part": part, "clusters": count, "from": periods[part][0], "to": periods[part][-1]}
        for part, (_, count) in zip(PARTS, files, strict=True)
    ]
    if as_json:
        click.echo(json_text({"parts": rows}))
    else:
        click.echo(table(list(rows[0]), [list(row.values()) for row in rows]))


def _shares(text: str) -> list[float]:
    try:
        numbers = [float(each) for each in text.replace("/", ",").split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not three numbers like 80,10,10.", param_hint="--shares"
        ) from None
    total = sum(numbers)
    return [number / total for number in numbers] if total else numbers
