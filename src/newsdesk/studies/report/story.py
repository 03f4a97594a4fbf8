"""A report as one page: the verdict first, then a chapter per result, each with its verdict, pictures, tables, command and signatures."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import make_folder, write_text
from newsdesk.registry import require
from newsdesk.results.page import Chapter, Section, page
from newsdesk.results.table import Table
from newsdesk.studies.report.inputs import (
    Content,
    Result,
    kind_of,
    read_results,
    script_lines,
)

_SIMULATED = (
    "The data of this study is simulated: its numbers say nothing about real systems or people."
)


@dataclass(frozen=True, slots=True)
class Report:
    """The chapters of a report in the order of the story, and the JSON files that are no results."""

    chapters: tuple[Chapter, ...]
    unused: tuple[str, ...] = ()
    simulated: bool = False

    def html(self, title: str, *, date: str = "") -> str:
        """Return the report as one self-contained page; `date` stands on a line of its own."""
        first, *others = self.chapters
        several = f"{len(self.chapters)} results, the strongest evidence first. " if others else ""
        lead = several + (_SIMULATED if self.simulated else "")
        # The verdict of the first chapter stands above everything else already.
        sections = [first.section, *(_with_verdict(each) for each in others)]
        return page(title, lead.strip(), sections, verdict=first.verdict, date=date, exports=True)

    @property
    def tables(self) -> Iterator[tuple[str, Table]]:
        """Every table with a name for its files, numbered in the order of the page."""
        listed = (
            (chapter.section.title, table)
            for chapter in self.chapters
            for table in chapter.section.tables
        )
        for number, (title, table) in enumerate(listed, 1):
            slug = re.sub(r"\W+", "-", title.lower()).strip("-")
            yield f"{number:02d}-{slug}", table

    def write_tables(
        self, folder: str | os.PathLike[str], *, overwrite: bool = False
    ) -> list[Path]:
        """Write every table as Markdown, LaTeX and CSV into a folder."""
        target = make_folder(folder)
        written = []
        for name, table in self.tables:
            forms = (("md", table.markdown()), ("tex", table.latex()), ("csv", table.csv()))
            for suffix, text in forms:
                path = target / f"{name}.{suffix}"
                write_text(path, text.rstrip("\n") + "\n", overwrite=overwrite)
                written.append(path)
        return written


def read_report(paths: Sequence[str | os.PathLike[str]]) -> Report:
    """Return the report of the results in files and folders."""
    require("matplotlib", extra="report", what="drawing a picture")
    results, unused = read_results(paths)
    if not results:
        names = ", ".join(map(str, paths))
        raise ArgumentError(
            f"there is no result in {names}; write one with `newsdesk score … --json -o scores.json`"
        )
    chapters = [_chapter(repeat) for repeat in _without_repeats(results)]
    simulated = any(_is_simulated(Path(path)) for path in paths)
    return Report(tuple(chapters), tuple(unused), simulated)


def result_page(content: Content, command: str, title: str) -> str:
    """Return the page of one result, as the command that computed it writes it with `-o NAME.html`."""
    kind = kind_of(content)
    if kind is None:
        raise ArgumentError("no result that a report knows")
    return Report((_chapter(Result("", kind, content, command)),)).html(title)


def _without_repeats(results: Iterable[Result]) -> list[Result]:
    """Return the results without the status of campaigns whose report is there."""
    listed = list(results)
    reported = {each.content["campaign"] for each in listed if each.kind.name == "campaign"}
    return [
        each
        for each in listed
        if each.kind.name != "status" or each.content["campaign"] not in reported
    ]


def _chapter(result: Result) -> Chapter:
    module, _, name = result.kind.chapter.partition(":")
    build: Callable[[Content], Chapter] = getattr(import_module(f"newsdesk.{module}"), name)
    try:
        chapter = build(result.content)
    except (DataError, KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        if isinstance(error, DataError) and error.file:
            raise
        said = error.reason if isinstance(error, DataError) else f"{type(error).__name__} {error}"
        printed = f"not as `newsdesk {result.kind.printed_by}` prints it"
        raise DataError(f"{printed}: {said}", file=result.file) from error
    chapter.section.summary = chapter.verdict.sentence
    verdict = dataclasses.replace(chapter.verdict, command=result.command)
    return Chapter(verdict, chapter.section.command(result.command))


def _with_verdict(chapter: Chapter) -> Section:
    section = Section(chapter.section.title).verdict(chapter.verdict).extend(chapter.section)
    section.summary = chapter.section.summary
    return section


def _is_simulated(path: Path) -> bool:
    """Return whether a folder's scripts simulate the data of the study."""
    folder = path if path.is_dir() else path.parent
    return any(line.startswith("newsdesk simulate ") for line in script_lines(folder))
