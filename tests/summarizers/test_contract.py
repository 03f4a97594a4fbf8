"""What holds for every summarizer: the same checks run over the whole table."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings

from newsdesk import samples
from newsdesk.errors import ArgumentError, SpecError
from newsdesk.summarizers import Summarizer, Summary, prepare, summarizer
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import CLUSTERS, EXTRACTIVE, NAMES, TRAINED, cluster_of, ready

DRAWING = [name for name in EXTRACTIVE if name not in TRAINED and summarizer(name).seeded]
UNBOUND = ("oracle-multi", "oracle-single")
LONG = "The mayor of the flooded river town said that twenty seven boats had come to the rescue of people."


def size(summary: Summary, unit: str) -> int:
    if unit == "characters":
        return len(summary.text)
    if unit == "sentences":
        return len(summary.sentences)
    tokens = tokenizer("en").words(summary.text)
    if unit == "tokens":
        return len(tokens)
    return len([token for token in tokens if any(map(str.isalnum, token))])


@pytest.mark.parametrize("name", NAMES)
def test_a_name_makes_a_summarizer_of_that_name(name: str) -> None:
    method = summarizer(name)
    assert isinstance(method, Summarizer)
    assert (method.name, str(method.spec)) == (name, name)


def test_newsdesk_is_an_alias_of_expected_rouge_and_gives_the_same_summaries() -> None:
    alias, real = summarizer("newsdesk(beam=2)"), summarizer("expected-rouge(beam=2)")
    assert (alias, str(alias.spec)) == (real, "expected-rouge(beam=2)")
    for cluster in samples.clusters():
        assert alias.summarize(cluster) == real.summarize(cluster)


@pytest.mark.parametrize("name", NAMES)
def test_a_spec_parses_back_to_an_equal_summarizer(name: str) -> None:
    method = summarizer(name, max_words=25, unit="sentences", order="chronological", titles=True)
    assert summarizer(str(method.spec)) == method
    assert method != summarizer(name)
    assert method.signature != summarizer(name).signature


@pytest.mark.parametrize("name", NAMES)
def test_documents_are_a_setting_of_every_summarizer_and_others_are_not_read(name: str) -> None:
    own, other = samples.clusters()[:2]
    mixed = dataclasses.replace(own, articles=(*own.articles, *other.articles[:2]))
    strangers = {article.id for article in other.articles}
    method = ready(name, documents=len(own.articles))
    prepared = prepare(mixed)
    summary = method.summarize(prepared)
    assert summary.text == ready(name).summarize(own).text
    assert not strangers & {candidate.sentence.article for candidate in summary.trace}
    assert f"|documents:{len(own.articles)}|" in method.signature
    assert "documents" not in ready(name).signature
    (first,) = ready(name, documents=1).prepared(prepared).cluster.articles
    assert first in own.articles
    with pytest.raises(ArgumentError, match="documents is 0, not at least 1"):
        ready(name, documents=0)


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_the_sample_is_summarized_by_whole_sentences_within_the_limit(name: str) -> None:
    for cluster in samples.clusters():
        prepared = prepare(cluster)
        summary = ready(name).summarize(prepared)
        assert summary.sentences
        assert summary.text == " ".join(each.text for each in summary.sentences)
        assert {each.text for each in summary.sentences} <= set(prepared.texts)
        assert all(len(tokenizer("en").words(each.text)) >= 7 for each in summary.sentences)
        if name not in UNBOUND:
            assert size(summary, "words") <= 40


@pytest.mark.parametrize("unit", ["words", "tokens", "characters", "sentences"])
@pytest.mark.parametrize("name", EXTRACTIVE)
def test_any_limit_in_any_unit_is_kept(name: str, unit: str) -> None:
    settings = {"early_stopping": False} if name in UNBOUND else {}
    for cluster in samples.clusters()[:4]:
        prepared = prepare(cluster)
        for limit in (1, 2, 30, 150, 400):
            method = ready(name, max_words=limit, unit=unit, **settings)
            assert size(method.summarize(prepared), unit) <= limit


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "cluster",
    [
        Cluster("none", (), summary="A storm."),
        cluster_of("", "", summary="A storm."),
        cluster_of("   \n\n ", summary="A storm."),
        cluster_of("*** --- ***\n\n. . . . . . . . .", summary="A storm."),
        cluster_of("Too short.", "Also short.", summary="A storm."),
        cluster_of("Too short.", summary=""),
    ],
)
def test_a_cluster_without_a_usable_sentence_has_an_empty_summary(
    name: str, cluster: Cluster
) -> None:
    prepared = prepare(cluster)
    summary = ready(name).summarize(prepared)
    assert (summary.text, summary.sentences) == ("", ())
    assert bool(summary.trace) == bool(prepared.texts)
    assert {each.outcome for each in summary.trace} <= {"too short"}


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_one_sentence_is_its_own_summary(name: str) -> None:
    assert ready(name).summarize(cluster_of(LONG, summary="A storm.")).text == LONG


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_a_cluster_of_copies_is_one_sentence(name: str) -> None:
    method = ready(name, max_words=200)
    cluster = cluster_of(*[LONG] * 30, summary="A mayor said that a storm came.")
    assert method.summarize(cluster).text == LONG


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_words_that_are_all_stop_words_are_no_fault(name: str) -> None:
    text = "It was what it was and that was it."
    other = "He was there and she was there before him."
    summary = ready(name).summarize(cluster_of(f"{text}\n\n{other}", summary="It was."))
    assert summary.text.startswith(("It was", "He was"))


@pytest.mark.parametrize("name", [name for name in EXTRACTIVE if name not in UNBOUND])
def test_where_no_sentence_fits_the_summary_is_empty_and_the_trace_says_so(name: str) -> None:
    summary = ready(name, max_words=5).summarize(cluster_of(LONG, LONG + LONG, summary="A."))
    assert summary.text == ""
    assert {each.outcome for each in summary.trace} == {"does not fit"}


@pytest.mark.parametrize("lang", ["zh", "ja"])
@pytest.mark.parametrize("name", EXTRACTIVE)
def test_chinese_and_japanese_clusters_are_summarized(name: str, lang: str) -> None:
    threads = samples.threads(lang)
    articles = tuple(
        ClusterArticle(thread.article.id, thread.article.text, thread.article.title)
        for thread in threads
    )
    cluster = Cluster(lang, articles, summary=threads[0].article.title)
    summary = ready(name, max_words=60).summarize(cluster)
    assert summary.text == "".join(each.text for each in summary.sentences)
    assert summary.sentences
    assert f"|tok:{lang}." in summary.signature
    if name in ("textrank", "centroid", "submodular", "oracle-multi"):
        assert len({each.score for each in summary.trace}) > 1


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_hindi_and_russian_words_are_told_apart(name: str) -> None:
    hindi = "नदी के किनारे बसे शहर में कल रात भारी बारिश हुई और पानी भर गया।"
    russian = "Мэр города сообщил, что вчера ночью река вышла из берегов и затопила улицы."
    for text, other in ((hindi, "कल रात बारिश हुई।"), (russian, "Река затопила город.")):
        cluster = cluster_of(f"{text}\n\n{other}", summary=other)
        assert text in ready(name).summarize(cluster).text
        assert prepare(cluster).vectors.nnz > 6


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_results_depend_neither_on_other_clusters_nor_on_preparation(name: str) -> None:
    clusters = samples.clusters()
    method = ready(name)
    forward = [method.summarize(cluster) for cluster in clusters]
    backward = [method.summarize(prepare(cluster)) for cluster in reversed(clusters)]
    assert forward == backward[::-1]


@pytest.mark.parametrize("name", DRAWING)
def test_another_seed_draws_other_summaries(name: str) -> None:
    drawn = set()
    for seed in range(4):
        method = ready(name, seed=seed)
        assert f"|seed:{seed}|" in method.signature
        drawn.add(tuple(method.summarize(cluster).text for cluster in samples.clusters()))
    assert len(drawn) > 1


@pytest.mark.parametrize("name", ["random", "random-lead"])
def test_each_cluster_has_its_own_draws(name: str) -> None:
    articles = samples.clusters()[0].articles
    drawn = {ready(name).summarize(Cluster(f"c{n}", articles)).text for n in range(20)}
    assert len(drawn) > 1


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_the_trace_explains_every_skip(name: str) -> None:
    @given(CLUSTERS)
    @settings(max_examples=40)
    def check(cluster: Cluster) -> None:
        prepared = prepare(cluster)
        summary = ready(name).summarize(prepared)
        taken = [each.sentence for each in summary.trace if each.taken]
        assert tuple(taken) == summary.sentences
        for each in summary.trace:
            assert each.taken == (each.detail == "")
            assert each.sentence.text in prepared.texts
            if each.outcome == "too short":
                tokens = tokenizer("en").words(each.sentence.text)
                assert len(tokens) < 7 or not any(map(str.isalnum, each.sentence.text))
        shown = [(each.sentence.article, each.sentence.position) for each in summary.trace]
        assert len(set(shown)) == len(shown)

    check()


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_chronological_order_is_by_date_then_position(name: str) -> None:
    texts = (LONG, "Two days later the storm was over and the boats went home.")
    articles = (
        ClusterArticle("late", texts[1], date="2031-03-05"),
        ClusterArticle("undated", "Nobody knows when the old bridge over the river fell down."),
        ClusterArticle("early", texts[0], date="2031-03-03"),
    )
    cluster = Cluster("c", articles, summary=" ".join(texts))
    method = ready(name, max_words=100, order="chronological")
    found = [each.article for each in method.summarize(cluster).sentences]
    assert found == [each for each in ("early", "late", "undated") if each in found]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("tsr(target='rouge-2')", "target is 'rouge-2', not one of 'f', 'p', 'r'"),
        ("tsr(penalty=0)", "penalty is 0, not above zero"),
        ("tsr(model='m', encoder='lsa')", "encoder was settled when 'm' was fitted"),
        ("bertreg(rate=-1)", "rate is -1, not above zero"),
        ("bertreg(hidden=0)", "hidden is 0, not at least 1"),
        ("submodular+abs(beams=0)", "beams is 0, not at least 1"),
        ("centroid(max_words=0)", "max_words is 0, not at least 1"),
        ("centroid(unit='bytes')", "unit is 'bytes', not one of 'words'"),
        ("centroid(order='date')", "order is 'date'"),
        ("centroid(redundancy=1.5)", "redundancy is 1.5, not a share"),
        ("textrank(damping=1)", "damping is 1, not a share below 1"),
        ("submodular(group_share=2)", "group_share is 2"),
        ("submodular(diversity=-1)", "diversity is -1"),
        ("random(min_tokens=-1)", "min_tokens is -1"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(spec: str, reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        summarizer(spec)


def test_a_setting_that_a_method_lacks_is_refused_by_name() -> None:
    with pytest.raises(SpecError, match="'redundancy'"):
        summarizer("lead", redundancy=0.3)


@pytest.mark.parametrize("name", ["oracle-multi", "oracle-single", "oracle-lead"])
def test_an_oracle_without_a_reference_says_which_cluster(name: str) -> None:
    with pytest.raises(ArgumentError, match="cluster 'c' has no `summary`"):
        summarizer(name).summarize(cluster_of(LONG))


def test_the_same_seed_gives_the_same_summaries_on_any_number_of_threads() -> None:
    specs = [str(ready(name).spec) for name in EXTRACTIVE]
    code = (
        "from newsdesk import samples; from newsdesk.summarizers import summarizer\n"
        f"for n in {specs!r}:\n"
        "    for c in samples.clusters(): print([(t.score, t.outcome) for t in summarizer(n).summarize(c).trace])\n"
        f"for n in {TRAINED!r}:\n"
        "    print(summarizer(n, encoder='lsa(dimensions=8)').fit(samples.clusters()).signature)\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={
                **os.environ,
                "OMP_NUM_THREADS": threads,
                "OPENBLAS_NUM_THREADS": threads,
                "PYTHONHASHSEED": threads,
            },
        ).stdout
        for threads in ("1", "3")
    }
    assert len(printed) == 1
