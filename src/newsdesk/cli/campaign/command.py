"""`newsdesk campaign`: judgments asked for, collected, audited and put to use. The store is named by `--store`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from newsdesk.errors import ArgumentError

if TYPE_CHECKING:
    from newsdesk.campaigns.protocols import Protocol
    from newsdesk.campaigns.store import Store
    from newsdesk.campaigns.tasks import Task

_DEFAULT_STORE = "sqlite:///newsdesk.db"
_store = click.option(
    "--store",
    "url",
    default=_DEFAULT_STORE,
    show_default=True,
    envvar="NEWSDESK_STORE",
    help="sqlite:///FILE or postgresql://…",
)
_out = click.option("-o", "--out", required=True, help="Where to write; `-` is standard output.")
_question = click.option("--question", help="Which one, where several were asked: overall.")
_force = click.option("--force", is_flag=True, help="Replace what is there.")
_json = click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object instead of a table."
)


@click.group("campaign")
def campaign_command() -> None:
    """Ask people for judgments, audit them and put them to use."""


@contextmanager
def opened(url: str, *, create: bool = False) -> Iterator[Store]:
    """The store at a URL."""
    from newsdesk.campaigns.store import Store

    with Store.open(url, create=create) as store:
        yield store


def now() -> str:
    """This moment, as judgments keep it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@campaign_command.command("new")
@click.argument("name")
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@click.option(
    "--protocol",
    "form",
    required=True,
    help="grade, constructive, rank, relate, or a TOML file of your own.",
)
@click.option(
    "--references", help="References, or clusters with summaries (rank, grade of outputs)."
)
@click.option("--clusters", help="Clusters (relate; urls for rank).")
@click.option("--articles", help="Articles (grade of outputs; urls for rank).")
@click.option("--threads", help="Threads whose comments are judged (grade, constructive).")
@click.option(
    "--real-from",
    help="Threads from which one real comment per article is drawn (grade of outputs).",
)
@click.option(
    "--controls", help="Control questions: JSONL with text, article and answer (constructive)."
)
@click.option("--sample", type=int, help="Judge only so many found articles (relate).")
@click.option(
    "--annotators",
    required=True,
    help="Their names with commas, or how many; `open` lets workers join.",
)
@click.option(
    "--per-item", default=2, show_default=True, help="How many annotators judge each item."
)
@click.option("--seed", default=0, show_default=True, help="Seed of every draw.")
@_store
def new_command(
    name: str,
    outputs: tuple[str, ...],
    form: str,
    annotators: str,
    per_item: int,
    seed: int,
    url: str,
    **sources: Any,
) -> None:
    """Start a campaign: make its tasks and give them out.

    \b
    Example:
      newsdesk campaign new pilot outputs.jsonl --protocol rank --references clusters.jsonl --annotators 5 --per-item 2
    """
    from newsdesk.campaigns.protocols import protocol
    from newsdesk.cli.campaign.tasks import make_tasks

    found = protocol(form)
    tasks = make_tasks(found, outputs, seed=seed, **sources)
    with opened(url, create=True) as store:
        store.create(name, found, tasks, _names(annotators), per_item=per_item, seed=seed)
    click.echo(f"{name}: {len(tasks)} tasks, {per_item} annotators each", err=True)


def _names(text: str) -> list[str] | None:
    if text == "open":
        return None
    if text.isdecimal():
        return [f"annotator-{number}" for number in range(1, int(text) + 1)]
    return [name.strip() for name in text.split(",")]


@campaign_command.command("status")
@click.argument("name", required=False)
@_store
@_json
def status_command(name: str | None, url: str, *, as_json: bool) -> None:
    """How far a campaign is, or which campaigns there are.

    \b
    Example:
      newsdesk campaign status pilot --store sqlite:///pilot.db
    """
    from dataclasses import asdict

    from newsdesk.cli.table import table

    with opened(url) as store:
        if name is None:
            campaigns = [
                (each.name, each.protocol.name, each.per_item) for each in store.campaigns()
            ]
            columns = ("name", "protocol", "per_item")
            rows = [dict(zip(columns, each, strict=True)) for each in campaigns]
            click.echo(json.dumps({"campaigns": rows}) if as_json else table(columns, campaigns))
            return
        status = store.status(name)
    if as_json:
        click.echo(json.dumps({"campaign": name, **asdict(status)}, ensure_ascii=False))
        return
    click.echo(
        f"{status.done} of {status.slots} slots done, {status.claimed} claimed, {status.judgments} judgments"
    )
    rows_of = [
        (each.name, each.id, each.done, each.slots, each.reason) for each in status.annotators
    ]
    click.echo(table(("annotator", "id", "done", "of", "excluded"), rows_of))


@campaign_command.command("sheets")
@click.argument("name")
@click.option("-o", "--out", required=True, help="The folder for one workbook per annotator.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV files instead of workbooks.")
@_force
@_store
def sheets_command(name: str, out: str, url: str, *, as_csv: bool, force: bool) -> None:
    """Write one blinded workbook per annotator; the key stays in the store.

    \b
    Example:
      newsdesk campaign sheets pilot -o sheets/
    """
    from pathlib import Path

    from newsdesk.campaigns.sheets import write_csv, write_workbook
    from newsdesk.cli.campaign.sheets import sheets_of

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with opened(url) as store:
        store.hand_out(name)
        for sheet in sheets_of(store, name).values():
            if as_csv:
                write_csv(folder / f"{sheet.annotator}.csv", sheet, overwrite=force)
            else:
                write_workbook(folder / f"{sheet.annotator}.xlsx", sheet, overwrite=force)
            click.echo(f"{sheet.annotator}: {len(sheet.rows)} tasks", err=True)


@campaign_command.command("import")
@click.argument("name")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_store
@_json
def import_command(name: str, files: tuple[str, ...], url: str, *, as_json: bool) -> int:
    """Take in returned workbooks, CSV files or judgments; the same file twice changes nothing.

    Good rows are kept, every fault is listed with its sheet, row and column, and the exit code is then 3.

    \b
    Example:
      newsdesk campaign import pilot sheets/annotator-1.xlsx
    """
    from newsdesk.cli.campaign.sheets import import_file, refuse_two_sheets_of_one

    with opened(url) as store:
        refuse_two_sheets_of_one(files)
        results = [import_file(store, name, file, now()) for file in files]
    if as_json:
        click.echo(
            json.dumps({"files": [result.as_json() for result in results]}, ensure_ascii=False)
        )
    for result in results:
        for fault in result.faults:
            click.secho(f"{result.file}: {fault}", err=True, fg="red")
        if not as_json:
            click.echo(
                f"{result.file}: {result.new} new, {result.corrected} corrected, {result.unchanged} unchanged"
            )
    return 3 if any(result.faults for result in results) else 0


@campaign_command.command("exclude")
@click.argument("name")
@click.argument("annotator")
@click.option("--reason", required=True, help="Why, for the record.")
@_store
def exclude_command(name: str, annotator: str, reason: str, url: str) -> None:
    """Leave an annotator out and open their slots for others.

    \b
    Example:
      newsdesk campaign exclude pilot annotator-3 --reason "half of the control questions wrong"
    """
    with opened(url) as store:
        opened_slots = store.exclude(name, annotator, reason, at=now())
        given = store.hand_out(name)
    click.echo(f"{opened_slots} slots opened again, {given} given to others", err=True)


@campaign_command.command("judgments")
@click.argument("name")
@click.option(
    "--history", is_flag=True, help="Every row ever stored, not only the last of each key."
)
@_out
@_force
@_store
def judgments_command(name: str, out: str, url: str, *, history: bool, force: bool) -> None:
    """Write the judgments, annotators as keyed hashes.

    \b
    Example:
      newsdesk campaign judgments pilot -o judgments.jsonl
    """
    from newsdesk import records

    with opened(url) as store:
        found = store.judgments(name, current=not history, include_excluded=history)
        count = records.write(out, found, overwrite=force)
    click.echo(f"{count} judgments", err=True)


@campaign_command.command("weights")
@click.argument("name")
@click.option(
    "--map",
    "how",
    type=click.Choice(["minmax", "max", "itemmax"]),
    default="minmax",
    show_default=True,
)
@_question
@_out
@_force
@_store
def weights_command(
    name: str, how: Any, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write the judged texts as references, weighted by mean grade, share of votes, or share of others ranked behind.

    \b
    Example:
      newsdesk campaign weights pilot --map minmax -o references.jsonl
    """
    from newsdesk.campaigns.aggregate import values_of, weighted_references
    from newsdesk.metrics.weights import Weighting

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
        texts = texts_of(store.tasks(name))
    scale = (0.0, 1.0) if form.kind in ("select", "rank") else _ends(form)
    weighting = Weighting(how) if how == "itemmax" else Weighting(how, *scale)
    _write(
        out,
        weighted_references(rows, texts, weighting),
        f"references, weights {weighting.signature}",
        force,
    )


def _ends(form: Protocol) -> tuple[float, float]:

    if form.kind != "scale":
        raise ArgumentError(
            f"a campaign of kind {form.kind!r} gives no weights; grades, votes and ranks do"
        )
    return float(form.values[0]), float(form.values[-1])


@campaign_command.command("gains")
@click.argument("name")
@click.option("--threads", help="The threads that were judged, to keep their articles whole.")
@_question
@_out
@_force
@_store
def gains_command(
    name: str, threads: str | None, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write threads with score, yes and votes; a name that ends in .qrels gets whole-number TREC qrels.

    \b
    Example:
      newsdesk campaign gains pilot -o gains.jsonl
    """
    from newsdesk import records
    from newsdesk.campaigns.aggregate import gain_threads, qrels_lines, values_of
    from newsdesk.files import atomic
    from newsdesk.types import Thread

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
        texts = texts_of(store.tasks(name))
    if out.endswith(".qrels"):
        if form.kind == "rank":
            raise ArgumentError("ranks give no whole-number gains; write .jsonl")
        with atomic(out, overwrite=force) as stream:
            stream.writelines(line.encode("utf-8") + b"\n" for line in qrels_lines(rows))
        return
    known = {t.article.id: t.article for t in records.read(threads, Thread)} if threads else {}
    _write(out, gain_threads(rows, texts, known, votes=form.kind == "select"), "threads", force)


@campaign_command.command("pairs")
@click.argument("name")
@click.option(
    "--margin", default=0.0, show_default=True, help="The least difference that makes a pair."
)
@_question
@_out
@_force
@_store
def pairs_command(
    name: str, margin: float, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write every two targets of an item of which one was judged better.

    \b
    Example:
      newsdesk campaign pairs pilot --margin 0.2 -o pairs.jsonl
    """
    from newsdesk.campaigns.aggregate import training_pairs, values_of

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
    _write(out, training_pairs(rows, least_margin=margin), "pairs", force)


@campaign_command.command("report")
@click.argument("name")
@click.option("--threads", help="The threads that were judged, to compare votes with likes.")
@click.option("--seed", default=0, show_default=True, help="Seed of the intervals.")
@_out
@_force
@_store
def report_command(
    name: str, threads: str | None, seed: int, out: str, url: str, *, force: bool
) -> None:
    """Write one page: progress, results, agreement, annotators, ranking with intervals.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    from newsdesk.cli.campaign.report import report_page
    from newsdesk.files import atomic

    with opened(url) as store:
        page = report_page(store, name, threads, seed)
    with atomic(out, overwrite=force) as stream:
        stream.write(page.encode("utf-8"))


def texts_of(tasks: Iterable[Task]) -> dict[tuple[str, str], str]:
    """The text of every (item, target)."""
    return {(task.item, target.id): target.text for task in tasks for target in task.targets}


def _write(out: str, found: Iterable[Any], what: str, force: bool) -> None:
    from newsdesk import records

    count = records.write(out, found, overwrite=force)
    click.echo(f"{count} {what}", err=True)
