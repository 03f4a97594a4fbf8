"""The ceiling that vote noise sets: what the best ranker could reach with so few votes per comment.

Votes are taken as beta-binomial given length: the mean rate of a comment follows its length monotonically (isotonic regression on the votes,
rising or falling as they do), and one concentration, by maximum likelihood, says how far single comments stray from it. True rates are drawn
from that model and votes from the rates. The figures of the true rates against such votes are the ceiling; the figures of one fresh panel's
shares against another's say what people themselves reach.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.streams import stream

_LOG_CONCENTRATIONS = (-3.0, 8.0)
_LEAST_RATE = 1e-4
# Below any difference of two shares, above what counts as tied.
_TIE_BREAK = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class VoteModel:
    """The mean rate of each comment, and how closely single comments keep to it."""

    means: Floats
    concentration: float

    @classmethod
    def fit(cls, lengths: Ints, yes: Ints, votes: Ints) -> VoteModel:
        """Learn from votes."""
        from scipy.optimize import minimize_scalar
        from scipy.special import betaln

        means = np.clip(_monotone(lengths, yes, votes), _LEAST_RATE, 1 - _LEAST_RATE)

        def surprise(log_concentration: float) -> float:
            a = means * np.exp(log_concentration)
            b = np.exp(log_concentration) - a
            return -float(np.sum(betaln(a + yes, b + votes - yes) - betaln(a, b)))

        found = minimize_scalar(surprise, bounds=_LOG_CONCENTRATIONS, method="bounded")
        return cls(means, float(np.exp(found.x)))

    def rates(self, rng: np.random.Generator) -> Floats:
        """A true rate for each comment."""
        a = self.means * self.concentration
        return rng.beta(a, self.concentration - a)


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn:
    """One possible world: votes that might have been cast, the rates behind them, and what a fresh panel would say."""

    judged: Judged
    true_rates: Floats
    fresh_panel: Floats


def redraws(judged: Judged, count: int, *, seed: int = 0) -> Iterator[Redrawn]:
    """Possible worlds; none where the votes are not known."""
    if judged.yes is None or judged.votes is None:
        return
    model = VoteModel.fit(judged.lengths, judged.yes, judged.votes)
    rng = stream("vote noise", seed)
    for _ in range(count):
        rates = model.rates(rng)
        shares = rng.binomial(judged.votes, rates) / judged.votes
        # A panel's many ties are broken by chance: broken by position they would agree with ties in truth broken so.
        fresh = rng.binomial(judged.votes, rates) / judged.votes
        fresh += _TIE_BREAK * rng.random(len(rates))
        world = dataclasses.replace(judged, gains=shares, shares=shares)
        yield Redrawn(world, rates, fresh)


def _monotone(lengths: Ints, yes: Ints, votes: Ints) -> Floats:
    """The mean rate given length, by isotonic regression in the direction in which votes go."""
    from scipy.optimize import isotonic_regression

    sizes, group = np.unique(lengths, return_inverse=True)
    weight = np.bincount(group, votes).astype(np.float64)
    rate = np.bincount(group, yes) / weight
    slope = np.sum(weight * (sizes - np.average(sizes, weights=weight)) * rate)
    fitted: Floats = isotonic_regression(rate, weights=weight, increasing=bool(slope >= 0)).x
    return fitted[group]
