"""IR-T and IR-TC of Qin et al. 2018: comments of the nearest training articles, ranked by a relevance model.

The articles whose TF-IDF vectors (title, or title and content) are nearest to that of the new article give the candidates: all their comments. The relevance
model, a convolutional network, scores each under the new article. Comments are encoded once, when the model is fitted. An article's own thread never gives candidates.

The paper's relevance model is the convolutional network alone, `relevance_model='cnn'`. Where we depart: by default (`cnn+sum+shared`) the network also sums the words and sees how far article and comment share them (`cnn+sum` leaves that out); a comment of an article without words in common with
any other is chosen among all.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.commenters.commenter import Commenter
from newsdesk.commenters.relevance import (
    MAX_ARTICLE_WORDS,
    MAX_COMMENT_WORDS,
    RelevanceTerms,
    examples_of,
    one_each,
    pair_accuracy,
    probabilities,
    random_others,
)
from newsdesk.commenters.retrieval import (
    CommentCandidates,
    Corpus,
    InvertedIndex,
    Neighbours,
    ReadThreads,
)
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.commenters.texts import (
    Reading,
    TextColumn,
    TooLong,
    column,
    columns,
    corpus_language,
    usable,
)
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Saved, learned_field, prefixed, without_prefix
from newsdesk.nn.convolution import (
    CNN_SUM,
    CNN_SUM_SHARED,
    ConvolutionScorer,
    ConvolutionSettings,
    RelevanceModel,
    fit_convolution,
)
from newsdesk.settings import above_zero, at_least, one_of
from newsdesk.text.ragged import Tfidf, Vocabulary
from newsdesk.types import Article, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, Progress, named, silent

Pairs = Literal["all", "one"]

_SIMILARITY_DECIMALS = 6
_SIZES = (
    "neighbours", "negatives", "filters", "dimensions", "units", "batch", "epochs", "updates", "max_words", "vocabulary"
)  # fmt: skip
_TEXTS = ("article_ids", "titles", "comment_ids", "texts")  # columns of a corpus, in order
_INDEX = "index."
_NETWORK = "network."


@dataclass(frozen=True, eq=False, kw_only=True)
class Nearest(Commenter):
    """A commenter that retrieves comments of the nearest articles."""

    fit_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "negatives": (8, 32, 64),
        "widths": ((1, 2, 3), (1, 2, 3, 4, 5)),
        "filters": (32, 64, 128),
        "learning_rate": (1e-3, 2e-3, 4e-3),
    }
    suggest_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"neighbours": (5, 10, 20, 50)}

    neighbours: int = 10
    negatives: int = 32
    filters: int = 64
    widths: tuple[int, ...] = (1, 2, 3)
    dimensions: int = 64
    units: int = 64
    learning_rate: float = 2e-3
    batch: int = 64
    epochs: int = 1
    updates: int = 3_000
    pairs: Pairs = "all"
    relevance_model: RelevanceModel = CNN_SUM_SHARED
    max_words: int = 50
    too_long: TooLong = "truncate"
    vocabulary: int = 30_000
    lang: str | None = None
    seed: int = 0

    reading_: Reading = learned_field()
    terms_: RelevanceTerms = learned_field()
    network_: ConvolutionScorer = learned_field()
    updates_: int = learned_field()
    corpus_: Corpus = learned_field()

    def __post_init__(self) -> None:
        one_of("pairs", self.pairs, get_args(Pairs))
        one_of("relevance_model", self.relevance_model, get_args(RelevanceModel))
        one_of("too_long", self.too_long, get_args(TooLong))
        for name in _SIZES:
            at_least(name, getattr(self, name), 1)
        if not self.widths or min(self.widths) < 1 or len(set(self.widths)) != len(self.widths):
            raise ArgumentError(f"widths is {self.widths!r}, not different numbers from 1")
        above_zero("learning_rate", self.learning_rate)

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
        *,
        checkpoints: Path | None = None,
    ) -> Self:
        """Index the articles that have comments, train the relevance model and encode the comments.

        With dev threads the network of the best dev accuracy is taken.
        """
        commented = (thread for thread in threads if any(c.text.strip() for c in thread.comments))
        listed = sorted(commented, key=lambda thread: thread.article.id)
        tell = named(progress or silent, self.name)
        self.forget()
        reading = Reading(corpus_language(listed, self.lang))
        read = self._read(listed, reading)
        if not read.texts:
            raise ArgumentError("there is no comment to learn from: every thread is empty")
        tell(Progress(f"{plural(len(read.texts), 'comment')} of {plural(len(listed), 'article')}"))
        terms = self._terms(read)
        articles, comments = terms.rows(read.articles), terms.rows(read.comments)
        article_of = np.array(read.article_of, dtype=np.int64)
        chosen = (
            np.arange(len(article_of)) if self.pairs == "all" else one_each(article_of, self.seed)
        )
        examples = examples_of(terms, articles, comments, article_of, chosen)
        measure = self._measure(list(dev), reading, terms) if dev is not None else None

        settings = self.settings_for(ConvolutionSettings)
        network, updates = fit_convolution(
            examples, terms.importance, settings, measure=measure, progress=tell
        )
        corpus = Corpus(
            article_ids=TextColumn.of(thread.article.id for thread in listed),
            titles=TextColumn.of(thread.article.title or "" for thread in listed),
            comment_ids=TextColumn.of(read.ids),
            texts=TextColumn.of(read.texts),
            article_of=article_of,
            first_comment=np.searchsorted(article_of, np.arange(len(listed) + 1)).astype(np.int64),
            index=InvertedIndex.of(terms.vectors(articles)),
            comment_words=sparse.csr_array(terms.vectors(comments), dtype=np.float32),
            comment_vectors=network.texts(terms.network_rows(comments, MAX_COMMENT_WORDS)).astype(
                np.float16
            ),
        )
        self.hold(
            reading_=reading, terms_=terms, network_=network, updates_=updates, corpus_=corpus
        )
        self.after_fit(listed)
        return self

    def dev_measure(self, dev: Iterable[Thread]) -> tuple[str, float]:
        """Return the share of dev comments that the relevance model puts above a random comment."""
        self.check_fitted()
        measure = self._measure(list(dev), self.reading_, self.terms_)
        if measure is None:
            raise ArgumentError("the dev threads are too few: two with comments are needed")
        return "accuracy", measure(self.network_)

    def after_fit(self, threads: Sequence[Thread]) -> None:
        """Learn what a subclass needs beside the relevance model."""

    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Return the comments of the nearest articles that are most relevant to this one.

        The score is the probability among all candidates.
        """
        at_least("n", n, 1)
        candidates = self.candidates(article)
        scores = probabilities(candidates.relevance)
        return self._suggestions(article, candidates, scores, best_first(scores), n, at)

    def candidates(self, article: Article) -> CommentCandidates:
        """Return all comments of the nearest articles but its own, with their relevance."""
        self.check_fitted()
        corpus, terms = self.corpus_, self.terms_
        rows = terms.rows([self.reading_.terms(self.text_of(article))])
        query = terms.vectors(rows)  # 1 × words
        nearest = self._neighbours(article, query)
        articles = nearest.places
        places = corpus.comments_of(articles.tolist())
        comment_counts = corpus.first_comment[articles + 1] - corpus.first_comment[articles]
        cosines = np.repeat(nearest.scores, comment_counts)  # of each comment's article
        shared = np.asarray((corpus.comment_words[places] @ query.T).toarray()).ravel()
        context = self.network_.contexts(terms.network_rows(rows, MAX_ARTICLE_WORDS))[0]
        vectors = np.asarray(corpus.comment_vectors[places], dtype=np.float32)  # comments × units
        relevance = self.network_.scores(context, vectors, shared)
        return CommentCandidates(places, cosines, relevance)

    def _neighbours(self, article: Article, query: sparse.csr_array) -> Neighbours:
        """Return the nearest other articles; if none shares a word, the first ones with cosine 0."""
        corpus = self.corpus_
        terms, weights = query.indices.astype(np.int64), query.data.astype(np.float64)
        nearest = corpus.index.nearest(terms, weights, self.neighbours + 1)
        others = [
            rank for rank, place in enumerate(nearest.places.tolist())
            if corpus.article_ids[place] != article.id
        ][: self.neighbours]  # fmt: skip
        if others:
            return Neighbours(nearest.places[others], nearest.scores[others])
        every = [place for place, other in enumerate(corpus.article_ids) if other != article.id]
        places = np.array(every[: self.neighbours], dtype=np.int64)
        return Neighbours(places, np.zeros(len(places)))

    def _suggestions(
        self,
        article: Article,
        candidates: CommentCandidates,
        scores: Floats,
        order: Ints,
        n: int,
        at: str | None,
    ) -> list[Suggestion]:
        """Return suggestions of the first n candidates in this order that differ in their words."""
        numbers = order.tolist()
        texts = (self.corpus_.texts[int(candidates.places[number])] for number in numbers)
        ranked = (
            (_plain(text), text, round(float(scores[number]), 9), self._source(candidates, number))
            for number, text in zip(numbers, texts, strict=True)
        )
        return self._first(article, ranked, n, at)

    def _source(self, candidates: CommentCandidates, number: int) -> dict[str, Any]:
        """Return where a candidate comes from."""
        corpus, comment = self.corpus_, int(candidates.places[number])
        article = int(corpus.article_of[comment])
        return {
            "kind": "retrieved",
            "quotation": True,
            "article": corpus.article_ids[article],
            "title": corpus.titles[article],
            "similarity": round(float(candidates.cosines[number]), _SIMILARITY_DECIMALS),
            "comment": corpus.comment_ids[comment],
        }

    @property
    def summary(self) -> str:
        """Name, sizes and updates."""
        self.check_fitted()
        texts, articles = len(self.corpus_.texts), len(self.corpus_.article_ids)
        return f"{self.name}: {plural(texts, 'comment')} of {plural(articles, 'article')}, {self.updates_:,} updates"

    @property
    def facts(self) -> dict[str, object]:
        """Sizes of the training data, neighbours, network shape, updates and tokenizer."""
        self.check_fitted()
        return {
            "articles": len(self.corpus_.article_ids),
            "comments": len(self.corpus_.texts),
            "neighbours": self.neighbours,
            "cnn": f"{'+'.join(map(str, self.widths))}x{self.filters}",
            "negatives": self.negatives,
            "pairs": self.pairs,
            "updates": self.updates_,
            "tok": self.reading_.tokenizer,
        }

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the language, updates done and shapes; the index, texts, vectors and weights as arrays."""
        self.check_fitted()
        corpus = self.corpus_
        texts = {name: getattr(corpus, name) for name in _TEXTS}
        texts["terms"] = TextColumn.of(self.terms_.vocabulary.words)
        words = corpus.comment_words
        arrays = {
            **columns(texts),
            **prefixed(_INDEX, corpus.index.arrays),
            **prefixed(_NETWORK, self.network_.arrays()),
            "article_of": corpus.article_of,
            "first_comment": corpus.first_comment,
            "idf": self.terms_.idf,
            "comment_words.data": words.data,
            "comment_words.indices": words.indices.astype(np.int32),
            "comment_words.indptr": words.indptr.astype(np.int64),
            "comment_vectors": corpus.comment_vectors,
        }
        state = {
            "lang": self.reading_.lang,
            "updates": self.updates_,
            "known": self.terms_.known,
            "overlap": self.network_.overlap,
        }
        return state, arrays

    @classmethod
    def settings_of(cls, saved: Saved) -> dict[str, Any]:
        """Return the settings of a saved model; `overlap` of older versions names a relevance model."""
        settings = super().settings_of(saved)
        if "overlap" in settings:
            shared = settings.pop("overlap")
            settings["relevance_model"] = CNN_SUM_SHARED if shared else CNN_SUM
        return settings

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        vocabulary = Vocabulary(tuple(column(arrays, "terms")))
        columns_of_texts: dict[str, Any] = {name: column(arrays, name) for name in _TEXTS}
        texts = columns_of_texts["texts"]
        data, indices, indptr = (
            arrays[f"comment_words.{name}"] for name in ("data", "indices", "indptr")
        )
        if len(indptr) != len(texts) + 1 or len(arrays["article_of"]) != len(texts):
            raise ValueError(f"{len(arrays['article_of'])} articles for {len(texts)} comments")
        network, overlap = without_prefix(_NETWORK, arrays), float(learned["overlap"])
        self.hold(
            reading_=Reading(learned["lang"]),
            terms_=RelevanceTerms(vocabulary, np.asarray(arrays["idf"]), int(learned["known"])),
            network_=ConvolutionScorer.of_arrays(network, tuple(self.widths), overlap),
            updates_=int(learned["updates"]),
            corpus_=Corpus(
                **columns_of_texts,
                article_of=arrays["article_of"],
                first_comment=arrays["first_comment"],
                index=InvertedIndex.of_arrays(without_prefix(_INDEX, arrays)),
                comment_words=sparse.csr_array(
                    (data, indices, indptr), shape=(len(texts), len(vocabulary))
                ),
                comment_vectors=arrays["comment_vectors"],
            ),
        )

    def _read(self, threads: Sequence[Thread], reading: Reading) -> ReadThreads:
        """Return words, texts and ids of articles and of the comments that are not left out."""
        read = ReadThreads(articles=[], comments=[], texts=[], ids=[], article_of=[])
        for number, thread in enumerate(threads):
            read.articles.append(reading.terms(self.text_of(thread.article)))
            for comment in sorted(thread.comments, key=lambda comment: comment.id):
                words = usable(reading.terms(comment.text), self.max_words, self.too_long)
                if not comment.text.strip() or (self.too_long == "discard" and not words):
                    continue
                read.comments.append(words)
                read.texts.append(comment.text)
                read.ids.append(comment.id)
                read.article_of.append(number)
        return read

    def _terms(self, read: ReadThreads) -> RelevanceTerms:
        vocabulary = Vocabulary.build(chain(read.articles, read.comments))
        rows = vocabulary.rows(read.articles)
        idf = Tfidf.fit(rows, len(vocabulary)).idf
        known = min(len(vocabulary), self.vocabulary + 1)  # the first stands for unknown words
        return RelevanceTerms(vocabulary, idf, known)

    def _measure(self, dev: Sequence[Thread], reading: Reading, terms: RelevanceTerms) -> Any:
        """Return a function from a network to its accuracy on dev comments against random ones.

        None if fewer than two dev threads have comments.
        """
        read = self._read(dev, reading)
        article_of = np.array(read.article_of, dtype=np.int64)
        if len(set(read.article_of)) < 2:
            return None
        articles, comments = terms.rows(read.articles), terms.rows(read.comments)
        examples = examples_of(terms, articles, comments, article_of, np.arange(len(article_of)))
        others = random_others(examples, self.seed)
        return lambda network: pair_accuracy(network, examples, others)


class IrT(Nearest):
    """IR-T: neighbours and relevance by the title."""

    name = "ir-t"
    content = False


class IrTc(Nearest):
    """IR-TC: neighbours and relevance by title and content."""

    name = "ir-tc"
    content = True


def _plain(text: str) -> str:
    """Return a text as it is compared: letters and digits only, in lower case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded)) or folded
