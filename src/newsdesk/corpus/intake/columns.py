"""Which column of a file holds which field of an article, and what the cells of a row say.

Columns are recognised by their names in ten languages (`data/article_columns.txt`) or mapped by the caller, as for comments. Nested values of JSON are reached by a path
such as `author=user.name`. A cell that shows tags or entities of HTML is read as a browser would show it.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from newsdesk import packaged
from newsdesk.corpus.extract import host
from newsdesk.corpus.extract.dates import day
from newsdesk.corpus.extract.page import clean
from newsdesk.corpus.pages import article_id
from newsdesk.errors import ArgumentError, DataError
from newsdesk.records.comments.cells import (
    has_markup,
    moment_of,
    orders_of,
    text_of_html,
)
from newsdesk.records.comments.flat import match_columns, with_paths
from newsdesk.text.language import language
from newsdesk.types import Article

FIELDS = ("id", "text", "title", "url", "date", "lang", "source", "category", "author", "lead")
ARTICLES = "articles"
NO_TEXT_NOR_TITLE = "no text"
# Keys of our own format that say how sure a date is; they are taken as they are.
_OWN = ("date_source", "date_confidence")
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "nil", "-", "–"))
_MOST_TITLE = 500


def parse_article_map(texts: Sequence[str]) -> dict[str, str]:
    """Return the fields and their columns as typed: `text=body,title=head`.

    An empty column means that the field is not read.

    >>> parse_article_map(["text=body,date=", "title=head"])
    {'text': 'body', 'date': '', 'title': 'head'}
    """
    columns: dict[str, str] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        name, equals, column = (part.strip() for part in pair.partition("="))
        if not equals:
            raise ArgumentError(f"{pair!r} is not FIELD=COLUMN, such as text=body")
        if name not in (*FIELDS, ARTICLES):
            close = difflib.get_close_matches(name, FIELDS, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(FIELDS)}"
            raise ArgumentError(f"articles have no field {name!r}{hint}")
        columns[name] = column
    return columns


@dataclass(slots=True)
class ColumnReader:
    """Turns rows of one file into articles; `notes` counts what is worth knowing and is no loss.

    `order` says whether dates such as 5/11/2026 have the day or the month first, where that is known.
    """

    mapped: Mapping[str, str] = field(default_factory=dict)
    order: str | None = None
    notes: Counter[str] = field(default_factory=Counter)
    _fields: dict[tuple[str, ...], dict[str, str]] = field(default_factory=dict)

    def columns(self, names: Sequence[str]) -> dict[str, str]:
        """Return the field that each column holds; the others are counted as ignored."""
        key = tuple(names)
        if key not in self._fields:
            names_of = packaged.sections("corpus.intake", "article_columns.txt")
            candidates = {name: names_of[name] for name in ("text", *FIELDS)}
            fields = match_columns(names, self.mapped, candidates)
            if not {"text", "title", "lead"} & set(fields.values()):
                listed = ", ".join(name.strip() or "(no name)" for name in names[:30])
                raise DataError(
                    f"no column with the text of articles among {listed}; name it with --map text=COLUMN"
                )
            for name in names:
                if name not in fields and name not in _OWN and name.strip():
                    self.notes[f"column not read: {name.strip()}"] += 1
            self._fields[key] = fields
        return self._fields[key]

    def article(self, row: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> Article:
        """Return the article of a row; DataError says why a row is none.

        `about` has fields that count where the row has none, such as those of the event that it is part of.
        """
        nested = with_paths(row, self.mapped)
        present = {
            name: value
            for name, value in nested.items()
            if not isinstance(value, dict) and value is not None
        }
        fields = self.columns(tuple(nested) if present else ())
        cells = dict(about or {})
        cells |= {fields[name]: value for name, value in present.items() if name in fields}
        own = {name: row[name] for name in _OWN if row.get(name) is not None}
        return self.from_cells(cells, own)

    def from_cells(
        self,
        cells: Mapping[str, Any],
        own: Mapping[str, Any] | None = None,
    ) -> Article:
        """Return the article that the cells of a row make, by field."""
        text = self._text(cells.get("text"))
        title = " ".join(self._text(cells.get("title")).split())[:_MOST_TITLE]
        if not text and (lead := self._text(cells.get("lead"))):
            text = lead
            self.notes["texts that are a lead or description only"] += 1
        if not text and not title:
            raise DataError(NO_TEXT_NOR_TITLE)
        if not text:
            self.notes["articles with a title and no text"] += 1
        url = _line(cells.get("url"))
        # An id may have blanks, which runs of TREC refuse.
        given_id = "-".join(_line(cells.get("id")).split())
        source = _line(cells.get("source"))
        return Article(
            given_id or article_id(url or None, text or title),
            text,
            title=title or None,
            url=url or None,
            date=self._day(cells.get("date")),
            lang=_code(cells.get("lang")) or language(text or title),
            source=(host(source) if "://" in source else source) or host(url) or None,
            category=_line(cells.get("category")) or None,
            author=_line(cells.get("author")) or None,
            **(own or {}),
        )

    def _text(self, value: Any) -> str:
        """Return a text without markup; a list is one of paragraphs."""
        if isinstance(value, list | tuple):
            value = "\n".join(str(part) for part in value if part is not None)
        text = "" if value is None or _is_nan(value) else str(value)
        if has_markup(text):
            self.notes["texts with markup, read as shown"] += 1
            text = text_of_html(text)
        text = clean(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
        return "" if text.lower() in _MISSING else text

    def _day(self, value: Any) -> str | None:
        if value is None or _is_nan(value):
            return None
        if isinstance(value, datetime | date):
            return value.isoformat()[:10]
        text = str(value).strip()
        if text.lower() in _MISSING:
            return None
        if orders_of(text):
            moment = moment_of(text, self.order)
            found = moment[:10] if moment else None
        else:
            named = day(value if isinstance(value, int | float) else text)
            found = named.isoformat() if named else None
        if found is None:
            self.notes["dates that cannot be read (left out)"] += 1
        return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _line(value: Any) -> str:
    """Return a cell as one line; empty for what stands for nothing. A list of names is joined."""
    if value is None or _is_nan(value):
        return ""
    if isinstance(value, list | tuple):
        value = ", ".join(str(part) for part in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = clean(" ".join(str(value).split()))
    return "" if text.lower() in _MISSING else text


def _code(value: Any) -> str | None:
    """Return a language code such as en or zh-Hant; None for a name or nonsense."""
    code = _line(value).replace("_", "-")
    head = code.partition("-")[0]
    return code if head.isascii() and head.isalpha() and 2 <= len(head) <= 3 else None
