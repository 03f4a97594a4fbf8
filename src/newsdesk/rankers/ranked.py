"""Threads ranked by a model, with what a reader wants to see: text, score, standing, reasons and, after votes, probability of each comment, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from newsdesk.arrays import Bools, Floats, best_first
from newsdesk.errors import ArgumentError, DataError
from newsdesk.rankers.gate.gate import Gate, Held
from newsdesk.rankers.ordering import Ordering, PositionBias
from newsdesk.rankers.ranker import MOST_REASONS, Explained, Ranker, Reason, standings
from newsdesk.rankers.ready import Models, ready_names
from newsdesk.signatures import signature
from newsdesk.types import Article, Comment, Ranked, Thread
from newsdesk.work.progress import OnProgress, silent

_HELD_BACK = "held back"
# Threads of fewer comments are ranked in a moment.
_LONG = 1_000


@runtime_checkable
class Explaining(Protocol):
    """A ranker that gives reasons."""

    def explain(
        self, thread: Thread, most: int = MOST_REASONS, *, progress: OnProgress = silent
    ) -> Sequence[Explained]:
        """Return for each comment its score, probability and reasons, in the thread's order."""


@runtime_checkable
class Calibrated(Protocol):
    """A ranker that knows the probability behind a score, and how far it is off, if votes could tell."""

    @property
    def calibration_error(self) -> float | None:
        """The expected error of a probability; None if votes were too few to calibrate any."""

    def calibrate(self, scores: Floats) -> Floats:
        """Return the probability of each score."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A comment at its rank: score, the value it is ranked by, and what else the model says, if it does.

    `standing` tells the score in three words; there is a probability, with its expected error, after enough votes. One that is held back has the reason; it ranks after all others, and its value is below theirs.
    """

    comment: Comment
    rank: int
    score: float
    value: float
    standing: str | None = None
    probability: float | None = None
    probability_error: float | None = None
    reasons: tuple[Reason, ...] | None = None
    held: Held | None = None


@dataclass(frozen=True, slots=True)
class RankedThread:
    """An article with its comments, best first, the ranking's signature, and a warning of a weak model.

    Those that a gate holds back are apart; None where there is no gate.
    """

    article: Article
    comments: tuple[Placed, ...]
    signature: str
    by_score: bool
    caution: str = ""
    held_back: tuple[Placed, ...] | None = None

    @property
    def everything(self) -> tuple[Placed, ...]:
        """All comments, those that are held back last."""
        return (*self.comments, *(self.held_back or ()))

    def first(self, top: int) -> RankedThread:
        """Return the same thread with its first comments alone; what is held back comes after all others."""
        held_back = self.held_back and self.held_back[: max(top - len(self.comments), 0)]
        return replace(self, comments=self.comments[:top], held_back=held_back)

    def lines(self) -> Iterator[Ranked]:
        """Yield the ranking as lines of a run, which holds every comment."""
        for comment in self.everything:
            yield Ranked(self.article.id, comment.comment.id, comment.value, comment.rank)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A way to rank threads: the models, the order within a thread, and the correction of likes, if any.

    Comments have standings and probabilities where the model gives them, and with `explained` reasons, at most `most` each. With a `gate` some are held back.
    """

    models: Models
    ordering: Ordering = field(default_factory=Ordering)
    position_bias: PositionBias | None = None
    explained: bool = True
    most: int = MOST_REASONS
    gate: Gate | None = None
    progress: OnProgress = silent  # called for long threads

    def of(self, threads: Iterable[Thread]) -> Iterator[RankedThread]:
        """Rank threads, one at a time; a half-life where no comment has a time is an error."""
        timed = self.ordering.half_life_h is None
        for thread in self.models.checked(threads):
            timed = timed or any(comment.at for comment in thread.comments)
            if self.position_bias is not None:
                thread = self.position_bias.corrected(thread)
            yield self._ranked(thread)
        if not timed:
            raise DataError(
                "no comment has a time that can be read, which a half-life needs; give them as `at` (in a table: --map at=COLUMN), or leave the half-life out"
            )

    def _ranked(self, thread: Thread) -> RankedThread:
        """Rank one thread, whose likes are corrected already."""
        model = self.models.of(thread)
        progress = self.progress if len(thread.comments) >= _LONG else silent
        scores, reasons = self._judged(model, thread, progress)
        held = self.gate.held(thread, progress) if self.gate else [None] * len(scores)
        kept = np.array([reason is None for reason in held], dtype=bool)
        # A ranker that knows of probabilities tells quality, which likes or length alone do not.
        standing = kept_standings(scores, kept) if isinstance(model, Calibrated) else None
        error = model.calibration_error if isinstance(model, Calibrated) else None
        chances = model.calibrate(scores) if isinstance(model, Calibrated) else scores
        values = self._values(model, thread, scores, kept)
        placed = [
            Placed(
                comment=thread.comments[row],
                rank=rank,
                score=float(scores[row]),
                value=float(values[row]),
                standing=None if standing is None else standing[row],
                probability=None if error is None else float(chances[row]),
                probability_error=error,
                reasons=None if reasons is None else reasons[row],
                held=held[row],
            )
            for rank, row in enumerate(best_first(values).tolist(), 1)
        ]
        return RankedThread(
            article=thread.article,
            comments=tuple(comment for comment in placed if comment.held is None),
            held_back=tuple(comment for comment in placed if comment.held) if self.gate else None,
            signature=self.signature_of(model),
            by_score=self.ordering.by_score,
            caution=self.models.caution(thread),
        )

    def _values(self, model: Ranker, thread: Thread, scores: Floats, kept: Bools) -> Floats:
        """Return what comments are ranked by; those that are not kept below all others, in the order of their scores."""
        # A comment that is held back takes no place: nothing is passed over because it repeats it.
        comments = tuple(thread.comments[row] for row in np.flatnonzero(kept).tolist())
        values = np.zeros(len(scores))
        values[kept] = self.ordering.values(model, Thread(thread.article, comments), scores[kept])
        lowest = float(values[kept].min(initial=0.0))
        rest = np.flatnonzero(~kept)
        values[rest[best_first(scores[rest])]] = lowest - 1 - np.arange(len(rest))
        return values

    def _judged(
        self, model: Ranker, thread: Thread, progress: OnProgress
    ) -> tuple[Floats, list[tuple[Reason, ...]] | None]:
        """Return the scores, and the reasons: None where unknown or not wanted."""
        if self.explained and isinstance(model, Explaining):
            # One reading of the thread gives both.
            explained = model.explain(thread, self.most, progress=progress)
            scores = np.array([comment.score for comment in explained], dtype=np.float64)
            return scores, [comment.signs for comment in explained]
        return model.scores(thread), None

    @property
    def is_plain(self) -> bool:
        """True if the order is that of the scores, and likes are as counted."""
        return self.ordering.by_score and self.position_bias is None

    @property
    def settings(self) -> str:
        """The settings of the order as a signature has them, without the model: for lines of runs."""
        return signature("rank-apply", self._fields)

    @property
    def _fields(self) -> dict[str, object]:
        bias = {"position-bias": self.position_bias.power} if self.position_bias else {}
        gate = {"gate": self.gate.share} if self.gate else {}
        return {**self.ordering.fields, **bias, **gate}

    def signature_of(self, model: Ranker) -> str:
        """Return the signature of a thread ranked by this model."""
        fields: dict[str, object] = {"model": model.name}
        if self.models.name in ready_names():
            fields["ready"] = self.models.name
        if model.language:
            fields["lang"] = model.language
        return signature("rank-apply", {**fields, **model.signed, **self._fields})


def kept_standings(scores: Floats, kept: Bools) -> list[str]:
    """Return the score of each comment in three words, against those that are kept."""
    among = iter(standings(scores[kept]))
    return [next(among) if is_kept else _HELD_BACK for is_kept in kept.tolist()]


def explanations(
    models: Models, threads: Iterable[Thread], most: int = MOST_REASONS
) -> Iterator[Explained]:
    """Yield what each comment's score is made of, thread by thread, by a model that gives reasons."""
    for thread in models.checked(threads):
        model = models.of(thread)
        if not isinstance(model, Explaining):
            name = f"{models.name}: a {model.name!r} model"
            raise ArgumentError(f"{name} gives no reasons; fit 'argument', or take 'ready'")
        yield from model.explain(thread, most)
