"""Splits of threads into training, dev and test sets without leakage through articles or file order.

Cross-validation assigns articles to folds, or whole groups of articles that must stay together, such as both sides of a debate. Comments and
threads are first shuffled by the seed and their ids alone: ties are broken by position, and a file that lists the best
comment first would leak the labels.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.records.writer import record_text
from newsdesk.streams import stream
from newsdesk.types import Thread
from newsdesk.wording import plural

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
        known = {thread.article.id for thread in (*self.train, *self.dev)}
        for thread in self.test:
            if thread.article.id in known:
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
    """Threads sorted by the id of their article, comments shuffled by the seed independent of file order."""
    return [_shuffled(thread, seed) for thread in sorted(threads, key=lambda each: each.article.id)]


def cross_folds(
    threads: Iterable[Thread], count: int | None, *, group_by: str | None = None, seed: int = 0
) -> list[Fold]:
    """Cross-validation folds of whole articles; `count` None makes one fold per group.

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
    chosen = [tuple(shuffled(threads, seed)) for threads in dev] or [()]
    devs = chosen if len(chosen) == len(train) else chosen * len(train)
    return [
        Series(name, (Fold(name, tuple(shuffled(threads, seed)), own, tested),))
        for (name, threads), own in zip(train.items(), devs, strict=True)
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
    others = [each for each in _drawn(list(groups), f"dev of {name}", seed) if each not in tested]
    aside = -(-len(others) // DEV_PART) if len(others) > 1 else 0

    def threads_of(names: Sequence[str]) -> tuple[Thread, ...]:
        return tuple(thread for each in sorted(names) for thread in groups[each])

    return Fold(
        name, threads_of(others[aside:]), threads_of(others[:aside]), threads_of(list(tested))
    )


def _drawn(names: Sequence[str], what: str, seed: int) -> list[str]:
    """Return names shuffled by the seed, independent of their order."""
    order = stream(what, seed).permutation(len(names)).tolist()
    listed = sorted(names)
    return [listed[place] for place in order]


def _shuffled(thread: Thread, seed: int) -> Thread:
    comments = sorted(thread.comments, key=lambda each: each.id)
    order = stream(f"order of comments {thread.article.id}", seed).permutation(len(comments))
    return Thread(thread.article, tuple(comments[place] for place in order.tolist()))
