"""Our own method: its odds and expected F equal a plain count, and it is better where it was not tuned."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk import records, samples
from newsdesk.errors import ArgumentError
from newsdesk.simulate import world
from newsdesk.summarizers import evaluate, prepare, summarizer
from newsdesk.summarizers.expected_rouge import ExpectedRouge
from newsdesk.summarizers.word_odds import (
    FEATURES,
    TIMES,
    WordOdds,
    Words,
    fit,
    function_words,
    shipped,
)
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import CLUSTERS, cluster_of

cut = tokenizer("rouge").words


def validation(cluster: Cluster) -> bool:
    """The half that the shipped weights were fitted on; the other was left alone until the end."""
    return int(hashlib.sha256(f"half {cluster.id}".encode()).hexdigest(), 16) % 2 == 0


def plain_importance(articles: list[list[list[str]]]) -> list[float]:
    sets = [{word for sentence in article for word in sentence} for article in articles]
    df = Counter(word for words in sets for word in words)
    idf = {word: math.log((1 + len(sets)) / (1 + n)) + 1e-9 for word, n in df.items()}
    lengths = [math.sqrt(sum(idf[word] ** 2 for word in words)) or 1.0 for words in sets]
    total: Counter[str] = Counter()
    for words, length in zip(sets, lengths, strict=True):
        for word in words:
            total[word] += idf[word] / length
    close = [
        sum(idf[word] / length * total[word] for word in words)
        for words, length in zip(sets, lengths, strict=True)
    ]
    return [each / sum(close) if sum(close) else 1 / len(sets) for each in close]


def plain_features(cluster: Cluster) -> dict[str, list[float]]:
    prepared = prepare(cluster)
    articles: list[list[list[str]]] = [[] for _ in cluster.articles]
    for number, text in enumerate(prepared.texts):
        articles[prepared.article[number]].append(cut(text))
    n = len(articles)
    weight = plain_importance(articles)
    titles = [set(cut(article.title or "")) for article in cluster.articles]
    titled = sum(w for w, title in zip(weight, titles, strict=True) if title) or 1e-9
    distinct = [set(cut(text)) for text in dict.fromkeys(prepared.texts)]
    words = {word for article in articles for sentence in article for word in sentence}
    found = {}
    for word in words.union(*titles):

        def share(first: int | None, word: str = word) -> float:
            held = (any(word in sentence for sentence in each[:first]) for each in articles)
            return sum(w for w, holds in zip(weight, held, strict=True) if holds)

        holding = sum(word in sentence for sentence in distinct)
        tellers = sum(any(word in sentence for sentence in each) for each in articles)
        found[word] = [
            max(share(None) - 1 / n, 0) / max(1 - 1 / n, 0.5),
            sum(w for w, title in zip(weight, titles, strict=True) if word in title) / titled,
            share(1),
            share(3),
            math.log(1 + holding / max(tellers, 1)),
            math.log(1 + holding / n) / math.log(1 + len(distinct) / n),
        ]
    return found


def plain_f(cluster: Cluster, texts: list[str], expected: float) -> float:
    """Expected F as the method's docstring has it."""
    features, weights = plain_features(cluster), shipped().weights
    worth = 0.0
    used = Counter(word for text in texts for word in cut(text))
    for word, uses in used.items():
        own = weights[int(word in function_words())]
        base = (
            math.log(expected / 30)
            + own[0]
            + sum(own[1 + at] * value for at, value in enumerate(features[word]))
        )
        for time in range(min(uses, TIMES)):
            later = own[len(FEATURES) + time] if time else 0.0
            worth += 1 / (1 + math.exp(-(base + later)))
    return 2 * worth / (sum(used.values()) + expected)


def test_what_is_counted_about_a_word_is_what_a_plain_count_finds() -> None:
    for cluster in samples.clusters()[:3]:
        words = Words.of(prepare(cluster))
        expected = plain_features(cluster)
        assert set(words.lexicon) == set(expected)
        ours = dict(zip(words.lexicon, words.features.tolist(), strict=True))
        for word, values in expected.items():
            assert ours[word] == pytest.approx(values, abs=1e-9), word


@given(CLUSTERS, st.integers(10, 90))
@settings(max_examples=40)
def test_the_scores_of_the_trace_are_the_expected_f(cluster: Cluster, max_words: int) -> None:
    method = ExpectedRouge(max_words=max_words)
    trace = method.summarize(cluster).trace
    taken: list[str] = []
    for each in trace:
        if each.taken:
            taken.append(each.sentence.text)
            assert each.score == pytest.approx(plain_f(cluster, taken, 0.75 * max_words), abs=1e-7)
        elif each.outcome == "no gain":
            assert (each.score or 0) <= (trace[len(taken) - 1].score or 0)


@given(CLUSTERS)
@settings(max_examples=25)
def test_the_first_sentence_of_a_narrow_search_is_the_best_one(cluster: Cluster) -> None:
    prepared = prepare(cluster)
    numbers = [n for n in prepared.distinct.tolist() if not prepared.too_short(n, 7)]
    fits = [prepared.texts[n] for n in numbers if prepared.word_count(n) <= 40]
    summary = ExpectedRouge(beam=1).summarize(prepared)
    if fits:
        values = [round(plain_f(cluster, [text], 30.0), 8) for text in fits]
        assert round(summary.trace[0].score or 0, 8) == pytest.approx(max(values), abs=2e-8)


def test_a_wider_search_expects_no_less() -> None:
    for cluster in samples.clusters():
        prepared = prepare(cluster)
        ends = []
        for beam in (1, 6, 40):
            trace = ExpectedRouge(beam=beam).summarize(prepared).trace
            ends.append([each.score or 0.0 for each in trace if each.taken][-1])
        assert ends[0] <= ends[1] + 1e-9
        assert ends[1] <= ends[2] + 1e-9


def test_a_sentence_that_says_the_same_in_another_order_adds_nothing() -> None:
    first = "A storm flooded the harbour of the old town on Monday and sank nine boats."
    same = "On Monday a storm sank nine boats and flooded the harbour of the old town."
    other = "The mayor asked volunteers to bring sand and pumps before the next tide."
    cluster = cluster_of(f"{first}\n\n{same}\n\n{other}")
    chosen = summarizer("expected-rouge", summary_share=3).summarize(cluster)
    assert {each.text for each in chosen.sentences} == {first, other} or {
        each.text for each in chosen.sentences
    } == {same, other}


def test_more_is_taken_where_longer_summaries_are_expected() -> None:
    def words(share: float) -> int:
        method = summarizer("expected-rouge", summary_share=share)
        return sum(len(method.summarize(each).text.split()) for each in samples.clusters())

    assert words(0.1) < words(0.75) < words(3)


def test_an_article_of_something_else_counts_least(shared_data: Path) -> None:
    text = (shared_data / "wcep_real" / "belize_cluster.json").read_text("utf-8")
    articles = json.loads(text)["articles"]
    method = [
        ClusterArticle(str(n), each["text"] if isinstance(each, dict) else each)
        for n, each in enumerate(articles)
    ]
    held = [[cut(text) for text in prepare(Cluster("c", (each,))).texts] for each in method]
    assert int(np.argmin(plain_importance(held))) == 2  # put there by the authors
    summary = summarizer("expected-rouge").summarize(Cluster("c", tuple(method)))
    assert all(each.article != "2" for each in summary.sentences)


def test_the_signature_names_the_odds() -> None:
    assert ExpectedRouge().signature.endswith(f"|odds:{shipped().digest}")
    assert WordOdds(shipped().weights + 0.1).digest != shipped().digest


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ArgumentError, match="beam is 0"):
        summarizer("newsdesk(beam=0)")
    with pytest.raises(ArgumentError, match="summary_share is -1"):
        summarizer("newsdesk(summary_share=-1)")


def test_the_shipped_weights_are_those_of_the_validation_halves(shared_data: Path) -> None:
    real = records.read(shared_data / "wcep_real" / "clusters_train.jsonl", Cluster)
    examples = [
        *((each, 3.0 if len(each.articles) > 1 else 1.0) for each in real if validation(each)),
        *((each, 1.0) for each in world(seed=100, preset="base", events=80, comments=0).clusters()),
    ]
    assert fit(examples).weights == pytest.approx(shipped().weights, abs=0.05)


def test_on_the_halves_that_were_left_alone_it_beats_lead_and_submodular(shared_data: Path) -> None:
    real = records.read(shared_data / "wcep_real" / "clusters_train.jsonl", Cluster)
    held = [each for each in real if not validation(each)]
    found = evaluate(held, ["expected-rouge", "lead", "submodular"], samples=1_000)
    for other in ("lead", "submodular"):
        assert found.difference("expected-rouge", other, "R1-F").low > 0
