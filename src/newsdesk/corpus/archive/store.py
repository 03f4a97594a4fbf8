"""What a run has on disk: the ledger with one line for each URL that has an outcome, and the WARC file of the pages.

Both only grow. A page is on disk before the line that says so, and a line is on disk before its URL counts as done: a run that is killed at any
moment loses at most the URLs it was working on. What a killed run left half-written at the end of either file is cut off when the next one starts.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import IO, Any

from newsdesk.corpus.archive.client import SourceOutcome
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, make_folder, reason
from newsdesk.jsonl import json_line, json_value
from newsdesk.network import Answer
from newsdesk.work.ledger import locked, work_folder

_STORED = ("content-type", "content-encoding")
_BLOCK = 65_536  # bytes that are searched for a line end at a time

LEDGER = "ledger.jsonl"
WARC = "warc/sources.warc.gz"
_FIELDS = frozenset(field.name for field in fields(SourceOutcome))


def stored_response(answer: Answer) -> bytes:
    """Return the HTTP response as it is stored: the body as it came, and the headers to read it by."""
    lines = [f"HTTP/1.1 {answer.status} {'OK' if answer.status == 200 else 'Other'}"]
    lines += [
        f"{name.title()}: {answer.headers[name]}" for name in _STORED if name in answer.headers
    ]
    head = "\r\n".join([*lines, f"Content-Length: {len(answer.body)}", "", ""])
    return head.encode("utf-8", "replace") + answer.body


def page_record(url: str, timestamp: str, answer: Answer) -> bytes:
    """Return the record of a page: the cited address, the time of the copy (14 digits), and the response."""
    day, clock = timestamp[:8], timestamp[8:]
    moment = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"
    return _member(
        [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", _urn(f"{timestamp} {url}")),
            ("WARC-Date", moment),
            ("WARC-Target-URI", url),
            ("Content-Type", "application/http; msgtype=response"),
        ],
        stored_response(answer),
    )


def info_record() -> bytes:
    """Return the record on the file itself, which comes first."""
    fields = b"software: newsdesk\r\nformat: WARC File Format 1.0\r\n"
    return _member(
        [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", _urn("warcinfo")),
            ("WARC-Date", "1970-01-01T00:00:00Z"),
            ("Content-Type", "application/warc-fields"),
        ],
        fields,
    )


def _member(headers: Sequence[tuple[str, str]], block: bytes) -> bytes:
    """Return a WARC record as a gzip member of its own."""
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in headers)]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""]).encode("utf-8", "replace")
    return gzip.compress(head + block + b"\r\n\r\n", compresslevel=6, mtime=0)


def _urn(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]
    return f"<urn:uuid:{uuid.UUID(bytes=digest, version=4)}>"


class ArchiveStore:
    """The ledger and the WARC file of a folder; `known` maps the key of a page to its outcome."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.known: dict[str, str] = {}
        pages_end = 0  # of the last page that the ledger knows, in bytes of the WARC file
        for row in read_ledger(folder):
            self.known[row.key] = row.outcome
            pages_end = max(pages_end, (row.offset or 0) + (row.length or 0))
        self._ledger = _opened(folder / LEDGER, _whole_lines(folder / LEDGER))
        warc = folder / WARC
        size = warc.stat().st_size if warc.is_file() else 0
        info = info_record()
        # What a killed run left behind the last known page is cut off; a torn first record begins anew.
        keep = min(size, max(pages_end, len(info))) if size >= len(info) else 0
        self._warc = _opened(warc, keep)
        if self._warc.tell() == 0:
            _append(self._warc, info)

    def add(self, outcome: SourceOutcome, page: bytes | None = None) -> None:
        """Write an outcome, after the record of its page if there is one; both are on disk when this returns."""
        if page is not None:
            offset = _append(self._warc, page)
            outcome = replace(outcome, offset=offset, length=len(page))
        row = {name: value for name, value in asdict(outcome).items() if value not in (None, False)}
        _append(self._ledger, json_line(row))
        self.known[outcome.key] = outcome.outcome

    def close(self) -> None:
        """Close the WARC file and the ledger."""
        self._ledger.close()
        self._warc.close()


@contextlib.contextmanager
def open_store(
    out: str | os.PathLike[str], *, overwrite: bool
) -> Iterator[tuple[Path, ArchiveStore]]:
    """Yield the folder, made if needed, and its store, for one process at a time.

    A folder that holds something else is refused; `overwrite` deletes the ledger and the pages that are there.
    """
    folder, work = work_folder(out, "archive", overwrite=overwrite)
    make_folder(folder / "warc")
    with locked(work):
        if overwrite:
            for name in (LEDGER, WARC):
                (folder / name).unlink(missing_ok=True)
        store = ArchiveStore(folder)
        try:
            yield folder, store
        finally:
            store.close()


def read_ledger(folder: Path) -> Iterator[SourceOutcome]:
    """Yield the whole lines of a ledger; of two lines on one page the later one counts."""
    path = folder / LEDGER
    whole_bytes = _whole_lines(path)
    read_bytes = 0
    for number, line in InputFile(path).lines() if whole_bytes else ():
        read_bytes += len(line) + 1
        if read_bytes > whole_bytes:
            return
        yield _outcome(line, str(path), number)


def _outcome(line: bytes, file: str, number: int) -> SourceOutcome:
    """Parse a line of the ledger; `file` and its line `number` are for the error."""
    try:
        row: Any = json_value(line)
        if not isinstance(row, dict) or not row.keys() <= _FIELDS:
            raise TypeError
        return SourceOutcome(**row)
    except (ValueError, TypeError):
        raise DataError("not a line of an archive's ledger", file=file, line=number) from None


def _whole_lines(path: Path) -> int:
    """Return how many bytes of a file its whole lines have, read from the end backwards."""
    if not path.is_file():
        return 0
    with path.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _BLOCK)
            stream.seek(start)
            line_end = stream.read(end - start).rfind(b"\n")
            if line_end >= 0:
                return start + line_end + 1
            end = start
    return 0


def _opened(path: Path, size: int) -> IO[bytes]:
    """Return a file to append to, cut to its first `size` bytes."""
    try:
        stream = path.open("r+b" if path.is_file() else "w+b")
        stream.truncate(size)
        stream.seek(size)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    return stream


def _append(stream: IO[bytes], data: bytes) -> int:
    """Write bytes to disk and return where they begin; what a full disk cut off is removed again."""
    offset = stream.tell()
    try:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            stream.truncate(offset)
        raise FileError(f"{stream.name}: {reason(error)}") from error
    return offset
