"""Contents for records that have only addresses: articles of threads, clusters and files are filled from extracted articles or from WARC files.

Published data sets often leave texts out (Qin et al. 2018; the WCEP release without articles). An article without text gets the text of the article with its id or its address, in
whatever spelling; from a WARC file also that of the record with its id. A file is read twice: first for what is missing, then to be written. What was found lies in a
temporary file meanwhile, as the contents of a large corpus do not fit into memory.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, TypeAlias, cast

from newsdesk import records
from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.archive.rot import articles_of
from newsdesk.corpus.pages import FAILED, PAGE_ERRORS, CrawledPage, article_id, url_key
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.corpus.warc import ENDINGS, read_pages
from newsdesk.errors import DataError, PageError
from newsdesk.jsonl import json_value
from newsdesk.records.wcep import record_uuid
from newsdesk.types import Article, Cluster, ClusterArticle, Event, Thread
from newsdesk.work.tasks import UnitTimeout, cpu_limit

Fillable: TypeAlias = Article | Cluster | Thread

NOT_FOUND = "not found"
NO_ADDRESS = "neither found by id nor an address"
_CONTENTS = ("title", "url", "date", "lang", "source", "date_source", "date_confidence")
_EXTRACTION_S = 30.0


@dataclass(frozen=True, slots=True)
class FillReport:
    """What became of articles without text, and of the records that hold them."""

    articles: StepTally
    records: StepTally

    @property
    def missing(self) -> int:
        """Articles that still have no text."""
        return sum(self.articles.dropped.values())

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        return {"articles": self.articles.as_json(), "records": self.records.as_json()}


def fill(
    path: str,
    contents: Iterable[str],
    out: str | os.PathLike[str],
    *,
    drop_missing: bool = False,
    overwrite: bool = False,
) -> FillReport:
    """Write the records of a file with the contents of articles or WARC files, the first that has one.

    With `drop_missing` articles that are still without text are left out, and so are clusters and threads without any article.
    """
    kind = _fillable(path)
    article_accounts, record_accounts = Accounts("fill"), Accounts("records")
    with ExitStack() as stack:
        store = _Contents(stack.enter_context(tempfile.TemporaryFile()))
        for record in records.read(path, kind):
            store.want(article for article in articles_of(record) if not article.text.strip())
        for name in contents:
            for article, record_id in _articles(name, store.wants, article_accounts.note):
                store.add(article, record_id)
        filled = _filled(
            records.read(path, kind),
            store,
            article_accounts,
            record_accounts,
            drop_missing=drop_missing,
        )
        records.write(out, filled, overwrite=overwrite)
    return FillReport(article_accounts.tally(), record_accounts.tally())


def _fillable(path: str) -> type[Fillable]:
    """Return the type of a file's records; a WCEP file without articles has clusters to fill."""
    reader = records.read_any(path)
    reader.close()
    kind = Cluster if reader.format == "wcep" else reader.kind
    if kind is None:
        raise DataError("no records", file=path)
    if kind is Event:
        raise DataError(
            "events have no articles to fill; `corpus align` makes clusters of them", file=path
        )
    if kind not in (Article, Cluster, Thread):
        raise DataError("this file has no articles; threads, clusters or articles are needed", file=path)  # fmt: skip
    return cast(type[Fillable], kind)


class _Contents:
    """The contents that are wanted, by id and by address; their texts lie in a file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._offsets: dict[str, int | None] = {}  # by key, None until the contents are there

    def want(self, articles: Iterable[Article]) -> None:
        """Ask for the contents of articles."""
        for article in articles:
            for key in _keys(article.id, article.url):
                self._offsets.setdefault(key, None)

    def wants(self, *keys: str) -> bool:
        """Return True if the contents of one of the keys are wanted and not there yet."""
        return any(self._offsets.get(key, 0) is None for key in keys)

    def add(self, article: Article, record_id: str | None) -> None:
        """Keep the contents of an article under those of its keys that are wanted, unless they have some."""
        keys = [*_keys(article.id, article.url), *_keys(record_id, None)]
        if not article.text.strip() or not self.wants(*keys):
            return
        offset = self._stream.seek(0, os.SEEK_END)
        row = {"text": article.text, **{name: getattr(article, name) for name in _CONTENTS}}
        self._stream.write(json.dumps(row).encode("ascii") + b"\n")
        for key in keys:
            if self.wants(key):
                self._offsets[key] = offset

    def get(self, article: Article) -> dict[str, Any] | None:
        """Return the contents of an article, by its id or else its address."""
        for key in _keys(article.id, article.url):
            if (offset := self._offsets.get(key)) is not None:
                self._stream.seek(offset)
                contents: dict[str, Any] = json_value(self._stream.readline())
                return contents
        return None


def _keys(id: str | None, url: str | None) -> list[str]:
    """Return the keys of an article; the marks keep ids and addresses apart."""
    return [*([f"i {id}"] if id else []), *([f"u {url_key(url)}"] if url else [])]


def _articles(
    path: str, wants: Callable[..., bool], note: Callable[[str], None]
) -> Iterator[tuple[Article, str | None]]:
    """Yield articles of a file or folder, those of a WARC file with the UUIDs of their records.

    Only pages that are wanted are extracted.
    """
    if not path.endswith(ENDINGS):
        for file in article_files(path):
            keyed = enumerate(file.columns("id", "url"))
            rows = [row for row, (id, url) in keyed if wants(*_keys(id, url))]
            yield from ((article, None) for _, article in file.articles(rows))
        return
    for page in read_pages(path):
        if not isinstance(page, CrawledPage):
            continue
        record_id = record_uuid(page.record) if page.record else None
        if not wants(*_keys(record_id, page.url)):
            continue
        if (article := _extracted(page, note)) is not None:
            yield article, record_id


def _extracted(page: CrawledPage, note: Callable[[str], None]) -> Article | None:
    """Return the article of a page under the address it was fetched from; None where it has none."""
    from newsdesk.corpus.extract import extract

    try:
        with cpu_limit(_EXTRACTION_S):
            content = extract(page.html, page.url, crawled=page.crawled, charset=page.charset)
    except PageError as error:
        note(f"pages not read: {PAGE_ERRORS.get(error.kind, FAILED)}")
        return None
    except (UnitTimeout, Exception):  # noqa: BLE001 - parsers raise anything on hostile pages
        note(f"pages not read: {FAILED}")
        return None
    fields: dict[str, Any] = {name: getattr(content, name, None) for name in _CONTENTS}
    own_id = article_id(content.url, content.text)
    return Article(own_id, content.text, **{**fields, "url": page.url or content.url})


def _filled(
    rows: Iterable[Fillable],
    store: _Contents,
    article_accounts: Accounts,
    record_accounts: Accounts,
    *,
    drop_missing: bool,
) -> Iterator[Fillable]:
    """Yield the records with their contents; every article and record is counted."""
    for record in rows:
        complete = [
            _with_contents(article, store, article_accounts) for article in articles_of(record)
        ]
        if drop_missing:
            complete = [article for article in complete if article.text.strip()]
        if drop_missing and not complete:
            record_accounts.drop("no article with text")
            continue
        record_accounts.keep()
        yield _with_articles(record, complete)


def _with_contents(article: Article, store: _Contents, accounts: Accounts) -> Article:
    """Return the article with the contents found for it, where its own are missing; count it."""
    if article.text.strip():
        accounts.keep()
        accounts.note("had a text")
        return article
    contents = store.get(article)
    if contents is None:
        accounts.drop(NOT_FOUND if article.url else NO_ADDRESS)
        return article
    accounts.keep()
    accounts.note("filled")
    own = asdict(article)
    if article.date is not None:  # how sure a day is belongs to the day
        contents = {**contents, "date_source": None, "date_confidence": None}
    missing = {name: value for name, value in contents.items() if own[name] in (None, "")}
    return replace(article, **{**missing, "text": contents["text"]})


def _with_articles(record: Fillable, articles: Sequence[Article]) -> Fillable:
    if isinstance(record, Cluster):
        return replace(record, articles=cast(tuple[ClusterArticle, ...], tuple(articles)))
    return replace(record, article=articles[0]) if isinstance(record, Thread) else articles[0]
