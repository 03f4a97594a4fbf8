"""`newsdesk corpus align`: articles join the events they report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.output import refuse_existing, refuse_same_output
from newsdesk.cli.progress import counted
from newsdesk.jsonl import json_line, json_text

if TYPE_CHECKING:
    from newsdesk.corpus.align.article_files import ArticleFile
    from newsdesk.corpus.align.clusters import Alignment
    from newsdesk.corpus.align.model import Aligner
    from newsdesk.corpus.align.training import Fitted
    from newsdesk.types import Event


@click.command("align")
@click.argument("events", type=options.INPUT)
@click.argument("articles")
@options.out
@click.option(
    "--features",
    type=click.Choice(["rich", "paper"]),
    help="Ours (the default) or the four of Gholipour Ghalandari et al. (2020).",
)
@click.option("--aligner", metavar="DIR", help="A fitted aligner; else the one that ships.")
@click.option("--fit", metavar="DIR", help="Fit an aligner on the cited sources and save it here.")
@click.option(
    "--probability",
    type=float,
    default=0.9,
    show_default=True,
    help="Least probability to join an event.",
)
@click.option(
    "--days", type=int, default=1, show_default=True, help="Days before and after the event."
)
@click.option("--uncited", is_flag=True, help="Also events of which no source was obtained.")
@click.option("--candidates", metavar="FILE", help="Write every pair above --floor, for audit.")
@click.option(
    "--floor",
    type=float,
    default=0.1,
    show_default=True,
    help="Least probability of a pair in --candidates.",
)
@click.option("--report", metavar="FILE", help="Write accounts and held-out measures as JSON.")
@click.option("-j", "--jobs", type=options.COUNT, default=1, show_default=True, help="Processes.")
@options.engine
@options.as_json
@options.force
def align_command(
    events: str,
    articles: str,
    out: str,
    features: str | None,
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
    """Find the articles that report each event: a folder of Parquet by date, a Parquet file, or JSONL.

    Articles whose address an event cites join it as cited; others by probability, within days of the event, each only its best event.

    \b
    Example:
      newsdesk corpus align events.jsonl articles/ -o clusters.jsonl
    """
    from contextlib import ExitStack
    from dataclasses import asdict

    if aligner and (fit or features):
        raise click.UsageError("--aligner is fitted already: leave --fit and --features out")
    from newsdesk import records
    from newsdesk.corpus.align.article_files import article_files, cited_in
    from newsdesk.corpus.align.candidates import AlignSettings
    from newsdesk.corpus.align.clusters import clusters
    from newsdesk.corpus.align.processes import align_files
    from newsdesk.files import atomic
    from newsdesk.models import check_free, write_article_list
    from newsdesk.types import Event

    refuse_same_output({"--out": out, "--candidates": candidates, "--report": report})
    for path in (out, candidates, report):
        if path and path != "-":
            refuse_existing(path, force=force)
    if fit:
        check_free(fit, overwrite=force)
    settings = AlignSettings(probability=probability, days=days, audit_floor=floor)
    files = article_files(articles)
    listed = list(records.read(events, Event))
    model, fitted = _model(listed, files, features or "rich", aligner, fit, probability, engine)
    with ExitStack() as stack:
        stream = stack.enter_context(atomic(candidates, overwrite=force)) if candidates else None
        step = stack.enter_context(counted("aligning", len(files)))
        alignment = align_files(
            listed,
            files,
            model,
            settings=settings,
            uncited=uncited,
            audit=lambda each: stream and stream.write(json_line(asdict(each))),
            processes=jobs,
            engine=engine,
            progress=step,
        )
        records.write(out, clusters(alignment, [file.articles for file in files]), overwrite=force)
    if fit and fitted:
        fitted.aligner.save(fit, overwrite=force)
        write_article_list(fit, cited_in(files, listed))
    row = _as_json(alignment, model, fitted)
    if report:
        from newsdesk.files import write_text

        write_text(report, json_text(row) + "\n", overwrite=force)
    text = json_text(row) if as_json else _as_table(alignment, model, fitted)
    click.echo(text.encode("utf-8"), err=out == "-")


def _model(
    events: list[Event],
    files: list[ArticleFile],
    features: Any,
    aligner: str | None,
    fit: str | None,
    probability: float,
    engine: str,
) -> tuple[Aligner, Fitted | None]:
    """The aligner to use, and how it was fitted if it was fitted now."""
    from newsdesk.corpus.align.article_files import cited_in
    from newsdesk.corpus.align.model import Aligner, ready_aligner
    from newsdesk.corpus.align.training import fit_aligner

    if fit:
        sources = list(cited_in(files, events))
        fitted = fit_aligner(
            events, sources, features=features, threshold=probability, engine=engine
        )
        return fitted.aligner, fitted
    return (Aligner.load(aligner) if aligner else ready_aligner(features)), None


def _as_json(alignment: Alignment, model: Aligner, fitted: Fitted | None) -> dict[str, Any]:
    from dataclasses import asdict

    row: dict[str, Any] = {
        "steps": [alignment.articles.as_json(), alignment.events.as_json()],
        "signature": model.signature,
        "fitted_on": model.data,
    }
    if fitted and fitted.held_out:
        row["held_out"] = {"from": fitted.first_held_out_day, **asdict(fitted.held_out)}
    return row


def _as_table(alignment: Alignment, model: Aligner, fitted: Fitted | None) -> str:
    lines = [accounts_table(("articles", alignment.articles), ("events", alignment.events))]
    if fitted and fitted.held_out:
        measures = fitted.held_out
        at = measures.at_threshold
        lines.append(
            f"held out from {fitted.first_held_out_day}: average precision {measures.average_precision:.4f}; "
            f"at probability {at.threshold:g} precision {at.precision:.4f}, recall {at.recall:.4f} ({measures.positives} of {measures.pairs} pairs)"
        )
    elif fitted:
        lines.append("held out: too few dates with several events")
    return "\n".join([*lines, f"fitted on {model.data}", model.signature])
