"""Seq2seq, Att and Att-TC of Qin et al. 2018: comments generated word by word from the title, or from title and content.

The set-up is that of the supplement (C.1): 256 hidden units, comments cut at 50 words, the 30,000 most frequent words and `<unk>`, Adam, every (article, comment) pair an example. `target='title'` learns headlines
from contents instead, as the paper suggests for future work. Suggestions are the best of a beam that differ; the score is the length-normalized log probability.

Where we depart: training has a budget of minutes, and the number of updates done stands in the signature; it ends early by the dev loss, unless `patience` is None; of title and content the first `max_content_words` words are
read, while Att-TC of the paper reads all of them, without a limit that the paper states: `max_content_words=None`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.commenters.commenter import Candidate, Commenter
from newsdesk.commenters.relevance import one_each
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
from newsdesk.nn.encoder_decoder import Beam, vocabulary_of
from newsdesk.nn.generation import GeneratedText, Generator, GeneratorSettings, Pair, fit_generator
from newsdesk.nn.trainer import Checkpoints
from newsdesk.settings import above_zero, at_least, one_of
from newsdesk.text.ragged import Vocabulary
from newsdesk.types import Article, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, Progress, named, silent

Target = Literal["comment", "title"]
Words = tuple[Sequence[str], Sequence[str]]  # of a source and of its target

_NETWORK = "network."
_EXTRA_SEQUENCES = 3  # beyond n, because some of the beam may be the same text
_MOST_LETTERS = 40  # of a word: text beyond so many for each word to be read is not tokenized
_NO_SCORE = -99.0  # for a log probability of minus infinity, which JSON lacks
_SIZES = (
    "units", "dimensions", "batch", "beam", "max_words", "vocabulary", "min_count", "check_every"
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Generated(Commenter):
    """A commenter that generates comments with an encoder–decoder."""

    attention: ClassVar[bool]
    fit_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"learning_rate": (5e-4, 1e-3, 2e-3)}
    suggest_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"beam": (1, 3, 5, 10)}

    minutes: float | None = 8.0
    updates: int | None = None
    units: int = 256
    dimensions: int = 128
    batch: int = 32
    learning_rate: float = 1e-3
    dropout: float = 0.2
    beam: int = 5
    normalization: float = 1.0
    target: Target = "comment"
    pairs: Literal["all", "one"] = "all"
    max_words: int = 50
    too_long: TooLong = "truncate"
    max_content_words: int | None = 100
    vocabulary: int = 30_000
    min_count: int = 1
    check_every: int = 500
    patience: int | None = 5
    lang: str | None = None
    seed: int = 0

    reading_: Reading = learned_field()
    network_: Generator = learned_field()
    pairs_: int = learned_field()
    updates_: int = learned_field()
    dev_: list[float] = learned_field()  # the loss at every check
    losses_: list[float] = learned_field()

    def __post_init__(self) -> None:
        one_of("target", self.target, get_args(Target))
        one_of("pairs", self.pairs, ("all", "one"))
        one_of("too_long", self.too_long, get_args(TooLong))
        for name in _SIZES:
            at_least(name, getattr(self, name), 1)
        if self.minutes is None and self.updates is None:
            raise ArgumentError("training has no end: set minutes or updates")
        above_zero("minutes", self.minutes)
        above_zero("updates", self.updates)
        above_zero("max_content_words", self.max_content_words)
        above_zero("patience", self.patience)
        if not self.learning_rate > 0 or not 0 <= self.dropout < 1:
            raise ArgumentError(
                f"learning_rate {self.learning_rate} or dropout {self.dropout} is out of range"
            )

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
        *,
        checkpoints: Path | None = None,
    ) -> Self:
        """Train the network within its budget; dev threads stop it early.

        Checkpoints are written every two minutes, and a training that was killed resumes from the last.
        """
        listed = sorted(threads, key=lambda thread: thread.article.id)
        tell = named(progress or silent, self.name)
        self.forget()
        reading = Reading(corpus_language(listed, self.lang))
        read = self._read(listed, reading)
        if self.pairs == "one" and read:
            article_of = np.array([number for number, _ in read], dtype=np.int64)  # pairs
            read = [read[number] for number in one_each(article_of, self.seed).tolist()]
        word_pairs = [pair for _, pair in read]
        vocabulary = self._vocabulary(word_pairs)
        tell(Progress(f"{plural(len(word_pairs), 'pair')}, {len(vocabulary):,} words"))
        pairs = _numbered(word_pairs, vocabulary)
        held_out = [pair for _, pair in self._read(dev, reading)] if dev is not None else []
        network, done = fit_generator(
            pairs,
            vocabulary,
            self.settings_for(GeneratorSettings),
            dev=_numbered(held_out, vocabulary),
            checkpoints=Checkpoints(checkpoints, self._data_digest(pairs)) if checkpoints else None,
            progress=tell,
        )
        return self.hold(
            reading_=reading,
            network_=network,
            pairs_=len(pairs),
            updates_=done.updates,
            dev_=done.dev,
            losses_=done.losses,
        )

    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Up to n different texts of the beam; the score is the normalized log probability."""
        at_least("n", n, 1)
        self.check_fitted()
        beam = Beam(
            width=max(self.beam, n),
            longest=self.max_words,
            no_repeat=3,
            normalization=self.normalization,
        )
        source = self._source(article, self.reading_)
        written = self.network_.write(source, beam, n + _EXTRA_SEQUENCES)
        ranked = (self._candidate(rank, text) for rank, text in enumerate(written, 1))
        return self._first(article, ranked, n, at)

    def _candidate(self, rank: int, written: GeneratedText) -> Candidate:
        text = self.reading_.text(written.words).strip()
        score = round(float(written.score), 6) if math.isfinite(written.score) else _NO_SCORE
        source = {
            "kind": "generated",
            "quotation": False,
            "beam": rank,
            "words": len(written.words),
        }
        return text, text, score, source

    def dev_measure(self, dev: Iterable[Thread]) -> tuple[str, float]:
        """Return the mean log likelihood of a word of the dev comments, in training.

        It was measured when the commenter was fitted; the threads given here are not read."""
        if not getattr(self, "dev_", None):
            raise ArgumentError("the dev threads hold no comment with words")
        return "log likelihood", -min(self.dev_)

    @property
    def summary(self) -> str:
        """Name, sizes, updates and the best dev loss."""
        self.check_fitted()
        dev = f", dev loss {min(self.dev_):.3f}" if self.dev_ else ""
        words = len(self.network_.vocabulary)
        return (
            f"{self.name}: {self.pairs_:,} pairs, {words:,} words, {self.updates_:,} updates{dev}"
        )

    @property
    def facts(self) -> dict[str, object]:
        """Pairs, words, updates done, beam, length normalization and tokenizer."""
        self.check_fitted()
        return {
            "pairs": f"{self.pairs}.{self.pairs_}",
            "words": len(self.network_.vocabulary),
            "updates": self.updates_,
            "beam": self.beam,
            "normalization": self.normalization,
            "target": self.target,
            "tok": self.reading_.tokenizer,
        }

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the language, updates and losses; vocabulary and weights as arrays, in sixteen bits."""
        self.check_fitted()
        state = {
            "lang": self.reading_.lang,
            "updates": self.updates_,
            "pairs": self.pairs_,
            "dev": self.dev_,
            "losses": self.losses_,
        }
        weights = {name: value.astype(np.float16) for name, value in self.network_.weights.items()}
        words = TextColumn.of(self.network_.vocabulary.words)
        return state, {**prefixed(_NETWORK, weights), **columns({"words": words})}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        vocabulary = Vocabulary(tuple(column(arrays, "words")))
        weights = {
            name: np.asarray(value, dtype=np.float32)
            for name, value in without_prefix(_NETWORK, arrays).items()
        }
        if len(weights["words.weight"]) != len(vocabulary):
            raise ValueError(f"{len(weights['words.weight'])} vectors for {len(vocabulary)} words")
        self.hold(
            reading_=Reading(learned["lang"]),
            network_=Generator(vocabulary, weights),
            updates_=int(learned["updates"]),
            pairs_=int(learned["pairs"]),
            dev_=list(learned["dev"]),
            losses_=list(learned["losses"]),
        )

    def _source(self, article: Article, reading: Reading) -> Sequence[str]:
        """Return the words that the network reads of an article."""
        text = article.text if self.target == "title" else self.text_of(article)
        if self.max_content_words is None:
            return reading.words(text)
        # No more text than can matter: cutting into words costs time.
        beginning = text[: _MOST_LETTERS * self.max_content_words]
        return reading.words(beginning)[: self.max_content_words]

    def _read(self, threads: Iterable[Thread], reading: Reading) -> list[tuple[int, Words]]:
        """Return the words of each training pair, with the number of its thread."""
        read: list[tuple[int, Words]] = []
        for number, thread in enumerate(threads):
            source = self._source(thread.article, reading)
            if self.target == "title":
                texts = [thread.article.title or ""]
            else:
                comments = sorted(thread.comments, key=lambda comment: comment.id)
                texts = [comment.text for comment in comments]
            for text in texts:
                target = usable(reading.words(text), self.max_words, self.too_long)
                if target:
                    read.append((number, (source, target)))
        return read

    def _vocabulary(self, pairs: Sequence[Words]) -> Vocabulary:
        # A source counts once, however many comments it has.
        sources = {id(source): source for source, _ in pairs}
        texts = chain((target for _, target in pairs), sources.values())
        built = Vocabulary.build(texts, min_count=self.min_count, max_size=self.vocabulary)
        return vocabulary_of(built.words[1:])  # without the unknown word, which it adds itself

    def _data_digest(self, pairs: Sequence[Pair]) -> str:
        """Return a hash of the settings but the budget, and of the data: what a checkpoint belongs to."""
        budget = ("minutes", "updates")
        settings = {name: value for name, value in self.settings.items() if name not in budget}
        digest = hashlib.sha256(repr((self.name, sorted(settings.items()))).encode())
        for source, target in pairs:
            digest.update(source.tobytes() + b"|" + target.tobytes() + b"\n")
        return digest.hexdigest()


class Seq2seq(Generated):
    """Seq2seq: encoder and decoder on titles, without attention."""

    name = "seq2seq"
    content = False
    attention = False


class Att(Generated):
    """Att: with attention, on titles."""

    name = "att"
    content = False
    attention = True


class AttTc(Generated):
    """Att-TC: with attention, on title and content."""

    name = "att-tc"
    content = True
    attention = True


def _numbered(pairs: Sequence[Words], vocabulary: Vocabulary) -> list[Pair]:
    """Return pairs as ids of words; pairs that share a source share its array."""
    source_ids: dict[int, Any] = {}  # by the identity of the list of words
    numbered = []
    for source, target in pairs:
        if id(source) not in source_ids:
            source_ids[id(source)] = vocabulary.ids(source)
        numbered.append((source_ids[id(source)], vocabulary.ids(target)))
    return numbered
