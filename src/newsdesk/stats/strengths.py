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

_PENALTY = 0.01  # twice the 0.005 above: it multiplies the gradient
_MAX_STEPS = 200  # of Newton's method
_LISTED = 8  # systems, or sets of them, that a note names at most
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
    """Fit Bradley-Terry strengths with ties (Davidson), with intervals over items.

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
    columns = pair_outcomes(table)  # rankings × (3 · pairs)
    outcomes = columns.reshape(len(columns), 3, -1)  # rankings × (won, lost, tied) × pairs
    met = np.flatnonzero(outcomes.any(axis=(0, 1)))  # the pairs that were ever compared
    first, second = (side[met] for side in np.triu_indices(systems, 1))
    outcomes_of_met = outcomes[:, :, met].reshape(len(columns), -1)
    spread = over_items(
        sums_by_item(outcomes_of_met, items),
        lambda sums: _where_compared(_Games(first, second, systems, *np.hsplit(sums, 3))),
        samples=samples,
        level=level,
        seed=seed,
    )
    # The last estimate is log ν.
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
    """Return log strengths and log ν, nan for a system that was not compared in a sample."""
    solution = _davidson(games)
    compared = games.over_systems(games.won + games.lost + games.tied, sign=1) > 0
    solution[:, :-1][~compared] = np.nan
    return solution


def _davidson(games: _Games) -> Floats:
    """Return log strengths and log ν: k × (systems + 1)."""
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
        """Maximize by Newton's method from `start`, all k samples at once: k × (systems + 1)."""
        solution = np.tile(start, (len(self.won), 1))
        going = np.arange(len(solution))  # samples that have not converged
        for _ in range(_MAX_STEPS):
            gradient, curvature = self.of(going)._derivatives(solution[going])
            step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
            # A step of more than 1 may leave the region where the quadratic holds.
            step /= np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
            solution[going] += step
            going = going[np.abs(step).max(axis=1) > 1e-10]
            if not len(going):
                break
        return solution

    def _derivatives(self, solution: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the negative Hessian of the penalized log likelihood.

        `solution` and the gradient are k × (systems + 1), the last column being log ν.
        """
        first, second = self.first, self.second
        lead = (solution[:, first] - solution[:, second]) / 2  # k × pairs
        log_tie = np.broadcast_to(solution[:, -1:], lead.shape)
        weights = np.exp(np.stack([lead, -lead, log_tie]))
        p_won, p_lost, p_tied = weights / weights.sum(axis=0)
        met, edge = self.won + self.lost + self.tied, p_won - p_lost
        gradient = np.empty_like(solution)
        gradient[:, :-1] = self.over_systems(self.won - self.lost - met * edge, sign=-1)
        gradient[:, -1] = (self.tied - met * p_tied).sum(axis=1)
        gradient -= _PENALTY * solution
        curvature = np.zeros((len(solution), self.systems + 1, self.systems + 1))
        of_pairs = met * (p_won + p_lost - edge**2) / 4
        curvature[:, first, second] = curvature[:, second, first] = -of_pairs
        diagonal = np.arange(self.systems)
        curvature[:, diagonal, diagonal] = 2 * self.over_systems(of_pairs, sign=1)
        with_tie = -self.over_systems(met * edge * p_tied, sign=-1)
        curvature[:, :-1, -1] = curvature[:, -1, :-1] = with_tie
        curvature[:, -1, -1] = (met * p_tied * (1 - p_tied)).sum(axis=1)
        curvature += _PENALTY * np.eye(self.systems + 1)
        return gradient, curvature

    def over_systems(self, values: Floats, sign: int) -> Floats:
        """Add half of every pair's value to its first system, and `sign` times as much to its second.

        `values` is k × pairs, the sums are k × systems.
        """
        pairs = np.arange(len(self.first))
        rows = np.concatenate([self.first, self.second])
        columns = np.concatenate([pairs, pairs])
        halves = np.concatenate([np.full(len(pairs), 0.5), np.full(len(pairs), 0.5 * sign)])
        shares = sparse.csr_array((halves, (rows, columns)), shape=(self.systems, len(pairs)))
        return (shares @ values.T).T


def _separated(sums: Floats, names: Sequence[str]) -> str:
    """Return a note on systems whose strengths only the penalty keeps finite; empty if there are none."""
    systems = len(names)
    wins, losses, ties = np.hsplit(sums, 3)
    first, second = np.triu_indices(systems, 1)
    # systems × systems: how often the row's system did not win over the column's
    not_won = np.zeros((systems, systems))
    not_won[first, second], not_won[second, first] = losses + ties, wins + ties
    # In the likelihood, strengths are bounded within a strongly connected part only.
    parts, part_of = sparse.csgraph.connected_components(not_won > 0, connection="strong")
    if parts == 1:
        return ""
    apart = "how far these are apart is bounded by the penalty alone"
    if parts > _LISTED:
        return f"no comparison leads both ways between {parts} sets of systems: {apart}"
    sets = [
        f"({', '.join(names[index] for index in np.flatnonzero(part_of == part).tolist())})"
        for part in range(parts)
    ]
    return f"no comparison leads both ways between the systems {', '.join(sets)}: {apart}"


def _one_sided(sums: Floats, names: Sequence[str]) -> str:
    """Return a note on the intervals of systems that never lost, never won, or always tied."""
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
    """Return a note on systems that some resamples lack, from the share of undefined resamples.

    `undefined` has one entry more than `names`: that of log ν.
    """
    said = [
        f"{name} is not compared in {share:.0%} of the resamples, which are left out"
        for name, share in zip(names, undefined[:-1].tolist(), strict=True)
        if share > 0  # nan for a single item
    ]
    return "; ".join(said[:_LISTED])
