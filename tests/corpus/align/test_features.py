"""Words, addresses and the features of pairs, against a slow plain implementation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.corpus.align.background import Background, capitalised_runs, words
from newsdesk.corpus.align.features import NAMES, Window, phrases
from newsdesk.corpus.align.model import EventAligner, all_pairs
from newsdesk.corpus.pages import url_key
from newsdesk.types import Article, Entity, Event
from tests.corpus.align.conftest import Corpus
from tests.corpus.align.plain import plain_features


def test_every_feature_of_every_pair_equals_the_plain_one(
    corpus: Corpus, aligner: EventAligner
) -> None:
    events, articles = corpus.events[:12], corpus.articles[:30]
    matrix = all_pairs(Window(events, aligner.background_, aligner.features), articles)
    plain = [
        plain_features(article, event, aligner.background_, aligner.features)
        for article in articles
        for event in events
    ]
    assert matrix.shape[1] == len(NAMES[aligner.features])
    np.testing.assert_allclose(matrix, plain, rtol=0, atol=1e-9)


def test_a_pair_is_measured_alike_in_any_company(corpus: Corpus, aligner: EventAligner) -> None:
    few = Window(corpus.events[:1], aligner.background_, aligner.features)
    many = Window(corpus.events[:9], aligner.background_, aligner.features)
    alone = all_pairs(few, corpus.articles[:1])
    together = all_pairs(many, corpus.articles[:5])
    np.testing.assert_allclose(alone[0], together[0], rtol=0, atol=1e-12)


def test_empty_texts_have_features_of_zero(aligner: EventAligner) -> None:
    events = [Event("e", "2019-01-01", ""), Event("f", "2019-01-01", "?!")]
    articles = [Article("a", ""), Article("b", "…", title="")]
    matrix = all_pairs(Window(events, aligner.background_, aligner.features), articles)
    assert np.isfinite(matrix).all()
    assert not matrix.any()


def test_linked_phrases_count_and_capitalised_runs_stand_in_for_them() -> None:
    linked = Event("e", "2019-01-01", "The cat met Ann Bo.", entities=(Entity("cat", "Cat", 4, 7),))
    assert phrases(linked) == ("cat",)
    assert phrases(Event("e", "2019-01-01", "The cat met Ann Bo.")) == ("Ann Bo",)
    assert capitalised_runs("In Rome, the Pope meets U.S. envoys") == ("Rome", "Pope", "U", "S")


@settings(max_examples=60)
@given(st.text(max_size=120))
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    unspaced = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
    if not unspaced.search(text.lower()):
        assert words(text) == re.findall(r"[^\W_]+", text.lower())


@pytest.mark.real
def test_the_fast_way_to_cut_words_changes_none_in_real_news(shared_data: Path) -> None:
    lines = (shared_data / "wcep_real" / "clusters_train.jsonl").read_text("utf-8").splitlines()
    texts = [each["text"] for line in lines[:200] for each in json.loads(line)["articles"]]
    assert all(words(text) == re.findall(r"[^\W_]+", text[:20_000].lower()) for text in texts)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.org", "example.org"),
        ("https://www.example.org/", "example.org"),
        ("//EXAMPLE.org/A", "example.org/A"),
        ("example.org/A/", "example.org/A"),
        ("https://example.org/a?id=1&utm_source=x&utm_medium=y#part", "example.org/a?id=1"),
        ("https://example.org/a?UTM_campaign", "example.org/a"),
        ("https://example.org/a?futm_x=1", "example.org/a?futm_x=1"),
        ("http://example.org:80/a", "example.org/a"),
        ("http://example.org:8080/a", "example.org:8080/a"),
        ("https://web.archive.org/web/2019id_/https://www.example.org/a", "example.org/a"),
        ("http://[broken", "http://[broken"),
        (" https://example.org/a ", "example.org/a"),
    ],
)
def test_spellings_of_an_address_share_a_key(url: str, key: str) -> None:
    assert url_key(url) == key


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_a_key_is_its_own_key_or_at_least_no_error(text: str) -> None:
    assert isinstance(url_key(text), str)


def test_a_background_survives_its_arrays_and_unseen_words_are_the_rarest() -> None:
    background = Background.fit(["The sea rises."], ["the sea", "the land é", "land"])
    again = Background.from_arrays(4, background.summary_words, background.arrays())
    assert again.vocabulary == background.vocabulary == ("rises", "sea", "the", "land")
    assert again.frequencies_of(["the", "é", "never"]).tolist() == [3, 0, 0]
    assert background.idf(np.array([0]))[0] > background.idf(np.array([1]))[0]
