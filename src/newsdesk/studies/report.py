"""A report of a study as one page: results recognised by content, the verdict first, then a chapter per result.

Inputs are JSON that commands printed, and threads with scores. The command of a result is the line of a script or note in the same folder that names its
file; without one it is rebuilt from the result as far as that goes, with file names in capitals.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import InputFile, make_folder, reason, write_text
from newsdesk.jsonl import json_value
from newsdesk.registry import require
from newsdesk.results.page import Chapter, Section, page
from newsdesk.results.table import Table

Content: TypeAlias = Mapping[str, Any]  # what a command printed as JSON

_SCRIPTS = (".sh", ".md", ".txt", "Makefile", ".mk")
_MOST_SCRIPT_BYTES = 200_000
_CONTINUED = re.compile(r"\s*\\\n\s*")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of result: the keys that identify it, what prints it, and `module:function` of its chapter."""

    name: str
    keys: frozenset[str]
    printed_by: str
    chapter: str


# In the order of the story: the strongest evidence first.
KINDS = (
    Kind("systems", frozenset({"systems", "comparisons", "verdict"}), "study compare --json", "results.systems:systems_chapter"),
    Kind("correlations", frozenset({"correlations"}), "study correlate --json", "results.correlations:correlations_chapter"),
    Kind("campaign", frozenset({"campaign", "protocol", "results"}), "campaign report --json", "campaigns.report:campaign_chapter"),
    Kind("rankings", frozenset({"systems", "comparisons", "ceiling"}), "rank eval --json", "studies.chapters:rankings_chapter"),
    Kind("summaries", frozenset({"systems", "above_oracle"}), "study table5 --json", "studies.table5_result:table5_chapter"),
    Kind("scores", frozenset({"scores"}), "score --json", "results.scores:scores_chapter"),
    Kind("claims", frozenset({"claims", "reproduced"}), "study claims --json", "studies.claims.result:claims_chapter"),
    Kind("status", frozenset({"campaign", "slots", "annotators"}), "campaign status --json", "campaigns.report:status_chapter"),
    Kind("threads", frozenset({"article", "comments"}), "campaign gains", "studies.chapters:examples_chapter"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """One input of a report: its file, kind and content, and the command that printed it."""

    file: str
    kind: Kind
    content: Content
    command: str


def kind_of(content: object) -> Kind | None:
    """Return the kind of a result, or None where it is none that a report knows."""
    if not isinstance(content, dict):
        return None
    return next((kind for kind in KINDS if kind.keys <= content.keys()), None)


def read_results(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Result], list[str]]:
    """Return the results in the order of the story, and the names of JSON files that are no results.

    A file that is named must be a result; in a folder other files are left alone.
    """
    results: list[Result] = []
    unused: list[str] = []
    for path in map(Path, paths):
        if not path.is_dir():
            results.append(_result(path))
            continue
        for file in sorted(entry for entry in path.iterdir() if _may_be_result(entry)):
            try:
                results.append(_result(file))
            except DataError:
                unused.append(file.name)
    order = {kind.name: index for index, kind in enumerate(KINDS)}
    return sorted(results, key=lambda result: order[result.kind.name]), unused


def _may_be_result(path: Path) -> bool:
    return path.is_file() and path.name.removesuffix(".gz").endswith((".json", ".jsonl"))


def _result(path: Path) -> Result:
    """Read a result and find its command; a file of no known kind is a DataError."""
    content = _content(path)
    kind = kind_of(content)
    if kind is None:
        commands = ", ".join(dict.fromkeys(kind.printed_by for kind in KINDS))
        raise DataError(
            f"no result that a report knows; it takes what these print: {commands}", file=str(path)
        )
    if kind.name == "threads":  # many lines, of which one was read: the chapter reads the file
        content = {"file": str(path)}
    return Result(str(path), kind, content, command_of(path, kind, content))


def _content(path: Path) -> Any:
    """Return the JSON value of a file; of JSONL its first line."""
    with_lines = path.name.removesuffix(".gz").endswith(".jsonl")
    source = InputFile(path)
    try:
        if with_lines:
            return json_value(next((line for _, line in source.texts()), ""))
        return json_value(b"".join(source.chunks()))  # UTF-16 too, which spreadsheets like to write
    except ValueError as error:
        raise DataError(f"no JSON: {error}", file=str(path)) from error
    finally:
        source.close()


def command_of(path: Path, kind: Kind, content: Content) -> str:
    """Return the command that wrote a file: as a script beside it has it, else rebuilt from the result."""
    for line in script_lines(path.parent):
        words = _words(line)
        if path.name in {Path(word).name for word in words[1:]} and _writes(words, path.name):
            return line
    return rebuilt_command(kind.name, content)


def _writes(words: Sequence[str], name: str) -> bool:
    """Return whether a command line writes the file: after `-o`, `--out` or `>`."""
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        target = word.removeprefix("--out=").removeprefix(">")
        is_output = before in ("-o", "--out", ">") or word.startswith(("--out=", ">"))
        if is_output and Path(target).name == name:
            return True
    return False


def script_lines(folder: Path) -> Iterator[str]:
    """Yield the `newsdesk` command lines of scripts and notes in a folder."""
    for file in sorted(folder.iterdir()):
        if not file.is_file() or not file.name.endswith(_SCRIPTS):
            continue
        if file.stat().st_size > _MOST_SCRIPT_BYTES:
            continue
        try:
            text = file.read_text("utf-8", "replace")
        except OSError as error:
            raise FileError(f"{file}: {reason(error)}") from error
        for line in _CONTINUED.sub(" ", text).splitlines():
            stripped = line.strip().removeprefix("$ ")
            if stripped.startswith("newsdesk "):
                yield stripped


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def rebuilt_command(kind: str, content: Content) -> str:
    """Return the command that prints a result of this kind, as far as the result tells it.

    Empty where nothing is known.
    """
    if kind not in _REBUILD:
        return ""
    try:
        return f"newsdesk {_REBUILD[kind](content)}"
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""  # the chapter says what is wrong with the result


def _scores(content: Content) -> str:
    rows = content["scores"]
    metrics = ",".join(dict.fromkeys(row["metric"] for row in rows))
    words = ["score", "OUTPUTS", "--references", "REFERENCES", "--metrics", metrics]
    if any(row.get("ci") for row in rows):
        words.append("--ci")
    if content.get("comparisons"):
        words.append("--significance")
    signatures = [row["signature"] for row in content.get("comparisons") or rows]
    return shlex.join([*words, *_drawn(signatures[0]), "--json"])


def _rankings(content: Content) -> str:
    row = content["systems"][0]
    cutoffs = ",".join(name.partition("@")[2] for name in row if name.startswith("ndcg@"))
    drawn = _drawn(row["signature"])
    if "fillers" in content:
        models = ",".join(row["system"] for row in content["systems"])
        words = ["rank", "compare", "THREADS", "--models", models]
    else:
        words = ["rank", "eval", "RUNS", "--threads", "THREADS"]
    return shlex.join([*words, "--k", cutoffs, *drawn, "--json"])


def _summaries(content: Content) -> str:
    methods = ",".join(row["system"] for row in content["systems"])
    # The limit of recall says in its signature what was counted; tokens are the default of the study.
    counts_words = "-words" in content["systems"][0]["R1-R"]["signature"].partition("|cut:")[2]
    unit = ["--unit", "words"] if counts_words else []
    return shlex.join(["study", "table5", "CLUSTERS", "--methods", methods, *unit, "--json"])


def _correlations(content: Content) -> str:
    names = dict.fromkeys(row["metric"] for row in content["correlations"])
    metrics = ",".join(name for name in names if name != "Human")
    words = ["study", "correlate", "OUTPUTS", "--references", "REFERENCES", "--human", "SCORES"]
    return shlex.join([*words, "--metrics", metrics, "--json"])


def _systems(content: Content) -> str:
    measures = {
        name: value for row in content["systems"] for name, value in row["measures"].items()
    }
    metrics = ",".join(name for name, value in measures.items() if value["kind"] == "metric")
    words = ["study", "compare", "OUTPUTS", "--references", "REFERENCES", "--metrics", metrics]
    if len(metrics.split(",")) < len(measures):
        words += ["--human", "SCORES"]
    return shlex.join([*words, "--json"])


def _campaign(content: Content) -> str:
    return shlex.join(["campaign", "report", content["campaign"], "--json"])


def _status(content: Content) -> str:
    return shlex.join(["campaign", "status", content["campaign"], "--json"])


def _drawn(signature: str) -> list[str]:
    """Return the options that a signature has: samples and seed."""
    words = []
    for name in ("samples", "seed"):
        if match := re.search(rf"\|{name}:(\d+)", signature):
            words += [f"--{name}", match[1]]
    return words


_REBUILD: dict[str, Callable[[Content], str]] = {
    "systems": _systems,
    "scores": _scores,
    "rankings": _rankings,
    "summaries": _summaries,
    "correlations": _correlations,
    "campaign": _campaign,
    "status": _status,
}


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
        sections = [first.section, *(_with_verdict(chapter) for chapter in others)]
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
    reported = {result.content["campaign"] for result in listed if result.kind.name == "campaign"}
    return [
        result
        for result in listed
        if result.kind.name != "status" or result.content["campaign"] not in reported
    ]


def _chapter(result: Result) -> Chapter:
    """Build the chapter of a result, with its command; a content that does not fit is a DataError."""
    module, _, name = result.kind.chapter.partition(":")
    build: Callable[[Content], Chapter] = getattr(import_module(f"newsdesk.{module}"), name)
    try:
        chapter = build(result.content)
    except (DataError, KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        if isinstance(error, DataError) and error.file:
            raise
        cause = error.reason if isinstance(error, DataError) else f"{type(error).__name__} {error}"
        problem = f"not as `newsdesk {result.kind.printed_by}` prints it"
        raise DataError(f"{problem}: {cause}", file=result.file) from error
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
