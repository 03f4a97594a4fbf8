"""Many texts cut and numbered at once: the same numbers, in the same order, as text by text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from bench import _data
from newsdesk.registry import TOKENIZERS
from newsdesk.text import bytewise
from newsdesk.text.bytewise import CHUNKS, LETTERS_AND_DIGITS, Packed, cut
from newsdesk.text.encode import Analyzer, Encoded, EncodedUnits
from newsdesk.text.ragged import Ragged, WordNumbers
from newsdesk.text.tokenize import tokenizer
from tests.text.odd import odd_batches

pytestmark = pytest.mark.usefixtures("both_ways")

AT_ONCE = [name for name in TOKENIZERS if tokenizer(name).number]


def units_of(texts: list[str], name: str) -> EncodedUnits:
    """The first half of the texts as candidates, the others as references."""
    half = len(texts) // 2
    no_items = np.zeros(half + 1, dtype=np.int64)
    batch = Encoded(texts[:half], texts[half:], np.ones(len(texts) - half), no_items, "en")
    return batch.units(Analyzer(name, lower=False))


def one_by_one(texts: list[str], name: str) -> tuple[tuple[str, ...], Ragged]:
    lexicon = WordNumbers()
    rows = Ragged.number([tokenizer(name).words(text) for text in texts], lexicon)
    return tuple(lexicon), rows


def check(texts: list[str], name: str) -> None:
    words, rows = one_by_one(texts, name)
    units = units_of(texts, name)
    assert units.words == words
    expected = rows.divided(len(texts) // 2)
    for side, wanted in zip((units.candidates, units.references), expected, strict=True):
        assert side.ids.dtype == np.int32
        assert (side.ids == wanted.ids).all() and (side.offsets == wanted.offsets).all()


def test_the_usual_tokenizers_number_texts_at_once() -> None:
    assert sorted(AT_ONCE) == ["13a", "char", "en", "rouge", "space"]


@pytest.mark.parametrize("name", AT_ONCE)
def test_odd_strings_get_the_numbers_of_the_reference_path(name: str) -> None:
    for texts in odd_batches(3_000, seed=0):
        check(texts, name)


@pytest.mark.parametrize("name", AT_ONCE)
def test_no_rule_looks_across_white_space(name: str) -> None:
    """Locality: the words of texts joined by white space are the words of each, for all but what 13a drops first."""
    for texts in odd_batches(1_500, seed=1):
        kept = [text for text in texts if not re.search("[\0<]|-\n|-$", text)]
        joined = " ".join(kept)
        assert tokenizer(name).words(joined) == [w for t in kept for w in tokenizer(name).words(t)]


@pytest.mark.real
@pytest.mark.parametrize("name", AT_ONCE)
def test_real_texts_get_the_numbers_of_the_reference_path(name: str, shared_data: Path) -> None:
    comments = [each.text for thread in _data.c3(shared_data)[:60] for each in thread.comments]
    articles = [
        each.text for cluster in _data.multi_news(shared_data)[:10] for each in cluster.articles
    ]
    check([*comments, *articles], name)


def test_a_letter_whose_lower_case_is_ascii_is_lowered_as_python_does() -> None:
    lowered = [chr(c) for c in range(0x80, 0x110000) if re.search("[a-z0-9]", chr(c).lower())]
    assert lowered == ["\u0130", "\u212a"]
    check([f"a{letter}b" for letter in lowered], "rouge")


def test_words_of_every_length_are_told_apart() -> None:
    lengths = [1, 7, 8, 9, 15, 16, 17, 24, 1000]
    words = [letter * length + end for length in lengths for letter in "ab" for end in ("", "c")]
    check([" ".join(words), " ".join(reversed(words))] * 200, "space")


def test_blocks_of_texts_number_as_the_whole_does(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = next(batch for batch in odd_batches(5_000, seed=3) if len(batch) > 100)
    monkeypatch.setattr(bytewise, "_BLOCK_BYTES", 50)
    for name in AT_ONCE:
        check([text for text in texts if "\0" not in text], name)


def test_words_that_share_a_slot_are_told_apart() -> None:
    # More distinct words than a table has slots for, each twice.
    rng = np.random.default_rng(0)
    words = [f"{number:x}" for number in rng.integers(0, 2**60, 3_000)]
    check([" ".join(words[::2]), " ".join(words), " ".join(words[::-1])], "rouge")


def test_texts_that_hold_a_nul_or_words_are_not_packed() -> None:
    assert Packed.of(["a\0b"], []) is None
    assert units_of(["a\0b", "c\0d"], "space").words == ("a\0b", "c\0d")


def test_no_texts_have_no_words() -> None:
    packed = Packed.of([], ["", "  "])
    assert packed is not None
    words, rows = cut(packed.data, CHUNKS, 2)
    assert not words and rows.offsets.tolist() == [0, 0, 0]
    assert not cut(packed.data, LETTERS_AND_DIGITS, 2)[0]
