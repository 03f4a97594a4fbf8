"""Normalization as in Fujita et al. (2019), section 3.2: lower case, one width, one token for numbers.

The paper writes half-width characters full-width, as Japanese newsrooms do; `nfkc` is the modern opposite. Width and case are
changed in the text, before it is cut; numbers in the words, after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from newsdesk.errors import ArgumentError

NUMBER = "<num>"

_HALF_KANA = re.compile("[\uff61-\uff9f]+")
_TO_FULL = {0x20: 0x3000, **{code: code + 0xFEE0 for code in range(0x21, 0x7F)}}
_NUMERIC = re.compile(r"\d+(?:[.,．，:：/／]\d+)*")


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
        """The text in one width and one case.

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

    def words(self, words: Iterable[str]) -> list[str]:
        """The words with every number as one `<num>`, also where the tokenizer cut it into digits.

        >>> Normalizer().words(["１", "２", "万", "人"])
        ['<num>', '万', '人']
        """
        if not self.numbers:
            return list(words)
        normalized: list[str] = []
        for word in words:
            if not _NUMERIC.fullmatch(word):
                normalized.append(word)
            elif not normalized or normalized[-1] != NUMBER:
                normalized.append(NUMBER)
        return normalized
