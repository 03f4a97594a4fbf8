"""What each preset promises: how far length explains quality, the papers' sizes, and clear errors for what is not there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.metrics.ranking import spearman


def length_against_votes(preset: str, lang: str = "en") -> float:
    world = simulate.world(preset=preset, events=200, comments=6000, lang=lang, seed=1)
    comments = [comment for thread in world.threads() for comment in thread.comments]
    characters = [len(comment.text) for comment in comments]
    return spearman(characters, [(comment.yes or 0) / (comment.votes or 1) for comment in comments])


def test_in_c3_length_explains_quality_as_much_as_in_real_comments(shared_data: Path) -> None:
    lines = (shared_data / "c3" / "c3_threads.jsonl").read_text("utf-8").splitlines()
    comments = [comment for line in lines for comment in json.loads(line)["comments"]]
    real = spearman(
        [len(comment["text"]) for comment in comments],
        [comment["votes_yes"] / comment["votes"] for comment in comments],
    )
    assert length_against_votes("c3") == pytest.approx(real, abs=0.02)


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_in_fair_length_explains_nothing(lang: str) -> None:
    assert abs(length_against_votes("fair", lang)) < 0.05


def test_the_default_lies_in_between() -> None:
    assert 0.3 < length_against_votes("base") < 0.6


def test_c3_comments_are_as_long_as_the_real_ones() -> None:
    world = simulate.world(preset="c3", events=50, comments=2000)
    lengths = sorted(len(comment.text) for thread in world.threads() for comment in thread.comments)
    assert lengths[len(lengths) // 2] == pytest.approx(290, rel=0.1)


def test_paper_has_the_papers_sizes() -> None:
    world = simulate.world(preset="paper")
    assert world.settings.events == 10_200
    assert len(world.desk.events) == 1610
    assert world.settings.references == 27
    sizes = Counter((each.count, each.votes) for each in world.forum.discussions)
    assert sizes == {(5, 10): 8000, (100, 10): 400, (212, 40): 200, (27, 0): 191_502 + 5000}
    clusters = sorted(len(world.newsroom.pieces(number)) for number in range(0, 10_200, 17))
    assert clusters[len(clusters) // 2] == pytest.approx(78, abs=8)
    assert sum(clusters) / len(clusters) == pytest.approx(63.7, abs=4)
    assert (clusters[0] >= 1, clusters[-1]) == (True, 100)


def test_paper_shrinks_with_the_numbers_given() -> None:
    world = simulate.world(preset="paper", events=20, comments=30_000)
    votes = Counter(each.votes for each in world.forum.discussions)
    assert votes == {10: 46, 40: 1, 0: 1086}
    thread = next(world.threads())
    assert [comment.votes for comment in thread.comments] == [10] * 5
    assert len(thread.article.text.split()) == pytest.approx(554, rel=0.4)


def test_threads_beyond_the_first_of_an_event_have_articles_of_their_own() -> None:
    world = simulate.world(preset="paper", events=3, comments=10_000)
    ids = [world.forum.article_id(each) for each in world.forum.discussions]
    assert len(ids) == len(set(ids)) > 100
    assert world.forum.article(world.forum.discussions[50]).id == ids[50]


@pytest.mark.parametrize("preset", list(simulate.PRESETS))
def test_every_preset_makes_a_world_and_is_documented(preset: str) -> None:
    world = simulate.world(preset=preset, events=2, comments=20)
    assert next(world.references()).references
    assert next(world.threads()).comments
    page = Path(__file__).parents[2] / "docs" / "reference" / "simulate.md"
    assert f"| `{preset}` |" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"events": 0}, nd.ArgumentError, "at least one event, not 0"),
        ({"events": -3}, nd.ArgumentError, "at least one event, not -3"),
        ({"comments": -1}, nd.ArgumentError, "cannot be -1 comments"),
        ({"seed": -1}, nd.ArgumentError, "the seed is -1"),
        ({"preset": "bsae"}, nd.SpecError, "did you mean 'base'"),
        ({"lang": "fr"}, nd.SpecError, "no lexicon for language 'fr'"),
    ],
)
def test_a_bad_argument_says_what_is_wrong(
    arguments: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        simulate.world(**arguments)  # type: ignore[arg-type]
