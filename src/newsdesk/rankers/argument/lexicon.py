"""Lexicons of phrases by kind (reasons, hedges, insults, …), and their matches in a comment.

Lists are data, `words-en.txt`, `words-zh.txt` and `words-ja.txt`, with the same kinds in each. English phrases are matched by words, Chinese and
Japanese ones by characters; matching is left to right and longest first, without overlap. A phrase may begin with any number (`0年`). Other
languages have no list: all their counts are 0.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from newsdesk.languages import has_spaces
from newsdesk.packaged import sections

LISTED = ("en", "zh", "ja")

# The place of a number in a phrase, and what stands for one: digits, or a character of Chinese and Japanese.
_NUMBER = "0"
_NUMERAL = re.compile(r"\d+|[一二三四五六七八九十百千万亿億两兩几幾数數半何]")
# Web and mail addresses: what is in them is no wording.
ADDRESS = re.compile(
    r"https?://[^\s\u3000-\u9fff\uff00-\uffef]+"
    r"|(?<![\w@.-])(?:www\.|[\w.+-]+@)[\w-]+\.[\w./?=&%#~+-]*\w"
    r"|(?<![\w.-])[a-zA-Z][\w.-]*\.(?:com|org|net|ca|uk|gov|edu|info|example)\b(?:/[\w./?=&%#~+-]*)?",
    re.ASCII,
)
# The country, not the pronoun: not in a row of words in capitals.
_COUNTRY = re.compile(r"(?<![A-Z] )\bUS\b(?! [A-Z]{2})")

_WORD = re.compile(r"[^\W_]+(?:['.&-][^\W_]+)*|[@%$#&]")
_CHARACTER = re.compile(r"[a-z0-9]+|[^\W_]|[@%$#&]")


class Hit(NamedTuple):
    """A phrase of a kind, from unit `start` to before unit `end`."""

    kind: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrases of a language by their first unit, the longest first."""

    kinds: tuple[str, ...]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], int], ...]]

    def hits(self, units: Sequence[str]) -> list[Hit]:
        """Every phrase in a text, from left to right, without overlap."""
        hits: list[Hit] = []
        known = self.phrases
        after_number = known.get(_NUMBER, ())
        free = 0
        for place, unit in enumerate(units):
            if place < free:
                continue
            phrases = known.get(unit, ())
            if after_number and _NUMERAL.fullmatch(unit):
                phrases += after_number
            for phrase, kind in phrases:
                size = len(phrase)
                if size == 1 or tuple(units[place + 1 : place + size]) == phrase[1:]:
                    free = place + size
                    hits.append(Hit(kind, place, free))
                    break
        return hits


def units_of(text: str, lang: str) -> list[str]:
    """The words of a text in lower case without addresses, or its characters in a language without spaces.

    >>> units_of("Don't pay 5 %, e.g. now!", "en"), units_of("不是CD", "zh")
    (["don't", 'pay', '5', '%', 'e.g', 'now'], ['不', '是', 'cd'])
    """
    text = ADDRESS.sub(" ", text)
    if not has_spaces(lang):
        return _CHARACTER.findall(text.lower())
    return _WORD.findall(_COUNTRY.sub("U.S.", text).lower().replace("’", "'"))


@functools.cache
def lexicon(lang: str) -> Lexicon:
    """The lexicon of a language; empty for a language without lists."""
    lists = sections("rankers", f"words-{lang if lang in LISTED else 'en'}.txt")
    phrases: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    if lang in LISTED:
        for kind, lines in enumerate(lists.values()):
            for line in lines:
                phrase = tuple(units_of(line, lang))
                phrases.setdefault(phrase[0], []).append((phrase, kind))
    ordered = {
        first: tuple(sorted(some, key=lambda each: -len(each[0])))
        for first, some in phrases.items()
    }
    return Lexicon(tuple(lists), ordered)
