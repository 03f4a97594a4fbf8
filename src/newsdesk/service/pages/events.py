"""Serve the pages of events: the front page by day, one event with its articles and summaries, a story as a timeline, search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.registry import SUMMARIZERS
from newsdesk.service.desk import desk_of, name_of
from newsdesk.service.errors import Problem
from newsdesk.service.events import (
    EventIndex,
    ListedEvent,
    index_events,
    marked,
    news_since,
    summaries_of,
)
from newsdesk.service.jobs import DeskJob
from newsdesk.service.library import FileKind, NewsFile
from newsdesk.service.pages import page, see, waiting
from newsdesk.service.principals import Reader
from newsdesk.types import Cluster

router = APIRouter(prefix="/events", include_in_schema=False)

_KINDS: tuple[FileKind, ...] = ("clusters", "events")
_DEFAULT_METHOD = "expected-rouge"
# Methods that need neither a model nor the editor's summary.
_UNTRAINED = tuple(
    name
    for name in SUMMARIZERS
    if name not in ("tsr", "bertreg", "submodular+abs", "llm") and not name.startswith("oracle")
)
Words = Annotated[int, Query(ge=10, le=500)]


def _file(request: Request, file_id: str) -> NewsFile:
    """Return the file of a path, if it holds events."""
    file = desk_of(request).library.file(file_id)
    if file.kind not in _KINDS:
        raise Problem(404, "not-found", f"{file.name} holds {file.kind}, not events")
    return file


async def events_file(request: Request, file_id: str, reader: Reader) -> NewsFile:
    """Return the file of a path, for somebody who may read."""
    return await run_in_threadpool(_file, request, file_id)


File = Annotated[NewsFile, Depends(events_file)]


@router.get("")
def first_file(request: Request, reader: Reader) -> Response:
    """Go to the events of the newest file that has some; say so where there is none."""
    library = desk_of(request).library
    file = next((file for kind in _KINDS for file in library.all(kind)), None)
    if file is None:
        return page(request, "no-events.html", reader)
    return see(f"/events/{file.id}")


@router.get("/{file_id}")
async def front_page(
    request: Request,
    file: File,
    reader: Reader,
    until: Annotated[str, Query(max_length=10)] = "",
    category: Annotated[str, Query(max_length=200)] = "",
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Return the events of the latest days, or those that a search finds."""
    job = indexed_events(request, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)

    def values() -> dict[str, Any]:
        with opened_events(file) as index:
            days = [] if q else index.days(until, category)
            last = days[-1].date if days else ""
            return {
                "days": days,
                "found": index.search(q) if q else [],
                "earlier": index.day_before(last, category) if last else "",
                "categories": index.categories(),
            }

    library = desk_of(request).library
    files = [other for kind in _KINDS for other in await run_in_threadpool(library.all, kind)]
    return page(
        request, "events.html", reader, file=file, files=files, until=until, category=category, q=q,
        **await run_in_threadpool(values),
    )  # fmt: skip


@router.get("/{file_id}/stories/{story}")
async def story_page(
    request: Request,
    file: File,
    reader: Reader,
    story: str,
    since: Annotated[str, Query(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")] = "",
) -> Response:
    """Return a story as a timeline; with `since` what is new in each event after that day."""
    job = indexed_events(request, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)
    name = name_of(story)

    def read() -> tuple[list[ListedEvent], list[Any]]:
        with opened_events(file) as index:
            events = index.story(name)
            wanted = events if since and file.kind == "clusters" else []
            return events, [index.record(event) for event in wanted]

    events, records = await run_in_threadpool(read)
    if not events:
        raise Problem(404, "not-found", "there is no such story")
    news = {}
    if records:
        news = await desk_of(request).workers.run(news_since, records, since, 40)
    return page(
        request, "story.html", reader, file=file, story=name, events=events, since=since, news=news
    )


@router.get("/{file_id}/{event}")
async def event_page(
    request: Request,
    file: File,
    reader: Reader,
    event: str,
    method: Annotated[str, Query(max_length=40)] = _DEFAULT_METHOD,
    beside: Annotated[list[str] | None, Query(max_length=len(_UNTRAINED))] = None,
    words: Words = 40,
) -> Response:
    """Return an event: its summary by a method, with the chosen sentences marked in its articles; several side by side."""
    job = indexed_events(request, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)
    wanted = dict.fromkeys([method, *(beside or ())])
    methods = [name for name in wanted if name in _UNTRAINED] or [_DEFAULT_METHOD]

    def read() -> tuple[ListedEvent, Any, list[ListedEvent]]:
        with opened_events(file) as index:
            found = index.event(name_of(event))
            if found is None:
                raise Problem(404, "not-found", "there is no such event")
            return found, index.record(found), index.story(found.story) if found.story else []

    found, record, story = await run_in_threadpool(read)
    articles = record.articles if isinstance(record, Cluster) else ()
    summaries = []
    if articles:
        summaries = await desk_of(request).workers.run(summaries_of, record, methods, words)
    chosen = [pair for summary in summaries[:1] for pair in summary.get("chosen", [])]
    shown = [
        (article, marked(article.text, (text for of, text in chosen if of == article.id)))
        for article in articles
    ]
    return page(
        request, "event.html", reader, file=file, event=found, record=record, story=story,
        articles=shown, summaries=summaries, methods=methods, all_methods=_UNTRAINED, words=words,
    )  # fmt: skip


def indexed_events(request: Request, file: NewsFile) -> DeskJob:
    """Return how far the index of a file is; it is made when somebody first asks. Call it in the event loop."""
    desk = desk_of(request)
    told_in: list[str] = []
    if not file.is_brought:
        told_in = [str(other.path) for other in desk.library.newsroom() if other.kind == "events"]
    return desk.jobs.ensure(file.work("events"), index_events, str(file.path), file.kind, told_in)


@contextmanager
def opened_events(file: NewsFile) -> Iterator[EventIndex]:
    """Open the index of a file for a block."""
    index = EventIndex(file.work("events"), file.kind)
    try:
        yield index
    finally:
        index.close()
