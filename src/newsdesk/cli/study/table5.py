"""`newsdesk study table5`: summarizers compared on the same clusters, with intervals, tests and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing

if TYPE_CHECKING:
    from newsdesk.summarizers.evaluate import Counted


@click.command("table5")
@click.argument("clusters", type=options.INPUT)
@click.option(
    "--methods",
    metavar="METHODS",
    help="Names or specs of summarizers, comma-separated; default: all.",
)
@click.option(
    "--references",
    type=options.INPUT,
    help="References (several per cluster) to use instead of `summary`.",
)
@click.option(
    "--folds",
    default=5,
    show_default=True,
    help="Number of cross-validation folds for trained methods.",
)
@click.option(
    "--max-words", default=40, show_default=True, help="Length limit of a summary, in --unit."
)
@click.option(
    "--unit",
    type=click.Choice(["tokens", "words"]),
    default="tokens",
    show_default=True,
    help="Unit of --max-words: tokens with punctuation, as in the paper, or words.",
)
@click.option("--against", metavar="METHOD", help="Also test all other methods against this one.")
@options.samples
@options.seed
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
@click.option(
    "-o",
    "--out",
    default="-",
    show_default=True,
    metavar="FILE",
    help="Output file; `-` is standard output, NAME.html a page.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def table5_command(
    clusters: str,
    methods: str | None,
    references: str | None,
    folds: int,
    max_words: int,
    unit: Counted,
    against: str | None,
    samples: int,
    seed: int,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """Compare summarizers by ROUGE on the same clusters (Gholipour Ghalandari et al. 2020, Table 5).

    Trained methods without a model are cross-validated: fitted on the clusters of the other folds.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,tsr --against centroid
    """
    from newsdesk import records
    from newsdesk.cli.progress import drawn
    from newsdesk.files import write_text
    from newsdesk.jsonl import json_text
    from newsdesk.metrics.systems import split_specs
    from newsdesk.registry import SUMMARIZERS
    from newsdesk.studies.table5 import baseline_of, table5
    from newsdesk.studies.table5_result import table5_json, table5_markdown
    from newsdesk.summarizers.evaluate import configured
    from newsdesk.types import Cluster, References

    refuse_existing(out, force=force)
    names = split_specs(methods) if methods else list(SUMMARIZERS)
    # An unknown name fails before any file is read.
    limit: dict[str, Any] = {"max_words": max_words, "unit": unit, "seed": seed}
    summarizers = [configured(name, **limit) for name in names]
    baseline = baseline_of(summarizers, against, **limit) if against else None
    listed = list(records.read(clusters, Cluster))
    with drawn("summarizing") as progress:
        evaluation = table5(
            listed,
            summarizers,
            references=records.read(references, References) if references else None,
            folds=folds,
            samples=samples,
            progress=progress,
            **limit,
        )
    if out.endswith(".html"):
        from newsdesk.cli.output import typed
        from newsdesk.studies.report import result_page

        text = result_page(
            table5_json(evaluation, baseline), typed(), "Summarizers compared"
        ).rstrip("\n")
    elif as_json:
        text = json_text(table5_json(evaluation, baseline))
    else:
        text = table5_markdown(evaluation, baseline)
    write_text(out, text + "\n", overwrite=force)
