"""`newsdesk summarize`: a summary of each cluster, and on request a trace of the selection.

With `--fit` the clusters are training data, and a fitted model is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import note, refuse_same_output
from newsdesk.cli.lazy import PlainVerb
from newsdesk.cli.options import flag, input_file, option

if TYPE_CHECKING:
    from newsdesk.summarizers import Summarizer


# name → (module of the command, one-line help).
VERBS = {
    "verify": ("verify", "Link every clause of summaries to the source that supports it."),
}


@click.command("summarize", cls=PlainVerb, package="newsdesk.cli", table=VERBS)
@click.argument("clusters", type=options.INPUT)
@options.method
@option("--max-words", "Length limit in words, or in the unit of --unit; default: 40.", type=int)
@option(
    "--unit",
    "Unit of --max-words; default: words. Tokens count punctuation too.",
    type=click.Choice(["words", "tokens", "characters", "sentences"]),
)
@option(
    "--order",
    "Order of the sentences; default: selection.",
    type=click.Choice(["selection", "chronological"]),
)
@option(
    "--redundancy",
    "Reject a sentence if this share of its bigrams (0 to 1) is in the summary already.",
    type=float,
)
@option(
    "--documents",
    "Read at most this many articles of each cluster: those that belong together, the best first.",
    type=int,
    metavar="N",
)
@option(
    "--fitted",
    "model",
    "For trained methods: a folder written by --fit, or hf:PATH.",
    metavar="DIR",
)
@option("--seed", "Random seed of methods that draw.", default=0)
@option(
    "--trace",
    "Also write every candidate sentence with its score and outcome (JSONL).",
    metavar="FILE",
)
@flag("--clean", "Remove datelines, agency marks and stray quotation marks from the summary.")
@option(
    "--after",
    "since",
    "Summarize only clusters after this day, by what is new in their story (expected-rouge).",
    metavar="DATE",
)
@flag(
    "--faithful",
    "With --fitted: replace every written sentence that is not a deletion of its source sentence.",
)
@flag(
    "--dry-run",
    "Count what a language model would be asked, with tokens and cost, and ask nothing.",
)
@options.printed()
@option("--fit", "Fit the method on the clusters and save the model here.", metavar="DIR")
@input_file("--dev", "With --fit: clusters to choose hyper-parameters on.")
@option("--cache", "With --fit: cache features and targets here.", metavar="DIR")
@options.force
def summarize_command(
    clusters: str,
    method: str,
    seed: int,
    trace: str | None,
    out: str,
    fit: str | None,
    dev: str | None,
    cache: str | None,
    since: str | None,
    *,
    dry_run: bool,
    clean: bool,
    faithful: bool,
    force: bool,
    **settings: Any,
) -> None:
    """Summarize clusters of articles; the summaries are outputs for `newsdesk score`.

    \b
    Example:
      newsdesk summarize clusters.jsonl --method centroid --max-words 40 -o out.jsonl
      newsdesk summarize clusters.jsonl --method expected-rouge --clean -o shown.jsonl
      newsdesk summarize train.jsonl --method tsr --dev dev.jsonl --fit model/
      newsdesk summarize clusters.jsonl --method tsr --fitted model/ -o tsr.jsonl
    """
    if not fit and (dev or cache):
        raise click.UsageError("--dev and --cache go with --fit")
    if fit and (clean or since):
        raise click.UsageError("--clean and --after go with summaries, and --fit writes none")
    if fit and (trace or out != "-"):
        raise click.UsageError("--fit writes a model, and neither --out nor --trace")
    refuse_same_output({"--out": out, "--trace": trace})
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.llm import counted_only
    from newsdesk.summarizers import seeded_summarizer
    from newsdesk.summarizers.outputs import write_outputs
    from newsdesk.types import Cluster
    from newsdesk.wording import plural

    settings["faithful"] = faithful or None
    typed = {name: value for name, value in settings.items() if value is not None}
    summarizer = seeded_summarizer(method, seed, **typed)
    if fit:
        _fit(summarizer, clusters, dev, cache, fit, force=force)
        return
    read = reading(records.read(clusters, Cluster), "summarizing")
    if dry_run:
        with counted_only() as usage:
            for cluster in read:
                summarizer.summarize(cluster)
        click.echo(str(usage))
        return
    counts = write_outputs(
        summarizer, read, out, trace=trace, overwrite=force, clean=clean, since=since
    )
    written = plural(counts.summaries, "summary", "summaries")
    click.echo(f"{written}; {summarizer.signature}", err=True)
    if counts.empty:
        verb = "is" if counts.empty == 1 else "are"
        why = "the cluster has no word" + (" or nothing new" if since else "")
        note(f"{counts.empty} {verb} empty, because {why}")
    if counts.replaced:
        note(
            f"{plural(counts.replaced, 'sentence')} without support replaced by the source or left out"
        )
    if counts.stood_in:
        verb = "is" if counts.stood_in == 1 else "are"
        note(
            f"{counts.stood_in} {verb} an extract instead, because the model wrote no usable summary"
        )
    if counts.over:
        verb = "is" if counts.over == 1 else "are"
        note(f"{counts.over} {verb} the shortest sentence instead, because none fits")


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
