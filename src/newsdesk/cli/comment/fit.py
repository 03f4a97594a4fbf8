"""Fit a commenter on threads (`newsdesk comment fit`), and compare commenters on held-out articles (`comment compare`)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.presets import preset_option
from newsdesk.cli.threads import (
    ThreadFiles,
    check_split,
    reads_threads,
    split_files,
    weights,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsdesk.arrays import Floats
    from newsdesk.commenters.compare import CommenterComparison, Judge
    from newsdesk.commenters.split import Split
    from newsdesk.commenters.tuning import Tuned
    from newsdesk.types import Judgment, Thread

ranker_option = option(
    "--ranker",
    "Ranker that rates the comments, for ir-quality: a fitted model, or `ready`.",
    metavar="MODEL",
)
_DIGEST_DIGITS = 8


class RankerByName:
    """Rates threads with a saved ranker, or with the ready one of each thread's language."""

    def __init__(self, model: str) -> None:
        from newsdesk.files import file_digest
        from newsdesk.rankers.ready import Models, ready_names

        self._models = Models(model)
        header = Path(model) / "model.json"
        if model in ready_names() or not header.is_file():
            self.name = model
        else:  # a folder may hold another model tomorrow
            self.name = f"saved.{file_digest(header)[:_DIGEST_DIGITS]}"

    def scores(self, thread: Thread) -> Floats:
        """Return the score of each comment of a thread."""
        return self._models.of(thread).scores(thread)


@click.command("fit")
@option(
    "-m",
    "--model",
    "Name or spec of a commenter; `newsdesk list commenters` has the names.",
    default="ir-tc",
    metavar="MODEL",
)
@preset_option("comment fit", specs="model")
@input_file("--train", "Training threads.", required=True)
@input_file("--dev", "Dev threads, for early stopping and tuning.")
@option(
    "--minutes",
    "Training time of a network, in minutes (default: 8); with --tune for all trials, of any model.",
    type=options.BoundedNumber(min=0, min_open=True),
)
@ranker_option
@flag("--tune", "tuning", "Choose settings on the dev threads; print the trials.")
@options.folder("Folder for the model.")
@options.force
@reads_threads
def fit_command(
    model: str,
    train: str,
    dev: str | None,
    minutes: float | None,
    ranker: str | None,
    out: str,
    *,
    files: ThreadFiles,
    tuning: bool,
    force: bool,
) -> None:
    """Fit a commenter on threads and save it as a folder; a training or a search that was stopped resumes.

    Of title and content att-tc reads the first 100 words (max_content_words); all of them, as in Qin et al. 2018, with max_content_words=None or --preset qin2018.

    \b
    Example:
      newsdesk comment fit --model ir-tc --train threads.jsonl -o model/
      newsdesk comment fit --model newsdesk --ranker ready --train threads.jsonl -o best/
      newsdesk comment fit --model ir-t --preset qin2018 --train threads.jsonl -o paper/
    """
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.commenters.commenter import commenter
    from newsdesk.commenters.tuning import tune
    from newsdesk.model import check_free

    if tuning and dev is None:
        raise click.UsageError("--tune chooses on dev threads; add --dev FILE.")
    rater = None if ranker is None else RankerByName(ranker)
    unfitted = commenter(model, **({"minutes": minutes} if minutes and not tuning else {}))
    if rater is not None:
        unfitted.with_ranker(rater)
    check_free(out, overwrite=force)
    threads = list(files.read(train))
    held_out = list(files.read(dev)) if dev else None
    checkpoints = Path(out) / "checkpoints"
    with library_warnings(), drawn() as progress:
        if tuning:
            fitted, tuned = tune(
                model, threads, held_out or (), Path(out), minutes=minutes, ranker=rater, progress=progress
            )  # fmt: skip
        else:
            fitted = unfitted.fit(threads, held_out, progress, checkpoints=checkpoints)
    seen = (thread.article for thread in [*threads, *(held_out or ())])
    fitted.save(out, articles=seen, overwrite=force)
    shutil.rmtree(checkpoints, ignore_errors=True)
    if tuning:
        click.echo(_trials(tuned))
    click.echo(fitted.summary, err=True)


def _trials(tuned: Tuned) -> str:
    """Return what was tried, what was not, and the choice."""
    from newsdesk.results.table import Cell, table

    def listed(settings: Mapping[str, object]) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in settings.items())

    rows: list[list[Cell]] = [
        [listed(trial.settings), trial.measure, trial.value, trial.seconds]
        for trial in tuned.trials
    ]
    lines = [table(["settings", "measure", "value", "seconds"], rows), ""]
    if tuned.untried:
        lines.append(f"no time for: {'; '.join(map(listed, tuned.untried))}")
    return "\n".join([*lines, f"choice: {listed(tuned.choice) or 'nothing to choose'}"])


_SHARE = options.BoundedNumber(0, 1, max_open=True)
_TEST_SHARE, _DEV_SHARE = 0.1, 0.05


@click.command("compare")
@click.argument("threads", type=options.INPUT, required=False)
@split_files("shares")
@option(
    "-m",
    "--models",
    "Names or specs of commenters, comma-separated.",
    default="ir-t,ir-tc,seq2seq,att,att-tc",
    metavar="MODELS",
)
@preset_option("comment compare", specs="models")
@option(
    "--metrics",
    "Names or specs of metrics, comma-separated.",
    default="meteor,w-meteor,rouge-l(combine='coco'),w-rouge-l,cider,w-cider,bleu-1,w-bleu-1",
    metavar="METRICS",
)
@option("--test-share", f"Share of articles to test on (default: {_TEST_SHARE}).", type=_SHARE)
@option(
    "--dev-share", f"Share of articles for early stopping (default: {_DEV_SHARE}).", type=_SHARE
)
@weights
@ranker_option
@input_file("--judgments", "Grades of the outputs, as a grade campaign exports them (JSONL).")
@option("--campaign", "A grade campaign whose grades are read from the store.", metavar="NAME")
@options.store("Database of campaigns, for --campaign: sqlite:///FILE or postgresql://HOST/NAME.")
@input_file(
    "--world",
    "manifest.json of the simulated world of the threads; its simulated people grade.",
    metavar="MANIFEST",
)
@options.samples
@options.seed
@prints
@option(
    "-o",
    "--out",
    "Folder for models and outputs; a stopped comparison resumes from it.",
    type=options.FOLDER,
    metavar="DIR",
)
@flag("--force", "Fit stored models again.")
@reads_threads
def compare_command(
    threads: str | None,
    train: str | None,
    dev: str | None,
    test: str | None,
    models: str,
    metrics: str,
    test_share: float | None,
    dev_share: float | None,
    weights: str | None,
    ranker: str | None,
    judgments: str | None,
    campaign: str | None,
    url: str,
    world: str | None,
    samples: int,
    seed: int,
    out: str | None,
    *,
    files: ThreadFiles,
    emit: Emit,
    force: bool,
) -> None:
    """Compare commenters on held-out articles by plain and weighted metrics, with intervals and paired tests.

    \b
    Example:
      newsdesk comment compare threads.jsonl --models ir-t,ir-tc --samples 100 -o compared/
      newsdesk comment compare --train train.jsonl --dev dev.jsonl --test test.jsonl --models ir-t --samples 100
    """
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.commenters.compare import compare
    from newsdesk.files import make_folder
    from newsdesk.metrics.systems import split_specs
    from newsdesk.metrics.weights import Weighting

    _check_grade_sources(judgments, campaign, world)
    with library_warnings(), drawn() as progress:
        comparison = compare(
            _split(files, threads, (train, dev, test), (test_share, dev_share), seed),
            split_specs(models),
            split_specs(metrics),
            judgments=_grades(judgments, campaign, url),
            judge=_simulated_judge(world) if world else None,
            weighting=Weighting.parse(weights) if weights else None,
            ranker=RankerByName(ranker) if ranker else None,
            folder=make_folder(Path(out)) if out else None,
            overwrite=force,
            samples=samples,
            seed=seed,
            progress=progress,
            tell=lambda line: click.echo(line, err=True),
        )
    emit(comparison, tables)


def _split(
    files: ThreadFiles,
    threads: str | None,
    parts: tuple[str | None, str | None, str | None],
    shares: tuple[float | None, float | None],
    seed: int,
) -> Split:
    """Return THREADS divided by the shares for test and dev, or the threads of --train, --dev and --test."""
    train, dev, test = map(bool, parts)
    check_split(threads, train=train, dev=dev, test=test, verb="divide")
    from newsdesk.commenters.split import Split

    test_share, dev_share = shares
    if threads:
        test_share = _TEST_SHARE if test_share is None else test_share
        dev_share = _DEV_SHARE if dev_share is None else dev_share
        return Split.of(files.read(threads), test=test_share, dev=dev_share, seed=seed)
    if test_share is not None or dev_share is not None:
        raise click.UsageError(
            "--test-share and --dev-share divide THREADS; leave them out with --train"
        )
    return Split.given(*(files.read(part) if part else () for part in parts), seed=seed)


def _check_grade_sources(*sources: str | None) -> None:
    if sum(map(bool, sources)) > 1:
        raise click.UsageError(
            "--judgments, --campaign and --world are sources of grades; name one of them."
        )


def _grades(judgments: str | None, campaign: str | None, url: str) -> Iterable[Judgment]:
    """Return the grades of a file or of a campaign, none if neither is named."""
    from newsdesk import records
    from newsdesk.campaigns import Store
    from newsdesk.types import Judgment

    if not campaign:
        return records.read(judgments, Judgment) if judgments else ()
    with Store.open(url, create=False) as store:
        return list(store.judgments(campaign))


def _simulated_judge(manifest: str) -> Judge:
    """Return the simulated people of the world that a manifest describes, as graders."""
    from newsdesk.records import read_manifest
    from newsdesk.simulate.folder import world_of
    from newsdesk.simulate.outputs import Grader

    return Grader(world_of(read_manifest(manifest), manifest).desk).judgments


def tables(comparison: CommenterComparison) -> str:
    """Return the tables of a comparison as text."""
    from newsdesk.results.scores import score_cell, signatures
    from newsdesk.results.table import Cell, table, with_ends

    scores = comparison.scores
    rows: list[list[Cell]] = [
        [metric, *(score_cell(score.scores[row]) for score in scores)]
        for row, metric in enumerate(scores[0].metrics)
    ]
    rows.append(
        ["generic share", *(f"{comparison.generic[score.system.name]:.3f}" for score in scores)]
    )
    grades = {grade.system: with_ends(grade.mean, grade.ci) for grade in comparison.grades}
    if grades:
        rows.append([comparison.graders, *(grades.get(score.system.name) for score in scores)])
    blocks = [table(["metric", *(score.system.name for score in scores)], rows)]
    others = [
        f"{comparison.graders} grade of {system}: {grade}"
        for system, grade in grades.items()
        if system not in comparison.models
    ]
    if others:
        blocks.append("\n".join(others))
    if comparison.tests:
        tests: list[list[Cell]] = [
            [
                test.metric,
                test.first,
                test.second,
                with_ends(test.difference, (test.low, test.high)),
                test.p_corrected,
            ]
            for test in comparison.tests
        ]
        blocks.append(table(["metric", "first", "second", "difference", "p corrected"], tests))
    lines = [f"{name}: {signature}" for name, signature in comparison.models.items()]
    return "\n\n".join([*blocks, "\n".join([*lines, *signatures(scores)])])
