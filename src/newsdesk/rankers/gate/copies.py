"""Find copies and near-copies among the comments of a thread: the earliest is the original and stays.

A later comment is a copy if runs of words that it shares with one earlier comment cover at least four fifths of its words. Whoever adds something to what they quote is none, and an original never suffers from those that copy
it. Very short comments may agree by chance: they are copies only of the same writer's.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.records.comments.cells import parse_moment
from newsdesk.text.ragged import Codes, Ragged, WordNumbers, ngrams, offsets_of, stable_order
from newsdesk.types import Comment

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CHARACTER = re.compile(r"[^\W_]")
# With spaces between words and without: units of a run, and the least units of a copy.
_RUN, _LEAST = {True: 3, False: 5}, {True: 8, False: 16}
_COVERED = 0.8
# An earlier comment is compared if it is the first to have this share of the runs.
_CANDIDATE = 0.3


def copies(comments: Sequence[Comment], *, spaced: bool) -> dict[int, int]:
    """Return the original of each comment that is a copy, both by their index."""
    order = _by_time(comments)
    lexicon = WordNumbers()
    # Numbers at once: the words of a long thread would fill the memory.
    numbers, lengths = array("i"), np.zeros(len(order), dtype=np.int64)
    for place, row in enumerate(order):
        units = _units(comments[row].text, spaced=spaced)
        numbers.extend(map(lexicon.__getitem__, units))
        lengths[place] = len(units)
    read = Ragged(np.array(numbers, dtype=np.int32), offsets_of(lengths))
    runs = ngrams(read, _RUN[spaced], len(lexicon))
    same = _of_one_writer([comments[row].author for row in order], read)
    covered = _covered(read, *runs, _RUN[spaced], _LEAST[spaced])
    return {order[copy]: order[original] for copy, original in {**same, **covered}.items()}


def _by_time(comments: Sequence[Comment]) -> list[int]:
    """Return the indices of comments, the earliest first; as they stand where a time is not known."""
    moments = [parse_moment(comment.at) if comment.at else None for comment in comments]
    dated = [moment for moment in moments if moment is not None]
    if len(dated) < len(comments):
        return list(range(len(comments)))
    return sorted(range(len(comments)), key=lambda row: dated[row])


def _units(text: str, *, spaced: bool) -> list[str]:
    pattern = _WORD if spaced else _CHARACTER
    return pattern.findall(unicodedata.normalize("NFKC", text).lower())


def _of_one_writer(authors: Sequence[str | None], read: Ragged) -> dict[int, int]:
    """Return the first of each comment that a writer posted again, of whatever length."""
    first: dict[tuple[str, bytes], int] = {}
    again = {}
    for row, (author, numbers) in enumerate(zip(authors, read, strict=True)):
        if not author or not len(numbers):
            continue
        if (original := first.setdefault((author, numbers.tobytes()), row)) != row:
            again[row] = original
    return again


def _covered(read: Ragged, runs: Codes, starts: Ints, size: int, least: int) -> dict[int, int]:
    """Return the earlier comment that covers each copy, of comments in order of time.

    Their units are `read`, and `runs` the codes of all runs of `size` units, those of comment i from `starts[i]` on.
    """
    comment_of = np.repeat(np.arange(len(read)), np.diff(starts))  # runs
    first_owner = comment_of[_first_places(runs)]  # runs: the first comment that has it
    # Comments: how many of its runs an earlier one has.
    earlier = np.bincount(comment_of[first_owner < comment_of], minlength=len(read))
    enough = (read.lengths >= least) & (earlier >= _CANDIDATE * np.diff(starts))
    original_of: dict[int, int] = {}
    for row in np.flatnonzero(enough).tolist():
        own = runs[starts[row] : starts[row + 1]]
        owners = first_owner[starts[row] : starts[row + 1]]
        candidate = int(np.bincount(owners[owners < row]).argmax())
        shared = np.isin(own, runs[starts[candidate] : starts[candidate + 1]])  # runs
        # A word is covered by every shared run that it is in.
        words = np.zeros(len(own) + size - 1, dtype=bool)
        for shift in range(size):
            words[shift : shift + len(own)] |= shared
        if words.mean() >= _COVERED:
            original_of[row] = original_of.get(candidate, candidate)
    return original_of


def _first_places(codes: Codes) -> Ints:
    """Return for each code the place where it occurs first."""
    order = stable_order(codes)
    ordered = codes[order]
    begins = np.ones(len(codes), dtype=bool)  # where another code begins, in order
    begins[1:] = ordered[1:] != ordered[:-1]
    places = np.empty_like(order)
    places[order] = order[begins][np.cumsum(begins) - 1]
    return places
