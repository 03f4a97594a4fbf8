"""`newsdesk rank`: fit a ranker of comments, apply it, and measure it so that length cannot pass for quality."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli.rank import output
from newsdesk.cli.rank.compare import compare_command
from newsdesk.cli.rank.explain import explain_command
from newsdesk.cli.rank.vectors import vectors_command

if TYPE_CHECKING:
    from newsdesk.rankers.audit import Bar
    from newsdesk.rankers.evaluate import Evaluation
    from newsdesk.rankers.judged import Judged, System
    from newsdesk.types import Thread

_force = click.option("--force", is_flag=True, help="Replace what is there.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
_seed = click.option("--seed", default=0, show_default=True, help="Seed of all draws.")
_samples = click.option("--samples", default=10_000, show_default=True, help="Bootstrap draws.")

# The table shows the tests of these; JSON has those of every figure.
_TESTED = ("ndcg", "blmp")


@click.group("rank")
def rank_command() -> None:
    """Rank comments by quality: fit, apply, evaluate beyond length, try to game."""


rank_command.add_command(compare_command)
rank_command.add_command(vectors_command)
rank_command.add_command(explain_command)


@rank_command.command()
@click.option(
    "-m",
    "--model",
    default="newsdesk",
    show_default=True,
    help="A name or spec, as `newsdesk list rankers`.",
)
@click.option("--train", help="Threads to learn from; with --campaign, those that were judged.")
@click.option("--campaign", help="Learn from the judgments of this campaign.")
@click.option(
    "--store",
    "url",
    default="sqlite:///newsdesk.db",
    show_default=True,
    envvar="NEWSDESK_STORE",
    help="The store of --campaign.",
)
@click.option("--dev", help="Threads to choose open settings on.")
@click.option("--target", type=click.Choice(["score", "likes"]), help="What to predict: score.")
@click.option("-o", "--out", required=True, help="The folder to write the model to.")
@_force
def fit(
    model: str,
    train: str | None,
    campaign: str | None,
    url: str,
    dev: str | None,
    target: str | None,
    out: str,
    *,
    force: bool,
) -> None:
    """Fit a ranker on threads with scores or likes, or on the judgments of a campaign.

    \b
    Example:
      newsdesk rank fit --train train.jsonl -o model/
      newsdesk rank fit --model ranksvm --train train.jsonl --dev dev.jsonl -o model/
    """
    if not train and not campaign:
        raise click.UsageError("name threads with --train, or a --campaign")
    from newsdesk import records
    from newsdesk.cli.progress import told
    from newsdesk.models import check_free
    from newsdesk.rankers.ranker import ranker
    from newsdesk.types import Thread

    made = ranker(model, **({"target": target} if target else {}))
    check_free(out, overwrite=force)
    threads = list(records.read(train, Thread)) if train else []
    if campaign:
        threads = _judged_threads(campaign, url, threads)
    with told():
        made.fit(threads, records.read(dev, Thread) if dev else None)
    made.save(out, overwrite=force)
    click.echo(made.summary, err=True)


@rank_command.command()
@click.argument("model")
@click.argument("threads")
@click.option("-o", "--out", default="-", show_default=True, help="A run: .jsonl or .trec.")
@_force
def apply(model: str, threads: str, out: str, *, force: bool) -> None:
    """Rank the comments of threads with a fitted model, one thread at a time.

    \b
    Example:
      newsdesk rank apply model/ threads.jsonl -o run.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.progress import watched
    from newsdesk.rankers import Ranker
    from newsdesk.types import Thread

    loaded = Ranker.load(model)
    reader = records.read(threads, Thread)
    read = watched(reader, Path(threads).name, lambda: reader.fraction)
    count = records.write(out, loaded.run(read), overwrite=force)
    click.echo(f"{count} comments of {reader.count} articles", err=True)


@rank_command.command("eval")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("-t", "--threads", required=True, help="Threads with scores, or qrels.")
@click.option("-k", "--k", "depths", default="1,5,10", show_default=True, help="Depths.")
@click.option("--baselines", help="Also rank by these: like,random,length (with commas).")
@_samples
@_seed
@_json
def evaluate_runs(
    runs: tuple[str, ...],
    threads: str,
    depths: str,
    baselines: str | None,
    samples: int,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Measure runs against scores: NDCG, precision, and accuracy at equal length, with tests between systems.

    \b
    Example:
      newsdesk rank eval run.jsonl --threads threads.jsonl --baselines length,random
    """
    ks = output.depths_of(depths)
    if not runs and not baselines:
        raise click.UsageError("name at least one RUN, or --baselines")
    from newsdesk import records
    from newsdesk.rankers.evaluate import evaluate
    from newsdesk.rankers.judged import Judged
    from newsdesk.types import Thread

    listed = list(records.read(threads, Thread))
    judged = Judged.of(listed)
    systems = [*_from_runs(runs, judged), *_from_baselines(baselines, listed, judged, seed)]
    _report(judged, systems)
    found = evaluate(judged, systems, ks, samples=samples, seed=seed)
    click.echo(
        json.dumps(output.as_json(found), ensure_ascii=False) if as_json else _as_table(found)
    )


@rank_command.command()
@click.argument("model")
@click.argument("threads")
@click.option("--kinds", help="Kinds of filler, with commas; all when left out.")
@_samples
@_seed
@_json
def game(
    model: str, threads: str, kinds: str | None, samples: int, seed: int, *, as_json: bool
) -> None:
    """Append filler to weak comments and count how often they now pass better ones.

    \b
    Example:
      newsdesk rank game model/ threads.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.table import table
    from newsdesk.rankers import Ranker
    from newsdesk.rankers.gaming import KINDS, game as try_filler
    from newsdesk.types import Thread

    loaded = Ranker.load(model)
    chosen = kinds.split(",") if kinds else KINDS
    read = records.read(threads, Thread)
    found = try_filler(loaded, read, chosen, samples=samples, seed=seed)
    if as_json:
        rows = [{"system": loaded.name, **asdict(each)} for each in found]
        click.echo(json.dumps({"fillers": rows}))
        return
    cells = [[each.kind, output.number(each.share, each.ci), each.pairs] for each in found]
    click.echo(table(["filler", "now wrong", "pairs right before"], cells))


@rank_command.command()
@click.argument("threads")
@click.option("--count", default=5_000, show_default=True, help="Comments drawn, and most liked.")
@_samples
@_seed
@_json
def audit(threads: str, count: int, samples: int, seed: int, *, as_json: bool) -> None:
    """Set likes beside scores: their correlation, and the scores of random and of most liked comments.

    \b
    Example:
      newsdesk rank audit threads.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.table import Cell, table
    from newsdesk.rankers.audit import audit as compare
    from newsdesk.types import Thread

    found = compare(records.read(threads, Thread), count, samples=samples, seed=seed)
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return
    rows: list[list[Cell]] = [[_span(bar), bar.random, bar.liked] for bar in found.bars]
    rows.append(["mean", found.random_mean, found.liked_mean])
    click.echo(table(["score", f"{found.count} random", f"{found.count} most liked"], rows))
    correlation = output.number(found.pearson, found.ci)
    click.echo(f"\nlikes - 5 x dislikes against score, {found.n} comments: r = {correlation}")


def _judged_threads(campaign: str, url: str, threads: list[Thread]) -> list[Thread]:
    """The comments that a campaign judged, with their scores, under the articles of threads."""
    from newsdesk.campaigns.aggregate import gain_threads, tallies
    from newsdesk.cli.campaign.command import opened, texts_of

    with opened(url) as store:
        votes = store.campaign(campaign).protocol.kind == "select"
        rows = tallies(store.judgments(campaign, control=False))
        texts = texts_of(store.tasks(campaign))
    articles = {thread.article.id: thread.article for thread in threads}
    return gain_threads(rows, texts, articles, votes=votes)


def _span(bar: Bar) -> str:
    return f"{bar.low:g}" if bar.low == bar.high else f"{bar.low:g} to {bar.high:g}"


def _from_runs(runs: tuple[str, ...], judged: Judged) -> Iterator[System]:
    from newsdesk import records
    from newsdesk.rankers.judged import system_of_run
    from newsdesk.types import Ranked

    stems = [Path(run).name.partition(".")[0] for run in runs]
    for run, stem in zip(runs, stems, strict=True):
        name = stem if stem and stems.count(stem) == 1 else run
        yield system_of_run(name, records.read(run, Ranked), judged)


def _from_baselines(
    names: str | None, threads: list[Thread], judged: Judged, seed: int
) -> Iterator[System]:
    from newsdesk.rankers.evaluate import TRIALS
    from newsdesk.rankers.judged import system_of
    from newsdesk.rankers.ranker import ranker

    for name in names.split(",") if names else []:
        if name not in ("like", "random", "length"):
            raise click.BadParameter(f"{name!r} is none", param_hint="--baselines")
        seeds = [{"seed": seed + trial} for trial in range(TRIALS)] if name == "random" else [{}]
        yield system_of(name, [ranker(name, **each) for each in seeds], threads, judged)


def _report(judged: Judged, systems: list[System]) -> None:
    if judged.unjudged:
        click.echo(f"note: {judged.unjudged} comments have no score and are left out", err=True)
    for system in systems:
        if system.missing:
            lacks = f"{system.name} lacks {system.missing} judged comments; they stand last"
            click.echo(f"note: {lacks}", err=True)
        if system.unknown:
            lacks = f"{system.name} ranks {system.unknown} comments that nobody judged"
            click.echo(f"note: {lacks}; they are left out", err=True)


def _as_table(found: Evaluation) -> str:
    from newsdesk.cli.table import Cell, table

    names = list(found.systems)
    ceilings = [name.replace("_", " ") for name in found.ceiling]
    rows: list[list[Cell]] = [
        [
            figure,
            *(output.cell(found.systems[name][figure]) for name in names),
            *(each.get(figure) for each in found.ceiling.values()),
        ]
        for figure in found.systems[names[0]]
    ]
    lines = [table(["figure", *names, *ceilings], rows)]
    tests: list[list[Cell]] = [
        [
            each.figure,
            each.first,
            each.second,
            output.number(each.difference, each.ci),
            each.p_randomization,
            each.p_t,
        ]
        for each in found.comparisons
        if each.figure.partition("@")[0] in _TESTED
    ]
    if tests:
        header = ["figure", "first", "second", "difference", "p randomization", "p t-test"]
        lines += ["", table(header, tests)]
    return "\n".join([*lines, "", f"{found.n} articles; {found.signature}"])
