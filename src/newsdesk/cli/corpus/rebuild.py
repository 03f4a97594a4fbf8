"""`newsdesk corpus rebuild`: the corpus that a release describes, proved by its hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.corpus.articles import running
from newsdesk.cli.progress import drawn
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.release.rebuild import Rebuilt


@click.command("rebuild")
@click.argument("release", metavar="RELEASE")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to build in.")
@click.option("--forgotten", metavar="DIR", help="Corpus folder whose forgotten pages are refused.")
@running
@options.as_json
@options.force
def rebuild_command(
    release: str,
    inputs: tuple[str, ...],
    out: str,
    forgotten: str | None,
    engine: str,
    workers: int,
    timeout_s: float,
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Rebuild the corpus of a release from crawled pages and verify every article by its hash.

    Inputs are WARC files, folders of HTML or files of records. Pages that are gone or changed are listed in missing.jsonl, and
    the exit code is then 3.

    \b
    Example:
      newsdesk corpus rebuild release/ crawl/ -o again/
    """
    from newsdesk.corpus.release.rebuild import rebuild
    from newsdesk.work import Running

    with drawn("rebuild") as report:
        done = rebuild(
            release,
            inputs,
            out,
            running=Running(engine, workers, timeout_s, report),
            forgotten=forgotten,
            overwrite=force,
        )
    text = json_text(_as_json(done)) if as_json else _as_table(done)
    click.echo(text.encode("utf-8"))
    return 3 if done.articles.dropped else 0


def _as_json(done: Rebuilt) -> dict[str, Any]:
    from dataclasses import asdict

    tallies = [each for each in (done.pages, done.articles, done.clusters) if each]
    return {
        "steps": [tally.as_json() for tally in tallies],
        "files": [asdict(file) for file in done.files],
    }


def _as_table(done: Rebuilt) -> str:
    from newsdesk.cli.table import table

    steps = [("articles of the release", done.articles), ("clusters", done.clusters)]
    if done.pages:
        steps.insert(0, ("pages", done.pages))
    rows = [
        [file.name, file.released, file.records, "yes" if file.identical else "no"]
        for file in done.files
    ]
    return (
        f"{accounts_table(*steps)}\n\n{table(['file', 'released', 'records', 'identical'], rows)}"
    )
