"""Our own method: its expectations and its value equal a plain count, the search is no worse than greedy, and it is better on real clusters."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk import records, samples
from newsdesk.errors import ArgumentError
from newsdesk.summarizers import evaluate, prepare, summarizer
from newsdesk.summarizers.expectations import TIMES, ClusterUnits, UseRates, function_words, worths
from newsdesk.summarizers.expected_rouge import ExpectedRouge, share_of
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import CLUSTERS, cluster_of

cut = tokenizer("rouge").words
Unit = tuple[str, ...]


def held_out(cluster: Cluster) -> bool:
    """The half of the WCEP clusters that the quality gate measures."""
    return int(hashlib.sha256(f"half {cluster.id}".encode()).hexdigest(), 16) % 2 == 1


def plain_units(text: str) -> Counter[Unit]:
    words = cut(text)
    return Counter([*zip(words), *pairwise(words)])


def plain_expected(cluster: Cluster, length: float) -> dict[Unit, float]:
    """The expectations as the docstring of `expectations` has them, counted sentence by sentence."""
    prepared = prepare(cluster)
    weights: dict[str, float] = {}
    holders: dict[Unit, set[int]] = {}
    before = 0
    for number, text in enumerate(prepared.texts):
        if number in prepared.offsets:
            before = 0
        article = int(prepared.article[number])
        weights.setdefault(text, 1 / (1 + before / length))
        before += len(cut(text))
        for unit in plain_units(text):
            holders.setdefault(unit, set()).add(article)
    total = sum(weight * len(cut(text)) for text, weight in weights.items())
    uses: Counter[Unit] = Counter()
    rates: dict[Unit, float] = defaultdict(float)
    for text, weight in weights.items():
        for unit, count in plain_units(text).items():
            uses[unit] += count
            rates[unit] += weight * count / total
    titles = [set(cut(each.title or "")) for each in cluster.articles]
    named = sum(map(bool, titles)) or 1
    expected: dict[Unit, float] = {}
    for unit, tf in uses.items():
        mean = length * rates[unit]
        if len(unit) == 2:
            others = (len(holders[unit]) - 1) / max(len(cluster.articles) - 1, 1)
            expected[unit] = 0.5 * mean * max(tf - 0.8, 0.02) / tf * (1 + others)
        elif unit[0] in function_words():
            expected[unit] = mean
        else:
            share = sum(unit[0] in title for title in titles) / named
            expected[unit] = mean * max(tf - 0.9, 0.05) / tf + 0.5 * share
    return expected


def poisson_matches(mean: float, uses: int) -> float:
    """Σ_{k ≤ uses} P(N ≥ k), by the definition of the Poisson distribution."""
    mass = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(uses)]
    return sum(1 - sum(mass[:k]) for k in range(1, uses + 1))


def plain_value(cluster: Cluster, texts: list[str], length: float) -> float:
    expected = plain_expected(cluster, length)
    used = sum(map(plain_units, texts), Counter())
    matches = sum(poisson_matches(expected[unit], min(n, TIMES)) for unit, n in used.items())
    return 2 * matches / (sum(len(cut(text)) for text in texts) + length)


def test_expected_uses_are_what_a_plain_count_finds() -> None:
    for cluster in samples.clusters()[:3]:
        prepared = prepare(cluster)
        units = ClusterUnits.of(prepared)
        ours = units.counts @ units.expected(30.0, UseRates())
        plain = plain_expected(cluster, 30.0)
        for number, value in zip(prepared.distinct.tolist(), ours.tolist(), strict=True):
            counts = plain_units(prepared.texts[number])
            assert value == pytest.approx(sum(n * plain[unit] for unit, n in counts.items()))


@given(st.lists(st.floats(0, 30), min_size=1, max_size=5))
def test_the_worth_of_uses_is_the_poisson_tail(means: list[float]) -> None:
    table = worths(np.array(means))
    for row, mean in zip(table, means, strict=True):
        assert row.tolist() == pytest.approx(
            [poisson_matches(mean, uses) for uses in range(TIMES + 1)], abs=1e-7
        )


@given(CLUSTERS, st.integers(10, 90))
@settings(max_examples=30)
def test_the_scores_of_the_trace_are_the_expected_f(cluster: Cluster, max_words: int) -> None:
    method = ExpectedRouge(max_words=max_words)
    trace = method.summarize(cluster).trace
    taken: list[str] = []
    for each in trace:
        if each.taken:
            taken.append(each.sentence.text)
            expected = plain_value(cluster, taken, method.expected_words)
            assert each.score == pytest.approx(expected, abs=1e-7)
        elif each.outcome == "no gain":
            assert (each.score or 0) <= (trace[len(taken) - 1].score or 0) + 1e-8


@given(CLUSTERS)
@settings(max_examples=25)
def test_no_single_sentence_and_no_pair_of_a_small_cluster_has_a_higher_value(
    cluster: Cluster,
) -> None:
    prepared = prepare(cluster)
    numbers = [n for n in prepared.distinct.tolist() if not prepared.too_short(n, 7)][:6]
    method = ExpectedRouge(readable=False)
    summary = method.summarize(prepared)
    for size in (1, 2):
        for some in combinations(numbers, size):
            if sum(map(prepared.word_count, some)) <= 40:
                texts = [prepared.texts[n] for n in some]
                value = plain_value(cluster, texts, method.expected_words)
                ours = [each.score or 0.0 for each in summary.trace if each.taken]
                assert ours[-1] >= value - 1e-6


def test_a_wider_search_expects_no_less() -> None:
    for cluster in samples.clusters():
        prepared = prepare(cluster)
        ends = []
        for beam in (1, 40):
            trace = ExpectedRouge(beam=beam).summarize(prepared).trace
            ends.append([each.score or 0.0 for each in trace if each.taken][-1])
        assert ends[0] <= ends[1] + 1e-9


def test_a_sentence_that_says_the_same_in_another_order_is_not_taken_twice() -> None:
    first = "A storm flooded the harbour of the old town on Monday and sank nine boats."
    same = "On Monday a storm sank nine boats and flooded the harbour of the old town."
    other = "The mayor asked volunteers to bring sand and pumps before the next tide."
    cluster = cluster_of(f"{first}\n\n{same}\n\n{other}")
    summary = summarizer("expected-rouge", summary_share=3).summarize(cluster)
    texts = {each.text for each in summary.sentences}
    assert texts in ({first, other}, {same, other})
    (twin,) = (each for each in summary.trace if each.outcome == "redundant")
    assert twin.detail.startswith("it repeats sentence")


def test_sentences_are_printed_by_place_and_then_by_article() -> None:
    for cluster in samples.clusters():
        summary = summarizer("expected-rouge", max_words=150).summarize(cluster)
        numbers = {each.id: at for at, each in enumerate(cluster.articles)}
        places = [(each.position, numbers[each.article]) for each in summary.sentences]
        assert places == sorted(places)


def test_more_is_taken_where_longer_summaries_are_expected() -> None:
    def words(share: float) -> int:
        method = summarizer("expected-rouge", summary_share=share)
        return sum(len(method.summarize(each).text.split()) for each in samples.clusters())

    assert words(0.1) < words(0.65) < words(3)


def test_long_limits_are_filled_further_than_short_ones() -> None:
    assert [share_of(limit) for limit in (1, 25, 40)] == [0.65] * 3
    assert 0.65 < share_of(100) < share_of(200) < share_of(220) == share_of(5_000) == 0.97
    for cluster in samples.clusters()[:4]:
        text = summarizer("expected-rouge", max_words=200).summarize(cluster).text
        assert len(cut(text)) > 170


def test_an_article_of_something_else_is_left_out(shared_data: Path) -> None:
    text = (shared_data / "wcep_real" / "belize_cluster.json").read_text("utf-8")
    articles = [
        ClusterArticle(str(n), each["text"] if isinstance(each, dict) else each)
        for n, each in enumerate(json.loads(text)["articles"])
    ]
    summary = summarizer("expected-rouge").summarize(Cluster("c", tuple(articles)))
    assert all(each.article != "2" for each in summary.sentences)  # put there by the authors


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ArgumentError, match="beam is 0"):
        summarizer("newsdesk(beam=0)")
    with pytest.raises(ArgumentError, match="summary_share is -1"):
        summarizer("newsdesk(summary_share=-1)")


def test_it_beats_lead_and_submodular_on_wcep(shared_data: Path) -> None:
    real = records.read(shared_data / "wcep_real" / "clusters_train.jsonl", Cluster)
    clusters = [each for each in real if held_out(each)][::2]
    table = evaluate(clusters, ["expected-rouge", "lead", "submodular"], samples=1_000)
    for other in ("lead", "submodular"):
        assert table.difference("expected-rouge", other, "R1-F").low > 0


def test_it_beats_submodular_clearly_on_clusters_of_several_articles(shared_data: Path) -> None:
    real = records.read(shared_data / "multi_news" / "clusters.jsonl", Cluster)
    clusters = [each for each in real if held_out(each)]
    table = evaluate(
        clusters, ["expected-rouge", "submodular", "lead"], max_words=220, samples=1_000
    )
    assert table["expected-rouge(max_words=220)"].scores["R1-F"].value >= 0.44
    for other in ("submodular", "lead"):
        first, second = (f"{name}(max_words=220)" for name in ("expected-rouge", other))
        assert table.difference(first, second, "R1-F").low > 0.015


def test_what_a_hundred_articles_share_is_not_crowded_out_by_what_each_says_of_its_own() -> None:
    shared = "The river broke its banks in Port Eden on Wednesday and flooded the old town."
    own = "In district {}, {} houses lost power, the grid operator said on Thursday."
    articles = (f"{shared} {own.format(at, at * 3 + 1)}" for at in range(100))
    text = summarizer("expected-rouge", max_words=100).summarize(cluster_of(*articles)).text
    assert text.startswith(shared)
