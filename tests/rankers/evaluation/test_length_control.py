"""LMP, bLMP and sAUC: equal to plain loops over pairs, blind to length, and resampled over articles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn.metrics import roc_auc_score

from newsdesk.rankers.evaluation.length_control import (
    MatchedPairs,
    blmp,
    lmp,
    sauc,
    sauc_draws,
    strata,
)
from newsdesk.stats.intervals import percentiles
from tests.rankers import plain

# Few different lengths, shares and scores: ties and borders come up all the time.
COMMENT = st.tuples(
    st.sampled_from([0, 1, 9, 10, 11, 90, 91, 99, 100, 101, 110, 111, 112]),
    st.sampled_from([0.0, 0.2, 1 / 3, 0.4, 0.6, 2 / 3, 0.8, 1.0]),
    st.sampled_from([-1.0, 0.0, 0.1 + 0.2, 0.3, 2.0]),
)
ARTICLES = st.lists(st.lists(COMMENT, min_size=1, max_size=12), min_size=1, max_size=4)


def columns(articles: list[list[tuple[int, float, float]]]) -> tuple[np.ndarray, ...]:
    lengths, shares, scores = (
        np.array(column) for column in zip(*(row for each in articles for row in each), strict=True)
    )
    sizes = [len(each) for each in articles]
    return lengths, shares, scores, np.repeat(np.arange(len(sizes)), sizes), np.cumsum([0, *sizes])


@given(ARTICLES)
def test_matched_pairs_equal_plain_code(articles: list[list[tuple[int, float, float]]]) -> None:
    lengths, shares, scores, article, offsets = columns(articles)
    assume(lengths.any())
    rows = MatchedPairs.of(lengths, offsets).statistics(scores, shares)
    expected = plain.matched(scores.tolist(), shares.tolist(), lengths.tolist(), article.tolist())
    total = rows.sum(axis=0, keepdims=True)
    if expected[0] is None:
        assert not total.any()
    else:
        assert lmp(total)[0] == pytest.approx(expected[0], abs=1e-12)
    if expected[1] is not None:
        assert blmp(total)[0] == pytest.approx(expected[1], abs=1e-12)


@given(ARTICLES)
def test_sauc_equals_plain_code(articles: list[list[tuple[int, float, float]]]) -> None:
    lengths, shares, scores, *_ = columns(articles)
    assume(lengths.any())
    expected = plain.sauc(scores.tolist(), shares.tolist(), lengths.tolist())
    value = sauc(scores, shares, lengths)
    assert value == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_within_one_stratum_sauc_is_the_auc() -> None:
    rng = np.random.default_rng(0)
    shares, scores = rng.choice([0.2, 0.8], 200), rng.integers(0, 9, 200).astype(float)
    expected = roc_auc_score(shares > 0.5, scores)
    assert sauc(scores, shares, np.full(200, 50)) == pytest.approx(expected)


@given(ARTICLES, st.sampled_from([np.log1p, np.negative, np.sin]))
def test_any_rule_that_looks_at_length_only_has_a_blmp_of_a_half(
    articles: list[list[tuple[int, float, float]]], rule: np.ufunc
) -> None:
    lengths, shares, _, _, offsets = columns(articles)
    monotone = rule in (np.log1p, np.negative)
    rows = MatchedPairs.of(lengths, offsets).statistics(rule(lengths.astype(float)), shares)
    total = rows.sum(axis=0, keepdims=True)
    if monotone and total[0, 1] and total[0, 3]:
        assert blmp(total)[0] == 0.5


def test_one_vote_of_five_is_a_difference_of_a_fifth() -> None:
    # 0.6 - 0.4 is 0.19999999999999996 in binary.
    pairs = MatchedPairs.of(np.array([10, 11]), np.array([0, 2]))
    rows = pairs.statistics(np.array([1.0, 0.0]), np.array([0.6, 0.4]))
    assert rows.tolist() == [[0, 0, 1, 1, 0, 0]]


def test_a_tenth_of_the_longer_is_near_and_more_is_not() -> None:
    assert len(MatchedPairs.of(np.array([90, 100]), np.array([0, 2])).first) == 1
    assert len(MatchedPairs.of(np.array([89, 100]), np.array([0, 2])).first) == 0
    assert len(MatchedPairs.of(np.array([90, 100]), np.array([0, 1, 2])).first) == 0


def test_without_any_text_there_is_no_pair() -> None:
    nothing = np.zeros(4, dtype=int)
    shares, scores = np.array([0.0, 1.0, 0.0, 1.0]), np.arange(4.0)
    assert not MatchedPairs.of(nothing, np.array([0, 2, 4])).statistics(scores, shares).any()
    assert sauc(scores, shares, nothing) is None


def test_strata_are_a_tenth_wide() -> None:
    numbers = strata(np.arange(1, 2000))
    for stratum in np.unique(numbers):
        members = np.flatnonzero(numbers == stratum) + 1
        assert members.max() / members.min() < 1.1 + 1e-12


def test_draws_of_articles_equal_repeated_articles() -> None:
    rng = np.random.default_rng(1)
    sizes = np.array([6, 9, 5, 8])
    offsets = np.cumsum([0, *sizes])
    count = int(offsets[-1])
    lengths = rng.integers(50, 60, count)
    shares, scores = rng.choice([0.0, 0.2, 0.8, 1.0], count), rng.random(count)
    draws = sauc_draws((scores,), shares, lengths, offsets, samples=30, seed=3)
    from newsdesk.streams import stream

    drawn = stream("bootstrap", 3).integers(0, 4, size=(30, 4))
    for row, value in zip(drawn, draws, strict=True):
        places = np.concatenate([np.arange(offsets[a], offsets[a + 1]) for a in row])
        assert sauc(scores[places], shares[places], lengths[places]) == pytest.approx(value)
    low, high = percentiles(draws)
    assert low <= np.median(draws) <= high
