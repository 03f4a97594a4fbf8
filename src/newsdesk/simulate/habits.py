"""How readers talk where quality shows in nothing but words that all articles share.

Half of what is said freely are words that lean everywhere: every second one to good comments, the others to poor ones. There are so many that what each
leans to must be learned from a few dozen uses, so more votes always help. Four tenths are words that lean nowhere, of which the readers of one
article come back to ten: they give the article away, and what its comments have in common seems to come from them to who has seen few
articles. The rest are topic words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.draws import ranks, zipf_shares
from newsdesk.simulate.lexicon import Lexicon, Words
from newsdesk.simulate.texts import TOPIC_SHARES, Topic

OWN_WORDS = 10
OWN_POOL = 400

_LEANING_SHARE = 0.5
_OWN_SHARE = 0.4
_LEANING_EXPONENT = 0.3


@dataclass(frozen=True, slots=True)
class Habits:
    """The words of an article's readers: those that lean to good comments everywhere, those that lean to poor ones, and their own."""

    good: Words
    poor: Words
    own: Words


def habits(lexicon: Lexicon, rng: np.random.Generator, leaning: int) -> Habits:
    """The first so many content words lean; the readers' own are drawn from those that follow."""
    end = min(leaning, len(lexicon.content) - OWN_POOL)
    own = lexicon.content[end + rng.choice(OWN_POOL, OWN_WORDS, replace=False)]
    return Habits(lexicon.content[0:end:2], lexicon.content[1:end:2], own)


def habitual_words(
    lexicon: Lexicon,
    about: Topic,
    said: Habits,
    rng: np.random.Generator,
    quality: Floats,
    length: Ints,
) -> tuple[Words, NDArray[np.bool_]]:
    """As `mixed_words`, where quality shows only in which of the leaning words are taken."""
    q = np.repeat(quality, length)
    draw, rank, kind, between = rng.random((4, len(q)))
    free = between >= about.style.between
    leaning = free & (draw < _LEANING_SHARE)
    own = free & ~leaning & (draw < _LEANING_SHARE + _OWN_SHARE)
    good = leaning & (kind < q)
    words = lexicon.function[ranks(zipf_shares(len(lexicon.function), 1.0), rank)]
    words[own] = said.own[(rank[own] * len(said.own)).astype(int)]
    on_topic = free & ~leaning & ~own
    words[on_topic] = about.words[ranks(TOPIC_SHARES, rank[on_topic])]
    for where, pool in ((good, said.good), (leaning & ~good, said.poor)):
        words[where] = pool[ranks(zipf_shares(len(pool), _LEANING_EXPONENT), rank[where])]
    return words, ~free
