"""The words of METEOR 1.5's `-norm` for English, which pycocoevalcap and nlg-eval score with.

The jar's normaliser is a variant of the Moses tokenizer. Its rules, in order:

1. Every character is split off unless it is a letter (Latin or Cyrillic), an ASCII digit, white space or one of . ' ` , - ‘ ’. So a
   Chinese character is a word of its own.
2. Two or more dots in a row are one word.
3. A comma is split off unless it stands between digits.
4. ` ‘ ’ become ', “ ” and '' become ", – and -- become -.
5. A hyphen between letters or digits, or after a dot, goes: *well known*.
6. An apostrophe is split off; between letters, or in *1990's*, it stays with what follows: *can 't*, *it 's*.
7. A word that ends in a dot: with a further dot and a letter it loses all dots (*U.S.* is *us*); it keeps the dot if it is
   a listed prefix (*Mr.*), if it is *No.*, *Art.* or *pp.* before a digit, or **if the next word begins with a small letter**; else the dot
   is split off. In a text that was lower-cased before, most full stops stay glued to their words.
8. Unicode spaces go, and the text is lower-cased.

Where two marks share a neighbour, the jar sees only the first (*a,,b* is *a*, *,*, *,b*); so do we, since our patterns take up the
characters on both sides as the jar's do.
"""

from __future__ import annotations

import re
from functools import cache

from newsdesk.packaged import table
from newsdesk.text.tokenize import Tokenizer

_L = "A-Za-zÀ-ÖØ-öø-ž\u0178\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"  # letters
_OTHER = re.compile(rf"[^0-9{_L} \t\n\x0b\f\r.'`,\-‘’]")
_DOTS = re.compile(r"\.{2,}")
_DOT_MARK = "\ue000"  # one dot of several, so that no later rule sees it
_SPLITS = (
    (re.compile(r"([^0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([^0-9]),([0-9])"), r"\1 , \2"),
    (re.compile(r"[`‘’]"), "'"),
    (re.compile(r"[“”]|''"), ' " '),
    (re.compile(r"–"), "-"),
    (re.compile(r"--"), "-"),
    (re.compile(rf"([0-9{_L}.])-([0-9{_L}])"), r"\1 \2"),
    (re.compile(rf"([^{_L}])'([^{_L}])"), r"\1 ' \2"),
    (re.compile(rf"([^0-9{_L}])'([{_L}])"), r"\1 ' \2"),
    (re.compile(rf"([{_L}])'([^{_L}])"), r"\1 ' \2"),
    (re.compile(rf"([{_L}])'([{_L}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
_LETTER = re.compile(rf"[{_L}]")
_CAPITAL = re.compile("[A-Z]")
_WHITE = re.compile(r"[ \t\n\r\f]+")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_ONLY_BEFORE_NUMBERS = "#"


def meteor() -> Tokenizer:
    """Return the tokenizer of METEOR 1.5's -norm for English."""
    return Tokenizer("meteor", "1.5", cut)


def cut(text: str) -> list[str]:
    """Return the words of a text, in lower case.

    >>> cut('"Mr. Smith can\\'t go," the U.S.-based firm said.')
    ['"', 'mr.', 'smith', 'can', "'t", 'go', ',', '"', 'the', 'us', 'based', 'firm', 'said', '.']
    """
    line = _OTHER.sub(r" \g<0> ", f" {text} ")
    line = _DOTS.sub(lambda run: f" {_DOT_MARK * len(run[0])} ", line)
    for pattern, replacement in _SPLITS:
        line = pattern.sub(replacement, line)
    pieces = _split(line)
    settled = map(_with_dot_settled, pieces, [*pieces[1:], ""])
    line = " ".join(settled).replace(_DOT_MARK, ".")
    return _split(_SPACES.sub(" ", line).lower())


def _split(line: str) -> list[str]:
    return [piece for piece in _WHITE.split(line) if piece]


def _with_dot_settled(word: str, following: str) -> str:
    """Return the word with its final dot kept, dropped or split off; `following` is the next word."""
    if len(word) < 2 or not word.endswith("."):
        return word
    body = word[:-1]
    if "." in body and _LETTER.search(body):
        return word.replace(".", "")
    always, before_number = _prefixes()
    first = following[:1]
    if body in always or _CAPITAL.fullmatch(body) or "a" <= first <= "z":
        return word
    if body in before_number and "0" <= first <= "9":
        return word
    return f"{body} ."


@cache
def _prefixes() -> tuple[frozenset[str], frozenset[str]]:
    """Return words that keep their dot always, and before a number."""
    rows = [line.split() for line in table("text", "meteor_prefixes.txt")]
    before_number = frozenset(word for word, *marks in rows if marks == [_ONLY_BEFORE_NUMBERS])
    return frozenset(word for word, *_ in rows) - before_number, before_number
