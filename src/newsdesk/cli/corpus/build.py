"""`newsdesk corpus build`: all steps of a corpus from one file of settings."""

from __future__ import annotations

from pathlib import Path

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.corpus.articles import running
from newsdesk.cli.progress import drawn
from newsdesk.jsonl import json_text


@click.command("build")
@click.argument("settings", metavar="CORPUS.TOML")
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to build in.")
@running
@options.as_json
@click.option("--force", is_flag=True, help="Drop the articles of inputs that are no longer named.")
def build_command(
    settings: str,
    out: str,
    engine: str,
    workers: int,
    timeout_s: float,
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Run all steps: events, articles, duplicates, clusters, data sets and statistics, with a page that counts every loss.

    A stopped build resumes; after a change of inputs or settings only what depends on it is computed again. The exit code is 3 if a page or
    record was damaged or could not be parsed.

    \b
    Example:
      newsdesk corpus build corpus.toml -o corpus/
    """
    from newsdesk.corpus.build.run import build
    from newsdesk.corpus.build.settings import read_settings
    from newsdesk.work import Running

    with drawn("build") as report:
        done = build(
            read_settings(settings),
            out,
            root=Path(settings).parent,
            running=Running(engine, workers, timeout_s, report),
            tell=lambda step: click.echo(step, err=True),
            overwrite=force,
        )
    if as_json:
        text = json_text({"steps": [stage.tally.as_json() for stage in done.stages]})
    else:
        table = accounts_table(
            *((f"{each.tally.step}: {each.unit}", each.tally) for each in done.stages)
        )
        text = f"{table}\n{done.folder / 'index.html'}"
    click.echo(text.encode("utf-8"))
    return 3 if done.rejected else 0
