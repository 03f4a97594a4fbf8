"""Porter's stemmer (1980) with NLTK's changes, which rouge_score and NLTK's METEOR use.

Where NLTK's default mode departs from the paper: a dozen irregular words have fixed stems; words of one or two letters stay; *dies* and
*died* keep their e; *-y* becomes *-i* after a consonant only, but then also in *fly*; *-alli* is tried first and its result
stemmed on; *-bli*, *-fulli* and *-logi* are suffixes; a vowel and a consonant alone count as a short syllable, so that *age* keeps its e.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news", "innings": "inning",
    "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "fulli": "ful",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = frozenset(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()
)
_ENDINGS_2, _ENDINGS_3, _ENDINGS_4 = tuple(_STEP_2), tuple(_STEP_3), tuple(_STEP_4)
_VOWELS = frozenset("aeiou")
_ANY_VOWEL = re.compile("[aeiou]")
_VOWEL_CONSONANT = re.compile("[aeiou][^aeiou]")


def stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each lower-cased word.

    >>> stems(["abbeys", "ages", "flying", "additionally"])
    ['abbey', 'age', 'fli', 'addit']
    """
    return [stem(word) for word in words]


def stem(word: str) -> str:
    """Return the stem of one lower-cased word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    if word[-1] == "s":
        word = _without_plural(word)
    if word.endswith(("ed", "ing")):
        word = _without_past(word)
    if word[-1:] == "y" and len(word) > 2 and _is_consonant(word[:-1]):
        word = word[:-1] + "i"
    if word.endswith(_ENDINGS_2):
        word = _step_2(word)
    if word.endswith(_ENDINGS_3):
        suffix = _longest(word, _STEP_3)
        base = word.removesuffix(suffix)
        if _measure(base) > 0:
            word = base + _STEP_3[suffix]
    if word.endswith(_ENDINGS_4):
        suffix = _longest(word, _STEP_4)
        base = word.removesuffix(suffix)
        if _measure(base) > 1 and (suffix != "ion" or base[-1] in "st"):
            word = base
    return _without_final(word)


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _without_past(word: str) -> str:
    """Take step 1b: -ied, -eed, -ed and -ing, and the repairs after the last two."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    base = word[:-2] if word.endswith("ed") else word[:-3]
    if not _ANY_VOWEL.search(_spelled(base)):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:-1] == base[-1] and _is_consonant(base):
        return base if base[-1] in "lsz" else base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_short(base) else base


def _step_2(word: str) -> str:
    """Replace a suffix of `_STEP_2`, -alli first, if enough stands before it."""
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    suffix = _longest(word, _STEP_2)
    base = word.removesuffix(suffix)
    # The l of -logi counts with what stands before it, so that geology and archaeology go the same way.
    measured = word[:-3] if suffix == "logi" else base
    return base + _STEP_2[suffix] if suffix and _measure(measured) > 0 else word


def _without_final(word: str) -> str:
    """Take step 5: a final e, and the second of two l."""
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _ends_short(base)):
            word = base
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word


def _longest(word: str, suffixes: Collection[str]) -> str:
    return next((word[-n:] for n in range(min(7, len(word)), 1, -1) if word[-n:] in suffixes), "")


def _spelled(part: str) -> str:
    """Return the part with every y that acts as a vowel, after a consonant, written as i."""
    if "y" not in part:
        return part
    letters = list(part)
    for index, letter in enumerate(letters):
        if letter == "y" and index and letters[index - 1] not in _VOWELS:
            letters[index] = "i"
    return "".join(letters)


def _measure(part: str) -> int:
    """Return how often a consonant follows a vowel."""
    return len(_VOWEL_CONSONANT.findall(_spelled(part)))


def _is_consonant(part: str) -> bool:
    """Return whether the last letter is a consonant."""
    return _spelled(part)[-1] not in _VOWELS


def _ends_short(part: str) -> bool:
    """Return whether the part ends in consonant, vowel, consonant but w, x, y.

    Or is a vowel and a consonant.
    """
    spelled = _spelled(part)
    if len(part) == 2:
        return spelled[0] in _VOWELS and spelled[1] not in _VOWELS
    return (
        len(part) > 2
        and spelled[-3] not in _VOWELS
        and spelled[-2] in _VOWELS
        and spelled[-1] not in _VOWELS
        and part[-1] not in "wxy"
    )
