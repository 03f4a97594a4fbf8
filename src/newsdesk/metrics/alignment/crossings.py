"""The alignment of METEOR 2005 (Banerjee and Lavie, section 2.1): stage by stage the most matches, and of those the fewest crossings.

Two matches cross if their order differs in the two texts. Each stage (exact, then stem) matches what the stage before left over; crossings
are counted with everything matched so far. Which of several words to leave out is a search, pair by pair and in plain Python, some
twenty times as slow as `chunks`. It follows the best 256 partial alignments and is exact while there are
no more; between equals the leftmost wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.metrics.alignment.pairs import EXACT, STEM, Matched, PairCounts, Pairs

WIDTH = 256

Link = tuple[int, int]  # (reference position, candidate position)


def fewest_crossings(pairs: Pairs) -> PairCounts:
    """Match each reference with its candidate."""
    stems = pairs.stem_of.tolist()
    rows = [
        (pair, pairs.references.offsets[pair] + j, pairs.candidates.offsets[item] + i, stage)
        for pair, item in enumerate(pairs.item)
        for j, i, stage in align(
            pairs.candidates[item].tolist(), pairs.references[pair].tolist(), stems
        )
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return PairCounts.of(pairs, Matched.tally(pairs, *columns))


def align(
    candidate: Sequence[int], reference: Sequence[int], stem_of: Sequence[int]
) -> list[tuple[int, int, int]]:
    """The (reference position, candidate position, stage) of all matches, by reference position.

    >>> align([0, 1, 0, 2], [0, 2, 1], [0, 1, 2])
    [(0, 0, 0), (1, 3, 0), (2, 1, 0)]
    """
    links: list[Link] = []
    stages: list[int] = []
    for stage, key_of in ((EXACT, range(len(stem_of))), (STEM, stem_of)):
        left = {i: key_of[word] for i, word in enumerate(candidate)}
        right = {j: key_of[word] for j, word in enumerate(reference)}
        for j, i in links:
            del left[i], right[j]
        new = _stage(left, right, links)
        links, stages = links + new, stages + [stage] * len(new)
    return sorted((j, i, stage) for (j, i), stage in zip(links, stages, strict=True))


@dataclass(frozen=True, slots=True)
class _Path:
    """A partial alignment: how many crossings it has, and its links."""

    crossings: int
    links: tuple[Link, ...]


def _stage(left: dict[int, int], right: dict[int, int], fixed: Sequence[Link]) -> list[Link]:
    """The most links between free positions of equal key, with the fewest crossings among themselves and with the fixed."""
    places: dict[int, list[int]] = {}
    for i, key in left.items():
        places.setdefault(key, []).append(i)
    remaining = Counter(right.values())
    need = {key: min(len(tokens), remaining[key]) for key, tokens in places.items()}
    paths = {0: _Path(0, ())}  # by the candidate positions in use, as bits
    for j, key in right.items():
        remaining[key] -= 1
        if not need.get(key):
            continue
        grown: dict[int, _Path] = {}
        for used, path in paths.items():
            for way in _ways(used, places[key], need[key], remaining[key]):
                now, new = (used, path) if way is None else _with_link(used, path, (j, way), fixed)
                if now not in grown or new.crossings < grown[now].crossings:
                    grown[now] = new
        best = sorted(grown.items(), key=lambda each: each[1].crossings)
        paths = dict(best[:WIDTH])
    return list(min(paths.values(), key=lambda path: path.crossings).links)


def _ways(used: int, places: Sequence[int], need: int, remaining: int) -> Iterator[int | None]:
    """The positions a reference word may take, and None if it may be left out, so that all that are needed can be matched.

    Equal words keep their order: swapping two that cross never adds a crossing.
    """
    taken = [n for n, i in enumerate(places) if used >> i & 1]
    missing = need - len(taken)
    if missing:
        following = taken[-1] + 1 if taken else 0
        yield from places[following : len(places) - missing + 1]
    if remaining >= missing:
        yield None


def _with_link(used: int, path: _Path, link: Link, fixed: Sequence[Link]) -> tuple[int, _Path]:
    j, i = link
    crossed = (used >> (i + 1)).bit_count() + sum((j - b) * (i - a) < 0 for b, a in fixed)
    return used | 1 << i, _Path(path.crossings + crossed, (*path.links, link))
