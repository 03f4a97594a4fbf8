"""Sentence borders that a text writes as marks: `</s>`, and the `<s>` that opens a sentence.

Many systems put `</s>` between sentences, and the guidance for evaluators shows it. A mark is no word: it is what a line break is,
for every metric, summarizer, sheet and page. Records keep a text as it came; who reads its words or shows it asks here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_MARK = re.compile("</?[sS]>")


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
