"""`newsdesk summarize`: clusters in, one summary each out, and on request the trace that says how each came about.

With `--fit` the clusters are there to learn from, and a fitted method comes out.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from newsdesk.cli import options
from newsdesk.jsonl import json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsdesk.summarizers import Summarizer, Summary
    from newsdesk.types import Cluster, Output


@click.command("summarize")
@click.argument("clusters", type=options.INPUT)
@click.option("-m", "--method", required=True, help="A name or spec; `newsdesk list summarizers`.")
@click.option("--max-words", type=int, help="The limit in words, or in --unit; 40 when left out.")
@click.option("--unit", type=click.Choice(["words", "characters", "sentences"]))
@click.option("--order", type=click.Choice(["selection", "chronological"]))
@click.option("--redundancy", type=float, help="Reject at this share of known bigrams, 0 to 1.")
@click.option("--model", help="For methods that learn: a folder made by --fit, or hf:PATH.")
@click.option("--seed", default=0, show_default=True, help="Seed of the methods that draw.")
@click.option("--trace", metavar="FILE", help="Also write why each sentence was taken or not.")
@click.option("-o", "--out", default="-", show_default=True, help="Where the summaries go.")
@click.option("--fit", metavar="DIR", help="Learn from the clusters and save the method here.")
@click.option("--dev", type=options.INPUT, help="With --fit: clusters to choose open settings on.")
@click.option("--cache", metavar="DIR", help="With --fit: keep what was computed of clusters.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
def summarize_command(
    clusters: str,
    method: str,
    max_words: int | None,
    unit: str | None,
    order: str | None,
    redundancy: float | None,
    model: str | None,
    seed: int,
    trace: str | None,
    out: str,
    fit: str | None,
    dev: str | None,
    cache: str | None,
    *,
    force: bool,
) -> None:
    """Summarize clusters of articles by one method; the summaries are outputs to score.

    \b
    Example:
      newsdesk summarize clusters.jsonl --method centroid --max-words 40 -o out.jsonl
      newsdesk summarize train.jsonl --method tsr --dev dev.jsonl --fit model/
      newsdesk summarize clusters.jsonl --method tsr --model model/ -o out.jsonl
    """
    if not fit and (dev or cache):
        raise click.UsageError("--dev and --cache go with --fit")
    if fit and (trace or out != "-"):
        raise click.UsageError("--fit writes a model, and neither --out nor --trace")
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.files import atomic
    from newsdesk.types import Cluster

    given = {
        "max_words": max_words,
        "unit": unit,
        "order": order,
        "redundancy": redundancy,
        "model": model,
    }
    made = _made(method, {name: each for name, each in given.items() if each is not None}, seed)
    if fit:
        from newsdesk.cli.summarize.fit import fit as learn

        learn(made, clusters, dev, cache, fit, force=force)
        return
    found = reading(records.read(clusters, Cluster), "summarizing")
    counts = {"summaries": 0, "empty": 0}
    with ExitStack() as files:
        traces = files.enter_context(atomic(trace, overwrite=force)) if trace else None
        records.write(out, _outputs(made, found, traces, counts), overwrite=force)
    click.echo(f"{counts['summaries']} summaries; {made.signature}", err=True)
    if counts["empty"]:
        click.echo(f"note: {counts['empty']} are empty, because no sentence fits", err=True)


def _made(method: str, settings: dict[str, Any], seed: int) -> Summarizer:
    from newsdesk.summarizers import summarizer

    made = summarizer(method, **settings)
    return summarizer(method, **settings, seed=seed) if made.seeded else made


def _outputs(
    made: Summarizer, clusters: Iterable[Cluster], traces: BinaryIO | None, counts: dict[str, int]
) -> Iterator[Output]:
    from newsdesk.types import Output

    system = str(made.spec)
    for cluster in clusters:
        summary = made.summarize(cluster)
        counts["summaries"] += 1
        counts["empty"] += not summary.text
        if traces:
            row = {"id": cluster.id, "system": system, **_trace(summary)}
            traces.write(json_line(row))
        yield Output(cluster.id, system, summary.text)


def _trace(summary: Summary) -> dict[str, Any]:
    return {
        "signature": summary.signature,
        "trace": [
            {
                "article": each.sentence.article,
                "position": each.sentence.position,
                "text": each.sentence.text,
                "score": each.score,
                "outcome": each.outcome,
                "detail": each.detail,
            }
            for each in summary.trace
        ],
    }
