"""What the verbs of `newsdesk study` share: their options, the files of a study, and the log that lets it go on after a kill."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from newsdesk.studies.report import Section
    from newsdesk.types import Score

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--samples", default=10_000, show_default=True, help="Bootstrap draws."),
    click.option("--seed", default=0, show_default=True, help="Seed of all draws."),
    click.option("--jobs", default=1, show_default=True, help="Processes to summarize in."),
    click.option("-o", "--out", help="Write NAME.json, and NAME.html with a picture."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
    click.option("--force", is_flag=True, help="Replace files that are there, and start over."),
)


def study_options(function: F) -> F:
    """The options that every study of summarizers has."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Where a study is written: `out` as JSON, a page beside it, and until then a log."""

    out: Path | None
    log: Path | None

    def write(self, found: dict[str, Any], lead: str, section: Section) -> None:
        """Write the study and drop its log."""
        if self.out is None or self.log is None:
            return
        from newsdesk.files import atomic
        from newsdesk.studies.report import page

        picture = self.out.with_suffix(".html")
        with atomic(picture) as stream:
            stream.write(page(section.title, lead, [section]).encode("utf-8"))
        with atomic(self.out) as stream:
            stream.write(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8") + b"\n")
        self.log.unlink()
        click.echo(f"wrote {self.out} and {picture}", err=True)


def study_files(out: str | None, *, force: bool) -> StudyFiles:
    """Refuse to overwrite; find the log of an unfinished study, or drop it when forced."""
    from newsdesk.errors import FileError
    from newsdesk.registry import require

    if out is None:
        return StudyFiles(None, None)
    require("matplotlib", extra="report", what="drawing a picture")  # now, and not after the work
    path = Path(out)
    if path.suffix != ".json":
        raise click.BadParameter(f"{out!r} does not end in .json", param_hint="--out")
    for file in (path, path.with_suffix(".html")):
        if file.exists() and not force:
            raise FileError(f"{file}: exists already; add --force to replace it")
    log = path.with_suffix(".log.jsonl")
    if force:
        log.unlink(missing_ok=True)
    elif log.exists():
        click.echo(f"going on from {log}", err=True)
    return StudyFiles(path, log)


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
    low, high = score.ci or (score.value, score.value)
    return f"{score.value:.4f} [{low:.4f}, {high:.4f}]"


def numbers(text: str, option: str) -> list[int]:
    """Whole numbers with commas."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a list like 5,10,20", param_hint=option
        ) from None
