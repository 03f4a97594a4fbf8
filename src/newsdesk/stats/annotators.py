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
from newsdesk.stats.resample import resample
from newsdesk.types import Judgment

_PRIOR = 2.0  # votes per true label
_RIGHT = 0.7  # of the prior's votes
_MAX_ROUNDS = 200  # of expectation and maximization
_CONVERGED = 1e-6  # largest change of a probability


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """The fitted model: how probable each label of each item is, and how each annotator votes."""

    labels: tuple[Any, ...]
    probabilities: Floats  # items × labels
    tables: Floats  # annotators × true labels × labels given; each row adds up to 1
    shares: Floats  # of true labels

    @property
    def accuracy(self) -> Floats:
        """The estimated share of right votes of each annotator, at the estimated shares of labels."""
        # The diagonal of a table is how often each true label is recognized.
        return np.einsum("l,all->a", self.shares, self.tables)


def dawid_skene(values: Any) -> Skill:
    """Fit the model to annotators × items, nan or None where there is no vote; every item needs a vote.

    >>> skill = dawid_skene([[1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1]])
    >>> skill.probabilities.argmax(axis=1).tolist()
    [1, 0, 1, 0]
    """
    votes = _Votes.of(values)
    shares = votes.given / votes.given.sum(axis=1, keepdims=True)
    return votes.fitted(shares, np.ones(len(shares)))


@dataclass(frozen=True, slots=True, eq=False)
class SkillDraws:
    """Shares of labels and accuracies of annotators, fitted anew to samples of items (a row each)."""

    shares: Floats  # samples × labels
    accuracy: Floats  # samples × annotators


def skill_draws(
    values: Any, skill: Skill, groups: Sequence[Any], *, samples: int = 200, seed: int = 0
) -> SkillDraws:
    """Fit the model to bootstrap samples; `groups` has the item of each target, and items are drawn whole.

    Each fit starts from that of all data, `skill`.
    """
    votes = _Votes.of(values)
    item_of = {item: number for number, item in enumerate(dict.fromkeys(groups))}
    items = np.array([item_of[item] for item in groups])
    shares, accuracy = [], []
    for chunk in resample("skill of annotators", seed, units=len(item_of), samples=samples):
        for counts in chunk:
            weights = counts[items]
            drawn = votes.fitted(skill.probabilities, weights)
            shares.append(weights @ drawn.probabilities / weights.sum())
            accuracy.append(drawn.accuracy)
    return SkillDraws(np.array(shares), np.array(accuracy))


@dataclass(frozen=True, slots=True, eq=False)
class _Votes:
    """Votes as annotators × items × labels, 1 where this label was given, and their sums."""

    answers: Floats
    labels: tuple[Any, ...]
    given: Floats  # items × labels

    @classmethod
    def of(cls, values: Any) -> _Votes:
        codes, labels = coded(values)
        if not (codes >= 0).any(axis=0).all() or not codes.size:
            raise ArgumentError("every item needs a vote; leave out those without")
        answers = (codes[:, :, None] == np.arange(len(labels))).astype(np.float64)
        return cls(answers, tuple(labels), answers.sum(axis=0))

    def fitted(self, probabilities: Floats, weights: Floats) -> Skill:
        """Alternate expectation and maximization from these probabilities, items counting by weights."""
        count = len(self.labels)
        prior = np.full((count, count), _PRIOR * (1 - _RIGHT) / max(count - 1, 1))
        np.fill_diagonal(prior, _PRIOR * _RIGHT)
        people = len(self.answers)
        # annotators · labels given × items: one matrix product an update
        flat = self.answers.transpose(0, 2, 1).reshape(people * count, -1)
        for _ in range(_MAX_ROUNDS):
            # Maximization: tables and shares of the labels' present probabilities.
            weighted = probabilities * weights[:, None]
            tables = (flat @ weighted).reshape(people, count, count).transpose(0, 2, 1) + prior
            tables /= tables.sum(axis=2, keepdims=True)
            shares = (weighted.sum(axis=0) + 1) / (weights.sum() + count)
            # Expectation: the probabilities of labels under these tables, normalized from logarithms.
            logs = np.log(tables).transpose(0, 2, 1).reshape(people * count, count)
            logs = np.log(shares) + flat.T @ logs
            logs -= logs.max(axis=1, keepdims=True)
            updated = np.exp(logs)
            updated /= updated.sum(axis=1, keepdims=True)
            change = float(np.abs(updated - probabilities).max())
            probabilities = updated
            if change < _CONVERGED:
                break
        return Skill(self.labels, probabilities, tables, shares)


_FEWEST = 4  # annotators: with fewer, nobody can tell who is the odd one
_LEVEL = 0.95
_TINY = 1e-300  # in place of a divisor of 0


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
    """Texts whose disagreement by chance is estimated together, with the people who judged any of them."""

    people: Ints  # places among all annotators
    features: Floats  # people × texts × labels, see `_features`
    judged: Floats  # people × texts, 1 where the person judged the text, else 0
    clusters: Ints  # of each text, the number of its sampling unit: the text, or its task for ranks


def own_agreements(
    judgments: Sequence[Judgment], *, ranks: bool, fewest: int, alpha: float
) -> dict[str, OwnAgreement]:
    """Compare each annotator with the others; return the agreement of each by name.

    `fewest` judgments of texts that others judged too are needed to be tested at level `alpha`.
    An annotator whose kappa is undefined, since nothing varies or nobody judged the same text, is left out.
    """
    names = list(dict.fromkeys(judgment.annotator for judgment in judgments))
    strata = list(_strata(judgments, names, ranks=ranks))
    panel = _Panel.of(strata, len(names))
    # Annotators are places in `names` from here on.
    comparable = [place for place in range(len(names)) if panel.expected[place].sum() > 0]
    tested = [place for place in comparable if panel.shared[place] >= fewest]
    removed, step_ps = _remove_lowest(panel, tested)
    p_of_flagged = _flagged(removed, step_ps, alpha)
    # A careless annotator is no yardstick for anybody.
    yardsticks = [place for place in tested or comparable if place not in p_of_flagged]
    errors, judged = _residuals(strata, yardsticks, len(names))
    agreements = {}
    for place in comparable:
        others = [other for other in yardsticks if other != place]
        kappa = panel.kappa(place, others)
        if not np.isfinite(kappa):
            continue
        mean, p = None, p_of_flagged.get(place)
        if place in tested and len(others) >= _FEWEST - 1:
            mean = float(np.mean([panel.kappa(other, others) for other in others]))
            if p is None:
                p, _ = panel.p(place, others)
        low, high = _ends(kappa, errors[place], int(judged[place]))
        agreements[names[place]] = OwnAgreement(
            kappa, low, high, others=mean, p=p, below=place in p_of_flagged
        )
    return agreements


def _strata(
    judgments: Sequence[Judgment], names: Sequence[str], *, ranks: bool
) -> Iterable[_Stratum]:
    """Split judgments into what shares a chance: rankings of one task, else answers to one question.

    They share a chance where one estimate of how often two people disagree who answer independently holds for all of them.
    """
    place_of = {name: place for place, name in enumerate(names)}
    # By (task,) or (task, target): the units that the variance of a kappa, and so its interval, is summed over. A text has one
    # cluster in all strata, since its answers to several questions are not independent.
    cluster_of: dict[tuple[str, ...], int] = {}

    def stratum(judgment: Judgment) -> tuple[str, ...]:
        return (judgment.question, judgment.task) if ranks else (judgment.question,)

    for _, group in groupby(sorted(judgments, key=stratum), stratum):
        answers = list(group)
        texts = list(dict.fromkeys((answer.task, answer.target) for answer in answers))
        people = sorted({place_of[answer.annotator] for answer in answers})
        text_column = {text: column for column, text in enumerate(texts)}
        person_row = {place: row for row, place in enumerate(people)}
        at = (
            [person_row[place_of[answer.annotator]] for answer in answers],
            [text_column[answer.task, answer.target] for answer in answers],
        )
        judged = np.zeros((len(people), len(texts)))
        judged[at] = 1
        units = [(task,) if ranks else (task, target) for task, target in texts]
        clusters = [cluster_of.setdefault(unit, len(cluster_of)) for unit in units]
        features = _features([answer.value for answer in answers], at, judged, ranks=ranks)
        yield _Stratum(np.array(people), features, judged, np.array(clusters))


def _features(
    values: Sequence[Any], at: tuple[list[int], list[int]], judged: Floats, *, ranks: bool
) -> Floats:
    """Return people × texts × labels: the squared distance of two entries is their disagreement.

    Votes and labels have a 1 at their label, numbers a single column; 0 where `judged` is 0.
    `at` holds the row (person) and the column (text) of each value.
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
    counts = stratum.judged.sum(axis=1)
    mean = stratum.features.sum(axis=1) / counts[:, None]
    squares = (stratum.features**2).sum(axis=(1, 2)) / counts
    chance: Floats = squares[:, None] + squares[None] - 2 * np.einsum("ak,bk->ab", mean, mean)
    np.fill_diagonal(chance, 0)
    return chance


@dataclass(frozen=True, slots=True)
class _Panel:
    """Disagreements of every two annotators, summed over the texts that both judged."""

    observed: Floats  # annotators × annotators
    expected: Floats  # the same by chance
    shared: (
        Floats  # of each annotator, how many of their judgments are of texts that others judged too
    )
    residuals: Floats  # annotators × clusters, see `_residuals`

    @classmethod
    def of(cls, strata: Sequence[_Stratum], size: int) -> _Panel:
        """Add up all strata; `size` is the number of annotators."""
        observed, expected, shared = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        for stratum in strata:
            x, judged = stratum.features, stratum.judged
            # |x_a − x_b|² = |x_a|² + |x_b|² − 2 x_a·x_b over texts u that both a and b judged.
            squares = np.einsum("au,bu->ab", (x**2).sum(axis=2), judged)
            pairs = np.ix_(stratum.people, stratum.people)
            observed[pairs] += squares + squares.T - 2 * np.einsum("auk,buk->ab", x, x)
            expected[pairs] += np.einsum("au,bu->ab", judged, judged) * _chance(stratum)
            shared[stratum.people] += (judged * (judged.sum(axis=0) > 1)).sum(axis=1)
        residuals, _ = _residuals(strata, range(size), size)
        return cls(observed, expected, shared, residuals)

    def kappa(self, a: int, others: Sequence[int]) -> float:
        """Return the pooled kappa of annotator `a` with these others; nan if undefined.

        The others may include `a`, whose disagreement with themselves is 0 and expected to be 0.
        """
        chosen = list(others)
        expected = float(self.expected[a, chosen].sum())
        return 1 - float(self.observed[a, chosen].sum()) / expected if expected > 0 else math.nan

    def p(self, a: int, others: Sequence[int]) -> tuple[float, bool]:
        """Return the p of lying so far below the others, and whether `a` is below half of their mean.

        The p is the probability that one of so many annotators does, if all are drawn alike.
        """
        kappas = np.array([self.kappa(b, others) for b in others])
        own, mean = self.kappa(a, others), float(kappas.mean())
        if not own < mean:
            return 1.0, False
        count = len(others)
        # Texts that are hard for all lower every kappa alike, and do not count as spread.
        own_part = self.residuals[list(others)] - self.residuals[[a, *others]].mean(axis=0)
        sampling_variance = float((own_part**2).sum()) * (count + 1) / count**2
        # Who judged less than the others varies more than they do.
        times_fewer = float(self.shared[list(others)].mean() / self.shared[a])
        variance = max(float(kappas.var(ddof=1)), sampling_variance)
        variance += sampling_variance * max(0.0, times_fewer - 1)
        t = (own - mean) / (variance * (1 + 1 / count)) ** 0.5 if variance > 0 else -math.inf
        return min(1.0, (count + 1) * float(special.stdtr(count - 1, t))), own < mean / 2


def _residuals(strata: Sequence[_Stratum], others: Iterable[int], size: int) -> tuple[Floats, Ints]:
    """Return what each cluster adds to the error of each annotator's kappa, and how many each judged.

    The errors are annotators × clusters. A kappa with `others` is a ratio of sums over clusters, and
    the sum of squares of its row is its variance. `size` is the number of annotators.
    """
    count = 1 + max((int(stratum.clusters.max()) for stratum in strata), default=-1)
    observed, expected = np.zeros((size, count)), np.zeros((size, count))
    is_other = np.zeros(size)
    is_other[list(others)] = 1
    for stratum in strata:
        x, was_judged = stratum.features, stratum.judged
        squares = (x**2).sum(axis=2)
        weights = is_other[stratum.people]
        # People × texts: the disagreement with all the others; the one with oneself is 0.
        apart = squares * (weights @ was_judged) + weights @ squares
        apart = was_judged * (apart - 2 * np.einsum("auk,b,buk->au", x, weights, x))
        by_chance = was_judged * ((_chance(stratum) * weights) @ was_judged)
        at = np.ix_(stratum.people, stratum.clusters)
        np.add.at(observed, at, apart)
        np.add.at(expected, at, by_chance)
    judged = (expected > 0).sum(axis=1)
    total = np.maximum(expected.sum(axis=1, keepdims=True), _TINY)
    # The linearized error of the ratio Σ observed / Σ expected.
    errors = (observed - observed.sum(axis=1, keepdims=True) / total * expected) / total
    return errors * np.sqrt(judged / np.maximum(judged - 1, 1))[:, None], judged


def _ends(kappa: float, errors: Floats, judged: int) -> tuple[float, float]:
    """Return the ends of a kappa's interval by Student's t, from its residuals in `judged` clusters.

    All numbers up to 1 where there are fewer than two clusters.
    """
    if judged < 2:
        return -math.inf, 1.0
    quantile = float(special.stdtrit(judged - 1, (1 + _LEVEL) / 2))
    half = quantile * float((errors**2).sum()) ** 0.5
    return kappa - half, min(1.0, kappa + half)


def _remove_lowest(panel: _Panel, tested: Sequence[int]) -> tuple[list[int], list[float]]:
    """Remove the annotator furthest below the others, step by step, up to a third of the tested.

    Return who was removed, in this order, and the p of each step: 1 if not below half of the others.
    """
    left, removed, step_ps = list(tested), [], []
    for _ in range((len(tested) - 1) // 3 if len(tested) >= _FEWEST else 0):
        (p, below_half), lowest = min((panel.p(a, [b for b in left if b != a]), a) for a in left)
        left.remove(lowest)
        removed.append(lowest)
        step_ps.append(p if below_half else 1.0)
    return removed, step_ps


def _flagged(removed: Sequence[int], step_ps: Sequence[float], alpha: float) -> dict[int, float]:
    """Return all who were removed up to the last significant step, with their p.

    Who was masked by others has the smallest p of their own step and the later ones.
    """
    last = max((step for step, p in enumerate(step_ps, 1) if p < alpha), default=0)
    return {place: min(step_ps[step:last]) for step, place in enumerate(removed[:last])}
