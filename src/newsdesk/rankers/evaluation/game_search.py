"""Search for the cheapest rise of a weak comment: which of the `tricks`, or which combination of them, carries it above better ones.

A trick adds words to a weak comment (share at most 0.2), up to a budget; appended, prepended or interleaved, whichever lifts it most, as a writer who sees the order would choose. `combined` is a
greedy search: a third of the budget at a time, the piece of any trick at any place that lifts the comment most, until nothing does; or a single trick, where that lifts it further.

The measure is that of the gaming test: of the pairs with better comments (at least 0.8) in the right order before, the share in the wrong order after; equal scores count ½. `lifted` is the
share of weak comments that pass at least one better comment, `words_to_lift` the median of the fewest words that this took, and `worst` the text that passed most. A sample of weak comments is tried, because the ranker scores every text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.gaming import (
    BETTER_SHARE,
    PLACES,
    WEAK_SHARE,
    OwnFillers,
    Row,
    lead,
    placed,
    share_of,
    word_count,
)
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.evaluation.tricks import TRICKS, Scene, added, scenes_of
from newsdesk.rankers.ranker import Ranker
from newsdesk.settings import at_least
from newsdesk.signatures import sha256_of
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, counting, silent

COMBINED = "combined"
_STEPS = 3  # of the combined search, each with its part of the budget


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The text that a trick lifted most: what it became, and how many better comments it passed of how many."""

    article: str
    comment: str
    place: str
    passed: float
    of: int
    words: int
    text: str


@dataclass(frozen=True, slots=True)
class TriedTrick:
    """What one trick reached: share of pairs overturned (None without a pair), with the words it took."""

    trick: str
    share: float | None
    ci: tuple[float, float] | None
    pairs: int
    lifted: float | None
    words: float | None  # added on the mean
    words_to_lift: float | None
    worst: WorstCase | None
    signature: str

    def as_json(self, system: str) -> dict[str, Any]:
        """Return the fields, with the name of the system."""
        return {"system": system, **dataclasses.asdict(self)}


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A changed text of one weak comment: where something was added, how many words, and its score."""

    text: str
    place: str
    words: int
    score: float = 0.0


def search(
    ranker: Ranker,
    threads: Iterable[Thread],
    tricks: Sequence[str] | None = None,
    *,
    own: OwnFillers | None = None,
    max_words: int = 60,
    sample: int = 100,
    samples: int = 10_000,
    seed: int = 0,
    progress: OnProgress = silent,
) -> list[TriedTrick]:
    """Try tricks on a sample of weak comments, and combinations of them; the most successful first.

    `own` are styles of filler of the user's, each a trick. Left out, `tricks` are all of them.
    """
    at_least("max_words", max_words, 1)
    at_least("sample", sample, 1)
    own = own or {}
    names = [*TRICKS, *own]
    for name in tricks or ():
        if name not in names:
            raise ArgumentError(f"no trick is called {name!r}; there are: {', '.join(names)}")
    listed = list(threads)
    judged = Judged.of(listed)
    scenes = list(scenes_of(listed, judged, own, sample, seed))
    finished = counting(progress, len(scenes))
    outcomes: dict[str, list[_Outcome]] = {name: [] for name in (*(tricks or names), COMBINED)}
    for scene in scenes:
        for name, outcome in _attacked(ranker, scene, tricks or names, max_words, seed).items():
            outcomes[name].append(outcome)
        finished(scene.thread.article.id)
    fields = {"words": max_words, "sample": sample, "weak": WEAK_SHARE, "better": BETTER_SHARE}
    digest = {"texts": sha256_of("\n".join(sum(own.values(), ())), 8)} if own else {}

    def result(name: str) -> TriedTrick:
        reading = {"trick": name, **digest, **fields}
        signature = judged.signature(
            "rank-game-search", reading, {"samples": samples, "seed": seed}
        )
        return _result(name, outcomes[name], signature, samples=samples, seed=seed)

    return sorted(map(result, outcomes), key=lambda tried: -(tried.share or 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """The attempts of one trick in one thread: of each weak comment, and how better ones scored."""

    scene: Scene
    before: Floats  # of all comments
    attempts: list[list[_Attempt]]  # of each weak comment, one a place

    def overturned(self, index: int, attempt: _Attempt) -> tuple[float, int]:
        """Return how many correct pairs of a weak comment an attempt overturns, and how many there were."""
        better = self.before[self.scene.better]
        correct = lead(better, self.before[[self.scene.weak[index]]])[:, 0] > 0
        after = lead(better, np.array([attempt.score]))[:, 0]
        return float(((1 - after) / 2)[correct].sum()), int(correct.sum())


def _attacked(
    ranker: Ranker, scene: Scene, tricks: Sequence[str], max_words: int, seed: int
) -> dict[str, _Outcome]:
    """Try every trick on the weak comments of a thread, and combine them."""
    before = ranker.scores(scene.thread)
    texts = [scene.thread.comments[host].text for host in scene.weak]
    unchanged = [
        _Attempt(text, "", 0, float(before[host]))
        for text, host in zip(texts, scene.weak, strict=True)
    ]
    single = _tried(ranker, scene, tricks, unchanged, max_words, seed)
    outcomes = {
        name: _Outcome(scene, before, [by_trick[name] for by_trick in single]) for name in tricks
    }
    # Each step starts from the best text so far; a comment that nothing lifts further stays.
    best = unchanged
    # Where a single trick lifts a comment further, that is the best combination.
    history = [[one for ones in by_trick.values() for one in ones] for by_trick in single]
    for step in range(1, _STEPS + 1):
        # What is left of the budget, in equal parts.
        tried = _tried(ranker, scene, tricks, best, max_words * step // _STEPS, seed, step)
        attempts = [[one for ones in by_trick.values() for one in ones] for by_trick in tried]
        best = [
            max([current, *ones], key=lambda one: round(one.score, 9))
            for current, ones in zip(best, attempts, strict=True)
        ]
        for index, one in enumerate(best):
            history[index].append(one)
    outcomes[COMBINED] = _Outcome(scene, before, history)
    return outcomes


def _tried(
    ranker: Ranker,
    scene: Scene,
    tricks: Sequence[str],
    texts: Sequence[_Attempt],
    max_words: int,
    seed: int,
    step: int = 0,
) -> list[dict[str, list[_Attempt]]]:
    """Return for each weak comment and trick the attempts at every place, up to so many words in all."""
    keys, attempts = [], []
    for index, (host, current) in enumerate(zip(scene.weak, texts, strict=True)):
        for trick in tricks:
            more = added(trick, scene, host, max_words - current.words, seed, step)
            size = current.words + word_count(more, scene.lang)
            for where in PLACES if more else ():
                text = placed(current.text, more, where, scene.lang)
                way = "+".join(filter(None, (current.place, f"{trick}:{where}")))
                keys.append((index, trick))
                attempts.append(_Attempt(text, way, size))
    hosts = [scene.weak[index] for index, _ in keys]
    comments = [
        replace(scene.thread.comments[host], text=attempt.text)
        for host, attempt in zip(hosts, attempts, strict=True)
    ]
    scores = ranker.replaced(scene.thread, hosts, comments).tolist()
    tried: list[dict[str, list[_Attempt]]] = [{trick: [] for trick in tricks} for _ in texts]
    for (index, trick), attempt, score in zip(keys, attempts, scores, strict=True):
        tried[index][trick].append(replace(attempt, score=score))
    return tried


def _result(
    name: str, outcomes: Sequence[_Outcome], signature: str, *, samples: int, seed: int
) -> TriedTrick:
    """Sum up a trick over all threads: each weak comment at the place that lifts it most."""
    rows: list[Row] = []
    fewest: list[float] = []  # words that lift each comment, infinite where none did
    words: list[int] = []
    worst: WorstCase | None = None
    for outcome in outcomes:
        inverted = correct = 0.0
        for index, attempts in enumerate(outcome.attempts):
            if not attempts:
                continue
            best = max(attempts, key=lambda attempt: round(attempt.score, 9))
            overturned, pairs = outcome.overturned(index, best)
            inverted, correct = inverted + overturned, correct + pairs
            words.append(best.words)
            if pairs:
                lifting = (one.words for one in attempts if outcome.overturned(index, one)[0] > 0)
                fewest.append(min(lifting, default=np.inf))
            if overturned > (worst.passed if worst else 0.0):
                article = outcome.scene.thread.article.id
                comment = outcome.scene.thread.comments[outcome.scene.weak[index]].id
                worst = WorstCase(
                    article, comment, best.place, overturned, pairs, best.words, best.text
                )
        rows.append((inverted, int(correct)))
    lifted = [count for count in fewest if np.isfinite(count)]
    share, ci, pairs = share_of(rows, samples=samples, seed=seed)
    return TriedTrick(
        trick=name,
        share=share,
        ci=ci,
        pairs=pairs,
        lifted=float(np.isfinite(fewest).mean()) if fewest else None,
        words=float(np.mean(words)) if words else None,
        words_to_lift=float(np.median(lifted)) if lifted else None,
        worst=worst,
        signature=signature,
    )
