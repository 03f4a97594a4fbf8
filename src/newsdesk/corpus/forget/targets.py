"""What is to be forgotten, and how it is recognised: by id, address, domain or author, in its own words, and in the words of others.

A request names articles (id or address), domains and authors. The articles it matches are looked up in all files of the folder first, so that a row that has
only the id of an article, or only its address, is recognised too. Texts that are not articles (summaries, notes) are recognised by
five-word shingles that occur in forgotten texts and in no text that stays.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from newsdesk.corpus.align.background import MAX_CHARACTERS, words
from newsdesk.corpus.forgotten import author_key, domain_of, identifiers
from newsdesk.corpus.pages import url_key
from newsdesk.errors import ArgumentError

Record = Mapping[str, Any]
TEXTS = ("text", "title", "summary", "summary_with_labels")
SHINGLE_WORDS = 5
_OVERLAP = 1_000  # characters of neighbouring stretches of a long text
_SCANNED_CHARACTERS = 8  # shorter ids are looked up by field alone: "17" stands in every file


@dataclass(frozen=True, slots=True)
class Request:
    """Articles by id or address, domains with those below them, authors by name."""

    articles: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.articles or self.domains or self.authors):
            raise ArgumentError("nothing to forget; name an article, a domain or an author")
        for domain in self.domains:
            if "." not in domain_of(domain):
                raise ArgumentError(f"{domain!r} is not a domain like example.org")
        for name in (*self.articles, *self.authors):
            if not name.strip():
                raise ArgumentError("an empty name would be found everywhere; name what to forget")

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """Yield the (kind, value) pairs that match, as `forgotten.identifiers` spells them."""
        for article in self.articles:
            yield "id", article
            if "/" in article:
                yield "url", url_key(article)
        yield from (("domain", domain_of(domain)) for domain in self.domains)
        yield from (("author", author_key(name)) for name in self.authors)


@dataclass(slots=True)
class Targets:
    """What is known of what is to be forgotten; grows while a folder is read."""

    requested: frozenset[tuple[str, str]]
    matched: set[str] = field(default_factory=set)  # the ids of articles that were found
    ids: set[str] = field(default_factory=set)
    urls: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)  # as written
    titles: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)  # of authors and domains, as requested
    shingles: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, request: Request) -> Targets:
        """Return the targets of a request, before any file was read."""
        requested = frozenset(request.identifiers())
        targets = cls(requested)
        targets.ids |= {value for kind, value in requested if kind == "id"}
        targets.urls |= {value for kind, value in requested if kind == "url"}
        targets.addresses |= {article for article in request.articles if "/" in article}
        targets.names |= {*request.authors, *map(domain_of, request.domains)}
        return targets

    def match(self, article: Record) -> bool:
        """Return whether an article is to be forgotten."""
        if self.has_url(article.get("url")) or self._has_this_id(article):
            return True
        author = article.get("author")
        names = identifiers(author=author if isinstance(author, str) else None)
        return any(name in self.requested for name in names) or self.has_domain(
            article.get("source")
        )

    def _has_this_id(self, article: Record) -> bool:
        """Return whether the id is a forgotten one, and not merely learned and beside another address."""
        name = article.get("id")
        if not self.has_id(name):
            return False
        return ("id", name) in self.requested or not isinstance(article.get("url"), str)

    def has_id(self, value: object) -> bool:
        """Return whether a value is the id of a forgotten article."""
        return isinstance(value, str) and value in self.ids

    def has_url(self, value: object) -> bool:
        """Return whether a value is the address of a forgotten article or of a forgotten domain."""
        if not isinstance(value, str) or not value:
            return False
        return url_key(value) in self.urls or self.has_domain(value)

    def has_domain(self, value: object) -> bool:
        """Return whether a value is a host or an address of a forgotten domain."""
        if not isinstance(value, str) or not value or " " in value:
            return False
        return any(
            (kind, name) in self.requested
            for kind, name in identifiers(url=value)
            if kind == "domain"
        )

    def add(self, article: Record) -> bool:
        """Learn the id and the address of a matched article; return whether one of them is new."""
        before = len(self.ids) + len(self.urls)
        if isinstance(identifier := article.get("id"), str) and "text" in article:
            self.ids.add(identifier)
            self.matched.add(identifier)
        if isinstance(url := article.get("url"), str):
            self.urls.add(url_key(url))
        return len(self.ids) + len(self.urls) > before

    def learn_words(self, article: Record) -> None:
        """Learn the shingles of a matched article, and how its address and title are spelled."""
        for name in TEXTS:
            self.shingles |= hashed_shingles(article.get(name))
        for name, known in (("url", self.addresses), ("title", self.titles)):
            value = article.get(name)
            if isinstance(value, str) and len(value) >= _SCANNED_CHARACTERS:
                known.add(value)

    def unlearn_words(self, article: Record) -> None:
        """Take away the shingles that also occur in a text that stays."""
        for name in TEXTS:
            self.shingles -= hashed_shingles(article.get(name))

    def in_text(self, text: str) -> bool:
        """Return whether a text has a shingle that only forgotten articles have."""
        return bool(self.shingles) and not self.shingles.isdisjoint(hashed_shingles(text))


@dataclass(frozen=True, slots=True)
class Finder:
    """Blanks out addresses, ids and titles of what is forgotten, and finds these and names in any bytes.

    A title is blanked out only if no text that stays has all its shingles. Names are only found, not blanked out: the people and
    outlets that the news is about stay in the news.
    """

    blanked: re.Pattern[str]
    blanked_bytes: re.Pattern[bytes]
    scanned: re.Pattern[bytes]

    @classmethod
    def of(cls, targets: Targets) -> Finder:
        """Return a finder of everything that the targets know, in the escapes of HTML, JSON and URLs."""
        plain = {name for name in targets.ids if len(name) >= _SCANNED_CHARACTERS}
        plain |= targets.addresses | {
            bare for address in targets.addresses if (bare := _without_scheme(address))
        }
        plain |= {title for title in targets.titles if targets.in_text(title)}
        domains = [value for kind, value in targets.requested if kind == "domain"]
        links = [
            rf"https?://(?:[\w-]+\.)*{re.escape(domain)}[^\s\"'<>\\]*" for domain in sorted(domains)
        ]
        blanked = _pattern(plain, links)
        scanned = _pattern(plain | targets.names, links)
        flags = re.IGNORECASE
        return cls(
            blanked=re.compile(blanked, flags),
            blanked_bytes=re.compile(blanked.encode(), flags),
            scanned=re.compile(scanned.encode(), flags),
        )

    def blank(self, text: str) -> str:
        """Return the text without what is found."""
        return self.blanked.sub("", text)

    def blank_bytes(self, data: bytes) -> bytes:
        """Return the bytes without what is found."""
        return self.blanked_bytes.sub(b"", data)

    def is_in(self, data: bytes) -> bool:
        """Return whether anything is found, names included."""
        return self.scanned.search(data) is not None


def _pattern(plain: Iterable[str], links: Iterable[str]) -> str:
    """Return a regular expression of all escapes of plain texts and of `links`, which are patterns."""
    escaped = {form for text in plain for form in _escapes(text)}
    # The longest first, so that an address goes whole and not only as far as a shorter one.
    ordered = sorted(escaped, key=lambda form: (-len(form), form))
    return "|".join([*(re.escape(form) for form in ordered), *links]) or r"(?!)"


def hashed_shingles(text: object) -> set[int]:
    """Return the five-word shingles of a text as numbers of 64 bits; shorter texts have none."""
    if not isinstance(text, str):
        return set()
    hashes: set[int] = set()
    for start in range(0, max(len(text), 1), MAX_CHARACTERS - _OVERLAP):
        tokens = words(text[start : start + MAX_CHARACTERS])
        for first_word in range(len(tokens) - SHINGLE_WORDS + 1):
            shingle = " ".join(tokens[first_word : first_word + SHINGLE_WORDS])
            digest = hashlib.blake2b(shingle.encode("utf-8", "replace"), digest_size=8)
            hashes.add(int.from_bytes(digest.digest()))
    return hashes


def _without_scheme(address: str) -> str | None:
    """Return `example.org/a` of `https://www.example.org/a`: links are also written so."""
    if "://" not in address:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:  # such as an unclosed bracket: nobody links to it
        return None
    bare = f"{parts.netloc.removeprefix('www.')}{parts.path}".rstrip("/")
    return bare if "/" in bare else None


def _escapes(text: str) -> Iterable[str]:
    """Return a text as HTML, JSON and URLs may spell it."""
    ascii_json = json.dumps(text)[1:-1]
    return {
        text,
        html.escape(text),
        html.escape(text, quote=False),
        html.escape(text).replace("&#x27;", "&#39;"),
        ascii_json,
        ascii_json.replace("/", "\\/"),
        quote(text, safe=""),
        quote(text, safe=":/?=&"),
    }
