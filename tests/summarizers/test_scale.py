"""The largest WCEP cluster has 8,411 articles: every method gets through one, with memory linear in its sentences."""

from __future__ import annotations

import gc
import time
import tracemalloc

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.summarizers import Prepared, prepare, summarizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import EXTRACTIVE, ready

ARTICLES, SENTENCES = 8_411, 3


@pytest.fixture(scope="module")
def large() -> Prepared:
    return prepare(drawn_cluster(ARTICLES))


@pytest.fixture(scope="module")
def eighth() -> Prepared:
    return prepare(drawn_cluster(ARTICLES // 8))


def drawn_cluster(count: int) -> Cluster:
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(3_000)])
    odds = 1 / np.arange(1, 3_001)
    drawn = rng.choice(words, (count, SENTENCES, 12), p=odds / odds.sum())
    texts = ["\n\n".join(" ".join(row).capitalize() + "." for row in article) for article in drawn]
    articles = tuple(ClusterArticle(f"large/{n}", text) for n, text in enumerate(texts))
    return Cluster("large", articles, summary=" ".join(words[:25]))


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_a_cluster_of_8411_articles_takes_linear_time(
    name: str, large: Prepared, eighth: Prepared
) -> None:
    # Of as many sentences as submodular takes by default k-means alone needs seconds; fewer show the same.
    settings = {"max_candidates": 1_000} if name == "submodular" else {}
    method = ready(name, **settings)
    method.summarize(samples.clusters()[0])  # loads models and imports
    seconds = []
    gc.collect()
    gc.freeze()  # a collection of what other tests left behind is no cost of the method
    for prepared in (eighth, large):
        started = time.process_time()
        assert method.summarize(prepared).sentences
        seconds.append(time.process_time() - started)
    gc.unfreeze()
    # Eight times the sentences: what looks at every pair would take 64 times as long.
    assert seconds[1] < 24 * seconds[0] + 0.2
    assert len(large) == ARTICLES * SENTENCES


@pytest.mark.parametrize("name", ["textrank", "centroid", "oracle-multi"])
def test_memory_is_linear_in_sentences(name: str, large: Prepared) -> None:
    fresh = prepare(large.cluster)
    tracemalloc.start()
    summarizer(name).summarize(fresh)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The matrix of all similarities alone would take 5 GB.
    assert peak < 4_000 * len(fresh)
