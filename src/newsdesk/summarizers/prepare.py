"""A cluster prepared for any summarizer: sentences are split once; words and vectors are computed on first use.

TF-IDF is the released code's (scikit-learn's): terms are lower-cased runs of two and more word characters without English stop
words, fitted on the cluster's own distinct sentences. That rule knows only Latin script: sentences of other scripts are
represented by the words of their language. A sentence that several articles share counts once, at its first place.

Tokenizing is the most expensive step, and most sentences can be ruled out without it: `fewest_words` is a lower bound on their words.

What a summarizer returns: the text, its sentences, and a trace of every candidate considered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError, DataError
from newsdesk.languages import check_language, has_spaces
from newsdesk.packaged import table
from newsdesk.text import language, sentences, tokenizer_for
from newsdesk.text.ragged import Ragged, WordNumbers, count_matrix, offsets_of, sparse_unit_rows
from newsdesk.types import Article, Cluster

# A model's sentence that its source does not support is `replaced` by the source, or left out as `unsupported`; `stand-in` is a sentence of
# the extract in place of a text that a model did not write.
Outcome = Literal[
    "taken",
    "too short",
    "does not fit",
    "redundant",
    "no gain",
    "unreadable",
    "fallback",
    "replaced",
    "unsupported",
    "stand-in",
]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an article: `position` counts from 0, and -1 is the title."""

    text: str
    article: str
    position: int
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that a method considered: its score, if any, and whether it was taken or why not.

    `shown` is its text in the summary where that is not the sentence as it stands: shortened, or cleaned for display.
    """

    sentence: Sentence
    score: float | None
    outcome: Outcome
    detail: str = ""
    shown: str = ""

    @property
    def taken(self) -> bool:
        """True if the sentence is part of the summary."""
        return self.outcome in ("taken", "fallback", "replaced", "stand-in")

    @property
    def text(self) -> str:
        """The text as the summary has it."""
        return self.shown or self.sentence.text


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary: text, sentences as their articles have them, trace and signature.

    The trace has the candidates in the order considered.
    """

    text: str
    sentences: tuple[Sentence, ...]
    trace: tuple[Candidate, ...]
    signature: str


T = TypeVar("T")

_TERM = re.compile(r"\w\w+")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
# Whatever is neither Latin nor punctuation. Detecting the script costs more than splitting the article into sentences.
_NOT_LATIN = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufffd\U00010000-\U0010ffff]"
)
_LOOKED_AT = 5_000  # characters, as `language` does


class Prepared:
    """The sentences of a cluster, numbered from 0 through all articles in input order."""

    def __init__(self, cluster: Cluster, *, titles: bool = False) -> None:
        self.cluster = cluster
        self.titles = titles
        self.languages = tuple(map(_language, cluster.articles))
        self.glue = "" if _all_unspaced(self.languages) else " "
        sentences_of = [
            _sentences(article, lang, titles=titles)
            for article, lang in zip(cluster.articles, self.languages, strict=True)
        ]
        self.offsets = offsets_of(np.array([len(texts) for texts in sentences_of], dtype=np.int64))
        self.texts = list(chain.from_iterable(sentences_of))
        self._words: dict[int, list[str]] = {}
        self._derived: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def article(self) -> Ints:
        """For each sentence the number of its article."""
        return np.repeat(np.arange(len(self.languages)), np.diff(self.offsets))

    @cached_property
    def first(self) -> Ints:
        """For each sentence the number of the first one with the same text."""
        # Filled from the end, so that the first of equal texts stays.
        place = dict(zip(reversed(self.texts), range(len(self) - 1, -1, -1), strict=True))
        return np.fromiter(map(place.__getitem__, self.texts), dtype=np.int64, count=len(self))

    @cached_property
    def distinct(self) -> Ints:
        """The numbers of the sentences whose text no earlier sentence has."""
        return np.flatnonzero(self.first == np.arange(len(self)))

    @cached_property
    def fewest_words(self) -> Ints:
        """A lower bound on the number of words of each sentence, without tokenizing."""
        return np.fromiter(map(_fewest_words, self.texts), dtype=np.int64, count=len(self))

    @cached_property
    def vectors(self) -> Any:
        """TF-IDF of the distinct sentences: a sparse matrix whose rows have unit length or are empty."""
        lexicon = WordNumbers()
        texts = number_words(
            map(self._terms, self.distinct.tolist()), partial(map, lexicon.__getitem__)
        )
        stop = _stop_words()
        content = np.fromiter((word not in stop for word in lexicon), np.bool_, len(lexicon))
        rows = _only(texts, content)
        counts = count_matrix(rows, max(int(content.sum()), 1))
        # Half the size of 64-bit indices, faster, and what scikit-learn takes.
        indices, ends = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
        df = np.bincount(indices, minlength=counts.shape[1])
        weighted = counts.data * (np.log((1 + len(rows)) / (1 + df)) + 1)[indices]
        return sparse_unit_rows(sparse.csr_array((weighted, indices, ends), shape=counts.shape))

    @cached_property
    def vectors_by_term(self) -> Any:
        """The transpose of `vectors`, stored by its own rows."""
        return sparse.csr_array(self.vectors.T)

    @cached_property
    def similarity_sums(self) -> Floats:
        """Return the sum of each distinct sentence's cosines with all of them, itself included.

        The n × n matrix is never formed.
        """
        return self.vectors @ self.vectors_by_term.sum(axis=1)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return a value derived from this cluster, computed by `make` on first use and cached under `key`."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def words(self, number: int) -> list[str]:
        """Return the tokens of a sentence, punctuation included."""
        if number not in self._words:
            lang = self.languages[self.article[number]]
            self._words[number] = tokenizer_for(lang).words(self.texts[number])
        return self._words[number]

    def word_count(self, number: int) -> int:
        """Return the number of tokens of a sentence that hold a letter or digit: what `max_words` counts."""
        return sum(map(holds_letter_or_digit, self.words(number)))

    def too_short(self, number: int, min_tokens: int) -> bool:
        """Return True if a sentence has fewer than `min_tokens` tokens, or no word at all."""
        if _fewest_words(self.texts[number]) >= max(min_tokens, 1):
            return False
        return len(self.words(number)) < min_tokens or not self.word_count(number)

    def long_enough(self, numbers: Ints, min_tokens: int) -> NDArray[np.bool_]:
        """Return which of these sentences are not too short."""
        flags = (not self.too_short(number, min_tokens) for number in numbers.tolist())
        return np.fromiter(flags, dtype=np.bool_, count=len(numbers))

    def sentence(self, number: int) -> Sentence:
        """Return a sentence by number, with its article, position and date."""
        place = int(self.article[number])
        article = self.cluster.articles[place]
        has_title = bool(self.titles and _title(article))
        position = number - int(self.offsets[place]) - has_title
        return Sentence(self.texts[number], article.id, position, article.date)

    def is_latin(self, article: int) -> bool:
        """Return True if an article is in Latin script."""
        return self._latin[article]

    def chronological(self, numbers: Iterable[int]) -> list[int]:
        """Return sentences sorted by date of the article, undated last, then by article and position."""
        dates = [article.date or "\uffff" for article in self.cluster.articles]
        return sorted(numbers, key=lambda number: (dates[self.article[number]], number))

    @cached_property
    def _latin(self) -> tuple[bool, ...]:
        return tuple(map(_is_latin, self.cluster.articles))

    def _terms(self, number: int) -> Sequence[str]:
        if self._latin[self.article[number]]:
            return _TERM.findall(self.texts[number].lower())
        return [word.lower() for word in self.words(number) if holds_letter_or_digit(word)]


def check_languages(cluster: Cluster) -> None:
    """Raise DataError if an article declares a language that no tokenizer supports; `prepare` does so too."""
    for article in cluster.articles:
        _check_language(article)


def prepare(cluster: Cluster, *, titles: bool = False) -> Prepared:
    """Prepare a cluster for several summarizers; with `titles` each article's title is its first sentence."""
    return Prepared(cluster, titles=titles)


def _fewest_words(text: str) -> int:
    """Return the number of space-separated pieces that are all letters and digits.

    No tokenizer gives fewer words.
    """
    return sum(map(str.isalnum, text.split()))


def holds_letter_or_digit(token: str) -> bool:
    """Return True if a token counts as a word for limits, so is not bare punctuation."""
    return token.isalnum() or _LETTER_OR_DIGIT.search(token) is not None


def number_words(
    texts: Iterable[Sequence[str]], number: Callable[[Iterable[str]], Iterable[int]]
) -> Ragged:
    """Return texts as sequences of word ids, one text in memory at a time.

    `number` maps a stream of words to ids.
    """
    lengths: list[int] = []

    def stream() -> Iterator[Sequence[str]]:
        for words in texts:
            lengths.append(len(words))
            yield words

    ids = np.fromiter(number(chain.from_iterable(stream())), dtype=np.int32)
    return Ragged(ids, offsets_of(np.array(lengths, dtype=np.int64)))


def _only(texts: Ragged, wanted: NDArray[np.bool_]) -> Ragged:
    """Return the texts reduced to the wanted words (by id), which are renumbered."""
    kept = wanted[texts.ids]
    new_ids = (np.cumsum(wanted) - 1).astype(np.int32)
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    return Ragged(new_ids[texts.ids[kept]], kept_before[texts.offsets])


def _sentences(article: Article, lang: str, *, titles: bool) -> list[str]:
    """Return the sentences of an article, each on one line, after its title if `titles`."""
    texts = sentences("\n".join(article.text.splitlines()), lang)
    glue = "" if _all_unspaced([lang]) else " "
    lines = [
        glue.join(map(str.strip, text.split("\n"))) if "\n" in text else text for text in texts
    ]
    return [_title(article), *lines] if titles and _title(article) else lines


def _title(article: Article) -> str:
    return " ".join((article.title or "").split())


def _language(article: Article) -> str:
    """Return the language that the article declares, or the one that its script shows."""
    _check_language(article)
    return article.lang or ("en" if _is_latin(article) else language(_body(article)))


def _check_language(article: Article) -> None:
    try:
        check_language(article.lang or "en")
    except ArgumentError as error:
        raise DataError(f"article {article.id!r}: {error}") from None


def _is_latin(article: Article) -> bool:
    text = _body(article)
    if text.isascii() or not _NOT_LATIN.search(text, 0, _LOOKED_AT):
        return True
    return language(text) == "en"


def _body(article: Article) -> str:
    return article.text or article.title or ""


def _all_unspaced(languages: Sequence[str]) -> bool:
    return bool(languages) and not any(map(has_spaces, languages))


def _stop_words() -> frozenset[str]:
    return frozenset(table("summarizers", "stop_words_en.txt"))
