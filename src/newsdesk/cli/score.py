"""`newsdesk score`: several systems and metrics in one go, as a table, JSON, CSV or LaTeX, and a picture of one item."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.table import Cell, table
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.metrics.systems import SystemScores

_DEFAULT = "rouge-1,rouge-2,rouge-l,bleu-4,meteor"


@click.command("score")
@click.argument("outputs", type=options.INPUT, nargs=-1, required=True, metavar="OUTPUT...")
@click.option(
    "-r",
    "--references",
    type=options.INPUT,
    required=True,
    help="References, or clusters with summaries.",
)
@click.option(
    "-m", "--metrics", default=_DEFAULT, show_default=True, help="Metric names, comma-separated."
)
@click.option("--lang", help="Language of the texts; detected by script if not set.")
@click.option("--ci", is_flag=True, help="Add 95 % bootstrap confidence intervals over items.")
@options.samples
@options.seed
@click.option(
    "--per-item", metavar="FILE", help="Also write the score of every item, as JSONL or .csv."
)
@click.option("--explain", metavar="ID", help="Write a page that shows how this item was matched.")
@click.option("-o", "--out", help="Output file; with --explain the page (default match-ID.html).")
@click.option("--format", "style", type=click.Choice(["table", "csv", "latex"]), default="table")
@options.as_json
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def score_command(
    outputs: tuple[str, ...],
    references: str,
    metrics: str,
    lang: str | None,
    per_item: str | None,
    explain: str | None,
    out: str | None,
    style: str,
    samples: int,
    seed: int,
    *,
    ci: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Score the outputs of systems against references, plain and quality-weighted.

    \b
    Example:
      newsdesk score outputs.jsonl --references references.jsonl --metrics rouge-1,w-meteor --ci
    """
    from newsdesk import records
    from newsdesk.metrics.metric import metric
    from newsdesk.metrics.score_formats import as_csv, as_latex, score_rows, write_items
    from newsdesk.metrics.systems import incomplete, join, score_systems, split_specs
    from newsdesk.types import Output, References

    for file in (per_item, out):
        if file:
            refuse_existing(file, force=force)
    specs = split_specs(metrics)
    for spec in specs:
        metric(spec)  # an unknown name fails before any file is read
    answers = itertools.chain.from_iterable(records.read(file, Output) for file in outputs)
    systems = join(answers, records.read(references, References), lang=lang)
    for note in incomplete(systems):
        click.echo(f"note: {note}", err=True)
    results = score_systems(systems, specs, samples=samples if ci else None, seed=seed)
    if per_item:
        write_items(per_item, results, overwrite=force)
    if explain:
        _write_explanation(explain, out, results, overwrite=force)
    if as_json:
        text = json_text({"scores": list(score_rows(results))})
    else:
        text = {"table": _table, "csv": as_csv, "latex": as_latex}[style](results)
    show("-" if explain or not out else out, text, force=force)


def _table(results: list[SystemScores]) -> str:
    from newsdesk.metrics.score_formats import score_cell, signatures

    rows: list[list[Cell]] = [
        [each.system.name, *map(score_cell, each.scores), len(each.system.ids)] for each in results
    ]
    shown = table(["system", *results[0].metrics, "n"], rows)
    return "\n".join([shown, "", *signatures(results)])


def _write_explanation(
    item: str, out: str | None, results: list[SystemScores], *, overwrite: bool
) -> None:
    from newsdesk.files import write_text
    from newsdesk.studies.match import match_file, match_page

    path = out or match_file(item)
    write_text(path, match_page(item, results), overwrite=overwrite)
    click.echo(f"wrote {path}", err=True)
