"""Detects repetition: a comment that starts over, and repeated sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

# An overlap below this many characters is taken for coincidence, unless the whole text is repeated.
_LEAST_OVERLAP = 20
_LEAST_TEXT = 12
_LEAST_SENTENCE = 8
_MARKS = re.compile(r"\W+")


def once(text: str) -> str:
    """The text without its tail, where that repeats the text from the start; spaces and case do not matter.

    >>> once("No new taxes, please. No new taxes, please. No new")
    'No new taxes, please.'
    >>> once("To be or not to be")
    'To be or not to be'
    """
    packed = "".join(text.split()).lower()
    size = len(packed)
    if size < _LEAST_TEXT or packed.find(packed[: _LEAST_TEXT // 2], 1) < 0:
        return text
    places = [place for place, character in enumerate(text) if not character.isspace()]
    if len(places) != size:  # a few letters are two in lower case
        return text
    overlap = _border(packed)
    period = size - overlap
    if overlap < _LEAST_OVERLAP and 2 * period > size:
        return text
    return text[: places[period - 1] + 1]


def is_new(sentences: Sequence[str]) -> list[bool]:
    """For each sentence, True unless it occurred before; very short ones always count as new."""
    seen: set[str] = set()
    flags: list[bool] = []
    for sentence in sentences:
        letters = _MARKS.sub("", sentence.lower())
        flags.append(len(letters) < _LEAST_SENTENCE or letters not in seen)
        seen.add(letters)
    return flags


def _border(text: str) -> int:
    """The length of the longest proper beginning that is also the end (Knuth, Morris and Pratt)."""
    borders = [0] * len(text)
    size = 0
    for place in range(1, len(text)):
        while size and text[place] != text[size]:
            size = borders[size - 1]
        size += text[place] == text[size]
        borders[place] = size
    return borders[-1]
