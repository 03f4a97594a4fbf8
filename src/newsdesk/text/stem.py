"""Stemmers by name: Snowball's English one and Martin Porter's first, both compiled (PyStemmer)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import Stemmer

from newsdesk.errors import SpecError

_ALGORITHMS = {"snowball": "english", "porter": "porter"}


@functools.cache
def stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """The stemmer of this name: lower-cased words in, stems out.

    >>> stemmer("porter")(["elections", "voted", "abdicating"])
    ['elect', 'vote', 'abdic']
    """
    if name not in _ALGORITHMS:
        raise SpecError(f"no stemmer is called {name!r}; there are: {', '.join(_ALGORITHMS)}")
    # A cache would cost more than it saves: each distinct word comes here once.
    made = Stemmer.Stemmer(_ALGORITHMS[name], 0)
    return lambda words: list(made.stemWords(list(words)))
