"""Seq2seq, Att and Att-TC of Qin et al. 2018: comments generated word by word from the title, or from title and content.

The set-up is that of the supplement (C.1): 256 hidden units, comments cut at 50 words, the 30,000 most frequent words and `<unk>`, Adam, every (article, comment) pair an example. `target='title'` learns headlines
from contents instead, as the paper suggests for future work. Suggestions are the best of a beam that differ; the score is the length-normalized log probability.

Where we depart: training has a budget of minutes, and the number of updates done stands in the signature; the first `max_content_words` words of title and content are read.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.commenters.arrays import TextColumn, column, columns
from newsdesk.commenters.commenter import Commenter, fitted
from newsdesk.commenters.reading import (
    Reading,
    TooLong,
    content_of,
    corpus_language,
    title_of,
    usable,
)
from newsdesk.commenters.relevance import one_each
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.errors import ArgumentError
from newsdesk.models import Arrays
from newsdesk.nn.beam import Beam
from newsdesk.nn.encoder_decoder import vocabulary_of
from newsdesk.nn.generation import Generator, GeneratorSettings, Pair, fit_generator
from newsdesk.nn.trainer import Checkpoints
from newsdesk.settings import at_least, one_of
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.types import Article, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, Progress, named, silent

Target = Literal["comment", "title"]
Words = tuple[Sequence[str], Sequence[str]]  # of a source and of its target

_NETWORK = "network."
_EXTRA_SEQUENCES = 3


class Generated(Commenter):
    """A commenter that generates comments with an encoder–decoder."""

    content: ClassVar[bool]
    attention: ClassVar[bool]
    fit_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"learning_rate": (5e-4, 1e-3, 2e-3)}
    suggest_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"beam": (1, 3, 5, 10)}

    def __init__(
        self,
        *,
        minutes: float | None = 8.0,
        updates: int | None = None,
        units: int = 256,
        dimensions: int = 128,
        batch: int = 32,
        learning_rate: float = 1e-3,
        dropout: float = 0.2,
        beam: int = 5,
        normalization: float = 1.0,
        target: Target = "comment",
        pairs: Literal["all", "one"] = "all",
        max_words: int = 50,
        too_long: TooLong = "truncate",
        max_content_words: int = 100,
        vocabulary: int = 30_000,
        min_count: int = 1,
        check_every: int = 500,
        patience: int = 5,
        lang: str | None = None,
        seed: int = 0,
    ) -> None:
        one_of("target", target, get_args(Target))
        one_of("pairs", pairs, ("all", "one"))
        one_of("too_long", too_long, get_args(TooLong))
        sizes = {
            "units": units, "dimensions": dimensions, "batch": batch, "beam": beam, "max_words": max_words,
            "max_content_words": max_content_words, "vocabulary": vocabulary, "min_count": min_count,
            "check_every": check_every, "patience": patience,
        }  # fmt: skip
        for name, value in sizes.items():
            at_least(name, value, 1)
            setattr(self, name, value)
        if minutes is None and updates is None:
            raise ArgumentError("training has no end: set minutes or updates")
        for name, budget in (("minutes", minutes), ("updates", updates)):
            if budget is not None and not budget > 0:
                raise ArgumentError(f"{name} is {budget}, not above zero")
        if not learning_rate > 0 or not 0 <= dropout < 1:
            raise ArgumentError(
                f"learning_rate {learning_rate} or dropout {dropout} is out of range"
            )
        self.minutes, self.updates = minutes, updates
        self.learning_rate, self.dropout, self.normalization = learning_rate, dropout, normalization
        self.target, self.pairs, self.too_long = target, pairs, too_long
        self.lang, self.seed = lang, seed

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Train the network within its budget; dev threads stop it early."""
        return self._fit(threads, dev, progress, None)

    def fit_resumably(
        self,
        folder: Path,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Fit with checkpoints in a folder every two minutes; a training that was killed resumes from the last."""
        return self._fit(threads, dev, progress, folder)

    def _fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None,
        progress: OnProgress | None,
        folder: Path | None,
    ) -> Self:
        listed = sorted(threads, key=lambda thread: thread.article.id)
        tell = named(progress or silent, self.name)
        self.forget_digest()
        reading = Reading(corpus_language(listed, self.lang))
        read = self._read(listed, reading)
        if self.pairs == "one" and read:
            articles = np.array([number for number, _ in read], dtype=np.int64)
            read = [read[place] for place in one_each(articles, self.seed).tolist()]
        words = [pair for _, pair in read]
        vocabulary = self._vocabulary(words)
        tell(Progress(f"{plural(len(words), 'pair')}, {len(vocabulary):,} words"))
        pairs = _numbered(words, vocabulary)
        held_out = [pair for _, pair in self._read(dev, reading)] if dev is not None else []
        network, done = fit_generator(
            pairs,
            vocabulary,
            self._settings(),
            dev=_numbered(held_out, vocabulary),
            checkpoints=Checkpoints(folder, self._data_digest(pairs)) if folder else None,
            progress=tell,
        )
        self.reading_, self.network_, self.pairs_ = reading, network, len(pairs)
        self.updates_, self.dev_, self.losses_ = done.updates, done.dev, done.losses
        return self

    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Up to n different texts of the beam; the score is the normalized log probability."""
        at_least("n", n, 1)
        fitted(self, "network_")
        beam = Beam(
            width=max(self.beam, n),
            longest=self.max_words,
            no_repeat=3,
            normalization=self.normalization,
        )
        written = self.network_.write(self._source(article), beam, n + _EXTRA_SEQUENCES)
        chosen: dict[str, Suggestion] = {}
        for place, each in enumerate(written, 1):
            text = self.reading_.text(each.words).strip()
            if not text or text in chosen:
                continue
            source = {
                "kind": "generated",
                "quotation": False,
                "beam": place,
                "words": len(each.words),
            }
            score = round(float(each.score), 6) if math.isfinite(each.score) else -99.0
            chosen[text] = Suggestion(
                article.id, text, score, self.name, source, self.digest, self.signature, at
            )
            if len(chosen) == n:
                break
        return list(chosen.values())

    def dev_measure(self, dev: Iterable[Thread]) -> tuple[str, float]:
        """The mean log likelihood of a word of the dev comments, as it was measured in training."""
        if not getattr(self, "dev_", None):
            raise ArgumentError("the dev threads hold no comment with words")
        return "log likelihood", -min(self.dev_)

    @property
    def summary(self) -> str:
        """Name, sizes, updates and the best dev loss."""
        fitted(self, "network_")
        dev = f", dev loss {min(self.dev_):.3f}" if self.dev_ else ""
        words = len(self.network_.vocabulary)
        return (
            f"{self.name}: {self.pairs_:,} pairs, {words:,} words, {self.updates_:,} updates{dev}"
        )

    @property
    def facts(self) -> dict[str, object]:
        """Pairs, words, updates done, beam, length normalization and tokenizer."""
        fitted(self, "network_")
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
        """The language, updates and losses; vocabulary and weights as arrays, in sixteen bits."""
        fitted(self, "network_")
        state = {
            "lang": self.reading_.lang,
            "updates": self.updates_,
            "pairs": self.pairs_,
            "dev": self.dev_,
            "losses": self.losses_,
        }
        weights = {
            f"{_NETWORK}{name}": value.astype(np.float16)
            for name, value in self.network_.weights.items()
        }
        words = TextColumn.of(self.network_.vocabulary.words)
        return state, {**weights, **columns({"words": words})}

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Set the state that `learned` returned."""
        vocabulary = Vocabulary(tuple(column(arrays, "words")))
        weights = {
            name.removeprefix(_NETWORK): np.asarray(value, dtype=np.float32)
            for name, value in arrays.items()
            if name.startswith(_NETWORK)
        }
        if len(weights["words.weight"]) != len(vocabulary):
            raise ValueError(f"{len(weights['words.weight'])} vectors for {len(vocabulary)} words")
        self.reading_ = Reading(learned["lang"])
        self.network_ = Generator(vocabulary, weights)
        self.updates_, self.pairs_ = int(learned["updates"]), int(learned["pairs"])
        self.dev_, self.losses_ = list(learned["dev"]), list(learned["losses"])

    def _source(self, article: Article) -> Sequence[str]:
        """The words that the network reads of an article."""
        if self.target == "title":
            text = article.text
        else:
            text = content_of(article) if self.content else title_of(article)
        # No more text than can matter: cutting into words costs time.
        return self.reading_.words(text[: 40 * self.max_content_words])[: self.max_content_words]

    def _read(self, threads: Iterable[Thread], reading: Reading) -> list[tuple[int, Words]]:
        self.reading_ = reading
        read: list[tuple[int, Words]] = []
        for number, thread in enumerate(threads):
            source = self._source(thread.article)
            if self.target == "title":
                texts = [thread.article.title or ""]
            else:
                texts = [c.text for c in sorted(thread.comments, key=lambda each: each.id)]
            for text in texts:
                words = usable(reading.words(text), self.max_words, self.too_long)
                if words:
                    read.append((number, (source, words)))
        return read

    def _vocabulary(self, pairs: Sequence[Words]) -> Vocabulary:
        # A source counts once, however many comments it has.
        sources = {id(source): source for source, _ in pairs}
        texts = chain((target for _, target in pairs), sources.values())
        built = Vocabulary.build(texts, min_count=self.min_count, max_size=self.vocabulary)
        return vocabulary_of(built.words[1:])

    def _settings(self) -> GeneratorSettings:
        return GeneratorSettings(
            attention=self.attention,
            units=self.units,
            dimensions=self.dimensions,
            dropout=self.dropout,
            batch=self.batch,
            rate=self.learning_rate,
            minutes=self.minutes,
            updates=self.updates,
            check_every=self.check_every,
            patience=self.patience,
            seed=self.seed,
        )

    def _data_digest(self, pairs: Sequence[Pair]) -> str:
        """A hash of the settings but the budget, and of the data: what a checkpoint belongs to."""
        settings = {k: v for k, v in self.settings.items() if k not in ("minutes", "updates")}
        digest = hashlib.sha256(repr((self.name, sorted(settings.items()))).encode())
        for source, target in pairs:
            digest.update(source.tobytes() + b"|" + target.tobytes() + b"\n")
        return digest.hexdigest()

    # Sizes, set by name in the constructor.
    units: int
    dimensions: int
    batch: int
    beam: int
    max_words: int
    max_content_words: int
    vocabulary: int
    min_count: int
    check_every: int
    patience: int


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
    sources: dict[int, Any] = {}
    numbered = []
    for source, target in pairs:
        if id(source) not in sources:
            sources[id(source)] = vocabulary.ids(source)
        numbered.append((sources[id(source)], vocabulary.ids(target)))
    return numbered
