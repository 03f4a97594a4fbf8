"""Copies: the earliest stays, whoever copies it is held back."""

from __future__ import annotations

from newsdesk.rankers.gate.copies import copies
from newsdesk.types import Comment

TEXT = "The second engine was ordered separately in June, so the total of the public register, which the auditor checked on page nine of the report, is right after all."


def rows(*texts: str) -> list[Comment]:
    return [Comment(str(number), text) for number, text in enumerate(texts)]


def test_the_first_of_equal_comments_is_the_original() -> None:
    assert copies(rows("Hello there.", TEXT, TEXT, TEXT.upper()), spaced=True) == {2: 1, 3: 1}


def test_the_earliest_by_time_is_the_original_wherever_it_stands() -> None:
    late = Comment("late", TEXT, at="2031-03-05T18:00:00Z")
    early = Comment("early", TEXT, at="2031-03-05T09:00:00Z")
    assert copies([late, early], spaced=True) == {0: 1}


def test_a_near_copy_with_other_words_here_and_there_is_a_copy() -> None:
    near = TEXT.replace("second", "other").replace("right", "correct")
    assert copies(rows(TEXT, near), spaced=True) == {1: 0}


def test_whoever_adds_to_what_they_quote_is_no_copy() -> None:
    answer = f"{TEXT} But the register of May lists the engine at half that price, and nobody has explained the difference."
    assert copies(rows(TEXT, answer), spaced=True) == {}
    assert copies(rows(answer, TEXT), spaced=True) == {1: 0}


def test_two_readers_may_both_agree_but_one_may_not_post_twice() -> None:
    assert copies(rows("Well said!", "Well said!"), spaced=True) == {}
    twice = [Comment(number, "Well said!", author="ann") for number in "ab"]
    assert copies(twice, spaced=True) == {1: 0}


def test_chinese_is_compared_by_characters() -> None:
    text = "落选的里头有多少是干了十年以上的？抽签不该把老摊和新摊放一个筒里。"
    assert copies(rows(text, text[:-4], "同意楼上"), spaced=False) == {1: 0}


def test_nothing_has_no_copies() -> None:
    assert copies([], spaced=True) == {}
    assert copies(rows("", "", "..."), spaced=True) == {}
