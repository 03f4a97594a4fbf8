"""Kendall's W, tau-b and split halves equal the textbook, SciPy and plain loops."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import kendall_w, split_half, tau_b
from tests.stats.agreement.graded import NAN, plain_halves, some_grades, some_rankings


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_kendalls_w_equals_the_textbook_formula_with_ties(seed: int) -> None:
    ranks = some_rankings(seed)
    coefficients = []
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
            coefficients.append(12 * s / below)
    assert kendall_w(ranks) == pytest.approx(np.mean(coefficients) if coefficients else None)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_tau_b_is_the_mean_of_scipys_over_pairs_of_annotators(seed: int) -> None:
    ranks = some_rankings(seed)
    coefficients = []
    for item in range(ranks.shape[1]):
        rows = [row[~np.isnan(row)] for row in ranks[:, item] if not np.isnan(row).all()]
        rows = [row for row in rows if len(np.unique(row)) > 1]
        coefficients += [stats.kendalltau(*pair).statistic for pair in combinations(rows, 2)]
    assert tau_b(ranks) == pytest.approx(np.mean(coefficients) if coefficients else None)


def test_one_item_may_come_without_its_axis() -> None:
    ranks = [[3, 1, 1, 2], [3, 1, 2, 2], [2, 1, 1, 1]]
    assert kendall_w(ranks) == kendall_w(np.array(ranks)[:, None, :])
    assert tau_b(ranks) == tau_b(np.array(ranks)[:, None, :])


def test_annotators_who_ranked_different_systems_are_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"item 1 .* different systems"):
        kendall_w([[[1.0, 2.0, 3.0], [1.0, 2.0, NAN]], [[1.0, 2.0, 3.0], [NAN, 1.0, 2.0]]])


def test_split_halves_equal_a_plain_loop_over_the_same_draws() -> None:
    values = some_grades(3, annotators=6, items=25, present=0.9)
    halves = plain_halves(values, repeats=7, seed=11)
    pearson = np.mean([stats.pearsonr(*pair).statistic for pair in halves])
    spearman = np.mean([stats.spearmanr(*np.round(pair, 9)).statistic for pair in halves])
    split = split_half(values, seed=11, repeats=7)
    # Means that agree to 1e-9 are one value.
    assert (split.pearson, split.spearman) == pytest.approx((pearson, spearman), abs=1e-9)
    assert split.full_pearson == pytest.approx(2 * pearson / (1 + pearson), abs=1e-9)
    assert split.full_spearman == pytest.approx(2 * spearman / (1 + spearman), abs=1e-9)


def test_spearman_brown_predicts_the_agreement_of_whole_panels() -> None:
    rng = np.random.default_rng(4)
    quality = rng.normal(0, 1, 4000)
    panels = quality + rng.normal(0, 2, (2, 8, 4000))
    whole = float(np.corrcoef(*panels.mean(axis=1))[0, 1])
    assert split_half(panels[0], repeats=3).full_pearson == pytest.approx(whole, abs=0.02)
