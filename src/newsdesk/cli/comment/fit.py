"""`newsdesk comment fit`: fit a commenter on threads and save it."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from newsdesk.cli import options
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("fit")
@click.option(
    "-m",
    "--model",
    default="ir-tc",
    show_default=True,
    metavar="MODEL",
    help="Name or spec of a commenter; `newsdesk list commenters` has the names.",
)
@click.option("--train", required=True, type=options.INPUT, help="Training threads.")
@click.option("--dev", type=options.INPUT, help="Dev threads, for early stopping and tuning.")
@click.option(
    "--minutes",
    type=options.Number(min=0, min_open=True),
    help="Training time of a network, in minutes; default: 8.",
)
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder for the model.")
@options.force
@reads_threads
def fit_command(
    model: str,
    train: str,
    dev: str | None,
    minutes: float | None,
    out: str,
    *,
    files: ThreadFiles,
    force: bool,
) -> None:
    """Fit a commenter on threads and save it as a folder; a training that was stopped resumes from its last checkpoint.

    \b
    Example:
      newsdesk comment fit --model ir-tc --train threads.jsonl -o model/
    """
    from newsdesk.cli.rank.steps import fit_progress, library_warnings
    from newsdesk.commenters.commenter import commenter
    from newsdesk.models import check_free, write_article_list

    unfitted = commenter(model, **({"minutes": minutes} if minutes else {}))
    check_free(out, overwrite=force)
    threads = list(files.read(train))
    held_out = list(files.read(dev)) if dev else None
    with library_warnings(), fit_progress() as progress:
        checkpoints = Path(out) / "checkpoints"
        fitted = unfitted.fit_resumably(checkpoints, threads, held_out, progress)
    fitted.save(out, overwrite=force)
    shutil.rmtree(checkpoints, ignore_errors=True)
    write_article_list(out, (each.article for each in [*threads, *(held_out or ())]))
    click.echo(fitted.summary, err=True)
