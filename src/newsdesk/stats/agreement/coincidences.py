"""Kappa and alpha: observed disagreement against the disagreement expected by chance; `PairAlpha` asks whether workers order two comments alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.stats.coefficients import weighted_mid_ranks
from newsdesk.stats.resample import product
from newsdesk.stats.units import (
    ItemUnits,
    Measure,
    Values,
    additive,
    alike,
    undefined,
)
from newsdesk.wording import plural

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]


@dataclass(frozen=True)
class Alpha(Measure):
    """Krippendorff's alpha (annotators × items) for a level of measurement."""

    level: Level = "nominal"
    kind: ClassVar[str] = "alpha"

    def __post_init__(self) -> None:
        one_of("level", self.level, get_args(Level))

    def units(self, values: Any) -> ItemUnits:
        """Reduce to items of two or more judgments."""
        codes, labels = coded(values)
        if self.level == "nominal":
            return _coincidences(codes, labels, np.arange(len(labels), dtype=np.float64), "nominal")
        places = numbers(labels, self.name)
        if self.level == "ratio" and (places < 0).any():
            raise ArgumentError(f"a value is {labels[0]}, and a ratio scale starts at 0")
        return _coincidences(codes, labels, places, self.level)


@dataclass(frozen=True)
class Kappa(Measure):
    """Cohen's kappa of two annotators (2 × items), each with a distribution of their own."""

    weights: Weights | None = None
    labels: Sequence[Any] | None = None
    kind: ClassVar[str] = "kappa"

    def __post_init__(self) -> None:
        one_of("weights", self.weights, (None, *get_args(Weights)))

    def units(self, values: Any) -> ItemUnits:
        """Reduce to items that both judged, by their two labels."""
        codes, scale, places, level = self._on_scale(values)  # codes: annotators × items
        if len(codes) != 2:
            raise ArgumentError(f"kappa is of two annotators, not {len(codes)}; try RotatingKappa")
        both = np.flatnonzero((codes >= 0).all(axis=0))
        if not len(both):
            return undefined(
                "no item was judged by both annotators", int((codes >= 0).any(axis=1).sum())
            )
        pairs, sorts = alike(codes[:, both].T)  # distinct pairs × 2
        # For each annotator: distinct pairs × labels, 1 at the label given.
        sides = [np.eye(len(scale))[pairs[:, side]] for side in (0, 1)]
        apart = _distance(level, *places[pairs.T])[:, None]

        def value(weights: Floats) -> Floats:
            first, second = (product(weights, side) for side in sides)
            observed = product(weights, apart)[:, 0] * weights.sum(axis=1)
            return corrected(observed, _expected(level, first, second, places), first + second)

        return array_units(sorts, value, codes, both, scale)

    def _on_scale(self, values: Any) -> tuple[Ints, list[Any], Floats, str]:
        """Return each judgment's index on the scale (-1: none), the scale, its indices, and its level.

        The level names the distance between two indices, see `_distance`.
        """
        codes, seen = coded(values)
        level = {None: "nominal", "linear": "linear", "quadratic": "interval"}[self.weights]
        scale = seen if self.labels is None else list(self.labels)
        if self.labels is None and self.weights:
            numbers(seen, f"{self.name} without `labels`, the scale from end to end,")
        if len(set(scale)) < len(scale):
            raise ArgumentError(f"labels {scale} name one of them twice")
        strange = [label for label in seen if label not in scale]
        if strange:
            raise ArgumentError(f"a value is {strange[0]!r}, not one of the labels {scale}")
        # A code of -1, no judgment, looks up the -1 at the end.
        index_of_code = np.array([*map(scale.index, seen), -1], dtype=np.int64)
        return index_of_code[codes], scale, np.arange(len(scale), dtype=np.float64), level


@dataclass(frozen=True)
class RotatingKappa(Kappa):
    """Kappa over all pairs of judgments of each item, in both orders (annotators × items)."""

    kind: ClassVar[str] = "rotating kappa"

    def units(self, values: Any) -> ItemUnits:
        """Reduce to items of two or more judgments."""
        return _coincidences(*self._on_scale(values), pooled=True)


def coded(values: Any) -> tuple[Ints, list[Any]]:
    """Return annotators × items as indices of the sorted labels, -1 where there is none; and the labels."""
    table = values if isinstance(values, np.ndarray) else _as_array(values)
    if table.ndim != 2:
        raise ArgumentError(f"values have shape {table.shape}, not annotators × items")
    if table.dtype == object and not any(isinstance(value, str) for value in table.flat):
        table = table.astype(np.float64)
    if table.dtype == object:
        # Only nan differs from itself.
        there = np.array([[value is not None and value == value for value in row] for row in table])
        mixed = [value for value in table[there] if not isinstance(value, str)]
        if mixed:
            raise ArgumentError(f"values are strings and numbers, such as {mixed[0]!r}")
        table = np.where(there, table, "").astype(str)
    elif table.dtype.kind == "U":
        there = np.ones(table.shape, dtype=bool)
    else:
        table = table.astype(np.float64)
        there = ~np.isnan(table)
        if np.isinf(table).any():
            raise ArgumentError("a value is infinite")
    labels, which = np.unique(table[there], return_inverse=True)
    codes = np.full(table.shape, -1, dtype=np.int64)
    codes[there] = which
    return codes, labels.tolist()


def _as_array(values: Any) -> NDArray[Any]:
    """Return rows of numbers as numbers, of anything else as objects."""
    try:
        table = np.asarray(values)
    except ValueError:
        raise ArgumentError("values are not annotators × items: rows differ in length") from None
    # NumPy would make nan among strings the string "nan".
    return table if table.dtype.kind in "biuf" else np.array(values, dtype=object)


def numbers(labels: Sequence[Any], what: str) -> Floats:
    """Return the labels as numbers; raises ArgumentError if they are strings."""
    if labels and isinstance(labels[0], str):
        raise ArgumentError(f"{what} needs numbers, and a value is {labels[0]!r}")
    return np.array(labels, dtype=np.float64)


def why_none(there: NDArray[np.bool_]) -> str:
    """Return the reason why no item can be used."""
    if not there.any():
        return "there are no judgments"
    if there.any(axis=1).sum() == 1:
        return "there is only one annotator, and nobody to agree with"
    return "no item has two judgments"


def array_units(
    sorts: Ints, value: Values, codes: Ints, usable: Ints, labels: Sequence[Any]
) -> ItemUnits:
    """Return the units of an array of codes (annotators × items), restricted to the columns `usable`.

    `sorts` and `value` are those of `ItemUnits`.
    """
    used = codes[:, usable]
    there = used >= 0
    judgments = int(there.sum())
    seen = np.unique(used[there])
    alone = int(((codes >= 0).sum(axis=0) == 1).sum())
    note = f"left out: {plural(alone, 'item')} with a single judgment" if alone else ""
    if len(seen) == 1:
        label = labels[seen[0]]
        shown = f"{label:g}" if isinstance(label, float) else repr(label)
        note = f"all {judgments} judgments are {shown}: where nothing varies, agreement cannot be told from chance"
    annotators = int(there.any(axis=1).sum())
    return ItemUnits(
        sorts, value, annotators, judgments, note, columns=usable, width=codes.shape[1]
    )


def _coincidences(
    codes: Ints, labels: Sequence[Any], places: Floats, level: str, *, pooled: bool = False
) -> ItemUnits:
    """Reduce items to pairs of judgments: for pooled kappa a pair counts 1, for alpha 1 / (m - 1).

    `places` are the values of the labels on the scale, `level` names the distance between them.
    """
    there = codes >= 0
    size = there.sum(axis=0)
    usable = np.flatnonzero(size > 1)
    if not len(usable):
        return undefined(why_none(there), int(there.any(axis=1).sum()))
    # A unit is its sorted labels, filled up with one that does not exist.
    ordered = np.sort(np.where(there, codes, len(places))[:, usable], axis=0)[: size.max()].T
    units, sorts = alike(ordered)  # distinct units × most judgments
    m = (units < len(places)).sum(axis=1)  # judgments of each unit
    share = np.ones(len(m)) if pooled else 1 / (m - 1)
    holds = _counts(units, len(places))  # units × labels
    in_pairs = (holds * (share * (m - 1))[:, None]).T.tocsr()
    # Ordinal distances are ranks among the resampled values, so they are not known before.
    fixed = None if level == "ordinal" else share * _within(level, places, units, holds)

    def value(weights: Floats) -> Floats:
        n = (in_pairs @ weights.T).T  # samples × labels
        total = n.sum(axis=1)
        if fixed is None:
            mid = weighted_mid_ranks(n, axis=1)  # samples × labels
            within = m[:, None] * (holds @ (mid**2).T) - (holds @ mid.T) ** 2
            observed = 2 * np.einsum("kp,pk->k", weights, share[:, None] * within)
            expected = 2 * (total * (n * mid**2).sum(axis=1) - (n * mid).sum(axis=1) ** 2)
        else:
            observed = product(weights, fixed[:, None])[:, 0]
            expected = _expected(level, n, n, places)
        return corrected(observed * (total if pooled else total - 1), expected, n)

    return array_units(sorts, value, codes, usable, labels)


def _counts(units: Ints, labels: int) -> sparse.csr_array:
    """Return units × labels: how often each unit has each label."""
    there = units < labels
    row_ends = np.append(0, np.cumsum(there.sum(axis=1)))
    counts = sparse.csr_array(
        (np.ones(row_ends[-1]), units[there], row_ends), shape=(len(units), labels)
    )
    counts.sum_duplicates()
    return counts


def _distance(level: str, a: Floats, b: Floats) -> Floats:
    """Return the distance of values: 0 or 1, |a − b| (linear), its square, or that of (a − b) / (a + b)."""
    apart: Floats = a - b
    if level == "nominal":
        return np.where(apart != 0, 1.0, 0.0)
    if level == "ratio":
        apart = np.divide(apart, a + b, out=np.zeros_like(apart), where=apart != 0)
    apart = np.abs(apart) if level == "linear" else apart**2
    return apart


def _within(level: str, places: Floats, units: Ints, holds: sparse.csr_array) -> Floats:
    """Return the distances between all ordered pairs of values of each unit, added up.

    A row of `units` is one unit: indices into `places`, ascending, then filled up with `len(places)`. `holds` is units × labels, how often each unit has each label.
    """
    there = units < len(places)
    m = there.sum(axis=1).astype(np.float64)
    if level == "nominal":
        return m**2 - (holds**2).sum(axis=1)
    values = np.append(places, 0.0)[units]  # units × most judgments, 0 where filled up
    if level == "interval":
        # From the first value on, so that equal values are 0 apart to the last bit.
        off: Floats = np.where(there, values - values[:, :1], 0.0)
        return 2 * (m * (off**2).sum(axis=1) - off.sum(axis=1) ** 2)
    total = np.zeros(len(units))
    for i in range(units.shape[1] - 1):
        to_later = _distance(level, values[:, i : i + 1], values[:, i + 1 :])
        total += 2 * (to_later * there[:, i + 1 :]).sum(axis=1)
    return total


def _expected(level: str, first: Floats, second: Floats, places: Floats) -> Floats:
    """Add up the distances between all values of one side and all of the other (k × labels each)."""
    n_first: Floats = first.sum(axis=1)
    n_second: Floats = second.sum(axis=1)
    if level == "nominal":
        return n_first * n_second - (first * second).sum(axis=1)
    if level == "interval":
        off = places - places.mean()
        squares = n_second * (first * off**2).sum(axis=1) + n_first * (second * off**2).sum(axis=1)
        return squares - 2 * (first * off).sum(axis=1) * (second * off).sum(axis=1)
    expected = np.zeros(len(first))
    for value, count in zip(places, first.T, strict=True):
        expected += count * (second * _distance(level, value, places)).sum(axis=1)
    return expected


def corrected(observed: Floats, expected: Floats, used: Floats) -> Floats:
    """Return 1 - observed / expected; nan where all values are one and the same.

    `used` counts how often each label was given: samples × labels.
    """
    varied = (used > 0).sum(axis=1) > 1
    ratio: Floats = np.divide(observed, expected, out=np.full(len(observed), np.nan), where=varied)
    return 1 - ratio


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
    """Alpha over pairs of comments of one task or article.

    Takes `Votes`, and resamples articles where known, else tasks.
    """

    scope: Scope = "task"
    ties: Ties = "keep"
    kind: ClassVar[str] = "alpha over pairs"

    def __post_init__(self) -> None:
        one_of("scope", self.scope, get_args(Scope))
        one_of("ties", self.ties, get_args(Ties))

    def units(self, values: Any) -> ItemUnits:
        """Reduce tasks (articles) to disagreement within pairs and numbers of equal and unequal values."""
        group, comment, worker, vote, drawn_with = _vote_table(values, self.scope)
        pair, sign, drawn = _compared(group, comment, worker, vote, drawn_with)
        _, first, unit = np.unique(pair, return_index=True, return_inverse=True)
        # Pairs of comments × (<, =, >): how many workers say so.
        said = np.bincount(3 * unit + sign + 1, minlength=3 * len(first)).reshape(-1, 3)
        if self.ties == "drop":
            said[:, 1] = 0
        size = said.sum(axis=1)
        usable = size > 1
        if not usable.any():
            unequal = " with unequal votes" if self.ties == "drop" else ""
            return undefined(f"no pair of comments was compared by two workers{unequal}")
        said, size, item = said[usable], size[usable], drawn[first][usable]
        within = (size**2 - (said**2).sum(axis=1)) / (size - 1)
        less, equal, more = said.T
        rows = np.zeros((item.max() + 1, 3))
        np.add.at(rows, item, np.column_stack([within, equal, less + more]))
        rows = rows[np.bincount(item) > 0]
        return additive(
            rows,
            _of_pairs,
            annotators=len(np.unique(worker)),
            judgments=len(worker),
            note=_CAVEAT if rows[:, 2].any() else "all votes of a worker are equal: nothing varies",
        )


def _vote_table(votes: Votes, scope: Scope) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """Return group, comment, worker and value of each vote cast, and the unit that is resampled with it."""
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
    """Return id, sign of the worker's votes and resampling unit of each pair that a worker compares.

    The arguments are the columns of `_vote_table`.
    """
    order = np.lexsort((comment, worker, group))
    group, comment, worker, drawn = (column[order] for column in (group, comment, worker, drawn))
    vote = vote[order]
    same = (np.diff(group) == 0) & (np.diff(worker) == 0)
    if (same & (np.diff(comment) == 0)).any():
        raise ArgumentError("a worker voted twice on a comment of one task or article")
    # A run is the votes of one worker in one group; runs of equal size are paired at once.
    starts = np.flatnonzero(np.append(True, ~same)[: len(vote)])
    sizes = np.diff(starts, append=len(vote))
    lefts, rights = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes):
        first, second = np.triu_indices(size, 1)
        run_starts = starts[sizes == size][:, None]
        lefts.append((run_starts + first).ravel())
        rights.append((run_starts + second).ravel())
    left, right = np.concatenate(lefts), np.concatenate(rights)
    comments = comment.max(initial=0) + 1
    pair = (group[left] * comments + comment[left]) * comments + comment[right]
    return pair, np.sign(vote[left] - vote[right]).astype(np.int64), drawn[left]


def _of_pairs(sums: Floats) -> Floats:
    """Return nominal alpha from sums of `PairAlpha.units`, every pair counted in both orders."""
    within, equal, unequal = sums.T
    total = 2 * (equal + unequal)
    expected = total**2 - (2 * equal) ** 2 - 2 * unequal**2
    return corrected(2 * within * (total - 1), expected, np.column_stack([unequal, unequal]))
