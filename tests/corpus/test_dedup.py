"""Near-duplicates: against exact Jaccard similarities, the cited or the earliest copy stays, days limit, order does not matter."""

from __future__ import annotations

from itertools import combinations

import pytest

from newsdesk.corpus.align.background import words
from newsdesk.corpus.dedup import ComparedText, deduplicate_cluster, near_duplicates
from newsdesk.corpus.minhash import shingles
from newsdesk.errors import ArgumentError, DataError
from newsdesk.simulate import world
from newsdesk.types import Cluster, ClusterArticle

STORY = " ".join(f"word{n}" for n in range(120))
EDITED = STORY.replace("word60 ", "other ")
DAY = "2019-05-0"


def texts(*rows: tuple[str, str, str | None, bool]) -> list[ComparedText]:
    return [ComparedText(*row) for row in rows]


def test_the_earliest_copy_is_kept_and_the_group_says_who_printed_it() -> None:
    rows = [
        ComparedText("late", EDITED, f"{DAY}3", source="b.org"),
        ComparedText("early", STORY, f"{DAY}1", source="a.org"),
        ComparedText("other", "nothing of the kind " * 9, f"{DAY}1"),
    ]
    result = near_duplicates(rows)
    (group,) = result.groups
    assert [(each.id, each.kept, each.source) for each in group.articles] == [
        ("early", True, "a.org"),
        ("late", False, "b.org"),
    ]
    assert group.dropped == ("late",)
    assert group.articles[0].similarity == 1.0 > group.articles[1].similarity > 0.7
    assert (result.tally.read, result.tally.kept, result.tally.dropped) == (
        3,
        2,
        {"near-duplicate": 1},
    )


def test_cited_copies_are_kept_all_of_them() -> None:
    rows = texts(
        ("first", STORY, f"{DAY}1", False),
        ("cited", EDITED, f"{DAY}2", True),
        ("cited too", STORY, f"{DAY}3", True),
    )
    (group,) = near_duplicates(rows).groups
    assert group.dropped == ("first",)


def test_copies_farther_apart_than_the_window_are_no_duplicates() -> None:
    rows = texts(("a", STORY, f"{DAY}1", False), ("b", STORY, f"{DAY}6", False))
    assert near_duplicates(rows, days=4).groups == ()
    assert len(near_duplicates(rows, days=5).groups) == 1


def test_undated_articles_are_compared_among_themselves() -> None:
    rows = texts(
        ("a", STORY, None, False), ("b", STORY, f"{DAY}1", False), ("c", STORY, None, False)
    )
    (group,) = near_duplicates(rows).groups
    assert [each.id for each in group.articles] == ["a", "c"]


def test_what_has_no_words_is_no_duplicate_of_anything() -> None:
    result = near_duplicates(texts(("a", "", f"{DAY}1", False), ("b", "…", f"{DAY}1", False)))
    assert result.groups == ()
    assert result.tally.notes == {"articles without words": 2}
    assert near_duplicates([]).tally.read == 0


def test_the_order_of_the_input_does_not_change_the_groups() -> None:
    clusters = list(world(seed=3, events=12, comments=0).clusters())
    rows = [
        ComparedText(a.id, a.text, a.date, a.origin == "cited")
        for c in clusters
        for a in c.articles
    ]

    def members(rows: list[ComparedText]) -> set[frozenset[str]]:
        groups = near_duplicates(rows).groups
        return {frozenset(each.id for each in group.articles) for group in groups}

    assert members(rows) == members(rows[::-1]) != set()


def test_groups_equal_those_of_exact_similarities_but_at_the_threshold() -> None:
    clusters = list(world(seed=4, events=10, comments=0).clusters())
    rows = [ComparedText(a.id, a.text, "2019-05-01") for c in clusters for a in c.articles]
    sets = {each.id: set(shingles(words(each.text))) for each in rows}
    together = {
        frozenset(pair)
        for group in near_duplicates(rows, threshold=0.7).groups
        for pair in combinations([each.id for each in group.articles], 2)
    }
    for first, second in combinations(sets, 2):
        jaccard = len(sets[first] & sets[second]) / len(sets[first] | sets[second])
        pair = frozenset((first, second))
        if jaccard > 0.82:
            assert pair in together
        elif jaccard < 0.4:
            assert pair not in together
    assert together


def test_a_cluster_loses_its_copies_and_keeps_its_order() -> None:
    articles = (
        ClusterArticle("a", STORY, date=f"{DAY}2", origin="found"),
        ClusterArticle("b", "another text " * 20, date=f"{DAY}1", origin="found"),
        ClusterArticle("c", EDITED, date=f"{DAY}1", origin="cited"),
    )
    smaller, result = deduplicate_cluster(Cluster("e", articles))
    assert [each.id for each in smaller.articles] == ["b", "c"]
    assert result.tally.kept == 2


def test_bad_settings_and_repeated_ids_are_refused() -> None:
    with pytest.raises(ArgumentError, match="days"):
        near_duplicates([], days=-1)
    with pytest.raises(ArgumentError, match="threshold"):
        near_duplicates([], threshold=0)
    with pytest.raises(DataError, match="duplicate article id 'a'"):
        near_duplicates(texts(("a", "x", None, False), ("a", "y", None, False)))
