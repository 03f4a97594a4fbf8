"""Skip-gram word vectors trained on unlabelled comments, the initial embeddings of the neural rankers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.nn.lstm import Array
from newsdesk.nn.vectors import SkipGram, word_vectors
from newsdesk.rankers.features import Bags, known_words
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, silent


@dataclass(frozen=True, slots=True, eq=False)
class CommentVectors:
    """A vocabulary, a vector for each of its words, and the number of comments they were trained on."""

    vocabulary: Vocabulary
    vectors: Array
    comments: int


def comment_vectors(
    threads: Iterable[Thread],
    settings: SkipGram | None = None,
    *,
    min_count: int = 4,
    lang: str | None = None,
    progress: OnProgress = silent,
) -> CommentVectors:
    """Train on the comments of threads; words rarer than `min_count` become `<unk>`.

    Titles count towards `min_count` and are not trained on.
    """
    read = [Bags(lang=lang).sequences(thread) for thread in threads]
    vocabulary = known_words(read, min_count)
    if len(vocabulary) == 1:
        raise ArgumentError(f"no word comes {min_count} times; lower --min-count")
    texts = [words for _, comments in read for words in comments]
    vectors = word_vectors(texts, vocabulary, settings, progress)
    return CommentVectors(vocabulary, vectors, len(texts))
