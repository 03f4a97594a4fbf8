"""Groups of copies and near-copies among the comments of a thread, so that a comment pasted ten times counts once.

Two comments are copies if the smaller set of terms shares four fifths of its terms with the other and the sets are of similar size. Candidates share one of
eight minimum hashes of their terms (Broder 1997), so the cost is linear in the number of comments.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from newsdesk.arrays import Ints

_HASHES = 8
_SHARED, _SIMILAR_SIZE = 0.8, 0.6
_MIXERS = np.array(
    [(0x9E3779B97F4A7C15 * (2 * each + 1)) & 0xFFFFFFFFFFFFFFFF for each in range(1, _HASHES + 1)],
    dtype=np.uint64,
)


def are_copies(first: Ints, second: Ints) -> bool:
    """True if two sets of terms, each given in order, are those of copies or near-copies.

    >>> are_copies(np.array([1, 2, 3, 4, 5]), np.array([1, 2, 3, 4, 6]))
    True
    """
    small, large = sorted((len(first), len(second)))
    if small < _SIMILAR_SIZE * large:
        return False
    return len(np.intersect1d(first, second, assume_unique=True)) >= _SHARED * small


def copy_groups(terms: Ints, starts: Ints, hashes: Ints) -> Ints:
    """The group of each comment; comment i has the distinct terms from `starts[i]` to before `starts[i + 1]`, in order, and `hashes` are those of all terms."""
    parent = list(range(len(starts) - 1))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first_of: dict[bytes, int] = {}
    buckets: dict[tuple[int, int], int] = {}
    ends = starts.tolist()
    for place, (start, end) in enumerate(pairwise(ends)):
        own = terms[start:end]
        same = first_of.setdefault(own.tobytes(), place)
        if same != place or start == end:
            parent[place] = root(same)
            continue
        mixed = hashes[own].astype(np.uint64)[:, None] * _MIXERS
        for bucket in enumerate(np.min(mixed ^ (mixed >> np.uint64(29)), axis=0).tolist()):
            other = buckets.setdefault(bucket, place)
            if other != place and are_copies(own, terms[ends[other] : ends[other + 1]]):
                low, high = sorted((root(other), root(place)))
                parent[high] = low
    roots = np.array([root(place) for place in range(len(parent))], dtype=np.int64)
    return np.unique(roots, return_inverse=True)[1] if len(roots) else roots
