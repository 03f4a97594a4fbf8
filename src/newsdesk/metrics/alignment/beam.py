"""The beam search of the METEOR 1.5 jar, for many pairs at once.

Reference tokens are taken from the left. A path goes on with each choice that is still free, then by leaving the token out. Paths
are ordered by credit (the more the better), closed chunks, distance, keeping ties in order, and the best 40 go on. What the jar does
and its papers do not say:

* A stem or synonym match earns *nothing*: its credit of .5 is cut to an integer. So an ambiguous one is made only where it opens
  no new chunk: *running* against *run runs* matches nothing, against *run* alone it does, since that match is forced.
* The distance of a match is charged to the path it was copied from. So it counts against later choices and against leaving out,
  never against the match itself. It decides only ties and who falls off the beam.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.metrics.alignment.entries import Entries
from newsdesk.metrics.alignment.pairs import Bools, Matched
from newsdesk.metrics.alignment.search import Bits, Children, Plan, mark_used
from newsdesk.text.ragged import Ints

_FIELD = 21  # bits of a counter; three of them, matches and function words of both sides, are packed into an integer
_WIDE = 64  # credits further apart than this are not counted in a table


@dataclass(slots=True)
class _Paths:
    """The paths of the beam, pair by pair, best first; `chunks` and `links` are about the entries only."""

    row: Ints  # the pair, numbered as in the plan
    used: Bits
    end: Ints  # the candidate position that would continue the chunk, or -1
    lost: Ints  # minus the credit
    chunks: Ints
    distance: Ints
    links: Ints
    counts: Ints  # paths × stages, packed

    @classmethod
    def start(cls, plan: Plan) -> _Paths:
        zero = np.zeros(len(plan.pairs), dtype=np.int64)
        stages = int(plan.entries.choices.stage.max(initial=0)) + 1
        counts = np.zeros((len(zero), stages), dtype=np.int64)
        row = np.arange(len(zero))
        return cls(row, plan.unused(), zero - 1, zero, zero, zero, zero, counts)

    def take(self, index: Ints | slice) -> _Paths:
        return _Paths(
            self.row[index],
            self.used[index],
            self.end[index],
            self.lost[index],
            self.chunks[index],
            self.distance[index],
            self.links[index],
            self.counts[index],
        )


def search(entries: Entries, chosen: Ints, credit: Ints, beam: int, found: Matched) -> None:
    """Search the pairs of the chosen entries and write down what was matched; `credit` is what a match of each stage earns."""
    plan = Plan.of(entries.only(chosen))
    paths = _Paths.start(plan)
    for k, active in enumerate(plan.active):
        going = int(np.searchsorted(paths.row, active))
        _keep_first(plan, paths.take(slice(going, None)), found)
        paths = paths.take(slice(going))
        entry = plan.first_entry[paths.row] + k
        paths = _grow(plan, paths, entry, credit, beam)
        # One token further on, a chunk that is still open has been counted, and the jar sorts again.
        last = plan.first_entry[paths.row] + k
        following = np.minimum(last + 1, len(plan.adjoins) - 1)
        settled = (following == last) | ~plan.adjoins[following]
        keys = (paths.lost, paths.chunks, paths.distance)
        lost, chunks, distance = (np.where(settled, key, 0) for key in keys)
        paths = paths.take(_ranked(paths.row, lost, chunks, distance, beam))
    _keep_first(plan, paths, found)


def _grow(plan: Plan, paths: _Paths, entry: Ints, credit: Ints, beam: int) -> _Paths:
    """The best `beam` continuations of each pair's paths by the given entry of the pair."""
    e, choices = plan.entries, plan.entries.choices
    c = Children.of(e, entry, paths.used)
    lost = paths.lost[c.parent] - np.where(c.skip, 0, credit[choices.stage[c.choice]])
    possible = np.flatnonzero(c.free | c.skip)
    keep = possible[_within_reach(paths.row[c.parent[possible]], lost[possible], beam)]
    parent, start, skip = c.parent[keep], c.start[keep], c.skip[keep]
    here = entry[parent]
    previous = np.where(plan.adjoins[here], paths.end[parent], e.before[here])
    joined = start == previous
    chunks = paths.chunks[parent] + ~skip - joined
    distance = paths.distance[parent] + _charged(c, e, entry)[keep]
    best = _ranked(paths.row[parent], lost[keep], chunks - ~skip, distance, beam)
    parent, start, skip, here, keep = parent[best], start[best], skip[best], here[best], keep[best]
    joins_next = start + 1 == e.after[here]
    counts = paths.counts[parent]
    _add_matches(counts, e, here[~skip], c.choice[keep[~skip]], np.flatnonzero(~skip))
    return _Paths(
        row=paths.row[parent],
        used=mark_used(paths.used, parent, start),
        end=np.where(skip, -1, start + 1),
        lost=lost[keep],
        chunks=chunks[best] - joins_next,
        distance=distance[best],
        links=paths.links[parent] + joined[best] + joins_next,
        counts=counts,
    )


def _within_reach(row: Ints, lost: Ints, beam: int) -> Bools:
    """Whether fewer than `beam` paths of the pair have more credit: the others need not be sorted."""
    lost = lost - lost.min()
    span = int(lost.max()) + 1
    if span > _WIDE:  # a table would be larger than what it saves
        return np.ones(len(row), dtype=np.bool_)
    kind = row * span + lost
    number = np.bincount(kind, minlength=(int(row[-1]) + 1) * span).reshape(-1, span)
    better = (np.cumsum(number, axis=1) - number).ravel()
    reach: Bools = better[kind] < beam
    return reach


def _charged(c: Children, entries: Entries, entry: Ints) -> Ints:
    """The distance charged to each child: that of its free elder siblings."""
    own = np.where(c.free & ~c.skip, np.abs(entries.position[entry][c.parent] - c.start), 0)
    before = np.cumsum(own) - own
    charged: Ints = before - before[c.first][c.parent]
    return charged


def _add_matches(counts: Ints, e: Entries, entry: Ints, choice: Ints, path: Ints) -> None:
    """Add one match to each of these paths."""
    candidate, reference = (
        side.astype(np.int64) for side in (e.choices.function[choice], e.function[entry])
    )
    counts[path, e.choices.stage[choice]] += 1 + (candidate << _FIELD) + (reference << 2 * _FIELD)


def _ranked(row: Ints, lost: Ints, chunks: Ints, distance: Ints, beam: int) -> Ints:
    """Indices of the paths ordered by pair, credit lost, chunks, distance, keeping ties in order and `beam` per pair."""
    first = np.flatnonzero(np.diff(row, prepend=-1))
    size = np.diff(first, append=len(row))
    place = np.arange(len(row)) - np.repeat(first, size)
    keys = [np.repeat(np.arange(len(first)), size)]
    bits = [len(first).bit_length()]
    for part in (lost - lost.min(), chunks - chunks.min(), distance, place):
        keys.append(part)
        bits.append(int(part.max()).bit_length())
    if sum(bits) > 63:
        order = np.lexsort(keys[::-1])
    else:
        packed = keys[0]
        for key, width in zip(keys[1:], bits[1:], strict=True):
            packed = (packed << width) | key
        packed.sort()
        group = packed >> sum(bits[1:])
        order = first[group] + (packed & ((1 << bits[-1]) - 1))
    if size.max() <= beam:
        return order
    return order[place < beam]


def _keep_first(plan: Plan, paths: _Paths, found: Matched) -> None:
    """Write down the best path of each pair that is complete."""
    if not len(paths.row):
        return
    best = np.flatnonzero(np.diff(paths.row, prepend=-1))
    pairs, packed = plan.pairs[paths.row[best]], paths.counts[best]
    stages, low = packed.shape[1], (1 << _FIELD) - 1
    found.matches[pairs, :stages] = packed & low
    found.function[pairs, :stages, 0] = (packed >> _FIELD) & low
    found.function[pairs, :stages, 1] = packed >> 2 * _FIELD
    found.links[pairs] = paths.links[best]
