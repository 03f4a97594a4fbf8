"""Simulated votes: two camps that oppose each other on some comments, and one public that differs only in readiness."""

from __future__ import annotations

import numpy as np

from newsdesk.arrays import Floats, Ints

# Of comment number c the kind is c mod 4.
BOTH, FIRST, SECOND, NEITHER = range(4)
# The rate at which each camp agrees with each kind.
_RATES = np.array([[0.75, 0.92, 0.12, 0.2], [0.75, 0.12, 0.92, 0.2]])


def two_camps(
    seed: int, voters: int = 60, comments: int = 24, seen: float = 0.5
) -> tuple[Floats, Ints]:
    """Votes of two camps, 65 and 35 %, on the share of comments that each voter has seen; and the camp of each voter."""
    rng = np.random.default_rng(seed)
    camp = (rng.random(voters) >= 0.65).astype(np.int64)
    rates = _RATES[camp][:, np.arange(comments) % 4]
    votes = np.where(rng.random(rates.shape) < rates, 1.0, -1.0)
    votes[rng.random(rates.shape) >= seen] = np.nan
    return votes, camp


def one_public(seed: int, voters: int = 60, comments: int = 24, seen: float = 0.5) -> Floats:
    """Votes that depend on how popular a comment is and how readily a voter agrees, and on nothing else."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1, comments)[None] + rng.normal(0, 1, voters)[:, None]
    votes = np.where(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)), 1.0, -1.0)
    votes[rng.random(odds.shape) >= seen] = np.nan
    return votes
