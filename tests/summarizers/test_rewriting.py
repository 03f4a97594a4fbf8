"""Our own rewriter: what it learns from, what it may say, saved and loaded, and the one that comes with the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError, DataError
from newsdesk.studies.table5 import table5
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.abstractive import SubmodularAbs
from newsdesk.summarizers.baselines import OracleMulti
from newsdesk.summarizers.rewriters import (
    CopyingRewriter,
    TrainingPairs,
    _writable,
    rewriter,
    training_extractors,
)
from newsdesk.summarizers.unsupervised import Submodular
from newsdesk.text import tokenizer
from newsdesk.text.tokenize import joined, pieces
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import cluster_of, real_clusters

NAME = "submodular+abs"
CLUSTERS = samples.clusters()


@pytest.fixture(scope="module")
def fitted() -> SubmodularAbs:
    pytest.importorskip("torch")
    return SubmodularAbs(epochs=2).fit(CLUSTERS[:6])


def own() -> CopyingRewriter:
    found = rewriter("copier")
    assert isinstance(found, CopyingRewriter)
    return found


def words_in(text: str) -> int:
    return len([word for word in tokenizer("en").words(text) if any(map(str.isalnum, word))])


def test_each_cluster_is_read_in_several_ways_and_told_in_two() -> None:
    ways = training_extractors(Submodular(max_words=100), seed=0)
    lessons = TrainingPairs.of(CLUSTERS[:2], ways)
    assert len(lessons.sentences) == len(lessons.summaries) == 2 * len(ways)
    extracts = {joined(words) for words, _ in lessons.summaries[: len(ways)]}
    assert extracts == {way.summarize(CLUSTERS[0]).text for way in ways}
    assert {joined(told) for _, told in lessons.summaries[: len(ways)]} == {CLUSTERS[0].summary}
    for (words, near), (again, _) in zip(lessons.sentences, lessons.summaries, strict=True):
        assert words == again
        assert 0 < len(near) <= len(words)
        assert set(near) <= set(words)


def test_the_nearest_sentences_are_those_of_a_greedy_oracle() -> None:
    text = (
        "The mayor opened a new bridge on Monday. A storm sank three boats in the harbour on Tuesday night. "
        "Nobody was hurt, said the coast guard of the town."
    )
    cluster = cluster_of(text, summary="Three boats sank in a storm and nobody was hurt.")
    (pair,) = TrainingPairs.of(
        [cluster], [Submodular(max_words=100, order="chronological")]
    ).sentences
    assert joined(pair[1]) == OracleMulti().summarize(cluster).text
    assert "bridge" not in joined(pair[1])


def test_only_marks_and_joining_words_can_be_written() -> None:
    told = [pieces(text, "en") for text in ("The mayor isn't Mr. X.", "The town’s 27 boats — no.")]
    found = _writable(told * 20)
    assert found[:2] == [" The", "."]
    assert set(found) == {" The", ".", " is", "’s", " —"}
    chinese = [pieces("市长说船来了。", "zh")] * 9 + [pieces("洪水淹没了街道。", "zh")]
    assert {"了", "。"} <= set(_writable(chinese * 5))
    # Neither "not" nor a number nor a name can come in from outside.
    ours = own().copier.vocabulary.words[3 : 3 + own().copier.writable]
    assert 30 < len(ours) < 150
    assert not {" not", "n't", " no", " two", " killed", " Trump"} & set(ours)


def test_fitting_learns_saves_and_loads(fitted: SubmodularAbs, tmp_path: Path) -> None:
    assert fitted.trained
    assert fitted.model == ""
    with pytest.raises(ArgumentError, match="was not fitted here"):
        SubmodularAbs(epochs=2).save(tmp_path / "none")
    assert fitted.summary.startswith(f"{NAME}: 24 extracts, ")
    fitted.save(tmp_path / "m")
    loaded = summarizer(NAME, model=str(tmp_path / "m"))
    for cluster in CLUSTERS[6:8]:
        one, other = fitted.summarize(cluster), loaded.summarize(cluster)
        assert one.text == other.text != ""
        assert f"|copier:{fitted.digest}(beams=4, no_repeat=3)|unchecked|tok:en." in other.signature
    assert not list((tmp_path / "m").glob("*.p*"))
    with pytest.raises(ArgumentError, match="is fitted"):
        SubmodularAbs(model=str(tmp_path / "m")).fit(CLUSTERS[:1])


def test_the_same_seed_gives_the_same_copier_whatever_the_hash_seed_and_threads() -> None:
    pytest.importorskip("torch")
    code = (
        "from newsdesk import samples; from newsdesk.summarizers.abstractive import SubmodularAbs\n"
        "print(SubmodularAbs(epochs=1).fit(samples.clusters()[:2]).digest)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": each, "PYTHONHASHSEED": each},
        ).stdout
        for each in ("1", "2")
    }
    assert len(printed) == 1


def test_more_is_extracted_for_a_longer_summary() -> None:
    sizes = {limit: SubmodularAbs(max_words=limit).extractor.max_words for limit in (5, 40, 250)}
    assert sizes == {5: 100, 40: 100, 250: 625}
    assert SubmodularAbs(max_words=250, extract_words=80).extractor.max_words == 80
    assert SubmodularAbs(max_words=500, unit="characters").extractor.max_words == 100
    assert SubmodularAbs(max_words=250, unit="tokens").extractor.max_words == 625


def test_dev_clusters_choose_the_epoch_and_are_named(fitted: SubmodularAbs) -> None:
    plain = SubmodularAbs(epochs=1)
    method = plain.fit(CLUSTERS[:2], CLUSTERS[2:3])
    assert plain == SubmodularAbs(epochs=1)
    assert (plain.model, plain.rewriter_) == ("own", None)
    assert method.summary.endswith("nats a word on dev clusters")
    assert method.digest != fitted.digest


def test_there_must_be_something_to_learn_from() -> None:
    with pytest.raises(ArgumentError, match="no cluster with sentences and a summary"):
        SubmodularAbs().fit([cluster_of("", summary="A storm.")])
    with pytest.raises(DataError, match="cluster 'c' has no `summary` to learn from"):
        SubmodularAbs().fit([cluster_of("A storm sank three boats in the harbour last night.")])


def test_in_a_table_it_can_be_fitted_in_folds(fitted: SubmodularAbs) -> None:
    found = table5(
        CLUSTERS[:2],
        [f"{NAME}(model='', epochs=1)", f"{NAME}(model='copier')"],
        folds=2,
        samples=20,
    )
    folded, shipped = found.rows
    assert len(folded.signatures) == 1
    assert "|copier:2-folds(" in folded.signatures[0]
    assert f"|copier:{own().copier.digest}(" in shipped.signatures[0]


def test_a_broken_model_is_named(fitted: SubmodularAbs, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    path = tmp_path / "model.json"
    header = json.loads(path.read_text("utf-8"))
    del header["learned"]["writable"]
    path.write_text(json.dumps(header), "utf-8")
    with pytest.raises(DataError, match="not a whole saved rewriter"):
        summarizer(NAME, model=str(tmp_path)).summarize(CLUSTERS[0])
    with pytest.raises(ArgumentError, match="prefix is for models by hf:PATH"):
        summarizer(NAME, prefix="summarize: ").summarize(CLUSTERS[0])


def test_ours_needs_no_torch_and_says_only_what_it_was_given_or_may_write() -> None:
    allowed = {word.strip() for word in own().copier.vocabulary.words[: 3 + own().copier.writable]}
    for cluster in CLUSTERS:
        found = summarizer(NAME, model="copier").summarize(cluster)
        fed = " ".join(each.text for each in found.sentences)
        assert set(tokenizer("en").words(found.text)) <= allowed | set(tokenizer("en").words(fed))
        assert 15 <= words_in(found.text) <= 40
    code = (
        "import sys; import newsdesk as nd; from newsdesk import samples\n"
        f"print(nd.summarizer({NAME!r}, model='copier').summarize(samples.clusters()[0]).text)\n"
        "print('torch' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    expected = [summarizer(NAME, model="copier").summarize(CLUSTERS[0]).text, "False"]
    assert said.stdout.decode().splitlines() == expected


def test_ours_is_closer_to_the_editor_s_summary_than_what_it_was_given() -> None:
    found = table5(CLUSTERS, ["submodular", f"{NAME}(model='copier')"], samples=20)
    given, told = (row.scores["R1-F"].value for row in found.rows)
    assert told > given


def test_a_short_source_is_not_drawn_out() -> None:
    text = "The old bridge fell."
    assert own().rewrite(text, 40) == text
    assert words_in(own().rewrite(f"{text} Nobody was hurt.", 250)) <= 7


@pytest.mark.parametrize("limit", [1, 8, 25, 120])
def test_any_limit_is_kept(limit: int) -> None:
    for unit in ("words", "characters", "sentences"):
        method = summarizer(NAME, model="copier", max_words=limit, unit=unit)
        text = method.summarize(prepare(CLUSTERS[0])).text
        if unit == "words":
            assert 0 < words_in(text) <= limit
        elif unit == "characters":
            assert len(text) <= limit
            assert (
                words_in(text) >= limit // 12
            )  # a model asked for as many words would have to babble


@pytest.mark.parametrize(
    "text",
    [
        "市长昨天晚上在记者会上说，洪水已经淹没了老城区的三条街道。",
        "市長は昨日の夜の記者会見で、洪水が旧市街の三つの通りを飲み込んだと述べた。",
        "The mayor of the town said 🌊🌊 that boats had come to help 👍.",
        "Мэр города сообщил, что вчера ночью река вышла из берегов и затопила улицы.",
        "storm " * 60 + ".",
    ],
)
def test_a_text_of_any_kind_goes_through(text: str) -> None:
    found = summarizer(NAME, model="copier", min_tokens=1).summarize(
        Cluster("c", (ClusterArticle("a", text),))
    )
    assert found.text


def test_real_clusters_are_rewritten(shared_data: Path) -> None:
    clusters = real_clusters(shared_data, every=60)[-12:]
    rewritten = 0
    for cluster in clusters:
        found = summarizer(NAME, model="copier").summarize(cluster)
        assert 0 < words_in(found.text) <= 40
        rewritten += found.text not in " ".join(each.text for each in found.sentences)
    assert rewritten
