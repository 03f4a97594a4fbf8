"""The ready models: they load, rank comments without a vote, and give way to those without vectors where wordllama is missing."""

from __future__ import annotations

import sys
from typing import cast

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.ready import MODELS, READY, load_ready, ready_name, ready_names
from newsdesk.types import Article, Comment, Thread
from tests.rankers.distinct import distinct_texts

LANGUAGES = {"ready-en": "en", "ready-en-plain": "en", "ready-zh": "zh", "ready-ja": "ja"}
# A reasoned comment and an insult in each language.
PAIRS = {
    "en": (
        "I live by the pier and would keep the ferry, because the bridge is two hours away by bus; a smaller boat could be an option.",
        "You idiots!!! lol",
    ),
    "zh": (
        "我家就在夜市楼上，建议把收摊时间提前一小时，因为孩子要上学；如果能公布每月的数据，大家也好比较。",
        "呵呵，白痴！！！你们都是骗子！！",
    ),
    "ja": (
        "娘がこの電車で通っています。朝の1本だけでも残してほしいです。例えば平日だけ運行すれば、費用も抑えられると思います。",
        "お前らバカか！！！死ね！！",
    ),
}


def test_every_ready_model_is_listed_and_described() -> None:
    assert set(LANGUAGES) == set(MODELS)
    assert ready_names() == (READY, *MODELS)
    assert all("weak" in MODELS[name] for name in ("ready-zh", "ready-ja"))


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_ready_model_loads_and_ranks_comments_without_votes(name: str) -> None:
    model = load_ready(name)
    assert isinstance(model, Argument)
    assert model.language == LANGUAGES[name]
    thread = samples.threads(LANGUAGES[name])[0]
    bare = Thread(thread.article, tuple(Comment(each.id, each.text) for each in thread.comments))
    assert np.isfinite(model.scores(bare)).all()
    np.testing.assert_array_equal(model.scores(bare), model.scores(thread))
    probability = model.probability(bare)
    assert ((probability > 0) & (probability < 1)).all()
    assert probability.std() > 0.03


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_insult_stands_below_a_reasoned_comment(name: str) -> None:
    texts = PAIRS[LANGUAGES[name]]
    comments = tuple(Comment(str(place), text) for place, text in enumerate(texts))
    good, bad = load_ready(name).scores(Thread(Article("a", ""), comments)).tolist()
    assert good > bad + 0.5


def test_manners_count_at_equal_length_too() -> None:
    texts = (
        "We should keep it, because many people use it each day.",
        "You idiots are just stupid, and you always were losers!",
    )
    comments = tuple(Comment(str(place), text) for place, text in enumerate(texts))
    for name in ("ready-en", "ready-en-plain"):
        good, bad = load_ready(name).scores(Thread(Article("a", ""), comments)).tolist()
        assert good > bad


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(
    "texts",
    [["", "  \n", "\u200b"], ["😀😀", "🤬", "👍🏽"], ["word " * 10_000, "x" * 50_000, "short"], []],
    ids=["blank", "emoji", "huge", "none"],
)
def test_odd_comments_are_ranked(name: str, texts: list[str]) -> None:
    comments = tuple(Comment(str(place), text) for place, text in enumerate(texts))
    model = cast(Argument, load_ready(name))
    scores = model.scores(Thread(Article("a", ""), comments))
    assert scores.shape == (len(texts),)
    assert np.isfinite(scores).all()
    explained = model.explain(Thread(Article("a", ""), comments))
    sums = [sum(reason.effect for reason in each.reasons) for each in explained]
    np.testing.assert_allclose(sums, scores, atol=1e-6)


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_order_of_a_thread_changes_no_score(name: str) -> None:
    model = load_ready(name)
    thread = samples.threads(LANGUAGES[name])[0]
    order = np.random.default_rng(0).permutation(len(thread.comments))
    mixed = Thread(thread.article, tuple(thread.comments[place] for place in order.tolist()))
    np.testing.assert_allclose(model.scores(mixed), model.scores(thread)[order], atol=2e-6)


@pytest.mark.parametrize("name", LANGUAGES)
def test_seven_hundred_distinct_comments_of_one_thread_are_ranked_and_explained(name: str) -> None:
    model = cast(Argument, load_ready(name))
    texts = distinct_texts(700, LANGUAGES[name])
    thread = Thread(Article("a", ""), tuple(Comment(str(n), t) for n, t in enumerate(texts)))
    talk = Talk.of(thread, model.features_.reader)
    assert len(set(talk.groups.tolist())) > 600  # hardly any are copies of each other
    scores = model.scores(thread)
    order = np.random.default_rng(0).permutation(700)
    mixed = Thread(thread.article, tuple(thread.comments[place] for place in order.tolist()))
    explained = model.explain(mixed)
    np.testing.assert_allclose([each.score for each in explained], scores[order], atol=2e-5)


def test_ready_takes_the_model_of_the_language() -> None:
    assert load_ready(READY) is load_ready(READY, "en") is load_ready("ready-en")
    assert load_ready(READY, "ja") is load_ready("ready-ja")
    assert (ready_name("zh"), ready_name("fr")) == ("ready-zh", None)


def test_without_wordllama_the_plain_model_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    assert ready_name("en") == "ready-en-plain"
    assert cast(Argument, load_ready(READY)).features_.reader.vectors.kind == "none"
    # Fitting adapts it as well; its vectors are then fitted on the comments.
    fitted = Argument(padding=False).fit(samples.threads()[:3])
    assert fitted.adapted_
    assert fitted.features_.reader.vectors.kind == "lsa"


def test_a_language_or_name_without_a_model_is_refused_with_what_there_is() -> None:
    with pytest.raises(nd.ArgumentError, match=r"no ready model for 'fr'; .* en, ja, zh"):
        load_ready(READY, "fr")
    with pytest.raises(nd.ArgumentError, match="called 'ready-fr'; there are: ready-en,"):
        load_ready("ready-fr")


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_no_comment_that_was_voted_down_is_among_the_first_three_of_the_sample(lang: str) -> None:
    ready = load_ready("ready", lang)
    for thread in samples.threads(lang):
        first = [ranked.comment for ranked in ready.rank(thread)[:3]]
        assert min((comment.yes or 0) / (comment.votes or 1) for comment in first) > 0.3
