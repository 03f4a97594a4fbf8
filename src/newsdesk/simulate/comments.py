"""The wording of comments: texts of known quality, cut to a length in characters, with sentences and marks of tone.

Length is fixed before a word is drawn, so quality shows in it only as far as a preset wants. What gives quality away in the words is what
was found on real comments: arguments and proposals on one side, insults, absolutes and exclamation marks on the other.
"""

from __future__ import annotations

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.habits import Habits, habitual_words
from newsdesk.simulate.lexicon import Lexicon, Words
from newsdesk.simulate.texts import Topic, mixed_words, openings

_MARK_SHARE = 0.12
_FEW_MARKS = 0.02
_SENTENCE_END = 1 / 14
_SHOUT_SHARE = 0.4
# Below what a word and its space take on average, so that the words drawn are enough.
_FEW_CHARACTERS = {"en": 4.5, "zh": 1.5, "ja": 1.5}
_SPARE_WORDS = 6


def comment_texts(
    lexicon: Lexicon,
    about: Topic,
    rng: np.random.Generator,
    quality: Floats,
    characters: Floats,
    said: Habits | None = None,
) -> list[str]:
    """One comment for each quality, about so many characters long; with habits quality shows in shared words instead of insights."""
    starts = openings(about, rng, quality)
    space = len(lexicon.space)
    taken = [sum(len(word) + space for word in start) for start in starts]
    wanted = np.maximum(characters - taken, 0)
    drawn = (wanted / _FEW_CHARACTERS[lexicon.lang]).astype(np.int64) + _SPARE_WORDS
    if said:
        words, function = habitual_words(lexicon, about, said, rng, quality, drawn)
    else:
        words, function = mixed_words(lexicon, about, rng, quality, drawn)
    share = _FEW_MARKS if said else _MARK_SHARE
    _set_tone(lexicon, rng, words, function, np.repeat(quality, drawn), share)
    lengths = _cut_lengths(words, drawn, wanted, space)
    ends = rng.random(len(words)) < _SENTENCE_END
    loud = rng.random(len(quality)) < _SHOUT_SHARE * (1 - quality)
    flat, closes = words.tolist(), ends.tolist()
    texts = []
    first = 0
    for start, count, keep, shout in zip(
        starts, drawn.tolist(), lengths.tolist(), loud.tolist(), strict=True
    ):
        spoken = [*start, *flat[first : first + keep]] or [flat[first]]
        breaks = [*[False] * len(start), *closes[first : first + keep]]
        texts.append(_punctuated(lexicon, spoken, breaks, lexicon.shout if shout else lexicon.stop))
        first += count
    return texts


def _set_tone(
    lexicon: Lexicon,
    rng: np.random.Generator,
    words: Words,
    function: np.ndarray[tuple[int], np.dtype[np.bool_]],
    quality: Floats,
    share: float,
) -> None:
    """Put marks of tone in the place of some function words."""
    places = np.flatnonzero(function & (rng.random(len(words)) < share))
    good = rng.random(len(places)) < quality[places]
    for kind, where in (("constructive", places[good]), ("shouting", places[~good])):
        marks = lexicon.marks[kind]
        words[where] = marks[rng.integers(0, len(marks), len(where))]


def _cut_lengths(words: Words, drawn: Ints, wanted: Floats, space: int) -> Ints:
    """How many of its words each text keeps to come nearest to its length."""
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + space
    ends = np.cumsum(sizes)
    starts = np.concatenate([[0], ends])[np.cumsum(drawn) - drawn]
    middle = ends - sizes / 2 - np.repeat(starts, drawn)
    keep = middle < np.repeat(wanted, drawn)
    return np.add.reduceat(keep, np.cumsum(drawn) - drawn, dtype=np.int64)


def _punctuated(lexicon: Lexicon, words: list[str], breaks: list[bool], last: str) -> str:
    """Words as sentences."""
    stop = lexicon.stop
    closed = [word + stop if end else word for word, end in zip(words[:-1], breaks, strict=False)]
    text = lexicon.space.join([*closed, words[-1] + last])
    if not lexicon.space:
        return text
    return ". ".join(part[:1].upper() + part[1:] for part in text.split(". "))
