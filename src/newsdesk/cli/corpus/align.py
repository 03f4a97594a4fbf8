"""`newsdesk corpus align`: articles join the events they report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.output import refuse_existing, refuse_same_output
from newsdesk.cli.progress import drawn
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.align.features import FeatureSet
    from newsdesk.corpus.align.run import AlignRun


@click.command("align")
@click.argument("events", type=options.INPUT)
@click.argument("articles")
@options.out
@click.option(
    "--features",
    type=click.Choice(["rich", "paper"]),
    help="rich: our features, the default; paper: the four of Gholipour Ghalandari et al. (2020).",
)
@click.option(
    "--aligner", metavar="DIR", help="Folder of a fitted aligner; default: the one that ships."
)
@click.option(
    "--fit", metavar="DIR", help="Fit an aligner on the cited sources and save it in this folder."
)
@click.option(
    "--probability",
    type=float,
    default=0.9,
    show_default=True,
    help="Smallest probability with which an article joins an event.",
)
@click.option(
    "--days",
    type=int,
    default=1,
    show_default=True,
    help="Largest distance of an article from the event, in days.",
)
@click.option(
    "--uncited", is_flag=True, help="Also align events of which no cited source was obtained."
)
@click.option(
    "--candidates",
    metavar="FILE",
    help="Write every pair above --floor to this file (JSONL), for audit.",
)
@click.option(
    "--floor",
    type=float,
    default=0.1,
    show_default=True,
    help="Smallest probability of a pair in --candidates.",
)
@click.option(
    "--report",
    metavar="FILE",
    help="Write counts and measures of the aligner to this file: JSON, or a page with its curves (.html).",
)
@click.option(
    "-j",
    "--jobs",
    type=options.COUNT,
    default=1,
    show_default=True,
    help="Number of worker processes.",
)
@options.engine
@options.as_json
@options.force
def align_command(
    events: str,
    articles: str,
    out: str,
    features: FeatureSet | None,
    aligner: str | None,
    fit: str | None,
    probability: float,
    days: int,
    candidates: str | None,
    floor: float,
    report: str | None,
    jobs: int,
    engine: str,
    *,
    uncited: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Align articles with events; writes clusters. ARTICLES is a folder of Parquet by date, a Parquet file or JSONL.

    Articles that an event cites join it as cited. Others join the most probable event within --days, if its probability is high enough.

    \b
    Example:
      newsdesk corpus align events.jsonl articles/ -o clusters.jsonl
    """
    if aligner and (fit or features):
        raise click.UsageError("--aligner is fitted already: leave --fit and --features out")
    refuse_same_output({"--out": out, "--candidates": candidates, "--report": report})
    for path in (out, candidates, report):
        if path and path != "-":
            refuse_existing(path, force=force)
    from newsdesk import records
    from newsdesk.corpus.align.article_files import article_files
    from newsdesk.corpus.align.candidates import AlignSettings
    from newsdesk.corpus.align.run import AlignerChoice, AlignOutputs, align_to_files
    from newsdesk.model.folder import check_free
    from newsdesk.types import Event

    if fit:
        check_free(fit, overwrite=force)
    settings = AlignSettings(probability=probability, days=days, audit_floor=floor)
    files = article_files(articles)
    with drawn() as progress:
        run = align_to_files(
            list(records.read(events, Event)),
            files,
            AlignOutputs(out, candidates, report, fit),
            AlignerChoice(features or "rich", aligner, fit is not None),
            settings=settings,
            uncited=uncited,
            processes=jobs,
            engine=engine,
            progress=progress,
            overwrite=force,
        )
    text = json_text(run.as_json()) if as_json else _as_table(run, fitted=fit is not None)
    click.echo(text.encode("utf-8"), err=out == "-")


def _as_table(run: AlignRun, *, fitted: bool) -> str:
    alignment = run.alignment
    lines = [accounts_table(("articles", alignment.articles), ("events", alignment.events))]
    if run.measured:
        measures, day = run.measured.quality, run.measured.first_day
        at = measures.at_threshold
        lines.append(
            f"{f'held out from {day}' if day else 'cited sources'}: average precision {measures.average_precision:.4f}; "
            f"at probability {at.threshold:g} precision {at.precision:.4f}, recall {at.recall:.4f} ({measures.positives} of {measures.pairs} pairs)"
        )
    elif fitted:
        lines.append("held out: too few dates with several events")
    return "\n".join([*lines, f"fitted on {run.aligner.data}", run.aligner.signature])
