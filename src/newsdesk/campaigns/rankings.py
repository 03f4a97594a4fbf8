"""What rankings with ties say of the systems ranked: places, mean ranks, wins, Bradley-Terry strengths, tests.

A ranking is one annotator's order of the systems of one item: a row of `ranks`, 1 = best, equal ranks = tie, nan = not ranked.
Dense ranks (1, 1, 2), competition ranks (1, 1, 3) and fractional ranks (1.5, 1.5, 3) mean the same, and so does any row whose
ranks go from 1 to the number of its systems, such as 2, 2, 2, 2 in real data: only the order counts. `items` names the item of
each row. Rows of one item are not independent, so intervals draw whole items, and tests take one mean per item.

- Mean ranks are over mid-ranks: tied systems share the mean of their places.
- **Bradley-Terry with ties** is Davidson's (1970): of two systems of log strengths a and b the first wins in proportion to
  exp((a - b) / 2), the second to exp((b - a) / 2), and they tie in proportion to ν. Every pair of a ranking is a comparison, so
  pairs of one ranking are not independent either, and the interval is a bootstrap over items, not the Hessian's. Newton's method on
  the log likelihood, which is concave, less 0.005 · (Σ strength² + log² ν): that centres strengths at 0 and keeps them finite where
  a system never loses, as if each had a normal prior of standard deviation 10; a strength of 1 seen in 100 comparisons moves by
  0.0005. `note` names such systems.
- **Friedman's test** is the tie-corrected one, as in SciPy; W = statistic / (blocks · (systems - 1)) is Kendall's W of the blocks.
- **Pairwise tests** are on the items' mean differences of mid-ranks; items without a difference are dropped. The sign test and, up
  to 100 items, Wilcoxon's signed ranks are exact, ties included (SciPy, with ties, only up to 13 items); beyond, Wilcoxon's is the
  normal approximation. p-values are corrected for the number of pairs (Holm, 1979).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from newsdesk.arrays import Floats, Ints
from newsdesk.campaigns.concordance import mid_ranks
from newsdesk.campaigns.intervals import over_items
from newsdesk.errors import ArgumentError
from newsdesk.metrics.significance import Correction, correct
from newsdesk.settings import one_of

Form = Literal["dense", "competition", "fractional"]
Test = Literal["sign", "wilcoxon"]

_PENALTY = 0.01
_STEPS = 200
_EXACT = 100
_LISTED = 8
_CELLS = 1 << 22  # of curvature held at a time (32 MB)


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """The mean mid-rank of each system with its interval (nan where there is none), and how many rankings hold it."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    rankings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Duels:
    """Systems × systems: how often the row's system stands above the column's, and level with it."""

    wins: Ints
    ties: Ints


@dataclass(frozen=True, slots=True)
class Strengths:
    """Davidson's log strengths, centred at 0, with their intervals; `tie` is ν, and two equals tie with probability ν / (2 + ν)."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    tie: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's chi-square over blocks that rank all systems, and Kendall's W; None where undefined, and `note` says why."""

    statistic: float | None
    p: float | None
    w: float | None
    blocks: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Two systems (by column): the first's mean rank less the second's, on how many items it is better, level, worse, and p."""

    first: int
    second: int
    difference: float
    better: int
    equal: int
    worse: int
    p: float
    corrected: float


def normalise(ranks: ArrayLike, how: Form = "fractional") -> Floats:
    """Rankings (along the last axis) in one of three forms; nan stays nan.

    >>> normalise([3, 1, 1, 2], "competition").tolist(), normalise([3.5, 1, 2, 3.5], "dense").tolist()
    ([4.0, 1.0, 1.0, 3.0], [3.0, 1.0, 2.0, 3.0])
    """
    one_of("how", how, get_args(Form))
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim < 1:
        raise ArgumentError(f"ranks have shape {given.shape}, not rankings × systems")
    count = (~np.isnan(given)).sum(axis=-1, keepdims=True)
    wrong = (given < 1) | (given > count)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        most = int(np.broadcast_to(count, given.shape)[place])
        raise ArgumentError(f"a rank is {given[place]:g} of {most}; ranks go from 1 to {most}")
    if how == "fractional":
        return mid_ranks(given)
    mine, others = given[..., :, None], given[..., None, :]
    above = others < mine
    if how == "dense":
        # Of equal ranks above only the first in the row counts.
        earlier = np.tri(given.shape[-1], k=-1, dtype=bool)
        above &= ~((mine == others) & earlier).any(axis=-1)[..., None, :]
    return np.where(np.isnan(given), np.nan, above.sum(axis=-1) + 1.0)


def place_counts(ranks: ArrayLike, how: Literal["dense", "competition"] = "dense") -> Ints:
    """Systems × places: how often each system came 1st, 2nd, …

    >>> place_counts([[3, 1, 1, 2], [1, 2, 3, 4]]).tolist()
    [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
    """
    one_of("how", how, ("dense", "competition"))
    places = _table(ranks, how)
    steps = np.arange(1, places.shape[1] + 1)
    return (places[:, :, None] == steps).sum(axis=0)


def mean_ranks(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> MeanRanks:
    """The mean mid-rank of each system over the rankings that hold it, with an interval over items.

    >>> mean_ranks([[1, 1, 3], [1, 2, 3]]).values
    (1.25, 1.75, 3.0)
    """
    table = _table(ranks)
    ranked = ~np.isnan(table)
    per_item = _per_item(np.hstack([np.nan_to_num(table), ranked]), items)

    def means(sums: Floats) -> Floats:
        total, count = np.hsplit(sums, 2)
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)

    found = over_items(per_item, means, samples=samples, level=level, seed=seed)
    value, low, high = (tuple(each.tolist()) for each in (found.value, found.low, found.high))
    return MeanRanks(value, low, high, tuple(ranked.sum(axis=0).tolist()))


def duels(ranks: ArrayLike) -> Duels:
    """Wins and ties of every two systems; losses are `wins.T`.

    >>> duels([[1, 1, 2]]).wins.tolist()
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    table = _table(ranks)
    systems = table.shape[1]
    wins, losses, ties = np.hsplit(_pair_columns(table).sum(axis=0).astype(np.int64), 3)
    found = np.zeros((2, systems, systems), dtype=np.int64)
    first, second = np.triu_indices(systems, 1)
    found[0, first, second], found[0, second, first] = wins, losses
    found[1, first, second] = found[1, second, first] = ties
    return Duels(found[0], found[1])


def bradley_terry(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Strengths:
    """Bradley-Terry strengths with ties (Davidson), with intervals over items.

    >>> found = bradley_terry([[1, 2], [1, 2], [1, 2], [2, 1], [1, 1]], samples=100)
    >>> round(found.values[0] - found.values[1], 2), round(found.tie, 2)
    (1.09, 0.58)
    """
    table = _table(ranks)
    systems = table.shape[1]
    if systems < 2:
        raise ArgumentError(f"{systems} systems cannot be compared")
    columns = _pair_columns(table)
    met = np.flatnonzero(columns.reshape(len(columns), 3, -1).any(axis=(0, 1)))
    first, second = (side[met] for side in np.triu_indices(systems, 1))
    of_met = columns.reshape(len(columns), 3, -1)[:, :, met].reshape(len(columns), -1)
    found = over_items(
        _per_item(of_met, items),
        lambda sums: _davidson(_Games(first, second, systems, *np.hsplit(sums, 3))),
        samples=samples,
        level=level,
        seed=seed,
    )
    value, low, high = (tuple(each[:-1].tolist()) for each in (found.value, found.low, found.high))
    note = _separated(columns.sum(axis=0), systems)
    return Strengths(value, low, high, math.exp(found.value[-1]), note)


def friedman(ranks: ArrayLike, items: ArrayLike | None = None) -> Friedman:
    """Do the systems differ at all? A block is a ranking, or with `items` an item, by the mean of its mid-ranks.

    >>> found = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> round(found.statistic, 6), round(found.p, 6), found.w
    (4.5, 0.105399, 0.5625)
    """
    table = _table(ranks)
    full = ~np.isnan(table).any(axis=1)
    whole = table[full]
    if items is not None:
        whole = mid_ranks(np.round(_means(whole, _named(items, len(table))[full]), 9))
    blocks, systems = whole.shape
    if systems < 2 or blocks < 2:
        return Friedman(None, None, None, blocks, "fewer than two blocks rank all systems")
    off = whole - (systems + 1) / 2
    spread = (off**2).sum()
    if not spread:
        return Friedman(None, None, None, blocks, "every ranking ties all systems")
    w = float((off.sum(axis=0) ** 2).sum() / (blocks * spread))
    statistic = blocks * (systems - 1) * w
    p = float(special.chdtrc(systems - 1, statistic))
    left = int((~full).sum())
    note = f"left out: {left} rankings that do not hold every system" if left else ""
    return Friedman(statistic, p, w, blocks, note)


def compare(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    test: Test = "wilcoxon",
    correction: Correction = "holm",
) -> list[Pairwise]:
    """Every two systems on the items where both were ranked, with p-values corrected for the number of pairs."""
    one_of("test", test, get_args(Test))
    table = _table(ranks)
    named = _named(np.arange(len(table)) if items is None else items, len(table))
    found = []
    for first, second in combinations(range(table.shape[1]), 2):
        apart = table[:, first] - table[:, second]
        both = ~np.isnan(apart)
        each = np.round(_means(apart[both][:, None], named[both])[:, 0], 9)
        better, equal, worse = (
            int(np.count_nonzero(sign)) for sign in (each < 0, each == 0, each > 0)
        )
        mean = float(each.mean()) if len(each) else math.nan
        p = _p(each, test)
        found.append(Pairwise(first, second, mean, better, equal, worse, p, p))
    corrected = correct([pair.p for pair in found], correction)
    return [
        dataclasses.replace(pair, corrected=float(p))
        for pair, p in zip(found, corrected, strict=True)
    ]


def _table(ranks: ArrayLike, how: Form = "fractional") -> Floats:
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim != 2:
        raise ArgumentError(f"ranks have shape {given.shape}, not rankings × systems")
    if not given.size:
        raise ArgumentError("there are no rankings")
    return normalise(given, how)


def _named(items: ArrayLike, rankings: int) -> Ints:
    given = np.asarray(items)
    if given.shape != (rankings,):
        raise ArgumentError(f"items have shape {given.shape}, not one each of {rankings} rankings")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def _per_item(columns: Floats, items: ArrayLike | None) -> Floats:
    """Rows added up by item."""
    if items is None:
        return columns
    named = _named(items, len(columns))
    holds = sparse.csr_array((np.ones(len(named)), (named, np.arange(len(named)))))
    return holds @ columns


def _means(rows: Floats, named: Ints) -> Floats:
    """The mean row of each item that has any."""
    _, which, count = np.unique(named, return_inverse=True, return_counts=True)
    total = np.zeros((len(count), rows.shape[1]))
    np.add.at(total, which, rows)
    return total / count[:, None]


def _pair_columns(table: Floats) -> Floats:
    """Rankings × (wins of each pair's first, wins of its second, ties), as 0 and 1."""
    first, second = np.triu_indices(table.shape[1], 1)
    one, two = table[:, first], table[:, second]
    return np.hstack([one < two, one > two, one == two]).astype(np.float64)


def _davidson(games: _Games) -> Floats:
    """Log strengths and log ν: k × (systems + 1)."""
    start = np.zeros((1, games.systems + 1))
    if len(games.won) > 1:  # samples are not far from their mean
        start = games.mean().strengths(start)
    size = max(1, _CELLS // start.size**2)
    parts = (slice(low, low + size) for low in range(0, len(games.won), size))
    return np.concatenate([games.of(part).strengths(start) for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class _Games:
    """The pairs of systems that ever met, and k × pairs: how often the first won, lost, tied."""

    first: Ints
    second: Ints
    systems: int
    won: Floats
    lost: Floats
    tied: Floats

    def of(self, part: slice | Ints) -> _Games:
        """Some of the k."""
        return dataclasses.replace(
            self, won=self.won[part], lost=self.lost[part], tied=self.tied[part]
        )

    def mean(self) -> _Games:
        """The mean of the k as one."""
        won, lost, tied = (
            each.mean(axis=0, keepdims=True) for each in (self.won, self.lost, self.tied)
        )
        return dataclasses.replace(self, won=won, lost=lost, tied=tied)

    def strengths(self, start: Floats) -> Floats:
        """Newton's method, for all k at once."""
        found = np.tile(start, (len(self.won), 1))
        going = np.arange(len(found))
        for _ in range(_STEPS):
            gradient, curve = self.of(going)._slope(found[going])
            step = np.linalg.solve(curve, gradient[:, :, None])[:, :, 0]
            # A step of more than 1 may leave the region where the quadratic holds.
            step /= np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
            found[going] += step
            going = going[np.abs(step).max(axis=1) > 1e-10]
            if not len(going):
                break
        return found

    def _slope(self, at: Floats) -> tuple[Floats, Floats]:
        """Gradient and (negative) curvature of the penalized log likelihood."""
        first, second = self.first, self.second
        lead = (at[:, first] - at[:, second]) / 2
        weight = np.exp(np.stack([lead, -lead, np.broadcast_to(at[:, -1:], lead.shape)]))
        p_won, p_lost, p_tied = weight / weight.sum(axis=0)
        met, edge = self.won + self.lost + self.tied, p_won - p_lost
        gradient = np.empty_like(at)
        gradient[:, :-1] = self._over_systems(self.won - self.lost - met * edge, -1)
        gradient[:, -1] = (self.tied - met * p_tied).sum(axis=1)
        gradient -= _PENALTY * at
        curve = np.zeros((len(at), self.systems + 1, self.systems + 1))
        each = met * (p_won + p_lost - edge**2) / 4
        curve[:, first, second] = curve[:, second, first] = -each
        own = np.arange(self.systems)
        curve[:, own, own] = 2 * self._over_systems(each, 1)
        cross = -self._over_systems(met * edge * p_tied, -1)
        curve[:, :-1, -1] = curve[:, -1, :-1] = cross
        curve[:, -1, -1] = (met * p_tied * (1 - p_tied)).sum(axis=1)
        curve += _PENALTY * np.eye(self.systems + 1)
        return gradient, curve

    def _over_systems(self, values: Floats, sign: int) -> Floats:
        """Half of every pair's value added to its first system, and `sign` times as much to its second."""
        pairs = np.arange(len(self.first))
        rows = np.concatenate([self.first, self.second])
        halves = np.concatenate([np.full(len(pairs), 0.5), np.full(len(pairs), 0.5 * sign)])
        shape = (self.systems, len(pairs))
        holds = sparse.csr_array((halves, (rows, np.concatenate([pairs, pairs]))), shape=shape)
        return (holds @ values.T).T


def _separated(sums: Floats, systems: int) -> str:
    """Which systems rest on the penalty, in words."""
    wins, losses, ties = np.hsplit(sums, 3)
    first, second = np.triu_indices(systems, 1)
    beaten = np.zeros((systems, systems))
    beaten[first, second], beaten[second, first] = losses + ties, wins + ties
    parts, which = sparse.csgraph.connected_components(beaten > 0, connection="strong")
    if parts == 1:
        return ""
    apart = "how far these are apart is bounded by the penalty alone"
    if parts > _LISTED:
        return f"no comparison leads both ways between {parts} sets of systems: {apart}"
    sets = [np.flatnonzero(which == part).tolist() for part in range(parts)]
    return f"no comparison leads both ways between systems {sets} (by column): {apart}"


def _p(each: Floats, test: Test) -> float:
    moved = each[each != 0]
    if not len(moved):
        return 1.0
    if test == "wilcoxon" and len(moved) <= _EXACT:
        return _signed_ranks_p(moved)
    from scipy import stats  # takes 0.6 s to import, and the rest does without it

    if test == "sign":
        return float(stats.binomtest(int((moved > 0).sum()), len(moved)).pvalue)
    return float(stats.wilcoxon(moved, method="approx").pvalue)


def _signed_ranks_p(moved: Floats) -> float:
    """The exact two-sided p of Wilcoxon's signed ranks, ties included: every sign as likely as its opposite."""
    twice = np.rint(2 * mid_ranks(np.abs(moved))).astype(np.int64)
    odds = np.ones(1)
    for rank in twice:
        odds = (np.pad(odds, (0, rank)) + np.pad(odds, (rank, 0))) / 2
    above = int(twice[moved > 0].sum())
    return min(1.0, 2 * float(min(odds[: above + 1].sum(), odds[above:].sum())))
