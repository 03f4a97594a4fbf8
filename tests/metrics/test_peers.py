"""The same answer as the reference tool, to 1e-9, on generated items with everything in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sacrebleu

from newsdesk.metrics import metric, score
from newsdesk.text import Encoded, encode
from tests.metrics import peers
from tests.metrics.generated import Item, generated

CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-9}


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return generated(2_000)


def batch_of(items: list[Item], lang: str) -> Encoded:
    return encode([i.candidate for i in items], [i.references for i in items], lang=lang)


def ours(items: list[Item], spec: str) -> np.ndarray:
    (result,) = score([spec], batch_of(items, "en"), per_item=True)
    assert result.items is not None
    return np.array(result.items)


def corpus(items: list[Item], spec: str) -> float:
    return score([spec], batch_of(items, "en"))[0].value


def test_coco_bleu(items: list[Item]) -> None:
    theirs, each = peers.coco_bleu(items)
    for n in (1, 2, 3, 4):
        spec = f"bleu-{n}(profile='coco')"
        np.testing.assert_allclose(ours(items, spec), each[n - 1], **CLOSE)
        assert corpus(items, spec) == pytest.approx(theirs[n - 1], abs=1e-9)


def test_coco_rouge_l(items: list[Item]) -> None:
    # An empty text is one empty token for pycocoevalcap; docs/footguns.md says why we differ.
    filled = [i for i in items if i.candidate and all(i.references)]
    assert len(filled) > 100
    np.testing.assert_allclose(
        ours(filled, "rouge-l(profile='coco')"), peers.coco_rouge_l(filled), **CLOSE
    )


def test_coco_cider_d(items: list[Item]) -> None:
    np.testing.assert_allclose(
        ours(items, "cider-d(profile='coco')"), peers.coco_cider_d(items), **CLOSE
    )


@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
@pytest.mark.parametrize("stem", [False, True])
def test_rouge_score(items: list[Item], name: str, stem: bool) -> None:
    spec = {
        "rouge1": "rouge-1",
        "rouge2": "rouge-2",
        "rougeL": "rouge-l",
        "rougeLsum": "rouge-lsum",
    }[name]
    theirs = peers.rouge_score(items, name, stem=stem)
    for part, column in (("p", 0), ("r", 1), ("f", 2)):
        values = ours(items, f"{spec}(profile='rouge_score', stem={stem}, report={part!r})")
        np.testing.assert_allclose(values, theirs[:, column], **CLOSE)


@pytest.mark.parametrize("name", ["rouge-1", "rouge-2", "rouge-l", "rouge-lsum"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_plain_rouge_names_equal_rouge_score(items: list[Item], name: str, lang: str) -> None:
    (result,) = score([name], batch_of(items, lang), per_item=True)
    theirs = peers.rouge_score(items, name.replace("-", "").replace("l", "L"), stem=False)
    np.testing.assert_allclose(np.array(result.items), theirs[:, 2], **CLOSE)
    assert result.value == pytest.approx(theirs[:, 2].mean(), abs=1e-9)
    assert "|tok:rouge.0.1.2+lower|" in result.signature


def test_rouge_lsum_of_several_sentences(items: list[Item]) -> None:
    def lines(text: str, every: int) -> str:
        words = text.split()
        return "\n".join(" ".join(words[i : i + every]) for i in range(0, len(words), every))

    broken = [
        Item(lines(i.candidate, 7), tuple(lines(reference, 9) for reference in i.references))
        for i in items[:150]
    ]
    theirs = peers.rouge_score(broken, "rougeLsum", stem=False)
    np.testing.assert_allclose(
        ours(broken, "rouge-lsum(profile='rouge_score')"), theirs[:, 2], **CLOSE
    )


@pytest.mark.parametrize("smooth", ["none", "floor", "add-k", "exp"])
@pytest.mark.parametrize("effective", [False, True])
def test_sacrebleu(items: list[Item], smooth: str, effective: bool) -> None:
    settings = {"smooth_method": smooth, "effective_order": effective}
    for order in (1, 2, 4):
        theirs = peers.sacrebleu_sentences(items, max_ngram_order=order, **settings)
        spec = f"bleu-{order}(profile='sacrebleu', smooth={smooth!r}, effective_order={effective})"
        np.testing.assert_allclose(ours(items, spec), theirs, **CLOSE)


def test_sacrebleu_of_a_corpus_in_chinese_and_with_punctuation() -> None:
    english = [
        "The dog bit the man.",
        "It wasn't surprising -- 3.5% said no.",
        "<skipped>A &quot;cat&quot;",
    ]
    references = [
        ["The dog had bit the man."],
        ["No one was surprised; 3.5% said no."],
        ['A "cat".'],
    ]
    ours_en = metric("bleu-4(profile='sacrebleu')").corpus(english, references, lang="en").value
    theirs = sacrebleu.corpus_bleu(english, [[r[0] for r in references]]).score
    assert ours_en == pytest.approx(theirs / 100, abs=1e-9)
    chinese, reference = ["我看过iPhone 8的发布会。"], [["我看了iPhone 8发布会！"]]
    ours_zh = metric("bleu-4(profile='sacrebleu', tokenizer='sacrebleu-zh')").corpus(
        chinese, reference
    )
    theirs_zh = sacrebleu.corpus_bleu(chinese, [reference[0]], tokenize="zh").score
    assert ours_zh.value == pytest.approx(theirs_zh / 100, abs=1e-9)


def test_chrf(items: list[Item]) -> None:
    np.testing.assert_allclose(ours(items, "chrf"), peers.sacrebleu_chrf(items), **CLOSE)
    streams = max(len(i.references) for i in items)
    filled = [[i.references[min(k, len(i.references) - 1)] for i in items] for k in range(streams)]
    theirs = sacrebleu.corpus_chrf([i.candidate for i in items], filled).score
    assert corpus(items, "chrf") == pytest.approx(theirs / 100, abs=1e-9)
