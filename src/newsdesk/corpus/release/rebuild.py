"""Rebuilding a corpus from a release: pages are extracted again, and every article is checked against its hash.

An article of the release is proved (a page gives the same title, author and text), changed (its address gives others) or gone (no page of its
id or address). Proved articles take their places in the records of the release; the others are listed in `missing.jsonl` with the reason. A
file from which nothing is missing must have the sha256 that the release names. Texts wait in a database on disk between the two passes, so that
memory does not grow with them. `manifest.json` is written last; the same call goes on with what a stopped one left.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.articles import build_articles
from newsdesk.corpus.forgotten import FILES as FORGOTTEN_FILES, Forgotten
from newsdesk.corpus.pages import url_key
from newsdesk.corpus.release import (
    HASH,
    MANIFEST,
    RELEASE,
    WORDS,
    Release,
    ReleasedFile,
    Row,
    article_hash,
    articles_of,
    read_release,
    record_of,
    table_rows,
)
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic, build_folder, file_digest, make_folder
from newsdesk.jsonl import json_line, json_value
from newsdesk.records.tables import parquet_files
from newsdesk.types import Article
from newsdesk.work import Running
from newsdesk.work.ledger import WORK

ARTICLES = "articles"
MISSING = "missing.jsonl"
GONE = "gone"
CHANGED = "changed"
EMPTY = "no article left"


@dataclass(frozen=True, slots=True)
class RebuiltFile:
    """A file of the corpus: its records now and in the release, and whether its bytes are the same."""

    name: str
    records: int
    released: int
    identical: bool


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of articles and files of a release; `pages` is None where it holds the texts."""

    articles: StepTally
    clusters: StepTally
    files: tuple[RebuiltFile, ...]
    pages: StepTally | None


def rebuild(
    release: str | os.PathLike[str],
    inputs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    running: Running | None = None,
    forgotten: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Rebuilt:
    """Make the corpus that a release describes from crawled pages or files of records.

    What the list in the folder `forgotten` names is refused, and the new corpus takes the list over.
    """
    source = Path(release)
    described = read_release(source)
    if described.text == bool(inputs):
        raise ArgumentError(
            f"{source}: holds the texts already; leave the inputs out"
            if described.text
            else f"{source}: holds no texts; name the WARC files or folders with the pages"
        )
    tops = {file.name.partition("/")[0] for file in described.files}
    folder = build_folder(
        out,
        (RELEASE, (source / RELEASE).read_text("utf-8")),
        last=MANIFEST,
        names={*tops, ARTICLES, MISSING, WORK, *FORGOTTEN_FILES},
        overwrite=overwrite,
    )
    if forgotten is not None:
        Forgotten.load(forgotten).save(folder)
    pages = None
    if not described.text:
        pages = build_articles(
            inputs, folder / ARTICLES, running=running, forgotten=folder, overwrite=overwrite
        )
    with _Texts(folder) as texts:
        accounts = texts.prove(source, described, folder)
        clusters = Accounts("clusters")
        files = [_rebuilt(file, source, folder, texts, clusters) for file in described.files]
    shutil.rmtree(folder / WORK)
    entries = [(folder / file.name, file.records) for file in files]
    spec = f"corpus rebuild: {described.name}"
    records.write_manifest(
        folder / MANIFEST, [*entries, (folder / MISSING, None)], spec=spec, seed=described.seed
    )
    return Rebuilt(accounts, clusters.tally(), tuple(files), pages=pages.tally if pages else None)


class _Texts:
    """The words of proved articles by id, in a database that is made anew and removed at the end."""

    def __init__(self, folder: Path) -> None:
        path = make_folder(folder / WORK) / "texts.db"
        path.unlink(missing_ok=True)
        self._base = sqlite3.connect(path)
        self._base.execute("PRAGMA synchronous = OFF")
        self._base.execute("CREATE TABLE words (id TEXT PRIMARY KEY, words TEXT)")

    def __enter__(self) -> _Texts:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def words(self, article: str) -> dict[str, Any] | None:
        """Return the title, author and text of a proved article, by its id; None for any other."""
        row = self._base.execute("SELECT words FROM words WHERE id = ?", (article,)).fetchone()
        return json_value(row[0]) if row else None

    def prove(self, source: Path, release: Release, folder: Path) -> StepTally:
        """Store the words of proved articles, write the list of missing ones, return the accounts."""
        wanted = {article["id"]: article for article in _articles(source, release)}
        seen_urls: set[str] = set()
        for article in _pages(source, release, folder):
            if article.get("url"):
                seen_urls.add(url_key(article["url"]))
            sought = wanted.get(article["id"])
            if sought is not None and article_hash(article) == sought[HASH]:
                words = {name: article[name] for name in WORDS if article.get(name) is not None}
                values = (article["id"], json.dumps(words))
                self._base.execute("INSERT OR IGNORE INTO words VALUES (?, ?)", values)
        return self._listed(folder, list(wanted.values()), seen_urls)

    def _listed(self, folder: Path, wanted: Sequence[Row], seen_urls: set[str]) -> StepTally:
        """Write the missing articles with the reason, and return the accounts."""
        accounts = Accounts("rebuild")
        with atomic(folder / MISSING) as stream:
            for article in wanted:
                if self.words(article["id"]) is not None:
                    accounts.keep()
                    continue
                url = article.get("url")
                reason = CHANGED if url and url_key(url) in seen_urls else GONE
                accounts.drop(reason)
                stream.write(json_line({"id": article["id"], "url": url, "reason": reason}))
        return accounts.tally()


def _articles(source: Path, release: Release) -> Iterator[Row]:
    """Yield the articles of all tables, without their words."""
    for file in release.files:
        for row in table_rows(source / file.data, file.type) if file.data else ():
            for article in articles_of(file.type, row):
                yield {name: article.get(name) for name in ("id", "url", HASH)}


def _pages(source: Path, release: Release, folder: Path) -> Iterator[Row]:
    """Yield the articles that were extracted, or those that the release itself holds."""
    if release.text:
        for file in release.files:
            for row in table_rows(source / file.data, file.type) if file.data else ():
                yield from articles_of(file.type, row)
    elif parquet_files(str(folder / ARTICLES)):
        for article in records.read(folder / ARTICLES, Article):
            yield {name: getattr(article, name) for name in ("id", "url", *WORDS)}


def _rebuilt(
    file: ReleasedFile, source: Path, folder: Path, texts: _Texts, clusters: Accounts
) -> RebuiltFile:
    """Write a file of the corpus from its table, or from its parts, and compare its hash."""
    target = folder / file.name
    make_folder(target.parent)
    if file.data is not None:
        rows = table_rows(source / file.data, file.type)
        count = records.write(target, _records(file.type, rows, texts.words, clusters))
    else:
        with atomic(target) as stream:
            parts = [_bytes_of(source, part, file, texts) for part in file.parts]
            count = sum(stream.write(line) > 0 for part in parts for line in part)
    return RebuiltFile(file.name, count, file.records, file_digest(target) == file.sha256)


def _bytes_of(source: Path, part: str, file: ReleasedFile, texts: _Texts) -> Iterator[bytes]:
    """Yield the lines of a part of a file, which is not counted a second time."""
    table = f"data/{part.removesuffix('.jsonl')}.parquet"
    for record in _records(
        file.type, table_rows(source / table, file.type), texts.words, Accounts("parts")
    ):
        yield records.record_text(record).encode("utf-8") + b"\n"


def _records(
    kind: str,
    rows: Iterator[Row],
    words: Callable[[str], dict[str, Any] | None],
    clusters: Accounts,
) -> Iterator[Any]:
    """Yield the records whose articles were proved; a cluster keeps those of its articles that were."""
    for row in rows:
        proved_articles = []
        for article in articles_of(kind, row):
            proved_words = words(article["id"])
            if proved_words is not None:
                article.update(proved_words)
                proved_articles.append(article)
        if kind == "cluster":
            lost = len(row["articles"]) - len(proved_articles)
            row["articles"] = proved_articles
            clusters.note("articles missing from clusters", lost)
        if kind != "event" and not proved_articles:
            if kind == "cluster":
                clusters.drop(EMPTY)
            continue
        if kind == "cluster":
            clusters.keep()
        yield record_of(kind, row)
