"""Many portal pages, or files of events, as one list of events: pages that cannot be read are counted with the reason, repeated events are merged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from newsdesk import __version__, records
from newsdesk.corpus.forgotten import Forgotten
from newsdesk.corpus.portal.events import COLLISION, NO_DATE, NO_TEXT, STEP, events_of, merged
from newsdesk.corpus.portal.html import read_html
from newsdesk.corpus.portal.passage import Day, day_of_file
from newsdesk.corpus.portal.wikitext import is_wikitext, read_wikitext
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, atomic, make_folder
from newsdesk.jsonl import json_value
from newsdesk.records.schema import schema_of
from newsdesk.types import Event
from newsdesk.work import Digests, Running, UnitTimeout, Watch, WorkTask, digest_of
from newsdesk.work.tasks import TIMEOUT

INLINE = Running("inline")
SUFFIXES = (".html", ".htm", ".txt", ".wiki", ".wikitext")
ON_ANOTHER_PAGE = "on another page too (sources merged)"
# What is lost for good, other than bullets that are empty, navigation or merged.
_LOSSES = (NO_DATE, NO_TEXT, COLLISION)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The events of a page, and the account of its leaf bullets."""

    events: tuple[Event, ...]
    tally: StepTally


def parse_page(text: str, *, name: str, date: str | None = None) -> Parsed:
    """Read a day or month page of the portal: HTML of any layout, or wikitext.

    The date comes from the page, else from the file's name, else from `date`. A page with nothing of the portal in it is refused.
    """
    try:
        days = read_wikitext(text) if is_wikitext(text) else read_html(text, name=name)
        if not days:
            raise DataError("no day of the portal is on this page", file=name)
        accounts = Accounts(STEP)
        events = events_of(_dated(days, day_of_file(name) or date), accounts)
    except RecursionError as error:
        raise DataError("its elements are nested too deep", file=name) from error
    except DataError as error:
        raise error if error.file else error.at(name, None) from None
    return Parsed(tuple(events), accounts.tally())


def _dated(days: Sequence[Day], date: str | None) -> list[Day]:
    """Give days a date from elsewhere where the page names none at all."""
    if any(day.date for day in days):
        return list(days)
    return [replace(day, date=date) for day in days]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A page that could not be read, and why."""

    page: str
    reason: str


@dataclass(frozen=True, slots=True)
class Collected:
    """Events by day, the accounts of pages and of leaf bullets, and the pages that were refused."""

    events: tuple[Event, ...]
    pages: StepTally
    bullets: StepTally
    refusals: tuple[Refusal, ...]

    @property
    def rejected(self) -> int:
        """How many pages and bullets were lost."""
        return len(self.refusals) + sum(self.bullets.dropped.get(reason, 0) for reason in _LOSSES)


def find_pages(inputs: Iterable[str], *, output: Path | None = None) -> list[str]:
    """Return the files to read: each input, or the pages in it and below if it is a folder.

    Hidden files and folders are passed over, and so is the folder `output`, which a build writes pages of its own to.
    """
    written = output.resolve() if output else None
    pages: list[str] = []
    for name in inputs:
        if not Path(name).is_dir():
            pages.append(name)
            continue
        pages_inside = sorted(
            str(path)
            for path in Path(name).rglob("*")
            if path.is_file()
            and _is_page(path.relative_to(name))
            and not (written and path.resolve().is_relative_to(written))
        )
        if not pages_inside:
            raise FileError(
                f"{name}: no page ({', '.join(SUFFIXES)}, or with .gz) is in this folder"
            )
        pages += pages_inside
    return pages


def _is_page(path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and path.name.lower().removesuffix(".gz").endswith(SUFFIXES)


@dataclass(frozen=True, slots=True)
class PortalFile:
    """A portal page: its name in reports, its path, and the key of its content and settings."""

    name: str
    path: str
    key: str


def portal_pages(
    inputs: Sequence[str], digests: Digests, *, root: Path, output: Path, date: str | None
) -> list[PortalFile]:
    """Return the pages among the inputs, relative to `root`; those in `output` are none."""
    pages = []
    for path in find_pages([str(root / name) for name in inputs], output=output):
        name = Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path
        pages.append(PortalFile(name, path, digest_of([__version__, name, digests.of(path), date])))
    return pages


def collect(
    pages: Iterable[str | PortalFile],
    *,
    date: str | None = None,
    running: Running = INLINE,
    cache: Path | None = None,
    forgotten: str | None = None,
) -> Collected:
    """Read the events of pages, one task each.

    `date` is for those that say it neither inside nor in their name.

    With a folder `cache` only pages are parsed whose key is new there, and files that belong to none of `pages` are deleted from it. Sources that the list in the folder `forgotten` names are left out of events.
    """
    files = [page if isinstance(page, PortalFile) else PortalFile(page, page, "") for page in pages]
    outs = [make_folder(cache) / f"{file.key[:32]}.json" if cache else None for file in files]
    tasks = [
        WorkTask(
            file.name,
            "newsdesk.corpus.portal.collect:parse_task",
            {
                "name": file.name,
                "path": file.path,
                "out": str(out) if out else None,
                "date": date,
                "forgotten": forgotten,
            },
        )
        for file, out in zip(files, outs, strict=True)
        if out is None or not out.is_file()
    ]
    results = running.run(tasks)
    if cache is None:
        return gather(results)
    # Tasks with a file for their result returned None; files of pages that are gone are deleted.
    for path in set(cache.iterdir()) - set(outs):
        path.unlink()
    return gather(_result(json_value(out.read_bytes())) for out in outs if out)


def parse_task(
    watch: Watch,
    *,
    name: str,
    path: str,
    out: str | None,
    date: str | None,
    forgotten: str | None,
) -> Parsed | Refusal | None:
    """Parse one page; what came of it is written to `out`, or returned where there is none."""
    result: Parsed | Refusal
    if 0 in watch.skip:
        result = Refusal(name, watch.skip[0])
    else:
        try:
            with watch.unit(0, 0):
                result = read_page(path, date=date, name=name)
        except UnitTimeout:
            result = Refusal(name, TIMEOUT)
    if isinstance(result, Parsed) and forgotten:
        result = _without(result, Forgotten.load(forgotten))
    if out is None:
        return result
    with atomic(out) as stream:
        stream.write(json.dumps(_as_json(result), ensure_ascii=False).encode("utf-8"))
    return None


def read_page(page: str, *, date: str | None = None, name: str | None = None) -> Parsed | Refusal:
    """Return the events of one file, which reports call `name`, or the reason why there are none.

    A file of records (.jsonl) has its events ready, in our format or as published.
    """
    try:
        if page.removesuffix(".gz").endswith(".jsonl"):
            return _ready(page)
        return parse_page(_read(page), name=name or page, date=date)
    except DataError as error:
        return Refusal(name or page, error.reason)


def _ready(page: str) -> Parsed:
    """Return the events of a file of records."""
    accounts = Accounts(STEP)
    events = tuple(records.read(page, Event))
    accounts.keep(len(events))
    return Parsed(events, accounts.tally())


def gather(results: Iterable[Parsed | Refusal]) -> Collected:
    """Return what was read from several pages as one list of events, with the accounts of all."""
    page_accounts = Accounts("pages")
    refusals: list[Refusal] = []
    events: list[Event] = []
    bullets = StepTally(STEP, 0, 0, {})
    for result in results:
        if isinstance(result, Refusal):
            page_accounts.drop(result.reason)
            refusals.append(result)
            continue
        page_accounts.keep()
        page_accounts.note("without events", int(not result.events))
        events += result.events
        bullets += result.tally
    repeats = Accounts(STEP)
    unique = merged(events, repeats, ON_ANOTHER_PAGE)
    unique.sort(key=lambda event: event.date)
    return Collected(
        tuple(unique), page_accounts.tally(), _after(bullets, repeats.tally()), tuple(refusals)
    )


def _read(page: str) -> str:
    """Return the text of a page, as UTF-8 or in the character set that it names."""
    source = b"\n".join(line for _, line in InputFile(page).lines())
    for charset in ("utf-8", *_charsets(source)):
        try:
            return source.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
    raise DataError("not UTF-8, and no other character set is named", file=page)


def _charsets(source: bytes) -> Iterator[str]:
    if match := _CHARSET.search(source[:4096]):
        yield match.group(1).decode("ascii", "replace")


def _after(first: StepTally, second: StepTally) -> StepTally:
    """Return the account of a pass and of a second one over what the first kept."""
    dropped = dict(first.dropped)
    for reason, count in second.dropped.items():
        dropped[reason] = dropped.get(reason, 0) + count
    return StepTally(first.step, first.read, second.kept, dropped, first.notes)


def _without(parsed: Parsed, refused: Forgotten) -> Parsed:
    """Return the events without the sources that were forgotten."""
    events = tuple(
        replace(
            event,
            sources=tuple(
                source for source in event.sources if not refused.refuses(url=source.url)
            ),
        )
        for event in parsed.events
    )
    return replace(parsed, events=events)


def _as_json(result: Parsed | Refusal) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"page": result.page, "reason": result.reason}
    events = [schema_of(Event).encode(event) for event in result.events]
    return {"events": events, "tally": result.tally.as_json()}


def _result(value: dict[str, Any]) -> Parsed | Refusal:
    if "reason" in value:
        return Refusal(value["page"], value["reason"])
    events = tuple(schema_of(Event).decode(event) for event in value["events"])
    return Parsed(events, StepTally(**value["tally"]))
