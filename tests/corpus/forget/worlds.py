"""A corpus folder with every kind of file that forgetting has to get into."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.partitions import columns, write_table
from newsdesk.types import Article, Cluster, ClusterArticle, Comment, Event, Output, Source, Thread
from tests.corpus.writing import Stored, write_warc

_SUBJECTS = (
    "harbour council bridge theatre orchard tunnel museum glacier railway library lighthouse market"
).split()
_DEEDS = "reopens closes expands floods auctions restores inspects relocates".split()


def article(number: int) -> Article:
    """An article whose words no other article has in this order."""
    subject, deed = _SUBJECTS[number % len(_SUBJECTS)], _DEEDS[number % len(_DEEDS)]
    sentences = [
        f"Witness number {number * 31 + line} told reporters that the {subject} {deed} after {line + 3} winters of waiting."
        for line in range(12)
    ]
    host = f"news.outlet-{number % 4}.example"
    return Article(
        f"{number:04d}feedc0ffee{number:02d}",
        "\n".join(sentences),
        f"The {subject} {deed} again in the year {2000 + number}",
        f"https://{host}/2031/{number}/{subject}-{deed}",
        f"2031-03-0{1 + number % 5}",
        "en",
        host,
        author=f"Reporter {chr(65 + number % 5)}olvane",
    )


def html_of(each: Article, related: Article) -> bytes:
    paragraphs = "".join(f"<p>{line}</p>" for line in each.text.split("\n"))
    return (
        f'<html lang="en"><head><title>{each.title}</title><link rel="canonical" href="{each.url}">'
        f'<meta name="author" content="{each.author}"><meta property="article:published_time" content="{each.date}"></head><body>'
        f"<article><h1>{each.title}</h1>{paragraphs}</article>"
        f'<aside><a href="{related.url}?utm_source=related">{related.title}</a></aside></body></html>'
    ).encode()


def write_corpus(folder: Path, count: int = 12) -> list[Article]:
    """Write the folder; its articles."""
    articles = [article(number) for number in range(count)]
    folder.mkdir(parents=True)
    _write_records(folder, articles)
    _write_partitions(folder / "articles", articles)
    _write_archive(folder / "archive", articles)
    _write_database(folder / "answers.db", articles)
    _write_search_index(folder / "search.db", articles)
    (folder / "pages").mkdir()
    for number, each in enumerate(articles[:4]):
        page = html_of(each, articles[number - 1])
        (folder / "pages" / f"{number}.html").write_bytes(page)
    (folder / "pages" / f"{articles[2].id}.txt").write_text("named after an article\n")
    index = {str(each.url): {"seen": 1} for each in articles}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "notes.txt").write_text(f"Please check {articles[0].url} once more.\n")
    (folder / "readme.txt").write_text("Nothing about any article.\n")
    names = ["events.jsonl", "clusters.jsonl.gz", "outputs.jsonl", "threads.jsonl"]
    records.write_manifest(
        folder / "manifest.json", [(folder / name, None) for name in names], spec="test", seed=3
    )
    return articles


def _write_records(folder: Path, articles: list[Article]) -> None:
    pairs = list(zip(articles[::2], articles[1::2], strict=True))
    events = [
        Event(f"e{n}", "2031-03-01", f"Event number {n} happens.", sources=(Source(str(a.url)),))
        for n, (a, _) in enumerate(pairs)
    ]
    records.write(folder / "events.jsonl", events)
    records.write(folder / "clusters.jsonl.gz", [_cluster(n, pair) for n, pair in enumerate(pairs)])
    outputs = [Output(f"e{n}", "lead", pair[0].text.split("\n")[0]) for n, pair in enumerate(pairs)]
    records.write(folder / "outputs.jsonl", outputs)
    threads = [
        Thread(
            each, (Comment("c1", f"I saw it: {each.text.splitlines()[3]}", author="Reader Qin"),)
        )
        for each in articles
    ]
    records.write(folder / "threads.jsonl", threads)
    groups = [
        {"articles": [{"id": each.id, "kept": each is a} for each in (a, b)]} for a, b in pairs
    ]
    candidates = [{"event": "e0", "article": each.id, "probability": 0.4} for each in articles]
    for name, rows in (("duplicates.jsonl", groups), ("candidates.jsonl", candidates)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def _cluster(number: int, pair: tuple[Article, ...]) -> Cluster:
    members = tuple(
        ClusterArticle(
            each.id,
            each.text,
            each.title,
            each.url,
            each.date,
            each.lang,
            each.source,
            author=each.author,
            origin="cited",
        )
        for each in pair
    )
    return Cluster(f"e{number}", members, "2031-03-01", summary=f"Event number {number} happens.")


def _write_partitions(folder: Path, articles: list[Article]) -> None:
    import polars as pl

    for day in sorted({str(each.date) for each in articles}):
        rows = [
            {
                **{name: getattr(each, name, None) for name in columns()},
                "file": "crawl",
                "offset": n,
            }
            for n, each in enumerate(articles)
            if each.date == day
        ]
        (folder / f"date={day}").mkdir(parents=True)
        table = pl.DataFrame(rows, schema=columns(), orient="row")
        write_table(folder / f"date={day}" / "part-0.parquet", table)


def _write_archive(folder: Path, articles: list[Article]) -> None:
    """Pages as fetched, a third of them compressed, each with a link to the one before; and a ledger."""
    folder.mkdir()
    stored: list[Stored | bytes] = []
    for number, each in enumerate(articles):
        body = html_of(each, articles[number - 1])
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if number % 3 == 0:
            body, headers = gzip.compress(body, mtime=0), {**headers, "Content-Encoding": "gzip"}
        copy = f"https://web.archive.org/web/20310301000000/{each.url}"
        stored.append(Stored(copy, body, headers=headers))
    write_warc(folder / "pages.warc.gz", stored)
    write_warc(folder / "plain.warc", stored[:4])
    lines = [{"url": each.url, "outcome": "archived", "at": "2031-03-09"} for each in articles]
    packed = "".join(json.dumps(line) + "\n" for line in lines) + '{"url": "https://cut'
    (folder / "ledger.jsonl").write_text(packed)


def _write_search_index(path: Path, articles: list[Article]) -> None:
    """A database that holds texts only in an index for full-text search."""
    base = sqlite3.connect(path)
    base.execute("CREATE VIRTUAL TABLE texts USING fts5(body)")
    base.executemany("INSERT INTO texts VALUES (?)", [(each.text,) for each in articles[:6]])
    base.commit()
    base.close()


def _write_database(path: Path, articles: list[Article]) -> None:
    """A database whose free list and write-ahead log hold texts of articles; the log stays behind, as after a kill."""
    original = path.with_name("original.db")
    base = sqlite3.connect(original, isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA wal_autocheckpoint = 0")
    base.execute("CREATE TABLE tasks (number INTEGER PRIMARY KEY, item TEXT, context TEXT)")
    base.execute("CREATE TABLE answers (task INTEGER REFERENCES tasks(number), value TEXT)")
    base.execute("CREATE TABLE keyed (name TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID")
    base.execute(
        "CREATE TRIGGER no_delete BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'append-only'); END"
    )
    for number, each in enumerate(articles):
        context = json.dumps({"id": each.id, "title": each.title, "text": each.text * 3})
        base.execute("INSERT INTO tasks VALUES (?, ?, ?)", (number, each.id, context))
        base.execute("INSERT INTO answers VALUES (?, 'yes')", (number,))
        base.execute("INSERT INTO keyed VALUES (?, ?)", (f"k{number}", each.text))
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.execute("CREATE TABLE old (body TEXT)")
    base.executemany("INSERT INTO old VALUES (?)", [(each.text,) for each in articles])
    base.execute("DELETE FROM old")  # into the free list, and all of it into the log
    for ending in ("", "-wal"):
        path.with_name(path.name + ending).write_bytes(Path(f"{original}{ending}").read_bytes())
    base.close()
    for ending in ("", "-wal", "-shm"):
        Path(f"{original}{ending}").unlink(missing_ok=True)
