"""The baselines that users compare with: each does what its paper says on a small example or by a plain count."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.expectations import function_words
from newsdesk.summarizers.unsupervised import similar_pairs
from newsdesk.text import tokenizer
from tests.summarizers.examples import cluster_of

cut = tokenizer("rouge").words


def content(text: str) -> Counter[str]:
    return Counter(word for word in cut(text) if word not in function_words())


def test_leads_of_articles_take_turns() -> None:
    first = "A storm sank nine boats in the harbour. The mayor asked for sand and pumps."
    second = "Nine boats were lost in the old town. The bridge will be closed for weeks."
    summary = summarizer("lead-interleaved", max_words=30).summarize(cluster_of(first, second))
    assert [(each.article, each.position) for each in summary.sentences] == [
        ("c/1", 0),
        ("c/2", 0),
        ("c/1", 1),
        ("c/2", 1),
    ]


def test_mmr_of_relevance_alone_is_centroid_without_a_redundancy_check() -> None:
    for cluster in samples.clusters()[:4]:
        prepared = prepare(cluster)
        plain = summarizer("centroid(redundancy=1.0)").summarize(prepared)
        assert summarizer("mmr(relevance=1.0)").summarize(prepared).text == plain.text


def test_kl_takes_the_sentence_of_lowest_divergence_first() -> None:
    prepared = prepare(samples.clusters()[0])
    texts = [prepared.texts[number] for number in prepared.distinct.tolist()]
    total = sum(map(content, texts), Counter())
    size = sum(total.values())

    def divergence(text: str) -> float:
        ours = content(text)
        length = sum(ours.values()) + 0.01 * len(total)
        return sum(
            n / size * math.log(n / size / ((ours[word] + 0.01) / length))
            for word, n in total.items()
        )

    first = summarizer("kl").summarize(prepared).trace[0]
    assert first.score == pytest.approx(-divergence(first.sentence.text), abs=1e-6)
    fits = [text for text in texts if len(cut(text)) <= 40 and len(text.split()) > 7]
    assert divergence(first.sentence.text) <= min(map(divergence, fits)) + 1e-9


def test_the_graph_of_lexrank_joins_sentences_above_the_threshold() -> None:
    vectors = prepare(samples.clusters()[0]).vectors
    dense = (vectors @ vectors.T).toarray()
    edges = similar_pairs(vectors, 0.1).toarray()
    assert np.array_equal(edges > 0, dense > 0.1)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("mmr(relevance=2)", "relevance is 2, not a share"),
        ("kl(smoothing=0)", "smoothing is 0, not above zero"),
        ("lexrank(threshold=1)", "threshold is 1, not a share below 1"),
        ("lexrank(max_candidates=0)", "max_candidates is 0"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(spec: str, reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        summarizer(spec)
