"""The words of a language, by rank (written ones first, a long tail made from them or by rule), and how they are drawn.

A set is a few words that mean the same here, so that two articles can report one fact in other words. English gets invented words
with real endings; Chinese and Japanese get compounds of two written nouns. The lexicon is the same for every seed, as a language is.

English word forms and invented English words follow rules that cover regular words only; the word lists of `data/en.txt` hold no others.

Everything random in a world comes from a named stream of its seed (`world_stream`); words and names are drawn by Zipf's law.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import SpecError
from newsdesk.languages import LISTED
from newsdesk.packaged import sections
from newsdesk.streams import blake2b, stream

_CHUNK = 128

world_stream = functools.partial(stream, digest=blake2b)


def whole_numbers(rng: np.random.Generator) -> Iterator[int]:
    """Yield random integers without end, drawn in blocks: one at a time costs fifty times as much."""
    while True:
        yield from rng.integers(0, 1 << 40, _CHUNK).tolist()


@functools.cache
def zipf_shares(count: int, exponent: float) -> Floats:
    """Return the cumulated shares of ranks whose frequencies fall as rank to the power of -exponent."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.cumsum(weights) / weights.sum()


def ranks(shares: Floats, uniforms: Floats) -> Ints:
    """Return the rank, from 0, of each uniform number in [0, 1), by cumulated shares."""
    return np.minimum(np.searchsorted(shares, uniforms, side="right"), len(shares) - 1)


VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh")

GENERAL = "general"
Forms = tuple[str, ...]
Words = NDArray[Any]
_INVENTED = {"nouns": 7000, "verbs": 900, "adjectives": 900}
_COMPOUNDS = 2500


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
    """Return the verb with its last letter doubled where it is one short syllable: `ban`, `bann`."""
    short = sum(letter in VOWELS for letter in verb) == 1 and verb[-2:-1] in tuple(VOWELS)
    return verb + verb[-1] if short and verb[-1] not in "wxyaeiou" else verb


def noun_forms(noun: str) -> tuple[str, str]:
    """Return singular and plural.

    >>> noun_forms("ferry"), noun_forms("crash")
    (('ferry', 'ferries'), ('crash', 'crashes'))
    """
    return noun, _s_form(noun)


def verb_forms(verb: str) -> tuple[str, str, str, str]:
    """Return base, third person, past and -ing form.

    >>> verb_forms("ban"), verb_forms("declare")
    (('ban', 'bans', 'banned', 'banning'), ('declare', 'declares', 'declared', 'declaring'))
    """
    return verb, _s_form(verb), _past(verb), _ing(verb)


def adjective_forms(adjective: str) -> tuple[str, str]:
    """Return the adjective and its adverb.

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
    """Return an invented stem of so many syllables, such as `brount` or `sladerm`."""
    letters = []
    for _ in range(syllables):
        for sounds in (parts["onsets"], parts["nuclei"]):
            letters.append(sounds[next(numbers) % len(sounds)])
    return "".join(letters) + parts["codas"][next(numbers) % len(parts["codas"])]


def invented(
    parts: Mapping[str, Sequence[str]], endings: Sequence[str], numbers: Iterator[int]
) -> Iterator[str]:
    """Yield invented words without end, with real endings (`-` is none); some come twice."""
    while True:
        ending = endings[next(numbers) % len(endings)].strip("-")
        yield stem(parts, numbers, 1 + next(numbers) % 2) + ending


@dataclass(frozen=True, slots=True)
class WorldLexicon:
    """The words and sentence patterns of one language."""

    lang: str
    categories: tuple[str, ...]
    nouns: tuple[tuple[Forms, ...], ...]  # sets of synonyms, each in its forms
    verbs: tuple[tuple[Forms, ...], ...]
    adjectives: tuple[tuple[Forms, ...], ...]
    nouns_of: Mapping[str, Ints]  # category → noun sets, by rank
    content: Words  # all forms of content words, by rank
    function: Words
    patterns: Mapping[str, tuple[str, ...]]  # section of the language's file → patterns or words
    marks: Mapping[str, Words]  # words of a tone, constructive or shouting

    @property
    def space(self) -> str:
        """The separator of words: a space, or nothing."""
        return " " if self.lang == "en" else ""

    @property
    def stop(self) -> str:
        """The mark that ends a sentence in this language."""
        return "." if self.lang == "en" else "。"

    @property
    def shout(self) -> str:
        """The mark that ends an exclamation in this language."""
        return "!" if self.lang == "en" else "！"

    def name(self, kind: str, numbers: Iterator[int]) -> str:
        """Return an invented person, organization or place."""
        if self.lang == "en":
            return _english_name(self.patterns, kind, numbers)
        dot = "·" if self.lang == "zh" else "・"
        return _syllable_name(self.patterns, kind, numbers, dot)


@functools.cache
def lexicon(lang: str) -> WorldLexicon:
    """Return the lexicon of a language, built once."""
    if lang not in LISTED:
        raise SpecError(f"no lexicon for language {lang!r}; there are: {', '.join(LISTED)}")
    lists = sections("simulate", f"{lang}.txt")
    # A line of a pattern section is one pattern; elsewhere lines only break rows of words.
    patterns = {
        name: lines if _is_pattern(name) else _words(lines) for name, lines in lists.items()
    }
    home, nouns = _written_nouns(lists)
    numbers = whole_numbers(world_stream(f"lexicon {lang}", 0))
    sets = {
        "nouns": nouns,
        "verbs": [tuple(line.split()) for line in lists["verbs"]],
        "adjectives": [tuple(line.split()) for line in lists["adjectives"]],
    }
    if lang == "en":
        _add_invented(sets, patterns, numbers)
    else:
        nouns += _compounds(nouns, numbers)
    categories = tuple(name for name in home if name != GENERAL)
    forms = {
        kind: tuple(_inflected(lang, kind, synonyms) for synonyms in sets[kind]) for kind in sets
    }
    return WorldLexicon(
        lang,
        categories,
        nouns=forms["nouns"],
        verbs=forms["verbs"],
        adjectives=forms["adjectives"],
        nouns_of=_nouns_of(home, len(forms["nouns"])),
        content=_by_rank(forms),
        function=np.array(patterns["function"], dtype=object),
        patterns=patterns,
        marks={
            kind: np.array(patterns[kind], dtype=object) for kind in ("constructive", "shouting")
        },
    )


def _is_pattern(section: str) -> bool:
    sentences = (
        "summaries",
        "facts",
        "clauses",
        "fillers",
        "updates",
        "follows",
        "titles",
        "stories",
    )
    return section in (*sentences, "stock", "outlets", "organizations")


def _words(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for line in lines for word in line.split())


def _written_nouns(
    words_of: Mapping[str, tuple[str, ...]],
) -> tuple[dict[str, list[int]], list[tuple[str, ...]]]:
    """Return the numbers of each category's noun sets, and the sets.

    They come in turn from all categories, so that rank does not depend on category.
    """
    lines = {
        name.removeprefix("nouns "): [tuple(line.split()) for line in own_sets]
        for name, own_sets in words_of.items()
        if name.startswith("nouns ")
    }
    home: dict[str, list[int]] = {name: [] for name in lines}
    sets: list[tuple[str, ...]] = []
    for turn in range(max(map(len, lines.values()))):
        for name, own_sets in lines.items():
            if turn < len(own_sets):
                home[name].append(len(sets))
                sets.append(own_sets[turn])
    return home, sets


def _add_invented(
    sets: Mapping[str, list[tuple[str, ...]]],
    patterns: Mapping[str, tuple[str, ...]],
    numbers: Iterator[int],
) -> None:
    """Add sets of one to three invented words; no word twice, none that is a function word."""
    seen = {word for own_sets in sets.values() for words in own_sets for word in words}
    seen.update(patterns["function"])
    for kind, count in _INVENTED.items():
        source = invented(patterns, patterns[f"{kind[:-1]} endings"], numbers)
        fresh = _unseen(source, seen)
        sets[kind].extend(tuple(islice(fresh, 1 + next(numbers) % 3)) for _ in range(count))


def _unseen(words: Iterator[str], seen: set[str]) -> Iterator[str]:
    for word in words:
        if word not in seen:
            seen.add(word)
            yield word


def _compounds(nouns: list[tuple[str, ...]], numbers: Iterator[int]) -> list[tuple[str, ...]]:
    """Return new noun sets: the first word of one set before each word of another."""
    compounds: dict[tuple[str, ...], None] = {}
    while len(compounds) < _COMPOUNDS:
        first, second = (nouns[next(numbers) % len(nouns)] for _ in range(2))
        if first != second:
            compounds[tuple(first[0] + word for word in second)] = None
    return list(compounds)


def _inflected(lang: str, kind: str, words: tuple[str, ...]) -> tuple[Forms, ...]:
    if lang != "en":
        return tuple((word,) * {"nouns": 2, "verbs": 4, "adjectives": 2}[kind] for word in words)
    rule = {"nouns": noun_forms, "verbs": verb_forms, "adjectives": adjective_forms}[kind]
    return tuple(rule(word) for word in words)


def _nouns_of(home: Mapping[str, list[int]], total: int) -> dict[str, Ints]:
    """Return the noun sets of each category by rank: its own, the general ones, its share of the tail."""
    written = sum(map(len, home.values()))
    names = [name for name in home if name != GENERAL]
    return {
        name: np.array(
            [*home[name], *home[GENERAL], *range(written + turn, total, len(names))], dtype=np.int64
        )
        for turn, name in enumerate(names)
    }


def _by_rank(forms: Mapping[str, tuple[tuple[Forms, ...], ...]]) -> Words:
    """Return every form once, the three kinds mixed in proportion to their numbers."""
    placed = [
        (rank / len(sets), kind, form)
        for kind, sets in forms.items()
        for rank, words in enumerate(sets)
        for word in words
        for form in word
    ]
    placed.sort(key=lambda entry: entry[:2])
    return np.array(list(dict.fromkeys(form for _, _, form in placed)), dtype=object)


def _english_name(
    patterns: Mapping[str, tuple[str, ...]], kind: str, numbers: Iterator[int]
) -> str:
    first = stem(patterns, numbers, 1).capitalize()
    if kind == "person":
        return f"{first} {stem(patterns, numbers, 2).capitalize()}"
    endings = patterns["place endings"]
    town = first + endings[next(numbers) % len(endings)]
    if kind == "place":
        return town
    return f"{town} {patterns['organizations'][next(numbers) % len(patterns['organizations'])]}"


def _syllable_name(
    patterns: Mapping[str, tuple[str, ...]], kind: str, numbers: Iterator[int], dot: str
) -> str:
    syllables = patterns["name syllables"]

    def word(length: int) -> str:
        return "".join(syllables[next(numbers) % len(syllables)] for _ in range(length))

    if kind == "person":
        return f"{word(2)}{dot}{word(3)}"
    endings = patterns["organizations" if kind == "organization" else "place endings"]
    return word(3) + endings[next(numbers) % len(endings)]


def content_words(
    lexicon: WorldLexicon, rng: np.random.Generator, count: int, exponent: float
) -> Words:
    """Draw content words by their rank, as off-topic talk is made of."""
    shares = zipf_shares(len(lexicon.content), exponent)
    return lexicon.content[ranks(shares, rng.random(count))]
