"""Find copies and near-copies among the comments of a thread: the earliest is the original and stays.

A later comment is a copy if runs of words that it shares with one earlier comment cover at least four fifths of its words. Whoever adds something to what they quote is none, and an original never suffers from those that copy
it. Very short comments may agree by chance: they are copies only of the same writer's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.records.comments.cells import parse_moment
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Comment

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CHARACTER = re.compile(r"[^\W_]")
# With spaces between words and without: units of a run, and the least units of a copy.
_RUN, _LEAST = {True: 3, False: 5}, {True: 8, False: 16}
_COVERED = 0.8
# An earlier comment is compared if it is the first to have this share of the runs.
_CANDIDATE = 0.3
_MIXER = 0x9E3779B97F4A7C15


def copies(comments: Sequence[Comment], *, spaced: bool) -> dict[int, int]:
    """Return the original of each comment that is a copy, both by their index."""
    order = _by_time(comments)
    read = [_units(comments[row].text, spaced=spaced) for row in order]
    same = _of_one_writer([comments[row].author for row in order], read)
    return {
        order[copy]: order[original]
        for copy, original in {**same, **_covered(read, _RUN[spaced], _LEAST[spaced])}.items()
    }


def _by_time(comments: Sequence[Comment]) -> list[int]:
    """Return the indices of comments, the earliest first; as they stand where a time is not known."""
    moments = [parse_moment(comment.at) if comment.at else None for comment in comments]
    dated = [moment for moment in moments if moment is not None]
    if len(dated) < len(comments):
        return list(range(len(comments)))
    return sorted(range(len(comments)), key=lambda row: dated[row])


def _units(text: str, *, spaced: bool) -> tuple[str, ...]:
    pattern = _WORD if spaced else _CHARACTER
    return tuple(pattern.findall(unicodedata.normalize("NFKC", text).lower()))


def _of_one_writer(
    authors: Sequence[str | None], read: Sequence[tuple[str, ...]]
) -> dict[int, int]:
    """Return the first of each comment that a writer posted again, of whatever length."""
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    again = {}
    for row, (author, units) in enumerate(zip(authors, read, strict=True)):
        if author and units and (original := first.setdefault((author, units), row)) != row:
            again[row] = original
    return again


def _covered(read: Sequence[tuple[str, ...]], run: int, least: int) -> dict[int, int]:
    """Return the earlier comment that covers each copy; `read` are the units of comments, in order of time."""
    runs = [_runs(numbers, run) for numbers in _numbered(read)]
    starts = offsets_of(np.array([len(own) for own in runs], dtype=np.int64))  # comments + 1
    keys = np.concatenate([np.zeros(0, np.uint64), *runs])
    comment_of = np.repeat(np.arange(len(runs)), np.diff(starts))  # runs
    _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
    first_owner = comment_of[firsts][inverse] if len(keys) else comment_of  # runs
    original_of: dict[int, int] = {}
    for row, own in enumerate(runs):
        owners = first_owner[starts[row] : starts[row + 1]]
        owners = owners[owners < row]
        if len(read[row]) < least or len(owners) < _CANDIDATE * len(own):
            continue
        candidate = int(np.bincount(owners).argmax())
        shared = np.isin(own, runs[candidate])  # runs of this comment
        # A word is covered by every shared run that it is in.
        words = np.zeros(len(own) + run - 1, dtype=bool)
        for shift in range(run):
            words[shift : shift + len(own)] |= shared
        if words.mean() >= _COVERED:
            original_of[row] = original_of.get(candidate, candidate)
    return original_of


def _numbered(read: Sequence[tuple[str, ...]]) -> list[Ints]:
    numbers: dict[str, int] = {}
    return [
        np.array([numbers.setdefault(unit, len(numbers) + 1) for unit in units], dtype=np.int64)
        for units in read
    ]


def _runs(numbers: Ints, run: int) -> NDArray[np.uint64]:
    """Return a hash of each run of so many neighbouring units."""
    count = max(len(numbers) - run + 1, 0)
    hashes = np.zeros(count, dtype=np.uint64)
    for shift in range(run):
        hashes = hashes * np.uint64(_MIXER) + numbers[shift : shift + count].astype(np.uint64)
    return hashes
