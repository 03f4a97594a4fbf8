"""Words: what every tokenizer keeps, what each one is for, and equality with the tools whose rules we follow."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st
from rouge_score.tokenize import tokenize as rouge_tokenize
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from newsdesk.registry import TOKENIZERS
from newsdesk.text import tokenizer, tokenizer_for
from tests.growth import growth

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FAITHFUL = ("en", "zh", "ja", "char", "space")


def without_space(text: str) -> str:
    return "".join(character for character in text if not character.isspace())


@pytest.mark.parametrize("name", list(TOKENIZERS))
def test_a_signature_names_the_tokenizer_and_its_version(name: str) -> None:
    named = tokenizer(name)
    assert named.name == name
    assert named.signature.startswith(f"{name}.")
    assert tokenizer(name) is named


@pytest.mark.parametrize("name", FAITHFUL)
def test_no_character_is_changed_or_lost(name: str) -> None:
    words_of = tokenizer(name).words

    @given(TEXT)
    def check(text: str) -> None:
        words = words_of(text)
        assert "".join(words) == without_space(text)
        assert not any(character.isspace() for word in words for character in word)

    check()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It didn't end.", "It did n't end ."),
        ("It didn’t end.", "It did n’t end ."),
        ("can't've wouldn't they'll I'm we'd", "ca n't 've would n't they 'll I 'm we 'd"),
        ("Rowling's workers' O'Brien", "Rowling 's workers ' O'Brien"),
        ("The U.S. and the U.S.A at 5 p.m.", "The U.S. and the U.S.A at 5 p.m."),
        ("$1,000.50 or 3.5% at 10:30", "$ 1,000.50 or 3.5 % at 10:30"),
        ("on 2019-05-01 the 21st", "on 2019-05-01 the 21st"),
        ("a state-of-the-art F-16", "a state-of-the-art F-16"),
        ("He left -- or so... he said", "He left -- or so ... he said"),
        ("“Why?” (she asked)", "“ Why ? ” ( she asked )"),
        ("see https://x.example/a?b=c. Then", "see https://x.example/a?b=c . Then"),
        ("(www.x.example)", "( www.x.example )"),
        ("mail me@x.example, @joe #now", "mail me@x.example , @joe #now"),
        ("naïve cafe\u0301 Žižek", "naïve cafe\u0301 Žižek"),
        ("हिन्दी में", "हिन्दी में"),
        ("我爱iPhone的", "我 爱 iPhone 的"),
        ("ok 👩‍👩‍👧 👍🏽 🇫🇷!", "ok 👩‍👩‍👧 👍🏽 🇫🇷 !"),
        ("end.The next", "end . The next"),
        ("_emphasis_ and snake_case", "_ emphasis _ and snake _ case"),
        ("", ""),
        (" \t\n\u3000", ""),
    ],
)
def test_english_words(text: str, words: str) -> None:
    assert tokenizer("en").words(text) == words.split()


@pytest.mark.parametrize(
    "unit", ["a.", "'", "@", "a'", "http://", "www.", "a-", "1,", "a@", "x", "’s", ".", "\u0301", "我"]
)  # fmt: skip
def test_hostile_runs_cost_linear_time(unit: str) -> None:
    # Eight times the text: a quadratic rule would take 64 times as long.
    words = tokenizer("en").words
    assert growth(lambda size: words(unit * (size // len(unit))), 50_000, 400_000) < 24


def nasty_texts(count: int) -> Iterator[str]:
    rng = random.Random(0)
    pool = [chr(code) for code in range(32, 127)] * 5
    pool += [chr(code) for code in (*range(0x2000, 0x3400, 7), *range(0x4E00, 0x9FFF, 97))]
    pool += [chr(code) for code in (*range(0xF900, 0xFFFF, 13), *range(0x20000, 0x20050))]
    pool += ["\n", "&quot;", "&amp;lt;", "<skipped>", "-\n", ".", ",", "1", "İ", "\x1f"] * 20
    for _ in range(count):
        yield "".join(rng.choices(pool, k=rng.randrange(40)))


def test_13a_and_sacrebleu_zh_equal_sacrebleu() -> None:
    reference_13a, reference_zh = Tokenizer13a(), TokenizerZh()
    for text in nasty_texts(4000):
        assert tokenizer("13a").words(text) == reference_13a(text).split()
        assert tokenizer("sacrebleu-zh").words(text) == reference_zh(text).split()


def test_rouge_equals_rouge_score() -> None:
    for text in nasty_texts(4000):
        assert tokenizer("rouge").words(text) == rouge_tokenize(text, None)


def test_each_language_has_its_tokenizer() -> None:
    names = [tokenizer_for(lang).name for lang in ("en", "zh", "zh-TW", "ja", "de", "ko", "th")]
    assert names == ["en", "zh", "zh", "ja", "en", "en", "char"]
