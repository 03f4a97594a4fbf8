"""Aggregates of the sample's judgments, and of small made ones whose answer can be counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.campaigns.aggregate import (
    grade_estimates,
    label_estimates,
    system_estimates,
    tallies,
    values_of,
    vote_estimates,
)
from newsdesk.campaigns.exports import (
    gain_threads,
    qrels_lines,
    training_pairs,
    weighted_references,
)
from newsdesk.campaigns.protocols import protocol
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import Weighting
from newsdesk.types import Article, Judgment, Pair, Reference, References, Thread, Value


def judged(item: str, target: str, *values: Value) -> list[Judgment]:
    return [
        Judgment("c", target, item, target, "q", value, f"w{number}")
        for number, value in enumerate(values)
    ]


RANK = protocol("rank")
VOTES = [*judged("a", "x", True, True, False), *judged("a", "y", False, False, False)]


def test_votes_give_c_scores_with_their_n() -> None:
    rows = tallies(VOTES)
    assert [(row.target, row.yes, len(row.values)) for row in rows] == [("x", 2, 3), ("y", 0, 3)]
    (thread,) = gain_threads(
        rows, {("a", "x"): "one", ("a", "y"): "two"}, [Thread(Article("a", "text"), ())], votes=True
    )
    assert [(c.id, c.yes, c.votes, c.text) for c in thread.comments] == [
        ("x", 2, 3, "one"),
        ("y", 0, 3, "two"),
    ]
    assert thread.comments[0].score == pytest.approx(2 / 3)
    assert list(qrels_lines(rows)) == ["a 0 x 2", "a 0 y 0"]


def ranked(item: str, annotator: str, **ranks: int) -> list[Judgment]:
    return [
        Judgment("c", item, item, target, question, rank, annotator)
        for target, rank in ranks.items()
        for question in ("informative", "overall")
    ]


def test_ranks_give_the_share_of_the_others_that_stand_behind() -> None:
    rows = values_of([*ranked("a", "w", x=1, y=2, z=2), *ranked("a", "v", x=2, y=1, z=3)], RANK)
    means = {row.target: row.mean for row in rows}
    assert means == {"x": pytest.approx(0.75), "y": pytest.approx(0.625), "z": pytest.approx(0.125)}
    assert [(pair.better, pair.worse) for pair in training_pairs(rows, least_margin=0.5)] == [
        ("x", "z"),
        ("y", "z"),
    ]


def test_of_several_questions_one_is_taken() -> None:
    said = ranked("a", "w", x=1, y=2)
    assert {row.question for row in values_of(said, RANK)} == {"overall"}
    assert {row.question for row in values_of(said, RANK, "informative")} == {"informative"}
    with pytest.raises(ArgumentError, match="'fluent'; there are: informative, coherent, overall"):
        values_of(said, RANK, "fluent")
    with pytest.raises(ArgumentError, match="none is called 'overall'; name one: informative, coh"):
        values_of(said, RANK.asking(["informative", "coherent"]))


def test_what_several_items_share_is_a_system_with_a_mean_of_its_own() -> None:
    rows = tallies(
        [
            *(each for item in "abc" for each in judged(item, "good", 5, 4)),
            *(each for item in "abc" for each in judged(item, "poor", 1, 2)),
            *judged("a", "once", 5),
        ]
    )
    estimates = system_estimates(rows)
    assert [(each.name, each.value, each.n) for each in estimates] == [
        ("good", 4.5, 3),
        ("poor", 1.5, 3),
    ]
    assert system_estimates(tallies(judged("a", "x", 1))) == []


def test_grades_give_weights_by_a_named_mapping() -> None:
    rows = tallies([*judged("a", "x", 5, 4), *judged("a", "y", 1, 1), *judged("b", "z", 3, 3)])
    texts = {("a", "x"): "X", ("a", "y"): "Y", ("b", "z"): "Z"}
    assert weighted_references(rows, texts, Weighting("minmax", 1, 5)) == [
        References("a", (Reference("X", 0.875), Reference("Y", 0.0))),
        References("b", (Reference("Z", 0.5),)),
    ]
    best = weighted_references(rows, texts, Weighting("itemmax"))
    assert [r.weight for each in best for r in each.references] == pytest.approx([1, 1 / 4.5, 1])


def test_pairs_are_the_better_first_and_ties_give_none() -> None:
    rows = tallies(
        [*judged("a", "x", 3), *judged("a", "y", 5), *judged("a", "z", 3), *judged("b", "q", 1)]
    )
    assert list(training_pairs(rows, least_margin=0.0)) == [
        Pair("a", "y", "x", 2.0),
        Pair("a", "y", "z", 2.0),
    ]
    assert list(training_pairs(rows, least_margin=2.5)) == []


def test_the_sample_s_grades_have_intervals_around_their_mean() -> None:
    rows = [row for row in tallies(samples.judgments("grade")) if row.target.startswith("2031")]
    estimates = {estimate.name: estimate for estimate in grade_estimates(rows, top=5)}
    mean = estimates["mean grade"]
    assert mean.n == len(rows) == 329
    assert mean.low < mean.value < mean.high
    assert mean.value == pytest.approx(sum(row.mean for row in rows) / len(rows))
    assert 0 < estimates["share with at least one 5"].value < 0.5


def test_labels_are_shares_of_the_majority() -> None:
    judgments = [
        *judged("a", "x", "on-topic", "on-topic", "related"),
        *judged("a", "y", "related", "unrelated"),
        *judged("b", "z", "unrelated"),
    ]
    shares = {
        f.name: f.value for f in label_estimates(judgments, ("on-topic", "related", "unrelated"))
    }
    assert shares == pytest.approx({"on-topic": 1 / 3, "related": 0.5 / 3, "unrelated": 1.5 / 3})


def test_a_label_cannot_be_averaged_and_white_space_cannot_go_to_trec() -> None:
    with pytest.raises(ArgumentError, match="'related' is a label"):
        tallies(judged("a", "x", "related"))
    with pytest.raises(ArgumentError, match="holds white space"):
        list(qrels_lines(tallies(judged("a b", "x", True))))


def test_real_votes_keep_their_counts(shared_data: Path) -> None:
    lines = (shared_data / "c3/c3_threads.jsonl").read_text("utf-8").splitlines()
    comments = [(row["article_id"], c) for row in map(json.loads, lines) for c in row["comments"]]
    judgments = (
        Judgment(
            "c3", c["id"], article, c["id"], "constructive", number < c["votes_yes"], f"w{number}"
        )
        for article, c in comments
        for number in range(c["votes"])
    )
    rows = tallies(judgments)
    assert len(rows) == 7877
    assert [(row.yes, len(row.values)) for row in rows] == [
        (c["votes_yes"], c["votes"]) for _, c in comments
    ]
    counts = [sum(1 for row in rows if len(row.values) == 5 and row.yes == yes) for yes in range(6)]
    assert counts == [2248, 646, 394, 388, 861, 2683]
    assert vote_estimates(rows)[0].value == pytest.approx(0.5397, abs=5e-5)
