"""JSON values without what is forgotten: records, ledgers, candidates, groups of duplicates, threads and outputs, whoever wrote them.

An article inside a list leaves the list; a value that is about a forgotten article alone (a thread, a ledger line, a candidate) goes as a whole. A
cluster without articles and a group of fewer than two copies go too. In longer texts that stay, an address is blanked out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from newsdesk.corpus.forget.targets import Finder, Targets
from newsdesk.corpus.forgotten import identifiers


class _Gone:
    """The value of what is to be removed."""


GONE = _Gone()
# Where the id of an article may stand, beside `id` of an article itself.
_ID_KEYS = ("article", "item", "target", "doc", "document", "article_id")
_NO_ARTICLES = ("comments", "entities", "events", "stories")


@dataclass(frozen=True, slots=True)
class Scrubber:
    """Removes what is forgotten from JSON values."""

    targets: Targets
    finder: Finder

    def scrub(self, value: Any, key: str | None = None) -> Any:
        """The value without what is forgotten; `GONE` if nothing of it may stay. `key` is where it stands."""
        if isinstance(value, dict):
            return self._record(value, key)
        if isinstance(value, list):
            rest = [scrubbed for each in value if (scrubbed := self.scrub(each, key)) is not GONE]
            return value if len(rest) == len(value) and rest == value else rest
        return self._text(value, key) if isinstance(value, str) else value

    def finds(self, data: bytes) -> bool:
        """Whether bytes show an address, id, name or shingle of what is forgotten."""
        return self.finder.is_in(data) or self.targets.in_text(data.decode("utf-8", "replace"))

    def _record(self, record: dict[str, Any], key: str | None) -> Any:
        if self._is_target(record, key):
            return GONE
        rest: dict[str, Any] = {}
        for name, value in record.items():
            if self._names_target(name):
                continue
            scrubbed = self.scrub(value, name)
            if scrubbed is GONE:
                return GONE
            rest[name] = scrubbed
        return GONE if self._is_emptied(record, rest) else rest

    def _is_target(self, record: dict[str, Any], key: str | None) -> bool:
        if key in _NO_ARTICLES:  # their ids are not those of articles
            return any(
                identifier in self.targets.requested
                for identifier in identifiers(author=_string(record.get("author")))
            )
        if {"articles", "comments", "sources"} & record.keys():  # a cluster, a thread, an event
            return False
        return self.targets.match(record)

    def _names_target(self, name: str) -> bool:
        """Whether a key is the address or the id of what is forgotten, as in an index of pages."""
        return ("://" in name and self.targets.has_url(name)) or self.targets.has_id(name)

    @staticmethod
    def _is_emptied(before: dict[str, Any], after: dict[str, Any]) -> bool:
        articles = before.get("articles")
        if not isinstance(articles, list) or len(after["articles"]) == len(articles):
            return False
        copies = any(isinstance(article, dict) and "kept" in article for article in articles)
        return len(after["articles"]) < (2 if copies else 1)

    def _text(self, text: str, key: str | None) -> Any:
        if key in _ID_KEYS and self.targets.has_id(text):
            return GONE
        if "://" in text[:12] and not any(each.isspace() for each in text):
            return GONE if self.targets.has_url(text) else text
        if self.targets.in_text(text):
            return GONE
        return self.finder.blank(text) if " " in text else text


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None
