"""Lines of files in the encodings of table programs: UTF-8 with or without a byte order mark, UTF-16, Windows-1252.

A file is UTF-8 unless it begins as UTF-16 does, or its first line with other than ASCII bytes is not UTF-8: then all of it is read as Windows-1252, and the
account says so. In a file that has shown itself to be UTF-8, a broken byte stays visible as a lone surrogate, and its row is rejected later.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from newsdesk.records.comments.grouping import Account

Lines = Iterator[tuple[int, str]]


def utf16_of(head: bytes) -> str | None:
    """Return the UTF-16 encoding that the first bytes of a file show by mark or zeros; else None.

    >>> utf16_of("id;text".encode("utf-16-le")), utf16_of(b"id;text")
    ('utf-16-le', None)
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) < 4 or head[:4].count(0) != 2:
        return None
    return "utf-16-le" if head[1] == 0 and head[3] == 0 else "utf-16-be"


def utf16_lines(chunks: Iterable[bytes], encoding: str) -> Lines:
    """Yield the lines of a file in UTF-16, numbered from 1."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    number, rest = 0, ""
    for chunk in chunks:
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in whole:
            number += 1
            yield number, line.removesuffix("\r")
    rest += decoder.decode(b"", final=True)
    if rest:
        yield number + 1, rest


def lenient_lines(lines: Iterable[tuple[int, bytes]], account: Account) -> Lines:
    """Numbered lines as text, in UTF-8 or Windows-1252."""
    encoding: str | None = None
    for number, line in lines:
        if encoding is None and not line.isascii():
            encoding = "utf-8" if _is_utf8(line) else "cp1252"
            if encoding == "cp1252":
                account.notes.append(f"line {number} is not UTF-8: read as Windows-1252")
        yield (
            number,
            _windows(line) if encoding == "cp1252" else line.decode("utf-8", "surrogateescape"),
        )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _windows(line: bytes) -> str:
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return line.decode("latin-1")  # the five bytes that Windows-1252 leaves undefined
