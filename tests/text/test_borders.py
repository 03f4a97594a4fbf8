"""Marks of sentence borders: `</s>` and `<s>` are no words for anything that reads text."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from newsdesk.corpus.align.background import words
from newsdesk.rankers.features import Bags
from newsdesk.registry import TOKENIZERS
from newsdesk.summarizers import prepare
from newsdesk.text import sentences, tokenizer
from newsdesk.text.normalize import lined
from newsdesk.text.tokenize import joined, pieces
from newsdesk.types import Cluster, ClusterArticle
from tests.growth import growth

MARKED = "He was 88 .</s>Best died in Hickory , North Carolina ."
LINES = "He was 88 .\nBest died in Hickory , North Carolina ."


@pytest.mark.parametrize(
    "text",
    [
        "He was 88 . </s> Best died in Hickory , North Carolina .",
        "<s>He was 88 .</s>\n<s>Best died in Hickory , North Carolina .</s>",
        "He was 88 .</S></s> <S>Best died in Hickory , North Carolina .\n",
    ],
)
def test_marks_between_two_sentences_are_one_line_break(text: str) -> None:
    assert lined(text) == LINES


@given(st.text("ab /\n\t</>", max_size=30))
def test_a_text_without_marks_is_unchanged(text: str) -> None:
    assert lined(text) == text


@pytest.mark.parametrize("name", list(TOKENIZERS))
def test_no_tokenizer_makes_words_of_a_mark(name: str) -> None:
    words_of = tokenizer(name).words
    assert words_of(MARKED) == words_of(LINES)


def test_a_mark_ends_a_sentence_where_a_line_break_would_not() -> None:
    assert sentences("the ferry was\nlate again") == ["the ferry was\nlate again"]
    assert sentences("the ferry was</s>late again") == ["the ferry was", "late again"]
    assert sentences("</s>") == []


def test_a_summary_has_no_marks() -> None:
    article = ClusterArticle("1", f"{MARKED}</s>")
    assert prepare(Cluster("c", (article,))).texts == LINES.split("\n")


def test_words_and_spaces_are_those_of_the_text_with_line_breaks() -> None:
    text = "It rained .</s>s said it ."
    assert joined(pieces(text, "en")) == "It rained . s said it ."


def test_features_of_comments_see_no_mark_in_any_width() -> None:
    for width in ("full", "nfkc"):
        bags = Bags(width)
        assert bags.words(MARKED, "en") == bags.words(LINES, "en")


def test_the_words_of_alignment_and_statistics_are_those_of_the_text_with_line_breaks() -> None:
    assert words(MARKED) == words(LINES)


def test_a_megabyte_of_spaces_between_marks_costs_linear_time() -> None:
    def job(size: int) -> str:
        return lined("a" + " " * size + "<" * size + "</s>b")

    assert growth(job, 50_000, 500_000) < 20
