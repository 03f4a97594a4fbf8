"""What is counted in sentences: each rate on texts where it can be counted by hand, and on any text at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.arrays import Floats
from newsdesk.languages import LISTED
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import (
    NEIGHBOURS,
    WordSigns,
    columns,
    count,
    lexicon,
    names_of,
    rates,
    units_of,
)
from newsdesk.rankers.argument.vectors import SentenceVectors

NONE = SentenceVectors.of("none", "en")
# Words known in small letters.
SMALL = frozenset({"the", "nothing", "stop", "who"})
NAMES = [each.name for each in columns() if each.name not in NEIGHBOURS]


def counted(sentences: list[str], vectors: SentenceVectors = NONE, lang: str = "en") -> Floats:
    units = [units_of(sentence, lang) for sentence in sentences]
    hits = [lexicon(lang).hits(each) for each in units]
    return count(sentences, units, hits, WordSigns(vectors, lang), SMALL)


def rates_of(
    *sentences: str, vectors: SentenceVectors = NONE, lang: str = "en"
) -> dict[str, float]:
    """The rates of a comment of these sentences."""
    sums = counted(list(sentences), vectors, lang).sum(axis=0, keepdims=True)
    return dict(zip(NAMES, rates(sums, lang)[0].tolist(), strict=True))


@pytest.fixture(scope="module")
def wordllama() -> SentenceVectors:
    pytest.importorskip("wordllama")
    return SentenceVectors.of("wordllama", "en")


@pytest.mark.parametrize(
    ("name", "sentences", "rate"),
    [
        ("small i", ["I said i was here"], 1 / 5),
        ("small starts", ["No.", "we did.", "Then he left!", "so it is"], 2 / 4),
        ("stretched words", ["sooo what... nooooo"], 2 / 3),
        ("careless spelling", ["u don’t and he dont, DONT"], 3 / 6),
        ("missing space", ["Yes ,no.Then"], 2 / 3),
        ("short sentences", ["No.", "Trains cost a lot of money."], 1 / 2),
        ("full stop", ["No.", "and then"], 1 / 2),
        ("reason", ["We pay because roads cost money."], 1 / 6),
        ("percent", ["It rose 5 %"], 1 / 4),
        ("doubled marks", ["Why?!", "No!!!"], 2 / 2),
        ("year", ["Since 2019 and 1971 but not 3019"], 2 / 7),
        # What only looks like the sign.
        ("percent", ["What the %#@* is this"], 0),
        ("money", ["We pay $$$ for it"], 0),
        ("money", ["It cost $90 or 80 € each"], 2 / 7),
        ("digits", ["In C7 it is 41"], 2 / 15),
        ("capitals", ["The ABC and the RCMP, says the NDP."], 0),
        ("capitals", ["They do NOTHING"], 1 / 3),
        ("capitals", ["STOP THE RCMP"], 3 / 3),
        ("capitals", ["FIAT IS DYING now"], 2 / 4),
        ("capitals", ["More TAXES again"], 0),
        ("capitals", ["More PENSIONS again"], 1 / 3),
        ("missing space", ["The U.S. said so, e.g. at www.news.example or news.com :)"], 0),
        ("missing space", ["Foreigners own the US.They do"], 1 / 6),
        ("comma", ["20,000 came, 300 left"], 1 / 5),
        ("colon", ["At 7:30 see http://a.example :) then: this"], 1 / 6),
        ("punctuation", ["It's a cop-out of 2,500"], 0),
        ("punctuation", ["Well ……"], 3 / 8),
        ("missing space", ["It rose by .5 as x != 0"], 0),
        ("missing space", ["See news.com, then go"], 0),
        ("careless spelling", ["At the U.N. they took R2D2, the 2nd"], 0),
        ("stretched words", ["See http://www.cbc.ca/news"], 0),
        ("year", ["See http://a.com/2013/may/31"], 0),
        ("question mark", ["See http://a.com/?id=5 now"], 0),
        ("digits", ["See http://a.com/?id=5 now"], 0),
        ("small starts", ["news.example has it", "iPhone users pay"], 0),
        ("small i", ["It is free, i.e. nothing"], 0),
        ("exclamation", ["Test x != 0 first"], 0),
        ("full stop", ["They do not match!,"], 1),
        ("full stop", ['He said "no."', "(It did!)", "'Really?'", "so"], 3 / 4),
    ],
)
def test_a_rate_is_per_word_or_sentence(name: str, sentences: list[str], rate: float) -> None:
    assert rates_of(*sentences)[name] == pytest.approx(rate)


def test_an_ellipsis_of_chinese_is_one_mark() -> None:
    assert rates_of("很好…祝福", lang="zh")["punctuation"] == pytest.approx(1 / 6)
    assert rates_of("结婚……", lang="zh")["punctuation"] == pytest.approx(1 / 5)


def test_careful_prose_has_no_sign_of_haste() -> None:
    haste = [name for name in NAMES if name in ("small i", "small starts", "stretched words")]
    values = rates_of("I don't think so.", "Roads cost money, and we pay.", "Who else?")
    assert {values[name] for name in (*haste, "careless spelling", "missing space")} == {0.0}


@given(st.lists(st.text(max_size=80), max_size=4))
def test_counts_of_any_text_are_finite_and_add_up(texts: list[str]) -> None:
    rows = counted(texts)
    assert rows.shape == (len(texts), len(names_of("en")))
    assert np.isfinite(rows).all() and (rows >= 0).all()
    for text, row in zip(texts, rows, strict=True):
        np.testing.assert_array_equal(counted([text])[0], row)
    assert np.isfinite(rates(rows, "en")).all()


@pytest.mark.parametrize("lang", LISTED)
def test_rates_do_not_grow_with_the_number_of_sentences(lang: str) -> None:
    text = {
        "en": "Why pay 5 %? Because Paris did.",
        "zh": "因为贵，大家都不去。",
        "ja": "高いので、行きません。",
    }
    once, often = (rates_of(*[text[lang]] * times, lang=lang) for times in (1, 7))
    assert once == pytest.approx(often)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("别的不管，先告诉我。哈哈哈，jipai8888：好", "zh"),
        ("宮崎県：延岡市、ｔｓｔ、えええええ、OK、PENSIONSです。", "ja"),
    ],
)
def test_spelling_and_capitals_are_counted_only_where_words_have_spaces(
    text: str, lang: str
) -> None:
    names = ["capitals", "word size", "long words", "small starts", "missing space", "small i", "stretched words"]  # fmt: skip
    values = rates_of(text, lang=lang)
    assert {name: values[name] for name in names} == dict.fromkeys(names, 0.0)
    assert values["comma"] > 0


def test_full_width_marks_count_as_half_width_ones() -> None:
    wide, narrow = (rates_of(text, lang="ja") for text in ("本当？！", "本当?!"))
    assert wide["question mark"] == narrow["question mark"] > 0
    assert wide["doubled marks"] == narrow["doubled marks"] > 0


def test_words_that_the_vocabulary_does_not_know_are_cut(wordllama: SentenceVectors) -> None:
    plain = rates_of("the people want a school", vectors=wordllama)
    wrong = rates_of("the peeplz wannt a skooool", vectors=wordllama)
    assert (plain["cut words"], plain["shattered words"]) == (0.0, 0.0)
    assert wrong["cut words"] == pytest.approx(3 / 5)
    assert wrong["shattered words"] > 0


def test_without_wordllama_no_word_is_cut() -> None:
    values = rates_of("the peeplz wannt a skooool")
    assert values["cut words"] == values["shattered words"] == 0.0


def test_careless_spelling_is_listed_for_english_alone_and_each_word_once() -> None:
    words = sections("rankers", "care-en.txt")["careless"]
    assert len(words) == len(set(words))
    assert rates_of("dont")["careless spelling"] == 1
    assert rates_of("dont", lang="fr")["careless spelling"] == 0


@pytest.mark.parametrize("text", ["", "😀😀", "1234 !!", "a" * 100_000, "哈哈哈，好！", "ñandú"])
def test_odd_texts_are_counted(text: str, wordllama: SentenceVectors) -> None:
    assert np.isfinite(list(rates_of(text, vectors=wordllama).values())).all()


def test_without_spaces_a_short_sentence_has_few_characters() -> None:
    sentences = ("同意。", "先修北岸再修南岸，公园就不用整个关八个月。")
    assert rates_of(*sentences, lang="zh")["short sentences"] == 1 / 2
