"""Who among the annotators differs: kappa with the others, and the labels behind uneven votes.

The agreement of one annotator is Cohen's kappa with every other annotator who judged the same texts, pooled: 1 minus the sum of observed
disagreements by the sum of those that two people with the same habits have by chance. Votes and labels agree or not; grades disagree by
their squared difference (quadratic kappa); ranks too, as mid-ranks, and chance shuffles them within their task.

Who lies below the others is found by the generalized extreme Studentized deviate test (Rosner 1983), on the lower side. The annotator
furthest below is compared with the kappas that the others have without them, by the t distribution of one more annotator drawn like the
others, times the number of annotators; then that one is left out and the next is tried, up to a third of the panel, so that two careless
ones do not hide each other. The spread between the others is the yardstick: an annotator is as free to differ as they are. Beside the test
the kappa must be less than half of the others' mean, since a strict or a tired annotator is not a careless one. `python -m bench careless`
measures how often the test is right.

**Uneven annotators** (Dawid and Skene 1979). Every annotator has a table of their own: how often they give each label to an item whose true label is
this one. Expectation and maximization alternate between the labels' probabilities and the tables, from the shares of votes on. Counts begin with a small
prior (`_PRIOR` votes, most of them right), so that an annotator of few votes is taken for an average one and no probability is 0 or 1. Where annotators are
equally good, the probabilities order items as plain shares do; where some guess, their votes lose their weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from scipy import special

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement.coincidences import coded
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.types import Judgment

_PRIOR = 2.0
_RIGHT = 0.7  # of the prior's votes
_STEPS = 200
_SAME = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """Probabilities (items × labels), and for each annotator a table: true label × label given."""

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


_FEWEST = 4  # annotators: with fewer, nobody can tell who is the odd one
_LEVEL = 0.95
_NOTHING = 1e-300


@dataclass(frozen=True, slots=True)
class OwnAgreement:
    """One annotator's kappa with the others and its interval, the others' mean, and p of lying below.

    `others` and `p` are None where there are too few annotators or judgments to compare; `below` is the finding.
    """

    kappa: float
    low: float
    high: float
    others: float | None = None
    p: float | None = None
    below: bool = False


@dataclass(frozen=True, slots=True)
class _Stratum:
    """Texts that share a chance: features (people × texts × labels), given (people × texts), clusters."""

    people: Ints
    features: Floats
    given: Floats
    clusters: Ints


def own_agreements(
    judgments: Sequence[Judgment], *, ranks: bool, fewest: int, alpha: float
) -> dict[str, OwnAgreement]:
    """Compare each annotator with the others.

    `fewest` judgments of texts that others judged too are needed to be tested at level `alpha`.

    An annotator whose kappa is undefined, since nothing varies or nobody judged the same text, is left out.
    """
    names = list(dict.fromkeys(judgment.annotator for judgment in judgments))
    strata = list(_strata(judgments, names, ranks=ranks))
    panel = _Panel.of(strata, len(names))
    comparable = [a for a in range(len(names)) if panel.expected[a].sum() > 0]
    tested = [a for a in comparable if panel.shared[a] >= fewest]
    flagged = _flagged(*_outward(panel, tested), alpha)
    # A careless annotator is no yardstick for anybody.
    rest = [a for a in tested or comparable if a not in flagged]
    errors, judged = _residuals(strata, rest, len(names))
    agreements = {}
    for a in comparable:
        others = [b for b in rest if b != a]
        kappa = panel.kappa(a, others)
        if np.isfinite(kappa):
            mean, p = None, flagged.get(a)
            if a in tested and len(others) >= _FEWEST - 1:
                mean = float(np.mean([panel.kappa(b, others) for b in others]))
                p = panel.p(a, others)[0] if p is None else p
            low, high = _ends(kappa, errors[a], int(judged[a]))
            agreements[names[a]] = OwnAgreement(kappa, low, high, mean, p, a in flagged)
    return agreements


def _strata(
    judgments: Sequence[Judgment], names: Sequence[str], *, ranks: bool
) -> Iterable[_Stratum]:
    """Split judgments into what shares a chance: rankings of one task, else answers to one question."""
    person = {name: index for index, name in enumerate(names)}
    number: dict[tuple[str, ...], int] = {}

    def stratum(judgment: Judgment) -> tuple[str, ...]:
        return (judgment.question, judgment.task) if ranks else (judgment.question,)

    for _, group in groupby(sorted(judgments, key=stratum), stratum):
        rows = list(group)
        texts = {key: n for n, key in enumerate(dict.fromkeys((j.task, j.target) for j in rows))}
        people = {p: n for n, p in enumerate(sorted({person[j.annotator] for j in rows}))}
        at = (
            [people[person[row.annotator]] for row in rows],
            [texts[row.task, row.target] for row in rows],
        )
        judged = np.zeros((len(people), len(texts)))
        judged[at] = 1
        clusters = [number.setdefault(k[:1] if ranks else k, len(number)) for k in texts]
        features = _features([row.value for row in rows], at, judged, ranks=ranks)
        yield _Stratum(np.array(list(people)), features, judged, np.array(clusters))


def _features(values: Sequence[Any], at: Any, judged: Floats, *, ranks: bool) -> Floats:
    """People × texts × labels, such that the squared distance of two rows is their disagreement.

    0 where nothing was given.
    """
    if any(isinstance(value, bool | str) for value in values):
        labels = {label: n for n, label in enumerate(dict.fromkeys(values))}
        features = np.zeros((*judged.shape, len(labels)))
        features[(*at, [labels[value] for value in values])] = 1
        return features
    features = np.zeros((*judged.shape, 1))
    features[(*at, 0)] = [float(value) for value in values]
    if ranks:
        for row, present in zip(features[..., 0], judged > 0, strict=True):
            row[present] = mid_ranks(row[present])
    return features


def _chance(stratum: _Stratum) -> Floats:
    """Return people × people: the mean disagreement of two people who answer independently."""
    counts = stratum.given.sum(axis=1)
    mean = stratum.features.sum(axis=1) / counts[:, None]
    squares = (stratum.features**2).sum(axis=(1, 2)) / counts
    chance: Floats = squares[:, None] + squares[None] - 2 * np.einsum("ak,bk->ab", mean, mean)
    np.fill_diagonal(chance, 0)
    return chance


@dataclass(frozen=True, slots=True)
class _Panel:
    """Disagreements of every two people, observed and expected.

    Of each, how many judgments others share, and residuals (people × clusters).
    """

    observed: Floats
    expected: Floats
    shared: Floats
    residuals: Floats

    @classmethod
    def of(cls, strata: Sequence[_Stratum], size: int) -> _Panel:
        observed, expected, shared = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        for stratum in strata:
            x, judged = stratum.features, stratum.given
            squares = np.einsum("au,bu->ab", (x**2).sum(axis=2), judged)
            square = np.ix_(stratum.people, stratum.people)
            observed[square] += squares + squares.T - 2 * np.einsum("auk,buk->ab", x, x)
            expected[square] += np.einsum("au,bu->ab", judged, judged) * _chance(stratum)
            shared[stratum.people] += (judged * (judged.sum(axis=0) > 1)).sum(axis=1)
        residuals, _ = _residuals(strata, range(size), size)
        return cls(observed, expected, shared, residuals)

    def kappa(self, a: int, others: Sequence[int]) -> float:
        """Return the pooled kappa of one annotator with these others, who may include the annotator.

        Nan if undefined.
        """
        chosen = list(others)
        expected = float(self.expected[a, chosen].sum())
        return 1 - float(self.observed[a, chosen].sum()) / expected if expected > 0 else math.nan

    def p(self, a: int, others: Sequence[int]) -> tuple[float, bool]:
        """Return the p of lying so far below the others, and whether below half of them.

        It is the probability that one of so many annotators does, if all are drawn alike.
        """
        kappas = np.array([self.kappa(b, others) for b in others])
        own, mean = self.kappa(a, others), float(kappas.mean())
        if not own < mean:
            return 1.0, False
        count = len(others)
        # Texts that are hard for all lower every kappa alike, and do not count as spread.
        apart = self.residuals[list(others)] - self.residuals[[a, *others]].mean(axis=0)
        sampling = float((apart**2).sum()) * (count + 1) / count**2
        fewer = float(self.shared[list(others)].mean() / self.shared[a])
        # Who judged less than the others varies more than they do.
        spread = max(float(kappas.var(ddof=1)), sampling) + sampling * max(0.0, fewer - 1)
        t = (own - mean) / (spread * (1 + 1 / count)) ** 0.5 if spread > 0 else -math.inf
        return min(1.0, (count + 1) * float(special.stdtr(count - 1, t))), own < mean / 2


def _residuals(strata: Sequence[_Stratum], others: Iterable[int], size: int) -> tuple[Floats, Ints]:
    """Return what each text adds to the error of each annotator's kappa, and how many texts each has.

    A text is a task where answers are ranks.

    The kappa is a ratio of sums over texts; the sum of squares of a row is its variance.
    """
    count = 1 + max((int(stratum.clusters.max()) for stratum in strata), default=-1)
    observed, expected = np.zeros((size, count)), np.zeros((size, count))
    chosen = np.zeros(size)
    chosen[list(others)] = 1
    for stratum in strata:
        x, was_judged = stratum.features, stratum.given
        squares = (x**2).sum(axis=2)
        weights = chosen[stratum.people]
        # People × texts: the disagreement with all chosen others; the one with oneself is 0.
        apart = squares * (weights @ was_judged) + weights @ squares
        apart = was_judged * (apart - 2 * np.einsum("auk,b,buk->au", x, weights, x))
        by_chance = was_judged * ((_chance(stratum) * weights) @ was_judged)
        at = np.ix_(stratum.people, stratum.clusters)
        np.add.at(observed, at, apart)
        np.add.at(expected, at, by_chance)
    judged = (expected > 0).sum(axis=1)
    total = np.maximum(expected.sum(axis=1, keepdims=True), _NOTHING)
    errors = (observed - observed.sum(axis=1, keepdims=True) / total * expected) / total
    return errors * np.sqrt(judged / np.maximum(judged - 1, 1))[:, None], judged


def _ends(kappa: float, errors: Floats, judged: int) -> tuple[float, float]:
    """Return the ends of the interval by Student's t.

    All numbers up to 1 where there are fewer than two texts.
    """
    if judged < 2:
        return -math.inf, 1.0
    quantile = float(special.stdtrit(judged - 1, (1 + _LEVEL) / 2))
    half = quantile * float((errors**2).sum()) ** 0.5
    return kappa - half, min(1.0, kappa + half)


def _outward(panel: _Panel, tested: Sequence[int]) -> tuple[list[int], list[float]]:
    """Leave out the annotator furthest below the others, again and again.

    In this order, with the p of each step, 1 for who is not below half of them.
    """
    left, removed, steps = list(tested), [], []
    for _ in range((len(tested) - 1) // 3 if len(tested) >= _FEWEST else 0):
        (p, below), a = min((panel.p(a, [b for b in left if b != a]), a) for a in left)
        left.remove(a)
        removed.append(a)
        steps.append(p if below else 1.0)
    return removed, steps


def _flagged(removed: Sequence[int], steps: Sequence[float], alpha: float) -> dict[int, float]:
    """Return all who were left out up to the last significant step, with their p.

    Masked ones have the p of the step which shows them.
    """
    last = max((step for step, p in enumerate(steps, 1) if p < alpha), default=0)
    return {a: min(steps[index:last]) for index, a in enumerate(removed[:last])}
