"""Comments as references: how their scores become weights."""

from __future__ import annotations

import pytest

from newsdesk.commenters.compare import compare
from newsdesk.commenters.split import Split
from newsdesk.commenters.texts import references_of
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import Weighting
from newsdesk.types import Article, Comment, Thread


def threads(*scores: list[float | None]) -> list[Thread]:
    return [
        Thread(
            Article(f"a{item}", "The dam was opened.", "A dam", lang="en"),
            tuple(Comment(f"c{place}", f"text {item} {place}", score=score) for place, score in enumerate(each)),
        )
        for item, each in enumerate(scores)
    ]  # fmt: skip


def weights(listed: list[Thread], weighting: Weighting | None = None) -> list[list[float]]:
    found = references_of(listed, weighting).references
    return [[reference.weight for reference in each.references] for each in found]


def test_scores_from_zero_to_one_are_weights_as_they_are() -> None:
    listed = threads([0.2, 0.8], [0.5])
    assert weights(listed) == [[0.2, 0.8], [0.5]]
    assert references_of(listed).weighting == "scores"


def test_another_scale_needs_a_mapping_that_stands_in_the_signature() -> None:
    listed = threads([2, 4], [3])
    with pytest.raises(ArgumentError, match=r"go from 2 to 4, .* --weights minmax\[LOW,HIGH\]"):
        references_of(listed)
    for text, expected in (
        ("minmax[1,5]", [[0.25, 0.75], [0.5]]),
        ("max", [[0.5, 1.0], [0.75]]),
        ("max[*,5]", [[0.4, 0.8], [0.6]]),
        ("itemmax", [[0.5, 1.0], [1.0]]),
    ):
        mapping = Weighting.parse(text)
        assert weights(listed, mapping) == expected
        assert references_of(listed, mapping).weighting == text == mapping.signature


def test_comments_without_a_score_are_left_out_and_counted() -> None:
    found = references_of(threads([0.2, None, 0.8], [None], [0.5]))
    assert [each.id for each in found.references] == ["a0", "a2"]
    assert [[r.weight for r in each.references] for each in found.references] == [[0.2, 0.8], [0.5]]
    assert found.notes == (
        "2 comments of 5 without a score left out of the references",
        "1 article without a scored comment left out of the metrics",
    )


def test_without_any_score_every_weight_is_one_and_the_reader_is_told() -> None:
    found = references_of(threads([None, None], [None]))
    assert {r.weight for each in found.references for r in each.references} == {1.0}
    assert found.weighting == "none" and "no comment has a score" in found.notes[0]


def test_a_comparison_names_the_mapping_and_leaves_unscored_articles_out_of_metrics() -> None:
    listed = threads(*([2.0, 4.0, 3.0] for _ in range(5)), [None, None, None])
    told: list[str] = []
    model = ["ir-t(updates=2, filters=2)"]
    split = Split(tuple(listed[:3]), (), tuple(listed[3:]), ())
    with pytest.raises(ArgumentError, match="go from 2 to 4"):
        compare(split, model, ["w-bleu-1"], samples=20, tell=told.append)
    assert told == []  # nothing was fitted
    five = Weighting.parse("minmax[1,5]")
    result = compare(split, model, ["rouge-l", "w-rouge-l"], weighting=five, samples=20, tell=told.append)  # fmt: skip
    (scored,) = result.scores
    assert "|weights:minmax[1,5]|" in scored.scores[1].signature
    assert scored.scores[1].n == 2
    assert [line for line in told if line.startswith("note: ")] == [
        "note: 3 comments of 9 without a score left out of the references",
        "note: 1 article without a scored comment left out of the metrics",
        "note: with all weights at 1 w-rouge-l is rouge-l(combine='coco') and not rouge-l; add that metric to see what weights change",
    ]
