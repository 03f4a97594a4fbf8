"""Text made ready to be cut: marks of sentence borders as line breaks, one width and case, one token for numbers.

Many systems put `</s>` between sentences, and `<s>` before one; the guidance for evaluators shows it. A mark is no word: it is what a line break is,
for every metric, summarizer, sheet and page. Records keep a text as it came; who reads its words or shows it asks here.

Normalization is that of Fujita et al. (2019), section 3.2. The paper writes half-width characters full-width, as Japanese newsrooms do; `nfkc` is the modern opposite.
Width and case are changed in the text, before it is cut; numbers in the words, after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from newsdesk.errors import ArgumentError

_MARK = re.compile("</?[sS]>")
_MARK_BYTES = re.compile(b"</?[sS]>")


def passages(text: str) -> list[str]:
    """Return what stands between the marks of a text, stripped; a text without marks is returned as it is.

    >>> passages("<s>He was 88 .</s> </S>Best died.")
    ['He was 88 .', 'Best died.']
    """
    if not _MARK.search(text):
        return [text]
    return [passage for part in _MARK.split(text) if (passage := part.strip())]


def lined(text: str) -> str:
    r"""Return the text with a line break for the marks between two sentences.

    >>> lined("He was 88 . </s>Best died.</s>")
    'He was 88 .\nBest died.'
    """
    return "\n".join(passages(text)) if "<" in text else text


def has_marks(data: bytes) -> bool:
    """Return True if a text in UTF-8 has a mark of a sentence border."""
    return b"<" in data and _MARK_BYTES.search(data) is not None


def word_passages(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words between the marks of a tokenized text.

    >>> list(word_passages(["It", "rained", ".", "</s>", "It", "stopped", "."]))
    [['It', 'rained', '.'], ['It', 'stopped', '.']]
    """
    passage: list[str] = []
    for word in words:
        if word.startswith("<") and _MARK.fullmatch(word):
            yield passage
            passage = []
        else:
            passage.append(word)
    yield passage


NUMBER = "<num>"

_HALF_KANA = re.compile("[\uff61-\uff9f]+")
_TO_FULL = {0x20: 0x3000, **{code: code + 0xFEE0 for code in range(0x21, 0x7F)}}
_SEPARATORS = "[.,．，:：/／]"
_NUMERIC = re.compile(rf"\d+(?:{_SEPARATORS}\d+)*")
_SEPARATED = re.compile(rf"\d{_SEPARATORS}\d")


@dataclass(frozen=True, slots=True)
class Normalizer:
    """Settings of normalization: width, case and numbers."""

    width: Literal["full", "nfkc"] | None = "full"
    lower: bool = True
    numbers: bool = True

    def __post_init__(self) -> None:
        if self.width not in ("full", "nfkc", None):
            raise ArgumentError(f"width is {self.width!r}, not 'full', 'nfkc' or None")

    @property
    def signature(self) -> str:
        """The settings in short, as in `full+lower+num`."""
        names = (self.width, self.lower and "lower", self.numbers and "num")
        return "+".join(name for name in names if name) or "none"

    def text(self, text: str) -> str:
        """Return the text in one width and one case.

        >>> Normalizer().text("ｶﾞﾝﾀﾞﾑ No.1")
        'ガンダム\\u3000ｎｏ．１'
        """
        if self.lower:
            text = text.lower()
        if self.width == "nfkc":
            return unicodedata.normalize("NFKC", text)
        if self.width == "full":
            text = _HALF_KANA.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
            return text.translate(_TO_FULL)
        return text

    def words(self, words: Iterable[str], text: str = "") -> list[str]:
        """Return the words with every number as one `<num>`, also where the tokenizer cut it into digits.

        With the text that they were cut from, a decimal point or another separator within a number belongs to it.

        >>> Normalizer().words(["１", "２", "万", "人"])
        ['<num>', '万', '人']
        >>> Normalizer().words(["３", "．", "５", "倍"], "３．５倍")
        ['<num>', '倍']
        """
        if not self.numbers:
            return list(words)
        normalized: list[str] = []
        for word in _with_whole_numbers(words, text) if _SEPARATED.search(text) else words:
            if not _NUMERIC.fullmatch(word):
                normalized.append(word)
            elif not normalized or normalized[-1] != NUMBER:
                normalized.append(NUMBER)
        return normalized


def _with_whole_numbers(words: Iterable[str], text: str) -> Iterator[str]:
    """Yield the words, those that lie within one number of the text as that number."""
    numbers = _NUMERIC.finditer(text)
    number = next(numbers, None)  # the first that does not end before the word
    written = None  # the last that was yielded
    end = 0
    for word in words:
        start = text.find(word, end)
        if start < 0:
            raise ArgumentError(f"the word {word!r} is not in the text; give the text that was cut")
        end = start + len(word)
        while number and number.end() <= start:
            number = next(numbers, None)
        if not number or start < number.start() or end > number.end():
            yield word
        elif number is not written:
            written = number
            yield number[0]
