"""Features of wording that do not grow with length: rates of phrases and marks, sizes of words and sentences."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from newsdesk.rankers.argument.lexicon import Hit

MARKS = (
    "exclamation",
    "question mark",
    "comma",
    "colon",
    "quotation",
    "bracket",
    "dash",
    "ellipsis",
    "capitals",
    "link",
    "digits",
    "percent",
    "money",
    "year",
    "names",
    "word size",
    "long words",
    "variety",
    "sentence size",
    "sentences",
    "lines",
    "punctuation",
    "short sentences",
    "small start",
    "closing question",
    "longest sentence",
    "said once",
    "full stop",
    "opening question",
    "doubled marks",
)

_LINK = re.compile(r"https?://|www\.")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DOUBLED = re.compile(r"[!?]{2,}")
_DASH = re.compile(r" - |--|[–—]")
_CAPITALS = re.compile(r"\b[A-Z]{3,}\b")
_NAME = re.compile(r"\b[A-Z][^\W\d_]")
_MARK = re.compile(r"[^\w\s]")
_DIGIT = re.compile(r"\d")
_QUOTATION = re.compile(r"[\"“”「」『』]")
_MONEY = re.compile(r"[$€£¥]")
_LONG_WORD, _SHORT_SENTENCE = 7, 4
# The number of distinct words grows with the length of a text to about this power.
_VARIETY_POWER = 0.9


def phrase_rates(hits: Sequence[Hit], units: int, kinds: int) -> list[float]:
    """The number of phrases of each kind per unit of text."""
    counts = [0.0] * kinds
    for hit in hits:
        counts[hit.kind] += 1
    return [count / max(units, 1) for count in counts]


def mark_rates(text: str, sentences: Sequence[str], units: Sequence[str]) -> list[float]:
    """The features of `MARKS`, in that order; full-width marks count as half-width ones."""
    text = unicodedata.normalize("NFKC", text).strip()
    words, size = max(len(units), 1), max(len(text), 1)
    sizes = [sentence.count(" ") + 1 for sentence in sentences] or [0]
    different = set(units)
    once = sum(count == 1 for count in Counter(units).values())
    last = text[-1:]
    return [
        text.count("!") / words,
        text.count("?") / words,
        (text.count(",") + text.count("、")) / words,
        (text.count(";") + text.count(":")) / words,
        len(_QUOTATION.findall(text)) / words,
        text.count("(") / words,
        len(_DASH.findall(text)) / words,
        text.count("..") / words,
        len(_CAPITALS.findall(text)) / words,
        len(_LINK.findall(text)) / words,
        len(_DIGIT.findall(text)) / size,
        text.count("%") / words,
        len(_MONEY.findall(text)) / words,
        len(_YEAR.findall(text)) / words,
        len(_NAME.findall(text)) / words,
        sum(map(len, units)) / words,
        sum(len(unit) > _LONG_WORD for unit in units) / words,
        len(different) / words**_VARIETY_POWER,
        math.log1p(sum(sizes) / len(sizes)),
        math.log1p(len(sizes)),
        math.log1p(text.count("\n")),
        len(_MARK.findall(text)) / size,
        sum(each <= _SHORT_SENTENCE for each in sizes) / len(sizes),
        float(text[:1].islower()),
        float(last == "?"),
        math.log1p(max(sizes)),
        once / words,
        float(last in (".", "!", "?", '"', "。")),
        float("?" in unicodedata.normalize("NFKC", sentences[0]) if sentences else 0),
        len(_DOUBLED.findall(text)) / words,
    ]
