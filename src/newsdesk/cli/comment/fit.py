"""`newsdesk comment fit`: fit a commenter on threads and save it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.arrays import Floats
    from newsdesk.commenters.tuning import Tuned
    from newsdesk.types import Thread

ranker_option = option(
    "--ranker",
    "Ranker that rates the comments, for ir-quality: a fitted model, or `ready`.",
    metavar="MODEL",
)
_DIGEST_DIGITS = 8


class RankerByName:
    """Rates threads with a saved ranker, or with the ready one of each thread's language."""

    def __init__(self, model: str) -> None:
        from newsdesk.rankers.ready import Models, ready_names

        self._models = Models(model)
        header = Path(model) / "model.json"
        if model in ready_names() or not header.is_file():
            self.name = model
        else:  # a folder may hold another model tomorrow
            saved = hashlib.sha256(header.read_bytes()).hexdigest()[:_DIGEST_DIGITS]
            self.name = f"saved.{saved}"

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
    write_article_list(out, (each.article for each in [*threads, *(held_out or ())]))
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
