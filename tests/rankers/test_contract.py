"""What every ranker of the registry keeps: seeded, saved without pickle, refitted cleanly, and unshaken by odd comments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers import RankedComment, Ranker
from newsdesk.rankers.linear import LinearRanker
from newsdesk.registry import RANKERS
from newsdesk.types import Ranked
from tests.growth import growth
from tests.rankers.plain import thread

NAMES = list(RANKERS)
BASELINES = ("like", "random", "length")
# Networks small enough to be fitted again and again.
SMALL = {
    name: f"{name}(iterations=20, units=6, dimensions=5, epochs=1, check_every=10)"
    for name in ("ranknet", "lstm-reg")
}
ODD = {
    "empty comment": ["", "a word"],
    "nothing but empty comments": ["", ""],
    "one comment": ["alone here"],
    "no comment": [],
    "unknown words": ["zxqv wvut", "qqqq"],
    "10,000 words": ["word " * 10_000, "short", " ".join(f"w{n}" for n in range(10_000))],
    "emoji only": ["😀😀", "🤬", "👍🏽"],
    "white space and marks": ["   \n\t", "...!!!", "\u3000", "\u200b"],
    "another script": ["夜市搬走了", "これはペンです", "Привет"],
}


def new(name: str) -> Ranker:
    return nd.ranker(SMALL.get(name, name))


def fit(name: str) -> Ranker:
    threads = samples.threads()
    return new(name).fit(threads[:8], dev=threads[8:])


@pytest.fixture(scope="module")
def models() -> dict[str, Ranker]:
    return {name: fit(name) for name in NAMES}


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest, models: dict[str, Ranker]) -> Ranker:
    return models[request.param]


def test_fit_returns_self_and_settings_are_stored_untouched(model: Ranker) -> None:
    fresh, again = new(model.name), new(model.name)
    assert again.fit(samples.threads()[:3]) is again
    assert fresh.settings == model.settings == again.settings
    learned = {name for name in vars(model) if name not in vars(fresh)}
    assert all(name.endswith("_") for name in learned)


def test_rank_gives_comments_with_scores_best_first(model: Ranker) -> None:
    one = samples.threads()[0]
    ranked = model.rank(one)
    assert all(isinstance(each, RankedComment) for each in ranked)
    assert sorted(comment.id for comment, _ in ranked) == sorted(each.id for each in one.comments)
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)
    by_id = dict(zip((each.id for each in one.comments), model.scores(one), strict=True))
    assert all(by_id[comment.id] == score for comment, score in ranked)


def test_the_same_data_gives_the_same_model_byte_by_byte(model: Ranker, tmp_path: Path) -> None:
    fit(model.name).save(tmp_path / "a")
    fit(model.name).save(tmp_path / "b")
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "b").iterdir())
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_saved_model_ranks_as_before_and_holds_no_pickle(model: Ranker, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    loaded = Ranker.load(tmp_path / "m")
    assert type(loaded) is type(model)
    assert loaded.settings == model.settings
    for one in samples.threads()[8:]:
        assert loaded.scores(one).tolist() == model.scores(one).tolist()
    assert json.loads((tmp_path / "m" / "model.json").read_text("utf-8"))["format"] == 1
    if (tmp_path / "m" / "model.npz").exists():
        with np.load(tmp_path / "m" / "model.npz", allow_pickle=False) as arrays:
            assert all(arrays[name].dtype != object for name in arrays.files)
    assert type(model).load(tmp_path / "m").name == model.name


def test_a_model_is_not_replaced_unless_told(model: Ranker, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    with pytest.raises(nd.FileError, match="holds a model already"):
        model.save(tmp_path / "m", overwrite=False)
    model.save(tmp_path / "m")


def test_refitting_forgets_what_was_learned_before(model: Ranker) -> None:
    once = new(model.name).fit(samples.threads()[:6])
    twice = new(model.name).fit(samples.threads("zh")).fit(samples.threads()[:6])
    one = samples.threads()[9]
    assert once.scores(one).tolist() == twice.scores(one).tolist()


@pytest.mark.parametrize("texts", ODD.values(), ids=ODD)
def test_odd_comments_get_finite_scores(model: Ranker, texts: list[str]) -> None:
    odd = thread("odd", texts, [None] * len(texts), title="A title")
    assert len(model.rank(odd)) == len(texts)
    assert np.isfinite(model.scores(odd)).all()
    assert [line.rank for line in model.run([odd])] == list(range(1, len(texts) + 1))


@pytest.mark.parametrize(
    "scores",
    [[1, 1, 1, 1], [0, 0, 0, 0], [5, None, None, 1], [-3, 0, 1000, 2]],
    ids=["equal", "zero", "partly judged", "far apart"],
)
def test_training_on_odd_scores_still_gives_a_ranker(
    model: Ranker, scores: list[float | None]
) -> None:
    train = [
        thread(f"t{n}", ["good words", "bad words", "", "more words"], scores) for n in range(3)
    ]
    refitted = new(model.name).fit(train, dev=train)
    assert np.isfinite(refitted.scores(train[0])).all()


def test_training_on_one_comment_or_on_empty_threads_beside_others(model: Ranker) -> None:
    train = [thread("a", ["one"], [1]), thread("b", [], []), thread("c", ["x", "y"], [1, 0])]
    assert len(new(model.name).fit(train).rank(train[2])) == 2


def test_the_order_of_comments_and_threads_changes_nothing(model: Ranker) -> None:
    threads = samples.threads()[:6]
    shuffled = [nd.Thread(each.article, each.comments[::-1]) for each in reversed(threads)]
    one = samples.threads()[7]
    first = new(model.name).fit(threads).scores(one)
    second = new(model.name).fit(shuffled).scores(nd.Thread(one.article, one.comments[::-1]))
    np.testing.assert_allclose(first, second[::-1], atol=1e-6)


def test_a_run_is_a_line_per_comment_with_ranks_from_one(model: Ranker) -> None:
    threads = samples.threads()[:2]
    lines = list(model.run(threads))
    assert all(isinstance(line, Ranked) for line in lines)
    first = [line.rank for line in lines if line.article == threads[0].article.id]
    assert first == list(range(1, len(threads[0].comments) + 1))


def test_a_thousand_comments_of_one_article_cost_about_ten_times_a_hundred(model: Ranker) -> None:
    texts = [each.text for one in samples.threads() for each in one.comments]

    def rank(count: int) -> None:
        # The texts of a hundred are drawn from all, so that both are equally long on average.
        chosen = (texts * 4)[: 1000 : 1000 // count]
        model.rank(thread("many", chosen, [None] * count, title="A title of some words"))

    # By pairs of comments it would be a hundred times.
    assert growth(rank, 100, 1000) < 30


def test_an_unfitted_ranker_of_words_says_so(tmp_path: Path) -> None:
    for name in (each for each in NAMES if each not in BASELINES):
        with pytest.raises(nd.ArgumentError, match="not fitted yet"):
            new(name).rank(samples.threads()[0])
        with pytest.raises(nd.ArgumentError, match="not fitted yet"):
            new(name).save(tmp_path / name)
        with pytest.raises(nd.ArgumentError, match="no comment has a 'score'"):
            new(name).fit([thread("t", ["a", "b"], [None, None])])


def test_baselines_rank_as_the_paper_says() -> None:
    comments = (
        nd.Comment("a", "long enough", likes=10, dislikes=1),
        nd.Comment("b", "short", likes=7),
        nd.Comment("c", "ünïcödé 字"),
    )
    one = nd.Thread(nd.Article("t", ""), comments)
    assert nd.ranker("like").scores(one).tolist() == [5, 7, 0]
    assert nd.ranker("length").scores(one).tolist() == [11, 5, 9]
    assert [each.comment.id for each in nd.ranker("like").rank(one)] == ["b", "a", "c"]


def test_random_differs_by_seed_and_is_uniform() -> None:
    one = thread("t", ["x"] * 4000, [None] * 4000)
    first, second = (nd.ranker("random", seed=seed).scores(one) for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert first.mean() == pytest.approx(0.5, abs=0.02)
    assert ((first >= 0) & (first < 1)).all()


def test_the_target_can_be_likes() -> None:
    threads = [thread(f"t{n}", ["bad loud", "so so", "good calm"], [3, 2, 1]) for n in range(5)]
    for name in ("ranksvm", "svr"):
        by_score = nd.ranker(name, cost=1.0).fit(threads).rank(threads[0])
        by_likes = nd.ranker(f"{name}(target='likes', cost=1.0)").fit(threads).rank(threads[0])
        assert [each.comment.id[-1] for each in by_score] == ["0", "1", "2"]
        assert [each.comment.id[-1] for each in by_likes] == ["2", "1", "0"]


def test_the_cost_is_chosen_on_dev_threads_from_the_paper_s_grid_and_beyond_its_ends(
    models: dict[str, Ranker],
) -> None:
    for name in ("ranksvm", "svr"):
        model = cast(LinearRanker, models[name])
        tried = dict(model.dev_)
        assert set(tried) >= {2.0**power for power in range(-13, 1)}
        assert list(tried) == sorted(tried)
        assert tried[model.cost_] == max(tried.values())
        fixed = cast(LinearRanker, nd.ranker(name, cost=0.5).fit(samples.threads()))
        assert fixed.cost_ == 0.5


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: (path / "model.json").unlink(), "no saved ranker there"),
        (lambda path: (path / "model.json").write_text("{"), "not JSON"),
        (lambda path: (path / "model.json").write_text('{"format": 2}'), "`format` is 2"),
        (lambda path: (path / "model.json").write_text('{"format": 1}'), "not a whole saved ranker"),
        (lambda path: (path / "model.npz").unlink(), "no such file"),
        (lambda path: (path / "model.npz").write_bytes(b"x"), "not the arrays that model.json"),
        (lambda path: _drop_a_word(path / "model.json"), "not a whole saved ranker"),
    ],
)  # fmt: skip
def test_a_damaged_model_is_refused_with_its_place(
    damage: Callable[[Path], object], reason: str, models: dict[str, Ranker], tmp_path: Path
) -> None:
    models["ranksvm"].save(tmp_path)
    damage(tmp_path)
    with pytest.raises(nd.NewsdeskError, match=reason) as caught:
        Ranker.load(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    from newsdesk.rankers.linear import Svr

    nd.ranker("length").save(tmp_path)
    with pytest.raises(nd.DataError, match="a saved 'length', not 'svr'"):
        Svr.load(tmp_path)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("ranksvn", "did you mean 'ranksvm'"),
        ("ranksvm(cost=0)", "cost is 0"),
        ("svr(target='upvotes')", "target is 'upvotes'"),
        ("length(cost=1)", "'cost' is no setting"),
    ],
)
def test_what_cannot_be_made_is_refused(spec: str, reason: str) -> None:
    with pytest.raises(nd.NewsdeskError, match=reason):
        nd.ranker(spec)


def _drop_a_word(path: Path) -> None:
    model = json.loads(path.read_text("utf-8"))
    model["learned"]["words"].pop()
    path.write_text(json.dumps(model))
