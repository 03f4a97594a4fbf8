"""The page of a build: the funnel of losses from pages to clusters, every reason with its count, the aligner's curves, and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from newsdesk.corpus.align.measured import measured_from, measured_section
from newsdesk.corpus.build.settings import BuildSettings
from newsdesk.corpus.tally import StepTally
from newsdesk.results.page import Cell, Section, page


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the funnel: what it counts, in what it turns them, and its accounts."""

    unit: str
    into: str
    tally: StepTally


def build_page(
    stages: Sequence[Stage],
    settings: BuildSettings,
    files: Mapping[str, int | None],
    aligner: Mapping[str, Any],
) -> str:
    """Return the whole page, self-contained.

    `aligner` holds its signature and measures, as the build stored them.
    """
    lead = "Every page, bullet and article that went in is either in the clusters or counted here with the reason why not."
    name = f"{aligner['signature']}\nfitted on {aligner['fitted_on']}"
    sections = [
        funnel_section(stages),
        reasons_section(stages),
        measured_section(measured_from(aligner), name),
        _outputs(files),
        _settings(settings),
    ]
    return page("newsdesk: a corpus", lead, sections)


def funnel_section(stages: Sequence[Stage]) -> Section:
    """Return what each step read and kept, as bars and as a table."""
    section = Section(
        "The funnel of losses",
        "What each step read and kept. A bar is the share of what the step read that it kept.",
    )
    section.figure(_bars(stages), "From pages and bullets to clusters")
    rows: list[list[Cell]] = [
        [
            stage.tally.step,
            stage.unit,
            stage.tally.read,
            stage.tally.kept,
            stage.into,
            _share(stage),
        ]
        for stage in stages
    ]
    table = Section("The same as a table")
    return section.fold(table.table(["step", "reads", "read", "kept", "as", "share kept"], rows))


def _share(stage: Stage) -> str:
    read = stage.tally.read
    return f"{100 * stage.tally.kept / read:.1f} %" if read else "–"


def _bars(stages: Sequence[Stage]) -> str:
    """Return one bar a step, as HTML: it reads on a phone and needs no drawing library."""
    bars = []
    for stage in stages:
        read, kept = stage.tally.read, stage.tally.kept
        percent = 100 * kept / read if read else 0
        bars.append(
            f'<div style="margin:.5em 0"><div>{escape(stage.tally.step)}: {read:,} {escape(stage.unit)} → '
            f"{kept:,} {escape(stage.into)}</div>"
            f'<div style="background:#7d858d33"><div style="background:#2a7f6f;height:.8em;width:{percent:.2f}%"></div></div></div>'
        )
    return "".join(bars)


def reasons_section(stages: Sequence[Stage]) -> Section:
    """Return how many records each step lost for each reason."""
    section = Section(
        "Losses by reason", "The losses of each step by reason, and counts that are not losses."
    )
    for stage in stages:
        rows: list[list[Cell]] = []
        rows += [[reason, count, "lost"] for reason, count in _sorted(stage.tally.dropped)]
        rows += [[what, count, "note"] for what, count in _sorted(stage.tally.notes)]
        caption = f"{stage.tally.step}: {stage.unit}"
        if rows:
            section.table(["what", "count", ""], rows, caption)
        else:
            section.text(f"{caption}: nothing was lost.")
    return section


def _sorted(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _outputs(files: Mapping[str, int | None]) -> Section:
    section = Section("Files", "What the build wrote; manifest.json holds the sha256 of each file.")
    return section.table(["file", "records"], [[name, count] for name, count in files.items()])


def _settings(settings: BuildSettings) -> Section:
    section = Section("Settings", "As the build used them, with the defaults of what was left out.")
    rows: list[list[Cell]] = []
    for table, values in asdict(settings).items():
        if not isinstance(values, dict):
            rows.append([table, _shown(values)])
            continue
        rows += [[f"{table}.{key}", _shown(value)] for key, value in values.items()]
    return section.table(["setting", "value"], rows)


def _shown(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else str(value)
