"""The truth beside the data can be recovered from the data."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.metrics.ranking import spearman
from newsdesk.types import Judgment
from tests.simulate.conftest import rows


def answers(folder: Path, protocol: str) -> list[Judgment]:
    return list(nd.read(folder / f"judgments-{protocol}.jsonl", nd.Judgment))


def kappa(pairs: list[tuple[int, int]], weights: str) -> float:
    """Cohen's kappa by the textbook, both orders of each pair counted since nobody comes first."""
    labels = sorted({value for pair in pairs for value in pair})
    place = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for one, other in pairs:
        table[place[one], place[other]] += 1
        table[place[other], place[one]] += 1
    table /= table.sum()
    steps = np.array(labels)
    distance = np.subtract.outer(steps, steps) ** 2
    weight = distance if weights == "quadratic" else (distance > 0).astype(float)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    return float(1 - (weight * table).sum() / (weight * expected).sum())


def pairs_of(
    judgments: list[Judgment], value: dict[Any, int], careless: set[str]
) -> list[tuple[int, int]]:
    answers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for each in judgments:
        if not each.control and each.annotator not in careless:
            answers[each.item, each.target].append(value[each.value])
    return [
        (one, other)
        for values in answers.values()
        for place, one in enumerate(values)
        for other in values[:place]
    ]


@pytest.mark.parametrize("people", ["all", "careful"])
@pytest.mark.parametrize(
    ("protocol", "value"),
    [
        ("grade", {grade: grade for grade in range(1, 6)}),
        ("constructive", {False: 0, True: 1}),
    ],
)
def test_the_planted_agreement_is_recovered(
    protocol: str, value: dict[Any, int], people: str, folder: Path
) -> None:
    annotators = rows(folder / "truth/annotators.jsonl")
    careless = {row["annotator"] for row in annotators if row["careless"]}
    judgments = answers(folder, protocol)
    pairs = pairs_of(judgments, value, careless if people == "careful" else set())
    (planted,) = (
        row
        for row in rows(folder / "truth/agreement.jsonl")
        if row["campaign"] == f"sim-{protocol}" and row["people"] == people
    )
    assert kappa(pairs, "quadratic") == pytest.approx(planted["quadratic_kappa"], abs=0.03)
    assert kappa(pairs, "plain") == pytest.approx(planted["kappa"], abs=0.03)


def test_the_planted_agreement_on_labels_is_recovered() -> None:
    # 350 labels leave much to chance, so six worlds are averaged.
    value = {"on-topic": 0, "related": 1, "unrelated": 2}
    off = []
    for seed in range(6):
        world = simulate.world(seed=seed, events=120, comments=0)
        pairs = pairs_of(list(world.judgments("relate")), value, set())
        planted = next(row for row in world.truth("agreement") if row["campaign"] == "sim-relate")
        off.append(kappa(pairs, "quadratic") - planted["quadratic_kappa"])
    assert np.mean(off) == pytest.approx(0, abs=0.03)


def test_the_agreement_of_careful_graders_is_about_that_of_paper_001(folder: Path) -> None:
    (row,) = (
        row
        for row in rows(folder / "truth/agreement.jsonl")
        if (row["campaign"], row["people"]) == ("sim-grade", "careful")
    )
    assert 0.55 < row["quadratic_kappa"] < 0.65


def test_likes_say_nothing_about_quality(folder: Path) -> None:
    quality = {row["comment"]: row["quality"] for row in rows(folder / "truth/comments.jsonl")}
    comments = [
        each for thread in nd.read(folder / "threads.jsonl", nd.Thread) for each in thread.comments
    ]
    likes = [comment.likes for comment in comments]
    true = [quality[comment.id] for comment in comments]
    assert abs(spearman(likes, true)) < 0.05
    assert abs(np.corrcoef(likes, true)[0, 1]) < 0.05


def test_votes_follow_quality_and_threads_count_them(folder: Path) -> None:
    quality = {row["comment"]: row["quality"] for row in rows(folder / "truth/comments.jsonl")}
    yes: dict[str, int] = defaultdict(int)
    for each in answers(folder, "constructive"):
        if not each.control:
            yes[each.target] += bool(each.value)
    comments = [
        each for thread in nd.read(folder / "threads.jsonl", nd.Thread) for each in thread.comments
    ]
    assert all(comment.yes == yes[comment.id] for comment in comments)
    assert spearman([comment.yes for comment in comments], [quality[c.id] for c in comments]) > 0.8


def test_the_score_is_the_share_of_yes_votes(folder: Path) -> None:
    for thread in nd.read(folder / "threads.jsonl", nd.Thread):
        for comment in thread.comments:
            assert comment.score == comment.yes / comment.votes


def test_control_questions_tell_the_careless(folder: Path) -> None:
    known = {
        f"control-{number}": row["answer"]
        for number, row in enumerate(rows(folder / "truth/controls.jsonl"), 1)
    }
    assert sorted(set(known.values())) == [False, True]
    right: dict[str, list[bool]] = defaultdict(list)
    for each in answers(folder, "constructive"):
        if each.control:
            right[each.annotator].append(each.value == known[each.target])
    careless = {
        row["annotator"]: row["careless"]
        for row in rows(folder / "truth/annotators.jsonl")
        if row["campaign"] == "sim-constructive"
    }
    share = {name: np.mean(hits) for name, hits in right.items()}
    assert sum(careless.values()) >= 3
    assert max(share[name] for name, is_careless in careless.items() if is_careless) < 0.85
    assert min(share[name] for name, is_careless in careless.items() if not is_careless) > 0.9


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[place : place + 3]) for place in range(len(words) - 2)}


def test_planted_duplicates_are_near_duplicates_and_nothing_else_is(folder: Path) -> None:
    original = {
        row["article"]: row.get("of", row["article"])
        for row in rows(folder / "truth/articles.jsonl")
    }
    planted, detected = set(), set()
    for cluster in nd.read(folder / "clusters.jsonl", nd.Cluster):
        cut = {article.id: shingles(article.text) for article in cluster.articles}
        for place, one in enumerate(cut):
            for other in list(cut)[:place]:
                if original[one] == original[other]:
                    planted.add((one, other))
                if len(cut[one] & cut[other]) > 0.4 * len(cut[one] | cut[other]):
                    detected.add((one, other))
    assert len(planted) > 50
    assert detected == planted


def test_found_articles_are_as_mixed_as_paper_004_counted(folder: Path) -> None:
    truth = {row["article"]: row for row in rows(folder / "truth/articles.jsonl")}
    labels = [
        truth[article.id]["label"]
        for cluster in nd.read(folder / "clusters.jsonl", nd.Cluster)
        for article in cluster.articles
        if article.origin == "found"
    ]
    for label, share in (("on-topic", 0.52), ("related", 0.30), ("unrelated", 0.18)):
        assert labels.count(label) / len(labels) == pytest.approx(share, abs=0.06)


def test_an_unrelated_article_tells_of_another_event_of_the_day(folder: Path) -> None:
    day = {event.id: event.date for event in nd.read(folder / "events.jsonl", nd.Event)}
    unrelated = [row for row in rows(folder / "truth/articles.jsonl") if row["kind"] == "unrelated"]
    assert unrelated
    for row in unrelated:
        assert row["event"] != row["cluster"]
        assert day[row["event"]] == day[row["cluster"]]


@pytest.mark.parametrize("question", ["informative", "coherent", "overall"])
def test_the_planted_order_of_systems_is_recovered_from_the_ranks(
    question: str, folder: Path
) -> None:
    planted = {
        row["system"]: row["mean_quality"]
        for row in rows(folder / "truth/systems.jsonl")
        if row["question"] == question
    }
    ranks: dict[str, list[int]] = defaultdict(list)
    for each in answers(folder, "rank"):
        if each.question == question:
            assert isinstance(each.value, int)
            ranks[each.target].append(each.value)
    best_first = sorted(ranks, key=lambda system: float(np.mean(ranks[system])))
    assert best_first == sorted(planted, key=lambda system: -planted[system])


def test_ranks_have_ties_and_letters_are_shuffled(folder: Path) -> None:
    overall: dict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for each in answers(folder, "rank"):
        if each.question == "overall":
            overall[each.item, each.annotator].append(each)
    tied = [len({each.value for each in ranks}) < 4 for ranks in overall.values()]
    assert 0.2 < np.mean(tied) < 0.9
    assert all(
        sorted(str(each.shown) for each in ranks) == list("ABCD") for ranks in overall.values()
    )
    assert len({ranks[0].shown for ranks in overall.values()}) == 4


def test_weights_are_the_mean_grades_of_the_graded_comments(folder: Path) -> None:
    grades: dict[str, list[int]] = defaultdict(list)
    for each in answers(folder, "grade"):
        assert isinstance(each.value, int)
        grades[each.target].append(each.value)
    graded = {thread.article.id: thread for thread in nd.read(folder / "graded.jsonl", nd.Thread)}
    for item in nd.read(folder / "references.jsonl", nd.References):
        for comment, reference in zip(graded[item.id].comments, item.references, strict=True):
            assert reference.text == comment.text
            assert comment.score == np.mean(grades[comment.id])
            assert reference.weight == pytest.approx((np.mean(grades[comment.id]) - 1) / 4)


def test_stories_go_on_over_days_and_keep_their_people(folder: Path) -> None:
    events = {event.id: event for event in nd.read(folder / "events.jsonl", nd.Event)}
    stories = rows(folder / "truth/stories.jsonl")
    assert stories
    longest = max(stories, key=lambda story: len(story["events"]))
    story = [events[name] for name in longest["events"]]
    assert len(story) >= 3
    assert len({event.date for event in story}) == len(story)
    assert len({event.category for event in story}) == 1
    assert all(event.story == (longest["story"],) for event in story)
    shared = set.intersection(*({entity.target for entity in event.entities} for event in story))
    assert shared


def test_entities_stand_where_they_say(folder: Path) -> None:
    for event in nd.read(folder / "events.jsonl", nd.Event):
        assert len(event.entities) >= 2
        assert len(event.summary.split()) <= 40
        for entity in event.entities:
            assert event.summary[entity.start : entity.end] == entity.phrase


def test_a_thread_stands_under_an_article_of_its_cluster(folder: Path) -> None:
    articles = {
        article.id: article.text
        for cluster in nd.read(folder / "clusters.jsonl", nd.Cluster)
        for article in cluster.articles
    }
    for thread in nd.read(folder / "threads.jsonl", nd.Thread):
        assert articles[thread.article.id] == thread.article.text


def test_better_summaries_share_more_with_the_reference(folder: Path) -> None:
    reference = {
        cluster.id: cluster.summary for cluster in nd.read(folder / "clusters.jsonl", nd.Cluster)
    }
    outputs = list(nd.read(folder / "summaries.jsonl", nd.Output))
    quality = {
        (row["id"], row["system"]): row["informative"]
        for row in rows(folder / "truth/summaries.jsonl")
    }
    overlap = []
    for output in outputs:
        words = set(str(reference[output.id]).lower().split())
        overlap.append(len(words & set(output.text.lower().split())) / len(words))
    assert spearman(overlap, [quality[output.id, output.system] for output in outputs]) > 0.4


def test_an_unknown_kind_of_truth_or_judgment_is_named(world: simulate.World) -> None:
    with pytest.raises(nd.ArgumentError, match="did you mean 'stories'"):
        world.truth("storys")
    with pytest.raises(
        nd.ArgumentError, match="there are: grade, grade-outputs, constructive, rank, relate"
    ):
        world.judgments("grades")
