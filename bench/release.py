"""Release, rebuild and forget on a simulated corpus: a tenth of the pages gone, and an article forgotten from all files.

Everything is simulated. The corpus is a world of events with articles, written as WARC pages and built in the usual way.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

EVENTS = 120


def main() -> None:
    from newsdesk import records
    from newsdesk.cli.main import main as newsdesk
    from newsdesk.corpus.forget import forget
    from newsdesk.corpus.forget.targets import Request
    from newsdesk.corpus.release import write_release
    from newsdesk.corpus.release.rebuild import rebuild
    from newsdesk.types import Cluster
    from newsdesk.work import Running
    from tests.corpus.warc_records import copy_without

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, corpus = folder / "world", folder / "corpus"
        simulate = [
            "simulate",
            "--events",
            str(EVENTS),
            "--comments",
            "10",
            "--pages",
            "mixed",
            "--warc",
        ]
        if newsdesk([*simulate, "-o", str(world)]):
            sys.exit("no world")
        crawl = sorted(world.rglob("*.warc.gz"))
        pages = sorted({path.parent for path in world.rglob("*.html")})
        lines = [f'[events]\npages = ["{pages[0]}"]', f'[articles]\ninputs = ["{crawl[0]}"]']
        (folder / "corpus.toml").write_text("\n".join(lines) + "\n")
        # Exit code 3: the simulated crawl has damaged records on purpose.
        if newsdesk(["corpus", "build", str(folder / "corpus.toml"), "-o", str(corpus)]) not in (
            0,
            3,
        ):
            sys.exit("no corpus")
        clusters = list(records.read(corpus / "clusters.jsonl", Cluster))
        articles = {each.id: each for cluster in clusters for each in cluster.articles}
        urls = list(dict.fromkeys(str(each.url) for each in articles.values()))
        started = time.process_time()
        write_release(corpus, folder / "release")
        size = sum(
            path.stat().st_size for path in (folder / "release").rglob("*") if path.is_file()
        )
        print(
            f"   {len(articles)} articles released in {time.process_time() - started:.1f} CPU s, {size / 1024:.0f} KiB"
        )
        gone = set(urls[::10])
        copy_without(crawl[0], folder / "rest.warc.gz", gone)
        done = rebuild(
            folder / "release",
            [folder / "rest.warc.gz"],
            folder / "again",
            running=Running(workers=2),
        )
        print(
            f"   rebuilt: {done.articles.kept} proved, {dict(done.articles.dropped)} of {done.articles.read}"
        )
        if done.articles.dropped.get("gone") != sum(str(a.url) in gone for a in articles.values()):
            sys.exit("the pages taken away are not the pages listed as gone")
        (corpus / "archive").mkdir()
        shutil.copyfile(crawl[0], corpus / "archive" / "pages.warc.gz")
        started = time.process_time()
        report = forget(corpus, folder / "new", Request(articles=(next(iter(articles)),)))
        touched = sum(bool(file.removed or file.changed or file.dropped) for file in report.files)
        print(
            f"   forgotten in {time.process_time() - started:.1f} CPU s: {touched} of {len(report.files)} files changed"
        )
