"""What the verbs of `newsdesk study` share: their options, the files of a study, and the log that lets it go on after a kill."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing
from newsdesk.cli.table import with_ends
from newsdesk.files import write_text
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.pages.page import Section
    from newsdesk.types import Score

_OPTIONS = (
    options.samples,
    options.seed,
    click.option("--jobs", default=1, show_default=True, help="Processes to summarize in."),
    click.option("-o", "--out", help="Write NAME.json, and NAME.html with a picture."),
    options.as_json,
    click.option("--force", is_flag=True, help="Replace files that are there, and start over."),
)


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Where a study is written: `out` as JSON, a page beside it, and until then a log."""

    out: Path

    @property
    def page(self) -> Path:
        """The page with the picture."""
        return self.out.with_suffix(".html")

    @property
    def log(self) -> Path:
        """What is done so far."""
        return self.out.with_suffix(".log.jsonl")

    def write(self, found: dict[str, Any], lead: str, section: Section) -> None:
        """Write the study and drop its log."""
        from newsdesk.pages.page import page

        write_text(self.page, page(section.title, lead, [section]))
        write_text(self.out, json.dumps(found, ensure_ascii=False, indent=1) + "\n")
        self.log.unlink()
        click.echo(f"wrote {self.out} and {self.page}", err=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a study by the options that all of them have."""

    samples: int
    seed: int
    jobs: int
    out: str | None
    as_json: bool
    force: bool

    def files(self) -> StudyFiles | None:
        """Where to write, if anywhere: nothing is overwritten unasked, and the log of an unfinished study is gone on from."""
        if self.out is None:
            return None
        from newsdesk.registry import require

        require("matplotlib", extra="report", what="drawing a picture")  # not after the work
        files = StudyFiles(Path(self.out))
        if files.out.suffix != ".json":
            raise click.BadParameter(f"{self.out!r} does not end in .json", param_hint="--out")
        for file in (files.out, files.page):
            refuse_existing(file, force=self.force)
        if self.force:
            files.log.unlink(missing_ok=True)
        elif files.log.exists():
            click.echo(f"going on from {files.log}", err=True)
        return files

    def tell(
        self,
        files: StudyFiles | None,
        found: dict[str, Any],
        shown: str,
        lead: str,
        section: Callable[[], Section],
    ) -> None:
        """Write a study where it is to be written, and print it."""
        if files:
            files.write(found, lead, section())
        click.echo(json_text(found) if self.as_json else shown)


def study_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that every study of summarizers has, given to it as one argument, `asked`."""

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
        function(asked=Asked(samples, seed, jobs, out, as_json, force), **rest)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def score_json(score: Score) -> dict[str, Any]:
    """A score as it stands in files."""
    return {
        "value": score.value,
        "ci": list(score.ci) if score.ci else None,
        "n": score.n,
        "signature": score.signature,
    }


def score_cell(score: Score) -> str:
    """A score as it stands in a table."""
    return with_ends(score.value, score.ci or (score.value, score.value))


def check_figure(figure: str) -> None:
    """Refuse a figure that no study of summarizers has."""
    from newsdesk.summarizers.evaluate import FIGURES

    if figure not in FIGURES:
        raise click.BadParameter(
            f"{figure!r} is none of {', '.join(FIGURES)}", param_hint="--figure"
        )


def numbers(text: str, option: str) -> list[int]:
    """Whole numbers with commas."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a list like 5,10,20", param_hint=option
        ) from None
