"""Lexicons of phrases by kind (reasons, hedges, insults, …), and their matches in a comment.

Lists are data, `words-en.txt`, `words-zh.txt` and `words-ja.txt`, with the same kinds in each. English phrases are matched by words, Chinese and
Japanese ones by characters; matching is left to right and longest first, without overlap. Other languages have no list: all
their counts are 0.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections

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
        free = 0
        for place in [place for place, unit in enumerate(units) if unit in known]:
            if place < free:
                continue
            for phrase, kind in known[units[place]]:
                size = len(phrase)
                if size == 1 or tuple(units[place : place + size]) == phrase:
                    free = place + size
                    hits.append(Hit(kind, place, free))
                    break
        return hits


def units_of(text: str, lang: str) -> list[str]:
    """The words of a text in lower case, or its characters in a language without spaces.

    >>> units_of("Don't pay 5 %, e.g. now!", "en"), units_of("不是CD", "zh")
    (["don't", 'pay', '5', '%', 'e.g', 'now'], ['不', '是', 'cd'])
    """
    pattern = _WORD if has_spaces(lang) else _CHARACTER
    return pattern.findall(text.lower().replace("’", "'"))


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
