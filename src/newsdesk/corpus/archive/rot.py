"""The pages to obtain: sources that events cite, and articles without text; and link rot: how many could be obtained, by year and by outlet, and why the others could not."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from newsdesk import records
from newsdesk.corpus.archive.client import (
    NO_SNAPSHOT,
    OBTAINED,
    REFUSED,
    TRANSIENT,
    SourceOutcome,
)
from newsdesk.corpus.pages import url_key
from newsdesk.corpus.tally import Accounts, StepTally, by_count
from newsdesk.errors import DataError
from newsdesk.files import InputFile, decode, write_text
from newsdesk.jsonl import json_text
from newsdesk.records.kinds import plural_of
from newsdesk.results.page import Cell, Section, page
from newsdesk.results.plots import bars
from newsdesk.types import Article, Cluster, Event, Thread

Cited: TypeAlias = Event | Cluster | Thread | Article | str  # a text is an address

_ARCHIVED = re.compile(
    r"https?://web\.archive\.org/web/(\d{8})\d*[a-z_]*/(https?:.+)", re.IGNORECASE
)

FORMAT = 1
REPORT = "report.json"
PAGE = "index.html"
_MOST_OUTLETS = 25


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A page to obtain: its key, its address, and the day of its copy, empty for any day."""

    key: str
    url: str
    date: str


def read_cited(path: str) -> Iterable[Cited]:
    """Return what cites pages: the records of a file, of a .txt file its lines as addresses.

    Published WCEP files are read as events.
    """
    if path.removesuffix(".gz").endswith(".txt"):
        lines = (decode(line, path, number).strip() for number, line in InputFile(path).lines())
        return (line for line in lines if line and not line.startswith("#"))
    if path == "-":
        return records.read(path, Event)
    reader = records.read_any(path)
    if reader.format == "wcep":
        reader.close()
        return records.read(path, Event)
    if reader.kind not in (None, Event, Cluster, Thread, Article):
        reader.close()
        shown = plural_of(reader.kind)
        raise DataError(
            f"this file holds {shown}; events, clusters, threads, articles or a .txt list of addresses are needed",
            file=path,
        )
    return reader


def _pages_of(record: Cited) -> Iterator[tuple[str, str]]:
    """Yield the addresses that a record asks for, with the day of each (YYYY-MM-DD, empty if unknown).

    Articles that have a text ask for nothing.
    """
    if isinstance(record, str):
        yield record, ""
        return
    if isinstance(record, Event):
        yield from ((source.url, record.date) for source in record.sources)
        return
    day = record.date if isinstance(record, Cluster) else None
    for article in articles_of(record):
        if article.url and not article.text.strip():
            yield article.url, article.date or day or ""


def articles_of(record: Article | Cluster | Thread) -> Sequence[Article]:
    """Return the articles of a record: those of a cluster, that of a thread, or the article itself."""
    if isinstance(record, Cluster):
        return record.articles
    return (record.article if isinstance(record, Thread) else record,)


def cited_sources(cited: Iterable[Cited]) -> list[CitedSource]:
    """Return the pages that events cite, or that articles without text name, in their order.

    A link to a copy in the archive stands for the page, with the day of the copy.

    >>> from newsdesk.types import Source
    >>> sources = (Source("http://a.example/x/"), Source("https://www.a.example/x"))
    >>> cited_sources([Event("e", "2019-05-01", "It happened.", sources=sources)])
    [CitedSource(key='a.example/x', url='http://a.example/x/', date='2019-05-01')]
    """
    sources: dict[str, CitedSource] = {}
    for record in cited:
        for address, day in _pages_of(record):
            url, date = address.strip(), day
            if copy := _ARCHIVED.fullmatch(url):
                copied, url = copy.groups()
                date = _day(copied) or date
            url = url.partition("#")[0]  # no server sees what follows it
            key = url_key(url)
            earlier = sources.get(key)
            if earlier is None:
                sources[key] = CitedSource(key, url, date)
            elif date and (not earlier.date or date < earlier.date):
                sources[key] = CitedSource(key, earlier.url, date)
    return list(sources.values())


def _day(digits: str) -> str | None:
    """Return the day that eight digits name; None where the calendar has no such day."""
    try:
        return datetime.date.fromisoformat(digits).isoformat()
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Rot:
    """The sources of a year or an outlet, and how many of them were obtained."""

    name: str
    sources: int
    obtained: int

    @property
    def missing(self) -> float:
        """The share that was not obtained."""
        return 1 - self.obtained / self.sources


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What became of cited sources: accounts, and link rot by year and outlet, the most cited first."""

    tally: StepTally
    years: tuple[Rot, ...]
    outlets: tuple[Rot, ...]

    @property
    def failed(self) -> int:
        """Sources that got no whole answer, which another run with `retry` may get."""
        return sum(count for reason, count in self.tally.dropped.items() if reason in TRANSIENT)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of `report.json`."""
        return {
            "format": FORMAT,
            "archive": self.tally.as_json(),
            "years": [asdict(year) for year in self.years],
            "outlets": [asdict(outlet) for outlet in self.outlets],
        }


def report_of(
    sources: Sequence[CitedSource], ledger: Iterable[SourceOutcome], refused: int = 0
) -> ArchiveReport:
    """Return the report on sources, and on how many more were refused.

    Lines of the ledger on other pages, which earlier events cited, are passed over.
    """
    outcomes: dict[str, tuple[str, bool]] = {}  # by key: the outcome, and whether it was saved
    wanted = {source.key for source in sources}
    for row in ledger:
        if row.key in wanted:
            outcomes[row.key] = (row.outcome, row.saved)
    accounts = Accounts("archive")
    accounts.drop(REFUSED, refused)
    # Sources by year or outlet, and whether they were obtained.
    years: Counter[tuple[str, bool]] = Counter()
    outlets: Counter[tuple[str, bool]] = Counter()
    for source in sources:
        outcome, saved = outcomes.get(source.key, (NO_SNAPSHOT, False))
        is_obtained = outcome == OBTAINED
        if is_obtained:
            accounts.keep()
        else:
            accounts.drop(outcome)
        if saved:
            accounts.note("Save Page Now asked")
        years[source.date[:4] or "no date", is_obtained] += 1
        outlets[outlet_of(source), is_obtained] += 1
    most_cited = sorted(_rots(outlets), key=lambda rot: (-rot.sources, rot.name))
    return ArchiveReport(accounts.tally(), tuple(_rots(years)), tuple(most_cited))


def outlet_of(source: CitedSource) -> str:
    """Return the host of a source without `www.`."""
    return source.key.partition("/")[0].partition("?")[0]


def write_report(folder: Path, report: ArchiveReport) -> None:
    """Write `report.json` and the page."""
    write_text(folder / PAGE, rot_page(report))
    write_text(folder / REPORT, json_text(report.as_json()) + "\n")


def rot_page(report: ArchiveReport) -> str:
    """Return the HTML page of link rot by year and outlet."""
    tally = report.tally
    outcomes: list[list[Cell]] = [[OBTAINED, tally.kept]]
    outcomes += [[reason, count] for reason, count in by_count(tally.dropped).items()]
    lead = "Each page that an event cites, once, and what the web archive had of it."
    sections = [Section("Outcomes", lead).table(["outcome", "sources"], outcomes)]
    for title, what, rots in (
        ("By year", "year of the event", report.years),
        ("By outlet", "outlet", report.outlets[:_MOST_OUTLETS]),
    ):
        section = Section(title).table(*rot_rows(what, rots))
        if rots:
            figure = bars([(rot.name, rot.missing) for rot in rots], "share missing")
            section.figure(figure, f"Share of the cited sources that are missing, by {what}.")
        sections.append(section)
    if len(report.outlets) > _MOST_OUTLETS:
        sections[-1].text(
            f"The {_MOST_OUTLETS} most cited of {len(report.outlets)} outlets; report.json has all of them."
        )
    return page(
        "Link rot of cited sources", f"{tally.read} sources, {tally.kept} obtained.", sections
    )


def rot_rows(what: str, rots: Sequence[Rot]) -> tuple[list[str], list[list[Cell]]]:
    """Return the header and the rows of a table of link rot; `what` is the name of its first column."""
    rows: list[list[Cell]] = [[rot.name, rot.sources, rot.obtained, rot.missing] for rot in rots]
    return [what, "sources cited", "obtained", "share missing"], rows


def _rots(counts: Counter[tuple[str, bool]]) -> list[Rot]:
    names = sorted({name for name, _ in counts})
    return [
        Rot(name, counts[name, True] + counts[name, False], counts[name, True]) for name in names
    ]
