"""What is counted in each sentence of a comment, and the rates that the counts of a comment give.

All counts add up over sentences, so a sentence that counts for less is a smaller term of a sum. A rate is a count per word, per character or per sentence: none grows
with the length of a comment.

What only writing with spaces and capital letters can have is not counted in a language without spaces: there a comma needs no space, and a unit is a character.

Lexicons of phrases by kind (reasons, hedges, insults, …), and their matches in a comment.

Lists are data, `words-en.txt`, `words-zh.txt` and `words-ja.txt`, with the same kinds in each. English phrases are matched by words, Chinese and
Japanese ones by characters; matching is left to right and longest first, without overlap. A phrase may begin with any number (`0年`). Other
languages have no list: all their counts are 0.

The columns of the ranker `argument` with the sign that each weight may have, and the labels that explain its effect.

A column whose weight may go either way would explain nothing to a reader and carries over badly to other comments, so every column has a sign
(`signs.txt`): fitting decides how much a column counts, never in which direction.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections, table
from newsdesk.rankers.argument.vectors import SentenceVectors
from newsdesk.text.ragged import Ragged, WordNumbers

# The place of a number in a phrase, and what stands for one: digits, or a character of Chinese and Japanese.
_NUMBER = "0"
_NUMERAL = re.compile(r"\d+|[一二三四五六七八九十百千万亿億两兩几幾数數半何]")
# Web and mail addresses: what is in them is no wording.
ADDRESS = re.compile(
    r"https?://[^\s\u3000-\u9fff\uff00-\uffef]+"
    r"|(?<![\w@.-])(?:www\.|[\w.+-]+@)[\w-]+\.[\w./?=&%#~+-]*\w"
    r"|(?<![\w.-])[a-zA-Z][\w.-]*\.(?:com|org|net|ca|uk|gov|edu|info|example)\b(?:/[\w./?=&%#~+-]*)?",
    re.ASCII,
)
# What every address holds.
_ADDRESS_SIGN = re.compile(r"https?://|www\.|@|\.(?:com|org|net|ca|uk|gov|edu|info|example)")
# The country, not the pronoun: not in a row of words in capitals.
_COUNTRY = re.compile(r"(?<![A-Z] )\bUS\b(?! [A-Z]{2})")

_LISTED_WORD = re.compile(r"[^\W_]+(?:['.&-][^\W_]+)*|[@%$#&]")
_CHARACTER = re.compile(r"[a-z0-9]+|[^\W_]|[@%$#&]")


class Hit(NamedTuple):
    """A phrase of a kind, from unit `start` to before unit `end`."""

    kind: int
    start: int
    end: int


# First unit of phrases → their second, None where there is none → (the units after it, kind), the longest first.
_Phrases = Mapping[str, Mapping[str | None, Sequence[tuple[tuple[str, ...], int]]]]


@dataclass(frozen=True, slots=True)
class PhraseLexicon:
    """The phrases of a language by their first two units."""

    kinds: tuple[str, ...]
    phrases: _Phrases

    def hits(self, units: Sequence[str]) -> list[Hit]:
        """Return every phrase in a text, from left to right, without overlap."""
        hits: list[Hit] = []
        phrases, last = self.phrases, len(units) - 1
        beginnings = [index for index, unit in enumerate(units) if unit in phrases]
        if _NUMBER in phrases:
            beginnings = [
                index
                for index, unit in enumerate(units)
                if unit in phrases or _NUMERAL.fullmatch(unit)
            ]
        free = 0  # the first unit that no phrase before has taken
        for index in beginnings:
            if index < free:
                continue
            unit = units[index]
            seconds = phrases.get(unit, {})
            hit = None
            # Most units that begin phrases go on otherwise.
            if None in seconds or (index < last and units[index + 1] in seconds):
                hit = self._at(index, unit, units)
            if hit is None and _NUMBER in phrases and _NUMERAL.fullmatch(unit):
                hit = self._at(index, _NUMBER, units)
            if hit is not None:
                free = hit.end
                hits.append(hit)
        return hits

    def _at(self, index: int, first: str, units: Sequence[str]) -> Hit | None:
        """Return the longest phrase that begins at a unit, which is read as `first`."""
        seconds = self.phrases[first]
        start = index + 2
        if start <= len(units):
            for rest, kind in seconds.get(units[index + 1], ()):
                end = start + len(rest)
                if not rest or tuple(units[start:end]) == rest:
                    return Hit(kind, index, end)
        for _, kind in seconds.get(None, ()):
            return Hit(kind, index, index + 1)
        return None


def without_addresses(text: str, instead: str = " ") -> str:
    """Return a text with something else in place of web and mail addresses."""
    return ADDRESS.sub(instead, text) if _ADDRESS_SIGN.search(text) else text


def units_of(text: str, lang: str) -> list[str]:
    """Return the words of a text in lower case, or its characters in a language without spaces.

    Addresses are left out.

    >>> units_of("Don't pay 5 %, e.g. now!", "en"), units_of("不是CD", "zh")
    (["don't", 'pay', '5', '%', 'e.g', 'now'], ['不', '是', 'cd'])
    """
    text = without_addresses(text)
    if not has_spaces(lang):
        return _CHARACTER.findall(text.lower())
    return _LISTED_WORD.findall(
        (_COUNTRY.sub("U.S.", text) if "US" in text else text).lower().replace("’", "'")
    )


def unit_spans(text: str, lang: str) -> list[tuple[int, int]]:
    """Return where each unit of `units_of` stands in the text.

    >>> unit_spans("See www.a.org: don’t!", "en")
    [(0, 3), (15, 20)]
    """
    blank = ADDRESS.sub(lambda address: " " * len(address[0]), text)
    small = blank.lower()
    if len(small) != len(blank):
        # One character for one: a letter whose small form is longer would move all that follows.
        small = "".join(char.lower() if len(char.lower()) == 1 else char for char in blank)
    pattern = _LISTED_WORD if has_spaces(lang) else _CHARACTER
    return [match.span() for match in pattern.finditer(small.replace("’", "'"))]


@functools.cache
def lexicon(lang: str) -> PhraseLexicon:
    """Return the lexicon of a language; empty for a language without lists."""
    lists = sections("rankers", f"words-{lang if lang in LISTED else 'en'}.txt")
    every: list[tuple[tuple[str, ...], int]] = []  # units of a phrase, kind
    if lang in LISTED:
        every = [
            (tuple(units_of(line, lang)), kind)
            for kind, lines in enumerate(lists.values())
            for line in lines
        ]
    phrases: dict[str, dict[str | None, list[tuple[tuple[str, ...], int]]]] = {}
    for (first, *rest), kind in sorted(every, key=lambda entry: -len(entry[0])):
        second = rest[0] if rest else None
        phrases.setdefault(first, {}).setdefault(second, []).append((tuple(rest[1:]), kind))
    return PhraseLexicon(tuple(lists), phrases)


NEIGHBOURS = ("nearest comment", "other comments", "three nearest", "title")


@dataclass(frozen=True, slots=True)
class SignColumn:
    """A column of the ranker: its name, the sign of its weight, what it is about, and labels of its effects.

    There is a label of a positive and of a negative effect; a rate has one, of its presence. Opposite effects about the same thing contradict each other.
    """

    name: str
    sign: int
    about: str
    labels: tuple[str, ...]

    @property
    def is_rate(self) -> bool:
        """True if the column counts something that a comment may lack altogether."""
        return len(self.labels) == 1

    def label(self, effect: float) -> str:
        """Return what a reader is told of an effect of this column."""
        return self.labels[0] if self.is_rate or effect > 0 else self.labels[1]


@functools.cache
def columns() -> tuple[SignColumn, ...]:
    """Return all columns, in the order of the weights."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table("rankers", "signs.txt")]
    return tuple(
        SignColumn(name, 1 if sign == "+" else -1, about, tuple(labels))
        for name, sign, about, *labels in rows
    )


# Counts that other counts are divided by.
_SIZES = ("characters", "units", "words", "sentences")
_MARKS = (
    "exclamation",
    "question mark",
    "comma",
    "colon",
    "ellipsis",
    "capitals",
    "digits",
    "percent",
    "money",
    "year",
    "doubled marks",
    "punctuation",
    "word size",
    "long words",
    "short sentences",
    "full stop",
    "small starts",
    "missing space",
)
_WORDS = ("small i", "stretched words", "careless spelling", "cut words", "shattered words")
_OF_SPACED_WORDS = (
    *("capitals", "word size", "long words", "small starts", "missing space"),
    *("small i", "stretched words"),
)
_PER = {
    "digits": "characters",
    "punctuation": "characters",
    "short sentences": "sentences",
    "full stop": "sentences",
    "small starts": "sentences",
    **dict.fromkeys(("missing space", *_WORDS), "words"),
}

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DOUBLED = re.compile(r"[!?]{2,}")
# Not the comma of 20,000, the colon of 7:30 or of an address, nor a smiley.
_COMMA = re.compile(r"[,、](?!(?<=\d.)\d)")
_COLON = re.compile(r"[;:](?![\d/()-])")
CAPITALS = re.compile(r"\b[A-Z]{2,}(?: (?:[AI] )?[A-Z]{2,})*\b")
# Those within a word or a number are no marks. The set of characters stands first in a pattern, or the engine would try the rest of it at every letter.
_MARK = re.compile(r"[^\w\s](?<!(?<=[A-Za-z])['-](?=[A-Za-z]))(?<!(?<=\d)[.,:](?=\d))")
# The dots of an ellipsis are one mark where they are one character.
_MARK_UNSPACED = re.compile(_MARK.pattern + r"(?<!\.(?=\.))")
_DIGIT = re.compile(r"\d")
_ELLIPSES = re.compile("……+")
# The digits of a number, not of a name such as C7.
_DIGITS = re.compile(r"(?<![A-Za-z\d])\d+")
_PERCENT = re.compile(r"(?<=\d)\s?%")
_MONEY = re.compile(r"[$€£¥]\s?(?=\d)|(?<=\d)\s?[$€£¥]")
# Not the letters of 2nd or C3PO.
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?:'[^\W\d_]+)*(?![^\W_])")
_FIRST = re.compile(r"[^\W\d_]+")
STRETCHED = re.compile(r"([^\W\d_])\1\1")
# Neither a smiley, nor the marks of .5 and !=.
MISPLACED = re.compile(
    r"[,.!?;:](?<![:;](?=[-()]))(?<!\.(?=\d))(?<!!(?==))(?:(?<=\s.)|(?=[^\W\d_]))"
)
# Abbreviations such as U.S. and e.g., whose points have no space after them.
POINTED = re.compile(r"\b(?:[A-Za-z]\.){2,}|\b(?:[A-Za-z]\.)+[A-Za-z]\b")
# What may stand behind the mark that ends a sentence.
_CLOSING = "\"'”’」』)],， "
_LONG_WORD, _SHORT_SENTENCE = 7, 4
_SHORT_UNSPACED = 8  # characters
# Longer words in capitals are no abbreviations, nor are so many in a row.
_LONG_SHOUT, _MANY_SHOUTS = 6, 3
# A longer string is no word, and slow to tokenize.
_MOST_LETTERS = 40
_CUT, _SHATTERED = 1, 2  # a word of more pieces is cut, or shattered


def names_of(lang: str) -> tuple[str, ...]:
    """Return the names of the counts, in the order of `count`."""
    return (*_SIZES, *_MARKS, *_WORDS, *lexicon(lang).kinds)


@dataclass(slots=True)
class WordSigns:
    """The counts of `_WORDS` that each word adds to its sentence; a word is looked at once."""

    vectors: SentenceVectors
    lang: str
    _numbers: WordNumbers = field(default_factory=WordNumbers)
    _signs: Floats = field(default_factory=lambda: np.zeros((0, len(_WORDS))))  # words × signs

    def sums(self, words: Sequence[Sequence[str]]) -> Floats:
        """Return the counts per sentence, of the words of each sentence."""
        numbered = Ragged.number(words, self._numbers)
        new = list(islice(self._numbers, len(self._signs), None))
        if new:
            self._signs = np.vstack([self._signs, self._signs_of(new)])
        added = self._signs[numbered.ids]  # words × signs
        return np.stack(
            [np.bincount(numbered.rows, column, len(words)) for column in added.T], axis=1
        )

    def _signs_of(self, words: Sequence[str]) -> Floats:
        """Return what each word adds: words × signs."""
        careless: frozenset[str] = frozenset()
        if self.lang == "en":
            careless = frozenset(sections("rankers", "care-en.txt")["careless"])
        lower = [word[:_MOST_LETTERS].lower() for word in words]
        # The tokenizer cuts contractions too: that `it's` counts as cut tells a casual comment from others, and the label says it.
        pieces = self.vectors.pieces(lower)[:, 0]
        signs = [
            [word == "i" for word in words],
            [len(STRETCHED.findall(word)) for word in words],
            [word in careless for word in lower],
            pieces > _CUT,
            pieces > _SHATTERED,
        ]
        return np.stack([np.asarray(column, dtype=np.float64) for column in signs], axis=1)


def count(
    texts: Sequence[str],
    units: Sequence[Sequence[str]],
    hits: Sequence[Sequence[Hit]],
    signs: WordSigns,
    small: AbstractSet[str],
) -> Floats:
    """Return the counts of sentences, one row each.

    `units` are their words, `hits` the phrases of the lexicon in them, and `small` words that are
    known in small letters. The columns are those of `names_of`.
    """
    lang = signs.lang
    plain = [_plain(text) for text in texts]
    words = [_WORD.findall(_without_points(text, "")) for text in plain]
    mark = _MARK if has_spaces(lang) else _MARK_UNSPACED
    sentences = zip(plain, units, texts, words, strict=True)
    rows = [
        _marks(text, own_units, len(whole), len(own_words), small, mark)
        for text, own_units, whole, own_words in sentences
    ]
    # Sentences × sizes and marks.
    marks = np.array(rows, dtype=np.float64).reshape(len(texts), len(_SIZES) + len(_MARKS))
    # Number of the sentence and of the kind of each phrase, in one.
    kinds = len(lexicon(lang).kinds)
    codes = [row * kinds + hit.kind for row, own in enumerate(hits) for hit in own]
    phrases = np.bincount(np.array(codes, dtype=np.int64), minlength=len(texts) * kinds)
    # Sentences × counts.
    counts = np.hstack([marks, signs.sums(words), phrases.reshape(len(texts), kinds)])
    if not has_spaces(lang):
        column_of = {name: column for column, name in enumerate(names_of(lang))}
        counts[:, [column_of[name] for name in _OF_SPACED_WORDS]] = 0.0
        short = counts[:, column_of["units"]] < _SHORT_UNSPACED  # sentences
        counts[:, column_of["short sentences"]] = short
    return counts


def _plain(text: str) -> str:
    """Return a sentence as marks are counted in it: addresses as one letter, compatible characters as one."""
    if "……" in text:
        # In Chinese and Japanese an ellipsis is two characters, of three points each.
        text = _ELLIPSES.sub("…", text)
    text = without_addresses(text, "X")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    return text.strip()


def _without_points(text: str, instead: str) -> str:
    """Return a sentence with something else in place of abbreviations such as U.S. and e.g."""
    # All of them have a point that is not the end.
    return POINTED.sub(instead, text) if text.find(".", 0, -1) >= 0 else text


def _marks(
    text: str,
    units: Sequence[str],
    size: int,
    words: int,
    small: AbstractSet[str],
    mark: re.Pattern[str],
) -> tuple[float, ...]:
    """Return the sizes of a sentence and the counts of its marks, in the order of `_SIZES` and `_MARKS`.

    `size` is its length in characters, to which the space after it is added; `words` is their number,
    and `mark` the pattern of punctuation.
    """
    first, last = _FIRST.match(text), text.rstrip(_CLOSING)[-1:]
    exclamations, questions = text.count("!"), text.count("?")
    # A pattern costs more than everything else here: those that need a digit or two marks are left out without them.
    has_digits = _DIGIT.search(text) is not None
    punctuation = len(mark.findall(text))
    ended = not punctuation or (
        punctuation == 1 and text[-1] in ".!?" and not text[-2:-1].isspace()
    )
    return (
        size + 1,
        len(units),
        words,
        1,
        exclamations - text.count("!="),  # not those of program code
        questions,
        len(_COMMA.findall(text)) if "," in text or "、" in text else 0,
        len(_COLON.findall(text)) if ":" in text or ";" in text else 0,
        text.count(".."),
        0 if text[1:].islower() else shouted(text, small),
        sum(map(len, _DIGITS.findall(text))) if has_digits else 0,
        len(_PERCENT.findall(text)) if has_digits else 0,
        len(_MONEY.findall(text)) if has_digits else 0,
        len(_YEAR.findall(text)) if has_digits else 0,
        len(_DOUBLED.findall(text)) if exclamations + questions > 1 else 0,
        punctuation,
        sum(map(len, units)),
        sum(len(unit) > _LONG_WORD for unit in units),
        text.count(" ") < _SHORT_SENTENCE,
        last in (".", "!", "?", "。"),
        first is not None and first[0].islower(),
        # No mark is in a wrong place where the only one is at the end, without a space before it.
        0 if ended else len(MISPLACED.findall(_without_points(text, "x"))),
    )


def shouted(text: str, small: AbstractSet[str]) -> int:
    """Return the number of shouted words: three or more capitals, and no abbreviation.

    Words in capitals shout together if one of them is known in small letters or long, or if they are many.

    >>> shouted("The ABC did NOTHING. STOP THE RCMP", {"nothing", "stop", "the"})
    4
    """
    count = 0
    for run in CAPITALS.findall(text):
        long = [word for word in run.split() if len(word) > 2]
        shouts = any(len(word) >= _LONG_SHOUT or word.lower() in small for word in long)
        if shouts or run.count(" ") >= _MANY_SHOUTS - 1:
            count += len(long)
    return count


def rates(sums: Floats, lang: str) -> Floats:
    """Return the columns of wording for comments whose counts are `sums`.

    They are in the order of `columns`, without the neighbours.
    """
    place_of = {name: column for column, name in enumerate(names_of(lang))}
    names = [column.name for column in columns() if column.name not in NEIGHBOURS]
    counted = sums[:, [place_of[name] for name in names]]  # comments × columns of wording
    sizes = sums[:, [place_of[_PER.get(name, "units")] for name in names]]
    return counted / np.maximum(sizes, 1e-9)
