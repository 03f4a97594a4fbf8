"""The tokenizers by name, each with the version that goes into signatures.

`en`, `zh`, `ja`, `char` and `space` change no character and return no white space. `rouge`, `13a` and `sacrebleu-zh` are the
rules of rouge_score and sacrebleu to the letter, which lower-case or unescape on the way, so that scores can equal theirs.
All of them see a line break where a text has `</s>` (`normalize`): the tools themselves would make it a word, or letters.

**`en`** cuts English, and any other language that puts spaces between words. Close to the Penn Treebank's habits: punctuation stands alone, clitics are split off (`do n't`, `Rowling 's`), and a number
keeps its separators (`1,000`, `3.5`, `10:30`, `2019-05-01`), a word its hyphens, an abbreviation its dots (`U.S.`, `p.m.`).
Comments need more than newswire: addresses, @names, #tags and emoji sequences stay whole. A CJK character that strays in is a
word of its own, so that foreign text is never one long token. No character is changed or lost.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from newsdesk.languages import has_spaces, settings_of
from newsdesk.packaged import table
from newsdesk.registry import TOKENIZERS, require
from newsdesk.text.bytewise import (
    Numbered,
    Packed,
    by_ascii,
    by_characters,
    by_chunks,
)
from newsdesk.text.normalize import lined


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer with its name and version.

    `number`, where there is one, numbers the words of many texts at once: the same words as `cut`.
    """

    name: str
    version: str
    cut: Callable[[str], list[str]]
    number: Callable[[Packed], Numbered] | None = None

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
    """Return the tokenizer of text with spaces: words, numbers, clitics and punctuation."""
    return Tokenizer("en", "1", cut_spaced, by_chunks(_cut_chunk))


def chinese() -> Tokenizer:
    """Return the tokenizer of Chinese: words as jieba cuts them, by rjieba."""
    from newsdesk.text.cjk_words import chinese_version, cut_chinese

    require("rjieba", extra="zh", what="cutting Chinese into words")
    return Tokenizer("zh", chinese_version(), cut_chinese)


def japanese() -> Tokenizer:
    """Return the tokenizer of Japanese: words by MeCab with the IPA dictionary."""
    from newsdesk.text.cjk_words import cut_japanese, japanese_version

    for needed in ("fugashi", "ipadic"):
        require(needed, extra="ja", what="cutting Japanese into words")
    return Tokenizer("ja", japanese_version(), cut_japanese)


def rouge() -> Tokenizer:
    """rouge_score's rule: lower case, runs of a-z and 0-9, nothing else."""
    runs = re.compile("[a-z0-9]+")
    return Tokenizer("rouge", "0.1.2", lambda text: runs.findall(text.lower()), by_ascii)


def characters() -> Tokenizer:
    """Return the tokenizer into characters that are not white space."""
    return Tokenizer("char", "1", lambda text: list("".join(text.split())), by_characters)


def space() -> Tokenizer:
    """Return the tokenizer into what stands between white space."""
    return Tokenizer("space", "1", str.split, by_chunks(str.split))


def mteval_13a() -> Tokenizer:
    """sacrebleu's default for Western text, after NIST's mteval-v13a script."""
    return Tokenizer("13a", "sacrebleu-2.6.0", _words_13a, by_chunks(_chunk_13a, _DROPPED_13A))


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
_DROPPED_13A = {b"<skipped>": b"", b"-\n": b""}
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _mteval_words(text: str) -> list[str]:
    for pattern, replacement in _MTEVAL:
        text = pattern.sub(replacement, text)
    return text.split()


def _words_13a(text: str) -> list[str]:
    return _unescaped_words(text.replace("<skipped>", "").replace("-\n", "").replace("\n", " "))


def _chunk_13a(chunk: str) -> list[str]:
    """Return the words of what stands between white space; most of it follows one of two simple rules."""
    if chunk.isascii():
        if chunk.isalnum():
            return [chunk]
        if chunk[-1] in ".," and chunk[:-1].isalpha():
            return [chunk[:-1], chunk[-1]]
    return _unescaped_words(chunk)


def _unescaped_words(text: str) -> list[str]:
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
        after_space = start > end if spaced else has_spaces(lang)
        spaced.append(f" {word}" if after_space else word)
        end = start + len(word)
    return spaced


def joined(pieces: Iterable[str]) -> str:
    """Join pieces into text.

    >>> joined(["n't", " end", "."])
    "n't end."
    """
    return "".join(pieces).strip()


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


@functools.cache
def _pattern(*, rare: bool, address: bool) -> re.Pattern[str]:
    """Return the token pattern; without rare letters and addresses, as in most texts, it is faster."""
    letter = rf"(?:(?![{_CJK}])(?:[^\W_]|[{_MARKS}]))" if rare else r"[^\W_]"
    return re.compile(
        rf"""{_ADDRESS if address else ""}
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


_RARE = re.compile(f"[{_MARKS}{_CJK}]")
_CLITICS = frozenset(("s", "re", "ve", "ll", "d", "m"))
_MOST_CLITICS = 2  # as in wouldn't've; a bound, or a hostile run of them costs n²


def cut_spaced(text: str) -> list[str]:
    """Return the words of a text.

    >>> cut_spaced("The U.S. didn't pay $1,000.50 -- J.K. Rowling's state-of-the-art plan...")
    ['The', 'U.S.', 'did', "n't", 'pay', '$', '1,000.50', '--', 'J.K.', 'Rowling', "'s", 'state-of-the-art', 'plan', '...']
    """
    rare = not text.isascii() and _RARE.search(text) is not None
    address = "@" in text or "://" in text or "www." in text
    words = _pattern(rare=rare, address=address).findall(text)
    if "'" not in text and "’" not in text:
        return words
    split: list[str] = []
    for word in words:
        split.extend(_without_clitics(word) if "'" in word or "’" in word else (word,))
    return split


def _cut_chunk(chunk: str) -> list[str]:
    """Return the words of what stands between white space; most of it follows one of two simple rules."""
    if chunk.isascii():
        if chunk.isalnum():
            return [chunk]
        if chunk[-1] in ".,;:!?" and chunk[:-1].isalnum():
            return [chunk[:-1], chunk[-1]]
    return cut_spaced(chunk)


def _without_clitics(word: str) -> list[str]:
    """Return the word without its clitics, then these in order."""
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
