"""Agreement: golden values, equality with plain loops and with nltk and scikit-learn, degenerate cases in words, intervals that cover."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, interval_distance
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from bench.agreement import CASES, HIGHEST, LOWEST, Case, coverage
from newsdesk.arrays import Floats
from newsdesk.campaigns.agreement import (
    Alpha,
    Figure,
    Kappa,
    KendallW,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    Votes,
    band,
    cohen_kappa,
    intervals,
    kendall_w,
    krippendorff_alpha,
    pair_alpha,
    rotating_kappa,
    split_half,
    tau_b,
    with_interval,
)
from newsdesk.campaigns.agreement.intervals import over_items
from newsdesk.errors import ArgumentError
from newsdesk.streams import stream

NAN = math.nan
LEVELS = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = (None, "linear", "quadratic")


def table(text: str) -> Floats:
    return np.array([[NAN if each == "*" else float(each) for each in row.split()] for row in text.split("/")])  # fmt: skip


WIKIPEDIA = table(
    "* * * * * 3 4 1 2 1 1 3 3 * 3 / 1 * 2 1 3 3 4 3 * * * * * * * / * * 2 1 3 4 4 * 2 1 1 3 3 * 4"
)
KRIPPENDORFF = table(
    "1 2 3 3 2 1 4 1 2 * * * / 1 2 3 3 2 2 4 1 2 5 * 3 / * 3 3 3 2 3 4 2 2 5 1 * / 1 2 3 3 2 4 4 1 2 5 1 *"
)
DEMO = [1, 2, 3, 4, 5, 3, 4, 4, 2, 5], [1, 3, 3, 4, 4, 3, 5, 4, 2, 4]
NLTK_2302 = (
    [3, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 5, 5, 5, 5, 3, 5, 5, 5, 5],
    [0, 4, 5, 2, 2, 1, 0, 0, 5, 0, 5, 0, 5, 2, 4, 0, 0, 4, 0, 2],
)


# Golden values: DEFINITIONS.md, C.10


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # Published are nominal and interval alpha of the first (Wikipedia), and nominal, ordinal and ratio of the second to
        # three digits (fast-krippendorff); the others are DEFINITIONS' own values.
        (WIKIPEDIA, (0.691358, 0.806721, 0.810845, 0.808944)),
        (KRIPPENDORFF, (0.743421, 0.815388, 0.849107, 0.797403)),
    ],
)
def test_alpha_has_its_published_values(values: Floats, expected: Sequence[float]) -> None:
    found = [krippendorff_alpha(values, level) for level in LEVELS]
    assert found == pytest.approx(expected, abs=5e-7)


def test_nominal_alpha_has_the_twelve_digits_of_nltk() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == pytest.approx(0.743421052632, abs=5e-13)


def test_alpha_of_strings_with_missing_values_is_nltks_dress_example() -> None:
    dresses = [["YES", "YES", None], ["NO", "NO", NAN], ["NO", None, "NO"]]
    assert krippendorff_alpha(dresses) == pytest.approx(-1 / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "labels", "expected"),
    [
        # Plain kappa of the first is in nltk's issue 2302 (scikit-learn says the same); the others are own values.
        (*NLTK_2302, range(6), (-0.0119047619, 0.0072202, 0.0571939)),
        (*DEMO, range(1, 6), (0.480519, 0.696970, 0.858156)),
    ],
)
def test_kappa_has_its_published_values(
    a: list[int], b: list[int], labels: range, expected: Sequence[float]
) -> None:
    found = [cohen_kappa(a, b, weights=weights, labels=labels) for weights in WEIGHTS]
    assert found == pytest.approx(expected, abs=5e-7)


def test_kappa_in_both_orders_is_the_pi_of_artstein_and_poesio() -> None:
    # Their example: 100 utterances, 46 + 32 + 10 on the diagonal.
    counts = {"ss": 46, "si": 6, "ii": 32, "ci": 6, "cc": 10}
    a, b = ("".join(pair[side] * count for pair, count in counts.items()) for side in (0, 1))
    agreed = np.mean([x == y for x, y in zip(a, b, strict=True)])
    assert agreed == pytest.approx(0.88)
    assert (agreed - 1 / 3) / (2 / 3) == pytest.approx(0.82)
    assert rotating_kappa([list(a), list(b)]) == pytest.approx(0.79953, abs=5e-6)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4, "fair"),
        (0.5282, "moderate"),
        (0.5495, "moderate"),
        (0.59, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_bands_are_landis_and_kochs(value: float, name: str) -> None:
    assert band(value) == name


def test_a_band_of_no_number_is_refused() -> None:
    with pytest.raises(ArgumentError, match="not a number up to 1"):
        band(NAN)


# Plain loops


def slow_alpha(values: Floats, level: str) -> float | None:
    """Krippendorff's own steps, over dictionaries."""
    units = [[v for v in unit if not math.isnan(v)] for unit in values.T]
    units = [unit for unit in units if len(unit) > 1]
    coincidences: Counter[tuple[float, float]] = Counter()
    for unit in units:
        for i, one in enumerate(unit):
            for j, two in enumerate(unit):
                if i != j:
                    coincidences[one, two] += 1 / (len(unit) - 1)
    n = Counter(v for unit in units for v in unit)
    labels, total = sorted(n), sum(n.values())
    if len(labels) < 2:
        return None

    def apart(c: float, k: float) -> float:
        if c == k:
            return 0.0
        if level == "nominal":
            return 1.0
        if level == "interval":
            return (c - k) ** 2
        if level == "ratio":
            return ((c - k) / (c + k)) ** 2
        between = sum(n[g] for g in labels if min(c, k) <= g <= max(c, k))
        return (between - (n[c] + n[k]) / 2) ** 2

    observed = sum(count * apart(*pair) for pair, count in coincidences.items())
    expected = sum(n[c] * n[k] * apart(c, k) for c in labels for k in labels) / (total - 1)
    return 1 - observed / expected


def slow_pairs(votes: Sequence[tuple[Any, Any, Any, float]], *, drop: bool) -> Floats:
    """A table workers × (pairs, each in both orders) of 0 (worse), 1 (equal) and 2 (better)."""
    said = {(task, worker, comment): vote for task, comment, worker, vote in votes}
    workers = sorted({worker for _, worker, _ in said})
    units = sorted({(task, comment) for task, _, comment in said})
    columns = []
    for (task, one), (other, two) in combinations(units, 2):
        if task == other:
            for first, second in ((one, two), (two, one)):
                column = []
                for worker in workers:
                    votes_of = [said.get((task, worker, each), NAN) for each in (first, second)]
                    sign = np.sign(votes_of[0] - votes_of[1]) + 1
                    column.append(NAN if drop and sign == 1 else sign)
                columns.append(column)
    return np.array(columns).T


def some_grades(
    seed: int, annotators: int = 5, items: int = 30, present: float = 0.6, top: int = 5
) -> Floats:
    chance = np.random.default_rng(seed)
    quality = chance.normal(3, 1, items)
    said = np.clip(np.rint(quality + chance.normal(0, 1, (annotators, items))), 1, top)
    return np.where(chance.random(said.shape) < present, said, NAN)


def some_rankings(seed: int, annotators: int = 4, items: int = 12, systems: int = 5) -> Floats:
    chance = np.random.default_rng(seed)
    ranks = chance.integers(1, 4, (annotators, items, systems)).astype(float)
    ranks[chance.random((annotators, items)) < 0.4] = NAN
    # Each item has its own set of systems.
    ranks[:, np.arange(items) % 3 == 0, -1] = NAN
    return ranks


def some_votes(seed: int, tasks: int = 8, workers: int = 5) -> list[tuple[Any, Any, Any, float]]:
    chance = np.random.default_rng(seed)
    votes = []
    for task in range(tasks):
        for comment in range(int(chance.integers(2, 6))):
            rate = chance.random()
            for worker in range(workers):
                if chance.random() < 0.8:
                    votes.append((f"t{task}", f"c{task}-{comment}", f"w{worker}", float(chance.random() < rate)))  # fmt: skip
    return votes


small_tables = st.integers(2, 5).flatmap(
    lambda annotators: st.lists(
        st.lists(
            st.one_of(st.just(NAN), st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0])),
            min_size=annotators,
            max_size=annotators,
        ),
        min_size=1,
        max_size=8,
    )
)


@given(small_tables, st.sampled_from(LEVELS))
def test_alpha_equals_a_plain_loop_for_any_missing_values(items: list[list[float]], level: Any) -> None:  # fmt: skip
    values = np.array(items).T
    expected, found = slow_alpha(values, level), krippendorff_alpha(values, level)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["nominal", "interval"]))
def test_alpha_equals_nltk_with_missing_values(seed: int, level: Any) -> None:
    values = some_grades(seed, annotators=4, items=9, present=0.7)
    # nltk wants every coder and item to be of use.
    values = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    triples = [
        (f"a{a}", f"i{i}", values[a, i])
        for a, i in np.ndindex(values.shape)
        if not math.isnan(values[a, i])
    ]
    distance = binary_distance if level == "nominal" else interval_distance
    expected = AnnotationTask(triples, distance=distance).alpha()
    found = krippendorff_alpha(values, level)
    # Where all is equal nltk says 1; we say that it cannot be told.
    assert found == pytest.approx(expected, abs=1e-9) if found is not None else expected == 1


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(WEIGHTS))
def test_kappa_equals_scikit_learn(seed: int, weights: Any) -> None:
    values = some_grades(seed, annotators=2, items=12, present=0.9)
    both = values[:, ~np.isnan(values).any(axis=0)]
    found = cohen_kappa(*values, weights=weights, labels=range(1, 6))
    if found is None:
        assert len(np.unique(both)) < 2
    else:
        expected = cohen_kappa_score(*both.astype(int), weights=weights, labels=range(1, 6))
        assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(WEIGHTS))
def test_rotating_kappa_is_kappa_of_all_pairs_in_both_orders(seed: int, weights: Any) -> None:
    values = some_grades(seed, items=10, present=0.5)
    pairs = [
        pair
        for unit in values.T
        for pair in combinations([v for v in unit if not math.isnan(v)], 2)
    ]
    found = rotating_kappa(values, weights=weights, labels=range(1, 6))
    if found is None:
        assert len(np.unique(pairs)) < 2
        return
    first, second = np.array(pairs, dtype=int).T
    expected = cohen_kappa_score(
        np.append(first, second), np.append(second, first), weights=weights, labels=range(1, 6)
    )
    assert found == pytest.approx(expected, abs=1e-9)


def test_kappa_without_labels_closes_gaps_in_the_scale() -> None:
    a, b = [1, 1, 5, 5, 4], [1, 5, 5, 4, 4]
    whole = cohen_kappa(a, b, weights="quadratic", labels=range(1, 6))
    gaps = cohen_kappa(a, b, weights="quadratic")
    assert gaps == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert whole == pytest.approx(
        cohen_kappa_score(a, b, weights="quadratic", labels=range(1, 6)), abs=1e-12
    )
    assert abs(whole - gaps) > 0.01


def test_kappa_of_words_takes_their_order_from_the_labels() -> None:
    a, b = ["no", "part", "yes", "yes"], ["part", "part", "yes", "no"]
    scale = ["no", "part", "yes"]
    places = [[scale.index(each) for each in side] for side in (a, b)]
    assert cohen_kappa(a, b, weights="linear", labels=scale) == pytest.approx(
        cohen_kappa_score(*places, weights="linear")
    )
    with pytest.raises(ArgumentError, match="needs numbers, and a value is 'no'"):
        cohen_kappa(a, b, weights="linear")


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans())
def test_pair_alpha_is_alpha_of_a_table_of_pairs_in_both_orders(seed: int, drop: bool) -> None:
    votes = some_votes(seed)
    expected = slow_alpha(slow_pairs(votes, drop=drop), "nominal")
    task, comment, worker, vote = zip(*votes, strict=True)
    found = pair_alpha(task, comment, worker, vote, ties="drop" if drop else "keep")
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-9)


def test_pair_alpha_does_not_depend_on_names_or_on_the_order_of_votes() -> None:
    votes = some_votes(5)
    task, comment, worker, vote = map(np.array, zip(*votes, strict=True))
    first = pair_alpha(task, comment, worker, vote)
    order = np.random.default_rng(0).permutation(len(vote))
    renamed = np.array([name[::-1] + "x" for name in comment])
    second = pair_alpha(task[order], renamed[order], worker[order], vote[order])
    assert second == pytest.approx(first, abs=1e-12)


def test_pairs_within_an_article_cross_its_tasks() -> None:
    # Two tasks of one comment each: no pair within a task, one within the article.
    votes = (["t1", "t2"] * 2, ["c", "d"] * 2, ["w", "w", "x", "x"], [1, 0, 1, 0])
    assert pair_alpha(*votes) is None
    assert pair_alpha(*votes, article=["a"] * 4, scope="article") == 1.0
    with pytest.raises(ArgumentError, match="need `article`"):
        pair_alpha(*votes, scope="article")


def test_a_worker_who_votes_twice_on_a_comment_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="voted twice"):
        pair_alpha(["t"] * 3, ["c", "d", "d"], ["w"] * 3, [1, 0, 1])


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_kendalls_w_equals_the_textbook_formula_with_ties(seed: int) -> None:
    ranks = some_rankings(seed)
    found = []
    for item in range(ranks.shape[1]):
        rows = ranks[:, item][~np.isnan(ranks[:, item]).all(axis=1)]
        rows = rows[:, ~np.isnan(rows).any(axis=0)] if len(rows) else rows
        if len(rows) < 2:
            continue
        m, n = rows.shape
        mid = stats.rankdata(rows, axis=1)
        ties = sum((count**3 - count) for row in rows for count in Counter(row.tolist()).values())
        s = ((mid.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
        below = m**2 * (n**3 - n) - m * ties
        if below:
            found.append(12 * s / below)
    assert kendall_w(ranks) == pytest.approx(np.mean(found) if found else None)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_tau_b_is_the_mean_of_scipys_over_pairs_of_annotators(seed: int) -> None:
    ranks = some_rankings(seed)
    found = []
    for item in range(ranks.shape[1]):
        rows = [row[~np.isnan(row)] for row in ranks[:, item] if not np.isnan(row).all()]
        rows = [row for row in rows if len(np.unique(row)) > 1]
        found += [stats.kendalltau(*pair).statistic for pair in combinations(rows, 2)]
    assert tau_b(ranks) == pytest.approx(np.mean(found) if found else None)


def test_one_item_may_come_without_its_axis() -> None:
    ranks = [[3, 1, 1, 2], [3, 1, 2, 2], [2, 1, 1, 1]]
    assert kendall_w(ranks) == kendall_w(np.array(ranks)[:, None, :])
    assert tau_b(ranks) == tau_b(np.array(ranks)[:, None, :])


def test_annotators_who_ranked_different_systems_are_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"item 1 .* different systems"):
        kendall_w([[[1, 2, 3], [1, 2, NAN]], [[1, 2, 3], [NAN, 1, 2]]])


def plain_halves(values: Floats, repeats: int, seed: int) -> list[Floats]:
    """The halves' means of each repeat (2 × items), by loops over the same draws."""
    draws, found = stream("halves", seed), []
    for _ in range(repeats):
        keys = draws.random(values.shape)
        means = []
        for item in range(values.shape[1]):
            there = [a for a in range(len(values)) if not math.isnan(values[a, item])]
            order = sorted(there, key=lambda a, item=item: keys[a, item])
            half = len(order) // 2
            means.append([values[part, item].mean() for part in (order[:half], order[half:])])
        found.append(np.array(means).T)
    return found


def test_split_halves_equal_a_plain_loop_over_the_same_draws() -> None:
    values = some_grades(3, annotators=6, items=25, present=0.9)
    halves = plain_halves(values, repeats=7, seed=11)
    pearson = np.mean([stats.pearsonr(*pair).statistic for pair in halves])
    spearman = np.mean([stats.spearmanr(*np.round(pair, 9)).statistic for pair in halves])
    found = split_half(values, seed=11, repeats=7)
    # Means that agree to 1e-9 are one value.
    assert (found.pearson, found.spearman) == pytest.approx((pearson, spearman), abs=1e-9)
    assert found.full_pearson == pytest.approx(2 * pearson / (1 + pearson), abs=1e-9)
    assert found.full_spearman == pytest.approx(2 * spearman / (1 + spearman), abs=1e-9)


def test_spearman_brown_predicts_the_agreement_of_whole_panels() -> None:
    chance = np.random.default_rng(4)
    quality = chance.normal(0, 1, 4000)
    panels = quality + chance.normal(0, 2, (2, 8, 4000))
    whole = float(np.corrcoef(*panels.mean(axis=1))[0, 1])
    assert split_half(panels[0], repeats=3).full_pearson == pytest.approx(whole, abs=0.02)


# The contract of every figure


def votes_of(seed: int) -> Votes:
    return Votes(*zip(*some_votes(seed, tasks=20), strict=True))


FIGURES: tuple[tuple[Figure, Callable[[int], Any]], ...] = (
    *((Alpha(level), some_grades) for level in LEVELS),
    *((Kappa(weights, range(1, 6)), lambda seed: some_grades(seed, 2)) for weights in WEIGHTS),
    *((RotatingKappa(weights), some_grades) for weights in WEIGHTS),
    (PairAlpha(), votes_of),
    (PairAlpha(ties="drop"), votes_of),
    (KendallW(), some_rankings),
    (TauB(), some_rankings),
    (SplitHalf("pearson", repeats=3), some_grades),
    (SplitHalf("spearman", "full", repeats=3), some_grades),
)
each_figure = pytest.mark.parametrize(("figure", "data"), FIGURES, ids=lambda x: getattr(x, "name", ""))  # fmt: skip
repeatable = pytest.mark.parametrize(
    ("figure", "data"),
    [row for row in FIGURES if not isinstance(row[0], SplitHalf | PairAlpha)],
    ids=lambda x: getattr(x, "name", ""),
)


@repeatable
def test_weights_mean_repeated_items(figure: Figure, data: Callable[[int], Any]) -> None:
    values = data(8)
    units = figure.units(values)
    assert units.columns is not None
    times = np.random.default_rng(1).integers(0, 4, len(units.sorts))
    repeated = np.repeat(values[:, units.columns], times, axis=1)
    weights = np.bincount(units.sorts, times)[None]
    assert units.values(weights)[0] == pytest.approx(figure.units(repeated).value, abs=1e-12)


def test_weights_mean_repeated_tasks() -> None:
    votes = some_votes(8, tasks=6)
    units = PairAlpha().units(Votes(*zip(*votes, strict=True)))
    times = np.array([0, 2, 1, 3, 1, 1])
    more = [
        (f"{task}.{copy}", comment, worker, vote)
        for task, comment, worker, vote in votes
        for copy in range(times[int(task[1:])])
    ]
    weights = np.bincount(units.sorts, times)[None].astype(float)
    repeated = PairAlpha().units(Votes(*zip(*more, strict=True)))
    assert units.values(weights)[0] == pytest.approx(repeated.value, abs=1e-12)


@pytest.mark.parametrize("correlation", ["pearson", "spearman"])
def test_weights_mean_repeated_items_of_split_halves(correlation: Any) -> None:
    values = some_grades(8, annotators=6, items=20, present=1.0)
    units = SplitHalf(correlation, repeats=4, seed=2).units(values)
    times = np.random.default_rng(1).integers(0, 4, 20)
    function = stats.pearsonr if correlation == "pearson" else stats.spearmanr
    expected = [
        function(*np.repeat(np.round(pair, 9), times, axis=1)).statistic
        for pair in plain_halves(values, 4, 2)
    ]
    assert units.values(times[None] * 1.0)[0] == pytest.approx(np.mean(expected), abs=1e-9)


@each_figure
def test_an_interval_holds_its_value_and_follows_the_seed(
    figure: Figure, data: Callable[[int], Any]
) -> None:
    found = with_interval(figure, data(8), samples=200)
    assert found.name == figure.name
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high <= 1
    assert found.value == figure.units(data(8)).value
    assert with_interval(figure, data(8), samples=200) == found
    other = with_interval(figure, data(8), samples=200, seed=1)
    assert (other.low, other.high) != (found.low, found.high)
    wide = with_interval(figure, data(8), samples=200, level=0.5)
    assert wide.low > found.low and wide.high < found.high


@repeatable
def test_the_order_of_annotators_and_items_does_not_matter(
    figure: Figure, data: Callable[[int], Any]
) -> None:
    values = data(8)
    chance = np.random.default_rng(2)
    moved = values[chance.permutation(len(values))][:, chance.permutation(values.shape[1])]
    assert figure.units(moved).value == pytest.approx(figure.units(values).value, abs=1e-12)
    # Alike items are drawn as one sort, and sorts stand in an order of their own.
    if not isinstance(figure, Kappa) or isinstance(figure, RotatingKappa):
        first, second = (with_interval(figure, each, samples=50) for each in (values, moved))
        assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


def test_counts_are_those_of_judgments_that_count() -> None:
    found = with_interval(Alpha("ordinal"), KRIPPENDORFF, samples=50)
    assert (found.items, found.annotators, found.judgments) == (11, 4, 40)
    assert found.note == "left out: 1 items with a single judgment"
    pairs = with_interval(PairAlpha(), votes_of(8), samples=50)
    assert (pairs.items, pairs.annotators) == (20, 5)
    assert "no verdict on C-scores" in pairs.note


# Intervals


def plain_interval(
    values: Floats, figure: Callable[[Floats], float], samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Widened BCa by the book, on one number per item."""
    numbers, counts = np.unique(values, return_counts=True)
    n = len(values)
    draws = stream("items", seed)
    sampled = [figure(np.repeat(numbers, draws.multinomial(n, counts / n))) for _ in range(samples)]
    estimate = figure(values)
    without = np.array([figure(np.delete(values, i)) for i in range(n)])
    off = without.mean() - without
    acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
    share = np.mean([(x < estimate - 1e-12) + (abs(x - estimate) <= 1e-12) / 2 for x in sampled])
    bias = stats.norm.ppf(share)
    reach = stats.t.ppf((1 + level) / 2, n - 1) * math.sqrt(n / (n - 1))
    ends = [bias + (bias + z) / (1 - acceleration * (bias + z)) for z in (-reach, reach)]
    low, high = np.quantile(sampled, stats.norm.cdf(ends))
    return float(low), float(high)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_widened_bca_by_the_book(level: float) -> None:
    values = np.random.default_rng(3).exponential(1, 25).round(1)
    rows = np.column_stack([values, values**2, np.ones(25)])

    def spread(sums: Floats) -> Floats:
        mean = sums[:, 0] / sums[:, 2]
        return np.asarray(np.sqrt(sums[:, 1] / sums[:, 2] - mean**2))

    found = over_items(rows, spread, samples=300, level=level, seed=4)
    expected = plain_interval(values, lambda x: float(x.std()), 300, level, 4)
    assert (found.low[0], found.high[0]) == pytest.approx(expected, rel=1e-9)


def test_an_interval_of_a_symmetric_mean_is_close_to_students() -> None:
    half = np.random.default_rng(3).normal(0, 1, 6)
    values = np.append(half, -half)
    rows = np.column_stack([values, np.ones(12)])
    found = over_items(rows, lambda sums: sums[:, 0] / sums[:, 1], samples=20_000)
    ends = stats.t.interval(0.95, 11, values.mean(), values.std(ddof=1) / math.sqrt(12))
    assert (found.low[0], found.high[0]) == pytest.approx(ends, abs=0.05)


def test_items_of_a_group_are_drawn_together() -> None:
    values = some_grades(9, items=60, present=1.0)
    twice = np.repeat(values, 4, axis=1)
    alone = with_interval(Alpha("interval"), twice)
    grouped = with_interval(Alpha("interval"), twice, groups=np.repeat(np.arange(60), 4))
    once = with_interval(Alpha("interval"), values)
    widths = [each.high - each.low for each in (alone, grouped, once)]
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.15)
    assert widths[1] == pytest.approx(widths[2], rel=0.15)


def test_a_part_of_many_items_tells_how_skewed_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).exponential(1, 900)
    rows = np.column_stack([values, np.ones(900)])

    def ends(left_out: int) -> Floats:
        monkeypatch.setattr(intervals, "_LEFT_OUT", left_out)
        found = over_items(rows, lambda sums: sums[:, 0] / sums[:, 1], samples=20_000)
        return np.array([found.low[0], found.high[0]])

    skewed, part, alone = ends(900), ends(100), ends(1)
    assert skewed == pytest.approx(part, abs=0.25 * float(np.abs(skewed - alone).max()))


def test_tasks_of_one_article_are_drawn_together() -> None:
    votes = some_votes(8, tasks=20)
    task, comment, worker, vote = zip(*votes, strict=True)
    article = [f"a{int(each[1:]) // 4}" for each in task]
    tasks = with_interval(PairAlpha(), Votes(task, comment, worker, vote), samples=50)
    articles = with_interval(PairAlpha(), Votes(task, comment, worker, vote, article), samples=50)
    assert (tasks.value, tasks.items) == (articles.value, 20)
    assert articles.items == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 0}, "samples is 0"),
        ({"level": 1.0}, "level is 1.0"),
        ({"seed": -1}, "below zero"),
        ({"groups": [1, 2]}, "not one each of 15 items"),
    ],
)
def test_wrong_settings_of_an_interval_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        with_interval(Alpha(), WIKIPEDIA, **arguments)


def test_votes_are_not_grouped_by_hand() -> None:
    with pytest.raises(ArgumentError, match="no place here"):
        with_interval(PairAlpha(), votes_of(8), groups=[1])


SMALL = {"runs": 200, "samples": 300, "truth": 20_000}


@pytest.mark.parametrize("case", [each for each in CASES if "halves" not in each.name], ids=lambda case: f"{case.name}, {case.size}")  # fmt: skip
def test_intervals_cover_the_planted_truth(case: Case) -> None:
    # 200 runs have a standard error of 1.5 points: the bench's 92.5 to 97.5 % of 2,000, two of them wider.
    found = coverage(case, **SMALL)
    assert (found >= LOWEST - 0.031).all() and (found <= HIGHEST + 0.024).all()


# Degenerate cases, in words


@pytest.mark.parametrize(
    ("figure", "values", "words"),
    [
        (Alpha(), [[NAN, NAN], [NAN, NAN]], "there are no judgments"),
        (Alpha(), [[1, 2, 3]], "only one annotator"),
        (Alpha(), [[1, 2, 3], [NAN, NAN, NAN]], "only one annotator"),
        (Alpha(), [[1, NAN, 3], [NAN, 2, NAN]], "no item has two judgments"),
        (Alpha("ratio"), [[2, 2], [2, 2]], "all 4 judgments are 2: where nothing varies"),
        (Alpha(), [["a", "a", "b"], ["a", "a", None]], "all 4 judgments are 'a'"),
        (Kappa(), [[1, NAN], [NAN, 1]], "no item was judged by both"),
        (Kappa("linear"), [[1, 1], [1, 1]], "all 4 judgments are 1"),
        (RotatingKappa(), [[1, 1], [1, 1]], "all 4 judgments are 1"),
        (PairAlpha(), Votes([], [], [], []), "no pair of comments was compared by two workers"),
        (PairAlpha(), Votes(["t"] * 2, ["c", "d"], ["w"] * 2, [1, 0]), "by two workers"),
        (PairAlpha(), Votes(["t"] * 4, ["c", "d"] * 2, ["w", "w", "x", "x"], [1] * 4), "equal"),
        (PairAlpha(ties="drop"), Votes(["t"] * 4, ["c", "d"] * 2, ["w", "w", "x", "x"], [1] * 4), "with unequal votes"),
        (KendallW(), [[1, 2, 3]], "no item was ranked by two annotators"),
        (KendallW(), [[1, 1, 1], [2, 2, 2]], "tie all systems"),
        (TauB(), [[1, 1, 1], [1, 2, 3]], "tie all systems"),
        (SplitHalf(), [[1, 2], [1, 2]], "2 items of two or more judgments are too few"),
        (SplitHalf(), [[1, 2, 3]], "only one annotator"),
        (SplitHalf(), [[1, 1, 1], [1, 1, 1]], "nothing varies"),
    ],
)  # fmt: skip
def test_what_is_undefined_is_none_and_explained(figure: Figure, values: Any, words: str) -> None:
    found = with_interval(figure, values)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert words in found.note
    assert figure.units(values).value is None


def test_one_item_has_a_value_and_no_interval() -> None:
    found = with_interval(Alpha(), [[1], [2], [2]])
    assert found.value == pytest.approx(0.0) and found.low is None
    assert "one item" in found.note


def test_perfect_agreement_is_one_and_its_interval_says_nothing() -> None:
    values = [[1, 2, 3, 4, 5] * 4] * 3
    for level in LEVELS:
        found = with_interval(Alpha(level), values)
        assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
        assert "the interval says nothing" in found.note


def test_fractions_that_agree_agree_to_the_last_bit() -> None:
    assert krippendorff_alpha([[0.1, 0.7, 0.3]] * 7, "interval") == 1.0


def test_rare_values_leave_resamples_undefined_and_the_note_says_so() -> None:
    found = with_interval(Alpha(), [[1] * 9 + [2], [1] * 9 + [2]])
    assert found.value == 1.0
    few = with_interval(Alpha(), [[1] * 6 + [2, 1], [1] * 6 + [2, 2]])
    assert "of the resamples" in few.note
    rarer = with_interval(Alpha(), [[1] * 30 + [2], [1] * 30 + [1]])
    assert rarer.low is not None


def test_opposite_constants_have_kappa_zero() -> None:
    assert cohen_kappa([1, 1, 1], [2, 2, 2]) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: krippendorff_alpha([1, 2, 3]), "not annotators × items"),
        (lambda: krippendorff_alpha([[1, 2], [1]]), "rows differ in length"),
        (lambda: krippendorff_alpha([[1, math.inf], [1, 2]]), "infinite"),
        (lambda: krippendorff_alpha([["a", "b"], ["a", 1]]), "strings and numbers, such as 1"),
        (lambda: krippendorff_alpha([["a"], ["b"]], "ordinal"), "alpha .ordinal. needs numbers"),
        (lambda: krippendorff_alpha([[-1], [2]], "ratio"), "a ratio scale starts at 0"),
        (lambda: krippendorff_alpha([[1], [2]], "cardinal"), "level is 'cardinal'"),
        (lambda: cohen_kappa([1], [2], weights="cubic"), "weights is 'cubic'"),
        (lambda: cohen_kappa([1], [2], labels=[1, 3]), r"a value is 2.0, not one of the labels \[1, 3\]"),
        (lambda: cohen_kappa([1], [2], labels=[1, 2, 1]), "name one of them twice"),
        (lambda: Kappa().units([[1], [1], [1]]), "two annotators, not 3"),
        (lambda: pair_alpha(["t"], ["c", "d"], ["w"], [1]), "`comment` has shape"),
        (lambda: PairAlpha(scope="thread"), "scope is 'thread'"),
        (lambda: kendall_w([1, 2]), "not annotators × items × systems"),
        (lambda: split_half([["a"], ["b"]]), "needs numbers"),
        (lambda: split_half([[1], [2]], repeats=0), "repeats is 0"),
        (lambda: over_items([[1.0, NAN]], lambda sums: sums), "not items × columns, all finite"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_none_is_missing_among_numbers() -> None:
    with_none = [[None if math.isnan(v) else v for v in row] for row in WIKIPEDIA.tolist()]
    assert krippendorff_alpha(with_none) == krippendorff_alpha(WIKIPEDIA)


# Speed


def test_the_cost_of_alpha_grows_with_the_number_of_judgments_and_no_faster() -> None:
    def seconds(items: int) -> float:
        values = some_grades(1, annotators=10, items=items, present=1.1)
        started = time.process_time()
        krippendorff_alpha(values, "ordinal")
        return time.process_time() - started

    few = min(seconds(10_000) for _ in range(3))
    # Ten times the judgments; comparing each with each would be a hundred times the work.
    assert seconds(100_000) < 40 * few


# Real data


@pytest.mark.real
def test_the_labels_of_ten_japanese_judges_with_na(shared_data: Path) -> None:
    rows = {}
    for name in ("dev", "test"):
        lines = (shared_data / "stc_ja_labels" / f"{name}.tsv").read_text("utf-8").splitlines()
        labels = [line.split("\t")[2:] for line in lines]
        rows[name] = np.array([[NAN if x == "NA" else float(x) for x in row] for row in labels]).T
    counted = {name: Counter(values[~np.isnan(values)].tolist()) for name, values in rows.items()}
    assert counted["dev"] == {0: 418, 1: 238, 2: 273}
    assert counted["test"] == {0: 477, 1: 245, 2: 208}
    assert int(np.isnan(rows["dev"]).sum()) == 71
    for values in rows.values():
        for level in ("nominal", "ordinal", "interval"):
            expected = slow_alpha(values, level)
            assert krippendorff_alpha(values, level) == pytest.approx(expected, abs=1e-9)
    found = with_interval(Alpha("ordinal"), rows["dev"])
    assert found.judgments <= 929 and found.low < found.value < found.high
    assert band(found.value) == "fair"


@pytest.mark.real
def test_the_ratings_of_dialogue_responses(shared_data: Path) -> None:
    lines = (shared_data / "grade_dialog_human" / "ratings.jsonl").read_text("utf-8").splitlines()
    ratings = [json.loads(line)["ratings"] for line in lines]
    values = np.full((11, len(ratings)), NAN)
    for item, each in enumerate(ratings):
        values[: len(each), item] = each
    assert float(np.nanmean(values, axis=0).mean()) == pytest.approx(3.0568, abs=5e-5)
    found = with_interval(Alpha("ordinal"), values)
    assert (found.items, found.judgments) == (1200, 11_910)
    assert found.value == pytest.approx(slow_alpha(values, "ordinal"), abs=1e-9)
    halves = split_half(values)
    # Ten raters of this alpha make panels of this reliability (Spearman-Brown), and of these halves.
    alpha = krippendorff_alpha(values, "interval")
    assert alpha is not None
    assert halves.full_pearson == pytest.approx(10 * alpha / (1 + 9 * alpha), abs=0.02)
