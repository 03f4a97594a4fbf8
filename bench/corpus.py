"""WARC to Parquet on real news pages: our extractor, trafilatura and newspaper4k in the same engine with the same workers.

The crawl is the 125 pages of `fundus_news`, in two WARC files, four times over as a crawl file is long and imports are not what is
measured; twice for newspaper4k, which takes minutes. All three run through `build_articles`: reading, decoding, extraction, Parquet and merging are the same code, only the extractor differs.
Ratios are of pages per CPU second (workers and parent together, imports included), because the clock of a busy machine tells
nothing, and of the best of several interleaved rounds, because CPU time grows there too; pages per second by the clock stand beside them.
"""

from __future__ import annotations

import gzip
import json
import resource
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench._data import SHARED

PAGES = SHARED / "fundus_news"
REPEATS = {"newsdesk": 4, "trafilatura": 4, "newspaper4k": 2}
WORKERS = 2
FLOORS = {"trafilatura": 2.5, "newspaper4k": 10.0}
ROUNDS = {"newsdesk": 2, "trafilatura": 2, "newspaper4k": 1}


@dataclass(frozen=True, slots=True)
class Peer:
    """What a peer found on a page, in the fields of an article."""

    title: str | None
    text: str
    date: str | None
    url: str | None
    author: str | None


def by_trafilatura(html: bytes, url: str | None = None, **_: Any) -> Peer:
    import trafilatura
    from trafilatura.settings import Document

    document = trafilatura.bare_extraction(html, url=url, fast=True, with_metadata=True)
    if not isinstance(document, Document):  # a dict only if asked for by an option
        return Peer(None, "", None, url, None)
    return Peer(document.title, document.text or "", document.date, url, document.author)


def by_newspaper(html: bytes, url: str | None = None, **_: Any) -> Peer:
    import newspaper

    config = newspaper.Config()
    config.fetch_images = False  # it would go to the network for every page
    article = newspaper.Article(url or "https://example.org/", config=config)
    article.download(input_html=html.decode("utf-8", "replace"))
    article.parse()
    date = article.publish_date
    day = date.date().isoformat() if date else None
    return Peer(article.title, article.text, day, url, ", ".join(article.authors))


EXTRACTORS = {
    "newsdesk": "newsdesk.corpus.extract:extract",
    "trafilatura": "bench.corpus:by_trafilatura",
    "newspaper4k": "bench.corpus:by_newspaper",
}


def write_crawl(folder: Path, repeats: int) -> int:
    """Write the pages so many times, as two WARC files, record by record compressed; how many pages there are."""
    folder.mkdir(exist_ok=True)
    pages = []
    for gold in sorted((PAGES / "gold").glob("*.jsonl")):
        for line in gold.read_text("utf-8").splitlines():
            row = json.loads(line)
            html = gzip.decompress((PAGES / row["html"]).read_bytes())
            pages.append((row["url"], html, row["crawl_date"][:10]))
    for shard in range(2):
        records = [
            gzip.compress(_record(f"{url}#{shard}{turn}", html, day), compresslevel=1, mtime=0)
            for turn in range(repeats // 2)
            for url, html, day in pages
        ]
        (folder / f"{shard}.warc.gz").write_bytes(b"".join(records))
    return len(pages) * repeats


def _record(url: str, html: bytes, day: str) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {day}T12:00:00Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def measure(folder: Path, name: str, pages: int) -> tuple[float, float]:
    """Build once with an extractor; pages per CPU second, and per second by the clock."""
    from newsdesk.corpus.articles import Extraction, build_articles
    from newsdesk.work import Running

    before, started = _cpu(), time.perf_counter()
    report = build_articles(
        ["0.warc.gz", "1.warc.gz"],
        folder / name,
        root=folder / str(REPEATS[name]),
        extraction=Extraction(extractor=EXTRACTORS[name]),
        running=Running(workers=WORKERS),
    )
    seconds, wall = _cpu() - before, time.perf_counter() - started
    shutil.rmtree(folder / name)
    lost = sum(n for reason, n in report.tally.dropped.items() if reason != "same id")
    print(
        f"{name}: {pages / seconds:.1f} pages/cpu-s ({seconds:.1f} s of CPU), "
        f"{pages / wall:.1f} pages/s by the clock with {WORKERS} workers; {lost} pages without text",
        flush=True,
    )
    return pages / seconds, pages / wall


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> int:
    if not PAGES.is_dir():
        print("the real pages (../shared/data/fundus_news) are not on this machine")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = {each: write_crawl(folder / str(each), each) for each in set(REPEATS.values())}
        speeds = dict.fromkeys(EXTRACTORS, (0.0, 0.0))
        for turn in range(max(ROUNDS.values())):
            for each in [name for name, rounds in ROUNDS.items() if turn < rounds]:
                speed = measure(folder, each, pages[REPEATS[each]])
                speeds[each] = (max(speeds[each][0], speed[0]), max(speeds[each][1], speed[1]))
    for peer, floor in FLOORS.items():
        ratio, by_clock = (ours / theirs for ours, theirs in zip(speeds["newsdesk"], speeds[peer], strict=True))  # fmt: skip
        print(
            f"newsdesk / {peer}: {ratio:.1f} x per CPU second (floor {floor} x), {by_clock:.1f} x by the clock"
        )
        failed += ratio < floor
    return int(failed > 0)
