"""Submodular+Abs on a tiny transformers model that is made here: what goes in, what comes out, limits, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError, FileError
from newsdesk.summarizers import Summary, prepare, summarizer
from newsdesk.summarizers.rewriters import HuggingFaceRewriter, rewriter
from newsdesk.text import sentences, tokenizer
from newsdesk.types import Cluster
from tests.summarizers.examples import cluster_of, model_of, ready

NAME = "submodular+abs"
CLUSTERS = samples.clusters()[:2]


@pytest.fixture(scope="module", autouse=True)
def _needs_transformers() -> None:
    pytest.importorskip("transformers")


def summary_of(cluster: Cluster, **settings: object) -> Summary:
    return ready(NAME, beams=2, **settings).summarize(cluster)


def words_in(text: str) -> int:
    return len([word for word in tokenizer("en").words(text) if any(map(str.isalnum, word))])


def test_the_model_is_fed_what_submodular_takes_in_a_hundred_words() -> None:
    extractor = summarizer("submodular", max_words=100)
    path = model_of(NAME)["model"].removeprefix("hf:")
    for cluster in CLUSTERS:
        fed = extractor.summarize(cluster)
        found = summary_of(cluster, max_words=12)
        assert (found.sentences, found.trace) == (fed.sentences, fed.trace)
        told = HuggingFaceRewriter(path, beams=2).rewrite(fed.text, 12)
        assert told.startswith(found.text)
        assert words_in(found.text) == 12 < words_in(told)
    shorter = summary_of(CLUSTERS[0], max_words=12, extract_words=40)
    assert shorter.sentences == summarizer("submodular").summarize(CLUSTERS[0]).sentences


def test_the_text_is_what_transformers_generates() -> None:
    import torch
    import transformers

    path = model_of(NAME)["model"].removeprefix("hf:")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path)
    words = transformers.AutoTokenizer.from_pretrained(path)
    text = CLUSTERS[0].summary or ""
    ids = words(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        found = model.generate(ids, num_beams=3, no_repeat_ngram_size=2, max_new_tokens=15)
    expected = words.decode(found[0], skip_special_tokens=True)
    assert rewriter(f"hf:{path}", beams=3, no_repeat=2).rewrite(text, 5) == expected != ""
    assert rewriter(f"hf:{path}", beams=3, no_repeat=2).rewrite(text, 5) == expected
    prefixed = rewriter(f"hf:{path}", beams=3, no_repeat=2, prefix="killed the ferry ")
    assert prefixed.rewrite(text, 5) != expected


def test_limits_are_kept_in_every_unit() -> None:
    for unit, limit in (("words", 3), ("tokens", 3), ("characters", 30), ("sentences", 1)):
        text = summary_of(CLUSTERS[0], max_words=limit, unit=unit).text
        tokens = len(tokenizer("en").words(text))
        size = {"words": words_in(text), "tokens": tokens, "characters": len(text)}
        assert 0 < size.get(unit, len(sentences(text, "en"))) <= limit


def test_no_sentence_is_no_text() -> None:
    for cluster in (Cluster("none", ()), cluster_of(""), cluster_of("Too short.")):
        assert summary_of(cluster).text == ""


def test_the_same_summary_on_any_number_of_threads_and_however_prepared() -> None:
    import torch

    threads = torch.get_num_threads()
    found = []
    for count in (1, 3):
        torch.set_num_threads(count)
        found.append(summary_of(CLUSTERS[0], max_words=12))
    torch.set_num_threads(threads)
    assert found[0] == found[1]
    method = ready(NAME, beams=2, max_words=12)
    assert method.summarize(prepare(CLUSTERS[0])) == found[0]


def test_a_text_in_another_script_and_emoji_go_through() -> None:
    chinese = "市长昨天晚上在记者会上说，洪水已经淹没了老城区的三条街道。"
    for text in (chinese, "The mayor of the town said 🌊🌊 that boats had come to help 👍."):
        found = summary_of(cluster_of(text), max_words=6)
        assert found.sentences[0].text == text
        assert found.text


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="not fitted; leave `model` out for our own"):
        summarizer(NAME, model="").summarize(CLUSTERS[0])
    with pytest.raises(
        ArgumentError, match="no rewriter is called 'bart'; there is 'own', 'copier', a folder"
    ):
        summarizer(NAME, model="bart").summarize(CLUSTERS[0])
    with pytest.raises(FileError, match="no sequence-to-sequence model there"):
        summarizer(NAME, model=f"hf:{tmp_path}").summarize(CLUSTERS[0])
    with pytest.raises(FileError, match="no saved summarizer there"):
        summarizer(NAME, model=str(tmp_path)).summarize(CLUSTERS[0])
