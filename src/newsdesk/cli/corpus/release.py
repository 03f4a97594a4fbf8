"""`newsdesk corpus release`: a corpus by address and hash, or with texts under a licence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.corpus.release.release import Release


@click.command("release")
@click.argument("corpus", metavar="CORPUS")
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to write to.")
@click.option("--name", metavar="NAME", help="Name of the data set; default: that of the folder.")
@click.option("--text", is_flag=True, help="Include titles, authors and texts; needs --license.")
@click.option(
    "--license",
    metavar="SPDX",
    help="Licence of the release as an SPDX identifier, such as CC-BY-4.0.",
)
@options.as_json
@options.force
def release_command(
    corpus: str,
    out: str,
    name: str | None,
    license: str | None,
    *,
    text: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Release the records of a corpus folder: addresses and hashes, a data card, Croissant metadata, Parquet tables.

    The folder is also a data set for `datasets.load_dataset`. Texts are left out unless --text and --license are set.

    \b
    Example:
      newsdesk corpus release corpus/ --name calverra -o release/
    """
    from newsdesk.corpus.release.release import write_release
    from newsdesk.jsonl import json_text

    release = write_release(corpus, out, name=name, text=text, license=license, overwrite=force)
    shown = json_text({"files": _rows(release)}) if as_json else _as_table(release)
    click.echo(shown.encode("utf-8"))


def _rows(release: Release) -> list[dict[str, Any]]:
    return [
        {"file": file.name, "type": file.type, "records": file.records, "table": file.data}
        for file in release.files
    ]


def _as_table(release: Release) -> str:
    from newsdesk.cli.table import table

    rows = [[row["file"], row["type"], row["records"], row["table"]] for row in _rows(release)]
    return table(["file", "record", "records", "table"], rows)
