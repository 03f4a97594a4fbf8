"""The words of a sentence as the check compares them: each with a key, under which it is looked up, and what kind of word it is.

Numbers are compared by value (`1,200` and `1200`, `twelve` and `12`), English words by their stem, and everything in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from newsdesk.languages import has_spaces, settings_of
from newsdesk.packaged import sections
from newsdesk.text import tokenizer_for
from newsdesk.text.names import name_words
from newsdesk.text.stem import stemmer

Kind = Literal["number", "date", "negation", "name", "pronoun", "function", "word", "mark"]
FACTS: frozenset[Kind] = frozenset(("number", "date", "negation", "name"))

_WORD = re.compile(
    r"n['’]t\b|['’](?:s|re|ve|d|ll|m)\b|\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?|(?:[A-Z]\.){2,}|[^\W\d_](?:(?!n['’]t\b)[^\W\d_])*|[^\s]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClaimWord:
    """A word of a sentence: as it is written, as it is compared, and its kind."""

    text: str
    key: str
    kind: Kind


def claim_words(text: str, lang: str, names: Collection[str] = ()) -> list[ClaimWord]:
    """Return the words of a sentence; `names` are words in lower case that are names wherever they stand.

    >>> [(word.key, word.kind) for word in claim_words("Ann didn't pay 1,200 on Friday.", "en")][:5]
    [('ann', 'word'), ('did', 'function'), ('not', 'negation'), ('pay', 'word'), ('1200', 'number')]
    """
    spaced = has_spaces(lang)
    parts = (
        _WORD.findall(text.replace(" n't", "n't")) if spaced else tokenizer_for(lang).words(text)
    )
    words: list[ClaimWord] = []
    for part in parts:
        inside = any(word.kind != "mark" for word in words)  # the first word has its capital anyway
        words.append(_word(part, lang, names, capital=spaced and inside))
    return words


@lru_cache(maxsize=100_000)
def _key(lower: str, lang: str) -> str:
    return stemmer("snowball")([lower])[0] if lang == "en" else lower


def _word(part: str, lang: str, names: Collection[str], *, capital: bool) -> ClaimWord:
    lower = part.lower().replace("’", "'")
    words = _words(lang)
    if not any(map(str.isalnum, part)):
        return ClaimWord(part, "percent" if part in "%％" else part, "mark")
    if lower in ("n't", "cannot"):
        return ClaimWord(part, "not", "negation")
    if lower in words.numbers:
        return ClaimWord(part, words.numbers[lower], "number")
    if part[0].isdigit():
        return ClaimWord(part, re.sub(r"[,:](?=\d{3}\b)|\.0+$", "", lower), "number")
    kind: Kind = words.kinds.get(lower, "word")
    if kind == "word" or (kind == "date" and not part[0].isupper() and lower in _MONTH_VERBS):
        is_name = lower in names or (
            capital and part[0].isupper() and settings_of(lang).names == "capitals"
        )
        kind = "name" if is_name else "word"
    if lower in _MONTH_VERBS and part[0].isupper() and capital:
        kind = "date"
    return ClaimWord(part, _key(lower, lang) if kind in ("word", "name") else lower, kind)


_MONTH_VERBS = frozenset(("march", "may"))


@dataclass(frozen=True, slots=True)
class _ClaimLists:
    kinds: dict[str, Kind]
    numbers: dict[str, str]


@cache
def _words(lang: str) -> _ClaimLists:
    lists = sections("summarizers", "claims.txt")
    kinds: dict[str, Kind] = {}
    groups: tuple[Kind, ...] = ("function", "pronoun", "date", "negation")
    for kind in groups:
        kinds.update(dict.fromkeys(lists.get(f"{kind} {settings_of(lang).code}", ()), kind))
    pairs = (line.split(maxsplit=1) for line in lists.get(f"number {settings_of(lang).code}", ()))
    return _ClaimLists(kinds, dict(pairs))


def names_in(texts: Iterable[str], lang: str) -> frozenset[str]:
    """Return the words of texts, in lower case, that are names."""
    texts = list(texts)
    words = {word.lower() for text in texts for word in _raw(text, lang)}
    return frozenset(name_words(sorted(words), texts, lang)) - _words(lang).kinds.keys()


def _raw(text: str, lang: str) -> list[str]:
    return _WORD.findall(text) if has_spaces(lang) else tokenizer_for(lang).words(text)
