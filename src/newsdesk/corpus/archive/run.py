"""The archive step: every cited source gets one outcome, and those that are articles go to a WARC file.

Threads ask the network; this process judges what came back and writes it, one URL after the other, before a thread gets another URL. So a
run that is killed leaves at most as many URLs without an outcome, though asked, as there are threads.

Sites answer with status 200 where an article is gone: they redirect to their front page, show an error page, or ask for a login. What gives them
away is the address that was reached, what title and first lines say, and that there is little text. The word lists are ours; a
long text is taken for an article whatever its title says, as there are articles about error pages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from newsdesk import __version__, packaged
from newsdesk.corpus.archive.client import (
    FAILED,
    GONE,
    HOME_PAGE,
    LOGIN,
    NO_TEXT,
    NOT_HTML,
    OBTAINED,
    SOFT_404,
    TOO_LARGE,
    TRANSIENT,
    TRUNCATED,
    UNARCHIVED,
    ArchiveSettings,
    SourceOutcome,
)
from newsdesk.corpus.archive.polite import AGENT, Pace, Visitor
from newsdesk.corpus.archive.rot import (
    ArchiveReport,
    Cited,
    CitedSource,
    cited_sources,
    report_of,
    write_report,
)
from newsdesk.corpus.archive.store import (
    ArchiveStore,
    open_store,
    page_record,
    read_ledger,
    stored_response,
)
from newsdesk.corpus.archive.wayback import Fetched, Lookup
from newsdesk.corpus.extract import extract
from newsdesk.corpus.pages import PAGE_ERRORS, UnreadableError, html_of, url_key
from newsdesk.errors import PageError
from newsdesk.network import Answer, Client
from newsdesk.work.progress import Finished, OnProgress, counting, silent
from newsdesk.work.tasks import UnitTimeout, cpu_limit

_FRONT = re.compile(r"/*(?:index|home|default)?(?:\.\w{2,5})?/*", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input[^>]{0,300}type\s*=\s*[\"']?password", re.IGNORECASE)
_SEGMENTS = re.compile(r"[/.?=&]+")
_TITLE_PARTS = re.compile(r"\s[|–—:·-]+\s|[|:]")
_LITTLE_CHARACTERS = 1_000
_OPENING_CHARACTERS = 300
_EXTRACTION_S = 30.0


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """What a page is: an outcome, and for an article its title and how long its text is."""

    outcome: str
    title: str | None = None
    characters: int | None = None


def judge(
    answer: Answer, cited: str, reached: str, *, crawled: str, min_characters: int, max_bytes: int
) -> PageVerdict:
    """Return the verdict on the answer for a cited address; `reached` is the address of the copy.

    `crawled` is the day of the copy; a text is an article from `min_characters` on.
    """
    if answer.status in (404, 410):
        return PageVerdict(GONE)
    if answer.status != 200:
        return PageVerdict(NOT_HTML)
    if is_front_page(reached) and not is_front_page(cited):
        return PageVerdict(HOME_PAGE)
    if _asks_for_login(reached) and not _asks_for_login(cited):
        return PageVerdict(LOGIN)
    try:
        html, charset = html_of(stored_response(answer), max_bytes=max_bytes)
    except UnreadableError as error:
        return PageVerdict(error.reason if error.reason in (NOT_HTML, TOO_LARGE) else TRUNCATED)
    try:
        with cpu_limit(_EXTRACTION_S):
            page = extract(html, cited, crawled=crawled, charset=charset, max_bytes=max_bytes)
    except PageError as error:
        return PageVerdict(PAGE_ERRORS.get(error.kind, NO_TEXT))
    except UnitTimeout:
        return PageVerdict(FAILED)
    except Exception:  # noqa: BLE001 - parsers raise anything on hostile pages; one page is one outcome
        return PageVerdict(FAILED)
    return PageVerdict(
        _kind(html, page.title or "", page.text, min_characters), page.title, len(page.text)
    )


def is_front_page(url: str) -> bool:
    """Return whether an address is that of a site's front page.

    >>> is_front_page("https://www.a.example/index.html"), is_front_page("https://a.example/news/1")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return _FRONT.fullmatch(parts.path) is not None and "?" not in url_key(url)


def _asks_for_login(url: str) -> bool:
    words = packaged.sections("corpus.archive", "phrases.txt")["login paths"]
    try:
        path = urlsplit(url).path.lower()
    except ValueError:
        return False
    return any(segment in words for segment in _SEGMENTS.split(path))


def _kind(html: bytes, title: str, text: str, min_characters: int) -> str:
    """Return what a page of status 200 is; of a long text only the title gives an error page away."""
    enough = len(text) >= max(1, min_characters)
    if len(text) <= _LITTLE_CHARACTERS:
        phrases = packaged.sections("corpus.archive", "phrases.txt")
        opening = title.lower() if enough else f"{title}\n{text[:_OPENING_CHARACTERS]}".lower()
        parts = [part.strip() for part in _TITLE_PARTS.split(title.lower())]
        if any(part in phrases["whole titles"] for part in parts):
            return SOFT_404
        if any(phrase in opening for phrase in phrases["not found"]):
            return SOFT_404
        asks = not enough and any(phrase in opening for phrase in phrases["login"])
        if asks or _PASSWORD.search(html):
            return LOGIN
    return OBTAINED if enough else NO_TEXT


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked again: with `retry` what failed for a while, with `overwrite` everything."""

    retry: bool = False
    overwrite: bool = False


def archive(
    cited: Iterable[Cited],
    out: str | os.PathLike[str],
    *,
    settings: ArchiveSettings | None = None,
    asking: Asking | None = None,
    refuses: Callable[[str], bool] = lambda url: False,
    progress: OnProgress = silent,
) -> ArchiveReport:
    """Bring the archive folder `out` up to date with cited sources and articles without text.

    `progress` is called after each URL that was asked. A URL that has an outcome is not asked again, except where Save Page
    Now is allowed only now. One that `refuses` is true of is counted, and neither asked for nor written down.
    """
    settings, asking = settings or ArchiveSettings(), asking or Asking()
    listed = cited_sources(cited)
    sources = [source for source in listed if not refuses(source.url)]
    with open_store(out, overwrite=asking.overwrite) as (folder, store):
        pending = [source for source in sources if _is_pending(store, source, settings, asking)]
        _ask_all(pending, store, settings, counting(progress, len(pending)))
        report = report_of(sources, read_ledger(folder), refused=len(listed) - len(sources))
        write_report(folder, report)
    return report


def _is_pending(
    store: ArchiveStore, source: CitedSource, settings: ArchiveSettings, asking: Asking
) -> bool:
    """Return whether a source has no outcome yet, or one that asking again may change."""
    outcome = store.known.get(source.key)
    if outcome is None or (asking.retry and outcome in TRANSIENT):
        return True
    return settings.save and outcome in UNARCHIVED


def _ask_all(
    pending: Sequence[CitedSource],
    store: ArchiveStore,
    settings: ArchiveSettings,
    finished: Finished,
) -> None:
    """Ask the archive for each source in threads, and write its outcome to the store."""
    if not pending:
        return
    agent = f"{AGENT}/{__version__}" + (f" ({settings.contact})" if settings.contact else "")
    pace = Pace(1 / settings.rate_per_s)
    threads = settings.concurrency
    with (
        Client(
            agent=agent,
            timeout_s=settings.timeout_s,
            max_bytes=settings.max_bytes,
            connections=threads + 1,
        ) as client,
        ThreadPoolExecutor(threads) as pool,
    ):
        lookup = Lookup(Visitor(client, pace, settings), settings)
        running: set[Future[Fetched]] = set()
        try:
            for source in pending:
                if len(running) == threads:
                    running = _settled(running, store, settings, finished)
                running.add(pool.submit(lookup.fetch, source))
            while running:
                running = _settled(running, store, settings, finished)
        finally:
            pace.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _settled(
    running: set[Future[Fetched]],
    store: ArchiveStore,
    settings: ArchiveSettings,
    finished: Finished,
) -> set[Future[Fetched]]:
    """Wait for a URL and write all outcomes that are there; return the URLs that are still asked."""
    done, still = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        outcome, page = _judged(future.result(), settings)
        store.add(outcome, page)
        finished(outcome.url)
    return still


def _judged(fetched: Fetched, settings: ArchiveSettings) -> tuple[SourceOutcome, bytes | None]:
    """Return the final outcome of a source, and the WARC record of its page if that is an article."""
    answer, snapshot = fetched.answer, fetched.snapshot
    if answer is None or snapshot is None:
        return fetched.outcome, None
    verdict = judge(
        answer,
        cited=fetched.outcome.url,
        reached=snapshot.url,
        crawled=snapshot.day.isoformat(),
        min_characters=settings.min_characters,
        max_bytes=settings.max_bytes,
    )
    outcome = replace(
        fetched.outcome,
        outcome=verdict.outcome,
        title=verdict.title,
        characters=verdict.characters,
    )
    return outcome, _page(outcome, answer)


def _page(outcome: SourceOutcome, answer: Answer) -> bytes | None:
    if outcome.outcome != OBTAINED or outcome.snapshot is None:
        return None
    return page_record(outcome.url, outcome.snapshot, answer)
