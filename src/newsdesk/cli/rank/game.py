"""`newsdesk rank game`: the gaming test of a fitted ranker."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.rank.measures import number
from newsdesk.cli.table import table
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.jsonl import json_text


@click.command("game")
@click.argument("model")
@click.argument("threads")
@click.option(
    "--kinds",
    metavar="NAMES",
    help="Styles of filler, comma-separated, each with :prepend or :interleave if it is not appended; all: every style in every place. Default: four styles.",
)
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
@reads_threads
def game_command(
    model: str,
    threads: str,
    kinds: str | None,
    samples: int,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Test whether filler text moves weak comments above better ones: the share of pairs whose order it reverses.

    \b
    Example:
      newsdesk rank game model/ threads.jsonl
    """
    from newsdesk.cli.progress import library_warnings
    from newsdesk.rankers.evaluation.gaming import KINDS, PLACES, game as try_filler, styles
    from newsdesk.rankers.ready import Models

    refuse_existing(out, force=force)
    models = Models(model)
    every = [f"{style}:{place}" for style in styles() for place in PLACES]
    chosen = every if kinds == "all" else kinds.split(",") if kinds else KINDS
    read = list(files.read(threads))
    loaded = models.one(read)
    with library_warnings():
        fillers = try_filler(loaded, models.checked(read), chosen, samples=samples, seed=seed)
    if as_json:
        text = json_text({"fillers": [filler.as_json(loaded.name) for filler in fillers]})
    else:
        cells = [[filler.kind, number(filler.share, filler.ci), filler.pairs] for filler in fillers]
        lines = [table(["filler", "now wrong", "pairs right before"], cells), ""]
        text = "\n".join([*lines, *(filler.signature for filler in fillers)])
    show(out, text, force=force)
