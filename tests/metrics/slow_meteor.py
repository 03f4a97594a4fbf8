"""METEOR one pair at a time, as plainly as it can be written: the measure for the batched aligners.

`JAR` are the rules of the jar 1.5, `FULL` those of our METEOR 2005: what a match of each stage earns, and the width of the beam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

EXACT, STEM = 0, 1
JAR = ((1, 0), 40)
FULL = ((1 << 10, 1), 40)

Match = tuple[int, int, int]  # (reference position, candidate position, stage)
Stem = Callable[[str], str]


@dataclass(frozen=True)
class _Path:
    """A partial alignment; `chunks` counts closed chunks, `end` is -1 unless a chunk is open."""

    credit: int = 0
    chunks: int = 0
    distance: int = 0
    end: int = -1
    used: frozenset[int] = frozenset()
    matches: tuple[Match, ...] = ()

    def rank(self) -> tuple[int, int, int]:
        return -self.credit, self.chunks, self.distance

    def match(self, match: Match, credit: int, distance: int) -> _Path:
        _, start, _ = match
        return _Path(
            self.credit + credit,
            self.chunks + (self.end not in (-1, start)),
            self.distance + distance,
            start + 1,
            self.used | {start},
            (*self.matches, match),
        )

    def skip(self, distance: int = 0) -> _Path:
        closed = self.chunks + (self.end != -1)
        return _Path(self.credit, closed, self.distance + distance, -1, self.used, self.matches)


def candidates(candidate: Sequence[str], reference: Sequence[str], stem: Stem) -> list[list[Match]]:
    """All possible matches of each reference word: equal words first, then words of equal stem."""
    ways = [
        [(j, i, EXACT) for i, word in enumerate(candidate) if word == target]
        for j, target in enumerate(reference)
    ]
    if list(candidate) != list(reference):
        for j, target in enumerate(reference):
            ways[j] += [
                (j, i, STEM)
                for i, word in enumerate(candidate)
                if stem(word) == stem(target) and word != target
            ]
    return ways


def align(
    candidate: Sequence[str],
    reference: Sequence[str],
    stem: Stem,
    rules: tuple[tuple[int, int], int],
) -> list[Match]:
    """Most credit, then fewest chunks, then smallest distance, by the jar's beam search."""
    credit, beam = rules
    options = candidates(candidate, reference, stem)
    wanted = Counter(i for matches in options for _, i, _ in matches)
    fixed = [len(matches) == 1 and wanted[matches[0][1]] == 1 for matches in options]
    taken = (matches[0][1] for matches, sure in zip(options, fixed, strict=True) if sure)
    paths = [_Path(used=frozenset(taken))]
    for matches, sure in zip(options, fixed, strict=True):
        paths = sorted(paths, key=_Path.rank)[:beam]
        if sure:
            ((j, i, stage),) = matches
            paths = [path.match((j, i, stage), credit[stage], abs(j - i)) for path in paths]
        else:
            paths = [new for path in paths for new in _branches(path, matches, credit)]
    paths = [path.skip() for path in sorted(paths, key=_Path.rank)[:beam]]
    return list(min(paths, key=_Path.rank).matches)


def _branches(path: _Path, matches: Sequence[Match], credit: tuple[int, int]) -> list[_Path]:
    grown, distance = [], 0
    for j, i, stage in matches:
        if i not in path.used:
            grown.append(path.match((j, i, stage), credit[stage], distance))
            distance += abs(j - i)
    return [*grown, path.skip(distance)]


def nltk_alignment(candidate: Sequence[str], reference: Sequence[str], stem: Stem) -> list[Match]:
    """Words from the right, each to the last free equal word; then stems likewise."""
    matches: list[Match] = []
    for stage, key in ((EXACT, str), (STEM, stem)):
        used = {i for _, i, _ in matches}, {j for j, _, _ in matches}
        places: dict[str, list[int]] = {}
        for j, word in enumerate(reference):
            if j not in used[1]:
                places.setdefault(key(word), []).append(j)
        for i, word in reversed(list(enumerate(candidate))):
            if i not in used[0] and places.get(key(word)):
                matches.append((places[key(word)].pop(), i, stage))
    return sorted(matches)


def chunk_count(matches: Sequence[Match]) -> int:
    """Runs of matches that are adjacent, in the same order, on both sides."""
    links = {(j, i) for j, i, _ in matches}
    return sum((j - 1, i - 1) not in links for j, i in links)


def all_alignments(candidate: Sequence[str], reference: Sequence[str]) -> list[list[Match]]:
    """Every alignment with the most exact matches."""
    alignments: list[list[Match]] = [[]]
    for word in sorted(set(candidate) & set(reference)):
        left = [i for i, each in enumerate(candidate) if each == word]
        right = [j for j, each in enumerate(reference) if each == word]
        size = min(len(left), len(right))
        ways = [
            [(j, i, EXACT) for j, i in zip(chosen, order, strict=True)]
            for chosen in combinations(right, size)
            for order in permutations(left, size)
        ]
        alignments = [old + way for old in alignments for way in ways]
    return alignments


def crossing_count(matches: Sequence[Match]) -> int:
    """Pairs of matches whose order differs in the two texts."""
    return sum((a - c) * (b - d) < 0 for (a, b, _), (c, d, _) in combinations(matches, 2))
