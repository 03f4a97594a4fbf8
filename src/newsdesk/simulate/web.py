"""The web of a world as files: portal pages of its events, a WARC of its articles, and the truth about both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.simulate.pages import PortalPage, portal_pages
from newsdesk.simulate.warc import Capture, crawl, warc_bytes
from newsdesk.simulate.world import World

WEB_PLACES = {"pages", "warc"}


def web_files(
    world: World, layout: str | None, *, warc: bool
) -> Iterator[tuple[str, Callable[[Path], int]]]:
    """Each file's name, and the function that writes it and says how many records it holds."""
    if layout is not None:
        pages = list(portal_pages(world.events(), layout))
        for page in pages:
            yield f"pages/{page.name}", partial(_write_page, page)
        yield "truth/pages.jsonl", lambda path: write_rows(path, _page_rows(pages))
    if warc:
        yield "warc/articles.warc.gz", lambda path: write_warc(path, _crawl(world))
        yield (
            "truth/warc.jsonl",
            lambda path: write_rows(path, (capture.truth() for capture in _crawl(world))),
        )


def write_warc(path: Path, captures: Iterable[Capture]) -> int:
    """Write a WARC file; how many records it holds beside the one on itself."""
    count = -1
    with atomic(path, packed=True) as stream:
        for member in warc_bytes(captures):
            stream.write(member)
            count += 1
    return count


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write plain JSON lines; how many."""
    count = 0
    with atomic(path) as stream:
        for row in rows:
            stream.write(json_line(row))
            count += 1
    return count


def _crawl(world: World) -> Iterator[Capture]:
    return crawl(article for cluster in world.clusters() for article in cluster.articles)


def _write_page(page: PortalPage, path: Path) -> int:
    with atomic(path) as stream:
        stream.write(page.text.encode("utf-8"))
    return len(page.events)


def _page_rows(pages: Iterable[PortalPage]) -> Iterator[dict[str, Any]]:
    for page in pages:
        for event in page.events:
            yield {"event": event.id, "page": f"pages/{page.name}", "layout": page.layout}
