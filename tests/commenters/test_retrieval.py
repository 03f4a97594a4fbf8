"""The inverted index returns exactly what a whole product would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import newsdesk as nd
from newsdesk.arrays import best_first
from newsdesk.commenters.retrieval import InvertedIndex
from newsdesk.text.ragged import Ragged, Tfidf


def collection(seed: int, documents: int, words: int, mean: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, words + 1)
    rows = [
        rng.choice(words, rng.poisson(mean), p=shares / shares.sum()).tolist()
        for _ in range(documents)
    ]
    texts = Ragged.of_rows(rows)
    return Tfidf.fit(texts, words).transform(texts).astype(np.float32)


def brute_force(matrix: sparse.csr_array, row: int, k: int) -> tuple[list[int], list[float]]:
    query = matrix[[row]].astype(np.float64)
    scores = np.asarray((matrix.astype(np.float64) @ query.T).toarray()).ravel()
    best = [place for place in best_first(scores).tolist() if scores[place] > 0][:k]
    return best, scores[best].tolist()


@given(
    st.integers(0, 10_000), st.integers(1, 400), st.integers(2, 300), st.integers(1, 12), st.integers(1, 12)
)  # fmt: skip
def test_the_nearest_are_those_of_brute_force(
    seed: int, documents: int, words: int, mean: int, k: int
) -> None:
    matrix = collection(seed, documents, words, mean)
    index = InvertedIndex.of(sparse.csr_array(matrix))
    for row in range(min(documents, 5)):
        query = matrix[[row]]
        found = index.nearest(query.indices.astype(np.int64), query.data.astype(np.float64), k)
        places, scores = brute_force(matrix, row, k)
        np.testing.assert_allclose(found.scores, scores, atol=1e-9)
        assert found.places.tolist() == places


@pytest.mark.parametrize("mean", [8, 120])
def test_long_posting_lists_are_skipped_without_a_change(mean: int) -> None:
    matrix = sparse.csr_array(collection(1, 20_000, 3_000, mean)) if mean < 50 else sparse.csr_array(collection(1, 3_000, 3_000, mean))  # fmt: skip
    index = InvertedIndex.of(matrix)
    for row in range(40):
        query = matrix[[row]]
        found = index.nearest(query.indices.astype(np.int64), query.data.astype(np.float64), 10)
        places, scores = brute_force(matrix, row, 10)
        assert found.places.tolist() == places
        np.testing.assert_allclose(found.scores, scores, atol=1e-9)


def test_equal_documents_come_in_order() -> None:
    once = collection(5, 300, 50, 6)
    matrix = sparse.csr_array(sparse.vstack([once] * 4, format="csr"))
    index = InvertedIndex.of(matrix)
    for row in range(0, 300, 10):
        query = matrix[[row]]
        found = index.nearest(query.indices.astype(np.int64), query.data.astype(np.float64), 10)
        assert found.places.tolist() == brute_force(matrix, row, 10)[0]


@pytest.mark.parametrize("terms", [[0], [0, 1, 2], [2_999], [0, 2_998, 2_999], list(range(60))])
def test_queries_of_frequent_or_rare_terms_alone_are_exact(terms: list[int]) -> None:
    matrix = sparse.csr_array(collection(2, 4_000, 3_000, 9))
    index = InvertedIndex.of(matrix)
    weights = np.linspace(1.0, 0.2, len(terms))
    product = np.asarray(matrix.astype(np.float64)[:, terms] @ weights)
    expected = [place for place in best_first(product).tolist() if product[place] > 0][:10]
    found = index.nearest(np.array(terms, dtype=np.int64), weights, 10)
    assert found.places.tolist() == expected
    np.testing.assert_allclose(found.scores, product[expected], atol=1e-9)


def test_an_index_can_be_built_from_its_arrays() -> None:
    matrix = sparse.csr_array(collection(3, 50, 40, 6))
    index = InvertedIndex.of(matrix)
    again = InvertedIndex.of_arrays(index.arrays)
    query = matrix[[7]]
    terms, weights = query.indices.astype(np.int64), query.data.astype(np.float64)
    assert again.nearest(terms, weights, 5).places.tolist() == index.nearest(terms, weights, 5).places.tolist()  # fmt: skip
    assert len(index) == 50 and index.nbytes > 0


def test_queries_without_a_known_term_have_no_neighbours() -> None:
    index = InvertedIndex.of(sparse.csr_array(collection(3, 50, 40, 6)))
    assert not len(index.nearest(np.zeros(0, dtype=np.int64), np.zeros(0), 5).places)


def test_vectors_longer_than_one_are_refused() -> None:
    with pytest.raises(nd.ArgumentError, match="rows of length one"):
        InvertedIndex.of(sparse.csr_array(np.array([[1.0, 1.0]])))
