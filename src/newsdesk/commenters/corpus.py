"""What retrieval keeps of the training threads, and the candidates it draws from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.commenters.arrays import TextColumn
from newsdesk.commenters.retrieval import InvertedIndex


@dataclass(frozen=True, slots=True)
class ReadThreads:
    """Words of articles and comments, texts and ids of comments, and the number of each comment's article."""

    articles: list[Sequence[str]]
    comments: list[Sequence[str]]
    texts: list[str]
    ids: list[str]
    article_of: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Comments of the nearest articles under a new article: their places, neighbours' cosines and relevance scores.

    `missing` holds the particulars of each that the article lacks, where they are checked.
    """

    places: Ints
    cosines: Floats
    relevance: Floats
    missing: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def part(self, chosen: Ints) -> Candidates:
        """Some of the candidates."""
        missing = tuple(self.missing[place] for place in chosen.tolist()) if self.missing else ()
        return Candidates(
            self.places[chosen], self.cosines[chosen], self.relevance[chosen], missing
        )


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The training articles and comments as they are kept: texts, ids, vectors."""

    article_ids: TextColumn
    titles: TextColumn
    comment_ids: TextColumn
    texts: TextColumn
    article_of: Ints  # of each comment
    first_comment: Ints  # of each article, and the number of comments
    index: InvertedIndex
    comment_words: sparse.csr_array
    comment_vectors: Any  # comments × units, sixteen bits

    def comments_of(self, articles: Iterable[int]) -> Ints:
        """The places of the comments of articles, article by article."""
        spans = [np.arange(self.first_comment[a], self.first_comment[a + 1]) for a in articles]
        return np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)
