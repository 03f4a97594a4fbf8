"""Statistics of rankings with ties: places, mean ranks, wins, Friedman and pairwise tests; `strengths` fits Bradley-Terry.

A ranking is one annotator's order of the systems of one item: a row of `ranks`, 1 = best, equal ranks = tie, nan = not ranked.
Dense ranks (1, 1, 2), competition ranks (1, 1, 3) and fractional ranks (1.5, 1.5, 3) mean the same, and so does any row whose
ranks go from 1 to the number of its systems, such as 2, 2, 2, 2 in real data: only the order counts. `items` names the item of
each row. Rows of one item are not independent, so intervals draw whole items, and tests take one mean per item.

- Mean ranks are over mid-ranks: tied systems share the mean of their places.
- **Friedman's test** is the tie-corrected one, as in SciPy; W = statistic / (blocks · (systems - 1)) is Kendall's W of the blocks.
- **Pairwise tests** are on the items' mean differences of mid-ranks; items without a difference are dropped. The sign test and, up
  to 100 items, Wilcoxon's signed ranks are exact, ties included (SciPy, with ties, only up to 13 items); beyond, Wilcoxon's is the
  normal approximation. p-values are corrected for the number of pairs (Holm, 1979).

`letters` groups systems that cannot be told apart: two that share a letter do not differ for sure, here by Nemenyi's critical distance.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.stats.significance import Correction, correct
from newsdesk.stats.units import over_items
from newsdesk.wording import plural


def letters(ordered: Sequence[str], differ: Collection[frozenset[str]]) -> dict[str, str]:
    """Return the letters of each system, `ordered` best first; two that do not differ share a letter.

    `differ` holds the pairs that differ for sure.

    >>> letters(["a", "b", "c"], {frozenset("ac")})
    {'a': 'A', 'b': 'AB', 'c': 'B'}
    """
    groups: list[list[str]] = []
    for index, system in enumerate(ordered):
        group = [system]
        for other in ordered[index + 1 :]:
            if all(frozenset((member, other)) not in differ for member in group):
                group.append(other)
        if not any(set(group) <= set(larger) for larger in groups):
            groups.append(group)
    letters_of = dict.fromkeys(ordered, "")
    for number, group in enumerate(groups):
        for system in group:
            letters_of[system] += _letter(number)
    return letters_of


def _letter(number: int) -> str:
    """Return A, B, …, Z for 0 to 25, then A1, B1, …"""
    round_, index = divmod(number, 26)
    return chr(ord("A") + index) + (str(round_) if round_ else "")


def nemenyi_distance(systems: int, blocks: int, level: float = 0.95) -> float:
    """Return the smallest difference of mean ranks that is significant for any pair of systems.

    The critical distance of Nemenyi (1963), as in Demšar (2006); `blocks` is the number of rankings.

    >>> round(nemenyi_distance(5, 30), 3)
    1.114
    """
    from scipy import stats

    quantile = float(stats.studentized_range.ppf(level, systems, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(systems * (systems + 1) / (6 * blocks))


def apart_by_ranks(means: Mapping[str, float], distance: float) -> set[frozenset[str]]:
    """Return the pairs of systems whose mean ranks differ by at least the critical distance."""
    names = list(means)
    values: Floats = np.array(list(means.values()))
    apart = np.abs(values[:, None] - values[None, :]) >= distance  # systems × systems
    far = np.argwhere(np.triu(apart, 1))
    return {frozenset((names[one], names[two])) for one, two in far.tolist()}


Form = Literal["dense", "competition", "fractional"]
Test = Literal["sign", "wilcoxon"]

_EXACT_UP_TO = 100  # items


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """The mean mid-rank of each system with its interval (nan where there is none), and its rankings."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    rankings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Duels:
    """Systems × systems: how often the row's system is ranked above the column's, and how often they tie."""

    wins: Ints
    ties: Ints


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's chi-square over blocks that rank all systems, and Kendall's W.

    None where undefined, and `note` says why.
    """

    statistic: float | None
    p: float | None
    w: float | None
    blocks: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Two systems (by column) compared: on how many items the first is better, equal and worse, and p."""

    first: int
    second: int
    difference: float  # of mean ranks, first less second: negative where the first is better
    better: int
    equal: int
    worse: int
    p: float
    corrected: float


def normalise(ranks: ArrayLike, how: Form = "fractional") -> Floats:
    """Return rankings (along the last axis) in one of three forms; nan stays nan.

    >>> normalise([3, 1, 1, 2], "competition").tolist(), normalise([3.5, 1, 2, 3.5], "dense").tolist()
    ([4.0, 1.0, 1.0, 3.0], [3.0, 1.0, 2.0, 3.0])
    """
    one_of("how", how, get_args(Form))
    table = np.asarray(ranks, dtype=np.float64)
    if table.ndim < 1:
        raise ArgumentError(f"ranks have shape {table.shape}, not rankings × systems")
    count = (~np.isnan(table)).sum(axis=-1, keepdims=True)
    wrong = (table < 1) | (table > count)
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0])
        most = int(np.broadcast_to(count, table.shape)[index])
        raise ArgumentError(f"a rank is {table[index]:g} of {most}; ranks go from 1 to {most}")
    if how == "fractional":
        return mid_ranks(table)
    mine, others = table[..., :, None], table[..., None, :]
    above = others < mine  # … × systems × systems: the second is ranked above the first
    if how == "dense":
        # Of equal ranks above only the first in the row counts.
        earlier = np.tri(table.shape[-1], k=-1, dtype=bool)
        above &= ~((mine == others) & earlier).any(axis=-1)[..., None, :]
    return np.where(np.isnan(table), np.nan, above.sum(axis=-1) + 1.0)


def place_counts(ranks: ArrayLike, how: Literal["dense", "competition"] = "dense") -> Ints:
    """Return systems × places: how often each system came 1st, 2nd, …

    >>> place_counts([[3, 1, 1, 2], [1, 2, 3, 4]]).tolist()
    [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
    """
    one_of("how", how, ("dense", "competition"))
    table = rank_rows(ranks, how)  # rankings × systems
    places = np.arange(1, table.shape[1] + 1)
    return (table[:, :, None] == places).sum(axis=0)


def mean_ranks(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> MeanRanks:
    """Return each system's mean mid-rank over the rankings that include it, with an interval over items.

    >>> mean_ranks([[1, 1, 3], [1, 2, 3]]).values
    (1.25, 1.75, 3.0)
    """
    table = rank_rows(ranks)  # rankings × systems
    ranked = ~np.isnan(table)
    # items × (sums of ranks, then numbers of rankings, of each system)
    per_item = sums_by_item(np.hstack([np.nan_to_num(table), ranked]), items)

    def means(sums: Floats) -> Floats:
        total, count = np.hsplit(sums, 2)
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)

    spread = over_items(per_item, means, samples=samples, level=level, seed=seed)
    value, low, high = (
        tuple(column.tolist()) for column in (spread.value, spread.low, spread.high)
    )
    return MeanRanks(value, low, high, tuple(ranked.sum(axis=0).tolist()))


def duels(ranks: ArrayLike) -> Duels:
    """Count the wins and ties of every pair of systems; losses are `wins.T`.

    >>> duels([[1, 1, 2]]).wins.tolist()
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    table = rank_rows(ranks)
    systems = table.shape[1]
    # Of each pair of systems, in the order of `triu_indices`.
    won, lost, tied = np.hsplit(pair_outcomes(table).sum(axis=0).astype(np.int64), 3)
    first, second = np.triu_indices(systems, 1)
    wins, ties = (np.zeros((systems, systems), dtype=np.int64) for _ in range(2))
    wins[first, second], wins[second, first] = won, lost
    ties[first, second] = ties[second, first] = tied
    return Duels(wins, ties)


def friedman(ranks: ArrayLike, items: ArrayLike | None = None) -> Friedman:
    """Test that all systems are equal (Friedman), on the rankings that hold every system.

    A block is a ranking, or with `items` the mean mid-ranks of an item.

    >>> test = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> round(test.statistic, 6), round(test.p, 6), test.w
    (4.5, 0.105399, 0.5625)
    """
    table = rank_rows(ranks)
    full = ~np.isnan(table).any(axis=1)
    ranked = table[full]  # blocks × systems
    if items is not None:
        # Rounded, so that means which are equal but for rounding errors tie.
        ranked = mid_ranks(np.round(_means(ranked, _item_numbers(items, len(table))[full]), 9))
    blocks, systems = ranked.shape
    if systems < 2 or blocks < 2:
        return Friedman(None, None, None, blocks, "fewer than two blocks rank all systems")
    off = ranked - (systems + 1) / 2
    spread = (off**2).sum()
    if not spread:
        return Friedman(None, None, None, blocks, "every ranking ties all systems")
    w = float((off.sum(axis=0) ** 2).sum() / (blocks * spread))
    statistic = blocks * (systems - 1) * w
    p = float(special.chdtrc(systems - 1, statistic))
    left_out = int((~full).sum())
    verb = "does" if left_out == 1 else "do"
    rankings = plural(left_out, "ranking")
    note = f"left out: {rankings} that {verb} not hold every system" if left_out else ""
    return Friedman(statistic, p, w, blocks, note)


def compare(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    test: Test = "wilcoxon",
    correction: Correction = "holm",
) -> list[Pairwise]:
    """Compare every pair of systems on the items where both were ranked.

    P-values are corrected for the number of pairs.
    """
    one_of("test", test, get_args(Test))
    table = rank_rows(ranks)
    item_of = _item_numbers(np.arange(len(table)) if items is None else items, len(table))
    pairs = []
    for first, second in combinations(range(table.shape[1]), 2):
        apart = table[:, first] - table[:, second]
        both = ~np.isnan(apart)
        differences = np.round(_means(apart[both][:, None], item_of[both])[:, 0], 9)
        better, equal, worse = (
            int(np.count_nonzero(sign))
            for sign in (differences < 0, differences == 0, differences > 0)
        )
        mean = float(differences.mean()) if len(differences) else math.nan
        p = _p(differences, test)
        pairs.append(Pairwise(first, second, mean, better, equal, worse, p, corrected=p))
    corrected = correct([pair.p for pair in pairs], correction)
    return [
        dataclasses.replace(pair, corrected=float(p))
        for pair, p in zip(pairs, corrected, strict=True)
    ]


def rank_rows(ranks: ArrayLike, how: Form = "fractional") -> Floats:
    """Validate rankings × systems (at least one of each) and normalise them to one form."""
    table = np.asarray(ranks, dtype=np.float64)
    if table.ndim != 2:
        raise ArgumentError(f"ranks have shape {table.shape}, not rankings × systems")
    if not table.size:
        raise ArgumentError("there are no rankings")
    return normalise(table, how)


def _item_numbers(items: ArrayLike, rankings: int) -> Ints:
    """Return the number of each ranking's item, from 0; raise an error unless there is one each."""
    names = np.asarray(items)
    if names.shape != (rankings,):
        raise ArgumentError(f"items have shape {names.shape}, not one each of {rankings} rankings")
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def sums_by_item(columns: Floats, items: ArrayLike | None) -> Floats:
    """Sum the rows of each item; without `items` every row is an item."""
    if items is None:
        return columns
    item_of = _item_numbers(items, len(columns))
    # items × rows, 1 where the row is of the item
    membership = sparse.csr_array((np.ones(len(item_of)), (item_of, np.arange(len(item_of)))))
    return membership @ columns


def _means(rows: Floats, item_of: Ints) -> Floats:
    """Return the mean row of each item that has any."""
    _, which, count = np.unique(item_of, return_inverse=True, return_counts=True)
    total = np.zeros((len(count), rows.shape[1]))
    np.add.at(total, which, rows)
    return total / count[:, None]


def pair_outcomes(table: Floats) -> Floats:
    """Return rankings × (wins of each pair's first, wins of its second, ties), as 0 and 1.

    Pairs of systems are in the order of `np.triu_indices`; where one is not ranked all three are 0.
    """
    first, second = np.triu_indices(table.shape[1], 1)
    one, two = table[:, first], table[:, second]
    return np.hstack([one < two, one > two, one == two]).astype(np.float64)


def _p(differences: Floats, test: Test) -> float:
    """Return the two-sided p of items' differences; 1 where none differs from 0."""
    differing = differences[differences != 0]
    if not len(differing):
        return 1.0
    if test == "wilcoxon" and len(differing) <= _EXACT_UP_TO:
        return _signed_ranks_p(differing)
    from scipy import stats  # takes 0.6 s to import, and the rest does without it

    if test == "sign":
        return float(stats.binomtest(int((differing > 0).sum()), len(differing)).pvalue)
    return float(stats.wilcoxon(differing, method="approx").pvalue)


def _signed_ranks_p(differences: Floats) -> float:
    """Return the exact two-sided p of Wilcoxon's signed ranks, ties included; no difference is 0."""
    twice_ranks = np.rint(2 * mid_ranks(np.abs(differences))).astype(
        np.int64
    )  # mid-ranks as integers
    # probabilities[k]: of a sum k of the doubled ranks above 0, if each sign is a coin toss
    probabilities = np.ones(1)
    for rank in twice_ranks:
        probabilities = (np.pad(probabilities, (0, rank)) + np.pad(probabilities, (rank, 0))) / 2
    observed = int(twice_ranks[differences > 0].sum())
    lower, upper = probabilities[: observed + 1].sum(), probabilities[observed:].sum()
    return min(1.0, 2 * float(min(lower, upper)))
