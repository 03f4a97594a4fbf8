"""Centroid, TextRank, Submodular and the greedy oracles choose what the definitions say, written out plainly in `plain`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from newsdesk import samples
from newsdesk.packaged import table
from newsdesk.summarizers import Prepared, prepare, summarizer
from newsdesk.summarizers.prepare import _language
from newsdesk.summarizers.unsupervised import Submodular, kmeans
from newsdesk.text import language
from newsdesk.types import Article, Cluster
from tests.summarizers import plain
from tests.summarizers.examples import CLUSTERS, cluster_of, real_clusters

PLAIN: dict[str, Callable[..., list[str]]] = {
    "centroid": plain.centroid,
    "textrank": plain.textrank,
    "oracle-multi": plain.oracle_multi,
    "oracle-single": plain.oracle_single,
}


def chosen(name: str, cluster: Cluster | Prepared, **settings: float) -> list[str]:
    return [each.text for each in summarizer(name, **settings).summarize(cluster).sentences]


@pytest.mark.parametrize("name", list(PLAIN))
def test_generated_clusters_give_the_same_sentences(name: str) -> None:
    @given(CLUSTERS)
    @settings(max_examples=150)
    def check(cluster: Cluster) -> None:
        assert chosen(name, cluster) == PLAIN[name](cluster)

    check()


@pytest.mark.parametrize("name", ["centroid", "textrank"])
def test_any_limit_and_threshold_give_the_same_sentences(name: str) -> None:
    @given(CLUSTERS, st.integers(5, 90), st.integers(0, 10))
    @settings(max_examples=100)
    def check(cluster: Cluster, max_words: int, tenths: int) -> None:
        setting = {"max_words": max_words, "redundancy": tenths / 10}
        assert chosen(name, cluster, **setting) == PLAIN[name](cluster, **setting)

    check()


@pytest.mark.parametrize("name", list(PLAIN))
def test_the_sample_gives_the_same_sentences(name: str) -> None:
    for cluster in samples.clusters():
        assert chosen(name, cluster) == PLAIN[name](cluster)


@pytest.mark.parametrize("name", list(PLAIN))
def test_real_clusters_give_the_same_sentences(name: str, shared_data: Path) -> None:
    for cluster in real_clusters(shared_data, every=10):
        assert chosen(name, cluster) == PLAIN[name](cluster), cluster.id


def test_scores_equal_the_dense_ones_and_networkx(shared_data: Path) -> None:
    networkx = pytest.importorskip("networkx")
    for cluster in real_clusters(shared_data, every=100):
        prepared = prepare(cluster)
        found = plain.distinct(plain.cut(cluster))
        assert [prepared.texts[number] for number in prepared.distinct] == [s.text for s in found]
        centroid = summarizer("centroid").scores(prepared)  # type: ignore[attr-defined]
        assert centroid == pytest.approx(plain.centroid_scores(found), abs=1e-12)
        ranks = summarizer("textrank").scores(prepared)  # type: ignore[attr-defined]
        assert ranks == pytest.approx(plain.textrank_scores(found), abs=1e-9)
        graph = networkx.from_numpy_array(cosine_similarity(plain.vectors(found)))
        theirs = networkx.pagerank(graph, tol=1e-14, max_iter=1000)
        assert ranks == pytest.approx(np.array(list(theirs.values())) * len(found), abs=1e-7)


@given(CLUSTERS)
@settings(max_examples=60)
def test_vectors_are_scikit_learn_s(cluster: Cluster) -> None:
    prepared = prepare(cluster)
    texts = [prepared.texts[number] for number in prepared.distinct]
    try:
        theirs = TfidfVectorizer(stop_words="english").fit_transform(texts)
    except ValueError:
        assert prepared.vectors.nnz == 0
        return
    ours = prepared.vectors
    assert (ours @ ours.T).toarray() == pytest.approx((theirs @ theirs.T).toarray(), abs=1e-12)


def test_the_stop_words_are_scikit_learn_s() -> None:
    assert set(table("summarizers", "stop_words_en.txt")) == ENGLISH_STOP_WORDS


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_the_language_of_an_article_is_found_as_elsewhere(text: str) -> None:
    assert _language(Article("a", text)) == language(text)


@given(CLUSTERS, st.integers(7, 60), st.integers(1, 10))
@settings(max_examples=60)
def test_submodular_is_the_plain_greedy_choice(
    cluster: Cluster, max_words: int, diversity: int
) -> None:
    check_submodular(cluster, max_words, float(diversity))


def test_submodular_is_the_plain_greedy_choice_on_real_clusters(shared_data: Path) -> None:
    for cluster in real_clusters(shared_data, every=60)[::6]:
        check_submodular(cluster, 40, 6.0)


def check_submodular(cluster: Cluster, max_words: int, diversity: float) -> None:
    method = Submodular(max_words=max_words, diversity=diversity)
    prepared = prepare(cluster)
    found = plain.distinct(plain.cut(cluster))
    if not found:
        return
    groups = kmeans(prepared.vectors, round(0.2 * len(found)), method.rng(prepared, 0)).tolist()
    summary = method.summarize(prepared)
    expected = plain.submodular(found, groups, max_words, w=diversity)
    assert [each.text for each in summary.sentences] == expected
    gains = sum(each.score or 0.0 for each in summary.trace if each.taken)
    similarity = cosine_similarity(plain.vectors(found))
    taken = [[s.text for s in found].index(text) for text in expected]
    value = plain.submodular_value(similarity, groups, taken, w=diversity)
    assert gains == pytest.approx(value, abs=1e-8)  # gains are rounded to nine digits


def test_submodular_value_and_gains_agree() -> None:
    prepared = prepare(samples.clusters()[0])
    places = np.arange(len(prepared.distinct))
    objective = Submodular().objective(prepared, places)
    for place in (3, 11, 0):
        before = objective.value
        gain = float(objective.gains(np.array([place]))[0])
        objective.take(place)
        assert objective.value - before == pytest.approx(gain, abs=1e-12)


def test_of_too_many_sentences_submodular_keeps_the_most_central() -> None:
    cluster = samples.clusters()[0]
    prepared = prepare(cluster)
    few = Submodular(max_candidates=5).summarize(prepared)
    best = np.argsort(-prepared.similarity_sums, kind="stable")[:5]
    central = {prepared.texts[prepared.distinct[place]] for place in best}
    assert {each.sentence.text for each in few.trace} <= central


def test_groups_differ_and_hold_every_sentence() -> None:
    prepared = prepare(samples.clusters()[0])
    n = len(prepared.distinct)
    groups = kmeans(prepared.vectors, round(0.2 * n), np.random.default_rng(0))
    assert len(groups) == n
    assert len(set(groups.tolist())) == round(0.2 * n)
    assert np.bincount(groups).max() < n / 2


def test_redundancy_is_measured_against_one_sentence_at_a_time() -> None:
    # Half of the third sentence's bigrams are in the first, a quarter in the second: 3/4 in both together.
    first = "Alpha bravo charlie delta echo foxtrot golf hotel."
    second = "India juliet kilo lima mike november oscar papa."
    third = "Alpha bravo charlie delta xray india juliet kilo yankee zulu."
    cluster = cluster_of("\n\n".join([first, second, third]))
    both = chosen("centroid", cluster, max_words=100, redundancy=0.5)
    assert set(both) == {first, second, third}
    assert len(chosen("centroid", cluster, max_words=100, redundancy=0.2)) < 3
