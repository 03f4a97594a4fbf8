"""Sentences of English, Chinese and Japanese news text, by rules, in linear time.

Summarizers pick sentences and metrics count them, so every part of newsdesk must cut a text at
the same places. The rules are our own and read one stop at a time with the words around it:

    marks       `</s>` always ends a sentence and stands in none (`borders`)
    lines       a line break ends a sentence unless the line was wrapped in mid-sentence (`joint`)
    full stop   the word before is looked up in data/abbreviations.txt; an abbreviation that may
                end a sentence does so before a word that opens sentences (`stops`)
    ! ? and …   end before a capital; a question in quotation marks goes on with its speaker
    glued       "ended.The next" lacks a space: `spaced_sentences` tells it from "Node.js"
    zh, ja      。！？ end behind their closing brackets, unless the sentence goes on (`cjk_sentences`)

Sentences inside a quotation are cut as well, since ten quoted sentences are no use as one unit;
only a Japanese quotation that a particle ties to its sentence stays whole. Rules look a fixed
number of characters around a stop and no expression backtracks: some pages are a mile of dots.
"""

import re
from itertools import islice, pairwise

from newsdesk.languages import LANGUAGES
from newsdesk.text import cjk_sentences, spaced_sentences
from newsdesk.text.borders import lined, passages
from newsdesk.text.language import language
from newsdesk.text.stops import WORD

_STRAIGHT = re.compile('"')
_TITLE = re.compile(r"\s*+[A-Z](?!.*\b[a-z]{5})")  # Title Case or capitals


def sentences(text: str, lang: str | None = None) -> list[str]:
    """Return the sentences of `text` in order, each stripped.

    Joined they hold every non-space character but the marks `</s>`.

    `lang` is "zh", "ja" or "en"; any other language written with spaces gets the English rules, and
    without one the script decides.
    A sentence is a slice of the text: a line break inside a wrapped sentence stays.

    >>> sentences('Gen. Lee left the U.S. on Monday. "Why?" he was asked.')
    ['Gen. Lee left the U.S. on Monday.', '"Why?" he was asked.']
    """
    if "<" not in text:  # nearly all: no mark to look for
        return _sentences(text, lang or language(text))
    lang = lang or language(lined(text))
    return [sentence for part in passages(text) for sentence in _sentences(part, lang)]


def _sentences(text: str, lang: str) -> list[str]:
    """Return the sentences of a text without marks."""
    cjk = lang in LANGUAGES and LANGUAGES[lang].sentences == "cjk"
    quoted = '"' in text
    pieces: list[str] = []
    for low, high in _blocks(text, cjk=cjk):
        # Every second straight quotation mark of a paragraph opens a quotation.
        marks = _STRAIGHT.finditer(text, low, high) if quoted else ()
        quotes = {mark.start() for mark in islice(marks, 0, None, 2)}
        block = (text, low, high, quotes)
        cuts = cjk_sentences.cuts(*block, lang) if cjk else spaced_sentences.cuts(*block)
        bounds = [low, *cuts]
        if len(bounds) > 1 and not WORD.search(text, bounds[-1], high):
            bounds.pop()  # stars, emoji or a lone quotation mark belong to the sentence before
        pieces += [text[begin:end].strip() for begin, end in pairwise([*bounds, high])]
    return pieces


def _blocks(text: str, *, cjk: bool) -> list[tuple[int, int]]:
    """Return the spans that no sentence crosses: lines, joined where they were wrapped in mid-sentence."""
    lines: list[tuple[int, int]] = []
    joints: list[str] = []  # how a line meets the one before
    joint = cjk_sentences.joint if cjk else spaced_sentences.joint
    last, offset, width = "", 0, 0
    for raw in text.splitlines(keepends=True):
        line = raw.strip()
        if line:
            joints.append(joint(last, line) if last else "shut")
            if joints[-1] == "open":
                width = max(width, lines[-1][1] - lines[-1][0])
            lines.append((offset, offset + len(raw.rstrip())))
        last = line
        offset += len(raw)
    # Lines that were surely wrapped tell how wide the text is. An unsure line was wrapped as
    # well if the next word did not fit behind it; narrow columns (lists, verse) prove nothing.
    blocks = lines[:1]
    for (low, high), how, (begin, end) in zip(lines, joints[1:], lines[1:], strict=False):
        if how == "unsure" and width >= (20 if cjk else 40):
            room = 1 if cjk else len(text[begin:end].split(None, 1)[0])
            if width - room <= high - low <= width + 8:
                how = "shut" if blocks[-1][0] == low and _TITLE.match(text, low, high) else "open"
        blocks.append((blocks.pop()[0] if how == "open" else begin, end))
    return blocks
