"""`newsdesk corpus align`: articles join the events they report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, prints, refuse_existing, refuse_same_output
from newsdesk.cli.options import flag, option
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from newsdesk.corpus.align.features import FeatureSet
    from newsdesk.corpus.align.run import AlignRun


@click.command("align")
@click.argument("events", type=options.INPUT)
@click.argument("articles")
@options.out
@option(
    "--features",
    "rich: our features, the default; paper: the four of Gholipour Ghalandari et al. (2020).",
    type=click.Choice(["rich", "paper"]),
)
@option("--aligner", "Folder of a fitted aligner; default: the one that ships.", metavar="DIR")
@option("--fit", "Fit an aligner on the cited sources and save it in this folder.", metavar="DIR")
@option(
    "--probability",
    "Smallest probability with which an article joins an event.",
    type=float,
    default=0.9,
)
@option("--days", "Largest distance of an article from the event, in days.", type=int, default=1)
@flag("--uncited", "Also align events of which no cited source was obtained.")
@option(
    "--candidates",
    "Write every pair above --floor to this file (JSONL), for audit.",
    metavar="FILE",
)
@option("--floor", "Smallest probability of a pair in --candidates.", type=float, default=0.1)
@option(
    "--report",
    "Write counts and measures of the aligner to this file: JSON, or a page with its curves (.html).",
    metavar="FILE",
)
@options.jobs()
@options.engine
@prints
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
    emit: Emit,
    force: bool,
) -> None:
    """Align articles with events; writes clusters. ARTICLES is a folder of Parquet by date, a Parquet file or JSONL.

    Articles that an event cites join it as cited. Others join the most probable event within --days, if its probability is high enough. A stopped
    run resumes.

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
    from newsdesk.model import check_free
    from newsdesk.types import Event
    from newsdesk.work import Running

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
            running=Running("processes" if engine == "inline" else engine, jobs, report=progress),
            overwrite=force,
        )
    emit(run, lambda run: _as_table(run, fitted=fit is not None), err=out == "-")


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
    return "\n".join([*lines, f"fitted on {run.aligner.data_}", run.aligner.signature])
