"""What a release holds, counted while it is written: for the data card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from newsdesk.corpus.release.tables import Row, articles_of


@dataclass(slots=True)
class Contents:
    """Articles by outlet and language, each counted once by id, and the first and the last day."""

    outlets: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    days: list[str] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    @property
    def articles(self) -> int:
        """How many different articles there are."""
        return len(self._ids)

    def counted(self, kind: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows unchanged, counting the articles in them."""
        for row in rows:
            for article in articles_of(kind, row):
                if article["id"] not in self._ids:
                    self._add(article)
            yield row

    def _add(self, article: Row) -> None:
        self._ids.add(article["id"])
        self.outlets[article.get("source") or "unknown"] += 1
        self.languages[article.get("lang") or "unknown"] += 1
        if day := article.get("date"):
            self.days = [min([day, *self.days]), max([day, *self.days])]
