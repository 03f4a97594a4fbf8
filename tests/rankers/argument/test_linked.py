"""What belongs to a thread: the detector of foreign sentences, the checks of substance, and how much length counts."""

from __future__ import annotations

import dataclasses
from typing import cast

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.rankers.argument.features import ArgumentFeatures
from newsdesk.rankers.argument.linked import LEAST_THREADS, Linked
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.argument.substance import prose, quoted, repeated
from newsdesk.rankers.ready import Models, load_ready
from newsdesk.types import Article, Comment, Thread

THREADS = samples.threads("en")


@pytest.fixture(scope="module")
def features() -> ArgumentFeatures:
    """The features of the ready model without vectors, with a detector learned from nine threads."""
    ready = cast(Argument, load_ready("ready-en-plain")).features_
    talks = [Talk.of(thread, ready.reader) for thread in THREADS[:9]]
    return dataclasses.replace(ready, linked=Linked.of(talks, ready.reader))


def weights(features: ArgumentFeatures, host: Thread, text: str) -> list[float]:
    """How far the sentences of a text belong to a thread, in the place of its last comment."""
    talk = Talk.of(host, features.reader)
    assert features.linked is not None
    last = np.array([len(host.comments) - 1])
    return features.linked.weights(features.reader.read([text], talk.terms), talk, last).tolist()


def test_sentences_of_another_thread_weigh_less_than_those_of_the_own(
    features: ArgumentFeatures,
) -> None:
    own, foreign = [], []
    for host, other in zip(THREADS[9:], THREADS[:3], strict=True):
        for comment, guest in zip(host.comments[-1:], other.comments, strict=False):
            split = len(features.reader.split(comment.text))
            both = weights(features, host, f"{comment.text} {guest.text}")
            own += both[:split]
            foreign += both[split:]
    assert np.mean(own) > np.mean(foreign) + 0.2


def test_among_few_comments_nothing_is_called_foreign(features: ArgumentFeatures) -> None:
    alone = Thread(Article("a", "", lang="en"), THREADS[0].comments[:1])
    assert min(weights(features, alone, THREADS[1].comments[0].text)) > 0.8


def test_what_an_earlier_comment_said_counts_for_that_one(features: ArgumentFeatures) -> None:
    first = "The ferry is late because nobody checks the pumps before the first crossing."
    comments = (
        first,
        "Not my ferry.",
        f"We live by the old pier and have waited there for an hour on most days of this month. {first}",
    )
    host = Thread(Article("a", "", lang="en"), tuple(Comment(f"c{n}", t) for n, t in enumerate(comments)))  # fmt: skip
    talk = Talk.of(host, features.reader)
    ((hosts, sentences),) = talk.blocks()
    shares = repeated(sentences, talk, hosts)
    assert shares.tolist() == [0, 0, 0, 1]
    # By time the last one may have been the first.
    times = ("2026-11-18T11:00:00Z", "2026-11-18T12:00:00Z", "2026-11-17T10:00:00Z")
    dated = tuple(dataclasses.replace(c, at=at) for c, at in zip(host.comments, times, strict=True))
    talk = Talk.of(Thread(host.article, dated), features.reader)
    assert repeated(sentences, talk, hosts).tolist() == [1, 0, 0, 0]


def test_sentences_of_the_article_and_of_the_comment_itself_are_repetition(
    features: ArgumentFeatures,
) -> None:
    body = "The ferry was late on the first day of the season."
    text = f"{body} Nobody told us that it would be so. Yet nobody told us that it would be so."
    host = Thread(Article("a", body, lang="en"), (Comment("c", text),))
    talk = Talk.of(host, features.reader)
    ((hosts, sentences),) = talk.blocks()
    shares = repeated(sentences, talk, hosts)
    assert shares[0] == 1 and shares[1] == 0 and shares[2] >= 0.8


def test_quotations_count_only_with_the_words_around_them(features: ArgumentFeatures) -> None:
    text = 'Twain put it well: "Pause and reflect. It is time." I disagree with "fair" here.'
    sentences = features.reader.read([text], features.reader.no_terms())
    shares = dict(zip(sentences.texts, quoted(sentences).tolist(), strict=True))
    assert 0.3 < shares['Twain put it well: "Pause and reflect.'] < 0.7
    assert shares['It is time."'] == 1
    assert shares['I disagree with "fair" here.'] == 0


def test_a_salad_of_topic_words_is_no_prose_and_numbers_nobody_knows_count_less(
    features: ArgumentFeatures,
) -> None:
    talk = Talk.of(THREADS[0], features.reader)
    rarities = talk.terms.rarities()[: len(talk.frequency)]
    rarest = np.argsort(np.where(talk.frequency > 1, -rarities, 0.0))[:12].tolist()
    terms = list(talk.terms.numbers)
    salad = " ".join(terms[number] for number in rarest) + "."
    plain = "It was not what we had been told by them at the time."
    numbers = "It was 47 in 12 and 86.5 of what we had at 9113."
    sentences = features.reader.read([salad, plain, numbers], talk.terms)
    values = prose(sentences, talk, np.full(3, len(THREADS[0].comments) - 1))
    assert values[0] < 0.1 and values[1] > 0.95 and values[2] < 0.7


def test_with_length_one_only_the_discount_weighs_sentences(features: ArgumentFeatures) -> None:
    one = THREADS[10]
    without = dataclasses.replace(features, linked=None, length=0.5)
    whole, half = features.of_thread(one), dataclasses.replace(features, length=0.5).of_thread(one)
    np.testing.assert_array_equal(whole.logs, without.of_thread(one).logs)
    np.testing.assert_array_equal(whole.rows, without.of_thread(one).rows)
    assert (half.logs < whole.logs).all()


def test_the_less_length_counts_the_earlier_its_curve_is_flat(features: ArgumentFeatures) -> None:
    logs = np.log(np.array([20, 80, 320, 1280]) * 5.84)  # of so many words
    gains = [
        np.diff(dataclasses.replace(features, length=length)._saturated(logs))
        for length in (0.0, 0.5, 1.0)
    ]
    assert gains[0].max() < 0.2 and gains[1][2] < 0.02 and gains[2].min() > 1.3
    assert gains[1][0] > 1.1


def test_a_model_learns_from_threads_at_hand_only_if_they_are_enough() -> None:
    ready = cast(Argument, load_ready("ready-en-plain"))
    assert ready.at_hand(samples.threads("en")).links == ready.links
    assert "20 threads of the model's training" in ready.links
    again = [THREADS[number % len(THREADS)] for number in range(LEAST_THREADS)]
    threads = [
        dataclasses.replace(thread, article=Article(f"a{n}", "", lang="en"))
        for n, thread in enumerate(again)
    ]
    models = Models("ready-en-plain")
    assert list(models.at_hand(iter(threads))) == threads
    assert models.links == ("which sentences belong to a thread was learned from 30 threads of the file (823 comments)",)  # fmt: skip
    plain = Models("ready-en-plain", length=1.0)
    list(plain.at_hand(iter(threads)))
    assert plain.links == ()


def test_the_longest_first_is_the_order_of_length_and_quality_in_which_insults_take_nothing_off() -> (
    None
):
    rude = Comment("rude", "You idiots have ruined the town, and every one of you is a moron.")
    thread = dataclasses.replace(THREADS[0], comments=(*THREADS[0].comments, rude))
    asked = Models("ready-en-plain", length=1.0).of(thread)
    usual = Models("ready-en-plain", length=0.99).of(thread)
    assert asked.signed == {"length": 1.0, "insults": 0.0}
    assert (asked.settings["insults"], usual.settings["insults"]) == (0.0, 1.0)
    assert asked.scores(thread)[-1] > usual.scores(thread)[-1] + 1


def test_length_must_lie_between_0_and_1_and_be_a_setting_of_the_model() -> None:
    with pytest.raises(ArgumentError, match=r"length is 1\.5, not between 0 and 1"):
        Argument(length=1.5)
    with pytest.raises(ArgumentError, match="'length' has no setting of length"):
        Models("length", length=0.5)
