"""`newsdesk rank compare`: several rankers on threads they did not learn from, by cross-validation or by training and test files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.rank.figures import as_json, cell, depths_of, number, short_names
from newsdesk.cli.table import Cell, table
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.rankers.compare import Comparison, Series
    from newsdesk.rankers.evaluate import Evaluation
    from newsdesk.rankers.folds import Fold
    from newsdesk.rankers.gaming import Gamed
    from newsdesk.types import Thread


@click.command("compare")
@click.argument("threads", type=options.INPUT, required=False)
@click.option("-m", "--models", required=True, help="Names or specs of rankers, with commas.")
@click.option("--folds", default="5", show_default=True, help="A number, or `groups`: one each.")
@click.option("--group-by", help="Keep articles in one fold whose ids agree up to this text.")
@click.option(
    "--train",
    type=options.INPUT,
    multiple=True,
    help="Instead of folds: threads to learn from; repeatable.",
)
@click.option(
    "--dev",
    type=options.INPUT,
    multiple=True,
    help="Threads to choose on: for all, or one per --train.",
)
@click.option("--test", type=options.INPUT, help="With --train: threads to be tested on.")
@click.option("--fillers", is_flag=True, help="Also append filler to weak comments, as rank game.")
@click.option("-k", "--k", "depths", default="1,5,10", show_default=True, help="Depths.")
@options.samples
@options.seed
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON instead of tables.")
@click.option("-o", "--out", help="A folder to keep runs in; what it holds is not fitted again.")
@click.option("--force", is_flag=True, help="Fit again what is there.")
def compare_command(
    threads: str | None,
    models: str,
    folds: str,
    group_by: str | None,
    train: tuple[str, ...],
    dev: tuple[str, ...],
    test: str | None,
    depths: str,
    samples: int,
    seed: int,
    out: str | None,
    *,
    fillers: bool,
    json_wanted: bool,
    force: bool,
) -> None:
    """Compare rankers on threads they did not learn from, with intervals and paired tests.

    \b
    Example:
      newsdesk rank compare threads.jsonl --models length,ranksvm,svr --folds 5 -o runs/
      newsdesk rank compare --models ranksvm,svr --train a.jsonl --train b.jsonl --dev d.jsonl --test t.jsonl
    """
    ks = depths_of(depths)
    if bool(threads) == bool(train) or bool(train) != bool(test) or (dev and not train):
        raise click.UsageError("name THREADS to fold, or --train and --test (and --dev)")
    if len(dev) not in (0, 1, len(train)):
        raise click.UsageError("name one --dev for all training files, or one for each of them")
    count = _fold_count(folds)
    from newsdesk.cli.progress import told
    from newsdesk.metrics.systems import split_specs
    from newsdesk.rankers.compare import Entrant, compare
    from newsdesk.rankers.gaming import KINDS
    from newsdesk.rankers.judged import Judged
    from newsdesk.rankers.kept import Kept

    entrants = [Entrant.of(spec, seed) for spec in split_specs(models)]
    if threads:
        series, tested = _folded(threads, count, group_by, seed)
    else:
        series, tested = _by_training_file(train, dev, str(test), seed)
    judged = Judged.of(tested)
    if judged.unjudged:
        click.echo(f"note: {judged.unjudged} comments have no score and are left out", err=True)
    fits = sum(entrant.learns for entrant in entrants) * sum(len(each.folds) for each in series)
    with told():
        found = compare(
            judged,
            entrants,
            series,
            ks,
            kinds=KINDS if fillers else (),
            samples=samples,
            seed=seed,
            kept=Kept.at(out, overwrite=force) if out else None,
            heard=_counted(fits),
        )
    click.echo(_json(found) if json_wanted else _tables(found, ks))


def _fold_count(folds: str) -> int | None:
    if folds == "groups":
        return None
    if not folds.isdecimal():
        raise click.BadParameter(f"{folds!r} is not a number or `groups`", param_hint="--folds")
    return int(folds)


def _folded(
    threads: str, count: int | None, group_by: str | None, seed: int
) -> tuple[list[Series], list[Thread]]:
    from newsdesk.rankers.compare import Series
    from newsdesk.rankers.folds import cross_folds

    folds = cross_folds(_read(threads), count, group_by=group_by, seed=seed)
    tested = [thread for fold in folds for thread in fold.test]
    return [Series("", tuple(folds))], sorted(tested, key=lambda each: each.article.id)


def _by_training_file(
    train: Sequence[str], dev: Sequence[str], test: str, seed: int
) -> tuple[list[Series], list[Thread]]:
    from newsdesk.rankers.compare import Series
    from newsdesk.rankers.folds import Fold, shuffled

    names = [Path(path).name.partition(".")[0] for path in train]
    if len(set(names)) != len(names):
        raise click.UsageError(f"two training files have one name: {', '.join(names)}")
    tested = tuple(shuffled(_read(test), seed))
    chosen = [tuple(shuffled(_read(path), seed)) for path in dev] or [()]
    devs = chosen if len(chosen) == len(train) else chosen * len(train)
    series = [
        Series(name, (Fold(name, tuple(shuffled(_read(path), seed)), own, tested),))
        for name, path, own in zip(names, train, devs, strict=True)
    ]
    return series, list(tested)


def _read(path: str) -> list[Thread]:
    from newsdesk import records
    from newsdesk.types import Thread

    return list(records.read(path, Thread))


def _counted(fits: int) -> Callable[[str, Fold, str], None]:
    """Says on stderr which of so many fits is done."""
    done = 0

    def heard(spec: str, fold: Fold, summary: str) -> None:
        nonlocal done
        done += 1
        click.echo(f"{done} of {fits}: {spec} on {fold.name}: {summary}", err=True)

    return heard


def _json(found: Comparison) -> str:
    fillers = [
        {"system": name, **asdict(each)} for name, gamed in found.fillers.items() for each in gamed
    ]
    return json_text({**as_json(found.evaluation), "fillers": fillers})


def _tables(found: Comparison, ks: Sequence[int]) -> str:
    measured = found.evaluation
    names = short_names(measured.systems)
    blocks = [
        _figures(measured, names, [f"ndcg@{k}" for k in ks]),
        _figures(measured, names, [f"precision@{k}" for k in ks]),
        _figures(measured, names, ["lmp", "blmp", "sauc"]),
    ]
    if any(found.fillers.values()):
        blocks.append(_filler_table(found.fillers, names))
    if len(measured.systems) > 1:
        blocks.append(_tests(measured, names, f"ndcg@{ks[len(ks) // 2]}"))
    if shortened := [f"{short}: {name}" for name, short in names.items() if short != name]:
        blocks.append("\n".join(shortened))
    return "\n\n".join([*blocks, f"{measured.n} articles; {measured.signature}"])


def _figures(found: Evaluation, names: Mapping[str, str], figures: Sequence[str]) -> str:
    rows: list[list[Cell]] = [
        [names[name], *(cell(measured[figure]) for figure in figures)]
        for name, measured in found.systems.items()
    ]
    rows += [
        [f"({who.replace('_', ' ')})", *(_plain(values.get(figure)) for figure in figures)]
        for who, values in found.ceiling.items()
    ]
    return table(["system", *figures], rows)


def _plain(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _filler_table(fillers: Mapping[str, Sequence[Gamed]], names: Mapping[str, str]) -> str:
    kinds = [each.kind for each in next(iter(fillers.values()))]
    rows: list[list[Cell]] = [
        [names[name], *(number(each.share, each.ci) for each in gamed)]
        for name, gamed in fillers.items()
    ]
    return table(["now wrong after", *kinds], rows)


def _tests(found: Evaluation, names: Mapping[str, str], figure: str) -> str:
    """Every system against the best in one figure, in that figure and in bLMP; JSON has every two."""
    values = {name: measured[figure].value or 0.0 for name, measured in found.systems.items()}
    best = max(values, key=lambda name: values[name])
    rows: list[list[Cell]] = []
    for each in found.comparisons:
        if each.figure not in (figure, "blmp") or best not in (each.first, each.second):
            continue
        sign = 1.0 if each.first == best else -1.0
        other = each.second if each.first == best else each.first
        low, high = sorted(sign * end for end in each.ci)
        difference = number(sign * each.difference, (low, high))
        pair = (names[best], names[other])
        rows.append([each.figure, *pair, difference, each.p_randomization, each.p_t])
    header = ["figure", "best", "other", "difference", "p randomization", "p t-test"]
    return table(header, rows)
