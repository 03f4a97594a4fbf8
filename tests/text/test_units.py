"""Numbers for words: ragged rows, n-grams, TF-IDF and the shared encoding, each against a plain implementation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from newsdesk.errors import ArgumentError, SpecError
from newsdesk.text import Analyzer, encode
from newsdesk.text.ragged import Ragged, Tfidf, WordNumbers, count_matrix, mix, ngrams
from newsdesk.text.stem import stemmer
from newsdesk.types import Reference

ROWS = st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=8)


@given(ROWS, st.data())
def test_rows_come_back_as_they_went_in(rows: list[list[int]], data: st.DataObject) -> None:
    ragged = Ragged.of_rows(rows)
    assert [row.tolist() for row in ragged] == rows
    assert ragged.lengths.tolist() == [len(row) for row in rows]
    assert ragged.rows.tolist() == [place for place, row in enumerate(rows) for _ in row]
    if rows:
        chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
        taken = ragged.take(np.array(chosen, dtype=np.int64))
        assert [row.tolist() for row in taken] == [rows[place] for place in chosen]


@given(ROWS, st.integers(1, 4), st.sampled_from([6, 2**20, 2**30]))
def test_ngram_codes_are_equal_exactly_when_the_ngrams_are(
    rows: list[list[int]], n: int, vocabulary_size: int
) -> None:
    codes, offsets = ngrams(Ragged.of_rows(rows), n, vocabulary_size)
    plain = [tuple(row[i : i + n]) for row in rows for i in range(len(row) - n + 1)]
    assert np.diff(offsets).tolist() == [max(0, len(row) - n + 1) for row in rows]
    assert len(codes) == len(plain)
    assert len(set(codes.tolist())) == len(set(plain))
    assert len(set(zip(codes.tolist(), plain, strict=True))) == len(set(plain))


def test_hashed_codes_of_a_large_vocabulary_do_not_collide() -> None:
    rng = np.random.default_rng(0)
    rows = Ragged.of_rows([rng.integers(0, 2**20, 400_000).tolist()])
    codes, _ = ngrams(rows, 4, 2**20)
    assert len(np.unique(codes)) == len(codes)
    sequence = Ragged.of_rows([list(range(400_000))])
    codes, _ = ngrams(sequence, 4, 2**20)
    assert len(np.unique(codes)) == len(codes)


def test_mixing_is_one_to_one() -> None:
    codes = np.arange(1_000_000, dtype=np.uint64)
    assert len(np.unique(mix(codes))) == len(codes)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8))
def test_tfidf_equals_scikit_learn(texts: list[list[str]]) -> None:
    if not any(texts):
        return
    lexicon = WordNumbers()
    rows = Ragged.number(texts, lexicon)
    ours = Tfidf.fit(rows, len(lexicon)).transform(rows).toarray()
    peer = TfidfVectorizer(analyzer=list)
    theirs = peer.fit_transform(texts).toarray()
    order = [lexicon[word] for word in peer.get_feature_names_out()]
    np.testing.assert_allclose(ours[:, order], theirs, atol=1e-12)


def test_counts_are_counts() -> None:
    matrix = count_matrix(Ragged.of_rows([[1, 1, 2], []]), 4)
    assert matrix.toarray().tolist() == [[0, 2, 1, 0], [0, 0, 0, 0]]


def test_texts_are_numbered_once_and_shared() -> None:
    batch = encode(["The cats sat"], [["the cat sat", Reference("A dog", 0.5)]], lang="en")
    raw = batch.units(Analyzer(lower=False))
    lower = batch.units(Analyzer())
    stems = batch.units(Analyzer(stem="porter"))
    assert raw.words == ("The", "cats", "sat", "the", "cat", "A", "dog")
    assert lower.words == ("the", "cats", "sat", "cat", "a", "dog")
    assert stems.words == ("the", "cat", "sat", "a", "dog")
    assert [row.tolist() for row in stems.references] == [[0, 1, 2], [3, 4]]
    assert [unit.signature for unit in (raw, lower, stems)] == [
        "en.1",
        "en.1+lower",
        "en.1+lower+porter",
    ]
    assert batch.units(Analyzer()) is lower
    assert batch.weights.tolist() == [1.0, 0.5]
    assert batch.item_of_reference.tolist() == [0, 0]


TEXTS = st.lists(st.text("ab C.", max_size=12), max_size=5)


@given(st.lists(st.tuples(st.text("ab C.", max_size=12), TEXTS), max_size=5))
def test_encoding_equals_tokenizing_each_text(items: list[tuple[str, list[str]]]) -> None:
    batch = encode([c for c, _ in items], [refs for _, refs in items], lang="en")
    units = batch.units(Analyzer())
    from newsdesk.text import tokenizer

    def words(text: str) -> list[str]:
        return [word.lower() for word in tokenizer("en").words(text)]

    assert [[units.words[i] for i in row] for row in units.candidates] == [
        words(c) for c, _ in items
    ]
    flat = [reference for _, refs in items for reference in refs]
    assert [[units.words[i] for i in row] for row in units.references] == [words(r) for r in flat]
    assert Counter(batch.item_of_reference.tolist()) == Counter(
        place for place, (_, refs) in enumerate(items) for _ in refs
    )


def test_ready_tokens_are_taken_as_they_stand() -> None:
    batch = encode([["New York", "x"]], [[["New York"]]], lang="en")
    units = batch.units(Analyzer(lower=False))
    assert units.words == ("New York", "x")
    assert units.signature == "tokens-given"


def test_the_script_decides_where_no_language_is_given() -> None:
    assert encode(["x"], [["我爱北京天安门"]]).lang == "zh"
    assert encode(["x"], [[]]).lang == "en"


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ArgumentError, match="1 candidates but 2 lists of references"):
        encode(["x"], [["a"], ["b"]])
    with pytest.raises(ArgumentError, match=r"references\[0\] is one text, not a list"):
        encode(["x"], ["a"])
    with pytest.raises(SpecError, match="no stemmer is called 'lovins'"):
        stemmer("lovins")
