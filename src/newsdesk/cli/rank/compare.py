"""`newsdesk rank compare`: rankers on held-out threads, by cross-validation or by training and test files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, note, prints_as, refuse_existing
from newsdesk.cli.options import flag, option
from newsdesk.cli.presets import preset_option
from newsdesk.cli.rank.eval import cutoffs, measure_cell, number
from newsdesk.cli.threads import ThreadFiles, check_split, reads_threads, split_files
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.compare import RankerComparison, Series
    from newsdesk.rankers.evaluation.evaluate import RankerEvaluation
    from newsdesk.rankers.evaluation.gaming import Gamed
    from newsdesk.results.table import Cell
    from newsdesk.work import Progress


@click.command("compare")
@click.argument("threads", type=options.INPUT, required=False)
@option(
    "-m", "--models", "Names or specs of rankers, comma-separated.", required=True, metavar="MODELS"
)
@preset_option("rank compare", specs="models")
@option(
    "--folds",
    "Number of folds; groups: one fold per group of --group-by.",
    default="5",
    metavar="N|groups",
)
@option(
    "--group-by", "Keep articles in one fold whose ids agree up to this text.", metavar="SEPARATOR"
)
@split_files("folds", repeatable=True)
@flag("--game", "Also run the gaming test of `newsdesk rank game`.")
@cutoffs
@options.samples
@options.seed
@prints_as("Print JSON instead of tables.")
@option(
    "-o",
    "--out",
    "Folder in which runs are cached and from which a stopped comparison resumes; FILE.html: write a page instead.",
    metavar="DIR|FILE",
)
@flag("--force", "Fit cached runs again.")
@reads_threads
def compare_command(
    threads: str | None,
    models: str,
    folds: str,
    group_by: str | None,
    train: tuple[str, ...],
    dev: tuple[str, ...],
    test: str | None,
    ks: list[int],
    samples: int,
    seed: int,
    out: str | None,
    *,
    files: ThreadFiles,
    game: bool,
    emit: Emit,
    force: bool,
) -> None:
    """Compare rankers on held-out threads by cross-validation or training files, with intervals and paired tests.

    \b
    Example:
      newsdesk rank compare threads.jsonl --models length,ranksvm,svr --folds 5 -o runs/
      newsdesk rank compare --models ranksvm,svr --train train.jsonl --dev dev.jsonl --test test.jsonl
    """
    page, out = (out, None) if out and out.endswith(".html") else (None, out)
    if page:
        refuse_existing(page, force=force)
    _check_files(threads, train, dev, test)
    count = _fold_count(folds)
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.metrics.systems import split_specs
    from newsdesk.rankers.evaluation.compare import (
        Entrant,
        RunCache,
        compare,
        cross_validation,
        held_out_threads,
    )
    from newsdesk.rankers.evaluation.gaming import KINDS
    from newsdesk.rankers.evaluation.judged import Judged, notes

    entrants = [Entrant.of(spec, seed) for spec in split_specs(models)]
    if threads:
        series = cross_validation(list(files.read(threads)), count, group_by=group_by, seed=seed)
    else:
        series = _by_training_file(files, train, dev, str(test), seed)
    judged = Judged.of(held_out_threads(series))
    for sentence in notes(judged):
        note(sentence)
    with library_warnings(), drawn() as steps:
        comparison = compare(
            judged,
            entrants,
            series,
            ks,
            kinds=KINDS if game else (),
            samples=samples,
            seed=seed,
            cache=RunCache.at(out, overwrite=force) if out else None,
            progress=_tell,
            steps=steps,
        )
    if page:
        Emit(page, force=force)(comparison, str, page="Rankers compared")
    emit(comparison, lambda comparison: _tables(comparison, ks))


def _check_files(
    threads: str | None, train: Sequence[str], dev: Sequence[str], test: str | None
) -> None:
    check_split(threads, train=bool(train), dev=bool(dev), test=bool(test), verb="fold")
    if len(dev) not in (0, 1, len(train)):
        raise click.UsageError("name one --dev for all training files, or one for each of them")


def _fold_count(folds: str) -> int | None:
    if folds == "groups":
        return None
    if not folds.isdecimal():
        raise click.BadParameter(f"{folds!r} is not a number or `groups`", param_hint="--folds")
    return int(folds)


def _by_training_file(
    files: ThreadFiles, train: Sequence[str], dev: Sequence[str], test: str, seed: int
) -> list[Series]:
    from newsdesk.rankers.evaluation.compare import training_series
    from newsdesk.rankers.evaluation.judged import file_stem

    names = [file_stem(path) for path in train]
    if len(set(names)) != len(names):
        raise click.UsageError(f"two training files have one name: {', '.join(names)}")
    tested = list(files.read(test))
    devs = [list(files.read(path)) for path in dev]
    trained = {name: list(files.read(path)) for name, path in zip(names, train, strict=True)}
    return training_series(trained, tested, devs, seed=seed)


def _tell(fold: Progress) -> None:
    """Print on stderr which of the fits is done."""
    click.echo(f"{fold.done} of {fold.total}: {fold.step}", err=True)


def _tables(comparison: RankerComparison, ks: Sequence[int]) -> str:
    """Return the measures, what fillers inverted, the tests at the middle k, and the short names."""
    from newsdesk.rankers.evaluation.judged import short_names

    measured = comparison.evaluation
    names = short_names(measured.systems)
    blocks = [
        _measures(measured, names, [f"ndcg@{k}" for k in ks]),
        _measures(measured, names, [f"precision@{k}" for k in ks]),
        _measures(measured, names, ["lmp", "blmp", "sauc"]),
    ]
    if any(comparison.fillers.values()):
        blocks.append(_filler_table(comparison.fillers, names))
    if len(measured.systems) > 1:
        blocks.append(_tests(measured, names, f"ndcg@{ks[len(ks) // 2]}"))
    if shortened := [f"{short}: {name}" for name, short in names.items() if short != name]:
        blocks.append("\n".join(shortened))
    return "\n\n".join([*blocks, f"{plural(measured.n, 'article')}; {measured.signature}"])


def _measures(
    evaluation: RankerEvaluation, names: Mapping[str, str], measures: Sequence[str]
) -> str:
    from newsdesk.results.table import table

    rows: list[list[Cell]] = [
        [names[name], *(measure_cell(measured[measure]) for measure in measures)]
        for name, measured in evaluation.systems.items()
    ]
    rows += [
        [f"({who.replace('_', ' ')})", *(_plain(values.get(measure)) for measure in measures)]
        for who, values in evaluation.ceiling.items()
    ]
    return table(["system", *measures], rows)


def _plain(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _filler_table(fillers: Mapping[str, Sequence[Gamed]], names: Mapping[str, str]) -> str:
    from newsdesk.results.table import table

    kinds = [filler.kind for filler in next(iter(fillers.values()))]
    rows: list[list[Cell]] = [
        [names[name], *(number(filler.share, filler.ci) for filler in gamed)]
        for name, gamed in fillers.items()
    ]
    return table(["now wrong after", *kinds], rows)


def _tests(evaluation: RankerEvaluation, names: Mapping[str, str], measure: str) -> str:
    """Test every system against the best in one measure, in it and in bLMP; JSON has every two."""
    from newsdesk.results.table import table

    values = {name: measured[measure].value or 0.0 for name, measured in evaluation.systems.items()}
    best = max(values, key=lambda name: values[name])
    rows: list[list[Cell]] = []
    for comparison in evaluation.comparisons:
        if comparison.measure not in (measure, "blmp") or best not in (
            comparison.first,
            comparison.second,
        ):
            continue
        sign = 1.0 if comparison.first == best else -1.0
        other = comparison.second if comparison.first == best else comparison.first
        low, high = sorted(sign * end for end in comparison.ci)
        difference = number(sign * comparison.difference, (low, high))
        pair = (names[best], names[other])
        rows.append(
            [comparison.measure, *pair, difference, comparison.p_randomization, comparison.p_t]
        )
    header = ["measure", "best", "other", "difference", "p randomization", "p t-test"]
    return table(header, rows)
