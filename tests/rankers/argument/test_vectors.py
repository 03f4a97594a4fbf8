"""The look-up of the nearest vectors: exact for few, in cells for many, and never the own one."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.arrays import Floats, Ints, unit_rows
from newsdesk.rankers.argument.vectors import MOST_COMPARED, NEAREST, NearestVectors

MANY = MOST_COMPARED + 500


def topics(count: int, seed: int = 0) -> Floats:
    """Vectors around 40 directions, as the comments of a thread are around its topics."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 1, (40, 24))
    return unit_rows(centres[rng.integers(0, 40, count)] + rng.normal(0, 0.6, (count, 24)))


def all_compared(vectors: Floats, queries: Floats, own: Ints) -> tuple[Floats, Floats]:
    """Mean cosine with all others, and the nearest ones, largest first."""
    cosines = queries @ vectors.T
    cosines[np.arange(len(own)), own] = np.nan
    nearest = np.sort(np.nan_to_num(cosines, nan=-np.inf), axis=1)[:, ::-1][:, :NEAREST]
    return np.nanmean(cosines, axis=1), nearest


@pytest.mark.parametrize("count", [2, 50, MOST_COMPARED])
def test_few_vectors_are_all_compared(count: int) -> None:
    vectors = topics(count)
    own = np.arange(0, count, max(count // 50, 1))
    means, best = NearestVectors.of(vectors).compare(vectors[own], own)
    expected_means, expected = all_compared(vectors, vectors[own], own)
    np.testing.assert_allclose(means, expected_means, atol=1e-12)
    looked_up = np.sort(best, axis=1)[:, ::-1][:, : expected.shape[1]]
    np.testing.assert_allclose(looked_up, expected, atol=1e-12)
    assert np.isneginf(best).sum() == len(own) * max(NEAREST - count + 1, 0)


def test_of_many_vectors_nearly_all_nearest_are_found_and_the_mean_of_all_is_exact() -> None:
    vectors = topics(MANY)
    own = np.arange(0, MANY, 5)
    means, best = NearestVectors.of(vectors).compare(vectors[own], own)
    expected_means, expected = all_compared(vectors, vectors[own], own)
    np.testing.assert_allclose(means, expected_means, atol=1e-6)
    looked_up = np.sort(best, axis=1)[:, ::-1]
    assert (np.abs(looked_up[:, 0] - expected[:, 0]) < 1e-6).mean() > 0.99
    assert (looked_up <= expected + 1e-6).all()


def test_the_nearest_of_many_do_not_depend_on_their_order() -> None:
    vectors = topics(MANY)
    order = np.random.default_rng(1).permutation(MANY)
    own = np.arange(100)
    places = np.empty(MANY, dtype=np.int64)
    places[order] = np.arange(MANY)
    _, best = NearestVectors.of(vectors).compare(vectors[own], own)
    _, moved = NearestVectors.of(vectors[order]).compare(vectors[own], places[own])
    np.testing.assert_allclose(np.sort(best), np.sort(moved), atol=1e-6)


def test_a_vector_alone_has_no_other() -> None:
    means, best = NearestVectors.of(topics(1)).compare(topics(1), np.zeros(1, dtype=np.int64))
    assert np.isnan(means).all() and np.isneginf(best).all()


def test_without_dimensions_all_others_are_equally_near() -> None:
    nothing = np.zeros((MANY, 0))
    means, best = NearestVectors.of(nothing).compare(nothing[:2], np.array([0, MANY - 1]))
    assert means.tolist() == [0.0, 0.0] and best.max(axis=1).tolist() == [0.0, 0.0]
