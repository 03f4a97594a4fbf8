"""Words of English, and of any other language that puts spaces between them.

Close to the Penn Treebank's habits: punctuation stands alone, clitics are split off (`do n't`, `Rowling 's`), and a number
keeps its separators (`1,000`, `3.5`, `10:30`, `2019-05-01`), a word its hyphens, an abbreviation its dots (`U.S.`, `p.m.`).
Comments need more than newswire: addresses, @names, #tags and emoji sequences stay whole. A CJK character that strays in is a
word of its own, so that foreign text is never one long token. No character is changed or lost.
"""

from __future__ import annotations

import re

# Vowel signs and accents continue a word, but Python's \w does not hold them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e3a\u0e47-\u0e4e\u1dc0-\u1dff\u20d0-\u20f0"
)
_CJK = "\u2e80-\u2fdf\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"


_ADDRESS = r"""
          (?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?'’”)\]}]  # an address, without what closes the sentence
        | [\w.+-]{1,64}@\w[\w-]{0,63}(?:\.\w[\w-]{0,63})+  # bounded, or a long dotted run costs n²
        |"""


def _pattern(letter: str, address: str = "") -> re.Pattern[str]:
    """Return the token pattern for one notion of a word character."""
    return re.compile(
        rf"""{address}
          (?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)\.?               # U.S., p.m., e.g.
        | {letter}+(?:(?:[-'’]|(?<=\d)[.,:/](?=\d)){letter}+)*
        | [@\#]{letter}+
        | [\U0001f1e6-\U0001f1ff]{{2}}                           # a flag
        | {_EMOJI}(?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_EMOJI})*
        | \.{{2,}} | -{{2,}}
        | \S
        """,
        re.VERBOSE,
    )


# Most text needs neither the rare letters nor the addresses, and is read three times as fast without them.
_RARE = re.compile(f"[{_MARKS}{_CJK}]")
_PLAIN_LETTER = r"[^\W_]"
_ANY_LETTER = rf"(?:(?![{_CJK}])(?:[^\W_]|[{_MARKS}]))"
_PATTERNS = {
    (False, False): _pattern(_PLAIN_LETTER),
    (False, True): _pattern(_PLAIN_LETTER, _ADDRESS),
    (True, False): _pattern(_ANY_LETTER),
    (True, True): _pattern(_ANY_LETTER, _ADDRESS),
}
_CLITICS = frozenset(("s", "re", "ve", "ll", "d", "m"))
_MOST_CLITICS = 2  # as in wouldn't've; a bound, or a hostile run of them costs n²


def cut(text: str) -> list[str]:
    """Return the words of a text.

    >>> cut("The U.S. didn't pay $1,000.50 -- J.K. Rowling's state-of-the-art plan...")
    ['The', 'U.S.', 'did', "n't", 'pay', '$', '1,000.50', '--', 'J.K.', 'Rowling', "'s", 'state-of-the-art', 'plan', '...']
    """
    rare = not text.isascii() and _RARE.search(text) is not None
    address = "@" in text or "://" in text or "www." in text
    words = _PATTERNS[rare, address].findall(text)
    if "'" not in text and "’" not in text:
        return words
    split: list[str] = []
    for word in words:
        split.extend(_without_clitics(word) if "'" in word or "’" in word else (word,))
    return split


def _without_clitics(word: str) -> list[str]:
    clitics: list[str] = []
    while len(clitics) < _MOST_CLITICS:
        at = max(word.rfind("'"), word.rfind("’"))
        tail = word[at + 1 :].lower()
        if tail == "t" and word[at - 1 : at] in ("n", "N"):
            at -= 1
        elif tail not in _CLITICS:
            break
        if at < 1:
            break
        clitics.append(word[at:])
        word = word[:at]
    return [word, *reversed(clitics)]
