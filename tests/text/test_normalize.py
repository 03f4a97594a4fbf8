"""Language by script, normalization of width, case and numbers, and the vocabulary's cut."""

from __future__ import annotations

import unicodedata
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import ArgumentError
from newsdesk.rankers.features import Bags
from newsdesk.text import Normalizer, Vocabulary, language, tokenizer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emperor Akihito abdicates", "en"),
        ("苹果公司iPhone 8 发布会定在9月举行", "zh"),
        ("我看过《アキラ》这部电影，非常喜欢它的画面和音乐，推荐给大家看看", "zh"),
        ("火曜日の午前、フェリーが出港した。", "ja"),
        ("カタカナ", "ja"),
        ("ｶﾀｶﾅ", "ja"),
        ("대통령이 연설했다", "ko"),
        ("Президент выступил с речью", "ru"),
        ("Ο πρόεδρος μίλησε", "el"),
        ("ألقى الرئيس خطابا", "ar"),
        ("राष्ट्रपति ने भाषण दिया", "hi"),
        ("ประธานาธิบดี", "th"),
        ("הנשיא נאם", "he"),
        ("LOL 123 !!!", "en"),
        ("😀😀", "en"),
        ("", "en"),
        ("Le président a parlé à Besançon", "en"),
    ],
)
def test_the_script_shows_the_language(text: str, expected: str) -> None:
    assert language(text) == expected


def test_width_and_case_are_made_equal() -> None:
    assert Normalizer().text("ABC 12%ｶﾞ") == "ａｂｃ\u3000１２％ガ"
    assert Normalizer(width="nfkc").text("ＡＢＣ　１２％ｶﾞ①") == "abc 12%ガ1"
    assert Normalizer(width=None, lower=False).text("ＡbＣ") == "ＡbＣ"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_normalizing_twice_changes_nothing_more(text: str) -> None:
    full = Normalizer(lower=False)
    assert full.text(full.text(text)) == full.text(text)
    nfkc = Normalizer(width="nfkc", lower=False)
    assert nfkc.text(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["in", "2019", ",", "3.5", "%"], ["in", "<num>", ",", "<num>", "%"]),
        (["１", "２", "３", "人"], ["<num>", "人"]),
        (["1,000", "10:30", "F-16", "v2"], ["<num>", "F-16", "v2"]),
        (["٣", "人"], ["<num>", "人"]),
        ([], []),
    ],
)
def test_every_number_is_one_token(words: list[str], expected: list[str]) -> None:
    assert Normalizer().words(words) == expected


def test_a_japanese_number_is_one_token_however_mecab_cuts_it() -> None:
    normalizer = Normalizer()
    words = tokenizer("ja").words(normalizer.text("12日ぶりに214人が乗った"))
    assert normalizer.words(words).count("<num>") == 2
    assert not any(character.isdigit() for word in normalizer.words(words) for character in word)


@pytest.mark.parametrize("width", ["full", "nfkc"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("税率は3.5%だ", "税率 は <num> % だ"),
        ("１２．５％増えた", "<num> % 増え た"),
        ("約1,234.5円", "約 <num> 円"),
        ("2019/05/01の10:30に", "<num> の <num> に"),
        ("No.1は2020.大会", "no . <num> は <num> . 大会"),
        ("1.5倍、2.5倍", "<num> 倍 、 <num> 倍"),
        ("3. 5倍", "<num> . <num> 倍"),
    ],
)
def test_a_japanese_decimal_is_one_number(
    text: str, expected: str, width: Literal["full", "nfkc"]
) -> None:
    words = Bags(width).words(text, "ja")
    assert " ".join(words).translate(str.maketrans("％．ｎｏ", "%.no")) == expected


def test_words_of_another_text_are_refused() -> None:
    with pytest.raises(ArgumentError, match="the word '4' is not in the text"):
        Normalizer().words(["4", "倍"], "3.5倍")


def test_a_full_stop_between_two_english_numbers_is_no_decimal_point() -> None:
    assert Bags().words("It was 2019. 3.5 % left.", "en").count("<num>") == 2


def test_the_choices_are_in_the_signature() -> None:
    assert Normalizer().signature == "full+lower+num"
    assert Normalizer(width=None, lower=False, numbers=False).signature == "none"
    with pytest.raises(ArgumentError, match="width is 'half'"):
        Normalizer(width="half")  # type: ignore[arg-type]


def test_the_vocabulary_is_cut_by_frequency_and_size() -> None:
    texts = [["a", "b", "a"], ["c", "b", "a", "d"]]
    assert Vocabulary.build(texts).words == ("<unk>", "a", "b", "c", "d")
    assert Vocabulary.build(texts, min_count=2).words == ("<unk>", "a", "b")
    assert Vocabulary.build(texts, max_size=1).words == ("<unk>", "a")
    vocabulary = Vocabulary.build(texts, min_count=2)
    assert vocabulary.ids(["b", "zebra", "a"]).tolist() == [2, 0, 1]
    assert vocabulary.ids([]).dtype == np.int32
    assert ("a" in vocabulary, "zebra" in vocabulary, len(vocabulary)) == (True, False, 3)


def test_a_vocabulary_holds_each_word_once_after_unknown() -> None:
    with pytest.raises(ArgumentError, match="the first word"):
        Vocabulary(("a",))
    with pytest.raises(ArgumentError, match="each word once"):
        Vocabulary(("<unk>", "a", "a"))
