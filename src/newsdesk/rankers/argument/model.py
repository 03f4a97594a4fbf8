"""The ranker `newsdesk`: a logistic regression on votes in which length has its say first and no more.

A comment's padding and repetition are dropped (`padding`); what is left has a length, a wording (`lexicon`, `wording`, `care`), vectors of the whole and of its first
sentence, and neighbours in its thread. The score is the log-odds that a judge would call the comment constructive: a fixed monotone curve of log length,
plus a ridge regression of everything else, fitted on yes of votes. Where comments have scores and no votes, it is fitted on
pairs of one article, on top of a fixed slope of log length. `probability` passes the score through Platt's sigmoid, fitted on scores that each
article got from a model that had not seen it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.models import Arrays
from newsdesk.rankers.argument.care import CARE, care_rates
from newsdesk.rankers.argument.lexicon import lexicon
from newsdesk.rankers.argument.logistic import LengthCurve, ridge_logistic, sigmoid
from newsdesk.rankers.argument.padding import PaddingFilter
from newsdesk.rankers.argument.rarity import Rarity
from newsdesk.rankers.argument.reading import Read, Reader, Talk
from newsdesk.rankers.argument.targets import Labels
from newsdesk.rankers.argument.vectors import SentenceVectors, chosen
from newsdesk.rankers.argument.wording import MARKS, mark_rates, phrase_rates
from newsdesk.rankers.features import Bags
from newsdesk.rankers.ranker import Ranker, fitted
from newsdesk.rankers.targets import Target
from newsdesk.types import Comment, Thread

if TYPE_CHECKING:
    from newsdesk.rankers.argument.reasons import Explained

NEIGHBOURS = ("nearest comment", "other comments", "three nearest", "title")

# Strengths of the ridge: on votes, and on pairs.
_WORDING, _VECTOR = 100.0, 20_000.0
_PAIR_VECTOR = 1_000.0
_MOST_DEVIATIONS = 4.0
_CALIBRATION_FOLDS = 4
_BLOCK = 512
# What float32 vectors still agree on, whatever comments are read together.
_DECIMALS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Comments without padding: their features, the logarithm of their length, and the vector of the whole."""

    reads: tuple[Read, ...]
    rows: Floats
    logs: Floats
    vectors: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What was learned from votes or pairs: the curve of length, the scales and weights of features, and a bias."""

    curve: LengthCurve
    mean: Floats
    scale: Floats
    coef: Floats
    bias: float

    def effects(self, rows: Floats) -> Floats:
        """What each feature adds to the log-odds."""
        scaled = np.clip((rows - self.mean) / self.scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        return scaled * self.coef

    def odds(self, rows: Floats, logs: Floats) -> Floats:
        """The log-odds."""
        return self.curve(logs) + self.effects(rows).sum(axis=1) + self.bias

    def scores(self, kept: Kept) -> Floats:
        """The log-odds of comments, to what can be told apart."""
        return np.round(self.odds(kept.rows, kept.logs), _DECIMALS)


class Newsdesk(Ranker):
    """Our own ranker of constructive comments."""

    name = "newsdesk"
    reads_thread: ClassVar[bool] = True

    def __init__(
        self,
        target: Target = "score",
        vectors: str = "auto",
        lang: str | None = None,
        wording: float = _WORDING,
        vector: float = _VECTOR,
        seed: int = 0,
        *,
        padding: bool = True,
    ) -> None:
        if target not in get_args(Target):
            raise ArgumentError(f"target is {target!r}, not 'score' or 'likes'")
        chosen(vectors, lang or "en")
        for name, value in (("wording", wording), ("vector", vector)):
            if not value > 0:
                raise ArgumentError(f"{name} is {value}, not above zero")
        self.target = target
        self.vectors = vectors
        self.lang = lang
        self.wording = wording
        self.vector = vector
        self.padding = padding
        self.seed = seed

    def fit(self, threads: Iterable[Thread], dev: Iterable[Thread] | None = None) -> Self:
        """Learn from the comments that have a target; dev threads are not needed."""
        listed = _in_order(threads)
        labels = Labels.of(listed, self.target)
        texts = [comment.text for thread in listed for comment in thread.comments]
        lang = _language(listed, self.lang)
        vectors = SentenceVectors(chosen(self.vectors, lang), lang)
        vectors.fit(texts)
        reader = Reader(lang, Rarity.of(texts, lang), vectors)
        talks = [Talk.of(thread, reader) for thread in listed]
        padding = PaddingFilter(reader, self.seed)
        padding.fit(talks if self.padding else ())
        self.lang_, self.reader_, self.padding_ = lang, reader, padding
        kept = [self.kept(talk) for talk in talks]
        rows = np.vstack([each.rows for each in kept])[labels.rows]
        logs = np.concatenate([each.logs for each in kept])[labels.rows]
        self.weights_ = self._weights(rows, logs, labels)
        self.platt_ = self._platt(rows, logs, labels)
        return self

    def scores(self, thread: Thread) -> Floats:
        """The log-odds of each comment."""
        fitted(self, "weights_")
        if not thread.comments:
            return np.zeros(0)
        return self.weights_.scores(self.kept(Talk.of(thread, self.reader_)))

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> Floats:
        """The score that each comment would get in place of the one at its place, one at a time; the thread is read once."""
        fitted(self, "weights_")
        if not places:
            return np.zeros(0)
        talk = Talk.of(thread, self.reader_)
        around = self.kept(talk).vectors
        reads = self.reader_.read([comment.text for comment in comments])
        return self.weights_.scores(self._only(reads, talk, places, around))

    def probability(self, thread: Thread) -> Floats:
        """The calibrated probability that a judge calls each comment constructive (or the share of the best score)."""
        return self.calibrated(self.scores(thread))

    def calibrated(self, scores: Floats) -> Floats:
        """The probabilities behind scores."""
        slope, bias = self.platt_
        return sigmoid(slope * scores + bias)

    def explain(self, thread: Thread, most: int = 6) -> list[Explained]:
        """Why each comment stands where it stands, in words, at most so many reasons each."""
        from newsdesk.rankers.argument.reasons import explain

        return explain(self, thread, most)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features, vectors apart."""
        return (*lexicon(self.lang_).kinds, *MARKS, *CARE, *NEIGHBOURS)

    @property
    def summary(self) -> str:
        """The name, the language, the vectors and the number of features."""
        fitted(self, "weights_")
        vectors = self.reader_.vectors.kind
        return f"{self.name}: {self.lang_}, {vectors} vectors, {len(self.weights_.coef)} features"

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The language, the words and how rare they are, the padding filter, and the weights."""
        fitted(self, "weights_")
        rarity, weights = self.reader_.rarity, self.weights_
        words, vectors = self.reader_.vectors.learned()
        learned = {
            "lang": self.lang_,
            "vectors": self.reader_.vectors.kind,
            "texts": rarity.texts,
            "terms": list(rarity.counts),
            "small": sorted(rarity.small),
            "bias": weights.bias,
            "platt": list(self.platt_),
            **words,
        }
        arrays = {
            "term_counts": np.array(list(rarity.counts.values()), dtype=np.int64),
            "curve": np.stack([weights.curve.logs, weights.curve.odds]),
            "features": np.stack([weights.mean, weights.scale, weights.coef]),
            **vectors,
            **self.padding_.learned(),
        }
        return learned, arrays

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back what `learned` gave."""
        self.lang_ = learned["lang"]
        vectors = SentenceVectors(learned["vectors"], self.lang_)
        vectors.restore(learned, arrays)
        counts = dict(zip(learned["terms"], arrays["term_counts"].tolist(), strict=True))
        rarity = Rarity(learned["texts"], counts, frozenset(learned["small"]))
        self.reader_ = Reader(self.lang_, rarity, vectors)
        self.padding_ = PaddingFilter(self.reader_, self.seed).restore(arrays)
        mean, scale, coef = arrays["features"]
        if len(coef) != len(self.columns) + 2 * vectors.dimensions:
            raise ValueError(f"{len(coef)} weights for {len(self.columns)} columns and two vectors")
        self.weights_ = Weights(LengthCurve(*arrays["curve"]), mean, scale, coef, learned["bias"])
        slope, bias = learned["platt"]
        self.platt_ = (slope, bias)

    def kept(self, talk: Talk) -> Kept:
        """All comments of a thread, without padding and with their neighbours."""
        return self._only(talk.reads, talk, range(len(talk.reads)))

    def _only(
        self,
        reads: Sequence[Read],
        talk: Talk,
        hosts: Sequence[int],
        around: Floats | None = None,
    ) -> Kept:
        """Comments in the places of others; `around` are the vectors of the thread, their own where left out."""
        stays = self.padding_.kept(reads, talk, hosts)
        kept = tuple(read.only(stay) for read, stay in zip(reads, stays, strict=True))
        width = self.reader_.vectors.dimensions
        vectors = _unit(np.array([read.centre for read in kept]).reshape(len(kept), width))
        near = neighbours(vectors, vectors if around is None else around, hosts, talk.title)
        kinds = len(lexicon(self.lang_).kinds)
        worded, logs = [], []
        for read in kept:
            texts = [piece.text for piece in read.pieces]
            units = [unit for piece in read.pieces for unit in piece.units]
            hits = [hit for piece in read.pieces for hit in piece.hits]
            rates = phrase_rates(hits, len(units), kinds)
            worded.append([*rates, *mark_rates(read.text, texts, units)])
            logs.append(np.log(max(len(read.text), 1)))
        opening = [read.vectors[0] if read.pieces else np.zeros(width) for read in kept]
        first = np.array(opening).reshape(len(kept), width)
        words = np.array(worded).reshape(len(kept), kinds + len(MARKS))
        care = care_rates([read.text for read in kept], self.reader_.vectors, self.lang_)
        rows = np.hstack([words, care, near, first, vectors])
        return Kept(kept, rows, np.array(logs), vectors)

    def _weights(self, rows: Floats, logs: Floats, labels: Labels) -> Weights:
        mean, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale < 1e-9] = 1.0
        scaled = np.clip((rows - mean) / scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        words = len(self.columns)
        vectors = rows.shape[1] - words
        if labels.votes is None:
            ridge = np.repeat([self.wording, min(self.vector, _PAIR_VECTOR)], [words, vectors])
            return self._from_pairs(scaled, logs, labels, mean, scale, ridge)
        yes = labels.shares * labels.votes
        curve = LengthCurve.of_votes(logs, yes, labels.votes)
        ridge = np.repeat([self.wording, self.vector, 1e-6], [words, vectors, 1])
        matrix = np.column_stack([scaled, np.ones(len(scaled))])
        found = ridge_logistic(matrix, yes, labels.votes, curve(logs), ridge)
        return Weights(curve, mean, scale, found[:-1], float(found[-1]))

    def _from_pairs(
        self,
        scaled: Floats,
        logs: Floats,
        labels: Labels,
        mean: Floats,
        scale: Floats,
        ridge: Floats,
    ) -> Weights:
        better, worse, votes = labels.pairs(self.seed)
        lead = (logs[better] - logs[worse])[:, None]
        nothing = np.zeros(len(better))
        slope = float(ridge_logistic(lead, votes, votes, nothing, np.ones(1))[0])
        matrix = scaled[better] - scaled[worse]
        coef = ridge_logistic(matrix, votes, votes, slope * lead[:, 0], ridge)
        return Weights(LengthCurve.of_slope(logs, slope), mean, scale, coef, 0.0)

    def _platt(self, rows: Floats, logs: Floats, labels: Labels) -> tuple[float, float]:
        """Slope and bias from scores to log-odds, on articles that the scoring model had not seen."""
        articles = np.unique(labels.articles)
        fold_of = np.searchsorted(articles, labels.articles) % _CALIBRATION_FOLDS
        if len(articles) < _CALIBRATION_FOLDS:
            return 1.0, 0.0
        scores = np.zeros(len(logs))
        for fold in range(_CALIBRATION_FOLDS):
            inside, outside = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            weights = self._weights(rows[inside], logs[inside], labels.part(inside))
            scores[outside] = weights.odds(rows[outside], logs[outside])
        votes = np.ones(len(logs)) if labels.votes is None else labels.votes
        matrix = np.column_stack([scores, np.ones(len(scores))])
        # The slope is drawn towards 1: a few comments cannot turn the order round.
        start, ridge = scores.copy(), np.array([1.0, 1e-3])
        change, bias = ridge_logistic(matrix, labels.shares * votes, votes, start, ridge)
        return float(max(1 + change, 0.0)), float(bias)


def neighbours(vectors: Floats, around: Floats, hosts: Sequence[int], title: Floats) -> Floats:
    """How near each comment is to the nearest other, to all others, to the three nearest and to the title."""
    found = np.zeros((len(vectors), len(NEIGHBOURS)))
    places, others = np.asarray(hosts), len(around) - 1
    for start in range(0, len(vectors), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = vectors[block] @ around.T
        own = (np.arange(len(near)), places[block])
        near[own] = 0.0
        if others:
            found[block, 1] = near.sum(axis=1) / others
            near[own] = -np.inf
            best = np.sort(np.partition(near, -min(3, others))[:, -min(3, others) :], axis=1)
            found[block, 0] = best[:, -1]
            found[block, 2] = best.mean(axis=1)
    found[:, 3] = vectors @ title
    return found


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(norms > 0, norms, 1.0)


def _in_order(threads: Iterable[Thread]) -> list[Thread]:
    """By ids, so that the order of a file changes nothing that is drawn or summed."""
    by_article = sorted(threads, key=lambda thread: thread.article.id)
    return [
        Thread(thread.article, tuple(sorted(thread.comments, key=lambda comment: comment.id)))
        for thread in by_article
    ]


def _language(threads: Sequence[Thread], lang: str | None) -> str:
    """The language named, or that of most comments."""
    bags = Bags(lang=lang)
    counts: dict[str, int] = {}
    for thread in threads:
        found = bags.language(thread)
        counts[found] = counts.get(found, 0) + len(thread.comments)
    return max(sorted(counts), key=lambda each: counts[each])
