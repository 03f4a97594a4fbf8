"""Words with their preceding space, so that words selected from a text can be joined into text again."""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.languages import has_spaces
from newsdesk.text.borders import lined
from newsdesk.text.tokenize import tokenizer_for


def pieces(text: str, lang: str) -> list[str]:
    """The words of a text, each with a space in front where the text has white space.

    The first word has one too in languages that write spaces, for it may be put elsewhere.

    >>> pieces("It didn't end.", "en")
    [' It', ' did', "n't", ' end', '.']
    """
    text = lined(text)
    spaced: list[str] = []
    end = 0
    for word in tokenizer_for(lang).words(text):
        start = text.index(word, end)
        begins = not spaced and has_spaces(lang)
        spaced.append(f" {word}" if begins or (start > end and spaced) else word)
        end = start + len(word)
    return spaced


def joined(pieces: Iterable[str]) -> str:
    """Join pieces into text.

    >>> joined(["n't", " end", "."])
    "n't end."
    """
    return "".join(pieces).strip()
