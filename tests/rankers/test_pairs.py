"""RankSVM's loss over all pairs, never formed: equal to plain code over explicit pairs, in value, slope and minimum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, sparse
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC, LinearSVR

from newsdesk.metrics.ranking import ndcg
from newsdesk.rankers.linear import TubeLoss
from newsdesk.rankers.solver import PairLoss, minimize
from tests.growth import growth
from tests.rankers import plain

NUMBERS = st.floats(-3, 3).map(lambda value: round(value, 3))


def world(
    articles: int, per: int, columns: int, seed: int
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Sparse counts, gains from 0 to 10 that a hidden weighting and noise make, and article numbers."""
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(rng.poisson(0.1, (articles * per, columns)).astype(float))
    hidden = matrix @ rng.normal(0, 1, columns)
    noisy = hidden / hidden.std() + rng.normal(0, 1, len(hidden))
    gains = np.clip(np.round(5 + 2.5 * noisy), 0, 10)
    return matrix, gains, np.repeat(np.arange(articles), per)


def objective(
    matrix: sparse.csr_array, loss: PairLoss | TubeLoss, weights: np.ndarray, cost: float
) -> float:
    return weights @ weights / 2 + cost * loss.at(matrix @ weights).value


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_loss_equals_a_sum_over_explicit_pairs(rows: list[tuple[float, int, int]]) -> None:
    rows = sorted(rows, key=lambda row: row[2])
    scores, gains, articles = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    loss = PairLoss(gains, articles.astype(int))
    assert loss.at(scores).value == pytest.approx(
        plain.pair_loss(scores, gains, articles), abs=1e-9
    )
    assert loss.pairs == len(plain.explicit_pairs(gains, articles)[0])


@given(
    st.lists(st.tuples(NUMBERS, st.floats(0, 1), st.integers(0, 2)), min_size=2, max_size=20),
    st.integers(0, 100),
)
def test_gradient_and_curvature_are_those_of_explicit_pairs(
    rows: list[tuple[float, float, int]], seed: int
) -> None:
    rows = sorted(rows, key=lambda row: row[2])
    scores, gains, articles = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    gains = gains.round(9)
    state = PairLoss(gains, articles.astype(int)).at(scores)
    better, worse = plain.explicit_pairs(gains, articles)
    short = 1 - (scores[better] - scores[worse])
    # A pair whose margin is 1 but for rounding may count or not: both are right, and its share is as good as nothing.
    active = short > 1e-9
    direction = np.random.default_rng(seed).normal(0, 1, len(scores))
    gradient, curved = np.zeros(len(scores)), np.zeros(len(scores))
    for i, j, gap in zip(better[active], worse[active], short[active], strict=True):
        gradient[i] -= 2 * gap
        gradient[j] += 2 * gap
        curved[i] += 2 * (direction[i] - direction[j])
        curved[j] -= 2 * (direction[i] - direction[j])
    np.testing.assert_allclose(state.gradient, gradient, atol=1e-7)
    if (np.abs(short) > 1e-9).all():
        np.testing.assert_allclose(state.curvature(direction), curved, atol=1e-9)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    loss = PairLoss(rng.integers(0, 11, 60).astype(float), np.repeat([0, 1, 2], 20))
    scores = rng.normal(0, 1, 60)
    slope = optimize.approx_fprime(scores, lambda z: loss.at(z).value, 1e-6)
    np.testing.assert_allclose(loss.at(scores).gradient, slope, atol=1e-2)


def test_equal_gains_and_lone_comments_give_no_pair() -> None:
    loss = PairLoss(np.array([0.1 + 0.2, 0.3, 1.0]), np.array([0, 0, 1]))
    assert loss.pairs == 0
    state = loss.at(np.array([5.0, -5.0, 0.0]))
    assert state.value == 0
    assert not state.gradient.any()
    nothing = PairLoss(np.array([]), np.array([], dtype=int))
    assert nothing.at(np.array([])).value == 0


@pytest.mark.parametrize("cost", [2.0**-13, 2.0**-6, 1.0])
def test_the_minimum_is_that_of_a_plain_optimizer_over_explicit_pairs(cost: float) -> None:
    matrix, gains, articles = world(12, 20, 150, seed=3)
    loss = PairLoss(gains, articles)
    ours = minimize(matrix, loss, cost)
    rows = plain.differences(matrix, gains, articles)

    def plain_objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        short = np.maximum(0, 1 - rows @ weights)
        return weights @ weights / 2 + cost * short @ short, weights - 2 * cost * (rows.T @ short)

    start = np.zeros(matrix.shape[1])
    settings = {"maxiter": 10_000, "maxfun": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    theirs = optimize.minimize(
        plain_objective, start, jac=True, method="L-BFGS-B", options=settings
    ).x
    assert plain_objective(ours)[0] == pytest.approx(plain_objective(theirs)[0], rel=1e-4)
    assert objective(matrix, loss, ours, cost) == pytest.approx(plain_objective(ours)[0], rel=1e-9)
    exact = minimize(matrix, loss, cost, tolerance=1e-12)
    for article in range(12):
        own = articles == article
        assert np.argsort(matrix[own] @ exact).tolist() == np.argsort(matrix[own] @ theirs).tolist()


def test_the_minimum_is_liblinear_s() -> None:
    matrix, gains, articles = world(10, 25, 100, seed=4)
    rows = plain.differences(matrix, gains, articles)
    signs = np.where(np.arange(rows.shape[0]) % 2, 1.0, -1.0)
    peer = LinearSVC(C=0.01, fit_intercept=False, tol=1e-6, max_iter=100_000)
    signed = sparse.csr_array(rows.multiply(signs[:, None]))
    signed.indices, signed.indptr = signed.indices.astype(np.int32), signed.indptr.astype(np.int32)
    theirs = peer.fit(signed, signs).coef_.ravel()
    loss = PairLoss(gains, articles)
    ours = minimize(matrix, loss, 0.01)
    value = objective(matrix, loss, ours, 0.01)
    assert value == pytest.approx(objective(matrix, loss, theirs, 0.01), rel=1e-4)


@pytest.mark.parametrize("cost", [2.0**-10, 1.0])
def test_support_vector_regression_is_scikit_learn_s(cost: float) -> None:
    matrix, gains, _ = world(10, 20, 100, seed=5)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    peer = LinearSVR(
        C=cost, epsilon=0.1, loss="squared_epsilon_insensitive", dual=False, fit_intercept=False, tol=1e-8
    )  # fmt: skip
    theirs = peer.fit(matrix, gains).coef_
    loss = TubeLoss(gains, 0.1)
    ours = minimize(matrix, loss, cost)
    value = objective(matrix, loss, ours, cost)
    assert value == pytest.approx(objective(matrix, loss, theirs, cost), rel=1e-4)


def test_a_warm_start_ends_where_a_cold_one_does() -> None:
    matrix, gains, articles = world(8, 20, 80, seed=6)
    loss = PairLoss(gains, articles)
    warm = minimize(matrix, loss, 0.1, start=minimize(matrix, loss, 0.01), tolerance=1e-9)
    cold = minimize(matrix, loss, 0.1, tolerance=1e-9)
    np.testing.assert_allclose(warm, cold, atol=1e-4)


def test_one_column_much_larger_than_the_others_does_not_stop_the_descent_early() -> None:
    matrix, gains, articles = world(10, 20, 50, seed=7)
    counts = sparse.csr_array(np.asarray(matrix.sum(axis=1)).reshape(-1, 1) * 30.0)
    wide = sparse.csr_array(sparse.hstack([matrix, counts]))
    loss = PairLoss(gains, articles)
    quick = objective(wide, loss, minimize(wide, loss, 0.5), 0.5)
    best = objective(wide, loss, minimize(wide, loss, 0.5, tolerance=1e-12), 0.5)
    assert quick == pytest.approx(best, rel=1e-4)


def test_the_cost_of_a_gradient_does_not_grow_as_the_square() -> None:
    rng = np.random.default_rng(0)
    losses = {
        size: (PairLoss(rng.random(size), np.zeros(size, dtype=int)), rng.normal(0, 1, size))
        for size in (5_000, 50_000)
    }

    def gradient(size: int) -> object:
        loss, scores = losses[size]
        return loss.at(scores)

    # Ten times the comments: 12 × by n log n, 100 × by pairs. The bench measures it finely.
    assert growth(gradient, 5_000, 50_000) < 40


@pytest.mark.real
def test_real_queries_with_one_row_or_equal_labels(shared_data: Path) -> None:
    folder = shared_data / "ltr_lightgbm"

    def read(name: str) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
        matrix, labels = load_svmlight_file(str(folder / name), n_features=301)
        sizes = [int(line) for line in (folder / f"{name}.query").read_text().split()]
        return sparse.csr_array(matrix), labels, np.repeat(np.arange(len(sizes)), sizes)

    matrix, labels, queries = read("rank.train")
    loss = PairLoss(labels, queries)
    weights = minimize(matrix, loss, 0.01)
    rows = plain.differences(matrix, labels, queries)
    short = np.maximum(0, 1 - rows @ weights)
    assert objective(matrix, loss, weights, 0.01) == pytest.approx(
        weights @ weights / 2 + 0.01 * short @ short, rel=1e-9
    )
    test, gains, asked = read("rank.test")
    values = [
        [ndcg(scores[asked == query], gains[asked == query], 10) for query in range(50)]
        for scores in (test @ weights, np.zeros(len(gains)))
    ]
    learned, unsorted = (float(np.mean(each)) for each in values)
    assert learned > unsorted + 0.1
