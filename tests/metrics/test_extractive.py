"""Coverage, density and compression against plain versions of Newsroom's search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import ArgumentError
from newsdesk.metrics.extractive import Extractiveness, Fragment, extractiveness, fragments
from tests.growth import growth

LETTERS = st.lists(st.sampled_from("abc"), max_size=10)
CLUSTERS = st.lists(st.lists(st.sampled_from("abc"), max_size=14), max_size=4)


def agreement(a: list[str], i: int, b: list[str], j: int) -> int:
    length = 0
    while i + length < len(a) and j + length < len(b) and a[i + length] == b[j + length]:
        length += 1
    return length


def plain_fragments(summary: list[str], articles: list[list[str]], *, jump: bool) -> list[Fragment]:
    """Token by token, as Newsroom's `Fragments`; without the jump every place of an article is tried."""
    lengths = []
    start = 0
    while start < len(summary):
        best = None
        for number, article in enumerate(articles):
            place = 0
            while place < len(article):
                length = agreement(summary, start, article, place)
                if length > (best.length if best else 0):
                    best = Fragment(start, length, number, place)
                place += length if jump and length else 1
        if best:
            lengths.append(best)
        start += best.length if best else 1
    return lengths


@given(LETTERS, CLUSTERS)
def test_greedy_equals_newsroom(summary: list[str], articles: list[list[str]]) -> None:
    assert list(fragments(summary, articles)) == plain_fragments(summary, articles, jump=True)


@given(LETTERS, CLUSTERS)
def test_exact_tries_every_place(summary: list[str], articles: list[list[str]]) -> None:
    pieces = fragments(summary, articles, matching="exact")
    assert list(pieces) == plain_fragments(summary, articles, jump=False)


@given(LETTERS, CLUSTERS)
def test_every_fragment_stands_in_its_article(
    summary: list[str], articles: list[list[str]]
) -> None:
    for one in fragments(summary, articles):
        copied = summary[one.start : one.start + one.length]
        assert copied == articles[one.article][one.position : one.position + one.length]


@given(LETTERS, CLUSTERS)
def test_both_ways_cover_the_same_tokens(summary: list[str], articles: list[list[str]]) -> None:
    greedy = extractiveness(summary, articles)
    exact = extractiveness(summary, articles, matching="exact")
    assert greedy.coverage == exact.coverage
    assert 0 <= greedy.coverage <= 1
    assert greedy.coverage <= greedy.density <= len(summary)


def test_the_worked_example() -> None:
    # DEFINITIONS C.8: fragments of 3, 2, 4 and 1.
    summary = "the emperor abdicates the throne in favor of his son"
    article = "on tuesday the emperor abdicates in favor of his elder son who takes the throne"
    pieces = fragments(summary.split(), [article.split()])
    assert [one.length for one in pieces] == [3, 2, 4, 1]
    assert extractiveness(summary.split(), [article.split()]) == Extractiveness(1.0, 3.0, 1.5)


def test_the_greedy_search_jumps_past_a_run_and_the_exact_one_does_not() -> None:
    summary, article = list("aab"), list("aaab")
    assert [one.length for one in fragments(summary, [article])] == [2, 1]
    assert [one.length for one in fragments(summary, [article], matching="exact")] == [3]


def test_ties_keep_the_first_match() -> None:
    (one,) = fragments(list("ab"), [list("xab"), list("abab")])
    assert one == Fragment(start=0, length=2, article=0, position=1)


def test_a_fragment_never_crosses_articles() -> None:
    assert [one.length for one in fragments(list("abcd"), [list("ab"), list("cd")])] == [2, 2]
    assert [one.length for one in fragments(list("abcd"), [list("abcd")])] == [4]


def test_the_longest_match_of_all_articles_wins() -> None:
    result = extractiveness(list("abcd"), [list("ab"), list("xabcd"), list("abc")])
    assert result == Extractiveness(coverage=1.0, density=4.0, compression=2.5)


def test_numbers_do_as_well_as_words() -> None:
    summary, articles = list("abcab"), [list("cabx"), list("bca")]
    numbered = [np.array([ord(letter) for letter in text], dtype=np.int32) for text in articles]
    ids = np.array([ord(letter) for letter in summary])
    assert fragments(ids, numbered) == fragments(summary, articles)
    assert extractiveness(ids, numbered) == extractiveness(summary, articles)


def test_nothing_to_compare_is_zero() -> None:
    nothing = Extractiveness(0.0, 0.0, 0.0)
    assert extractiveness([], [list("ab")]) == nothing
    assert extractiveness(list("ab"), []) == nothing
    assert extractiveness(list("ab"), [[]]) == nothing
    assert extractiveness(list("ab"), [list("xyz")]) == Extractiveness(0.0, 0.0, 1.5)


@pytest.mark.parametrize("matching", ["greedy", "exact"])
def test_cost_is_linear_in_the_articles_of_a_cluster(matching: str) -> None:
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(20_000)])
    drawn = np.minimum(rng.zipf(1.3, (100, 700)) - 1, len(words) - 1)
    articles = [words[row].tolist() for row in drawn]
    summary = [*articles[3][40:60], *articles[70][:20]]
    many = articles * 8

    def measured(count: int) -> Extractiveness:
        return extractiveness(summary, many[:count], matching=matching)  # type: ignore[arg-type]

    assert measured(100).density >= 15
    # Eight times the articles: pairs of positions would take 64 times as long.
    assert growth(measured, 100, 800) < 24


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match="'one text' is one text, not a list of tokens"):
        extractiveness("one text", [["one"]])
    with pytest.raises(ArgumentError, match="'one' is one text"):
        extractiveness(["one"], ["one", "text"])
    with pytest.raises(ArgumentError, match="matching is 'fuzzy'"):
        fragments(["a"], [["a"]], matching="fuzzy")  # type: ignore[arg-type]
