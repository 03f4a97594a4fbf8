"""`newsdesk summarize`: a summary of each cluster, and on request a trace of the selection.

With `--fit` the clusters are training data, and a fitted model is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_same_output

if TYPE_CHECKING:
    from newsdesk.summarizers import Summarizer


@click.command("summarize")
@click.argument("clusters", type=options.INPUT)
@click.option(
    "-m",
    "--method",
    required=True,
    metavar="METHOD",
    help="Name or spec of a summarizer; `newsdesk list summarizers` has the names.",
)
@click.option(
    "--max-words", type=int, help="Length limit in words, or in the unit of --unit; default: 40."
)
@click.option(
    "--unit",
    type=click.Choice(["words", "tokens", "characters", "sentences"]),
    help="Unit of --max-words; default: words. Tokens count punctuation too.",
)
@click.option(
    "--order",
    type=click.Choice(["selection", "chronological"]),
    help="Order of the sentences; default: selection.",
)
@click.option(
    "--redundancy",
    type=float,
    help="Reject a sentence if this share of its bigrams (0 to 1) is in the summary already.",
)
@click.option(
    "--model", metavar="DIR", help="For trained methods: a folder written by --fit, or hf:PATH."
)
@click.option("--seed", default=0, show_default=True, help="Random seed of methods that draw.")
@click.option(
    "--trace",
    metavar="FILE",
    help="Also write every candidate sentence with its score and outcome (JSONL).",
)
@click.option(
    "--clean",
    is_flag=True,
    help="Remove datelines, agency marks and stray quotation marks from the summary.",
)
@click.option(
    "--since",
    metavar="DATE",
    help="Summarize only clusters after this day, by what is new in their story (expected-rouge).",
)
@click.option(
    "--faithful",
    is_flag=True,
    help="With --model: replace every written sentence that is not a deletion of its source sentence.",
)
@click.option(
    "-o",
    "--out",
    default="-",
    show_default=True,
    metavar="FILE",
    help="Output file; `-` is standard output.",
)
@click.option(
    "--fit", metavar="DIR", help="Fit the method on the clusters and save the model here."
)
@click.option(
    "--dev", type=options.INPUT, help="With --fit: clusters to choose hyper-parameters on."
)
@click.option("--cache", metavar="DIR", help="With --fit: cache features and targets here.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
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
    since: str | None,
    *,
    clean: bool,
    faithful: bool,
    force: bool,
) -> None:
    """Summarize clusters of articles; the summaries are outputs for `newsdesk score`.

    \b
    Example:
      newsdesk summarize clusters.jsonl --method centroid --max-words 40 -o out.jsonl
      newsdesk summarize clusters.jsonl --method expected-rouge --clean -o shown.jsonl
      newsdesk summarize train.jsonl --method tsr --dev dev.jsonl --fit model/
      newsdesk summarize clusters.jsonl --method tsr --model model/ -o tsr.jsonl
    """
    if not fit and (dev or cache):
        raise click.UsageError("--dev and --cache go with --fit")
    if fit and (clean or since):
        raise click.UsageError("--clean and --since go with summaries, and --fit writes none")
    if fit and (trace or out != "-"):
        raise click.UsageError("--fit writes a model, and neither --out nor --trace")
    refuse_same_output({"--out": out, "--trace": trace})
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.summarizers import seeded_summarizer
    from newsdesk.summarizers.outputs import write_outputs
    from newsdesk.types import Cluster
    from newsdesk.wording import plural

    settings = {
        "max_words": max_words,
        "unit": unit,
        "order": order,
        "redundancy": redundancy,
        "model": model,
        "faithful": faithful or None,
    }
    typed = {name: value for name, value in settings.items() if value is not None}
    summarizer = seeded_summarizer(method, seed, **typed)
    if fit:
        _fit(summarizer, clusters, dev, cache, fit, force=force)
        return
    read = reading(records.read(clusters, Cluster), "summarizing")
    counts = write_outputs(
        summarizer, read, out, trace=trace, overwrite=force, clean=clean, since=since
    )
    written = plural(counts.summaries, "summary", "summaries")
    click.echo(f"{written}; {summarizer.signature}", err=True)
    if counts.empty:
        verb = "is" if counts.empty == 1 else "are"
        why = "the cluster has no word" + (" or nothing new" if since else "")
        click.echo(f"note: {counts.empty} {verb} empty, because {why}", err=True)
    if counts.over:
        verb = "is" if counts.over == 1 else "are"
        click.echo(
            f"note: {counts.over} {verb} the shortest sentence instead, because none fits", err=True
        )


def _fit(
    summarizer: Summarizer,
    clusters: str,
    dev: str | None,
    cache: str | None,
    folder: str,
    *,
    force: bool,
) -> None:
    from newsdesk import records
    from newsdesk.cli.progress import log_on_stderr, reading
    from newsdesk.summarizers.trained import Cache, fit_and_save
    from newsdesk.types import Cluster

    train = reading(records.read(clusters, Cluster), "looking at training clusters")
    held_out = reading(records.read(dev, Cluster), "looking at dev clusters") if dev else None
    with log_on_stderr():
        fitted = fit_and_save(
            summarizer, train, folder, dev=held_out, cache=Cache(cache), overwrite=force
        )
    click.echo(fitted.summary, err=True)
