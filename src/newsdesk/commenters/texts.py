"""How commenters read articles and comments: the language of a corpus, words for matching, words for generation, and words back to text.

Columns of texts as arrays of bytes, which can be memory-mapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.languages import check_language, has_spaces
from newsdesk.model.folder import Arrays
from newsdesk.text import sentences, tokenizer_for
from newsdesk.text.language import main_language
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Article, Thread


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Many texts as one array of UTF-8 bytes and their offsets: mapped, and read one by one."""

    data: NDArray[np.uint8]
    offsets: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        """Pack texts.

        >>> list(TextColumn.of(["a", "", "é"]))
        ['a', '', 'é']
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        span = self.data[self.offsets[place] : self.offsets[place + 1]]
        return span.tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))


def columns(named: Mapping[str, TextColumn]) -> dict[str, NDArray[Any]]:
    """Return the arrays of named columns."""
    return {
        f"{name}.{part}": getattr(column, part)
        for name, column in named.items()
        for part in ("data", "offsets")
    }


def column(arrays: Arrays, name: str) -> TextColumn:
    """Return a column whose arrays `columns` returned."""
    return TextColumn(arrays[f"{name}.data"], arrays[f"{name}.offsets"])


def prefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return arrays under names that begin with a prefix.

    >>> prefixed("network.", {"bias": np.zeros(1)})
    {'network.bias': array([0.])}
    """
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def part(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it: the reverse of `prefixed`."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


TooLong = Literal["truncate", "discard"]

_ENOUGH_CHARACTERS = 5_000
_NO_SPACE_BEFORE = frozenset(".,;:!?%)]}…’”'")
_NO_SPACE_AFTER = frozenset("([{$£€#“‘")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))\Z", re.IGNORECASE)


def corpus_language(threads: Sequence[Thread], lang: str | None) -> str:
    """Return the language that is set, else the declared one of most articles, else that of the script."""
    if lang:
        check_language(lang)
    return main_language(threads, lang, by_article=True) or "en"


@dataclass(frozen=True, slots=True)
class Reading:
    """Cuts texts of one language into words."""

    lang: str

    def terms(self, text: str) -> list[str]:
        """Return the words to match by: lower case, without punctuation.

        >>> Reading("en").terms("The dam, again!")
        ['the', 'dam', 'again']
        """
        words = tokenizer_for(self.lang).words(text.lower())
        return [word for word in words if any(map(str.isalnum, word))]

    def words(self, text: str) -> list[str]:
        """Return the words to generate, unchanged."""
        return tokenizer_for(self.lang).words(text)

    def text(self, words: Iterable[str]) -> str:
        """Return words as text again: without spaces where the language has none, else with the usual ones.

        >>> Reading("en").text(["It", "did", "n't", "end", "(", "yet", ")", "."])
        "It didn't end (yet)."
        """
        if not has_spaces(self.lang):
            return "".join(words)
        text, glued = "", True
        for word in words:
            left = word[0] in _NO_SPACE_BEFORE or bool(_CLITIC.match(word))
            text += word if glued or left else f" {word}"
            glued = word in _NO_SPACE_AFTER
        return text

    @property
    def tokenizer(self) -> str:
        """The tokenizer's name and version, for signatures."""
        return tokenizer_for(self.lang).signature


def title_of(article: Article) -> str:
    """Return the title, or the first sentence of an article that has none."""
    title = (article.title or "").strip()
    if title or not article.text.strip():
        return title
    return next(iter(sentences(article.text[:_ENOUGH_CHARACTERS], article.lang)), "")


def content_of(article: Article) -> str:
    """Return the title and the text of an article as one string."""
    return f"{article.title or ''}\n{article.text}".strip()


def usable(words: Sequence[str], max_words: int, too_long: TooLong) -> Sequence[str]:
    """Return a comment's words cut to the limit, or none of them if over-long comments are discarded."""
    if len(words) > max_words and too_long == "discard":
        return ()
    return words[:max_words]
