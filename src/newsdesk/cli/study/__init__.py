"""`newsdesk study`: studies of metrics, systems, summarizers and annotation, and the options that studies of summarizers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from newsdesk.cli import options
from newsdesk.cli.emit import refuse_existing
from newsdesk.cli.lazy import LazyGroup
from newsdesk.cli.options import flag, option

if TYPE_CHECKING:
    from newsdesk.studies.sweep import StudyFiles, SweepResult

T = TypeVar("T")

# name → (module of this package, one-line help).
VERBS = {
    "correlate": (
        "correlate",
        "Correlate metrics with human scores, with intervals, tests and controls.",
    ),
    "compare": (
        "correlate",
        "Compare systems by metrics and human scores, with tests and groups of systems that do not differ.",
    ),
    "agreement": (
        "correlate",
        "Print means and shares of a file of judgments, and how far people agree.",
    ),
    "table5": (
        "summarizers",
        "Compare summarizers by ROUGE on the same clusters (Gholipour Ghalandari et al. 2020, Table 5).",
    ),
    "tune": (
        "summarizers",
        "Grid search of a summarizer's settings on sampled validation clusters.",
    ),
    "lengths": (
        "summarizers",
        "Find the best length of a summary by an oracle that fills each length.",
    ),
    "curve": (
        "summarizers",
        "Compute learning curves: scores by articles per cluster, comments per article or votes per comment.",
    ),
    "plan": (
        "plan",
        "Plan an annotation: the items, votes and people needed to detect a difference.",
    ),
    "next": ("plan", "List which comments or outputs to label next."),
    "claims": (
        "report",
        "Check the numbers of a paper: reproduced, drifted, or not obtainable and why.",
    ),
    "report": (
        "report",
        "Write results of other commands as one self-contained page: verdict, plots, tables, commands.",
    ),
}


@click.command("study", cls=LazyGroup, package=__name__, table=VERBS)
def study_command() -> None:
    """Study metrics, systems and annotation: correlate with people, compare, tune, plan, check claims, report.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,lead
    """


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
    """The values of the options that all studies of summarizers have, and the files of -o, if any."""

    samples: int
    seed: int
    jobs: int
    files: StudyFiles | None
    as_json: bool
    force: bool

    def run(self, title: str, study: Callable[..., T], *inputs: Any, **settings: Any) -> T:
        """Run a study with progress; one that was stopped resumes from its log, unless --force starts over."""
        from newsdesk.cli.progress import drawn

        log = self.files.log if self.files else None
        if log and self.force:
            log.unlink(missing_ok=True)
        elif log and log.exists():
            click.echo(f"resuming from {log}", err=True)
        settings |= {"samples": self.samples, "seed": self.seed, "processes": self.jobs, "log": log}
        with drawn(title) as progress:
            return study(*inputs, progress=progress, **settings)

    def show(self, result: SweepResult) -> None:
        """Write a study to its files, if any, and print it."""
        from newsdesk.jsonl import json_text

        if self.files:
            self.files.write(result)
            click.echo(f"wrote {self.files.out} and {self.files.page}", err=True)
        click.echo(json_text(result.as_json()) if self.as_json else result.text())


def study_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all studies of summarizers have, as the argument `study`."""

    @_OPTIONS
    @wraps(function)
    def gathered(*, out: str | None, force: bool, **values: Any) -> None:
        shared = {name: values.pop(name) for name in ("samples", "seed", "jobs", "as_json")}
        files = None if out is None else _free_files(out, force=force)
        function(study=StudyOptions(files=files, force=force, **shared), **values)

    return gathered


def _free_files(out: str, *, force: bool) -> StudyFiles:
    """Return the files of a study; none is overwritten without --force."""
    from newsdesk.studies.sweep import study_files

    files = study_files(out)
    if files.out.suffix != ".json":
        raise click.BadParameter(f"{out!r} does not end in .json", param_hint="--out")
    for file in (files.out, files.page):
        refuse_existing(file, force=force)
    return files
