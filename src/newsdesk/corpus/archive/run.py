"""The archive step: every cited source gets one outcome, and those that are articles go to a WARC file.

Threads ask the network; this process judges what came back and writes it, one URL after the other, before a thread gets another URL. So a
run that is killed leaves at most as many URLs without an outcome, though asked, as there are threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from newsdesk import __version__
from newsdesk.corpus.archive.client import (
    OBTAINED,
    TRANSIENT,
    UNARCHIVED,
    Answer,
    ArchiveSettings,
    Client,
    SourceOutcome,
)
from newsdesk.corpus.archive.judge import judge
from newsdesk.corpus.archive.polite import AGENT, Pace, Visitor
from newsdesk.corpus.archive.rot import (
    ArchiveReport,
    CitedSource,
    cited_sources,
    report_of,
    write_report,
)
from newsdesk.corpus.archive.store import ArchiveStore, open_store, page_record, read_ledger
from newsdesk.corpus.archive.wayback import Fetched, Lookup
from newsdesk.types import Event
from newsdesk.work.progress import Finished, OnProgress, counting, silent


@dataclass(frozen=True, slots=True)
class Asking:
    """What of a folder is asked again.

    With `retry` what failed for a reason that may pass, with `overwrite` everything.
    """

    retry: bool = False
    overwrite: bool = False


def archive(
    events: Iterable[Event],
    out: str | os.PathLike[str],
    *,
    settings: ArchiveSettings | None = None,
    asking: Asking | None = None,
    refuses: Callable[[str], bool] = lambda url: False,
    progress: OnProgress = silent,
) -> ArchiveReport:
    """Bring the archive folder `out` up to date with the sources that events cite.

    `progress` is called after each URL that was asked. A URL that has an outcome is not asked again, except where Save Page
    Now is allowed only now. One that `refuses` is true of is counted, and neither asked for nor written down.
    """
    settings, asking = settings or ArchiveSettings(), asking or Asking()
    cited = cited_sources(events)
    sources = [each for each in cited if not refuses(each.url)]
    with open_store(out, overwrite=asking.overwrite) as (folder, store):
        pending = [source for source in sources if _is_pending(store, source, settings, asking)]
        _ask_all(pending, store, settings, counting(progress, len(pending)))
        report = report_of(sources, read_ledger(folder), refused=len(cited) - len(sources))
        write_report(folder, report)
    return report


def _is_pending(
    store: ArchiveStore, source: CitedSource, settings: ArchiveSettings, asking: Asking
) -> bool:
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
    """Wait for a URL, and write all outcomes that are there; the URLs that are still asked."""
    done, still = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        outcome, page = _judged(future.result(), settings)
        store.add(outcome, page)
        finished(outcome.url)
    return still


def _judged(fetched: Fetched, settings: ArchiveSettings) -> tuple[SourceOutcome, bytes | None]:
    answer, snapshot = fetched.answer, fetched.snapshot
    if answer is None or snapshot is None:
        return fetched.outcome, None
    verdict = judge(
        answer,
        fetched.outcome.url,
        snapshot.url,
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
