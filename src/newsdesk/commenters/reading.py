"""How commenters read articles and comments: the language of a corpus, words for matching, words for generation, and words back to text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from newsdesk.languages import check_language, has_spaces
from newsdesk.text import sentences, tokenizer_for
from newsdesk.text.language import main_language
from newsdesk.types import Article, Thread

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
        """The words to match by: lower case, without punctuation.

        >>> Reading("en").terms("The dam, again!")
        ['the', 'dam', 'again']
        """
        words = tokenizer_for(self.lang).words(text.lower())
        return [word for word in words if any(map(str.isalnum, word))]

    def words(self, text: str) -> list[str]:
        """The words to generate, unchanged."""
        return tokenizer_for(self.lang).words(text)

    def text(self, words: Iterable[str]) -> str:
        """Words as text again: without spaces where the language has none, else with the usual ones.

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
    """The title, or the first sentence of an article that has none."""
    title = (article.title or "").strip()
    if title or not article.text.strip():
        return title
    return next(iter(sentences(article.text[:_ENOUGH_CHARACTERS], article.lang)), "")


def content_of(article: Article) -> str:
    """The title and the text of an article as one string."""
    return f"{article.title or ''}\n{article.text}".strip()


def usable(words: Sequence[str], max_words: int, too_long: TooLong) -> Sequence[str]:
    """A comment's words cut to the limit, or none of them if over-long comments are discarded."""
    if len(words) > max_words and too_long == "discard":
        return ()
    return words[:max_words]
