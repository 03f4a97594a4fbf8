"""The Snowball English stemmer (Martin Porter's second, 2001) as it stood about 2010, and stands in the METEOR 1.5 jar.

Snowball 3, which PyStemmer wraps, has changed it since: *university* and *universal*, *organization* and *organ*, *evening* and *even*
no longer share a stem, *added* is *add* and not *ad*. So `stems` lets PyStemmer do the words on which both agree, and runs the old
algorithm, written out below after http://snowball.tartarus.org/algorithms/english/stemmer.html, on those whose rules changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

import Stemmer

_VOWELS = frozenset("aeiouy")
_DOUBLES = frozenset("bb dd ff gg mm nn pp rr tt".split())
_BEFORE_LI = frozenset("cdeghkmnrt")
_WHOLE_WORDS = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
    "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_DONE_AFTER_PLURAL = frozenset(
    "inning outing canning herring earring proceed exceed succeed".split()
)
_REGION_PREFIXES = ("gener", "commun", "arsen")
_STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize", "ization": "ize",
    "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "ogi": "og",
    "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "",
    "ness": "", "ative": "",
}  # fmt: skip
_STEP_4 = frozenset(
    "al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split()
)
# A wide net: words Snowball 3 may treat otherwise. Where both agree, running the old algorithm only costs time.
_CHANGED_SINCE = re.compile(
    r"'?(?:univers|later|emerg|organ|inter|past|even|skis|outing|canning|inning)"
    r"|'?[aeiouy](?:bb|dd|ff|gg|mm|nn|pp|rr|tt)(?:ed|ing)"
    r"|.*(?:ogist|eed|'|y)"
)


def stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each lower-cased word.

    >>> stems(["university", "cats", "added"])
    ['univers', 'cat', 'ad']
    """
    new = Stemmer.Stemmer("english", 0).stemWords(list(words))
    return [
        stem(word) if _CHANGED_SINCE.match(word) else stemmed
        for word, stemmed in zip(words, new, strict=True)
    ]


def stem(word: str) -> str:
    """Return the stem of one lower-cased word, by the old algorithm alone."""
    if len(word) <= 2:
        return word
    if word in _WHOLE_WORDS:
        return _WHOLE_WORDS[word]
    word = _mark_consonant_y(word.removeprefix("'"))
    r1, r2 = _regions(word)
    word = _without_plural(_without_possessive(word))
    if word in _DONE_AFTER_PLURAL:
        return word
    word = _without_past(word, r1)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _without_suffixes(word, r1, r2)
    return _without_final(word, r1, r2).replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """Write a y that acts as a consonant, at the start or after a vowel, as Y."""
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (index == 0 or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: after the first consonant that follows a vowel, once and once more."""
    prefix = next((prefix for prefix in _REGION_PREFIXES if word.startswith(prefix)), None)
    r1 = len(prefix) if prefix else _after_vowel_consonant(word, 0)
    return r1, _after_vowel_consonant(word, r1)


def _after_vowel_consonant(word: str, start: int) -> int:
    for index, (first, second) in enumerate(pairwise(word[start:])):
        if first in _VOWELS and second not in _VOWELS:
            return start + index + 2
    return len(word)


def _without_possessive(word: str) -> str:
    suffix = next((suffix for suffix in ("'s'", "'s", "'") if word.endswith(suffix)), "")
    return word.removesuffix(suffix)


def _without_plural(word: str) -> str:
    """Take step 1a: -sses, -ied, -ies and -s."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _without_past(word: str, r1: int) -> str:
    """Take step 1b: -eed, -ed, -ing and their adverbs; `r1` is where the region R1 begins."""
    suffix = _longest(word, ("eedly", "ingly", "edly", "eed", "ing", "ed"))
    if not suffix:
        return word
    base = word.removesuffix(suffix)
    if suffix in ("eed", "eedly"):
        return base + "ee" if len(base) >= r1 else word
    if not _has_vowel(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:] in _DOUBLES:
        return base[:-1]
    return base + "e" if r1 >= len(base) and _ends_short(base) else base


def _without_suffixes(word: str, r1: int, r2: int) -> str:
    """Take steps 2 to 4: the longest suffix of each table, if it lies in its region."""
    suffix = _longest(word, _STEP_2)
    base = word.removesuffix(suffix)
    # Letters that must stand before the suffix; None: any.
    before: Collection[str] | None = {"ogi": "l", "li": _BEFORE_LI}.get(suffix)
    if suffix and len(base) >= r1 and (before is None or (base and base[-1] in before)):
        word = base + _STEP_2[suffix]
    suffix = _longest(word, _STEP_3)
    base = word.removesuffix(suffix)
    if suffix and len(base) >= (r2 if suffix == "ative" else r1):
        word = base + _STEP_3[suffix]
    suffix = _longest(word, _STEP_4)
    base = word.removesuffix(suffix)
    if suffix and len(base) >= r2 and (suffix != "ion" or base[-1:] in ("s", "t")):
        word = base
    return word


def _without_final(word: str, r1: int, r2: int) -> str:
    """Take step 5: a final e or l."""
    base = word[:-1]
    if word.endswith("e") and (len(base) >= r2 or (len(base) >= r1 and not _ends_short(base))):
        return base
    if word.endswith("ll") and len(base) >= r2:
        return base
    return word


def _longest(word: str, suffixes: Collection[str]) -> str:
    return next((word[-n:] for n in range(min(7, len(word)), 1, -1) if word[-n:] in suffixes), "")


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_short(part: str) -> bool:
    """Return whether the part ends in consonant, vowel, consonant but w, x, Y.

    Or is a vowel and a consonant.
    """
    if len(part) == 2:
        return part[0] in _VOWELS and part[1] not in _VOWELS
    return (
        len(part) > 2
        and part[-3] not in _VOWELS
        and part[-2] in _VOWELS
        and part[-1] not in _VOWELS
        and part[-1] not in "wxY"
    )
