"""Stemmers: NLTK's Porter to the letter, the old Snowball against what changed since, and ROUGE's rule for short words."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from nltk.stem.porter import PorterStemmer

from newsdesk.text import porter, snowball
from newsdesk.text.stem import stemmer

ENDINGS = """s ed ing ly er ment ness ingly edly ist ies ied ogy eed ying ation ational ic ize y ally fully bly e ll ion ate logi
    alli ability ful""".split()
NAMES = ("snowball", "snowball-2010", "porter", "porter-nltk", "porter-long", "rouge")


def generated(count: int) -> list[str]:
    rng = random.Random(0)

    def word() -> str:
        start = "".join(rng.choices("aeiouybdlmnrstgx'é.", k=rng.randint(0, 6)))
        return start + rng.choice(ENDINGS) + rng.choice([*ENDINGS, *[""] * 20])

    return sorted({word() for _ in range(count)})


def real_words(folder: Path) -> list[str]:
    words: set[str] = set()
    for path in sorted(folder.glob("*/*.jsonl")):
        text = path.read_text("utf-8", "replace").lower()
        words.update(re.findall(r"\w+", text), re.findall(r"[a-z']+", text))
    return sorted(words)


def test_porter_equals_nltk_on_generated_words() -> None:
    theirs = PorterStemmer()
    words = generated(20_000)
    assert porter.stems(words) == [theirs.stem(word) for word in words]


@given(st.lists(st.text("aeiouybdlst", max_size=9)))
def test_porter_equals_nltk_on_any_letters(words: list[str]) -> None:
    theirs = PorterStemmer()
    assert porter.stems(words) == [theirs.stem(word) for word in words]


@pytest.mark.real
def test_porter_equals_nltk_on_all_words_of_the_shared_data(shared_data: Path) -> None:
    theirs = PorterStemmer()
    words = real_words(shared_data)
    assert len(words) > 50_000
    assert porter.stems(words) == [theirs.stem(word) for word in words]


def test_the_old_snowball_has_its_own_stems() -> None:
    words = ["university", "added", "evening", "organization", "international", "elections"]
    assert snowball.stems(words) == ["univers", "ad", "even", "organ", "intern", "elect"]


def test_the_short_cut_of_the_old_snowball_changes_nothing() -> None:
    words = generated(20_000)
    assert snowball.stems(words) == [snowball.stem(word) for word in words]


@pytest.mark.real
def test_the_short_cut_changes_nothing_on_real_words(shared_data: Path) -> None:
    words = real_words(shared_data)
    assert snowball.stems(words) == [snowball.stem(word) for word in words]


def test_rouge_leaves_short_words_alone() -> None:
    words = ["was", "ties", "abbeys", "was"]
    assert stemmer("rouge")(words) == ["was", "tie", "abbey", "was"]
    assert stemmer("porter-long")(words) == ["was", "ti", "abbei", "was"]
    assert stemmer("porter")(["was"]) == ["wa"]


@pytest.mark.parametrize("name", NAMES)
def test_stems_come_in_the_order_of_the_words(name: str) -> None:
    words = generated(200)
    stems = stemmer(name)(words)
    assert stems == [stemmer(name)([word])[0] for word in words]
    assert stemmer(name)([]) == []
    assert stemmer(name)(tuple(words)) == stems
