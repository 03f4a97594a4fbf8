"""The words of a comment that show a sign, and a quotation of the first of them with the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet

from newsdesk.languages import has_spaces
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import (
    ADDRESS,
    CAPITALS,
    MISPLACED,
    POINTED,
    STRETCHED,
    lexicon,
    shouted,
    unit_spans,
    units_of,
)
from newsdesk.rankers.argument.reading import CommentReader
from newsdesk.rankers.insults import insults

INSULT = "insult"  # the column
_MOST_WORDS = 5  # listed with a sign
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# What shows a sign that is no phrase, in the text as it stands.
_SHOWN_BY = {
    "exclamation": re.compile(r"[!！](?!=)"),
    "question mark": re.compile(r"[?？]"),
    "doubled marks": re.compile(r"[!！?？]{2,}"),
    "digits": re.compile(r"(?<![A-Za-z\d])\d[\d.,]*"),
    "percent": re.compile(r"\d[\d.,]*\s?[%％]"),
    "money": re.compile(r"[$€£¥￥]\s?\d[\d.,]*|\d[\d.,]*\s?[$€£¥￥]"),
    "year": re.compile(r"\b(?:19|20)\d\d\b"),
    "small i": re.compile(r"\bi\b"),
    "small starts": re.compile(r"\A\W*[^\W\d_]+"),
    "stretched words": STRETCHED,
}


def evidence(
    text: str, sentences: Sequence[str], names: AbstractSet[str], reader: CommentReader
) -> tuple[tuple[str, ...], str]:
    """Return the words of a comment that show one of the columns `names`, and the first of them quoted.

    `sentences` are those of the text as they were counted.
    """
    words: list[str] = []
    quote = ""
    for sentence in sentences:
        for start, end in sorted(set(_places(sentence, names, reader))):
            if not quote:
                # Quoted from the text where it has the sentence as read: a name may have been split in two.
                at = max(text.find(sentence), 0)
                whole = text if text.startswith(sentence, at) else sentence
                quote = _cut(whole, at + start, at + end, reader.lang)
            words.append(sentence[start:end].lower())
    # A mark alone says nothing, nor does a number.
    return tuple(dict.fromkeys(words))[:_MOST_WORDS], quote if _WORD.search(quote) else ""


def _places(
    sentence: str, names: AbstractSet[str], reader: CommentReader
) -> Iterator[tuple[int, int]]:
    """Yield where a sentence shows one of the columns `names`."""
    listed = lexicon(reader.lang)
    if not names.isdisjoint(listed.kinds):
        hits = [
            hit
            for hit in listed.hits(units_of(sentence, reader.lang))
            if listed.kinds[hit.kind] in names
        ]
        spans = unit_spans(sentence, reader.lang) if hits else []
        yield from ((spans[hit.start][0], spans[hit.end - 1][1]) for hit in hits)
    if INSULT in names:
        for word in insults(sentence, reader.lang).words:
            if (start := sentence.find(word)) >= 0:  # one in disguise is not there as it is read
                yield start, start + len(word)
    for name in names & _SHOWN_BY.keys():
        for match in _SHOWN_BY[name].finditer(sentence):
            # Small letters begin a sentence only where the first letter is one.
            if name != "small starts" or match[0].lstrip("'\"“‘(-")[:1].islower():
                yield match.span()
    if "capitals" in names:
        for match in CAPITALS.finditer(sentence):
            if shouted(match[0], reader.rarity.small):
                yield match.span()
    if "missing space" in names and has_spaces(reader.lang):
        yield from (match.span() for match in MISPLACED.finditer(_masked(sentence)))
    if "careless spelling" in names and reader.lang == "en":
        careless = frozenset(sections("rankers", "care-en.txt")["careless"])
        for match in _WORD.finditer(sentence):
            if match[0].lower().replace("’", "'") in careless:
                yield match.span()


def _masked(text: str) -> str:
    """Return a text of the same length without the marks of addresses and abbreviations."""
    for pattern in (ADDRESS, POINTED):
        text = pattern.sub(lambda match: "x" * len(match[0]), text)
    return text


# A quotation goes on to the next mark, by at most so many words, or characters without spaces.
_MARK_BEHIND = re.compile(r"[.,;:!?…)\]\"”]+$")
_OPENING = '(["“'
_BEFORE, _BEHIND, _MOST_QUOTED = 5, 4, 28
_MARK_UNSPACED = re.compile(r"[，。、！？；：…,!?;:（）()「」『』“”\"\s]")


def _cut(text: str, start: int, end: int, lang: str) -> str:
    """Return a place of a text with the whole words around it, up to the nearest marks.

    >>> _cut("It is wrong, see entry 4417 of the register. Look!", 35, 43, "en")
    'see entry 4417 of the register'
    """
    # No further than the line.
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    text = text[first:] if last < 0 else text[first:last]
    start, end = start - first, end - first
    if not has_spaces(lang):
        return _cut_unspaced(text, start, end)
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    words = text[start:end].split()
    for word in reversed(text[:start].split()[-_BEFORE:]):
        if _MARK_BEHIND.search(word) or words[0][0] in _OPENING:
            break
        words.insert(0, word)
    for word in text[end:].split()[:_BEHIND]:
        if _MARK_BEHIND.search(words[-1]) or word[0] in _OPENING:
            break
        words.append(word)
    return " ".join(words).strip(f" ,;:.{_OPENING}”)]")


def _cut_unspaced(text: str, start: int, end: int) -> str:
    """Return the clause of a place in a text without spaces; of a long one the characters around."""
    marks = [match.start() for match in _MARK_UNSPACED.finditer(text)]
    first = max((mark + 1 for mark in marks if mark < start), default=0)
    last = min((mark for mark in marks if mark >= end), default=len(text))
    # A question or an exclamation is quoted with its mark.
    if _MARK_UNSPACED.fullmatch(text[start:end]):
        last = end
    if last - first <= _MOST_QUOTED:
        return text[first:last].strip()
    left = max(first, start - _MOST_QUOTED // 2)
    right = min(last, max(end, left + _MOST_QUOTED))
    return f"{'…' if left > first else ''}{text[left:right].strip()}{'…' if right < last else ''}"
