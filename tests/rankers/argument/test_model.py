"""The ranker `argument` as a whole: it learns what there is to learn beyond length, nothing from shuffled labels, and says why."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.rankers.argument.counts import columns
from newsdesk.rankers.argument.logistic import calibration_error
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import Labels
from newsdesk.rankers.evaluation.judged import Judged, system_of
from newsdesk.rankers.evaluation.length_control import blmp
from newsdesk.rankers.insults import insults
from newsdesk.rankers.ranker import Ranker
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Comment, Thread
from tests.summarizers.tiny import save_tiny_bert

NEUTRAL = "the town council road house river water market bus school field north open paper light stone".split()
GOOD = ["because", "for example", "according to", "we", "should", "in fact", "12 %"]
BAD = ["idiots", "lol", "moron", "you", "never", "!!!", "pathetic"]


def world(articles: int, comments: int, seed: int) -> list[Thread]:
    """Comments of about one length whose votes follow a hidden quality, which their words show."""
    rng = np.random.default_rng(seed)
    threads = []
    for article in range(articles):
        own: list[Comment] = []
        for place in range(comments):
            quality = rng.random()
            words = rng.choice(NEUTRAL, rng.integers(14, 18)).tolist()
            for spot in rng.integers(0, len(words), 4).tolist():
                words[spot] = str(rng.choice(GOOD if rng.random() < quality else BAD))
            yes = int(rng.binomial(5, quality))
            own.append(Comment(f"{article}-{place}", " ".join(words) + ".", yes=yes, votes=5))
        threads.append(Thread(nd.Article(f"a{article:03}", "", lang="en"), tuple(own)))
    return threads


def shuffled(threads: Sequence[Thread], rng: np.random.Generator) -> list[Thread]:
    """The votes of each article dealt out anew among its comments."""
    dealt = []
    for thread in threads:
        order = rng.permutation(len(thread.comments)).tolist()
        comments = tuple(
            dataclasses.replace(comment, yes=thread.comments[other].yes)
            for comment, other in zip(thread.comments, order, strict=True)
        )
        dealt.append(Thread(thread.article, comments))
    return dealt


def held_out_blmp(threads: Sequence[Thread]) -> float:
    half = len(threads) // 2
    # What votes teach: the penalty for insults is set, whatever they say.
    model = nd.ranker("argument(vectors='none', padding=False, insults=0)").fit(threads[:half])
    test = threads[half:]
    judged = Judged.of(test)
    (scores,) = system_of("ours", [model], test, judged).trials
    rows = judged.matched.statistics(scores, judged.shares)
    return float(blmp(rows.sum(axis=0, keepdims=True))[0])


def test_shuffled_labels_teach_nothing_and_true_ones_do() -> None:
    threads = world(30, 14, seed=0)
    rng = np.random.default_rng(1)
    values = [held_out_blmp(shuffled(threads, rng)) for _ in range(20)]
    assert np.mean(values) == pytest.approx(0.5, abs=0.01)
    assert held_out_blmp(threads) > 0.65


def test_a_probability_needs_votes_on_ten_articles_and_knows_its_error(tmp_path: Path) -> None:
    threads = world(40, 12, seed=3)
    plain: dict[str, Any] = {"vectors": "none", "padding": False, "prior": "none"}
    assert Argument(**plain).fit(threads[:9]).calibration_error is None
    scored = [Thread(t.article, tuple(Comment(c.id, c.text, score=(c.yes or 0) / 5) for c in t.comments)) for t in threads]  # fmt: skip
    assert Argument(**plain).fit(scored[:20]).calibration_error is None
    model = Argument(**plain).fit(threads[:10])
    error = model.calibration_error
    assert error is not None and 0 < error < 0.15
    # What was expected is about what unseen articles show.
    probability = np.concatenate([model.probability(each) for each in threads[10:]])
    shares = np.array([(c.yes or 0) / 5 for t in threads[10:] for c in t.comments])
    assert abs(calibration_error(probability, shares) - error) < 0.08
    model.save(tmp_path / "model")
    loaded = cast(Argument, Ranker.load(tmp_path / "model"))
    assert loaded.calibration_error == error
    told = loaded.explain(threads[11])[0]
    assert told.probability == pytest.approx(model.probability(threads[11])[0])
    assert told.probability_error == error
    assert cast(Argument, load_ready("ready-en-plain")).explain(threads[11])[0].probability is None


def test_probabilities_are_calibrated_on_threads_it_has_not_seen() -> None:
    threads = world(60, 12, seed=2)
    model = cast(Argument, nd.ranker("argument(vectors='none', length=1)").fit(threads[:40]))
    probability = np.concatenate([model.probability(each) for each in threads[40:]])
    share = np.array([each.yes / 5 for one in threads[40:] for each in one.comments])
    order = np.array_split(np.argsort(probability), 5)
    errors = [abs(probability[part].mean() - share[part].mean()) for part in order]
    assert np.mean(errors) < 0.05
    assert share[order[-1]].mean() - share[order[0]].mean() > 0.2


def test_the_same_comments_in_another_order_get_the_same_scores(model: Argument) -> None:
    one = samples.threads()[10]
    mirrored = Thread(one.article, one.comments[::-1])
    np.testing.assert_allclose(model.scores(one), model.scores(mirrored)[::-1], atol=2e-6)


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_chinese_and_japanese_threads_are_learned_with_lists_of_their_own(lang: str) -> None:
    threads = samples.threads(lang)
    model = cast(Argument, nd.ranker("argument").fit(threads))
    features = model.features_
    assert (features.lang, features.reader.vectors.kind) == (lang, "lsa")
    assert (features.of_thread(threads[0]).rows[:, : len(columns())] > 0).any(axis=0).sum() > 10
    scores = model.scores(threads[0])
    truth = [each.yes / each.votes for each in threads[0].comments]
    assert np.corrcoef(scores, truth)[0, 1] > 0.3


def test_vectors_are_those_of_the_setting_and_the_model_records_them() -> None:
    threads = samples.threads()[:4]
    for setting, kind in (("none", "none"), ("lsa", "lsa"), ("auto", "wordllama")):
        model = nd.ranker("argument", vectors=setting, padding=False).fit(threads)
        assert model.learned()[0]["vectors"] == kind
        assert np.isfinite(model.scores(samples.threads()[5])).all()


def test_vectors_may_come_from_a_transformers_encoder(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    spec = f"hf:{save_tiny_bert(tmp_path / 'bert')}"
    threads = samples.threads()[:4]
    model = cast(Argument, nd.ranker("argument", vectors=spec, padding=False).fit(threads))
    assert model.learned()[0]["vectors"] == spec
    assert len(model.weights_.coef) == len(columns()) + 16
    model.save(tmp_path / "model")
    loaded = Ranker.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(threads[0]), model.scores(threads[0]))
    other = nd.ranker("argument", vectors="none", padding=False).fit(threads)
    assert not np.allclose(other.scores(threads[0]), model.scores(threads[0]))


def test_scores_without_votes_and_likes_can_be_learned() -> None:
    threads = world(20, 10, seed=3)
    plain = [
        Thread(one.article, tuple(
            Comment(each.id, each.text, score=100.0 * (each.yes or 0), likes=each.yes)
            for each in one.comments
        ))
        for one in threads
    ]  # fmt: skip
    share = [each.yes for one in threads[15:] for each in one.comments]
    for target in ("score", "likes"):
        model = Argument(vectors="none", target=target, length=1.0).fit(plain[:15])
        scores = np.concatenate([model.scores(one) for one in plain[15:]])
        assert np.corrcoef(scores, share)[0, 1] > 0.4
        assert all(((p := model.probability(one)) >= 0).all() and (p <= 1).all() for one in plain)


@pytest.mark.parametrize("name", ["columns", "kinds"])
def test_a_model_saved_with_other_features_is_refused_in_one_sentence(
    model: Argument, name: str, tmp_path: Path
) -> None:
    model.save(tmp_path)
    saved = json.loads((tmp_path / "model.json").read_text("utf-8"))
    saved["learned"][name].pop()
    (tmp_path / "model.json").write_text(json.dumps(saved), "utf-8")
    with pytest.raises(nd.DataError, match="not those of this version: fit it again"):
        Ranker.load(tmp_path)


def test_a_model_saved_by_version_0_1_is_refused_in_one_sentence(
    model: Argument, tmp_path: Path
) -> None:
    model.save(tmp_path)
    saved = json.loads((tmp_path / "model.json").read_text("utf-8"))
    del saved["learned"]["columns"]
    (tmp_path / "model.json").write_text(json.dumps(saved), "utf-8")
    with pytest.raises(nd.DataError, match=r"saved by newsdesk 0\.1, .* fit it again") as caught:
        Ranker.load(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("argument(vectors='glove')", "vectors is 'glove'"),
        ("argument(target='dislikes')", "target is 'dislikes'"),
        ("argument(wording=0)", "wording is 0"),
        ("argument(quality=0)", "quality is 0"),
        ("argument(prior='some')", "prior is 'some'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(nd.ArgumentError, match=reason):
        nd.ranker(spec)


def test_pairs_are_of_one_article_and_weigh_a_vote_per_comment() -> None:
    shares = np.array([0.1, 0.9, 0.5, 0.3, 0.3])
    labels = Labels(np.arange(5), np.array([0, 0, 0, 1, 1]), shares, None)
    better, worse, weights = labels.pairs(seed=0)
    assert set(zip(better.tolist(), worse.tolist(), strict=True)) == {(1, 0), (2, 0), (1, 2)}
    assert weights.tolist() == [1.0, 1.0, 1.0]


def test_a_thread_of_thousands_gives_no_more_pairs_than_can_be_held() -> None:
    shares = np.random.default_rng(0).random(5_000)
    labels = Labels(np.arange(5_000), np.zeros(5_000, dtype=np.int64), shares, None)
    better, worse, weights = labels.pairs(seed=0)
    assert 20_000 < len(better) <= 30_000
    assert (shares[better] > shares[worse]).all()
    assert weights.sum() == pytest.approx(5_000, rel=0.01)


def test_votes_count_only_where_every_comment_has_them() -> None:
    def labels(*comments: Comment) -> Labels:
        return Labels.of([Thread(nd.Article("a", ""), comments)], "score")

    voted = labels(Comment("a", "", score=7.0, yes=1, votes=4), Comment("b", "", yes=0, votes=2))
    assert (voted.shares.tolist(), voted.votes.tolist()) == ([0.25, 0.0], [4.0, 2.0])
    mixed = labels(Comment("a", "", score=7.0, yes=1, votes=4), Comment("b", "", score=2.0))
    assert (mixed.shares.tolist(), mixed.votes) == ([1.0, 0.0], None)


def test_insults_lower_a_score_by_the_setting_and_the_reasons_say_so() -> None:
    host = samples.threads("en")[0]
    rude = Comment("rude", "You idiots, the harbour office told us twice that the boat was late.")
    thread = Thread(host.article, (rude, *host.comments))
    ready = cast(Argument, load_ready("ready-en-plain"))
    lenient = Argument(insults=0).hold(
        features_=ready.features_,
        weights_=ready.weights_,
        platt_=ready.platt_,
        articles_=ready.articles_,
        adapted_=ready.adapted_,
    )
    lowered = lenient.scores(thread) - ready.scores(thread)
    assert lowered[0] == pytest.approx(ready.insults * insults(rude.text, "en").rate, abs=1e-5)
    assert lowered[0] > 1
    assert lowered[1] == 0
    explained = ready.explain(thread)[0]
    assert explained.score == pytest.approx(ready.scores(thread)[0])
    [told] = [reason for reason in explained.signs if "insulting" in reason.text]
    assert told.effect < -1
    assert "idiots" in told.words
    replaced = ready.replaced(thread, [0], [rude])
    assert replaced[0] == pytest.approx(explained.score, abs=1e-5)


def test_a_penalty_below_zero_is_refused() -> None:
    with pytest.raises(ArgumentError, match="insults is -1"):
        Argument(insults=-1)
