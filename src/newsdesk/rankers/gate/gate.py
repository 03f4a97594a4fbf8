"""Decide which comments of a thread are held back before it is ranked: for what, and because of which words.

The definition of a constructive comment begins with a precondition: related to the article, and no slander (Fujita et al. 2019). Votes do not teach it (of the toxic comments of C3 a third is called constructive by four
judges of five), so the gate is rules and lists, never learned from votes. A comment is held back as a copy of an earlier one, for another language than its thread's, as an advertisement, for broken
text, insults, a toxicity score that came with it, or capitals; the first of these is named. What is held back is listed apart and never deleted. Whether a comment is held back depends on its own text alone, but for copies and languages.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.languages import has_latin_letters, has_spaces, settings_of
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import without_addresses
from newsdesk.rankers.gate.adverts import advert
from newsdesk.rankers.gate.copies import copies
from newsdesk.rankers.gate.word_order import shuffled
from newsdesk.rankers.insults import Insults, insults, insults_of
from newsdesk.text.language import language, language_of
from newsdesk.types import Comment, Thread
from newsdesk.wording import excerpt
from newsdesk.work.progress import OnProgress, Progress, silent

SHARE = 0.01
TOXICITY = 0.8
MOST_SHARE = 0.05
# What a reader is told of each kind.
KINDS: Mapping[str, str] = {
    "copy": "repeats an earlier comment",
    "language": "is in another language than the thread",
    "advertising": "advertises",
    "broken": "is broken or shuffled text",
    "insult": "insults",
    "toxicity": "has a high toxicity score",
    "capitals": "is written in capitals",
}
# Shares of 7,877 comments of a newspaper's readers (C3), and the severity of insults that so many of them reach.
_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05)
_SEVERITIES = (1.79, 1.51, 0.951, 0.617, 0.359, 0.238, 0.111)

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Enough of a comment to tell its language, or whether it is written in capitals.
_LEAST_WORDS, _LEAST_LETTERS = 8, 12
# Enough comments to tell the language of a thread, and those between two reports of progress.
_MANY_COMMENTS = 1_000
_SURE, _AHEAD = (
    0.2,
    2.5,
)  # share of small words of a language, and times the share of the thread's own
_LEAST_CAPITALS, _LEAST_CAPITAL_WORDS, _CAPITAL_SHARE = 30, 6, 0.7
_CAPITAL = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΫА-Я]")
_ASCII_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")
# Text that was decoded wrongly shows replacement characters, or accented capitals before signs.
_MOJIBAKE = re.compile("\ufffd|[ÃÂâ][\u0080-\u00bf€™œ“”˜]|ã[\u0080-\u00bf]")
_LEAST_MOJIBAKE, _MOJIBAKE_SHARE = 3, 0.03
_EXCERPT = 30  # characters of a text that are shown as the cause


@dataclass(frozen=True, slots=True)
class Held:
    """Why a comment is held back: the kind, the words that caused it, and the id of the comment that it copies."""

    kind: str
    words: tuple[str, ...]
    copy_of: str | None = None

    @property
    def text(self) -> str:
        """The reason in one line, for readers.

        >>> Held("insult", ("idiot",)).text
        'insults: “idiot”'
        """
        what = f"{KINDS[self.kind]} ({self.copy_of})" if self.copy_of else KINDS[self.kind]
        quoted = ", ".join(f"“{word}”" for word in self.words[:3])
        return f"{what}: {quoted}" if quoted else what


@dataclass(frozen=True, slots=True)
class Gate:
    """Which comments to hold back.

    `share` is how many of usual comments may be held back for insults; `toxicity` the score, of a model of the user's, from which one is.
    """

    share: float = SHARE
    toxicity: float = TOXICITY

    def __post_init__(self) -> None:
        if not 0 <= self.share <= MOST_SHARE:
            raise ArgumentError(f"`share` is {self.share}, not a share from 0 to {MOST_SHARE}")
        if not 0 <= self.toxicity <= 1:
            raise ArgumentError(f"`toxicity` is {self.toxicity}, not a score from 0 to 1")

    @property
    def severity(self) -> float:
        """The severity of insults from which a comment is held back."""
        if not self.share:
            return float("inf")
        return float(np.interp(np.log(self.share), np.log(_SHARES), _SEVERITIES))

    def held(self, thread: Thread, progress: OnProgress = silent) -> list[Held | None]:
        """Return for each comment why it is held back, None where it is not."""
        lang = thread_language(thread)
        originals = copies(thread.comments, spaced=has_spaces(lang))
        severity = self.severity
        rude = insults_of(tuple(comment.text for comment in thread.comments), lang)
        held: list[Held | None] = []
        for row, comment in enumerate(thread.comments):
            if row in originals:
                original = thread.comments[originals[row]].id
                held.append(Held("copy", (_start(comment.text),), original))
            else:
                held.append(self._alone(comment, rude[row], lang, severity))
            if len(held) % _MANY_COMMENTS == 0:
                progress(Progress("looking for what to hold back", len(held), len(rude)))
        return held

    def _alone(self, comment: Comment, rude: Insults, lang: str, severity: float) -> Held | None:
        """Return why a comment is held back, whatever else is in its thread; for insults from `severity` on.

        `rude` are the insults of its text.
        """
        text = without_addresses(comment.text)
        if (own := other_language(text, lang)) is not None:
            return Held("language", (own, _start(comment.text)))
        if words := advert(comment.text, lang):
            return Held("advertising", words)
        if words := _broken(text, lang):
            return Held("broken", words)
        if text != comment.text:
            rude = insults(text, lang)  # the words of an address are none
        if rude.severity >= severity:
            return Held("insult", tuple(dict.fromkeys(rude.words)))
        if comment.toxicity is not None and comment.toxicity >= self.toxicity:
            return Held("toxicity", (f"{comment.toxicity:.2f}", *dict.fromkeys(rude.words)))
        if _in_capitals(text):
            return Held("capitals", (_start(comment.text),))
        return None


def thread_language(thread: Thread) -> str:
    """Return the language declared, or that of the thread's script; in Latin letters that of most comments.

    Of a long thread, that of most of a thousand comments.
    """
    lang = language_of(thread)
    if thread.article.lang or lang != "en":
        return lang
    every = max(len(thread.comments) // _MANY_COMMENTS, 1)
    counts = Counter(
        own
        for comment in thread.comments[::every]
        if (own := _latin_language(comment.text)) is not None
    )
    return max(counts, key=lambda own: (counts[own], own == "en"), default=lang)


def other_language(text: str, lang: str) -> str | None:
    """Return the language of a text where it is surely not that of the thread, else None.

    >>> other_language("Je ne suis pas du tout d'accord avec vous sur ce point", "en")
    'fr'
    """
    if not _has_letters(text):
        return None
    own = language(text)
    if settings_of(own).sentences == settings_of(lang).sentences == "cjk":
        # A few kana in Chinese are a name; Japanese of some length without any is none.
        kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
        differs = kana > han / 2 if own == "ja" else not kana and han > _LEAST_LETTERS
        return own if differs and own != lang else None
    if own != "en":  # of another script than Latin
        return own if own != lang and has_latin_letters(lang) != has_latin_letters(own) else None
    if not has_latin_letters(lang):
        return _latin_language(text)
    spoken = _latin_language(text, lang)
    return spoken if spoken not in (lang, None) else None


def _has_letters(text: str) -> bool:
    """Return True for a text of enough letters to tell its language; mostly its beginning has them."""
    return any(
        sum(map(str.isalpha, part)) >= _LEAST_LETTERS for part in (text[: 3 * _LEAST_LETTERS], text)
    )


def _latin_language(text: str, lang: str | None = None) -> str | None:
    """Return the language in Latin letters of a text, by its small words; None where it is not sure."""
    # In ASCII small letters are as long as capitals.
    if text.isascii():
        words = _WORD.findall(text.lower())
    else:
        words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _LEAST_WORDS:
        return None
    if lang is not None and lang not in sections("rankers", "gate-languages.txt"):
        return None
    languages = _languages_of()
    if lang is not None:
        # No other language can be ahead of one that most small words are of.
        small = _small_words(lang)
        if _AHEAD * sum(map(small.__contains__, words)) > len(words):
            return lang
    uses = Counter([code for word in words if word in languages for code in languages[word]])
    best = max(uses, key=lambda code: uses[code], default="")
    least = max(_SURE * len(words), _AHEAD * uses[lang] if lang else 0)
    return best if uses[best] >= least else None


@functools.cache
def _languages_of() -> dict[str, list[str]]:
    """Return the languages of each small word."""
    languages: dict[str, list[str]] = {}
    for code, words in sections("rankers", "gate-languages.txt").items():
        for word in words:
            languages.setdefault(word, []).append(code)
    return languages


@functools.cache
def _small_words(lang: str) -> frozenset[str]:
    return frozenset(sections("rankers", "gate-languages.txt")[lang])


def _broken(text: str, lang: str) -> tuple[str, ...]:
    """Return what shows that a text is broken: characters decoded wrongly, or words in no order; none if it is not."""
    marks = () if text.isascii() else _MOJIBAKE.findall(text)
    if len(marks) >= max(_LEAST_MOJIBAKE, _MOJIBAKE_SHARE * len(text)):
        return tuple(dict.fromkeys(marks))[:3]
    return shuffled(text, lang)


def _in_capitals(text: str) -> bool:
    """Return True for a text of some length whose letters are mostly capitals."""
    if text.isascii():  # bytes are counted ten times as fast
        capitals = len(text) - len(text.encode().translate(None, _ASCII_CAPITALS))
    else:
        capitals = len(_CAPITAL.findall(text))
    if capitals < _LEAST_CAPITALS:
        return False
    cased = capitals + sum(map(str.islower, text))
    words = sum(len(word) > 1 and word.isupper() for word in _WORD.findall(text))
    return words >= _LEAST_CAPITAL_WORDS and capitals >= _CAPITAL_SHARE * cased


def _start(text: str) -> str:
    return excerpt(" ".join(text.split()), _EXCERPT)
