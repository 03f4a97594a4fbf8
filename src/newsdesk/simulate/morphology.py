"""English word forms and invented English words: the long tail of the vocabulary, made by rule.

The rules cover regular words only; the word lists of `data/en.txt` hold no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh")


def _s_form(word: str) -> str:
    if word.endswith(_HISSING):
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def _ing(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def _doubled(verb: str) -> str:
    """The verb with its last letter doubled where it is one short syllable: `ban`, `bann`."""
    short = sum(letter in VOWELS for letter in verb) == 1 and verb[-2:-1] in tuple(VOWELS)
    return verb + verb[-1] if short and verb[-1] not in "wxyaeiou" else verb


def noun_forms(noun: str) -> tuple[str, str]:
    """Singular and plural.

    >>> noun_forms("ferry"), noun_forms("crash")
    (('ferry', 'ferries'), ('crash', 'crashes'))
    """
    return noun, _s_form(noun)


def verb_forms(verb: str) -> tuple[str, str, str, str]:
    """Base, third person, past and -ing form.

    >>> verb_forms("ban"), verb_forms("declare")
    (('ban', 'bans', 'banned', 'banning'), ('declare', 'declares', 'declared', 'declaring'))
    """
    return verb, _s_form(verb), _past(verb), _ing(verb)


def adjective_forms(adjective: str) -> tuple[str, str]:
    """The adjective and its adverb.

    >>> adjective_forms("heroic"), adjective_forms("angry")
    (('heroic', 'heroically'), ('angry', 'angrily'))
    """
    if adjective.endswith("ic"):
        return adjective, adjective + "ally"
    if adjective.endswith("le"):
        return adjective, adjective[:-1] + "y"
    if adjective.endswith("y"):
        return adjective, adjective[:-1] + "ily"
    return adjective, adjective + "ly"


def stem(parts: Mapping[str, Sequence[str]], numbers: Iterator[int], syllables: int) -> str:
    """An invented stem of so many syllables, such as `brount` or `sladerm`."""
    letters = []
    for _ in range(syllables):
        for part in ("onsets", "nuclei"):
            letters.append(parts[part][next(numbers) % len(parts[part])])
    return "".join(letters) + parts["codas"][next(numbers) % len(parts["codas"])]


def invented(
    parts: Mapping[str, Sequence[str]], endings: Sequence[str], numbers: Iterator[int]
) -> Iterator[str]:
    """Endless invented words with endings as real ones have them; `-` is none. Some come twice."""
    while True:
        ending = endings[next(numbers) % len(endings)].strip("-")
        yield stem(parts, numbers, 1 + next(numbers) % 2) + ending
