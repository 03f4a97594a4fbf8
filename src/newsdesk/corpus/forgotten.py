"""What a corpus must not hold again: keyed hashes of addresses, ids, domains and authors, and nothing else about them.

The list is `forgotten.json` in the folder of a corpus, its key `forgotten.key` beside it. A hash is HMAC-SHA256 of the kind and the value under the
key, so that two corpora share no hashes and a list without its key tells nothing. With the key a guess can be checked, which is what a build does
with every page: keep the key as private as the corpus, and leave both out of releases.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from newsdesk.addresses import exists, fetched, is_address
from newsdesk.corpus.pages import url_key
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, reason, write_text
from newsdesk.jsonl import json_value

LIST = "forgotten.json"
KEY = "forgotten.key"
FILES = (LIST, KEY)
FORMAT = 1
REASON = "forgotten"
_BETWEEN_AUTHORS = re.compile(r"\s*(?:[,;|/&]|\band\b|\bund\b|\bet\b)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A list of keyed hashes, and the key; empty where nothing was forgotten."""

    key: bytes = b""
    hashes: frozenset[str] = frozenset()

    @classmethod
    def load(cls, folder: str | os.PathLike[str] | None) -> Forgotten:
        """Return the list of a folder; an empty one where there is none."""
        if folder is None:
            return cls()
        place = os.fspath(folder).rstrip("/")
        path = f"{place}/{LIST}"
        if not (exists(path) if is_address(path) else Path(path).is_file()):
            return cls()
        try:
            value = json_value(_read(path))
            key = bytes.fromhex(_read(f"{place}/{KEY}").decode("ascii").strip())
            if value["format"] != FORMAT:
                raise ValueError(f"`format` is {value['format']!r}; this version reads {FORMAT}")
            return cls(key, frozenset(value["hashes"]))
        except OSError as error:
            raise FileError(
                f"{place}/{KEY}: {reason(error)}; without the key nobody knows what was forgotten"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"not a list of what was forgotten: {error}", file=path) from error

    def with_values(self, values: Iterable[tuple[str, str]]) -> Forgotten:
        """Return the list with the hashes of more (kind, value) pairs."""
        more = {self._hash(kind, value) for kind, value in values}
        return Forgotten(self.key, self.hashes | more)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the list and its key; the key is readable by its owner alone."""
        value = {"format": FORMAT, "hashes": sorted(self.hashes)}
        write_text(Path(folder) / LIST, json.dumps(value, indent=1) + "\n")
        with atomic(Path(folder) / KEY, private=True) as stream:
            stream.write(self.key.hex().encode("ascii") + b"\n")

    @property
    def digest(self) -> str | None:
        """What a step that uses the list must redo its work for; None for an empty list."""
        if not self.hashes:
            return None
        return hashlib.sha256("".join(sorted(self.hashes)).encode()).hexdigest()

    def refuses(
        self, *, url: str | None = None, author: str | None = None, id: str | None = None
    ) -> bool:
        """Return whether an article of this address, author or id was forgotten."""
        if not self.hashes:
            return False
        return any(
            self._hash(kind, value) in self.hashes
            for kind, value in identifiers(url=url, author=author, id=id)
        )

    def _hash(self, kind: str, value: str) -> str:
        return hmac.digest(self.key, f"{kind}:{value}".encode(), "sha256").hex()


def _read(name: str) -> bytes:
    if is_address(name):
        with fetched(name) as stream:
            return stream.readall()
    return Path(name).read_bytes()


def identifiers(
    *, url: str | None = None, author: str | None = None, id: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the (kind, value) pairs by which an article can be forgotten.

    >>> list(identifiers(url="https://news.example.org/a", author="Ann  Lee and Bo Ray"))
    [('url', 'news.example.org/a'), ('domain', 'news.example.org'), ('domain', 'example.org'), ('domain', 'org'), ('author', 'ann lee and bo ray'), ('author', 'ann lee'), ('author', 'bo ray')]
    """
    if id:
        yield "id", id
    if url:
        yield "url", url_key(url)
        labels = domain_of(url).split(".")
        for first in range(len(labels)):
            yield "domain", ".".join(labels[first:])
    if author:
        whole = author_key(author)
        yield "author", whole
        names = [name for name in _BETWEEN_AUTHORS.split(whole) if name]
        if len(names) > 1:
            yield from (("author", name) for name in names)


def domain_of(address: str) -> str:
    """Return the host of an address or a bare host name, lower-cased and without `www.`.

    >>> domain_of("https://www.Example.org/a"), domain_of("example.org")
    ('example.org', 'example.org')
    """
    key = url_key(address)
    try:
        return urlsplit(f"//{key}").hostname or ""
    except ValueError:
        return ""


def author_key(name: str) -> str:
    """Return a name for comparison: letters folded, white space single.

    >>> author_key(" Ann  LEE ")
    'ann lee'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
