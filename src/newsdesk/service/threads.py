"""Threads of a file of comments, ranked once by a job and put in another order at once: what an order is made of lies in one SQLite file.

The job (`ranking.rank_threads`) reads a file, ranks every thread and keeps of each comment its score, the part of length in it, its vector, likes and time as arrays, and text and reasons
as JSON. A page reads the arrays of one thread, orders them by the sliders (`ThreadParts.order`) and decodes only the comments that it shows.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Floats, Ints, best_first
from newsdesk.rankers.ranker import Reason
from newsdesk.records.schema import schema_of
from newsdesk.service.search import matching, opened
from newsdesk.types import Article, Comment

ThreadOrder = Literal["quality", "likes", "time"]
ORDERS: Mapping[ThreadOrder, str] = {"quality": "Quality", "likes": "Likes", "time": "Newest"}
# Half-lives of a comment's value that the slider of age offers, in hours; the first is off.
HALF_LIVES_H: tuple[float | None, ...] = (None, 168, 72, 24, 12, 6, 3)

INDEX, READING = "threads.db", "reading.json"
TABLES = """
CREATE TABLE thread (number INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, comments INTEGER, held INTEGER, first TEXT, signature TEXT, caution TEXT, article TEXT, parts BLOB);
CREATE TABLE comment (thread INTEGER, row INTEGER, id TEXT, record TEXT, told TEXT, PRIMARY KEY (thread, row)) WITHOUT ROWID;
"""
_LISTED = "number, id, title, comments, held, first, signature, caution"


@dataclass(frozen=True, slots=True)
class FileReading:
    """How a file of comments was read: the field of every column, an example of each field, and what was not taken."""

    format: str
    threads: int
    comments: int
    columns: Mapping[str, str]  # column → field, empty where it is not used
    samples: Mapping[str, str]  # field → a value
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedThread:
    """A thread as a list shows it."""

    number: int
    id: str
    title: str
    comments: int
    held: int
    first: str
    signature: str
    caution: str


@dataclass(frozen=True, slots=True)
class ToldComment:
    """A comment with what is said of it."""

    row: int
    comment: Comment
    score: float
    standing: str
    reasons: tuple[Reason, ...]
    probability: float | None
    probability_error: float | None
    held: str  # why it is held back, empty if it is not
    gate: Mapping[str, Any] | None  # the same as the fields of `Held`


@dataclass(frozen=True, slots=True)
class ThreadSliders:
    """What a reader sets: the order, how much length counts (1: as the model weighs it), diversity, and the half-life."""

    order: ThreadOrder = "quality"
    length: float = 1.0
    diversity: float = 0.0
    half_life_h: float | None = None

    @property
    def fields(self) -> dict[str, object]:
        """The settings that are not the usual ones, for a signature."""
        usual = ThreadSliders()
        return {
            field.name.replace("_h", "").replace("_", "-"): getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        }


@dataclass(frozen=True, slots=True, eq=False)
class ThreadParts:
    """What the order of a thread is made of, one entry a comment, in the order of the file."""

    scores: Floats
    length: Floats  # the part of length in each score
    feedback: Floats  # likes less dislikes; NaN where unknown
    moments: Floats  # seconds since 1970; NaN where unknown
    vectors: NDArray[np.float16]  # comments × dimensions
    held: Bools  # held back for what is in it
    originals: Ints  # the row of the comment that it copies; its own row where it is no copy

    @property
    def kept(self) -> Bools:
        """True for comments that are neither held back nor a copy of another."""
        return ~self.held & (self.originals == np.arange(len(self.held)))

    def packed(self) -> bytes:
        """Return the arrays as the bytes of an npz file."""
        stream = io.BytesIO()
        np.savez(stream, **{field.name: getattr(self, field.name) for field in fields(self)})
        return stream.getvalue()

    @classmethod
    def unpacked(cls, content: bytes) -> ThreadParts:
        """Read the arrays back from `packed`."""
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    def order(self, sliders: ThreadSliders, rows: Ints) -> tuple[Ints, Floats]:
        """Return some comments, by row, best first, and the values that all are ordered by.

        In the order of likes or time those without either come last, by quality.
        """
        values = np.full(len(self.scores), -np.inf)
        values[rows] = self._quality(sliders, rows)
        ranked = rows[best_first(values[rows])]
        if sliders.order == "quality":
            return ranked, values
        by = self.feedback if sliders.order == "likes" else self.moments
        known = np.nan_to_num(by, nan=-np.inf)
        return ranked[np.argsort(-known[ranked], kind="stable")], values

    def _quality(self, sliders: ThreadSliders, rows: Ints) -> Floats:
        # Loads scipy, which the server does without until somebody looks at a thread.
        from newsdesk.rankers.ordering import diversified, scaled

        scores: Floats = (self.scores + (sliders.length - 1) * self.length)[rows]
        if not len(rows) or (not sliders.diversity and sliders.half_life_h is None):
            return scores
        values = scaled(scores)
        if sliders.half_life_h is not None:
            ages = np.nan_to_num(np.nanmax(self.moments, initial=0.0) - self.moments[rows])
            values = values * 0.5 ** (ages / 3600 / sliders.half_life_h)
        if sliders.diversity:
            vectors = self.vectors[rows].astype(np.float32)
            values = diversified(values, vectors, sliders.diversity)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class ArrangedThread:
    """The comments of a thread, by row, in the lists that a page shows."""

    shown: Ints  # pinned ones first
    pinned: tuple[int, ...]
    held: Ints  # the highest scores first
    hidden: tuple[int, ...]
    copies: Mapping[int, tuple[int, ...]]  # of each original
    first_by: Mapping[
        ThreadOrder, list[int]
    ]  # all that are shown, in each order; without those that it does not know
    values: Floats  # comments

    @property
    def liked(self) -> dict[int, int]:
        """The place of each comment by likes."""
        return {row: place for place, row in enumerate(self.first_by["likes"], 1)}

    @classmethod
    def of(
        cls,
        parts: ThreadParts,
        sliders: ThreadSliders,
        pinned: Sequence[int] = (),
        hidden: Sequence[int] = (),
        released: Sequence[int] = (),
    ) -> ArrangedThread:
        """Arrange a thread by what readers set and moderators did."""
        free = parts.kept.copy()
        free[[*pinned, *released]] = True
        free[list(hidden)] = False
        listed, values = parts.order(sliders, np.flatnonzero(free))
        top = np.array(pinned, dtype=np.int64)
        copies: dict[int, list[int]] = {}
        alone = parts.originals == np.arange(len(parts.held))
        for row in np.flatnonzero(~alone & ~free).tolist():
            copies.setdefault(int(parts.originals[row]), []).append(row)
        rest = parts.held & ~free
        rest[list(hidden)] = False
        held = np.flatnonzero(rest)
        free_rows = np.sort(listed)
        known = {"quality": parts.scores, "likes": parts.feedback, "time": parts.moments}
        first_by: dict[ThreadOrder, list[int]] = {}
        for order in ORDERS:
            ranked = parts.order(ThreadSliders(order), free_rows)[0]
            first_by[order] = ranked[~np.isnan(known[order][ranked])].tolist()
        return cls(
            shown=np.concatenate([top, listed[~np.isin(listed, top)]]),
            pinned=tuple(pinned),
            held=held[best_first(parts.scores[held])],
            hidden=tuple(hidden),
            copies={row: tuple(rows) for row, rows in copies.items()},
            first_by=first_by,
            values=values,
        )


def read_reading(folder: Path) -> FileReading:
    """Return how a file was read, as its job wrote it."""
    values = json.loads((folder / READING).read_bytes())
    return FileReading(**{**values, "notes": tuple(values["notes"])})


class ThreadIndex:
    """The ranked threads of a folder, opened for reading; use it in one thread and close it."""

    def __init__(self, folder: Path) -> None:
        self._connection = opened(folder / INDEX)
        self._schema = schema_of(Comment)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def threads(self, query: str = "", *, first: int = 0, most: int = 50) -> list[ListedThread]:
        """Return threads, in the order of the file, or those that hold all words of a query, best first."""
        if not query:
            return self._listed("ORDER BY number LIMIT ? OFFSET ?", [most, first])
        if not (phrases := matching(query)):
            return []
        return self._listed(
            "JOIN words ON words.rowid = number WHERE words MATCH ? ORDER BY rank LIMIT ? OFFSET ?",
            [phrases, most, first],
        )

    def thread(self, article: str) -> ListedThread | None:
        """Return the thread of an article; None where there is none."""
        return next(iter(self._listed("WHERE id = ?", [article])), None)

    def count(self) -> int:
        """Return the number of threads."""
        [count] = self._connection.execute("SELECT max(number) FROM thread").fetchone()
        return int(count)

    def article(self, thread: ListedThread) -> Article:
        """Return the article of a thread."""
        query = "SELECT article FROM thread WHERE number = ?"
        [text] = self._connection.execute(query, [thread.number]).fetchone()
        article: Article = schema_of(Article).decode(json.loads(text))
        return article

    def parts(self, thread: ListedThread) -> ThreadParts:
        """Return what the order of a thread is made of."""
        query = "SELECT parts FROM thread WHERE number = ?"
        [content] = self._connection.execute(query, [thread.number]).fetchone()
        return ThreadParts.unpacked(content)

    def rows_of(self, thread: ListedThread, comments: Iterable[str]) -> dict[str, int]:
        """Return the rows of comments by their ids; unknown ones are left out."""
        query = "SELECT id, row FROM comment WHERE thread = ? AND id = ?"
        pairs = (self._connection.execute(query, [thread.number, name]) for name in comments)
        return {name: row for found in pairs for name, row in found}

    def comments(self, thread: ListedThread, rows: Iterable[int]) -> list[ToldComment]:
        """Return comments with what is said of them, by row, in this order."""
        query = "SELECT record, told FROM comment WHERE thread = ? AND row = ?"
        found = (
            (row, self._connection.execute(query, [thread.number, row]).fetchone()) for row in rows
        )
        return [self._comment(row, *texts) for row, texts in found if texts is not None]

    def _comment(self, row: int, record: str, told: str) -> ToldComment:
        values = json.loads(told)
        reasons = tuple(
            Reason(**{**reason, "words": tuple(reason["words"])})
            for reason in values.pop("reasons")
        )
        return ToldComment(row, self._schema.decode(json.loads(record)), reasons=reasons, **values)

    def _listed(self, clauses: str, values: Sequence[Any]) -> list[ListedThread]:
        rows = self._connection.execute(f"SELECT {_LISTED} FROM thread {clauses}", values)
        return [ListedThread(*row) for row in rows]
