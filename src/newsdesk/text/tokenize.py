"""The tokenizers by name, each with the version that goes into signatures.

`en`, `zh`, `ja`, `char` and `space` change no character and return no white space. `rouge`, `13a` and `sacrebleu-zh` are the
rules of rouge_score and sacrebleu to the letter, which lower-case or unescape on the way, so that scores can equal theirs.
All of them see a line break where a text has `</s>` (`borders`): the tools themselves would make it a word, or letters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from newsdesk.languages import has_spaces, settings_of
from newsdesk.packaged import table
from newsdesk.registry import TOKENIZERS, require
from newsdesk.text.borders import lined


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer with its name and version."""

    name: str
    version: str
    cut: Callable[[str], list[str]]

    def words(self, text: str) -> list[str]:
        """Return the words of a text; a mark `</s>` is a line break.

        >>> tokenizer("space").words("He was 88 .</s>Best died .")
        ['He', 'was', '88', '.', 'Best', 'died', '.']
        """
        return self.cut(lined(text))

    @property
    def signature(self) -> str:
        """The name and version, as in `zh.rjieba-0.2.2`."""
        return f"{self.name}.{self.version}"


@functools.cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of this name.

    >>> tokenizer("en").words("It didn't end.")
    ['It', 'did', "n't", 'end', '.']
    """
    return TOKENIZERS.make(name)


def tokenizer_for(lang: str) -> Tokenizer:
    """Return the tokenizer for texts of a language.

    `zh` and `ja` have their own, Thai is cut into characters, the rest is spaced.
    """
    return tokenizer(settings_of(lang).tokenizer)


def english() -> Tokenizer:
    """Return words, numbers, clitics and punctuation of text with spaces."""
    from newsdesk.text.english import cut

    return Tokenizer("en", "1", cut)


def chinese() -> Tokenizer:
    """Chinese words as jieba cuts them, by rjieba."""
    from newsdesk.text import chinese as module

    require("rjieba", extra="zh", what="cutting Chinese into words")
    return Tokenizer("zh", module.version(), module.cut)


def japanese() -> Tokenizer:
    """Japanese words by MeCab with the IPA dictionary."""
    from newsdesk.text import japanese as module

    for needed in ("fugashi", "ipadic"):
        require(needed, extra="ja", what="cutting Japanese into words")
    return Tokenizer("ja", module.version(), module.cut)


def rouge() -> Tokenizer:
    """rouge_score's rule: lower case, runs of a-z and 0-9, nothing else."""
    runs = re.compile("[a-z0-9]+")
    return Tokenizer("rouge", "0.1.2", lambda text: runs.findall(text.lower()))


def characters() -> Tokenizer:
    """Return every character that is not white space."""
    return Tokenizer("char", "1", lambda text: list("".join(text.split())))


def space() -> Tokenizer:
    """Return what stands between white space."""
    return Tokenizer("space", "1", str.split)


def mteval_13a() -> Tokenizer:
    """sacrebleu's default for Western text, after NIST's mteval-v13a script."""
    return Tokenizer("13a", "sacrebleu-2.6.0", _words_13a)


def sacrebleu_zh() -> Tokenizer:
    """sacrebleu's rule for Chinese: every Chinese character alone, the rest as in 13a."""
    return Tokenizer("sacrebleu-zh", "sacrebleu-2.6.0", _words_sacrebleu_zh)


# The rules of mteval-v13a in their order: symbols stand alone; so do full stops and commas, but not between digits; so does
# a dash after a digit.
_MTEVAL = (
    (re.compile(r"([\x20-&(-+:-@/\[-`{-~])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _mteval_words(text: str) -> list[str]:
    for pattern, replacement in _MTEVAL:
        text = pattern.sub(replacement, text)
    return text.split()


def _words_13a(text: str) -> list[str]:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return _mteval_words(f" {text} ")


def _words_sacrebleu_zh(text: str) -> list[str]:
    return _mteval_words(_sacrebleu_chinese().sub(r" \g<0> ", text.strip()))


@functools.cache
def _sacrebleu_chinese() -> re.Pattern[str]:
    """Return the characters that sacrebleu takes for Chinese."""
    spans = (line.split()[:2] for line in table("text", "sacrebleu_zh.txt"))
    return re.compile("[" + "".join(f"\\u{first}-\\u{last}" for first, last in spans) + "]")


def pieces(text: str, lang: str) -> list[str]:
    """Return the words of a text, each with a space in front where the text has white space.

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
