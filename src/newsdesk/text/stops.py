"""A stop in a text and the words around it: what every rule about the end of a sentence reads.

The word before a full stop is looked up in data/abbreviations.txt; an abbreviation that may end a sentence does so before a word that
opens sentences (`full_stop_ends`). Rules look a fixed number of characters around a stop, so that a long run of dots costs linear time.
"""

import re
from functools import cache
from typing import NamedTuple

from newsdesk.packaged import sections

REACH = 100  # characters looked back for the token before a stop: the longest url we mind
SOFT = ".!?…‼⁇⁈⁉"
HARD = "。！？।॥۔؟።"  # end a sentence with no space behind them
QUOTES = "\"'”’“»«›‹"
OPENING = "“‘„‚«‹([{¿¡"
BULLETS = "•▪●◦‣■►▶"
DASHES = ("-", "‑", "–", "—")

WORD = re.compile(r"\w")
QUOTED = re.compile(f"[{QUOTES}]")
BRAND = re.compile(r"[a-z]{1,2}[A-Z]")
MARKER = re.compile(r"\d{1,3}|[A-Za-z]|[IVX]{1,5}")
_NEXT = re.compile(r"([^\w\s]{0,6})\s?(\w{0,30})([.'’‑-]?)")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")
_CONSONANTS = re.compile(r"[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,4}")
_COMPOUND = re.compile(r"[-–—/(]")
_ROMAN = re.compile(r"[IVXLC]{2,}|[VX]")
_CLOCK = re.compile(r"\w{1,30} (?:[Tt]ime|[Ss]tandard|[Dd]aylight|[Ss]ummer)\b")


@cache
def word_groups() -> dict[str, frozenset[str]]:
    """Return the groups of data/abbreviations.txt."""
    groups = sections("text", "abbreviations.txt")
    return {name: frozenset(words) for name, words in groups.items()}


@cache
def _kinds() -> dict[str, str]:
    """Return each abbreviation, without its last stop, and its group."""
    names = ("title", "linking", "number", "time", "may_end", "state", "unit")
    return {word: name for name in names for word in word_groups()[name]}


class Stop(NamedTuple):
    """A run of stops and what stands around it."""

    before: str  # the sentence up to the stop, at most its last REACH characters
    previous: str  # the last word but one
    token: str  # the word that the stop is glued to
    mark: str
    close: str  # quotation marks and brackets that close behind it
    lead: str  # punctuation before the next word
    word: str  # the next word
    tail: str  # what is glued to the next word

    @classmethod
    def read(cls, text: str, begin: int, at: int, mark: str, close: str, behind: int) -> "Stop":
        """Return the stop at `at` of the sentence begun at `begin`; the text goes on at `behind`."""
        before = text[max(begin, at - REACH) : at]
        tokens = ["", *before.rsplit(None, 2)]
        words = (tokens[-2], "" if before[-1].isspace() else tokens[-1])
        follows = _NEXT.match(text, behind)
        return cls(before, *words, mark, close, *(follows.groups() if follows else ("", "", "")))

    @property
    def small(self) -> bool:
        """Whether the next word begins with a small letter and is no brand or handle."""
        brand = self.lead.endswith(("@", "#")) or BRAND.match(self.word)
        return self.word[:1].islower() and not brand

    @property
    def starter(self) -> bool:
        """Whether the next word opens sentences and names nothing ("All", not "All-Star")."""
        known = self.word in word_groups()["starter"]
        return known and self.tail not in (".", "-", "‑") and not self.lead.startswith(DASHES)


def full_stop_ends(text: str, stop: Stop, behind: int) -> bool:
    """Return whether a single full stop ends its sentence."""
    token, word, calendar = stop.token, stop.word, word_groups()["calendar"]
    kind = None if stop.close.endswith((".", "!", "?", "…")) else kind_of(token)
    if kind in ("title", "linking"):
        return False
    if stop.small:
        # The capital was forgotten; but short words may be abbreviations that nobody listed.
        forgot = stop.mark == "." and len(token) >= 4 and not stop.lead.startswith(DASHES)
        return forgot and not kind and not stop.close
    match kind:
        case None:
            return not (token.isdigit() and len(token) <= 2 and word in calendar)
        case "unit" | "number":
            return not (word[:1].isdigit() or (kind == "number" and _ROMAN.fullmatch(word)))
        case "time":
            # "At 5 a.m. Mr. Lee left.", "at 5 p.m. Tokyo time"
            late = stop.starter or (len(stop.before.split()) > 3 and not _CLOCK.match(text, behind))
            return late and word not in calendar and not stop.lead.startswith(("(", *DASHES))
    if stop.starter or QUOTED.search(stop.close):
        return True
    if kind == "initial":
        return stop.previous.lower() in word_groups()["label"]
    # "in Macon, Ga. Kay Lee": inside a sentence a comma would follow the state.
    place = kind == "state" and stop.previous.endswith(",") and not stop.close + stop.lead
    return place and word[:1].isupper() and word not in calendar


def kind_of(token: str) -> str | None:
    """Return the group of the abbreviation before a full stop, or None for a plain word."""
    word = token.lstrip(OPENING + QUOTES)
    known = _kinds().get(word)
    if known or not word:
        return known
    if len(word) == 1:
        return "initial" if word.upper() != word.lower() else None
    if _DOTTED.fullmatch(word) or _CONSONANTS.fullmatch(word):
        return "may_end"
    return kind_of(_COMPOUND.split(word)[-1]) if _COMPOUND.search(word) else None
