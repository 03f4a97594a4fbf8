"""The ceiling that vote noise sets: what an ideal ranker would reach with the few votes per comment.

Votes are modelled as beta-binomial given length: the mean rate of a comment follows its length monotonically (isotonic regression on the votes,
rising or falling as they do), and one concentration, by maximum likelihood, gives the variance of single comments around it. True rates are drawn
from that model and votes from the rates. The measures of the true rates against such votes are the ceiling; the measures of one fresh panel's
shares against another's are what people themselves reach.
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
    """A beta-binomial model: the mean rate of each comment, and the concentration around it."""

    means: Floats
    concentration: float

    @classmethod
    def fit(cls, lengths: Ints, yes: Ints, votes: Ints) -> VoteModel:
        """Fit the means by isotonic regression and the concentration by maximum likelihood."""
        from scipy.optimize import minimize_scalar
        from scipy.special import betaln

        means = np.clip(_monotone(lengths, yes, votes), _LEAST_RATE, 1 - _LEAST_RATE)

        def surprise(log_concentration: float) -> float:
            a = means * np.exp(log_concentration)
            b = np.exp(log_concentration) - a
            return -float(np.sum(betaln(a + yes, b + votes - yes) - betaln(a, b)))

        best = minimize_scalar(surprise, bounds=_LOG_CONCENTRATIONS, method="bounded")
        return cls(means, float(np.exp(best.x)))

    def rates(self, rng: np.random.Generator) -> Floats:
        """Draw a true rate for each comment."""
        a = self.means * self.concentration
        return rng.beta(a, self.concentration - a)


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn:
    """One simulation: votes, the true rates behind them, and the shares of a fresh panel."""

    judged: Judged
    true_rates: Floats
    fresh_panel: Floats


def redraws(judged: Judged, count: int, *, seed: int = 0) -> Iterator[Redrawn]:
    """Simulations of the votes; none where the votes are not known."""
    if judged.yes is None or judged.votes is None:
        return
    model = VoteModel.fit(judged.lengths, judged.yes, judged.votes)
    rng = stream("vote noise", seed)
    for _ in range(count):
        rates = model.rates(rng)
        shares = rng.binomial(judged.votes, rates) / judged.votes
        # A panel's many ties are broken at random: broken by position they would agree with the ties of the gains.
        fresh = rng.binomial(judged.votes, rates) / judged.votes
        fresh += _TIE_BREAK * rng.random(len(rates))
        world = dataclasses.replace(judged, gains=shares, shares=shares)
        yield Redrawn(world, rates, fresh)


def _monotone(lengths: Ints, yes: Ints, votes: Ints) -> Floats:
    """The mean rate given length, by isotonic regression in the direction of the trend."""
    from scipy.optimize import isotonic_regression

    sizes, group = np.unique(lengths, return_inverse=True)
    weight = np.bincount(group, votes).astype(np.float64)
    rate = np.bincount(group, yes) / weight
    slope = np.sum(weight * (sizes - np.average(sizes, weights=weight)) * rate)
    fitted: Floats = isotonic_regression(rate, weights=weight, increasing=bool(slope >= 0)).x
    return fitted[group]
