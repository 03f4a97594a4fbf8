"""Stemmers by name: lower-cased words in, stems out.

`snowball` and `porter` are PyStemmer's: today's Snowball English, and Martin Porter's algorithm as he published it. `snowball-2010` is
Snowball English as the METEOR 1.5 jar has it, `porter-nltk` is NLTK's Porter with NLTK's own changes. ROUGE leaves words of up to
three characters alone: `rouge` is rouge_score's rule over `porter-nltk`, `porter-long` is Perl ROUGE's over `porter`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import Stemmer

from newsdesk.errors import SpecError
from newsdesk.text import porter, snowball

Stem: TypeAlias = Callable[[Sequence[str]], list[str]]

_SHORT = 3  # the longest word that ROUGE does not stem


def _compiled(algorithm: str) -> Stem:
    # A cache would cost more than it saves: each distinct word comes here once.
    compiled = Stemmer.Stemmer(algorithm, 0)
    return lambda words: list(compiled.stemWords(list(words)))


def _long_words_only(stem: Stem) -> Stem:
    """Return a stemmer that leaves words of up to three characters alone."""

    def stems(words: Sequence[str]) -> list[str]:
        stem_of = dict(zip(words, words, strict=True))
        long = [word for word in stem_of if len(word) > _SHORT]
        stem_of.update(zip(long, stem(long), strict=True))
        return [stem_of[word] for word in words]

    return stems


_STEMMERS: dict[str, Callable[[], Stem]] = {
    "snowball": lambda: _compiled("english"),
    "snowball-2010": lambda: snowball.stems,
    "porter": lambda: _compiled("porter"),
    "porter-nltk": lambda: porter.stems,
    "porter-long": lambda: _long_words_only(_compiled("porter")),
    "rouge": lambda: _long_words_only(porter.stems),
}


@functools.cache
def stemmer(name: str) -> Stem:
    """Return the stemmer of this name.

    >>> stemmer("porter")(["elections", "voted", "abdicating"])
    ['elect', 'vote', 'abdic']
    >>> stemmer("rouge")(["was", "votes"])
    ['was', 'vote']
    """
    if name not in _STEMMERS:
        raise SpecError(f"no stemmer is called {name!r}; there are: {', '.join(_STEMMERS)}")
    return _STEMMERS[name]()
