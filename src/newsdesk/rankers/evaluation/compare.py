"""Comparison of several rankers on held-out threads, and the folds they are held out by.

Each ranker is fitted on each fold, the scores of the test threads are pooled, and `evaluate` measures the pooled runs: every measure with its
interval, every two systems with their tests. A `Series` is one system per ranker: all folds of a cross-validation, or one training
file of several, whose systems are called `ranksvm/deep`; rankers that learn nothing enter once.

A ranker that tunes on dev threads gets those of the fold; any other is trained on them too. `random` is the mean of ten trials.
Pooled sAUC compares scores across folds, so it underestimates a ranker whose scale changes from fold to fold.

`RunCache` stores the runs, so that a long comparison resumes where it stopped. A ranker and a fold have two files under `FOLD/`: the run as JSONL, and beside it JSON with
the spec, what filler did, and the digest of the fold's threads. The JSON is written last, so a run without one is incomplete and is computed again.

Folds split threads without leakage through articles or file order. Cross-validation assigns articles to folds, or whole groups of articles that must stay together, such as both sides of a debate. Comments and
threads are first shuffled by the seed and their ids alone: ties are broken by position, and a file that lists the best
comment first would leak the labels.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from newsdesk import __version__, records
from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line, json_value
from newsdesk.rankers.evaluation.evaluate import RankerEvaluation, evaluate
from newsdesk.rankers.evaluation.gaming import Gamed, Row, gamed, turned
from newsdesk.rankers.evaluation.judged import TRIALS, Judged, RankerScores, system_of_run
from newsdesk.rankers.ranker import Ranker
from newsdesk.records.writer import record_text
from newsdesk.registry import RANKERS, Spec
from newsdesk.signatures import file_name
from newsdesk.streams import stream
from newsdesk.types import Ranked, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, counting, silent

# One in so many of the training groups becomes the dev set.
DEV_PART = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """A split: training, dev (perhaps empty) and test threads; no test article is learned from."""

    name: str
    train: tuple[Thread, ...]
    dev: tuple[Thread, ...]
    test: tuple[Thread, ...]

    def __post_init__(self) -> None:
        learned_from = {thread.article.id for thread in (*self.train, *self.dev)}
        for thread in self.test:
            if thread.article.id in learned_from:
                raise ArgumentError(
                    f"article {thread.article.id!r} is tested on and learned from; take it out of one side"
                )

    @functools.cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of a hash of all threads of the fold and their role."""
        digest = hashlib.sha256()
        for side in (self.train, self.dev, self.test):
            for thread in side:
                digest.update(record_text(thread).encode("utf-8", "surrogatepass") + b"\n")
            digest.update(b"\0")
        return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Series:
    """The folds whose test threads are pooled into one run.

    The name, if any, is appended to that of each ranker.
    """

    name: str
    folds: tuple[Fold, ...]


def shuffled(threads: Iterable[Thread], seed: int = 0) -> list[Thread]:
    """Return threads by the id of their article, comments shuffled by the seed, whatever the file order."""
    return [
        _shuffled(thread, seed) for thread in sorted(threads, key=lambda thread: thread.article.id)
    ]


def cross_folds(
    threads: Iterable[Thread], count: int | None, *, group_by: str | None = None, seed: int = 0
) -> list[Fold]:
    """Return cross-validation folds of whole articles; `count` None makes one fold per group.

    Articles are of one group if their ids agree up to the first `group_by`; without it every article is a group of its own.
    """
    if count is not None and count < 2:
        raise ArgumentError(f"{plural(count, 'fold')} is too few; take two or more")
    if count is None and not group_by:
        raise ArgumentError("a fold for every group needs --group-by: what ends a group's name")
    groups: dict[str, list[Thread]] = {}
    for thread in shuffled(threads, seed):
        groups.setdefault(group_of(thread.article.id, group_by), []).append(thread)
    if len(groups) < (count or 2):
        available = plural(len(groups), "group")
        raise ArgumentError(f"{available} of articles: too few for {count or 2} folds")
    names = _drawn(list(groups), "folds", seed)
    test_groups = (
        [names[first::count] for first in range(count)] if count else [[name] for name in names]
    )
    width = len(str(len(test_groups)))
    return [
        _fold(f"fold-{number:0{width}}", groups, tested, seed)
        for number, tested in enumerate(test_groups, 1)
    ]


def cross_validation(
    threads: Iterable[Thread], count: int | None, *, group_by: str | None = None, seed: int = 0
) -> list[Series]:
    """Return the folds of `cross_folds` as one unnamed series, in which every thread is tested once."""
    return [Series("", tuple(cross_folds(threads, count, group_by=group_by, seed=seed)))]


def training_series(
    train: Mapping[str, Iterable[Thread]],
    test: Iterable[Thread],
    dev: Sequence[Iterable[Thread]] = (),
    *,
    seed: int = 0,
) -> list[Series]:
    """Return one series for each named training set, all with the same test threads.

    `dev` has one set for all or one for each.
    """
    if len(dev) not in (0, 1, len(train)):
        raise ArgumentError(
            f"{len(dev)} sets of dev threads for {len(train)} of training threads; give one for all or one for each"
        )
    tested = tuple(shuffled(test, seed))
    dev_sets = [tuple(shuffled(threads, seed)) for threads in dev] or [()]
    if len(dev_sets) != len(train):  # one for all
        dev_sets = dev_sets * len(train)
    return [
        Series(name, (Fold(name, train=tuple(shuffled(threads, seed)), dev=own_dev, test=tested),))
        for (name, threads), own_dev in zip(train.items(), dev_sets, strict=True)
    ]


def held_out_threads(series: Sequence[Series]) -> list[Thread]:
    """Return the threads that every series is tested on, by the id of their article."""
    tested = [thread for fold in series[0].folds for thread in fold.test]
    return sorted(tested, key=lambda thread: thread.article.id)


def group_of(article: str, group_by: str | None) -> str:
    """Return the group of an article: its id up to the first `group_by`.

    >>> group_of("gay-marriage_against", "_")
    'gay-marriage'
    """
    return article.partition(group_by)[0] if group_by else article


def _fold(name: str, groups: dict[str, list[Thread]], tested: Sequence[str], seed: int) -> Fold:
    """Return the fold that tests these groups; of the others one in `DEV_PART` is the dev set."""
    others = [
        group for group in _drawn(list(groups), f"dev of {name}", seed) if group not in tested
    ]
    dev_count = math.ceil(len(others) / DEV_PART) if len(others) > 1 else 0

    def threads_of(names: Sequence[str]) -> tuple[Thread, ...]:
        return tuple(thread for group in sorted(names) for thread in groups[group])

    return Fold(
        name,
        train=threads_of(others[dev_count:]),
        dev=threads_of(others[:dev_count]),
        test=threads_of(tested),
    )


def _drawn(names: Sequence[str], what: str, seed: int) -> list[str]:
    """Return names shuffled by the seed, independent of their order."""
    order = stream(what, seed).permutation(len(names)).tolist()
    listed = sorted(names)
    return [listed[number] for number in order]


def _shuffled(thread: Thread, seed: int) -> Thread:
    comments = sorted(thread.comments, key=lambda comment: comment.id)
    order = stream(f"order of comments {thread.article.id}", seed).permutation(len(comments))
    return Thread(thread.article, tuple(comments[number] for number in order.tolist()))


_FORMAT = 1


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The run of a fitted ranker over a fold's test threads, and the pairs that fillers inverted.

    `fillers` has for each kind of filler a row per article; `summary` is that of the fitted ranker.
    """

    run: tuple[Ranked, ...]
    fillers: Mapping[str, Sequence[Row]]
    summary: str


@dataclass(frozen=True, slots=True)
class RunCache:
    """A folder of held-out results; with `overwrite` existing ones are computed again."""

    folder: Path
    overwrite: bool = False

    @classmethod
    def at(cls, folder: str | os.PathLike[str], *, overwrite: bool = False) -> RunCache:
        """Return the cache in a folder, which is created when the first result is stored."""
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise FileError(f"{path}: is a file, not a folder")
        return cls(path, overwrite)

    def find(self, spec: Spec, fold: Fold, kinds: Sequence[str]) -> HeldOut | None:
        """Return the stored result of a ranker on a fold, if it covers all these kinds of filler."""
        header = self._path(spec, fold, "json")
        if self.overwrite or not header.exists():
            return None
        try:
            fields = json_value(header.read_text("utf-8"))
            digest, fillers, summary = fields["digest"], fields["fillers"], fields["summary"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"not a kept result ({error})", file=str(header)) from error
        if digest != _digest(fold):
            raise FileError(
                f"{header}: made from other threads, another seed or another version; "
                "add --force, or name another folder"
            )
        if not set(kinds) <= set(fillers):
            return None
        rows = {
            kind: [(float(inverted), int(pairs)) for inverted, pairs in fillers[kind]]
            for kind in kinds
        }
        run = tuple(records.read(self._path(spec, fold, "jsonl"), Ranked))
        return HeldOut(run, rows, str(summary))

    def store(self, spec: Spec, fold: Fold, result: HeldOut) -> None:
        """Write a result of a ranker on a fold, the JSON last."""
        header = self._path(spec, fold, "json")
        make_folder(header.parent)
        header.unlink(missing_ok=True)
        records.write(self._path(spec, fold, "jsonl"), result.run)
        fields = {
            "format": _FORMAT,
            "spec": str(spec),
            "digest": _digest(fold),
            "summary": result.summary,
            "fillers": result.fillers,
        }
        with atomic(header) as stream:
            stream.write(json_line(fields))

    def _path(self, spec: Spec, fold: Fold, ending: str) -> Path:
        return self.folder / fold.name / f"{file_name(spec)}.{ending}"


def _digest(fold: Fold) -> str:
    return f"{__version__}:{fold.digest}"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A ranker to compare and the specs it is fitted by: several trials for one that ranks at random."""

    name: str
    trials: tuple[Spec, ...]
    learns: bool

    @classmethod
    def of(cls, text: str, seed: int = 0) -> Entrant:
        """Return the entrant that a spec names, an alias under its real name.

        A ranker that draws takes the seed, unless its spec sets one.
        """
        typed = Spec.parse(text)
        spec = RANKERS.resolve(typed)
        name = text if typed == spec else str(spec)
        kind = RANKERS.load(spec.name)
        learns = kind.learns(dict(spec.arguments))
        if "seed" in dict(spec.arguments) or "seed" not in inspect.signature(kind).parameters:
            return cls(name, (spec,), learns)
        trials = 1 if learns else TRIALS
        seeded = tuple(
            replace(spec, arguments=(*spec.arguments, ("seed", seed + trial)))
            for trial in range(trials)
        )
        return cls(name, seeded, learns)


@dataclass(frozen=True, slots=True)
class RankerComparison:
    """The measures of all systems, and the result of the gaming test for each."""

    evaluation: RankerEvaluation
    fillers: Mapping[str, tuple[Gamed, ...]]

    def as_json(self) -> dict[str, Any]:
        """Return the evaluation, and a row for each system and kind of filler."""
        fillers = [row.as_json(name) for name, rows in self.fillers.items() for row in rows]
        return {**self.evaluation.as_json(), "fillers": fillers}


def compare(
    judged: Judged,
    entrants: Sequence[Entrant],
    series: Sequence[Series],
    ks: Sequence[int] = (1, 5, 10),
    *,
    kinds: Sequence[str] = (),
    samples: int = 10_000,
    seed: int = 0,
    cache: RunCache | None = None,
    progress: OnProgress = silent,
    steps: OnProgress | None = None,
) -> RankerComparison:
    """Fit, test and measure; results in the cache are not computed again.

    `ks` are the depths of NDCG and precision, `kinds` the kinds of filler of the gaming test. `progress` is called after every fold of a ranker that learns, `steps` with every step within a fit.
    """
    tested = [thread for fold in (series[0].folds if series else ()) for thread in fold.test]
    for entrant in entrants:
        for spec in entrant.trials:
            # A misspelt setting, and threads without what a ranker goes by, are refused before the first fit.
            unfitted = RANKERS.make(spec)
            if not entrant.learns:
                for _ in unfitted.checked(tested):
                    pass
    fold_count = sum(len(one.folds) for one in series)
    total = sum(entrant.learns for entrant in entrants) * fold_count
    finished = counting(progress, total)

    def result_of(entrant: Entrant, spec: Spec, fold: Fold) -> HeldOut:
        """Return the result from the cache, else computed and cached."""
        cached = cache.find(spec, fold, kinds) if cache else None
        result = cached or held_out(spec, fold, judged, kinds, seed, steps)
        if cache and not cached:
            cache.store(spec, fold, result)
        if entrant.learns:
            from_cache = " (kept)" if cached else ""
            finished(f"{spec} on {fold.name}: {result.summary}{from_cache}")
        return result

    systems: list[RankerScores] = []
    fillers: dict[str, tuple[Gamed, ...]] = {}
    for name, entrant, one_series in _systems(entrants, series):
        trials: list[Floats] = []
        rows: dict[str, list[Row]] = {kind: [] for kind in kinds}
        for spec in entrant.trials:
            results = [result_of(entrant, spec, fold) for fold in one_series.folds]
            run = (line for result in results for line in result.run)
            trials += system_of_run(name, run, judged).trials
            for kind in kinds:
                rows[kind] += [row for result in results for row in result.fillers[kind]]
        systems.append(RankerScores(name, tuple(trials)))
        fillers[name] = tuple(
            gamed(kind, rows[kind], judged, samples=samples, seed=seed) for kind in kinds
        )
    return RankerComparison(evaluate(judged, systems, ks, samples=samples, seed=seed), fillers)


def held_out(
    spec: Spec,
    fold: Fold,
    judged: Judged,
    kinds: Sequence[str] = (),
    seed: int = 0,
    steps: OnProgress | None = None,
) -> HeldOut:
    """Fit one ranker on one fold and rank its test threads, plain and with filler."""
    ranker: Ranker = RANKERS.make(spec)
    if ranker.wants_dev and fold.dev:
        ranker.fit(fold.train, fold.dev, steps)
    else:
        ranker.fit((*fold.train, *fold.dev), progress=steps)
    rows = turned(ranker, fold.test, judged, kinds, seed=seed) if kinds else {}
    return HeldOut(tuple(ranker.run(fold.test)), rows, ranker.summary)


def _systems(
    entrants: Sequence[Entrant], series: Sequence[Series]
) -> Iterator[tuple[str, Entrant, Series]]:
    """Yield the name, ranker and series of each system; one that learns nothing comes once."""
    if not entrants or not series:
        raise ArgumentError("there is nothing to compare: name rankers and threads")
    for number, one_series in enumerate(series):
        for entrant in entrants:
            if entrant.learns:
                name = f"{entrant.name}/{one_series.name}" if one_series.name else entrant.name
                yield name, entrant, one_series
            elif number == 0:
                yield entrant.name, entrant, one_series
