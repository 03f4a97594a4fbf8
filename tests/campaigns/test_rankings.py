"""Rankings with ties: equality with plain loops, SciPy and a general optimizer, real rankings, and planted orders found again."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize, stats

from newsdesk.arrays import Floats
from newsdesk.campaigns.agreement import kendall_w, tau_b
from newsdesk.campaigns.rankings import (
    bradley_terry,
    compare,
    duels,
    friedman,
    mean_ranks,
    normalise,
    place_counts,
)
from newsdesk.errors import ArgumentError
from newsdesk.metrics.significance import correct

NAN = math.nan
FORMS = {"dense": "dense", "competition": "min", "fractional": "average"}

rows_of_ranks = st.integers(1, 6).flatmap(
    lambda systems: st.lists(
        st.lists(st.integers(1, systems), min_size=systems, max_size=systems),
        min_size=1,
        max_size=5,
    )
)


def some_ranks(seed: int, rankings: int = 60, systems: int = 4, present: float = 1.0) -> Floats:
    """Rankings of systems of which the first is best, close ones tied, some systems not ranked."""
    chance = np.random.default_rng(seed)
    seen = np.rint(np.linspace(0.8, -0.8, systems) + chance.normal(0, 1, (rankings, systems)))
    seen = np.where(chance.random(seen.shape) < present, seen, NAN)
    return np.array([[NAN if math.isnan(v) else 1 + sum(w > v for w in row) for v in row] for row in seen])  # fmt: skip


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
        (lambda: normalise([1, 2], "ordinal"), "how is 'ordinal'"),
        (lambda: normalise(1), "not rankings × systems"),
        (lambda: place_counts([[1, 2]], "fractional"), "how is 'fractional'"),
        (lambda: duels([1, 2]), "not rankings × systems"),
        (lambda: mean_ranks(np.zeros((0, 3))), "there are no rankings"),
        (lambda: mean_ranks([[1, 2]], items=["a", "b"]), "not one each of 1 rankings"),
        (lambda: bradley_terry([[1], [1]]), "1 systems cannot be compared"),
        (lambda: compare([[1, 2]], test="t"), "test is 't'"),
        (lambda: compare([[1, 2]], correction="none"), "method is 'none'"),
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
    wins, ties, means = np.zeros((4, 4)), np.zeros((4, 4)), [[], [], [], []]
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
    found = duels(ranks)
    assert found.wins.tolist() == wins.tolist() and found.ties.tolist() == ties.tolist()
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


# Bradley-Terry


def minus_log_likelihood(at: Floats, ranks: Floats) -> float:
    """Davidson's, ranking by ranking, with the documented penalty."""
    *strengths, log_tie = at
    total = 0.005 * float((at**2).sum())
    for row in ranks:
        for one, two in combinations(range(len(strengths)), 2):
            if math.isnan(row[one]) or math.isnan(row[two]):
                continue
            first, second = math.exp(strengths[one]), math.exp(strengths[two])
            tie = math.exp(log_tie) * math.sqrt(first * second)
            share = first if row[one] < row[two] else second if row[one] > row[two] else tie
            total -= math.log(share / (first + second + tie))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_strengths_maximize_davidsons_likelihood(seed: int) -> None:
    ranks = some_ranks(seed, rankings=25, present=0.8)
    found = bradley_terry(ranks, samples=1)
    expected = optimize.minimize(minus_log_likelihood, np.zeros(5), args=(ranks,), tol=1e-10)
    assert found.values == pytest.approx(expected.x[:-1], abs=1e-4)
    assert math.log(found.tie) == pytest.approx(expected.x[-1], abs=1e-4)
    assert sum(found.values) == pytest.approx(0, abs=1e-9)
    assert found.note == ""


def test_two_systems_have_their_closed_form() -> None:
    # wins / losses = exp(a - b), ν = ties / √(wins · losses)
    ranks = [[1, 2]] * 900 + [[2, 1]] * 400 + [[1, 1]] * 300
    found = bradley_terry(ranks, samples=1)
    assert found.values[0] - found.values[1] == pytest.approx(math.log(900 / 400), abs=1e-3)
    assert found.tie == pytest.approx(300 / 600, abs=1e-3)


def test_a_system_that_never_loses_stays_finite_and_is_named() -> None:
    ranks = np.column_stack([np.ones(40), some_ranks(2, 40, 3) + 1])
    found = bradley_terry(ranks, samples=200)
    assert np.isfinite([*found.values, *found.low, *found.high]).all()
    assert found.values[0] == max(found.values) and 5 < found.values[0] < 30
    assert "[0]" in found.note and "penalty" in found.note


def test_systems_that_never_met_are_named() -> None:
    ranks = [[1, 2, NAN, NAN], [2, 1, NAN, NAN], [NAN, NAN, 1, 2], [NAN, NAN, 2, 1]]
    assert "[0, 1], [2, 3]" in bradley_terry(ranks, samples=10).note


def test_without_ties_the_tie_parameter_nears_zero_and_strengths_are_bradley_terrys() -> None:
    ranks = ([[1, 2, 3]] * 4 + [[2, 1, 3]] * 3 + [[3, 1, 2]] * 2 + [[3, 2, 1]]) * 30
    found = bradley_terry(ranks, samples=1)
    wins = duels(ranks).wins
    strength = np.ones(3)
    for _ in range(2000):
        # Zermelo's iterations (1929)
        games = (wins + wins.T) / (strength[:, None] + strength)
        strength = wins.sum(axis=1) / games.sum(axis=1)
    logs = np.log(strength) - np.log(strength).mean()
    assert found.tie < 1e-3
    assert found.values == pytest.approx(logs, abs=2e-3)


def test_all_ties_are_equal_strengths() -> None:
    found = bradley_terry([[1, 1, 1]] * 20, samples=10)
    assert found.values == pytest.approx([0, 0, 0], abs=1e-12)
    assert found.tie > 50


PLANTED = np.array([0.9, 0.4, 0.0, -0.4, -0.9])


def planted_duels(chance: np.random.Generator, count: int) -> Floats:
    """Comparisons of two random systems, drawn from Davidson's own model with ν = 0.6."""
    ranks = np.full((count, len(PLANTED)), NAN)
    for row in range(count):
        one, two = chance.choice(len(PLANTED), 2, replace=False)
        lead = (PLANTED[one] - PLANTED[two]) / 2
        odds = np.array([math.exp(lead), math.exp(-lead), 0.6])
        ranks[row, [one, two]] = [(1, 2), (2, 1), (1, 1)][chance.choice(3, p=odds / odds.sum())]
    return ranks


def test_the_planted_order_is_found_again() -> None:
    found = bradley_terry(planted_duels(np.random.default_rng(1), 3000), samples=1)
    assert np.argsort(found.values).tolist() == np.argsort(PLANTED).tolist()
    assert found.values == pytest.approx(PLANTED, abs=0.2)
    assert found.tie == pytest.approx(0.6, abs=0.1)


def test_intervals_cover_planted_strengths() -> None:
    chance = np.random.default_rng(0)
    runs, held = 120, np.zeros(len(PLANTED))
    for run in range(runs):
        found = bradley_terry(planted_duels(chance, 200), samples=300, seed=run)
        held += (np.array(found.low) <= PLANTED) & (np.array(found.high) >= PLANTED)
    # 600 intervals, five of a run at a time: two standard errors of 120 runs.
    assert 0.91 <= (held / runs).mean() <= 0.985


def test_rankings_of_the_better_system_rank_it_first_by_every_figure() -> None:
    ranks = some_ranks(5, rankings=400)
    assert np.argmin(mean_ranks(ranks, samples=1).values) == 0
    assert np.argmax(bradley_terry(ranks, samples=1).values) == 0
    assert np.argmax(place_counts(ranks)[:, 0]) == 0


# Tests


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_friedman_is_scipys_with_ties(seed: int, systems: int) -> None:
    ranks = some_ranks(seed, rankings=12, systems=systems)
    found, expected = friedman(ranks), stats.friedmanchisquare(*ranks.T)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.w == pytest.approx(kendall_w(ranks))
    assert found.blocks == 12


def test_friedman_leaves_incomplete_rankings_out_and_says_so() -> None:
    ranks = some_ranks(3, rankings=20)
    partial = np.vstack([ranks, [[1, 2, NAN, 3]]])
    assert friedman(partial).statistic == friedman(ranks).statistic
    assert friedman(partial).note == "left out: 1 rankings that do not hold every system"


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
    found = friedman(ranks)
    assert (found.statistic, found.p, found.w) == (None, None, None)
    assert words in found.note


def test_pairwise_tests_are_scipys_corrected_by_holm() -> None:
    ranks = some_ranks(4, rankings=400)
    mid = stats.rankdata(ranks, axis=1)
    expected_p: dict[str, list[float]] = {"sign": [], "wilcoxon": []}
    for one, two in combinations(range(4), 2):
        apart = (mid[:, one] - mid[:, two])[mid[:, one] != mid[:, two]]
        expected_p["sign"].append(stats.binomtest(int((apart > 0).sum()), len(apart)).pvalue)
        expected_p["wilcoxon"].append(stats.wilcoxon(apart).pvalue)
    for test, expected in expected_p.items():
        found = compare(ranks, test=test)
        assert [each.p for each in found] == pytest.approx(expected)
        assert [each.corrected for each in found] == pytest.approx(correct(expected))
        assert [(each.first, each.second) for each in found] == list(combinations(range(4), 2))


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


# Speed


def test_ten_thousand_rankings_are_fitted_in_well_under_a_second() -> None:
    ranks = np.random.default_rng(0).integers(1, 5, (10_000, 4))
    started = time.process_time()
    bradley_terry(ranks, samples=1)
    assert time.process_time() - started < 0.5


# Real data


@pytest.fixture(scope="module")
def corrections(shared_data: Path) -> list[dict[str, Any]]:
    lines = (shared_data / "gec_ranking" / "rankings.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


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


@pytest.mark.real
def test_people_agree_that_the_human_correction_is_best(corrections: list[dict[str, Any]]) -> None:
    # An output of several systems was shown once: it ranks all of them.
    systems = sorted({s for each in corrections for names, _ in each["ranks"] for s in names.split(",")})  # fmt: skip
    annotators = sorted({each["annotator"] for each in corrections})
    ids = [(each["item"], tuple(sorted(name for name, _ in each["ranks"]))) for each in corrections]
    items = {each: place for place, each in enumerate(dict.fromkeys(ids))}
    judged = {each: {c["annotator"] for c, i in zip(corrections, ids, strict=True) if i == each} for each in items}  # fmt: skip
    assert sum(len(by) > 1 for by in judged.values()) == 155
    ranks = np.full((len(corrections), len(systems)), NAN)
    cube = np.full((len(annotators), len(items), len(systems)), NAN)
    for row, each in enumerate(corrections):
        for names, rank in each["ranks"]:
            for name in names.split(","):
                ranks[row, systems.index(name)] = rank
        cube[annotators.index(each["annotator"]), items[ids[row]]] = ranks[row]
    found = bradley_terry(ranks, [each["item"] for each in corrections], samples=300)
    assert systems[int(np.argmax(found.values))] == "refmix1"
    others = [value for system, value in zip(systems, found.high, strict=True) if system != "refmix1"]  # fmt: skip
    assert found.low[systems.index("refmix1")] > max(others)
    assert found.note == ""
    w, tau = kendall_w(cube), tau_b(cube)
    assert (w, tau) == pytest.approx((0.755, 0.598), abs=5e-4)
