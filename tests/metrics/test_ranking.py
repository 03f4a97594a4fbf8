"""NDCG, precision at k and correlations: values of the reference tools, the tools themselves, and slow plain versions."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from itertools import pairwise, permutations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from newsdesk.errors import ArgumentError
from newsdesk.metrics.ranking import (
    kendall,
    ndcg,
    pearson,
    per_article,
    precision_at,
    spearman,
    strict_precision_at,
)

GAINS = st.lists(st.integers(0, 6), min_size=2, max_size=12)


def falling(count: int) -> list[int]:
    return list(range(count, 0, -1))


@pytest.mark.parametrize(
    ("gains", "linear", "exp"),
    [([2, 3, 5, 4, 0], 0.820985, 0.649122), ([0, 5, 0, 4, 3, 2], 0.610811, 0.634766)],
)
def test_linear_and_exponential_gain_can_disagree(
    gains: list[int], linear: float, exp: float
) -> None:
    # DEFINITIONS C.9: in both the best four gains are 5, 4, 3, 2, and five ranks count.
    assert ndcg(falling(len(gains)), gains, 5) == pytest.approx(linear, abs=5e-7)
    assert ndcg(falling(len(gains)), gains, 5, gain="exp") == pytest.approx(exp, abs=5e-7)


def test_values_that_other_tools_print() -> None:
    # pytrec_eval's README, q1 and q2.
    assert ndcg([1.0, 0.0, 1.5], [0, 1, 0]) == pytest.approx(0.5, abs=1e-12)
    assert ndcg([1.5, 0.2, 0.5], [0, 1, 1]) == pytest.approx(0.6934264036, abs=1e-10)
    # ir_measures' README: .6309297536 and 1, on average .8154648768.
    values = per_article(ndcg, [[1.2, 1.0], [2.4, 3.6]], [[0, 1], [0, 2]])
    assert values.tolist() == pytest.approx([0.6309297536, 1.0], abs=1e-10)
    assert values.mean() == pytest.approx(0.8154648768, abs=1e-10)
    # allRank's test: true [0, 1], ranked the wrong way round.
    assert ndcg([2, 1], [0, 1], gain="exp") == pytest.approx(1 / math.log2(3), abs=1e-12)


@given(GAINS, st.integers(1, 14), st.data())
def test_distinct_scores_equal_pytrec_eval(gains: list[int], k: int, data: st.DataObject) -> None:
    # -1 is the only gain below zero that pytrec_eval 0.5.11 survives; at -2 it writes past its arrays.
    gains = [data.draw(st.sampled_from([gain, gain, -1])) for gain in gains]
    scores = data.draw(st.permutations(range(len(gains))))
    qrels = {"q": {str(place): gain for place, gain in enumerate(gains)}}
    run = {"q": {str(place): float(score) for place, score in enumerate(scores)}}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{k}"}).evaluate(run)
    assert ndcg(scores, gains, k) == pytest.approx(peer["q"][f"ndcg_cut_{k}"], abs=1e-9)


@given(GAINS, st.integers(1, 14), st.data())
def test_average_ties_equal_scikit_learn(gains: list[int], k: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.integers(0, 3), min_size=len(gains), max_size=len(gains)))
    peer = ndcg_score([gains], [scores], k=k)
    assert ndcg(scores, gains, k, ties="average") == pytest.approx(peer, abs=1e-9)
    peer = ndcg_score([[2.0**gain - 1 for gain in gains]], [scores], k=k)
    assert ndcg(scores, gains, k, ties="average", gain="exp") == pytest.approx(peer, abs=1e-9)


@pytest.mark.parametrize("gain", ["linear", "exp", "letor"])
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=5),
    st.integers(1, 6),
)
def test_tie_rules_are_the_mean_the_least_and_the_most_over_all_orders(
    gain: str, comments: list[tuple[int, int]], k: int
) -> None:
    every = [
        ndcg([score for score, _ in order], [true for _, true in order], k, gain=gain)  # type: ignore[arg-type]
        for order in permutations(comments)
    ]
    scores, gains = zip(*comments, strict=True)
    by_rule = {
        ties: ndcg(scores, gains, k, gain=gain, ties=ties)  # type: ignore[arg-type]
        for ties in ("average", "pessimistic", "optimistic")
    }
    assert by_rule["average"] == pytest.approx(float(np.mean(every)), abs=1e-12)
    assert by_rule["pessimistic"] == pytest.approx(min(every), abs=1e-12)
    assert by_rule["optimistic"] == pytest.approx(max(every), abs=1e-12)


def plain_letor(scores: list[int], gains: list[int]) -> float:
    """`eval_list` of liblinear-ranksvm, cut-off by cut-off."""

    def totals(ordered: list[int]) -> list[float]:
        totals = [2.0 ** ordered[0] - 1]
        for place in range(1, len(ordered)):
            totals.append(
                totals[-1] + (2.0 ** ordered[place] - 1) * math.log(2.0) / math.log(place + 1.0)
            )
        return totals

    best = totals(sorted(gains, reverse=True))
    got = totals([gain for _, gain in sorted(zip(scores, gains, strict=True), reverse=True)])
    if best[0] <= 0:
        return 0.0
    return sum(mine / ideal for mine, ideal in zip(got, best, strict=True)) / len(gains)


@given(GAINS, st.data())
def test_letor_is_the_mean_over_all_cut_offs(gains: list[int], data: st.DataObject) -> None:
    scores = data.draw(st.permutations(range(len(gains))))
    assert ndcg(scores, gains, gain="letor") == pytest.approx(plain_letor(scores, gains), abs=1e-12)


def test_letor_up_to_k_leaves_out_later_cut_offs() -> None:
    # Rank 2 is not discounted: gains of 1 and 3 have NDCG@1 = 1/7 and NDCG@2 = (1 + 7) / (7 + 1).
    assert ndcg([2, 1], [1, 3], 1, gain="letor") == pytest.approx(1 / 7)
    assert ndcg([2, 1], [1, 3], gain="letor") == pytest.approx((1 / 7 + 1) / 2)


def test_exponential_gain_is_exact_for_c_scores_and_beyond() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        gains = rng.integers(0, 41, 9)
        worth = [2 ** int(gain) - 1 for gain in gains]
        best = sum(w / math.log2(r + 2) for r, w in enumerate(sorted(worth, reverse=True)))
        got = sum(w / math.log2(r + 2) for r, w in enumerate(worth))
        assert ndcg(falling(9), gains, gain="exp") == pytest.approx(got / best, rel=1e-12)
    # 2^5000 does not fit a float; only the ratio of the two gains matters.
    huge = ndcg([2, 1], [4999, 5000], gain="exp")
    second = 1 / math.log2(3)
    assert huge == pytest.approx((0.5 + second) / (1 + 0.5 * second), rel=1e-12)
    # 2^g - 1 is about g · ln 2 for small g, so the ratio is that of linear gain.
    assert ndcg([2, 1], [1e-12, 2e-12], gain="exp") == pytest.approx(
        ndcg([2, 1], [1e-12, 2e-12]), rel=1e-9
    )


def test_scores_that_agree_to_a_billionth_are_tied_and_keep_their_order() -> None:
    assert ndcg([0.3, 0.1 + 0.2], [3, 0], 1) == 1.0
    assert ndcg([0.3, 0.3 + 1e-8], [3, 0], 1) == 0.0
    assert ndcg([0.3, 0.1 + 0.2], [3, 1], 1, ties="average") == pytest.approx(2 / 3)
    assert ndcg([1e300, 2e300, -1e300], [1, 3, 0]) == 1.0


def test_an_article_without_gain_scores_zero() -> None:
    assert ndcg([2, 1], [0, 0]) == 0.0
    assert ndcg([2, 1], [-1, 0], gain="exp") == 0.0
    assert ndcg([2, 1], [0, 0], gain="letor") == 0.0


@given(GAINS, st.data())
def test_the_true_order_scores_one_and_nothing_leaves_the_unit_interval(
    gains: list[int], data: st.DataObject
) -> None:
    scores = data.draw(st.lists(st.floats(-9, 9), min_size=len(gains), max_size=len(gains)))
    gains_by: tuple[Literal["linear", "exp", "letor"], ...] = ("linear", "exp", "letor")
    gain = data.draw(st.sampled_from(gains_by))
    k = data.draw(st.none() | st.integers(1, 14))
    assert 0.0 <= ndcg(scores, gains, k, gain=gain) <= 1.0
    if any(gains):
        assert ndcg(gains, gains, k, gain=gain) == 1.0


def test_rounding_errors_do_not_lift_a_figure_above_one() -> None:
    # The mean of three times .1 is a little more than .1.
    assert ndcg([1, 1, 1], [0.1, 0.1, 0.1], ties="average") == 1.0


def plain_precision(scores: list[int], gains: list[int], k: int) -> float:
    """Over all orders in which equal gains can stand: how much of the predicted top k is in the true one, on average."""
    places = range(len(gains))
    predicted = set(sorted(places, key=lambda place: -scores[place])[:k])
    shares = []
    for order in permutations(places):
        if all(gains[a] >= gains[b] for a, b in pairwise(order)):
            shares.append(len(predicted & set(order[:k])) / k)
    return sum(shares) / len(shares)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6), st.data())
def test_precision_is_the_mean_over_all_true_orders(
    comments: list[tuple[int, int]], data: st.DataObject
) -> None:
    scores, gains = map(list, zip(*comments, strict=True))
    k = data.draw(st.integers(1, len(gains)))
    assert precision_at(scores, gains, k) == pytest.approx(
        plain_precision(scores, gains, k), abs=1e-12
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9), st.data())
def test_strict_precision_breaks_ties_by_position(
    comments: list[tuple[int, int]], data: st.DataObject
) -> None:
    scores, gains = map(list, zip(*comments, strict=True))
    k = data.draw(st.integers(1, len(gains)))
    places = range(len(gains))
    predicted = sorted(places, key=lambda place: -scores[place])[:k]
    true = sorted(places, key=lambda place: -gains[place])[:k]
    assert strict_precision_at(scores, gains, k) == len(set(predicted) & set(true)) / k
    if len(set(gains)) == len(gains):
        assert precision_at(scores, gains, k) == strict_precision_at(scores, gains, k)


def test_fewer_comments_than_k_are_all_in_the_top_k() -> None:
    assert precision_at([1, 2], [2, 1], 10) == 1.0
    assert strict_precision_at([1, 2], [2, 1], 10) == 1.0


def test_equal_gains_share_the_places_left() -> None:
    # The k-th best gain is 2, which three comments share for one place: each counts 1/3.
    assert precision_at([4, 3, 2, 1], [2, 2, 2, 3], 2) == pytest.approx(1 / 3)
    assert precision_at([4, 3, 2, 9], [2, 2, 2, 3], 2) == pytest.approx((1 + 1 / 3) / 2)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=12))
def test_correlations_equal_scipy_where_scipy_defines_them(pairs: list[tuple[int, int]]) -> None:
    a, b = zip(*pairs, strict=True)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert kendall(a, b) == kendall(a, b, variant="c") == spearman(a, b) == pearson(a, b) == 0.0
        return
    assert kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
    tau_c = stats.kendalltau(a, b, variant="c").statistic
    assert kendall(a, b, variant="c") == pytest.approx(tau_c, abs=1e-12)
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-12)


def test_a_side_that_is_constant_but_for_rounding_has_no_pearson_correlation() -> None:
    assert pearson([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]) == 0.0
    assert pearson([1e-20, 2e-20, 3e-20], [1, 2, 3]) == pytest.approx(1.0)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match="2 scores but 1 gains"):
        ndcg([1, 2], [1])
    with pytest.raises(ArgumentError, match="score 1 is nan, not a finite number"):
        ndcg([1, math.nan], [1, 2])
    with pytest.raises(ArgumentError, match="gain 0 is inf"):
        precision_at([1, 2], [math.inf, 2], 1)
    with pytest.raises(ArgumentError, match=r"scores have shape \(1, 2\)"):
        ndcg([[1, 2]], [1, 2])
    with pytest.raises(ArgumentError, match="nothing to rank"):
        ndcg([], [])
    for k in (0, -1, 2.5, math.nan):
        with pytest.raises(ArgumentError, match=f"k is {k}"):
            strict_precision_at([1], [1], k)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="gain is 'log'"):
        ndcg([1], [1], gain="log")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="ties is 'random'"):
        ndcg([1], [1], ties="random")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="variant is 'a'"):
        kendall([1, 2], [1, 2], variant="a")  # type: ignore[arg-type]
    for correlation in (kendall, spearman, pearson):
        with pytest.raises(ArgumentError, match="at least two pairs"):
            correlation([1], [1])
    with pytest.raises(ArgumentError, match="1 articles have scores but 2 have gains"):
        per_article(ndcg, [[1]], [[1], [2]])
    with pytest.raises(ArgumentError, match="no articles"):
        per_article(ndcg, [], [])


def read_judgments(path: Path) -> dict[str, dict[str, int]]:
    gains_of: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        topic, _, document, gain = line.split()
        gains_of[topic][document] = int(gain)
    return gains_of


def read_run(path: Path) -> dict[str, dict[str, float]]:
    scores_of: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        topic, _, document, _, score, _ = line.split()
        scores_of[topic][document] = float(score)
    return scores_of


def expected_ndcg(path: Path) -> dict[tuple[str, int], float]:
    rows = (line.split() for line in path.read_text("utf-8").splitlines())
    return {
        (topic, int(measure.removeprefix("ndcg_cut_"))): float(value)
        for measure, topic, value in rows
        if measure.startswith("ndcg_cut_")
    }


@pytest.mark.real
@pytest.mark.parametrize(
    ("judged", "printed"), [("qrels.test", "out.test.aq"), ("qrels.rel_level", "out.test.aql")]
)
def test_real_runs_score_as_trec_eval_prints(shared_data: Path, judged: str, printed: str) -> None:
    folder = shared_data / "trec_eval"
    judgments, run = read_judgments(folder / judged), read_run(folder / "results.test")
    expected = expected_ndcg(folder / printed)
    assert len(expected) == 36
    scores, gains = [], []
    for topic in sorted(run):
        # Equal scores by document id descending. Judged documents that were not found stand after 1,000 empty places:
        # they are part of the best order and earn nothing.
        ranked = sorted(run[topic], key=lambda name: (run[topic][name], name), reverse=True)
        missed = sorted(set(judgments[topic]) - set(ranked))
        row = [judgments[topic].get(name, 0) for name in ranked] + [0] * 1000
        gains.append(row + [judgments[topic][name] for name in missed])
        scores.append(falling(len(gains[-1])))
    for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
        values = per_article(partial(ndcg, k=k), scores, gains)
        for topic, value in zip(sorted(run), values, strict=True):
            assert value == pytest.approx(expected[topic, k], abs=5.1e-5), (topic, k)
        assert values.mean() == pytest.approx(expected["all", k], abs=5.1e-5)


@pytest.mark.real
def test_real_runs_with_tied_scores_equal_scikit_learn(shared_data: Path) -> None:
    run = read_run(shared_data / "trec_eval" / "results.test")
    judgments = read_judgments(shared_data / "trec_eval" / "qrels.test")
    for topic, scored in run.items():
        scores = list(scored.values())
        gains = [judgments[topic].get(name, 0) for name in scored]
        for k in (1, 5, 10, 100):
            peer = ndcg_score([gains], [scores], k=k)
            assert ndcg(scores, gains, k, ties="average") == pytest.approx(peer, abs=1e-9)
