"""Random strings with what breaks tokenizers: white space and letters of all kinds, marks, entities, lone surrogates, very long words."""

from __future__ import annotations

import random
from collections.abc import Iterator

_CODES = (
    *(0x01, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x7F, 0x85, 0xA0, 0xAD),
    *(0xC9, 0xDF, 0xE9, 0x130, 0x131, 0x17F, 0x301, 0x3A3, 0x660, 0x1680, 0x1E9E, 0x2003, 0x200D),
    *(0x2019, 0x201C, 0x201D, 0x2028, 0x2029, 0x202F, 0x205F, 0x212A, 0x3000, 0x3042, 0x4E2D),
    *(0xAC00, 0xD800, 0xDFFF, 0xFE0F, 0xFEFF, 0xFF11, 0xFF21, 0x1F1E6, 0x1F468, 0x1F600, 0x10FFFF),
)
_ODD = [chr(code) for code in _CODES]
_WORDS = """
    the U.S. p.m. 1,000.50 don't n't've &quot; &amp;quot; &lt; & http://a.b/c?d=e. www.x.y @name #tag me@x.org
    ... -- . , - ' ’ " 3-4 a- -9 .5 5. <skipped> <skip<skipped>ped> İstanbul Kelvin ﬁ ABCDEFGHI abcdefghi < </s /s>
"""
_LONG = ("x" * 8, "y" * 9, "z" * 16, "w" * 17, "wwwwwwww" * 9)
_PIECES = [*_WORDS.split(), "-\n", *_LONG]
_MARKS, _NUL = "</p> </s> <S>".split(), "\0"


def odd_text(rng: random.Random, *, rare: float = 0.02) -> str:
    """A string of up to a dozen pieces; one piece in so many is a mark of a sentence border or a NUL."""
    pieces = []
    for _ in range(rng.randrange(12)):
        kind = rng.random()
        if kind < rare:
            pieces.append(rng.choice([*_MARKS, _NUL]))
        elif kind < 0.45:
            pieces.append(rng.choice(_PIECES))
        elif kind < 0.75:
            pieces.append(rng.choice(_ODD))
        elif kind < 0.85:
            pieces.append("".join(rng.choices("abcXYZ019.,'-", k=rng.randrange(1, 20))))
        else:
            pieces.append(chr(rng.randrange(1, 0x110000)))
        if rng.random() < 0.5:
            pieces.append(rng.choice("  \n\t"))
    return "".join(pieces)


def odd_batches(texts: int, seed: int) -> Iterator[list[str]]:
    """Batches of odd strings, so many strings in all; some batches are small, one in six may hold marks and NULs."""
    rng = random.Random(seed)
    while texts > 0:
        size = min(texts, rng.choice([1, 2, 30, 600]))
        rare = rng.choice([0.0, 0.0, 0.0, 0.0, 0.0, 0.02])
        yield [odd_text(rng, rare=rare) for _ in range(size)]
        texts -= size
