"""A cluster made ready for any summarizer: its sentences cut once, their words and vectors made when first asked for.

TF-IDF is the released code's (scikit-learn's): terms are lower-cased runs of two and more word characters without English stop
words, fitted on the cluster's own distinct sentences. That rule knows only Latin script: sentences of other scripts are
represented by the words of their language. A sentence that several articles share counts once, at its first place.

Cutting words is the dearest step, and most sentences can be ruled out without it: `fewest_words` bounds their number.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.summarizers.data import table
from newsdesk.summarizers.summary import Sentence
from newsdesk.text import language, sentences, tokenizer_for
from newsdesk.text.ragged import Ints, Lexicon, Ragged, offsets_of
from newsdesk.text.tfidf import Tfidf
from newsdesk.types import Article, Cluster

Floats = NDArray[np.float64]

_TERM = re.compile(r"\w\w+")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
# Whatever is neither Latin nor punctuation. Asking for its script costs more than cutting the article's sentences.
_NOT_LATIN = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufffd\U00010000-\U0010ffff]")
_LOOKED_AT = 5_000  # characters, as `language` does
_UNSPACED = ("zh", "ja", "th")


class Prepared:
    """The sentences of a cluster, numbered from 0 through all articles in the order given."""

    def __init__(self, cluster: Cluster, *, titles: bool = False) -> None:
        self.cluster = cluster
        self.titles = titles
        self.languages = tuple(map(_language, cluster.articles))
        self.glue = "" if _all_unspaced(self.languages) else " "
        found = [
            _sentences(article, lang, titles=titles)
            for article, lang in zip(cluster.articles, self.languages, strict=True)
        ]
        self.offsets = offsets_of(np.array([len(each) for each in found], dtype=np.int64))
        self.texts = [text for each in found for text in each.values()]
        self.positions = [position for each in found for position in each]
        self._words: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def article(self) -> Ints:
        """The number of the article that each sentence stands in."""
        return np.repeat(np.arange(len(self.languages)), np.diff(self.offsets))

    @cached_property
    def first(self) -> Ints:
        """For each sentence the first one with the same text."""
        place: dict[str, int] = {}
        firsts = (place.setdefault(text, number) for number, text in enumerate(self.texts))
        return np.fromiter(firsts, dtype=np.int64, count=len(self))

    @cached_property
    def distinct(self) -> Ints:
        """The sentences whose text no earlier one has."""
        return np.flatnonzero(self.first == np.arange(len(self)))

    @cached_property
    def fewest_words(self) -> Ints:
        """A number of words that each sentence has at least: its pieces between spaces that are all letters and digits."""
        counts = (sum(map(str.isalnum, text.split())) for text in self.texts)
        return np.fromiter(counts, dtype=np.int64, count=len(self))

    @cached_property
    def vectors(self) -> Any:
        """TF-IDF of the distinct sentences: a sparse matrix, each row of length one or empty."""
        lexicon = Lexicon()
        texts = number_words(map(self._terms, self.distinct.tolist()), lexicon)
        stop = _stop_words()
        kept = np.fromiter((word not in stop for word in lexicon), np.bool_, len(lexicon))
        rows = _only(texts, kept)
        columns = max(int(kept.sum()), 1)
        found = Tfidf.fit(rows, columns).transform(rows)
        # Half the size of the 64-bit indices, faster, and what scikit-learn takes.
        parts = (found.data, found.indices.astype(np.int32), found.indptr.astype(np.int32))
        return sparse.csr_array(parts, shape=found.shape)

    @cached_property
    def vectors_by_term(self) -> Any:
        """The transpose of `vectors`, stored by its own rows."""
        return sparse.csr_array(self.vectors.T)

    @cached_property
    def similarity_sums(self) -> Floats:
        """For each distinct sentence the sum of its cosine with all of them, itself included, without the n × n matrix."""
        sums: Floats = self.vectors @ self.vectors_by_term.sum(axis=1)
        return sums

    def words(self, number: int) -> list[str]:
        """The tokens of a sentence, punctuation included."""
        if number not in self._words:
            lang = self.languages[self.article[number]]
            self._words[number] = tokenizer_for(lang).words(self.texts[number])
        return self._words[number]

    def word_count(self, number: int) -> int:
        """How many tokens of a sentence hold a letter or digit: what `max_words` counts."""
        return sum(map(holds_letter_or_digit, self.words(number)))

    def too_short(self, number: int, min_tokens: int) -> bool:
        """Whether a sentence has fewer tokens than asked for, or no word at all."""
        if self.fewest_words[number] >= max(min_tokens, 1):
            return False
        return len(self.words(number)) < min_tokens or not self.word_count(number)

    def long_enough(self, numbers: Ints, min_tokens: int) -> NDArray[np.bool_]:
        """Which of these sentences are not too short."""
        enough: NDArray[np.bool_] = self.fewest_words[numbers] >= max(min_tokens, 1)
        for place in np.flatnonzero(~enough).tolist():
            enough[place] = not self.too_short(int(numbers[place]), min_tokens)
        return enough

    def sentence(self, number: int) -> Sentence:
        """A sentence with the article it comes from."""
        article = self.cluster.articles[self.article[number]]
        return Sentence(self.texts[number], article.id, self.positions[number], article.date)

    def chronological(self, numbers: Iterable[int]) -> list[int]:
        """Sentences by the date of their article, those without one last, then by article and position."""
        dates = [article.date or "\uffff" for article in self.cluster.articles]
        return sorted(numbers, key=lambda number: (dates[self.article[number]], number))

    @cached_property
    def _latin(self) -> tuple[bool, ...]:
        return tuple(map(_is_latin, self.cluster.articles))

    def _terms(self, number: int) -> Sequence[str]:
        if self._latin[self.article[number]]:
            return _TERM.findall(self.texts[number].lower())
        return [word.lower() for word in self.words(number) if holds_letter_or_digit(word)]


def prepare(cluster: Cluster, *, titles: bool = False) -> Prepared:
    """The cluster, ready for several summarizers; with `titles` each article's title is its first sentence."""
    return Prepared(cluster, titles=titles)


def holds_letter_or_digit(token: str) -> bool:
    """Whether a token is a word for limits, and no bare punctuation."""
    return token.isalnum() or _LETTER_OR_DIGIT.search(token) is not None


def number_words(texts: Iterable[Sequence[str]], numbers: Mapping[str, int]) -> Ragged:
    """Texts as numbered words, one text in memory at a time."""
    ids, ends = array("i"), array("q", [0])
    for words in texts:
        ids.extend(map(numbers.__getitem__, words))
        ends.append(len(ids))
    return Ragged(np.array(ids, dtype=np.int32), np.array(ends, dtype=np.int64))


def _only(texts: Ragged, kept: NDArray[np.bool_]) -> Ragged:
    """The texts without the words that are not kept, the others numbered anew."""
    mask = kept[texts.ids]
    numbers = (np.cumsum(kept) - 1).astype(np.int32)
    before = np.concatenate([[0], np.cumsum(mask)])
    return Ragged(numbers[texts.ids[mask]], before[texts.offsets])


def _sentences(article: Article, lang: str, *, titles: bool) -> dict[int, str]:
    """The sentences of an article by position, each on one line."""
    found: dict[int, str] = {}
    if titles and article.title and article.title.strip():
        found[-1] = article.title.strip()
    found.update(enumerate(sentences(article.text, lang)))
    glue = "" if _all_unspaced([lang]) else " "
    return {at: glue.join(map(str.strip, text.splitlines())) for at, text in found.items()}


def _language(article: Article) -> str:
    return article.lang or ("en" if _is_latin(article) else language(article.text))


def _is_latin(article: Article) -> bool:
    if not _NOT_LATIN.search(article.text, 0, _LOOKED_AT):
        return True
    return language(article.text) == "en"


def _all_unspaced(languages: Sequence[str]) -> bool:
    return bool(languages) and all(lang.partition("-")[0] in _UNSPACED for lang in languages)


def _stop_words() -> frozenset[str]:
    return frozenset(table("stop_words_en.txt"))

