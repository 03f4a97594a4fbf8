"""The options that the verbs of `newsdesk study` share, and how a result is printed and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import refuse_existing
from newsdesk.cli.options import flag, option
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.studies.sweep import StudyFiles, SweepResult

_OPTIONS = options.group(
    options.samples,
    options.seed,
    options.jobs(),
    option(
        "-o",
        "--out",
        "Write the result to NAME.json, and a page with a plot to NAME.html.",
        metavar="NAME.json",
    ),
    options.as_json(),
    flag("--force", "Overwrite existing files and start over."),
)


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The values of the options that all studies of summarizers have."""

    samples: int
    seed: int
    jobs: int
    out: str | None
    as_json: bool
    force: bool

    def files(self) -> StudyFiles | None:
        """Return the output files, if any.

        Nothing is overwritten without --force, and an unfinished study resumes from its log.
        """
        if self.out is None:
            return None
        from newsdesk.studies.sweep import study_files

        files = study_files(self.out)
        if files.out.suffix != ".json":
            raise click.BadParameter(f"{self.out!r} does not end in .json", param_hint="--out")
        for file in (files.out, files.page):
            refuse_existing(file, force=self.force)
        if self.force:
            files = study_files(self.out, restart=True)
        elif files.log.exists():
            click.echo(f"resuming from {files.log}", err=True)
        return files

    def show(self, files: StudyFiles | None, result: SweepResult) -> None:
        """Write a study to its files, if any, and print it."""
        if files:
            files.write(result)
            click.echo(f"wrote {files.out} and {files.page}", err=True)
        click.echo(json_text(result.as_json()) if self.as_json else result.text())


def study_options(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with the options that all studies of summarizers have.

    It gets them as one argument, `study`.
    """

    @_OPTIONS
    @wraps(function)
    def gathered(
        *,
        samples: int,
        seed: int,
        jobs: int,
        out: str | None,
        as_json: bool,
        force: bool,
        **rest: Any,
    ) -> None:
        study = StudyOptions(
            samples=samples, seed=seed, jobs=jobs, out=out, as_json=as_json, force=force
        )
        function(study=study, **rest)

    return gathered


def check_measure(measure: str) -> None:
    """Refuse a measure that studies of summarizers do not compute."""
    from newsdesk.summarizers.evaluate import MEASURES

    if measure not in MEASURES:
        raise click.BadParameter(
            f"{measure!r} is none of {', '.join(MEASURES)}", param_hint="--measure"
        )


def numbers(text: str, name: str) -> list[int]:
    """Parse comma-separated whole numbers."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list like 5,10,20", param_hint=name) from None
