"""Soft recall: vectors for short references, nearest words for long ones, and what grades of references do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from newsdesk.errors import ArgumentError, FileError
from newsdesk.metrics.soft_recall import SoftRecall

SHORT = "The ferry left the harbour in thick fog."
LONG = (
    "The ferry left the harbour in thick fog on Monday morning. Forty people were on board, and nobody was hurt. "
    "The captain blamed a broken radar, which the owner had promised to replace last year."
)


def items(
    spec: str, candidates: list[str], references: list[list[str | nd.Reference]]
) -> list[float]:
    values = nd.score([spec], nd.encode(candidates, references, lang="en"), per_item=True)[0].items
    assert values is not None
    return list(values)


def cosine(encoder: str, first: str, second: str) -> float:
    one, other = nd.sentence_encoder(encoder).encode([first, second]).astype(np.float64)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_a_paraphrase_without_a_common_word_beats_another_topic() -> None:
    reference: list[list[str | nd.Reference]] = [[SHORT]] * 2
    paraphrase, other = items(
        "soft-recall",
        ["A boat sails from port amid dense mist", "We bake bread with rye flour"],
        reference,
    )
    assert paraphrase > other + 0.1
    assert items("rouge-1", ["A boat sails from port amid dense mist"], [[SHORT]]) == [0.0]


def test_a_short_reference_is_compared_as_a_whole() -> None:
    (value,) = items("soft-recall", ["A boat left port"], [[SHORT]])
    assert value == pytest.approx(cosine("wordllama", "A boat left port", SHORT), abs=1e-6)


def test_each_word_of_a_long_reference_looks_for_its_nearest_word() -> None:
    candidate = "A boat with forty passengers sailed in mist; its radar was broken."
    words = nd.tokenizer("en").words
    sought, offered = words(LONG.lower()), words(candidate.lower())
    vectors = {
        word: nd.sentence_encoder("wordllama").encode([word])[0] for word in {*sought, *offered}
    }
    nearest = [
        1.0 if word in offered else max(float(vectors[word] @ vectors[each]) for each in offered)
        for word in sought
    ]
    recall = float(np.mean(np.clip(nearest, 0, 1)))
    assert items("soft-recall(sentence_words=0)", [candidate], [[LONG]])[0] == pytest.approx(
        recall, abs=1e-5
    )
    share = 1 - 20 / len(sought)
    mixed = (1 - share) * cosine("wordllama", candidate, LONG) + share * recall
    assert items("soft-recall", [candidate], [[LONG]])[0] == pytest.approx(mixed, abs=1e-5)
    assert items("soft-recall", [LONG], [[LONG]])[0] == pytest.approx(1.0, abs=1e-12)


def test_a_kernel_lets_near_references_share_the_verdict() -> None:
    references: list[str | nd.Reference] = [
        nd.Reference(SHORT, 0.2),
        nd.Reference("A boat left port in fog.", 1.0),
    ]
    batch = nd.encode(["The boat left in fog"], [references], lang="en")
    first, second = SoftRecall(spec=nd.metric("soft-recall").spec).similarities(batch)
    best = nd.score(["w-soft-recall"], batch)[0].value
    assert best == pytest.approx(max(0.2 * first, second))
    kernel = np.exp((np.array([first, second]) - max(first, second)) / 0.3)
    expected = (kernel @ [0.2 * first, second]) / kernel.sum()
    assert nd.score(["w-soft-recall(combine='kernel', width=0.3)"], batch)[
        0
    ].value == pytest.approx(expected)
    # A narrow kernel listens to the nearest reference alone.
    nearest = [0.2 * first, second][int(second > first)]
    narrow = nd.score(["w-soft-recall(combine='kernel', width=0.0001)"], batch)[0].value
    assert narrow == pytest.approx(nearest)


def test_any_encoder_of_the_table_will_do() -> None:
    texts = ["a b c d", "a b x y", "c d x y", "b c d a"]
    lsa = "soft-recall(encoder='lsa(dimensions=2, min_count=1)')"
    batch = nd.encode(texts, [["a b c d"]] * 4, lang="en")
    (score,) = nd.score([lsa], batch, per_item=True)
    assert score.items is not None
    assert score.items[0] == pytest.approx(1.0)
    assert "enc:lsa(dimensions=2, seed=0)|" in score.signature
    assert "enc:wordllama-" in nd.metric("soft-recall").score("a", ["b"], lang="en").signature


def test_what_cannot_be_set_says_why(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="combine is 'mean', not one of 'max', 'kernel'"):
        nd.metric("soft-recall(combine='mean')")
    with pytest.raises(ArgumentError, match="width is 0, not above 0"):
        nd.metric("soft-recall(width=0)")
    with pytest.raises(ArgumentError, match="sentence_words is -1, not at least 0"):
        nd.metric("soft-recall(sentence_words=-1)")
    pytest.importorskip("onnxruntime_extensions")
    with pytest.raises(FileError, match="no such file; onnx: needs an ONNX graph"):
        nd.sentence_encoder(f"onnx:{tmp_path / 'none.onnx'}")
    (tmp_path / "bad.onnx").write_bytes(b"x")
    with pytest.raises(FileError, match="not an ONNX graph that can be run"):
        nd.sentence_encoder(f"onnx:{tmp_path / 'bad.onnx'}")
    with pytest.raises(ArgumentError, match="onnx: needs a file"):
        nd.sentence_encoder("onnx:")
