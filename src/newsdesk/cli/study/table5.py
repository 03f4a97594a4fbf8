"""`newsdesk study table5`: every summarizer on the same clusters, with intervals, tests and signatures."""

from __future__ import annotations

import click

from newsdesk.cli import options


@click.command("table5")
@click.argument("clusters", type=options.INPUT)
@click.option("--methods", help="Names and specs, with commas; all of them without it.")
@click.option(
    "--references",
    type=options.INPUT,
    help="Several references a cluster, instead of its `summary`.",
)
@click.option("--folds", default=5, show_default=True, help="Folds to fit trained methods in.")
@click.option("--max-words", default=40, show_default=True, help="The limit of a summary.")
@click.option("--against", metavar="METHOD", help="Also test all others against this one.")
@options.samples
@options.seed
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
@click.option("-o", "--out", default="-", show_default=True, help="Where the table goes.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def table5_command(
    clusters: str,
    methods: str | None,
    references: str | None,
    folds: int,
    max_words: int,
    against: str | None,
    samples: int,
    seed: int,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """ROUGE of every summarizer on the same clusters, as the WCEP paper's Table 5.

    Trained methods without a model are fitted on the clusters of other folds.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,tsr --against centroid
    """
    from newsdesk import records
    from newsdesk.cli.progress import counted
    from newsdesk.files import write_text
    from newsdesk.jsonl import json_text
    from newsdesk.metrics.systems import split_specs
    from newsdesk.registry import SUMMARIZERS
    from newsdesk.studies.table5 import table5
    from newsdesk.studies.table5_formats import table5_json, table5_markdown
    from newsdesk.types import Cluster, References

    listed = list(records.read(clusters, Cluster))
    with counted("summarizing", len(listed)) as progress:
        evaluation = table5(
            listed,
            split_specs(methods) if methods else list(SUMMARIZERS),
            references=records.read(references, References) if references else None,
            folds=folds,
            max_words=max_words,
            samples=samples,
            seed=seed,
            progress=progress,
        )
    if as_json:
        text = json_text(table5_json(evaluation, against))
    else:
        text = table5_markdown(evaluation, against)
    write_text(out, text + "\n", overwrite=force)
