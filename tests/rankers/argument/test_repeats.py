"""Repetition within a comment: what is said again is cut or does not count again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from newsdesk.rankers.argument.repetition import is_new, once


@given(st.text("ab c", min_size=1, max_size=30), st.integers(1, 4), st.integers(0, 30))
def test_a_text_that_starts_over_is_cut_to_its_first_saying(
    text: str, times: int, more: int
) -> None:
    whole = " ".join([text] * times) + " " + text[:more]
    said = once(whole)
    assert whole.startswith(said)
    # What is left says it all: repeated, it gives the whole again.
    packed, left = "".join(whole.split()), "".join(said.split())
    assert not packed or (left * len(packed)).startswith(packed)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("No. No. No. No. No.", "No."),
        ("We pay. They spend.", "We pay. They spend."),
        ("别再说了，大家都知道。 别再说了，大家都知道。别再", "别再说了，大家都知道。"),
        ("İİİİ İİİİ İİİİ İİİİ", "İİİİ İİİİ İİİİ İİİİ"),
    ],
)
def test_repetition_in_plain_cases(text: str, left: str) -> None:
    assert once(text) == left


def test_a_long_repeated_word_is_cut_in_linear_time() -> None:
    assert once("word " * 10_000) == "word"
    assert once("a" * 50_000 + "b") == "a" * 50_000 + "b"


def test_sentences_that_were_there_before_are_not_new() -> None:
    said = ["Trains cost money.", "No.", "No.", "trains cost money!", "Buses do not."]
    assert is_new(said) == [True, True, True, False, True]
