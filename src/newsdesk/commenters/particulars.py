"""Particulars of comments: the names and numbers that tie a comment to the article it was written under.

A comment that names the captain, the town or the sum of another article does not fit a new one that mentions none of them. Particular is a name or number that the comment took from its article, and a name, address or long
number that occurs under this one article alone. What else a comment names ("God", "Congress", "thirty years ago") was brought in by its writer and fits anywhere. Words fit if their first five letters agree, so that "Calverran" fits "Calverra".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Bools, Ints
from newsdesk.model.folder import Arrays
from newsdesk.text.names import name_words
from newsdesk.text.ragged import Ragged
from newsdesk.text.vocabulary import Vocabulary

_STEM_LETTERS = 5
_LONG_NUMBER = 5
_HANDLES = ("@", "#", "http", "www.")


@dataclass(frozen=True, slots=True, eq=False)
class Particulars:
    """For each comment the words that an article must mention, and for each word of the vocabulary the number of its stem."""

    words: NDArray[np.int32]
    offsets: Ints
    stem_of: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        vocabulary: Vocabulary,
        lang: str,
        texts: Iterable[str],
        articles: Ragged,
        comment_words: sparse.csr_array,
        article_of: Ints,
    ) -> Particulars:
        """Find the particulars of comments from the words of their articles (as rows of ids) and their own."""
        words = vocabulary.words
        names = _marked(vocabulary, name_words(words, texts, lang))
        numbers = _marked(vocabulary, filter(_is_number, words))
        matrix = sparse.csr_array(comment_words)
        matrix.sort_indices()
        comment_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        terms, origin = matrix.indices.astype(np.int64), article_of[comment_of]
        in_article = np.isin(
            origin * len(words) + terms, articles.rows.astype(np.int64) * len(words) + articles.ids
        )
        alone = _articles_with(terms, origin, len(words)) == 1
        handles = _marked(vocabulary, filter(_is_handle, words))
        chosen = ((names | numbers)[terms] & in_article) | ((names | handles) & alone)[terms]
        counts = np.bincount(comment_of[chosen], minlength=matrix.shape[0])
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(terms[chosen].astype(np.int32), offsets, _stems(words))

    def missing(self, comments: Ints, mentioned: Ints) -> list[list[int]]:
        """For each of these comments its particulars that an article with the mentioned words lacks."""
        stems = np.zeros(int(self.stem_of.max(initial=0)) + 1, dtype=bool)
        stems[self.stem_of[mentioned]] = True
        return [
            [word for word in self._of(comment).tolist() if not stems[self.stem_of[word]]]
            for comment in comments.tolist()
        ]

    def _of(self, comment: int) -> NDArray[np.int32]:
        return self.words[self.offsets[comment] : self.offsets[comment + 1]]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to save."""
        return {"words": self.words, "offsets": self.offsets, "stem_of": self.stem_of}

    @classmethod
    def of_arrays(cls, arrays: Arrays) -> Particulars:
        """The particulars whose arrays were saved."""
        return cls(arrays["words"], arrays["offsets"], np.asarray(arrays["stem_of"]))


def _is_number(word: str) -> bool:
    """True for a number of two or more digits; a hundred per cent is a figure of speech.

    >>> [word for word in ("214", "5", "100", "6:52", "1,200", "covid19") if _is_number(word)]
    ['214', '6:52', '1,200', 'covid19']
    """
    digits = sum(map(str.isdigit, word))
    return digits > 1 and word.rstrip("%") != "100"


def _is_handle(word: str) -> bool:
    """True for a link, the handle of a user, a tag, or a number that is too long for a year.

    >>> [word for word in ("@ann", "www.x.com", "av25386207", "2031", "a-b") if _is_handle(word)]
    ['@ann', 'www.x.com', 'av25386207']
    """
    return word.startswith(_HANDLES) or sum(map(str.isdigit, word)) >= _LONG_NUMBER


def _marked(vocabulary: Vocabulary, words: Iterable[str]) -> Bools:
    marked = np.zeros(len(vocabulary), dtype=bool)
    marked[vocabulary.ids(words)] = True
    marked[0] = False
    return marked


def _articles_with(terms: Ints, articles: Ints, count: int) -> Ints:
    """For each term the number of articles whose comments hold it."""
    pairs = np.unique(articles * count + terms)
    return np.bincount(pairs % count, minlength=count).astype(np.int64)


def _stems(words: Sequence[str]) -> NDArray[np.int32]:
    """The number of each word's stem: its first letters, or the whole word if it has a digit."""
    stems = [word if any(map(str.isdigit, word)) else word[:_STEM_LETTERS] for word in words]
    numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    return np.array([numbers[stem] for stem in stems], dtype=np.int32)
