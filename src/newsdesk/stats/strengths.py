"""Bradley-Terry strengths of ranked systems, with ties as in Davidson (1970).

Of two systems of log strengths a and b the first wins in proportion to exp((a - b) / 2), the second to exp((b - a) / 2), and they
tie in proportion to ν. Every pair of a ranking is a comparison, so pairs of one ranking are not independent, and the interval is a
bootstrap over items, not the Hessian's. Newton's method maximizes the log likelihood, which is concave, less
0.005 · (Σ strength² + log² ν): that centres strengths at 0 and keeps them finite where a system never loses, as if each had a normal
prior of standard deviation 10; a strength of 1 estimated from 100 comparisons changes by 0.0005. `note` names such systems. A resample in
which a system was not compared says nothing of its strength and is left out of its interval; where half of them lack it there is none.

Input as in `rankings`: rows of `ranks`, 1 = best, equal ranks = tie, nan = not ranked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.stats.rankings import pair_outcomes, rank_rows, sums_by_item
from newsdesk.stats.units import over_items
from newsdesk.wording import plural

_PENALTY = 0.01
_STEPS = 200
_LISTED = 8
_CELLS = 1 << 22  # of curvature held at a time (32 MB)


@dataclass(frozen=True, slots=True)
class Strengths:
    """Davidson's log strengths, centred at 0, with their intervals.

    `tie` is ν, and two equals tie with probability ν / (2 + ν).
    """

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    tie: float
    note: str = ""


def bradley_terry(
    ranks: ArrayLike,
    items: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Strengths:
    """Bradley-Terry strengths with ties (Davidson), with intervals over items.

    `names` of the systems appear in the note.

    >>> fit = bradley_terry([[1, 2], [1, 2], [1, 2], [2, 1], [1, 1]], samples=100)
    >>> round(fit.values[0] - fit.values[1], 2), round(fit.tie, 2)
    (1.09, 0.58)
    """
    table = rank_rows(ranks)
    systems = table.shape[1]
    if systems < 2:
        raise ArgumentError(f"{plural(systems, 'system')} cannot be compared; two are needed")
    if names is not None and len(names) != systems:
        raise ArgumentError(f"there are {systems} systems and {plural(len(names), 'name')} of them")
    columns = pair_outcomes(table)
    met = np.flatnonzero(columns.reshape(len(columns), 3, -1).any(axis=(0, 1)))
    first, second = (side[met] for side in np.triu_indices(systems, 1))
    of_met = columns.reshape(len(columns), 3, -1)[:, :, met].reshape(len(columns), -1)
    spread = over_items(
        sums_by_item(of_met, items),
        lambda sums: _where_compared(_Games(first, second, systems, *np.hsplit(sums, 3))),
        samples=samples,
        level=level,
        seed=seed,
    )
    value, low, high = (
        tuple(column[:-1].tolist())
        for column in (np.nan_to_num(spread.value), spread.low, spread.high)
    )
    named = names or [f"column {n}" for n in range(systems)]
    total = columns.sum(axis=0)
    notes = (_separated(total, named), _one_sided(total, named), _absent(spread.undefined, named))
    tie = math.exp(np.nan_to_num(spread.value[-1]))
    return Strengths(value, low, high, tie, "; ".join(filter(None, notes)))


def _where_compared(games: _Games) -> Floats:
    """Log strengths and log ν, nan for a system that was not compared in a sample."""
    solution = _davidson(games)
    compared = games.over_systems(games.won + games.lost + games.tied, 1) > 0
    solution[:, :-1][~compared] = np.nan
    return solution


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
        """Select some of the k samples."""
        return dataclasses.replace(
            self, won=self.won[part], lost=self.lost[part], tied=self.tied[part]
        )

    def mean(self) -> _Games:
        """Return the mean of all k samples, as a single sample."""
        won, lost, tied = (
            table.mean(axis=0, keepdims=True) for table in (self.won, self.lost, self.tied)
        )
        return dataclasses.replace(self, won=won, lost=lost, tied=tied)

    def strengths(self, start: Floats) -> Floats:
        """Maximize by Newton's method, all k samples at once."""
        solution = np.tile(start, (len(self.won), 1))
        going = np.arange(len(solution))
        for _ in range(_STEPS):
            gradient, curve = self.of(going)._slope(solution[going])
            step = np.linalg.solve(curve, gradient[:, :, None])[:, :, 0]
            # A step of more than 1 may leave the region where the quadratic holds.
            step /= np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
            solution[going] += step
            going = going[np.abs(step).max(axis=1) > 1e-10]
            if not len(going):
                break
        return solution

    def _slope(self, at: Floats) -> tuple[Floats, Floats]:
        """Gradient and (negative) curvature of the penalized log likelihood."""
        first, second = self.first, self.second
        lead = (at[:, first] - at[:, second]) / 2
        weight = np.exp(np.stack([lead, -lead, np.broadcast_to(at[:, -1:], lead.shape)]))
        p_won, p_lost, p_tied = weight / weight.sum(axis=0)
        met, edge = self.won + self.lost + self.tied, p_won - p_lost
        gradient = np.empty_like(at)
        gradient[:, :-1] = self.over_systems(self.won - self.lost - met * edge, -1)
        gradient[:, -1] = (self.tied - met * p_tied).sum(axis=1)
        gradient -= _PENALTY * at
        curve = np.zeros((len(at), self.systems + 1, self.systems + 1))
        curvature = met * (p_won + p_lost - edge**2) / 4
        curve[:, first, second] = curve[:, second, first] = -curvature
        own = np.arange(self.systems)
        curve[:, own, own] = 2 * self.over_systems(curvature, 1)
        cross = -self.over_systems(met * edge * p_tied, -1)
        curve[:, :-1, -1] = curve[:, -1, :-1] = cross
        curve[:, -1, -1] = (met * p_tied * (1 - p_tied)).sum(axis=1)
        curve += _PENALTY * np.eye(self.systems + 1)
        return gradient, curve

    def over_systems(self, values: Floats, sign: int) -> Floats:
        """Add half of every pair's value to its first system, and `sign` times as much to its second."""
        pairs = np.arange(len(self.first))
        rows = np.concatenate([self.first, self.second])
        halves = np.concatenate([np.full(len(pairs), 0.5), np.full(len(pairs), 0.5 * sign)])
        shape = (self.systems, len(pairs))
        holds = sparse.csr_array((halves, (rows, np.concatenate([pairs, pairs]))), shape=shape)
        return (holds @ values.T).T


def _separated(sums: Floats, names: Sequence[str]) -> str:
    """Return a note on systems whose strengths only the penalty keeps finite; empty if there are none."""
    systems = len(names)
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
    sets = [
        f"({', '.join(names[index] for index in np.flatnonzero(which == part).tolist())})"
        for part in range(parts)
    ]
    return f"no comparison leads both ways between the systems {', '.join(sets)}: {apart}"


def _one_sided(sums: Floats, names: Sequence[str]) -> str:
    """Return what the intervals mean of systems that never lost, never won, or tied in every comparison."""
    systems = len(names)
    wins, losses, ties = np.hsplit(sums, 3)
    first, second = np.triu_indices(systems, 1)
    won, lost, tied = np.zeros(systems), np.zeros(systems), np.zeros(systems)
    for counts, at_first, at_second in ((wins, won, lost), (losses, lost, won), (ties, tied, tied)):
        np.add.at(at_first, first, counts)
        np.add.at(at_second, second, counts)
    sides = (
        (
            (lost + tied == 0) & (won > 0),
            "never lost: the upper end of its interval is the penalty's, not the data's",
        ),
        (
            (won + tied == 0) & (lost > 0),
            "never won: the lower end of its interval is the penalty's, not the data's",
        ),
        (
            (lost == 0) & (won > 0) & (tied > 0),
            "never lost but tied: in resamples without its ties the penalty alone bounds it",
        ),
        (
            (won == 0) & (lost == 0) & (tied > 0),
            "tied in every comparison: its interval shows how its rivals vary, not how well it is known",
        ),
    )
    said = [
        f"{names[index]} {text}"
        for mask, text in sides
        for index in np.flatnonzero(mask).tolist()[:_LISTED]
    ]
    return "; ".join(said)


def _absent(undefined: Floats, names: Sequence[str]) -> str:
    """Systems that some resamples lack, and how many of them."""
    said = [
        f"{name} is not compared in {share:.0%} of the resamples, which are left out"
        for name, share in zip(names, undefined.tolist(), strict=False)
        if share > 0  # nan for a single item
    ]
    return "; ".join(said[:_LISTED])
