"""Pieces: words that know the space before them, and text again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from newsdesk.text import tokenizer
from newsdesk.text.tokenize import joined, pieces

WORDS = st.lists(
    st.text("abZ09'’.,-“”%é🌊 \n\t", max_size=8).filter(str.strip),
    max_size=8,
).map(" ".join)


@given(WORDS)
def test_the_text_comes_back_but_for_the_kind_of_white_space(text: str) -> None:
    assert joined(pieces(text, "en")) == " ".join(text.split())


@given(WORDS)
def test_without_their_spaces_pieces_are_the_tokenizer_s_words(text: str) -> None:
    assert [each.strip() for each in pieces(text, "en")] == tokenizer("en").words(text)


@pytest.mark.parametrize(
    ("lang", "text"),
    [("zh", "市长昨天说 iPhone 13 卖完了。"), ("ja", "市長は昨日、街を訪れた。"), ("en", "")],
)
def test_other_scripts_and_nothing_come_back_too(lang: str, text: str) -> None:
    assert joined(pieces(text, lang)) == text


def test_only_a_language_with_spaces_begins_with_one() -> None:
    assert pieces("The end.", "en") == [" The", " end", "."]
    assert pieces("市长说", "zh")[0] == "市长"
