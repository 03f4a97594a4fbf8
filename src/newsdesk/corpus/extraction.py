"""The task of one shard: its pages become rows of articles, each page that does not is a loss with its reason.

Results go to a spool file line by line while the task runs, and a task that was killed goes on after the last complete line.
When all pages are through, the rows are written as one Parquet file and the accounts as JSON beside it; the spool goes last. The
same shard gives the same bytes, however often it was interrupted.
"""

from __future__ import annotations

import fcntl
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from newsdesk.corpus.forgotten import REASON, Forgotten
from newsdesk.corpus.intake.rows import RowForm, text_files
from newsdesk.corpus.pages import (
    BROKEN_BODY,
    FAILED,
    NO_TEXT,
    PAGE_ERRORS,
    CrawledPage,
    LostPage,
    article_id,
)
from newsdesk.corpus.partitions import ARTICLE_FIELDS, columns, write_table
from newsdesk.corpus.shards import local_inputs, local_output
from newsdesk.corpus.tally import Accounts
from newsdesk.corpus.warc import read_pages
from newsdesk.errors import FileError, PageError
from newsdesk.files import atomic, reason as reason_of
from newsdesk.jsonl import json_value
from newsdesk.network import TOO_LARGE
from newsdesk.records import read
from newsdesk.registry import require
from newsdesk.types import Article
from newsdesk.work import UnitTimeout, Watch
from newsdesk.work.tasks import TIMEOUT, load

EXTRACTOR = "newsdesk.corpus.extract:extract"
STEP = "articles"
_GZIP = b"\x1f\x8b"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Ready:
    """An article that needs no extraction; `offset` is its line."""

    number: int
    offset: int
    article: Article


def extract_shard(
    watch: Watch,
    *,
    kind: str,
    files: Sequence[tuple[str, str]],
    out: str,
    extractor: str,
    max_bytes: int,
    columns: Sequence[tuple[str, str]] = (),
    dates: str | None = None,
    forgotten: str | None = None,
) -> Row:
    """Write `out`.rows (Parquet, by date) and `out`.json (accounts) from the files of a shard.

    Return the accounts.

    `forgotten` is a folder with a list of what must not be extracted again. `columns` and `dates` say how rows of files in any form are read.
    """
    refused = Forgotten.load(forgotten)
    form = RowForm(dict(columns), dates)
    try:
        with local_inputs(files) as copies, local_output(out) as target:
            return _extract(watch, kind, copies, target, extractor, max_bytes, refused, form)
    except OSError as error:  # a full disk, an input that is gone or may not be read
        raise FileError(f"{error.filename or out}: {reason_of(error)}") from error


def _extract(
    watch: Watch,
    kind: str,
    files: Sequence[tuple[str, str]],
    out: str,
    extractor: str,
    max_bytes: int,
    refused: Forgotten,
    form: RowForm,
) -> Row:
    """Extract the units of a shard into its spool, then write rows and accounts and delete the spool."""
    accounts = Accounts(STEP)
    spool = Path(f"{out}.spool")
    with spool.open("a+b") as stream:
        fcntl.flock(
            stream, fcntl.LOCK_EX
        )  # a worker that outlives a killed build may still hold it
        lines = _resume(stream)
        for file, unit in _units(kind, files, max_bytes, form, accounts.note):
            if unit.number >= len(lines):
                line = _line(watch, unit, extractor, max_bytes)
                if _is_refused(refused, unit, line):
                    line = {"reason": REASON}
                lines.append({"file": file, "offset": unit.offset, **line})
                stream.write(json.dumps(lines[-1]).encode("ascii") + b"\n")
                stream.flush()
        rows = _settled(lines, accounts)
        _write(f"{out}.rows", rows)
        result = {"rows": len(rows), "tally": accounts.tally().as_json()}
        with atomic(f"{out}.json") as report:
            report.write(json.dumps(result, ensure_ascii=False).encode("utf-8"))
        spool.unlink(missing_ok=True)
    return result


def _resume(stream: IO[bytes]) -> list[Row]:
    """Return the complete lines of a spool, one for each unit in order; an incomplete last one is cut off."""
    stream.seek(0)
    lines, end = [], 0
    for line in stream:
        try:
            lines.append(json_value(line))
        except ValueError:
            break
        if not line.endswith(b"\n"):
            lines.pop()
            break
        end += len(line)
    stream.truncate(end)
    stream.seek(end)
    return lines


def _units(
    kind: str,
    files: Sequence[tuple[str, str]],
    max_bytes: int,
    form: RowForm,
    note: Callable[[str, int], None],
) -> Iterator[tuple[str, CrawledPage | LostPage | _Ready]]:
    """Yield every unit of a shard with the name of its file, numbered from 0 over all files."""
    if kind == "html":
        for number, (name, path) in enumerate(files):
            yield name, _html_file(number, path, max_bytes)
        return
    if kind == "text":
        yield from _taken(text_files(files, note))
        return
    [(name, path)] = files
    if kind == "records":
        for number, article in enumerate(read(path, Article)):
            yield name, _Ready(number, number + 1, article)
        return
    if kind == "rows":
        yield from _taken((name, *row) for row in form.rows(path, note))
        return
    for unit in read_pages(path, max_bytes=max_bytes, note=lambda what: note(what, 1)):
        yield name, unit


def _taken(
    rows: Iterator[tuple[str, int, Article | str]],
) -> Iterator[tuple[str, LostPage | _Ready]]:
    """Yield the rows of files (name, line, article or reason) as units."""
    for number, (name, line, row) in enumerate(rows):
        if isinstance(row, str):
            yield name, LostPage(number, line, row)
        else:
            yield name, _Ready(number, line, row)


def _html_file(number: int, path: str, max_bytes: int) -> CrawledPage | LostPage:
    """Return the page of an HTML file, which may be gzipped, or why it is lost."""
    with Path(path).open("rb") as stream:
        html = stream.read(max_bytes + 1)
    if html.startswith(_GZIP):
        try:
            html = zlib.decompressobj(31).decompress(html, max_bytes + 1)
        except zlib.error:
            return LostPage(number, 0, BROKEN_BODY)
    return LostPage(number, 0, TOO_LARGE) if len(html) > max_bytes else CrawledPage(number, 0, html)


def _line(
    watch: Watch, unit: CrawledPage | LostPage | _Ready, extractor: str, max_bytes: int
) -> Row:
    """Return what a unit becomes: an article or the reason why not."""
    if isinstance(unit, LostPage):
        return {"reason": unit.reason}
    if isinstance(unit, _Ready):
        return {"article": asdict(unit.article)}
    if unit.number in watch.skip:
        return {"reason": watch.skip[unit.number]}
    try:
        with watch.unit(unit.number, unit.offset):
            page = load(extractor)(
                unit.html,
                unit.url,
                crawled=unit.crawled,
                charset=unit.charset,
                max_bytes=max_bytes,
            )
    except UnitTimeout:
        return {"reason": TIMEOUT}
    except PageError as error:
        return {"reason": PAGE_ERRORS.get(error.kind, FAILED)}
    except Exception:  # noqa: BLE001 - parsers raise anything on hostile pages; one page is one record
        return {"reason": FAILED}
    if not page.text.strip():
        return {"reason": NO_TEXT}
    article = {name: getattr(page, name, None) for name in ARTICLE_FIELDS if name != "id"}
    return {"article": {"id": article_id(page.url, page.text), **article}}


def _is_refused(refused: Forgotten, unit: CrawledPage | LostPage | _Ready, line: Row) -> bool:
    """Return whether the page was forgotten, by the address it was fetched from or by what it says itself."""
    if isinstance(unit, CrawledPage) and refused.refuses(url=unit.url):
        return True
    article = line.get("article", {})
    return refused.refuses(
        url=article.get("url"), author=article.get("author"), id=article.get("id")
    )


def _settled(lines: Sequence[Row], accounts: Accounts) -> list[Row]:
    """Return the rows of all articles, by date and then as they stand in the shard; every unit is counted."""
    rows = []
    for line in lines:
        if reason := line.get("reason"):
            accounts.drop(reason)
            continue
        accounts.keep()
        article = {name: _clean(line["article"].get(name)) for name in ARTICLE_FIELDS}
        place = {"file": line["file"], "offset": line["offset"]}
        rows.append({**article, **place, "characters": len(article["text"])})
    return sorted(rows, key=lambda row: row["date"] or "")


def _clean(value: Any) -> Any:
    """Return a text without lone surrogates, which no file can hold."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def _write(path: str, rows: Sequence[Row]) -> None:
    pl = require("polars", extra="corpus", what="writing Parquet")
    types = {**columns(), "characters": pl.Int64}
    write_table(path, pl.DataFrame(rows, schema=types, orient="row"))
