"""Encoders: texts in, unit vectors out, the same for every entry of the table."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import ArgumentError, FileError, SpecError
from newsdesk.text import sentence_encoder
from newsdesk.text.encoders import Lsa

TEXTS = [
    "The ferry left the harbour in fog.",
    "A ferry hit the breakwater in thick fog.",
    "The bank cut its interest rate by half a point.",
    "Interest rates fell as the central bank cut again.",
    "",
]


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real transformers model with random weights, made and saved here."""
    transformers = pytest.importorskip("transformers")
    import torch

    folder = tmp_path_factory.mktemp("tiny-bert")
    words = sorted({word for text in TEXTS for word in text.lower().replace(".", " .").split()})
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])
    )
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words) + 5,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(params=["lsa", "wordllama", "hf"])
def any_encoder(request: pytest.FixtureRequest) -> Any:
    if request.param == "hf":
        return sentence_encoder(f"hf:{request.getfixturevalue('tiny_bert')}")
    if request.param == "lsa":
        return sentence_encoder("lsa(dimensions=3, min_count=1)").fit(TEXTS)
    return sentence_encoder("wordllama")


def test_rows_are_unit_vectors_in_the_order_of_the_texts(any_encoder: Any) -> None:
    vectors = any_encoder.encode(TEXTS)
    assert (len(vectors), vectors.dtype) == (len(TEXTS), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors[:4], axis=1), 1, atol=1e-5)
    for place, text in enumerate(TEXTS):
        np.testing.assert_allclose(any_encoder.encode([text])[0], vectors[place], atol=1e-5)


def test_no_texts_are_no_rows(any_encoder: Any) -> None:
    assert any_encoder.encode([]).shape == (0, any_encoder.encode(["x"]).shape[1])


def test_the_signature_names_the_encoder(any_encoder: Any) -> None:
    assert any_encoder.signature.split("(")[0].split("-")[0].split(":")[0] in (
        "lsa",
        "wordllama",
        "hf",
    )


@pytest.mark.parametrize("spec", ["lsa(dimensions=2)", "wordllama"])
def test_texts_about_one_thing_are_nearer(spec: str) -> None:
    model = sentence_encoder(spec)
    vectors = (model.fit(TEXTS) if hasattr(model, "fit") else model).encode(TEXTS[:4])
    near, far = vectors @ vectors.T, vectors @ vectors.T
    assert min(near[0, 1], near[2, 3]) > max(far[0, 2], far[0, 3], far[1, 2], far[1, 3])


def test_an_encoder_leaves_the_root_logger_alone() -> None:
    code = (
        "import logging; from newsdesk.text.encoders import sentence_encoder; sentence_encoder('wordllama')\n"
        "print(logging.getLogger().handlers, logging.getLogger().level == logging.WARNING)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True\n"


def test_wordllama_gives_its_own_means() -> None:
    import wordllama

    folder = Path(wordllama.__file__).parent
    theirs = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    texts = [*(text for text in TEXTS if text.strip()), "<pad> </s> <s>", "渡轮 😀", "word " * 3000]
    expected = theirs.embed(texts, norm=True)
    np.testing.assert_allclose(sentence_encoder("wordllama").encode(texts), expected, atol=1e-5)


def test_wordllama_cuts_words_into_pieces_as_its_own_tokenizer_does() -> None:
    import wordllama

    folder = Path(wordllama.__file__).parent
    theirs = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    words = ["the", "skooool", "渡轮", "😀", ""]
    for word, row in zip(words, sentence_encoder("wordllama").pieces(words).tolist(), strict=True):
        ids = theirs.tokenizer.encode(word, add_special_tokens=False).ids
        lengths = [float(np.linalg.norm(theirs.embedding[each])) for each in ids]
        expected = [len(ids), sum(np.log1p(each) for each in ids), sum(lengths)]
        assert row == pytest.approx(expected, rel=1e-5)


def test_an_empty_text_is_a_row_of_zeros() -> None:
    assert not sentence_encoder("wordllama").encode(["", " "]).any()
    assert not sentence_encoder("lsa(dimensions=2)").fit(TEXTS).encode([""]).any()


def test_lsa_is_seeded_and_saved_without_pickle(tmp_path: Path) -> None:
    first = Lsa(dimensions=3, min_count=1).fit(TEXTS)
    np.testing.assert_array_equal(
        first.encode(TEXTS), Lsa(dimensions=3, min_count=1).fit(TEXTS).encode(TEXTS)
    )
    first.save(tmp_path / "model")
    loaded = Lsa.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.encode(TEXTS), first.encode(TEXTS))
    assert loaded.signature == first.signature
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["lsa.json", "lsa.npz"]


def test_what_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="not fitted yet"):
        Lsa().encode(["x"])
    with pytest.raises(ArgumentError, match="dimensions is 0"):
        Lsa(dimensions=0)
    with pytest.raises(FileError, match="not a saved lsa encoder"):
        Lsa.load(tmp_path)
    with pytest.raises(ArgumentError, match="hf: needs a folder"):
        sentence_encoder("hf:")
    with pytest.raises(FileError, match="no transformers model there"):
        sentence_encoder(f"hf:{tmp_path}")
    with pytest.raises(SpecError, match="did you mean 'lsa'"):
        sentence_encoder("lsi")


_wordllama = functools.cache(lambda: sentence_encoder("wordllama"))


@given(st.lists(st.text("ab Z▁ .\n\t市🌊'’9\u00a0</s>", max_size=14), max_size=6))
def test_wordllama_cuts_word_by_word_what_its_tokenizer_cuts_as_a_whole(texts: list[str]) -> None:
    model = _wordllama()
    whole = model._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    for _ in range(2):  # from the words kept, too
        pieces = [row.tolist() for row in model.cut(texts)]
        assert pieces == [
            each.ids if text.strip() else [] for text, each in zip(texts, whole, strict=True)
        ]


def test_wordllama_forgets_words_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from newsdesk.text import encoders

    monkeypatch.setattr(encoders, "_CACHED_WORDS", 5)
    model = encoders.WordLlama()
    texts = ["one two three", "four five six", "seven one two " + "long" * 20]
    vectors = [model.encode([text]) for text in texts for _ in range(2)]
    expected = encoders.WordLlama().encode(texts)
    for place, row in enumerate(expected):
        assert (vectors[2 * place][0] == row).all()
        assert (vectors[2 * place + 1][0] == row).all()
    assert 0 < len(model._piece_cache) <= 5
