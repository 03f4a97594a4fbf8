"""Generated items for comparisons with peers: candidates of 0–60 tokens with 1–27 references, some of them hard.

Words follow Zipf's law; references share pieces with their candidate, so that there is something to match; some texts are empty, some
repeat one word, some are identical, some are not written in Latin letters.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()
_ENDINGS = ["", "s", "ed", "ing", "ly", "ation", "er", "ness"]
_FUNCTION = "the of and to in a is was for on that it with as by at".split()
_OTHER_SCRIPTS = [
    *"我们在北京看新闻的人都说很好不是",
    "новости",
    "люди",
    "ニュース",
    "を",
    "見た",
    "سلام",
    "हिन्दी",
    "café",
    "naïve",
]


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate with its references, as space-separated tokens."""

    candidate: str
    references: tuple[str, ...]


class Generator:
    """Draws items; the same seed gives the same items."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        stems = [
            "".join(self._rng.choices(_SYLLABLES, k=self._rng.randint(1, 3))) for _ in range(700)
        ]
        words = [stem + ending for stem in stems for ending in self._rng.sample(_ENDINGS, 3)]
        self._words = _FUNCTION + words
        self._weights = [1 / (rank + 1) for rank in range(len(self._words))]

    def items(self, pairs: int) -> Iterator[Item]:
        """Items with at least this many (candidate, reference) pairs in all."""
        while pairs > 0:
            candidate = self._text()
            count = self._rng.choice([1, 1, 2, 3, 5, 9, 27])
            yield Item(
                " ".join(candidate),
                tuple(" ".join(self._reference(candidate)) for _ in range(count)),
            )
            pairs -= count

    def _text(self) -> list[str]:
        kind = self._rng.random()
        length = self._rng.randint(0, 60)
        if kind < 0.03:
            return []
        if kind < 0.08:
            return [self._rng.choice(self._words)] * length
        if kind < 0.18:
            return self._rng.choices(_OTHER_SCRIPTS, k=length)
        if kind < 0.3:
            return self._rng.choices(self._words[:6], k=length)
        return self._rng.choices(self._words, self._weights, k=length)

    def _reference(self, candidate: list[str]) -> list[str]:
        kind = self._rng.random()
        if kind < 0.05:
            return list(candidate)
        if kind < 0.35 or not candidate:
            return self._text()
        words = [word for word in candidate if self._rng.random() < 0.7]
        if kind < 0.5:
            self._rng.shuffle(words)
        for _ in range(self._rng.randint(0, 10)):
            word = self._rng.choices(self._words, self._weights)[0]
            words.insert(self._rng.randint(0, len(words)), word)
        return words[:60]


def generated(pairs: int, seed: int = 0) -> list[Item]:
    """Items with at least this many pairs."""
    return list(Generator(seed).items(pairs))
