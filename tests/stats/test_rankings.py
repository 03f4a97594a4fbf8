"""Rankings with ties: equality with plain loops and SciPy, and the counts of real rankings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import kendall_w
from newsdesk.stats.rankings import (
    compare,
    duels,
    friedman,
    mean_ranks,
    normalise,
    place_counts,
)
from newsdesk.stats.significance import correct
from tests.stats.ranked import some_ranks

NAN = math.nan
FORMS = {"dense": "dense", "competition": "min", "fractional": "average"}

rows_of_ranks = st.integers(1, 6).flatmap(
    lambda systems: st.lists(
        st.lists(st.integers(1, systems), min_size=systems, max_size=systems),
        min_size=1,
        max_size=5,
    )
)


# Forms of ranks


@given(rows_of_ranks, st.sampled_from(sorted(FORMS)))
def test_forms_are_scipys(rows: list[list[int]], how: Any) -> None:
    assert normalise(rows, how).tolist() == stats.rankdata(rows, FORMS[how], axis=1).tolist()


@given(rows_of_ranks, st.sampled_from(sorted(FORMS)), st.sampled_from(sorted(FORMS)))
def test_every_form_is_accepted_and_means_the_same(rows: Any, given_as: Any, how: Any) -> None:
    assert normalise(normalise(rows, given_as), how).tolist() == normalise(rows, how).tolist()


def test_the_guides_example_in_its_three_forms() -> None:
    guide = [3, 1, 1, 2]
    assert normalise(guide, "dense").tolist() == guide
    assert normalise(guide, "competition").tolist() == [4, 1, 1, 3]
    assert normalise(guide).tolist() == [4, 1.5, 1.5, 3]


def test_a_system_that_was_not_ranked_stays_so() -> None:
    np.testing.assert_array_equal(normalise([[2, NAN, 1, 2]]), [[2.5, NAN, 1, 2.5]])
    np.testing.assert_array_equal(normalise([[2, NAN, 1, 2]], "dense"), [[2, NAN, 1, 2]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normalise([0, 1, 2]), "a rank is 0 of 3; ranks go from 1 to 3"),
        (lambda: normalise([[1, 2, 3, 7]]), "a rank is 7 of 4"),
        (lambda: normalise([[1, 3, NAN]]), "a rank is 3 of 2"),
        (lambda: normalise([-1, 2]), "a rank is -1 of 2"),
        (lambda: normalise([1, math.inf]), "a rank is inf of 2"),
        (lambda: normalise([1, 2], "ordinal"), "how is 'ordinal'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: normalise(1), "not rankings × systems"),
        (lambda: place_counts([[1, 2]], "fractional"), "how is 'fractional'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: duels([1, 2]), "not rankings × systems"),
        (lambda: mean_ranks(np.zeros((0, 3))), "there are no rankings"),
        (lambda: mean_ranks([[1, 2]], items=["a", "b"]), "not one each of 1 rankings"),
        (lambda: compare([[1, 2]], test="t"), "test is 't'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: compare([[1, 2]], correction="none"), "method is 'none'"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# Counts and means


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_counts_means_and_duels_equal_plain_loops(seed: int) -> None:
    ranks = some_ranks(seed, rankings=9, present=0.8)
    places: Counter[tuple[int, int]] = Counter()
    wins, ties = np.zeros((4, 4)), np.zeros((4, 4))
    means: list[list[float]] = [[], [], [], []]
    for row in ranks:
        there = [s for s in range(4) if not math.isnan(row[s])]
        for s in there:
            better = {row[other] for other in there if row[other] < row[s]}
            places[s, len(better)] += 1
            level = sum(row[other] == row[s] for other in there)
            above = sum(row[other] < row[s] for other in there)
            means[s].append(above + (level + 1) / 2)
        for one, two in combinations(there, 2):
            if row[one] == row[two]:
                ties[one, two] += 1
                ties[two, one] += 1
            else:
                first, second = (one, two) if row[one] < row[two] else (two, one)
                wins[first, second] += 1
    assert place_counts(ranks).tolist() == [[places[s, p] for p in range(4)] for s in range(4)]
    outcome = duels(ranks)
    assert outcome.wins.tolist() == wins.tolist() and outcome.ties.tolist() == ties.tolist()
    mean = mean_ranks(ranks, samples=10)
    assert mean.values == pytest.approx([np.mean(m) if m else NAN for m in means], nan_ok=True)
    assert mean.rankings == tuple(len(m) for m in means)


def test_places_may_be_those_of_a_competition() -> None:
    assert place_counts([[3, 1, 1, 2]], "competition").tolist() == [
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 1, 0],
    ]


def test_an_interval_of_mean_ranks_draws_items_not_rankings() -> None:
    ranks = some_ranks(1)
    copies = np.repeat(ranks, 4, axis=0)
    alone, whole = mean_ranks(copies), mean_ranks(copies, np.repeat(np.arange(60), 4))
    once = mean_ranks(ranks)
    assert alone.values == whole.values == once.values
    for system in range(4):
        widths = [each.high[system] - each.low[system] for each in (alone, whole, once)]
        assert widths[1] == pytest.approx(2 * widths[0], rel=0.15)
        assert widths[1] == pytest.approx(widths[2], rel=0.15)


def test_rankings_of_the_better_system_rank_it_first_by_means_and_places() -> None:
    ranks = some_ranks(5, rankings=400)
    assert np.argmin(mean_ranks(ranks, samples=1).values) == 0
    assert np.argmax(place_counts(ranks)[:, 0]) == 0


# Tests


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_friedman_is_scipys_with_ties(seed: int, systems: int) -> None:
    ranks = some_ranks(seed, rankings=12, systems=systems)
    outcome, expected = friedman(ranks), stats.friedmanchisquare(*ranks.T)
    assert (outcome.statistic, outcome.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert outcome.w == pytest.approx(kendall_w(ranks))
    assert outcome.blocks == 12


def test_friedman_leaves_incomplete_rankings_out_and_says_so() -> None:
    ranks = some_ranks(3, rankings=20)
    partial = np.vstack([ranks, [[1, 2, NAN, 3]]])
    assert friedman(partial).statistic == friedman(ranks).statistic
    assert friedman(partial).note == "left out: 1 ranking that does not hold every system"


def test_friedmans_blocks_are_items_when_these_are_named() -> None:
    ranks = some_ranks(3, rankings=20)
    copies = np.repeat(ranks, 3, axis=0)
    assert friedman(copies, np.repeat(np.arange(20), 3)) == friedman(ranks)
    assert friedman(copies).p < friedman(ranks).p


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([[1, 2, 3]], "fewer than two blocks"),
        ([[1, 2, NAN], [1, 2, NAN]], "fewer than two blocks"),
        ([[1, 1, 1], [2, 2, 2]], "ties all systems"),
    ],
)
def test_friedman_without_ground_says_why(ranks: Any, words: str) -> None:
    outcome = friedman(ranks)
    assert (outcome.statistic, outcome.p, outcome.w) == (None, None, None)
    assert words in outcome.note


def test_pairwise_tests_are_scipys_corrected_by_holm() -> None:
    ranks = some_ranks(4, rankings=400)
    mid = stats.rankdata(ranks, axis=1)
    expected_p: dict[Literal["sign", "wilcoxon"], list[float]] = {"sign": [], "wilcoxon": []}
    for one, two in combinations(range(4), 2):
        apart = (mid[:, one] - mid[:, two])[mid[:, one] != mid[:, two]]
        expected_p["sign"].append(stats.binomtest(int((apart > 0).sum()), len(apart)).pvalue)
        expected_p["wilcoxon"].append(stats.wilcoxon(apart).pvalue)
    for test, expected in expected_p.items():
        outcome = compare(ranks, test=test)
        assert [each.p for each in outcome] == pytest.approx(expected)
        assert [each.corrected for each in outcome] == pytest.approx(correct(expected))
        assert [(each.first, each.second) for each in outcome] == list(combinations(range(4), 2))


def test_a_comparison_counts_and_averages_items() -> None:
    ranks = some_ranks(4, rankings=40)
    means, met = stats.rankdata(ranks, axis=1).mean(axis=0), duels(ranks)
    for each in compare(ranks):
        assert each.better == met.wins[each.first, each.second]
        assert each.equal == met.ties[each.first, each.second]
        assert each.worse == met.wins[each.second, each.first]
        assert each.difference == pytest.approx(means[each.first] - means[each.second])


@pytest.mark.parametrize("seed", range(5))
def test_wilcoxons_p_is_exact_with_ties(seed: int) -> None:
    ranks = some_ranks(seed, rankings=11, systems=3)
    mid = stats.rankdata(ranks, axis=1)
    for each in compare(ranks):
        apart = mid[:, each.first] - mid[:, each.second]
        apart = apart[apart != 0]
        places = stats.rankdata(np.abs(apart))
        sums = [np.dot(places, signs) for signs in product((0, 1), repeat=len(places))]
        seen = places[apart > 0].sum()
        below, above = (np.mean([s <= seen for s in sums]), np.mean([s >= seen for s in sums]))
        assert each.p == pytest.approx(min(1, 2 * min(below, above)))


def test_wilcoxons_exact_p_nears_the_approximation() -> None:
    ranks = some_ranks(6, rankings=90, systems=3)
    mid = stats.rankdata(ranks, axis=1)
    for each in compare(ranks):
        apart = mid[:, each.first] - mid[:, each.second]
        assert each.p == pytest.approx(stats.wilcoxon(apart[apart != 0], method="approx").pvalue, abs=0.01)  # fmt: skip


def test_rankings_of_one_item_count_once() -> None:
    ranks = some_ranks(4, rankings=15)
    copies = np.repeat(ranks, 3, axis=0)
    items = np.repeat([f"item {n}" for n in range(15)], 3)
    for test in ("sign", "wilcoxon"):
        assert compare(copies, items, test=test) == compare(ranks, test=test)


def test_systems_that_are_level_or_never_met_have_p_one() -> None:
    (level,) = compare([[1, 1], [1, 1]])
    assert (level.p, level.corrected, level.equal) == (1.0, 1.0, 2)
    (apart,) = compare([[1, NAN], [NAN, 1]])
    assert apart.p == 1.0 and math.isnan(apart.difference)


# Real data


@pytest.mark.real
def test_the_readme_of_the_correction_rankings_counts_right(
    corrections: list[dict[str, Any]],
) -> None:
    assert len(corrections) == 706
    counted = Counter(each["annotator"] for each in corrections)
    assert counted == {"annot1": 257, "annot2": 174, "non-native": 149, "annot3": 126}
    ranks = np.array([[rank for _, rank in each["ranks"]] for each in corrections])
    assert int((normalise(ranks, "dense").max(axis=1) < 4).sum()) == 497
    alone: dict[str, list[int]] = {}
    for each in corrections:
        for system, rank in each["ranks"]:
            alone.setdefault(system, []).append(rank)
    expected = {"refmix1": (1.5369, 244), "UFC": (1.9798, 99), "src": (2.0943, 53), "IPN": (2.6497, 157)}  # fmt: skip
    for system, (mean, count) in expected.items():
        assert (round(float(np.mean(alone[system])), 4), len(alone[system])) == (mean, count)
