"""How commenters read articles and threads: their language, words to match and to generate, columns of texts, references of metrics.

A column of texts is an array of bytes, which can be memory-mapped. Comments become weighted references: scores from 0 to 1 (shares of votes) are weights as they are. Any other scale needs a mapping, which the caller names: where a scale begins
and ends cannot be seen from the scores that occur. Once some comments have a score, those without one are no references: a weight
made up for them would change every weighted metric.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsdesk import records
from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError, DataError
from newsdesk.languages import check_language, has_spaces
from newsdesk.metrics.weights import Weighting
from newsdesk.model import Arrays
from newsdesk.records import Reader
from newsdesk.text import sentences, tokenizer_for
from newsdesk.text.language import main_language
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Article, Cluster, Output, Reference, References, Thread
from newsdesk.wording import plural


def articles_of(record: object, file: str) -> tuple[Article, ...]:
    """Return the articles of a record: itself, that of a thread or those of a cluster."""
    if isinstance(record, Article):
        return (record,)
    if isinstance(record, Thread):
        return (record.article,)
    if isinstance(record, Cluster):
        return record.articles
    raise DataError("holds no articles or threads", file=file)


def open_articles(
    path: str, kind: str | None, read_threads: Callable[[str], Reader[Thread]]
) -> Reader[Any]:
    """Open a file of articles, threads or clusters, as `kind` names it or its first line shows.

    `read_threads` opens threads, which may be in the formats of others; on standard input these are recognized only if `kind` is `thread`.
    """
    if kind == "thread":
        return read_threads(path)
    reader = records.read_named(path, kind)
    if reader.kind is Thread and path != "-":
        reader.close()
        return read_threads(path)
    return reader


AS_THEY_ARE = "scores"  # the name in signatures of a mapping that changes nothing
UNSCORED = "none"


@dataclass(frozen=True, slots=True)
class CommentReferences:
    """The comments of each article as weighted references.

    With the mapping from scores to weights, and what the reader should know.
    """

    references: tuple[References, ...]
    weighting: str
    notes: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()  # articles without a reference

    def answered(self, outputs: Iterable[Output]) -> Iterator[Output]:
        """Yield outputs but those for articles that were left out."""
        return (output for output in outputs if output.id not in self.left_out)


def references_of(
    threads: Sequence[Thread], weighting: Weighting | None = None
) -> CommentReferences:
    """Return the scored comments of each article, weighted by their scores.

    If none has a score, all comments with weight 1.
    """
    comments = [comment for thread in threads for comment in thread.comments]
    scored = [comment for comment in comments if comment.score is not None]
    scored_threads, notes = list(threads), []
    if not scored:
        notes.append(
            "no comment has a score: every weight is 1, and weighted metrics equal the plain ones"
        )
    elif left := len(comments) - len(scored):
        notes.append(
            f"{plural(left, 'comment')} of {len(comments)} without a score left out of the references"
        )
        scored_threads = [
            Thread(thread.article, tuple(c for c in thread.comments if c.score is not None))
            for thread in threads
        ]
    commented = [thread for thread in scored_threads if thread.comments]
    if left := len(threads) - len(commented):
        what = "a scored comment" if scored else "a comment"
        notes.append(f"{plural(left, 'article')} without {what} left out of the metrics")
    weights, mapping = [1.0] * len(comments), UNSCORED
    if scored:
        weights, mapping = _weights(commented, weighting)
    left_out = frozenset(thread.article.id for thread in scored_threads if not thread.comments)
    references = tuple(_references(commented, weights))
    return CommentReferences(references, mapping, tuple(notes), left_out)


def are_shares(threads: Iterable[Thread]) -> bool:
    """Return True if every score lies between 0 and 1."""
    scores = (comment.score for thread in threads for comment in thread.comments)
    return all(0 <= score <= 1 for score in scores if score is not None)


def _weights(threads: Sequence[Thread], weighting: Weighting | None) -> tuple[list[float], str]:
    """Return the weight of every comment, and the name of the mapping from scores for signatures.

    Comments count in the order of their threads; each thread is an item of the weighting.
    """
    comments = [comment for thread in threads for comment in thread.comments]
    scores = [float(comment.score or 0.0) for comment in comments]
    items = [number for number, thread in enumerate(threads) for _ in thread.comments]
    if weighting is not None:
        return weighting(scores, items).tolist(), weighting.signature
    if not are_shares(threads):
        raise ArgumentError(
            f"the scores of the comments go from {min(scores):g} to {max(scores):g}, not from 0 to 1; say how they become weights:"
            " --weights minmax[LOW,HIGH] with the ends of the scale, max or itemmax"
        )
    return scores, AS_THEY_ARE


def _references(threads: Iterable[Thread], weights: Iterable[float]) -> Iterable[References]:
    """Yield the references of each thread; the weights of all their comments are in one row."""
    remaining = iter(weights)
    for thread in threads:
        weighted = tuple(Reference(comment.text, next(remaining)) for comment in thread.comments)
        yield References(thread.article.id, weighted, thread.article.lang)


def threads_digest(*parts: Iterable[Thread]) -> str:
    """Return a hash of all threads of the parts of a corpus, in twelve digits."""
    digest = hashlib.sha256()
    for part in parts:
        for thread in part:
            digest.update(f"{thread.article!r}{thread.comments!r}".encode("utf-8", "surrogatepass"))
        digest.update(b"|")
    return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Many texts as one array of UTF-8 bytes and their offsets: mapped, and read one by one."""

    data: NDArray[np.uint8]
    offsets: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        """Pack texts.

        >>> list(TextColumn.of(["a", "", "é"]))
        ['a', '', 'é']
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        span = self.data[self.offsets[row] : self.offsets[row + 1]]
        return span.tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))


def columns(named: Mapping[str, TextColumn]) -> dict[str, NDArray[Any]]:
    """Return the arrays of named columns."""
    return {
        f"{name}.{part}": getattr(column, part)
        for name, column in named.items()
        for part in ("data", "offsets")
    }


def column(arrays: Arrays, name: str) -> TextColumn:
    """Return a column whose arrays `columns` returned."""
    return TextColumn(arrays[f"{name}.data"], arrays[f"{name}.offsets"])


TooLong = Literal["truncate", "discard"]

_ENOUGH_CHARACTERS = 5_000
_NO_SPACE_BEFORE = frozenset(".,;:!?%)]}…’”'")
_NO_SPACE_AFTER = frozenset("([{$£€#“‘")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))\Z", re.IGNORECASE)


def corpus_language(threads: Sequence[Thread], lang: str | None) -> str:
    """Return the language that is set, else that of most articles, declared or by script."""
    if lang:
        check_language(lang)
    return main_language(threads, lang, by_article=True) or "en"


@dataclass(frozen=True, slots=True)
class Reading:
    """Cuts texts of one language into words."""

    lang: str

    def terms(self, text: str) -> list[str]:
        """Return the words to match by: lower case, without punctuation.

        >>> Reading("en").terms("The dam, again!")
        ['the', 'dam', 'again']
        """
        words = tokenizer_for(self.lang).words(text.lower())
        return [word for word in words if any(map(str.isalnum, word))]

    def words(self, text: str) -> list[str]:
        """Return the words to generate, unchanged."""
        return tokenizer_for(self.lang).words(text)

    def text(self, words: Iterable[str]) -> str:
        """Return words as text again: without spaces where the language has none, else with the usual ones.

        >>> Reading("en").text(["It", "did", "n't", "end", "(", "yet", ")", "."])
        "It didn't end (yet)."
        """
        if not has_spaces(self.lang):
            return "".join(words)
        text, no_space = "", True
        for word in words:
            no_space = no_space or word[0] in _NO_SPACE_BEFORE or bool(_CLITIC.match(word))
            text += word if no_space else f" {word}"
            no_space = word in _NO_SPACE_AFTER
        return text

    @property
    def tokenizer(self) -> str:
        """The tokenizer's name and version, for signatures."""
        return tokenizer_for(self.lang).signature


def title_of(article: Article) -> str:
    """Return the title, or the first sentence of an article that has none."""
    title = (article.title or "").strip()
    if title or not article.text.strip():
        return title
    return next(iter(sentences(article.text[:_ENOUGH_CHARACTERS], article.lang)), "")


def content_of(article: Article) -> str:
    """Return the title and the text of an article as one string."""
    return f"{article.title or ''}\n{article.text}".strip()


def usable(words: Sequence[str], max_words: int, too_long: TooLong) -> Sequence[str]:
    """Return a comment's words cut to the limit, or none of them if over-long comments are discarded."""
    if len(words) > max_words and too_long == "discard":
        return ()
    return words[:max_words]
