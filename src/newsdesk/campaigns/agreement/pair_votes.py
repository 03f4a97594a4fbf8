"""Alpha over pairs of comments (Fujita et al. 2019): do workers order two comments alike?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats, Ints
from newsdesk.campaigns.agreement.coincidences import corrected
from newsdesk.campaigns.agreement.intervals import Measure, Units, additive, undefined
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of

Scope = Literal["task", "article"]
Ties = Literal["keep", "drop"]

_CAVEAT = "people may well differ on what is constructive, so a low alpha is no verdict on C-scores"


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes as columns of equal length: task, comment, worker and vote, and the article if known."""

    task: ArrayLike
    comment: ArrayLike
    worker: ArrayLike
    vote: ArrayLike
    article: ArrayLike | None = None


@dataclass(frozen=True)
class PairAlpha(Measure):
    """Alpha over pairs of comments of one task or article; takes `Votes`, and resamples articles where known, else tasks."""

    scope: Scope = "task"
    ties: Ties = "keep"
    kind: ClassVar[str] = "alpha over pairs"

    def __post_init__(self) -> None:
        one_of("scope", self.scope, get_args(Scope))
        one_of("ties", self.ties, get_args(Ties))

    def units(self, values: Any) -> Units:
        """Reduce tasks (articles) to the disagreement within their pairs and the numbers of equal and unequal values."""
        table = _vote_table(values, self.scope)
        worker = table[2]
        pair, sign, drawn = _compared(*table)
        _, first, unit = np.unique(pair, return_index=True, return_inverse=True)
        said = np.bincount(3 * unit + sign + 1, minlength=3 * len(first)).reshape(-1, 3)
        if self.ties == "drop":
            said[:, 1] = 0
        size = said.sum(axis=1)
        able = size > 1
        if not able.any():
            unequal = " with unequal votes" if self.ties == "drop" else ""
            return undefined(f"no pair of comments was compared by two workers{unequal}")
        said, size, item = said[able], size[able], drawn[first][able]
        within = (size**2 - (said**2).sum(axis=1)) / (size - 1)
        rows = np.zeros((item.max() + 1, 3))
        np.add.at(rows, item, np.column_stack([within, said[:, 1], said[:, 0] + said[:, 2]]))
        rows = rows[np.bincount(item) > 0]
        return additive(
            rows,
            _of_pairs,
            annotators=len(np.unique(worker)),
            judgments=len(worker),
            note=_CAVEAT if rows[:, 2].any() else "all votes of a worker are equal: nothing varies",
        )


def _vote_table(votes: Votes, scope: Scope) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """Group, comment, worker and value of each vote cast, and the task or article that is resampled with it."""
    vote = np.asarray(votes.vote, dtype=np.float64)
    if scope == "article" and votes.article is None:
        raise ArgumentError("pairs within an article need `article`, the article of each vote")
    named = {"task": votes.task, "comment": votes.comment, "worker": votes.worker}
    if votes.article is not None:
        named["article"] = votes.article
    places = {}
    for name, column in named.items():
        names = np.asarray(column)
        if names.shape != vote.shape or vote.ndim != 1:
            raise ArgumentError(f"`{name}` has shape {names.shape} and `vote` {vote.shape}")
        places[name] = np.unique(names, return_inverse=True)[1][~np.isnan(vote)]
    drawn = places.get("article", places["task"])
    cast = vote[~np.isnan(vote)]
    return places[scope], places["comment"], places["worker"], cast, drawn


def _compared(
    group: Ints, comment: Ints, worker: Ints, vote: Floats, drawn: Ints
) -> tuple[Ints, Ints, Ints]:
    """An id for each pair of comments that a worker compares, the sign of the worker's votes, and its resampling unit."""
    order = np.lexsort((comment, worker, group))
    group, comment, worker, drawn = (each[order] for each in (group, comment, worker, drawn))
    vote = vote[order]
    same = (np.diff(group) == 0) & (np.diff(worker) == 0)
    if (same & (np.diff(comment) == 0)).any():
        raise ArgumentError("a worker voted twice on a comment of one task or article")
    starts = np.flatnonzero(np.append(True, ~same)[: len(vote)])
    sizes = np.diff(starts, append=len(vote))
    lefts, rights = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes):
        first, second = np.triu_indices(size, 1)
        at = starts[sizes == size][:, None]
        lefts.append((at + first).ravel())
        rights.append((at + second).ravel())
    left, right = np.concatenate(lefts), np.concatenate(rights)
    comments = comment.max(initial=0) + 1
    pair = (group[left] * comments + comment[left]) * comments + comment[right]
    return pair, np.sign(vote[left] - vote[right]).astype(np.int64), drawn[left]


def _of_pairs(sums: Floats) -> Floats:
    """Nominal alpha from the disagreement within pairs and the numbers of equal and unequal values, every pair in both orders."""
    within, equal, unequal = sums.T
    total = 2 * (equal + unequal)
    expected = total**2 - (2 * equal) ** 2 - 2 * unequal**2
    return corrected(2 * within * (total - 1), expected, np.column_stack([unequal, unequal]))
