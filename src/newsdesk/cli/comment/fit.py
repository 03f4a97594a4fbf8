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
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsdesk.arrays import Floats
    from newsdesk.commenters.compare import CommenterComparison, Judge
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

    \b
    Example:
      newsdesk comment fit --model ir-tc --train threads.jsonl -o model/
      newsdesk comment fit --model newsdesk --ranker ready --train threads.jsonl -o best/
    """
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.commenters.commenter import commenter
    from newsdesk.commenters.tuning import tune
    from newsdesk.model import check_free, write_article_list

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
    fitted.save(out, overwrite=force)
    shutil.rmtree(checkpoints, ignore_errors=True)
    write_article_list(out, (thread.article for thread in [*threads, *(held_out or ())]))
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


@click.command("compare")
@click.argument("threads", type=options.INPUT)
@option(
    "-m",
    "--models",
    "Names or specs of commenters, comma-separated.",
    default="ir-t,ir-tc,seq2seq,att,att-tc",
    metavar="MODELS",
)
@option(
    "--metrics",
    "Names or specs of metrics, comma-separated.",
    default="meteor,w-meteor,rouge-l(combine='coco'),w-rouge-l,cider,w-cider,bleu-1,w-bleu-1",
    metavar="METRICS",
)
@option("--test-share", "Share of articles to test on.", type=_SHARE, default=0.1)
@option("--dev-share", "Share of articles for early stopping.", type=_SHARE, default=0.05)
@option(
    "--weights",
    "Map from a comment's score to its weight: minmax[LOW,HIGH], max or itemmax; default: scores from 0 to 1 as they are.",
    metavar="MAPPING",
)
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
    threads: str,
    models: str,
    metrics: str,
    test_share: float,
    dev_share: float,
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
    """
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.commenters.compare import Split, compare
    from newsdesk.files import make_folder
    from newsdesk.metrics.systems import split_specs
    from newsdesk.metrics.weights import Weighting

    if sum(map(bool, (judgments, campaign, world))) > 1:
        raise click.UsageError(
            "--judgments, --campaign and --world are sources of grades; name one of them."
        )
    with library_warnings(), drawn() as progress:
        split = Split.of(files.read(threads), test=test_share, dev=dev_share, seed=seed)
        comparison = compare(
            split,
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
        f"{comparison.graders} grade of {n}: {grades[n]}"
        for n in grades
        if n not in comparison.models
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
