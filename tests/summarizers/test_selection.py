"""Down the ranking: what is taken, what is passed over, and what the trace says about it."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.summarizer import SHOWN_BEHIND, Room
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import cluster_of

STORM = "The storm hit the old harbour town early on Monday morning."  # 11 words
FLOOD = "A flood then covered its market square with mud and water."  # 11 words
SHORT = "Boats came to the harbour at noon."  # 7 words


def test_selection_goes_on_past_a_sentence_that_does_not_fit() -> None:
    summary = summarizer("lead", max_words=18).summarize(
        cluster_of(f"{STORM}\n\n{FLOOD}\n\n{SHORT}")
    )
    assert summary.text == STORM  # a lead ends there
    ranked = summarizer("centroid", max_words=18).summarize(
        cluster_of(f"{STORM}\n\n{FLOOD}\n\n{SHORT}")
    )
    assert len(ranked.sentences) == 2
    assert SHORT in ranked.text
    assert [each.outcome for each in ranked.trace].count("does not fit") == 1


def test_a_lead_begins_with_the_first_sentence_that_fits() -> None:
    long = " ".join(f"w{n}" for n in range(60)) + "."
    summary = summarizer("lead").summarize(
        cluster_of(f"{long}\n\nToo short.\n\n{STORM}\n\n{FLOOD}")
    )
    assert summary.text == f"{STORM} {FLOOD}"
    assert [each.outcome for each in summary.trace] == [
        "does not fit",
        "too short",
        "taken",
        "taken",
    ]


def test_the_lead_of_a_cluster_is_that_of_its_first_article_with_one() -> None:
    summary = summarizer("lead", max_words=11).summarize(cluster_of("", "Too short.", FLOOD, STORM))
    assert [(each.article, each.text) for each in summary.sentences] == [("c/3", FLOOD)]


def test_random_lead_draws_every_article_sooner_or_later() -> None:
    cluster = cluster_of(STORM, FLOOD, SHORT)
    drawn = {summarizer("random-lead", seed=seed).summarize(cluster).text for seed in range(40)}
    assert drawn == {STORM, FLOOD, SHORT}


def test_random_draws_every_sentence_sooner_or_later() -> None:
    cluster = cluster_of(f"{STORM}\n\n{FLOOD}", SHORT)
    method = [summarizer("random", seed=seed, max_words=11) for seed in range(40)]
    assert {each.summarize(cluster).text for each in method} == {STORM, FLOOD, SHORT}


def test_a_near_copy_is_redundant_and_the_trace_counts_its_bigrams() -> None:
    copy = STORM.replace("Monday", "MONDAY").replace("morning", "evening")
    cluster = cluster_of(STORM, copy, FLOOD)
    summary = summarizer("centroid").summarize(cluster)
    assert len(summary.sentences) == 2
    (skipped,) = [each for each in summary.trace if each.outcome == "redundant"]
    assert skipped.detail == "9 of its 11 bigrams are in sentence 1 taken before"
    assert len(summarizer("centroid", redundancy=1.0).summarize(cluster).sentences) == 3


def test_a_share_equal_to_the_threshold_is_redundant() -> None:
    first = "Alpha bravo charlie delta echo foxtrot golf hotel."
    half = "Alpha bravo charlie delta echo xray yankee zulu."  # 4 of its 8 bigrams
    cluster = cluster_of(first, half)
    assert len(summarizer("centroid", redundancy=0.5).summarize(cluster).sentences) == 1
    assert len(summarizer("centroid", redundancy=0.51).summarize(cluster).sentences) == 2


def test_a_threshold_of_zero_still_lets_unrelated_sentences_in() -> None:
    summary = summarizer("centroid", redundancy=0.0).summarize(cluster_of(STORM, FLOOD))
    assert len(summary.sentences) == 2


def test_equal_scores_are_taken_by_position() -> None:
    texts = [f"Word{n} alpha bravo charlie delta echo foxtrot golf." for n in range(5)]
    summary = summarizer("textrank", max_words=16, redundancy=1.0).summarize(cluster_of(*texts))
    assert [each.text for each in summary.sentences] == texts[:2]


def test_the_trace_ends_soon_after_the_last_sentence_taken() -> None:
    for cluster in samples.clusters():
        trace = summarizer("centroid").summarize(cluster).trace
        last = max(place for place, each in enumerate(trace) if each.taken)
        assert len(trace) <= last + 1 + SHOWN_BEHIND
        scores = [each.score for each in trace if each.score is not None]
        assert len(scores) == len(trace)
        assert scores == sorted(scores, reverse=True)


def test_words_are_tokens_with_a_letter_or_digit() -> None:
    prepared = prepare(cluster_of('"Well," he didn\'t say - 27 of them (all) left.'))
    assert prepared.word_count(0) == 10  # Well he did n't say 27 of them all left
    assert prepared.fewest_words[0] <= 10


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_fewest_words_never_exceed_the_words(lang: str) -> None:
    for thread in samples.threads(lang):
        article = ClusterArticle("a", thread.article.text)
        prepared = prepare(Cluster("c", (article,)))
        for number in range(len(prepared)):
            assert prepared.fewest_words[number] <= prepared.word_count(number)
            assert prepared.too_short(number, 7) == (len(prepared.words(number)) < 7)


def test_characters_count_the_space_between_sentences() -> None:
    prepared = prepare(cluster_of(STORM, FLOOD))
    exact = len(STORM) + 1 + len(FLOOD)
    method = summarizer("centroid", unit="characters", max_words=exact)
    assert len(method.summarize(prepared).text) == exact
    tight = summarizer("centroid", unit="characters", max_words=exact - 1)
    assert len(tight.summarize(prepared).sentences) == 1
    assert str(Room(prepared, 40, "characters")) == "40 characters left"


def test_a_wrapped_sentence_is_one_line() -> None:
    wrapped = STORM.replace("harbour ", "harbour\n").replace("early ", "early \r\n")
    assert summarizer("lead").summarize(cluster_of(wrapped)).text == STORM


def test_the_language_of_each_article_counts() -> None:
    zh = samples.threads("zh")[0].article
    cluster = Cluster("c", (ClusterArticle("a", STORM), ClusterArticle("b", zh.text)))
    prepared = prepare(cluster)
    assert prepared.languages == ("en", "zh")
    chinese = int(prepared.offsets[1])
    assert prepared.words(chinese) == tokenizer("zh").words(prepared.texts[chinese])
    summary = summarizer("textrank", max_words=200).summarize(prepared)
    assert "|tok:en.1+zh." in summary.signature
    declared = Cluster("d", (ClusterArticle("a", STORM, lang="de"),))
    assert prepare(declared).languages == ("de",)
