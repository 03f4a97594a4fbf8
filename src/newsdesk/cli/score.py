"""`newsdesk score`: several systems and metrics in one go, as a table, JSON, CSV or LaTeX, and a picture of one item."""

from __future__ import annotations

import csv
import io
import itertools
import re
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.table import Cell, table, with_ends
from newsdesk.files import write_text
from newsdesk.jsonl import json_line, json_text

if TYPE_CHECKING:
    from newsdesk.metrics.systems import System
    from newsdesk.types import Score

    Results = list[tuple[System, list[Score]]]

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
@click.option("-m", "--metrics", default=_DEFAULT, show_default=True, help="Names, with commas.")
@click.option("--lang", help="The language of the texts; found by script when left out.")
@click.option("--ci", is_flag=True, help="Add 95 % intervals by bootstrap over items.")
@options.samples
@options.seed
@click.option(
    "--per-item", metavar="FILE", help="Also write every item's values, as JSONL or .csv."
)
@click.option("--explain", metavar="ID", help="Write a page that shows how this item was matched.")
@click.option("-o", "--out", help="Where to print, or with --explain its page: match-ID.html.")
@click.option("--format", "style", type=click.Choice(["table", "csv", "latex"]), default="table")
@options.as_json
@click.option("--force", is_flag=True, help="Replace files that are there.")
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
    from newsdesk.metrics.systems import join, score_system, split_specs
    from newsdesk.types import Output, References

    for file in (per_item, out):
        if file:
            refuse_existing(file, force=force)
    specs = split_specs(metrics)
    for spec in specs:
        metric(spec)  # a wrong name is told before any file is read
    found = itertools.chain.from_iterable(records.read(file, Output) for file in outputs)
    systems = join(found, records.read(references, References), lang=lang)
    _report_missing(systems)
    draws = samples if ci else None
    results = [(one, list(score_system(one, specs, samples=draws, seed=seed))) for one in systems]
    if per_item:
        _write_items(per_item, specs, results, overwrite=force)
    if explain:
        _write_explanation(explain, out, results, overwrite=force)
    if as_json:
        text = json_text({"scores": list(_rows(specs, results))})
    else:
        text = {"table": _table, "csv": _csv, "latex": _latex}[style](specs, results)
    show("-" if explain or not out else out, text, force=force)


def _report_missing(systems: list[System]) -> None:
    most = max(len(system.ids) for system in systems)
    for system in systems:
        if len(system.ids) < most:
            lacks = f"{system.name} answers {len(system.ids)} items where another answers {most}"
            click.echo(f"note: {lacks}; compare with care", err=True)


def _rows(specs: list[str], results: Results) -> Any:
    for system, scores in results:
        for spec, score in zip(specs, scores, strict=True):
            row: dict[str, Any] = {
                "system": system.name,
                "metric": spec,
                "signature": score.signature,
                "value": score.value,
            }
            if score.parts:
                row["parts"] = dict(score.parts)
            if score.ci:
                row["ci"] = list(score.ci)
            yield {**row, "n": score.n}


def _cell(score: Score) -> str:
    return f"{score.value:.4f}" if score.ci is None else with_ends(score.value, score.ci)


def _table(specs: list[str], results: Results) -> str:
    rows: list[list[Cell]] = [
        [one.name, *map(_cell, scores), len(one.ids)] for one, scores in results
    ]
    signatures = dict.fromkeys(score.signature for _, scores in results for score in scores)
    return "\n".join([table(["system", *specs, "n"], rows), "", *signatures])


def _csv(specs: list[str], results: Results) -> str:
    text = io.StringIO()
    columns = ["system", "metric", "value", "low", "high", "n", "signature"]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in _rows(specs, results):
        low, high = row.get("ci", ("", ""))
        writer.writerow(
            [row["system"], row["metric"], row["value"], low, high, row["n"], row["signature"]]
        )
    return text.getvalue().rstrip("\n")


def _latex(specs: list[str], results: Results) -> str:
    def cells(values: list[str]) -> str:
        return " & ".join(re.sub(r"([&%$#_{}])", r"\\\1", value) for value in values) + r" \\"

    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(specs)}}}",
        r"\toprule",
        cells(["system", *specs]),
        r"\midrule",
        *(cells([one.name, *map(_cell, scores)]) for one, scores in results),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    signatures = dict.fromkeys(score.signature for _, scores in results for score in scores)
    return "\n".join([*lines, *(f"% {signature}" for signature in signatures)])


def _write_items(path: str, specs: list[str], results: Results, *, overwrite: bool) -> None:
    from newsdesk.files import atomic

    rows = [
        {"id": item, "system": system.name, "metric": spec, "value": value}
        for system, scores in results
        for spec, score in zip(specs, scores, strict=True)
        for item, value in zip(system.ids, score.items or (), strict=True)
    ]
    with atomic(path, overwrite=overwrite) as stream:
        if path.endswith(".csv"):
            text = io.StringIO()
            writer = csv.DictWriter(text, ["id", "system", "metric", "value"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            stream.write(text.getvalue().encode("utf-8"))
        else:
            stream.writelines(map(json_line, rows))


def _write_explanation(item: str, out: str | None, results: Results, *, overwrite: bool) -> None:
    from newsdesk.errors import ArgumentError
    from newsdesk.studies.match import match_page, match_section

    sections = [match_section(one, item, scores) for one, scores in results if item in one.ids]
    if not sections:
        raise ArgumentError(f"no system answers item {item!r}, so there is nothing to explain")
    path = out or f"match-{re.sub(r'[^A-Za-z0-9._-]+', '-', item)}.html"
    write_text(path, match_page(item, sections), overwrite=overwrite)
    click.echo(f"wrote {path}", err=True)
