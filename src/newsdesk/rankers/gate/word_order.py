"""Tell text from words in a random order, by the likelihood of its pairs of neighbouring words.

Frequent words are classes of their own, the others are classed by their ending; in Chinese and Japanese characters of grammar are, and the others are classed by their script (class bigrams,
Brown et al. 1992, with classes by rule). The plausibility of a text is the mean pointwise mutual information of its different pairs of neighbouring classes: positive in text that somebody wrote, near zero or below in words
that were shuffled. The tables `order-*.npz` are made by `python -m training.fit_order`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from newsdesk import packaged
from newsdesk.arrays import Floats, unpacked_arrays
from newsdesk.languages import LISTED, has_spaces
from newsdesk.rankers.insults import readable

# Text of fewer different pairs is not judged.
_LEAST_PAIRS = 20
# Added to the number of pairs, as of usual text: a short text needs more evidence.
_PRIOR_PAIRS = 10
_STEPS = 32  # of a unit of information, in the stored table
_MOST = 3.0  # information of a pair, either way
_MOST_UNITS = 65_536  # whose rows are kept

_TOKEN = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*|[.!?]+|[,;:()\"]+")
_ENDINGS = tuple(
    "'s ing ed ly tion sion ment ness ity ies ous ive able ful est al ic er es s y".split()
)
_STOPS = frozenset("。.!?…\n")
_EDGE, _HAN = "|", "#han"


def units(text: str, lang: str) -> list[str]:
    """Return the words and marks of a text, or its characters in a language without spaces.

    >>> units("Don't go there!!", "en"), units("不是！！", "zh")
    (["don't", 'go', 'there', '!!'], ['不', '是', '。'])
    """
    if has_spaces(lang):
        plain = readable(text)
        if plain.isascii():  # small letters are as long as capitals
            return _TOKEN.findall(plain.lower())
        return [word.lower() for word in _TOKEN.findall(plain)]
    marked: list[str] = []
    for character in unicodedata.normalize("NFKC", text):
        if character.isspace():
            continue
        mark = character if character.isalnum() else "。" if character in _STOPS else "、"
        if character.isalnum() or marked[-1:] != [mark]:
            marked.append(mark)
    return marked


@functools.lru_cache(maxsize=65_536)
def class_of(unit: str, lang: str) -> str:
    """Return the class of a word or a character that is none of its own.

    >>> class_of("walking", "en"), class_of("2031", "en"), class_of("駅", "ja")
    ('#ing', '#0', '#han')
    """
    if not has_spaces(lang):
        return _script(unit)
    if not unit[0].isalpha():
        return "#0" if unit[0].isdigit() else f"#{unit[0]}" if unit[0] in ".!?,;:" else "#)"
    for ending in _ENDINGS:
        if unit.endswith(ending) and len(unit) > len(ending) + 2:
            return f"#{ending}"
    return "#short" if len(unit) < 5 else "#long"


def _script(character: str) -> str:
    if "\u3041" <= character <= "\u3096":
        return "#hiragana"
    if "\u30a1" <= character <= "\u30ff":
        return "#katakana"
    if "\u3400" <= character <= "\u9fff":
        return _HAN
    if character in "。、":
        return f"#{character}"
    return "#0" if character.isdigit() else "#a"


class _Rows(dict[str, int]):
    """The row of each unit, looked up once: that of its class, and of the edges for a class that was never counted."""

    def __init__(self, lang: str, classes: Sequence[str]) -> None:
        super().__init__({name: row for row, name in enumerate(classes)})
        self._lang = lang
        self.classes = dict(self)
        self[""] = 0

    def __missing__(self, unit: str) -> int:
        row = self.classes.get(class_of(unit, self._lang), 0)
        if len(self) < _MOST_UNITS:
            self[unit] = row
        return row


@dataclass(frozen=True, slots=True, eq=False)
class WordOrder:
    """The information of pairs of neighbouring classes in a language."""

    lang: str
    classes: tuple[str, ...]
    information: Floats  # classes × classes, the earlier first
    usual: float  # plausibility of the texts it was fitted on
    least: float  # plausibility below which a text is taken for shuffled
    _rows: _Rows = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", _Rows(self.lang, self.classes))

    @classmethod
    def of(
        cls, texts: Iterable[str], lang: str, own: AbstractSet[str], smoothing: float, least: float
    ) -> WordOrder:
        """Count the pairs of texts; the words or characters `own` are classes of their own."""
        read = [units(text, lang) for text in texts]
        named = [[unit if unit in own else class_of(unit, lang) for unit in text] for text in read]
        classes = (_EDGE, *sorted({name for text in named for name in text}))
        number = {name: row for row, name in enumerate(classes)}
        pairs = np.zeros((len(classes), len(classes)))
        for text in named:
            rows = [number[name] for name in (_EDGE, *text, _EDGE)]
            np.add.at(pairs, (rows[:-1], rows[1:]), 1)
        if _HAN in number:
            pairs[number[_HAN], number[_HAN]] = 0
        expected = np.outer(pairs.sum(axis=1), pairs.sum(axis=0)) / pairs.sum()
        information = np.clip(np.log((pairs + smoothing) / (expected + smoothing)), -_MOST, _MOST)
        usual = float((pairs * information).sum() / pairs.sum())
        return cls(lang, classes, information, usual, least)

    @classmethod
    def load(cls, lang: str) -> WordOrder:
        """Load the table of a language that has one."""
        arrays = unpacked_arrays(_path(lang).read_bytes())
        usual, least = arrays["scale"].tolist()
        information = arrays["information"] / _STEPS
        return cls(lang, tuple(arrays["classes"].tolist()), information, usual, least)

    def save(self, path: Path) -> None:
        """Write the table, with information in steps that fit a byte."""
        information = np.round(self.information * _STEPS).astype(np.int8)
        np.savez_compressed(
            path,
            classes=np.array(self.classes),
            information=information,
            scale=np.array([self.usual, self.least]),
        )

    def implausible(self, text: str) -> tuple[str, ...]:
        """Return the three least plausible pairs of a text that is taken for shuffled; none of any other."""
        pairs = self._pairs(units(text, self.lang))
        if len(pairs) < _LEAST_PAIRS:
            return ()
        rows, size = self._rows, len(self.classes)
        places = [rows[first] * size + rows[second] for first, second in pairs]
        values = self.information.take(places)  # pairs
        total = values.sum() + _PRIOR_PAIRS * self.usual
        if total >= self.least * (len(pairs) + _PRIOR_PAIRS):
            return ()
        joint = " " if has_spaces(self.lang) else ""
        worst = np.argsort(values, kind="stable")[:3].tolist()
        return tuple(joint.join(pairs[row]).strip() for row in worst)

    def _pairs(self, read: Sequence[str]) -> list[tuple[str, str]]:
        """Return the different pairs of neighbours that tell something, the edges of the text included.

        Numbers are in no pair, nor are Latin letters in Chinese and Japanese: lists of figures and names are text as well. Two rare characters are mostly one word.
        """
        every = dict.fromkeys(zip(("", *read), (*read, ""), strict=True))
        if has_spaces(self.lang):
            numbers = {unit for unit in set(read) if unit[0].isdigit()}
            if not numbers:
                return list(every)
            return [pair for pair in every if numbers.isdisjoint(pair)]
        own = self._rows.classes
        kinds = {unit: unit if unit in own else class_of(unit, self.lang) for unit in read}
        kinds[""] = _EDGE
        return [
            (first, second)
            for first, second in every
            if not {"#a", "#0"} & {kinds[first], kinds[second]}
            and not kinds[first] == kinds[second] == _HAN
        ]


def shuffled(text: str, lang: str) -> tuple[str, ...]:
    """Return the least plausible pairs of words of a text in a random order; none if it is not.

    >>> shuffled("The end.", "en")
    ()
    """
    if lang not in LISTED:
        return ()
    return _order(lang).implausible(text)


@functools.cache
def _order(lang: str) -> WordOrder:
    return WordOrder.load(lang)


def _path(lang: str) -> Path:
    return packaged.path("rankers", "data", f"order-{lang}.npz")
