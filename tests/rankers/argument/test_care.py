"""How carefully a comment is written: each number on texts where it can be counted by hand, and on any text at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.packaged import sections
from newsdesk.rankers.argument.care import CARE, care_rates
from newsdesk.rankers.argument.lexicon import lexicon
from newsdesk.rankers.argument.vectors import SentenceVectors
from newsdesk.rankers.argument.wording import MARKS

NONE = SentenceVectors.of("none", "en")
PIECES = CARE[CARE.index("pieces") :]


def rates(text: str, vectors: SentenceVectors = NONE, lang: str = "en") -> dict[str, float]:
    (row,) = care_rates([text], vectors, lang).tolist()
    return dict(zip(CARE, row, strict=True))


@pytest.fixture(scope="module")
def wordllama() -> SentenceVectors:
    pytest.importorskip("wordllama")
    return SentenceVectors.of("wordllama", "en")


@pytest.mark.parametrize(
    ("name", "text", "rate"),
    [
        ("small i", "I said i was here", 1 / 5),
        ("small starts", "No. we did. Then he left! so it is", 2 / 3),
        ("stretched words", "sooo what... nooooo", 2 / 3),
        ("careless spelling", "u don’t and he dont, DONT", 3 / 6),
        ("missing space", "Yes ,no.Then", 2 / 3),
    ],
)
def test_haste_is_counted_per_word_or_sentence(name: str, text: str, rate: float) -> None:
    assert rates(text)[name] == pytest.approx(rate)


def test_careful_prose_has_none_of_it() -> None:
    text = "I don't think so. Roads cost money, and we pay. Who else? Nobody."
    assert set(rates(text).values()) == {0.0}


def test_words_that_the_vocabulary_does_not_know_fall_to_pieces(wordllama: SentenceVectors) -> None:
    plain = rates("the people want a school", wordllama)
    wrong = rates("the peeplz wannt a skooool", wordllama)
    assert (plain["pieces"], plain["cut words"], plain["shattered words"]) == (1.0, 0.0, 0.0)
    assert wrong["pieces"] > 1.5
    assert wrong["cut words"] == pytest.approx(3 / 5)
    assert wrong["shattered words"] > 0
    assert rates("The PEOPLE want a School", wordllama) == pytest.approx(plain)


def test_rare_pieces_rank_behind_common_ones(wordllama: SentenceVectors) -> None:
    common, rare = rates("the of and", wordllama), rates("bishop canvas tribunal", wordllama)
    assert common["rare pieces"] < rare["rare pieces"]


def test_without_wordllama_there_are_no_pieces() -> None:
    values = rates("the peeplz wannt a skooool")
    assert [values[name] for name in PIECES] == [0.0] * len(PIECES)


def test_the_list_is_english_and_holds_each_word_once() -> None:
    words = sections("rankers", "care-en.txt")["careless"]
    assert len(words) == len(set(words))
    assert rates("dont", lang="en")["careless spelling"] == 1
    assert rates("dont", lang="fr")["careless spelling"] == 0
    assert not set(CARE) & {*MARKS, *lexicon("en").kinds}


@given(st.lists(st.text(max_size=80), max_size=4))
def test_each_text_has_finite_rates_of_its_own(texts: list[str]) -> None:
    values = care_rates(texts, NONE, "en")
    assert values.shape == (len(texts), len(CARE))
    assert np.isfinite(values).all() and (values >= 0).all()
    for text, row in zip(texts, values.tolist(), strict=True):
        assert list(rates(text).values()) == row


def test_rates_do_not_grow_when_a_text_is_said_twice(wordllama: SentenceVectors) -> None:
    text = "i dont knooow why. because peeplz say so ,ok. "
    assert rates(text * 10, wordllama) == pytest.approx(rates(text, wordllama), rel=0.35)


@pytest.mark.parametrize("text", ["", "😀😀", "1234 !!", "a" * 100_000, "哈哈哈，好！", "ñandú"])
def test_odd_texts_are_read(text: str, wordllama: SentenceVectors) -> None:
    assert np.isfinite(list(rates(text, wordllama).values())).all()
