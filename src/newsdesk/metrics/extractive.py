"""Extractiveness of a summary: coverage, density and compression of Grusky et al. (2018, Newsroom).

A summary is cut from left to right into fragments: the longest run of tokens from here on that the articles hold. Coverage is the
share of its tokens that lie in fragments, density is Σ length² over its tokens, and compression is the length of the articles
over that of the summary. All are 0 for an empty summary.

- `scope='cluster'`, the default, is the form of Gholipour Ghalandari et al. (2020): the articles of a cluster are concatenated and tokens
  are lower-cased, as Newsroom does with its one article. A fragment may run from one article into the next.
- `scope='article'` searches article by article and compares tokens as they are; the longest match of all wins, and no fragment
  crosses from one article into the next.

- `greedy` equals the `Fragments` class that Newsroom released. Its search of an article jumps past every run it matched, so that
  a longer match that begins inside a run is missed: "a a b" in "a a a b" gives 2 + 1.
- `exact` finds the longest match there is: 3 in that example.

Of equally long matches the first counts. Newsroom and the WCEP paper tokenize with spaCy; here tokens are the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.text.ragged import offsets_of

Tokens: TypeAlias = Sequence[Hashable] | NDArray[np.integer[Any]]
Matching = Literal["greedy", "exact"]
Scope = Literal["cluster", "article"]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of `length` summary tokens from `start`, matched at `position` of article `article`."""

    start: int
    length: int
    article: int
    position: int


@dataclass(frozen=True, slots=True)
class Extractiveness:
    """How much of a summary is copied, and how short it is."""

    coverage: float
    density: float
    compression: float


def extractiveness(
    summary: Tokens,
    articles: Sequence[Tokens],
    *,
    matching: Matching = "greedy",
    scope: Scope = "cluster",
) -> Extractiveness:
    """Compute coverage, density and compression of a summary; one article is a list of one.

    >>> summary = "the emperor abdicates the throne in favor of his son".split()
    >>> article = "on tuesday the emperor abdicates in favor of his elder son who takes the throne"
    >>> extractiveness(summary, [article.split()])
    Extractiveness(coverage=1.0, density=3.0, compression=1.5)
    """
    matched = fragments(summary, articles, matching=matching, scope=scope)
    lengths = [fragment.length for fragment in matched]
    size = len(summary)
    if not size:
        return Extractiveness(coverage=0.0, density=0.0, compression=0.0)
    return Extractiveness(
        coverage=sum(lengths) / size,
        density=sum(length * length for length in lengths) / size,
        compression=sum(map(len, articles)) / size,
    )


def fragments(
    summary: Tokens,
    articles: Sequence[Tokens],
    *,
    matching: Matching = "greedy",
    scope: Scope = "cluster",
) -> tuple[Fragment, ...]:
    """Return the runs of a summary that its articles hold, from left to right.

    >>> [fragment.length for fragment in fragments(list("aab"), [list("aaab")])]
    [2, 1]
    >>> [fragment.length for fragment in fragments(list("abcd"), [list("AB"), list("cd")])]
    [4]
    >>> fragments(list("aab"), [list("xy"), list("aaab")], matching="exact")
    (Fragment(start=0, length=3, article=1, position=1),)
    """
    one_of("matching", matching, get_args(Matching))
    one_of("scope", scope, get_args(Scope))
    for text in (summary, *articles):
        if isinstance(text, str):
            raise ArgumentError(
                f"{text[:40]!r} is one text, not a list of tokens; articles are a list of such lists"
            )
    # A gap after every article ends what matches there.
    gap = [object()] if scope == "article" else []
    read = _listed if scope == "article" else _lowered
    parts = [[*read(article), *gap] for article in articles]
    offsets = offsets_of(np.array([len(part) for part in parts], dtype=np.int64))
    matches = _matches(read(summary), parts)
    longest = _longest_after_jumps if matching == "greedy" else _longest
    return tuple(_cut(matches, offsets, longest))


@dataclass(frozen=True, slots=True, eq=False)
class _Matches:
    """Where in the joined articles one token of the summary stands, and how far the two agree from there."""

    places: Ints
    lengths: Ints


def _matches(words: list[Hashable], parts: list[list[Hashable]]) -> list[_Matches]:
    """Return the matches of each token of the summary with the joined articles, found from the right.

    A match is one token longer than the match of the next token at the next place.
    """
    id_of = {word: index for index, word in enumerate(dict.fromkeys(words))}
    # -1 stands for every token that the summary lacks.
    ids = np.fromiter((id_of.get(word, -1) for word in chain.from_iterable(parts)), dtype=np.int64)
    places_of = [np.flatnonzero(ids == word) for word in range(len(id_of))]
    # At each place of the articles: how far the summary agrees from the token treated last on.
    agreement = np.zeros(len(ids) + 1, dtype=np.int64)
    matches: list[_Matches] = []
    for word in reversed(words):
        places = places_of[id_of[word]]
        lengths = agreement[places + 1] + 1
        if matches:
            agreement[matches[-1].places] = 0
        agreement[places] = lengths
        matches.append(_Matches(places, lengths))
    return matches[::-1]


def _cut(
    matches: list[_Matches], offsets: Ints, longest: Callable[[_Matches], tuple[int, int]]
) -> Iterator[Fragment]:
    """Yield the fragments; `longest` picks place and length of a token's match, `offsets` begin articles."""
    start = 0
    while start < len(matches):
        if not len(matches[start].places):
            start += 1
            continue
        position, length = longest(matches[start])
        article = int(np.searchsorted(offsets, position, side="right")) - 1
        yield Fragment(start, length, article, position - int(offsets[article]))
        start += length


def _longest(matches: _Matches) -> tuple[int, int]:
    """Return the place and length of the longest match."""
    best = int(matches.lengths.argmax())
    return int(matches.places[best]), int(matches.lengths[best])


def _longest_after_jumps(matches: _Matches) -> tuple[int, int]:
    """Return the place and length of the longest match that Newsroom's search sees."""
    best_position, best_length, search_from = 0, 0, 0
    for position, length in zip(matches.places.tolist(), matches.lengths.tolist(), strict=True):
        if position < search_from:
            continue
        if length > best_length:
            best_position, best_length = position, length
        search_from = position + length
    return best_position, best_length


def _listed(tokens: Tokens) -> list[Hashable]:
    return tokens.tolist() if isinstance(tokens, np.ndarray) else list(tokens)


def _lowered(tokens: Tokens) -> list[Hashable]:
    return [token.lower() if isinstance(token, str) else token for token in _listed(tokens)]
