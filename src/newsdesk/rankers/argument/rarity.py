"""Inverse document frequency of words in the training comments, and which words occur there in lower case.

Languages without spaces are counted by pairs of neighbouring characters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.lexicon import units_of

_SMALL = re.compile(r"(?<![^\s(\"'])[a-z]{2,}")
_LEAST_COUNT = 2
_LEAST_SMALL = 3


def terms_of(units: Sequence[str], lang: str) -> list[str]:
    """The terms whose document frequency is counted: words, or pairs of characters."""
    if not has_spaces(lang):
        return [first + second for first, second in pairwise(units)]
    return list(units)


@dataclass(frozen=True, slots=True)
class Rarity:
    """Document frequency of each term in `texts` comments; terms seen once are left out."""

    texts: int
    counts: dict[str, int]
    small: frozenset[str]
    _values: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = {
            term: math.log((self.texts + 1) / (count + 1)) for term, count in self.counts.items()
        }
        object.__setattr__(self, "_values", values)

    @classmethod
    def of(cls, texts: Iterable[str], lang: str) -> Rarity:
        """Count the document frequency of the terms of texts."""
        counts: Counter[str] = Counter()
        small: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(set(terms_of(units_of(text, lang), lang)))
            small.update(_SMALL.findall(text))
            number += 1
        frequent = {term: counts[term] for term in sorted(counts) if counts[term] >= _LEAST_COUNT}
        known = frozenset(word for word, count in small.items() if count >= _LEAST_SMALL)
        return cls(number, frequent, known)

    @property
    def most(self) -> float:
        """The inverse document frequency of an unseen term."""
        return math.log(self.texts + 1)

    def values(self, terms: Iterable[str]) -> list[float]:
        """The inverse document frequency of each term."""
        most, find = self.most, self._values.get
        return [find(term, most) for term in terms]
