"""A world as a folder of files: records that every part of newsdesk reads, the truth beside them, a manifest written last.

The web of a world, if wanted: portal pages of its events, a WARC of its articles, and the truth about both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import atomic, build_folder
from newsdesk.jsonl import json_line
from newsdesk.registry import Spec
from newsdesk.simulate.pages import SimulatedPage, portal_pages
from newsdesk.simulate.warc import Capture, crawl, warc_bytes
from newsdesk.simulate.world import PROTOCOLS, SPEC_NAME, TRUTH, World, world

WEB_PLACES = {"pages", "warc"}


_MANIFEST = "manifest.json"

Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]  # records, file, their number

_README = """This folder is SIMULATED. No event, person, outlet or comment in it is real, and no person gave a judgment in it.

Made by newsdesk: {spec}, seed {seed}.
The same command with the same seed and version makes the same bytes.

truth/ says what is true behind the data: use it to check a method, never as its input.
docs/reference/simulate.md in newsdesk describes every file.
"""


def write_world(
    world: World,
    folder: str | os.PathLike[str],
    *,
    only: str = "",
    overwrite: bool = False,
    pages: str | None = None,
    warc: bool = False,
    watch: Watch | None = None,
) -> records.Manifest:
    """Write a world, or only the files whose name begins with `only`.

    `pages` adds the portal pages of its events in a layout (or `mixed`), `warc` a crawl of its articles. `watch` gets the records of each file, its name and how many there will be if known, and passes them on. The manifest comes last: a folder
    without one is unfinished, and the next call makes it anew.
    """
    contents = [
        (name, rows, total) for name, rows, total in _contents(world) if name.startswith(only)
    ]
    web = [
        (name, write) for name, write in web_files(world, pages, warc=warc) if name.startswith(only)
    ]
    if not contents and not web:
        names = ", ".join(name for name, _, _ in _contents(world))
        raise ArgumentError(f"no file of a world begins with {only!r}; there are: {names}")
    readme = _README.format(spec=world.spec, seed=world.seed)
    top_names = {name.split("/")[0] for name, _, _ in _contents(world)} | WEB_PLACES
    target = build_folder(
        folder, ("README.txt", readme), last=_MANIFEST, names=top_names, overwrite=overwrite
    )
    # Each file with the number of its records.
    files: list[tuple[Path, int | None]] = [(target / "README.txt", None)]
    for name, rows, total in contents:
        path = target / name
        path.parent.mkdir(exist_ok=True)
        watched = rows() if watch is None else watch(rows(), name, total)
        write = write_rows if name.startswith("truth/") else records.write
        files.append((path, write(path, watched)))
    for name, write_file in web:
        path = target / name
        path.parent.mkdir(exist_ok=True)
        files.append((path, write_file(path)))
    return records.write_manifest(target / _MANIFEST, files, spec=world.spec, seed=world.seed)


def world_of(manifest: records.Manifest, file: str) -> World:
    """Return the world that a manifest describes; `file` is its name, for an error."""
    spec = Spec.parse(manifest.spec or "no-spec")
    if spec.name != SPEC_NAME or manifest.seed is None:
        raise DataError("not the manifest of a simulated world", file=file)
    arguments: dict[str, Any] = dict(spec.arguments)
    return world(seed=manifest.seed, **arguments)


def _contents(
    world: World,
) -> Iterator[tuple[str, Callable[[], Iterator[Any]], int | None]]:
    """Yield each file, what it holds, and how many records that will be where it is known beforehand."""
    events, graded, ranked = (
        world.settings.events,
        len(world.desk.events),
        len(world.contest.events),
    )
    yield "events.jsonl", world.events, events
    yield "clusters.jsonl", world.clusters, events
    yield from _thread_files(world)
    yield "articles.jsonl", world.articles, graded
    yield "graded.jsonl", world.graded, graded
    yield "references.jsonl", world.references, graded
    yield "outputs.jsonl", world.outputs, graded * len(world.desk.systems)
    yield "summaries.jsonl", world.summaries, ranked * len(world.contest.systems)
    for protocol in PROTOCOLS:
        yield f"judgments-{protocol}.jsonl", partial(world.judgments, protocol), None
    for name in TRUTH:
        yield f"truth/{name}.jsonl", partial(world.truth, name), None
    if world.settings.raw:
        yield "truth/threads.jsonl", world.raw.truth, events


def _thread_files(
    world: World,
) -> Iterator[tuple[str, Callable[[], Iterator[Any]], int | None]]:
    """Yield one file of threads, or one for each group of them."""
    groups = Counter(discussion.group for discussion in world.forum.discussions)
    if not world.settings.groups:
        yield "threads.jsonl", world.threads, groups.total() + world.raw.count
    for group in world.settings.groups:
        name = f"threads/{group.name}.jsonl"
        yield name, partial(world.threads, group.name), groups[group.name]


def web_files(
    world: World, layout: str | None, *, warc: bool
) -> Iterator[tuple[str, Callable[[Path], int]]]:
    """Yield each file's name, and the function that writes it and says how many records it holds."""
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
    """Write a WARC file and return how many records it holds beside the one on itself."""
    count = -1  # the record on the file itself does not count
    with atomic(path, packed=True) as stream:
        for member in warc_bytes(captures):
            stream.write(member)
            count += 1
    return count


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write plain JSON lines and return how many."""
    count = 0
    with atomic(path) as stream:
        for row in rows:
            stream.write(json_line(row))
            count += 1
    return count


def _crawl(world: World) -> Iterator[Capture]:
    return crawl(article for cluster in world.clusters() for article in cluster.articles)


def _write_page(page: SimulatedPage, path: Path) -> int:
    with atomic(path) as stream:
        stream.write(page.text.encode("utf-8"))
    return len(page.events)


def _page_rows(pages: Iterable[SimulatedPage]) -> Iterator[dict[str, Any]]:
    for page in pages:
        for event in page.events:
            yield {"event": event.id, "page": f"pages/{page.name}", "layout": page.layout}
