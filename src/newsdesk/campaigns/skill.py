"""The labels behind the votes of uneven annotators, after Dawid and Skene (1979).

Every annotator has a table of their own: how often they give each label to an item whose true label is this one. Expectation and maximization
alternate between the labels' probabilities and the tables, from the shares of votes on. Counts begin with a small prior (`_PRIOR` votes, most
of them right), so that an annotator of few votes is taken for an average one and no probability is 0 or 1. Where annotators are equally good,
the probabilities order items as plain shares do; where some guess, their votes lose their weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.agreement.coincidences import coded
from newsdesk.campaigns.matrices import value_matrix
from newsdesk.errors import ArgumentError
from newsdesk.types import Judgment

_PRIOR = 2.0
_RIGHT = 0.7  # of the prior's votes
_STEPS = 200
_SAME = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """The probability of each label (items × labels), the labels, and for each annotator a table: true label × label given."""

    labels: tuple[Any, ...]
    probabilities: Floats
    tables: Floats
    shares: Floats

    @property
    def accuracy(self) -> Floats:
        """The estimated share of right votes of each annotator, at the estimated shares of labels."""
        return np.einsum("l,all->a", self.shares, self.tables)


def dawid_skene(values: Any) -> Skill:
    """Fit the model to annotators × items, nan or None where there is no vote; every item needs a vote.

    >>> skill = dawid_skene([[1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1]])
    >>> skill.probabilities.argmax(axis=1).tolist()
    [1, 0, 1, 0]
    """
    codes, labels = coded(values)
    if not (codes >= 0).any(axis=0).all() or not codes.size:
        raise ArgumentError("every item needs a vote; leave out those without")
    # annotators × items × labels, 1 where this label was given
    answers = (codes[:, :, None] == np.arange(len(labels))).astype(np.float64)
    votes = answers.sum(axis=0)
    probabilities = votes / votes.sum(axis=1, keepdims=True)
    count = len(labels)
    prior = np.full((count, count), _PRIOR * (1 - _RIGHT) / max(count - 1, 1))
    np.fill_diagonal(prior, _PRIOR * _RIGHT)
    for _ in range(_STEPS):
        tables = np.einsum("il,aig->alg", probabilities, answers) + prior
        tables /= tables.sum(axis=2, keepdims=True)
        shares = (probabilities.sum(axis=0) + 1) / (len(probabilities) + count)
        logs = np.log(shares) + np.einsum("aig,alg->il", answers, np.log(tables))
        logs -= logs.max(axis=1, keepdims=True)
        newer = np.exp(logs)
        newer /= newer.sum(axis=1, keepdims=True)
        moved = float(np.abs(newer - probabilities).max())
        probabilities = newer
        if moved < _SAME:
            break
    return Skill(tuple(labels), probabilities, tables, shares)


def skill_of(judgments: Sequence[Judgment]) -> tuple[list[str], list[tuple[str, str]], Skill]:
    """The annotators, the targets (item, target) and the model of their votes or labels."""
    rows = [judgment for judgment in judgments if not judgment.withdrawn]
    annotators = list(dict.fromkeys(row.annotator for row in rows))
    targets = list(dict.fromkeys((row.item, row.target) for row in rows))
    return annotators, targets, dawid_skene(value_matrix(rows))
