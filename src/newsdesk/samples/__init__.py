"""A small newsroom written by us (CC0-1.0): fiction from the invented republic of Calverra that reads like the real thing.

Twelve events over five days, three of them parts of stories that go on; their articles from ten invented outlets; portal pages; reader
comments in English, Chinese and Japanese with likes, grades and votes; outputs of four summarizers with ranks. The texts and the
judgment behind every mark are by hand; the single grades and votes are drawn around that judgment with a fixed seed, so their
agreement is by construction and no evidence about real panels.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from newsdesk import packaged
from newsdesk.errors import SpecError
from newsdesk.languages import LISTED
from newsdesk.records import read
from newsdesk.records.tables import CsvRows
from newsdesk.types import (
    Cluster,
    ControlQuestion,
    Event,
    Judgment,
    Output,
    Reference,
    References,
    Thread,
)

LAYOUTS = ("paragraph", "heading", "table", "wikitext")


def path(name: str) -> Path:
    """Return the path of a sample file, as in `path("clusters.jsonl")`."""
    return packaged.path("samples", "data", name)


def events() -> list[Event]:
    """Return the twelve events as their editors told them."""
    return list(read(path("events.jsonl"), Event))


def clusters() -> list[Cluster]:
    """Return the clusters of articles, one for each event."""
    return list(read(path("clusters.jsonl"), Cluster))


def portal_pages(layout: str = "paragraph") -> list[Path]:
    """Return the five day pages that list the events, in one of the layouts that the portal has had."""
    if layout not in LAYOUTS:
        raise SpecError(f"there are sample pages as {', '.join(LAYOUTS)}, not as {layout!r}")
    folder = path("portal" if layout == LAYOUTS[0] else f"portal-{layout}")
    return sorted(page for page in folder.iterdir() if page.suffix in (".html", ".wiki"))


def warc() -> Path:
    """Return a crawl of the 76 articles, and of a few things that are no articles, as a WARC file."""
    return path("articles.warc.gz")


def threads(lang: str = "en") -> list[Thread]:
    """Return articles with their comments: twelve in English, two each in Chinese and Japanese."""
    if lang not in LISTED:
        raise SpecError(f"there are sample threads in {', '.join(LISTED)}, not in {lang!r}")
    return list(read(path(f"threads-{lang}.jsonl"), Thread))


def outputs() -> list[Output]:
    """Return what four summarizers wrote about each event."""
    return list(read(path("outputs.jsonl"), Output))


def controls() -> list[ControlQuestion]:
    """Control questions for the constructive task: a comment, its event, the plain answer and why."""
    return list(read(path("controls.jsonl"), ControlQuestion))


def judgments(protocol: str) -> Iterator[Judgment]:
    """Yield judgments: `grade` (two of five graders), `constructive` (ten voters), `rank` (three people)."""
    if protocol == "rank":
        yield from read(path("ranks.jsonl"), Judgment)
        return
    if protocol not in ("grade", "constructive"):
        raise SpecError(f"the samples have grade, constructive and rank, not {protocol!r}")
    article_of = {
        comment.id: thread.article.id
        for lang in LISTED
        for thread in threads(lang)
        for comment in thread.comments
    }
    for row in _marks():
        comment = row["comment"]
        item = article_of[comment]
        marks = _grades(row) if protocol == "grade" else _votes(row)
        for annotator, value in marks:
            yield Judgment(
                campaign=f"sample-{protocol}",
                task=comment,
                item=item,
                target=comment,
                question=protocol,
                value=value,
                annotator=annotator,
                via="import",
            )


def references(lang: str = "en") -> list[References]:
    """Return the comments of each thread as references; a mean grade of 1 weighs 0, of 5 weighs 1."""
    grade = {row["comment"]: (int(row["grade1"]) + int(row["grade2"])) / 2 for row in _marks()}
    return [
        References(
            thread.article.id,
            tuple(
                Reference(comment.text, (grade[comment.id] - 1) / 4) for comment in thread.comments
            ),
            lang=lang,
        )
        for thread in threads(lang)
    ]


def _marks() -> list[dict[str, str]]:
    text = path("marks.tsv").read_text("utf-8")
    names, *rows = CsvRows(text.splitlines(), "\t")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _grades(row: dict[str, str]) -> Iterator[tuple[str, int]]:
    for number in ("1", "2"):
        yield row[f"grader{number}"], int(row[f"grade{number}"])


def _votes(row: dict[str, str]) -> Iterator[tuple[str, bool]]:
    for number, vote in enumerate(row["votes"], 1):
        yield f"w{number}", vote == "y"
