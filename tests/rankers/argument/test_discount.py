"""The discount of sentences: padding counts little wherever it stands, comments stay whole, and one letter changes little."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.arrays import Floats
from newsdesk.packaged import sections
from newsdesk.rankers.argument.discount import Discount, _raised
from newsdesk.rankers.argument.features import ArgumentFeatures
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.evaluation.gaming import PLACES, game, placed
from newsdesk.rankers.ranker import Ranker, ranker
from newsdesk.types import Article, Comment, Thread
from research.ready import mistyped

HOST = samples.threads()[10]


def weights_of(model: Argument, thread: Thread) -> tuple[tuple[str, ...], Floats]:
    talk = Talk.of(thread, model.features_.reader)
    hosts = np.arange(len(thread.comments))
    return talk.read[0].texts, model.features_.discount.weights(talk.read[0], talk, hosts)


def words_in_a_row(text: str, count: int, lang: str) -> set[tuple[str, ...]]:
    units = re.findall(r"\w", text) if lang != "en" else re.findall(r"\w+", text.lower())
    return {tuple(units[place : place + count]) for place in range(len(units) - count + 1)}


@pytest.mark.parametrize(("lang", "count"), [("en", 4), ("zh", 6), ("ja", 10)])
def test_padding_for_training_shares_no_wording_with_the_filler_of_the_test(
    lang: str, count: int
) -> None:
    train, test = (
        {row for lines in sections("rankers", f"{name}-{lang}.txt").values() for line in lines
         for row in words_in_a_row(line, count, lang)}
        for name in ("padding", "filler")
    )  # fmt: skip
    assert train & test == set()


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_there_are_at_least_twelve_styles_for_training_and_for_testing(lang: str) -> None:
    train, test = (sections("rankers", f"{name}-{lang}.txt") for name in ("padding", "filler"))
    assert set(train) >= set(test) == set(sections("rankers", "filler-en.txt"))
    assert len(test) >= 12


@pytest.mark.parametrize("place", PLACES)
def test_padding_counts_little_wherever_it_stands_and_the_comment_much(
    model: Argument, place: str
) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"][:4]
    own: list[float] = []
    added: list[float] = []
    for number, comment in enumerate(HOST.comments[:10]):
        text = placed(comment.text, " ".join(filler), place, "en")
        comments = list(HOST.comments)
        comments[number] = dataclasses.replace(comment, text=text)
        one = Thread(HOST.article, tuple(comments))
        talk = Talk.of(one, model.features_.reader)
        start, end = talk.read[0].starts[number : number + 2].tolist()
        _, weights = weights_of(model, one)
        for sentence, weight in zip(talk.read[0].texts[start:end], weights[start:end], strict=True):
            (added if sentence in filler else own).append(weight)
    assert np.mean(added) < 0.3
    assert np.mean(own) > 0.7


def test_no_sentence_is_removed_and_every_comment_keeps_its_best(model: Argument) -> None:
    talk = Talk.of(HOST, model.features_.reader)
    weights = model.features_.discount.weights(talk.read[0], talk, np.arange(len(HOST.comments)))
    assert ((weights >= 0) & (weights <= 1)).all()
    for start, end in zip(talk.read[0].starts[:-1], talk.read[0].starts[1:], strict=True):
        assert weights[start:end].max() > 0.8


def test_sentences_of_one_style_are_padding_together_more_than_alone(model: Argument) -> None:
    own = HOST.comments[4].text
    filler = sections("rankers", "filler-en.txt")["newsquote"][:4]
    texts = [f"{own} {filler[0]}", f"{own} {' '.join(filler)}"]
    thread = Thread(HOST.article, tuple(Comment(f"c{n}", text) for n, text in enumerate(texts)))
    talk = Talk.of(thread, model.features_.reader)
    odds, padded = model.features_.discount.odds(talk.read[0], talk, np.arange(2))
    alone, together = (
        odds[talk.read[0].starts[n] :][
            talk.read[0].texts[talk.read[0].starts[n] :].index(filler[0])
        ]
        for n in (0, 1)
    )
    assert together > alone
    assert padded[1] > max(padded[0], 0.9)


def test_a_comment_of_one_sentence_counts_in_full_whatever_it_looks_like(model: Argument) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"]
    comments = tuple(Comment(f"c{n}", text) for n, text in enumerate(filler[:3]))
    pair = Comment("pair", f"{filler[3]} {HOST.comments[0].text}")
    thread = Thread(HOST.article, (*comments, pair))
    talk = Talk.of(thread, model.features_.reader)
    assert np.diff(talk.read[0].starts)[:3].tolist() == [1, 1, 1]
    _, weights = weights_of(model, thread)
    assert weights[:3].tolist() == [1.0, 1.0, 1.0]
    assert weights[3] < 0.9


def test_a_comment_all_in_the_manner_of_padding_keeps_its_best_sentence(model: Argument) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"][:4]
    thread = Thread(HOST.article, (Comment("padded", " ".join(filler)), *HOST.comments))
    talk = Talk.of(thread, model.features_.reader)
    odds, _ = model.features_.discount.odds(talk.read[0], talk, np.arange(len(thread.comments)))
    own = slice(*talk.read[0].starts[:2].tolist())
    assert odds[own].min() > 2  # every sentence looks like padding
    _, weights = weights_of(model, thread)
    assert weights[own].max() > 0.9


def test_more_than_half_of_a_comment_counts_unless_it_is_padded_almost_surely() -> None:
    reader = Argument(padding=False, vectors="none").fit(samples.threads()[:2]).features_.reader
    talk = Talk.of(Thread(Article("a", ""), (Comment("c", "One here. Two there."),)), reader)
    weights, sizes = np.array([0.0, 1.0]), np.array([80.0, 20.0])
    raised = {p: _raised(talk.read[0], weights, sizes, np.array([p])).item() for p in (0.5, 1.0)}
    assert raised == {0.5: pytest.approx(0.5), 1.0: 0.0}


def test_enough_of_a_comment_counts_however_sure_one_sentence_is_padding(
    model: Argument, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = np.array([-5.0, 9.0]), np.array([0.5])
    monkeypatch.setattr(Discount, "odds", lambda *given: judged)
    text = "Trains cost money. The long sentence after it is taken for padding almost surely here."
    texts, weights = weights_of(model, Thread(HOST.article, (Comment("c", text),)))
    sizes = np.array([len(each) + 1 for each in texts])
    assert (sizes * weights).sum() / sizes.sum() == pytest.approx(0.6, abs=0.01)


def test_the_probability_of_padding_lies_in_bounds_and_is_small_for_comments_of_people(
    model: Argument,
) -> None:
    talk = Talk.of(HOST, model.features_.reader)
    _, padded = model.features_.discount.odds(talk.read[0], talk, np.arange(len(HOST.comments)))
    assert ((padded >= 0) & (padded <= 1)).all()
    assert np.median(padded) < 0.2


def test_one_sentence_says_no_more_than_eight_log_odds_of_its_comment(model: Argument) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"][0]
    talk = Talk.of(Thread(HOST.article, (Comment("c", filler),)), model.features_.reader)
    discount = model.features_.discount
    sure = dataclasses.replace(discount, coef=100 * discount.coef, bias=100 * discount.bias)
    _, padded = sure.odds(talk.read[0], talk, np.zeros(1, dtype=np.int64))
    # A fifth of comments are padded, with half of their sentences; each style is one of several.
    most = 0.2 * (0.5 * np.exp(8) + 0.5)
    assert 0.9 < padded.item() <= most / (most + 0.8)


def test_without_padding_only_repetition_is_discounted() -> None:
    reader = Argument(padding=False, vectors="none").fit(samples.threads()[:2]).features_.reader
    text = "Trains cost a lot of money here. No way. Trains cost a lot of money here! Why?"
    one = Thread(Article("a", ""), (Comment("c", text),))
    talk = Talk.of(one, reader)
    weights = Discount.nothing(reader).weights(talk.read[0], talk, np.arange(1))
    assert weights.tolist() == [1.0, 1.0, 0.0, 1.0]


def test_a_comment_said_again_keeps_its_score(model: Argument) -> None:
    place = 4
    again = Comment("again", f"{HOST.comments[place].text} {HOST.comments[place].text}")
    (score,) = model.replaced(HOST, [place], [again])
    assert score == pytest.approx(model.scores(HOST)[place], abs=1e-5)


def test_one_typo_changes_a_score_little(model: Argument) -> None:
    rng = np.random.default_rng(0)
    changes = []
    for thread in samples.threads()[9:]:
        places = list(range(min(len(thread.comments), 30)))
        typos = [
            dataclasses.replace(thread.comments[n], text=mistyped(thread.comments[n].text, rng))
            for n in places
        ]
        after = model.replaced(thread, places, typos)
        changes += np.abs(after - model.scores(thread)[places]).tolist()
    assert len(changes) >= 60
    assert max(changes) < 0.6


def test_filler_does_not_lift_weak_comments(model: Argument) -> None:
    threads = samples.threads()[9:]
    for kind in ("bland", "polite", "boilerplate", "repeat", "boilerplate:prepend"):
        (ours,) = game(model, threads, [kind], samples=50)
        (length,) = game(ranker("length"), threads, [kind], samples=50)
        assert ours.pairs > 30
        assert ours.share <= 0.2 < length.share


def test_a_discount_survives_saving(model: Argument) -> None:
    arrays = model.features_.discount.learned()
    restored = Discount.restored(model.features_.reader, arrays)
    _, before = weights_of(model, HOST)
    talk = Talk.of(HOST, model.features_.reader)
    after = restored.weights(talk.read[0], talk, np.arange(len(HOST.comments)))
    np.testing.assert_array_equal(before, after)


def test_a_thread_is_read_in_sentences(model: Argument) -> None:
    text = "no one asked us The trains are late again. Why?"
    texts, _ = weights_of(model, Thread(Article("a", ""), (Comment("c", text),)))
    assert texts == ("no one asked us", "The trains are late again.", "Why?")


def test_replaced_equals_scoring_the_changed_thread_one_at_a_time(model: Argument) -> None:
    host = samples.threads()[9]
    new = [
        Comment(f"n{place}", f"{host.comments[place].text} Because of 3 % rent.")
        for place in range(4)
    ]
    # The last one becomes a copy of another comment.
    for comments in (new, [*new[:3], Comment("n3", host.comments[9].text)]):
        fast = model.replaced(host, [0, 1, 2, 3], comments)
        plain = Ranker.replaced(model, host, [0, 1, 2, 3], comments)
        # The discount of the other comments, which a new neighbour changes a little, stays as it was.
        np.testing.assert_allclose(fast, plain, atol=5e-4)
    assert model.replaced(host, [], []).size == 0


def test_the_features_of_a_thread_do_not_depend_on_its_order(model: Argument) -> None:
    features: ArgumentFeatures = model.features_
    rows = features.of_thread(HOST).rows
    mirrored = features.of_thread(Thread(HOST.article, HOST.comments[::-1])).rows
    np.testing.assert_allclose(mirrored[::-1], rows, atol=2e-5)
