"""A fixed set of words with their numbers, cut by frequency. Number 0 is `<unk>`, which every other word becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import ArgumentError

UNKNOWN = "<unk>"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A fixed vocabulary: words in the order of their ids."""

    words: tuple[str, ...]
    _numbers: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.words or self.words[0] != UNKNOWN:
            raise ArgumentError(f"the first word of a vocabulary is {UNKNOWN!r}")
        numbers = {word: number for number, word in enumerate(self.words)}
        if len(numbers) != len(self.words):
            raise ArgumentError("a vocabulary holds each word once")
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def build(
        cls, texts: Iterable[Iterable[str]], *, min_count: int = 1, max_size: int | None = None
    ) -> Vocabulary:
        """The words seen at least `min_count` times, at most `max_size` of them, the most frequent first.

        Words of equal frequency stand in the order of their first appearance.

        >>> Vocabulary.build([["a", "b", "a"], ["c", "b", "a"]], min_count=2).words
        ('<unk>', 'a', 'b')
        """
        counts = Counter(word for words in texts for word in words)
        counts.pop(UNKNOWN, None)
        frequent = [word for word, count in counts.most_common() if count >= min_count]
        return cls((UNKNOWN, *frequent[:max_size]))

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """The ids of words; 0 for words outside the vocabulary."""
        find = self._numbers.get
        return np.fromiter((find(word, 0) for word in words), dtype=np.int32)
