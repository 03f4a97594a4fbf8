"""`newsdesk study table5`: every summarizer on the same clusters, with intervals, tests and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.metrics.significance import Comparison
    from newsdesk.summarizers import Evaluation


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
    from newsdesk.types import Cluster, References

    listed = list(records.read(clusters, Cluster))
    with counted("summarizing", len(listed)) as told:
        found = table5(
            listed,
            split_specs(methods) if methods else list(SUMMARIZERS),
            references=records.read(references, References) if references else None,
            folds=folds,
            max_words=max_words,
            samples=samples,
            seed=seed,
            told=told,
        )
    tests = found.against(against) if against else {}
    text = json_text(_as_json(found, tests)) if as_json else _as_text(found, against, tests)
    write_text(out, text + "\n", overwrite=force)


def _as_json(found: Evaluation, tests: dict[str, dict[str, Comparison]]) -> dict[str, Any]:
    from newsdesk.cli.study.files import score_json
    from newsdesk.studies.table5 import shortfalls

    systems = [
        {
            "system": row.system,
            **{name: score_json(each) for name, each in row.scores.items()},
            "signatures": list(row.signatures),
        }
        for row in found.rows
    ]
    comparisons = [
        {
            "system": system,
            "figure": name,
            "difference": each.difference,
            "ci": [each.low, each.high],
            "p": each.p,
        }
        for system, figures in tests.items()
        for name, each in figures.items()
    ]
    return {"systems": systems, "against": comparisons, "above_oracle": shortfalls(found)}


def _as_text(
    found: Evaluation, against: str | None, tests: dict[str, dict[str, Comparison]]
) -> str:
    from newsdesk.studies.table5 import shortfalls

    lines = [f"{len(found.ids):,} clusters.", "", found.markdown()]
    if against:
        lines += ["", f"| method | R1-F minus that of {against} | p (Holm) |", "|---|---|---|"]
        for system, figures in tests.items():
            each = figures["R1-F"]
            ends = f"[{each.low:+.3f}, {each.high:+.3f}]"
            lines.append(f"| {system} | {each.difference:+.3f} {ends} | {each.p:.4f} |")
    for oracle, above in shortfalls(found).items():
        counts = [f"{system} in {len(ids)}" for system, ids in above.items() if ids]
        lines += ["", f"Above {oracle} in R1-F: {', '.join(counts) or 'no method in any cluster'}."]
    return "\n".join(lines)
