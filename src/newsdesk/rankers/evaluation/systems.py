"""Systems to evaluate: the scores of judged comments from rankers, runs or baselines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.ranker import Ranker, ranker
from newsdesk.types import Ranked, Thread
from newsdesk.wording import plural

BASELINES = ("like", "random", "length")
# A random ranker is measured by the mean of so many trials.
TRIALS = 10
_SETTINGS = re.compile(r"\(.*\)", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """The scores of one ranker for each judged comment; a random ranker has several trials, and measures are means over them."""

    name: str
    trials: tuple[Floats, ...]
    missing: int = 0
    unknown: int = 0


def system_of(
    name: str, rankers: Sequence[Ranker], threads: Iterable[Thread], judged: Judged
) -> System:
    """The system of one ranker, or of several trials of it."""
    listed = list(threads)
    trials = []
    for each in rankers:
        scores = {
            (thread.article.id, comment.id): score
            for thread in each.checked(listed)
            for comment, score in zip(thread.comments, each.scores(thread), strict=True)
        }
        trials.append(_aligned(scores, judged))
    return System(name, tuple(trials))


def system_of_run(name: str, run: Iterable[Ranked], judged: Judged) -> System:
    """The system of a run. A judged comment missing from the run is ranked last; unjudged comments are left out.

    As in trec_eval, scores decide and the column of ranks is ignored.
    """
    scores = {(line.article, line.comment): line.score for line in run}
    lacking = set(judged.articles) - {article for article, _ in scores}
    if lacking:
        article = min(lacking)
        raise DataError(
            f"run {name!r} ranks nothing of article {article!r} ({len(lacking)} such); rank every article of the threads"
        )
    known = set(judged.keys)
    missing = sum(key not in scores for key in known)
    unknown = sum(key not in known for key in scores)
    return System(name, (_aligned(scores, judged),), missing, unknown)


def baseline_system(name: str, threads: Iterable[Thread], judged: Judged, seed: int = 0) -> System:
    """The system of one of `BASELINES`; `random` has ten trials, each with its own seed."""
    if name not in BASELINES:
        raise ArgumentError(f"{name!r} is no baseline; there are: {', '.join(BASELINES)}")
    seeds = [{"seed": seed + trial} for trial in range(TRIALS)] if name == "random" else [{}]
    return system_of(name, [ranker(name, **each) for each in seeds], threads, judged)


def notes(judged: Judged, systems: Iterable[System] = ()) -> Iterator[str]:
    """Sentences about what was left out or is missing."""
    if judged.unjudged:
        yield f"left out: {plural(judged.unjudged, 'comment')} without a score"
    for system in systems:
        if system.missing:
            missing = plural(system.missing, "judged comment")
            yield f"{system.name} lacks {missing} (ranked last)"
        if system.unknown:
            unknown = plural(system.unknown, "unjudged comment")
            yield f"{system.name} ranks {unknown} (left out)"


def run_names(paths: Sequence[str]) -> list[str]:
    """The names of runs: the file name up to the first dot, or the whole path where two would be equal.

    >>> run_names(["a/svr.jsonl", "b/run.trec", "c/run.trec"])
    ['svr', 'b/run.trec', 'c/run.trec']
    """
    stems = [file_stem(path) for path in paths]
    return [
        stem if stem and stems.count(stem) == 1 else path
        for path, stem in zip(paths, stems, strict=True)
    ]


def file_stem(path: str) -> str:
    """The name of a file up to its first dot.

    >>> file_stem("data/deep.jsonl.gz")
    'deep'
    """
    return Path(path).name.partition(".")[0]


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names without their settings, where that leaves them distinct.

    >>> short_names(["svr(cost=1)/deep", "svr(cost=1)/shallow", "ranksvm(cost=1)", "ranksvm(cost=2)"])["svr(cost=1)/deep"]
    'svr/deep'
    """
    bare = {name: _SETTINGS.sub("", name) for name in names}
    counts = Counter(bare.values())
    return {name: short if counts[short] == 1 else name for name, short in bare.items()}


def _aligned(scores: Mapping[tuple[str, str], float], judged: Judged) -> Floats:
    last = min(scores.values(), default=0.0) - 1.0
    return np.array([scores.get(key, last) for key in judged.keys], dtype=np.float64)
