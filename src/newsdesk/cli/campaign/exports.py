"""Write what a campaign holds: judgments, weighted references, gains, pairs, and its report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import models_option, opens_store, question_option, store_option
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

_exported = options.group(options.out, options.force, models_option, opens_store)


@click.command("judgments")
@click.argument("name")
@flag("--history", "Write every stored row, not only the latest of each key.")
@_exported
def judgments_command(name: str, out: str, *, store: Store, history: bool, force: bool) -> None:
    """Write the judgments, with annotators as keyed hashes.

    \b
    Example:
      newsdesk campaign judgments pilot -o judgments.jsonl
    """
    judgments = store.judgments(name, current=not history, include_excluded=history)
    _write(out, judgments, "judgment", force=force)


@click.command("weights")
@click.argument("name")
@option(
    "--weights",
    "how",
    "Map from a value g to a weight: minmax, (g - lo) / (hi - lo); max, g / hi; itemmax, g / best of the item.",
    type=click.Choice(["minmax", "max", "itemmax"]),
    default="minmax",
    metavar="MAPPING",
)
@question_option
@_exported
def weights_command(
    name: str, how: Any, question: str | None, out: str, *, store: Store, force: bool
) -> None:
    """Write the judged texts as weighted references.

    Weights are mean grades, shares of yes votes, or shares of the other systems ranked below.

    \b
    Example:
      newsdesk campaign weights pilot --weights minmax -o references.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.wording import plural

    weighted = campaigns.weights(store, name, how=how, question=question)
    count = records.write(out, weighted.references, overwrite=force)
    click.echo(
        f"{plural(count, 'item')} with references, weights {weighted.weighting.signature}", err=True
    )


@click.command("gains")
@click.argument("name")
@input_file(
    "--threads",
    "Judged threads, from which articles, likes, times, positions, parents and authors are copied; without them an article has only its id.",
)
@question_option
@_exported
@reads_threads
def gains_command(
    name: str,
    threads: str | None,
    question: str | None,
    out: str,
    *,
    store: Store,
    files: ThreadFiles,
    force: bool,
) -> None:
    """Write the judged comments as threads with scores, or as TREC qrels.

    Threads have score, yes and votes; an output file whose name ends in .qrels gets TREC qrels with integer gains.

    \b
    Example:
      newsdesk campaign gains pilot -o gains.jsonl
    """
    from newsdesk import campaigns
    from newsdesk.files import write_text

    if out.endswith(".qrels"):
        lines = campaigns.qrels(store, name, question=question)
        write_text(out, "".join(f"{line}\n" for line in lines), overwrite=force)
        return
    judged = files.read(threads) if threads else ()
    _write(out, campaigns.gains(store, name, judged, question=question), "thread", force=force)


@click.command("pairs")
@click.argument("name")
@option("--margin", "Smallest difference of means in a pair.", default=0.0)
@question_option
@_exported
def pairs_command(
    name: str, margin: float, question: str | None, out: str, *, store: Store, force: bool
) -> None:
    """Write training pairs: two targets of an item, the better one first.

    \b
    Example:
      newsdesk campaign pairs pilot --margin 0.2 -o pairs.jsonl
    """
    from newsdesk import campaigns

    pairs = campaigns.pairs(store, name, least_margin=margin, question=question)
    _write(out, pairs, "pair", force=force)


@click.command("report")
@click.argument("name")
@input_file("--threads", "Judged threads, to compare votes with likes.")
@options.seed
@option("-o", "--out", "Output file: the page (.html), or with --json the JSON.", metavar="FILE")
@flag("--json", "as_json", "Print JSON instead of writing a page.")
@options.force
@models_option
@store_option
@reads_threads
def report_command(
    name: str,
    threads: str | None,
    seed: int,
    out: str | None,
    url: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    include_models: bool,
    force: bool,
) -> None:
    """Write an HTML report: results, agreement, progress, annotators and a datasheet.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    if out is None and not as_json:
        raise click.UsageError("name the page with -o NAME.html, or add --json")
    from newsdesk import campaigns
    from newsdesk.cli.emit import refuse_existing, show
    from newsdesk.jsonl import json_text

    if out not in (None, "-"):
        refuse_existing(str(out), force=force)
    with campaigns.Store.open(url, create=False, include_models=include_models) as store:
        judged = files.read(threads) if threads else ()
        if as_json:
            text = json_text(campaigns.report_content(store, name, seed=seed))
        else:
            text = campaigns.report_page(store, name, judged, seed=seed)
    show(out or "-", text.rstrip("\n"), force=force)


def _write(out: str, rows: Iterable[Any], noun: str, *, force: bool) -> None:
    """Write records, and say how many there were."""
    from newsdesk import records
    from newsdesk.wording import plural

    click.echo(plural(records.write(out, rows, overwrite=force), noun), err=True)
