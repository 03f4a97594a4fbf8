"""Records of WARC files taken apart by hand, apart from the readers of the package."""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

_LENGTH = re.compile(rb"\r\nContent-Length: (\d+)\r\n", re.IGNORECASE)
_URL = re.compile(rb"WARC-Target-URI: (\S+)")


def records_of(data: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """The URL, the head and the block of each record of an uncompressed file."""
    position = 0
    while position < len(data):
        end = data.index(b"\r\n\r\n", position) + 4
        head = data[position:end]
        length = _LENGTH.search(head)
        url = _URL.search(head)
        assert length
        block = data[end : end + int(length[1])]
        yield (url[1].decode() if url else ""), head, block
        position = end + int(length[1]) + 4


def copy_without(
    source: Path,
    target: Path,
    gone: Collection[str],
    changed: Mapping[str, tuple[bytes, bytes]] | None = None,
) -> None:
    """Copy a WARC file without some addresses, and with bytes of some pages replaced."""
    parts = []
    for url, head, block in records_of(gzip.decompress(source.read_bytes())):
        if url in gone:
            continue
        old, new = (changed or {}).get(url, (b"", b""))
        edited = block.replace(old, new) if old else block
        head = _LENGTH.sub(b"\r\nContent-Length: %d\r\n" % len(edited), head)
        parts.append(gzip.compress(head + edited + b"\r\n\r\n", mtime=0))
    target.write_bytes(b"".join(parts))
