"""Where sentences end in languages written with spaces: wrapped lines, stops of every kind, lists, stops with no space behind them.

A `Stop` is a stop in a text with the words around it: what every rule about the end of a sentence reads, also in Chinese and Japanese (`sentences`). The word before a full
stop is looked up in data/abbreviations.txt; an abbreviation that may end a sentence does so before a word that opens sentences (`full_stop_ends`). Rules look a fixed number
of characters around a stop, so that a long run of dots costs linear time.
"""

import re
from collections.abc import Iterator
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
        *_, previous, last = ["", *before.rsplit(None, 2)]
        token = "" if before[-1].isspace() else last
        follows = _NEXT.match(text, behind)
        lead, word, tail = follows.groups() if follows else ("", "", "")
        return cls(before, previous, token, mark, close, lead, word, tail)

    @property
    def small(self) -> bool:
        """Whether the next word begins with a small letter and is no brand or handle."""
        brand = self.lead.endswith(("@", "#")) or BRAND.match(self.word)
        return self.word[:1].islower() and not brand

    @property
    def starter(self) -> bool:
        """Whether the next word opens sentences and names nothing ("All", not "All-Star")."""
        opens = self.word in word_groups()["starter"]
        return opens and self.tail not in (".", "-", "‑") and not self.lead.startswith(DASHES)


def full_stop_ends(text: str, stop: Stop, behind: int) -> bool:
    """Return whether a single full stop ends its sentence; the text goes on at `behind`."""
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
    after_state = kind == "state" and stop.previous.endswith(",") and not stop.close + stop.lead
    return after_state and word[:1].isupper() and word not in calendar


def kind_of(token: str) -> str | None:
    """Return the group of the abbreviation before a full stop, or None for a plain word."""
    word = token.lstrip(OPENING + QUOTES)
    group = _kinds().get(word)
    if group or not word:
        return group
    if len(word) == 1:
        return "initial" if word.upper() != word.lower() else None
    if _DOTTED.fullmatch(word) or _CONSONANTS.fullmatch(word):
        return "may_end"
    return kind_of(_COMPOUND.split(word)[-1]) if _COMPOUND.search(word) else None


# German closes with “, and a closing mark may stand off: these close only with nothing glued on.
_CLOSE = r"""["'”’»›)\]}*]|\[\d{1,3}\]|[“«](?=[\s.,;:!?)]|$)|[ \xa0\u202f][»”’](?=\s|$)"""
# One set at the front lets the engine skip plain text three times as fast as an alternation.
_STOP = re.compile(
    rf"([{SOFT}{HARD}{BULLETS})](?:(?<=[{SOFT}])[{SOFT}]*+(?:(?:[ \xa0]\.){{2,}}+)?+"
    rf"|(?<=[{HARD}])[{HARD}]*+|(?<=\s[{BULLETS}])|(?<=\w\))(?=\s)))((?:{_CLOSE}|[.!?…])*+)\s*+"
)
_PATH = re.compile(r"[./_=\\]")
_LINE_MARKER = re.compile(rf"[{BULLETS}·*]|[-–]\s|\d{{1,2}}[.)]\s|[a-z]\)\s")
_REMARK = re.compile(r"\s{0,4}\([^() ]{1,60}+ [^()]{1,200}+\)\s[A-Z]")
_SPEAKER = re.compile(
    r"(?:(?:[A-Z][a-z]{0,4}\.|[^\W\d_][\w'’-]{0,30})\s){1,5}?(?:said|says|asked|asks|told|added|"
    r"replied|wrote|writes|cried|shouted|yelled|tweeted|wondered|demanded|continued)\b"
)


def spaced_joint(line: str, following: str) -> str:
    """Return how two lines of a language with spaces meet: "open" (one sentence), "shut" or "unsure"."""
    if _LINE_MARKER.match(following):
        return "shut"
    last = line[-REACH:].split()[-1]
    if line.rstrip(QUOTES + ")]}*").endswith((".", "!", "?", "…")):
        if last.endswith(".") and not last.endswith(".."):
            kind = kind_of(last[:-1])
            if kind is None:
                return "shut"
            if kind in ("title", "linking") or (kind == "number" and following[0].isdigit()):
                return "open"
        return "open" if _goes_on_small(following) else "unsure"
    goes_on = line.endswith((",", ";", "(", "&", *DASHES)) or last in word_groups()["open_line"]
    return "open" if goes_on or _goes_on_small(following) else "unsure"


def _goes_on_small(line: str) -> bool:
    """Return whether a line begins with a small letter that is no brand's."""
    return line.lstrip(OPENING + QUOTES)[:1].islower() and not BRAND.match(line)


def spaced_cuts(text: str, low: int, high: int, quotes: set[int]) -> Iterator[int]:
    """Yield where sentences end inside one block of a language written with spaces, from `low` to `high`.

    `quotes` are the places of straight quotation marks that open.
    """
    begin = scanned = low
    first = -1  # the sentence's first word character: without one there is nothing to end
    item = 0  # number of the list item being read
    for match in _STOP.finditer(text, low, high):
        at, end, behind = match.start(), match.end(2), match.end()
        if behind >= high:
            return
        if first < 0:
            word = WORD.search(text, scanned, at)
            scanned = at
            if word is None:
                continue
            first = word.start()
        cut = -1
        if match[1] in BULLETS:
            cut = at
        elif match[1] == ")":
            cut = at + 1 if begin > low and _REMARK.match(text, begin, at + 3) else -1
        elif match[1][0] in HARD:
            cut = end
        elif behind > end or not (text[behind].islower() or text[behind].isdigit()):
            close = match[2]
            if text[behind : behind + 2] == '" ' and behind not in quotes:
                close, end, behind = '"', behind + 1, behind + 2  # stands off: tokenized text
            stop = Stop.read(text, begin, at, match[1], close, behind)
            number = int(stop.token) if stop.token.isdecimal() and behind > end else 0
            head = at - len(stop.token)
            if first >= head and MARKER.fullmatch(stop.token):
                item = number  # "1. First", "B. Second", "J. Smith"
            elif number == item + 1 and (item or stop.previous.endswith(":")):
                cut, item = head, number  # "1. Sugar 2. Milk": the next item of a running list
            elif behind == end:
                cut = _glued_cut(text, stop, end, quotes)
            elif _ends(text, stop, behind):
                cut = end
        if cut > first:
            yield cut
            begin = scanned = cut
            first = -1


def _ends(text: str, stop: Stop, behind: int) -> bool:
    """Return whether a stop with space behind it ends its sentence; the text goes on at `behind`."""
    token = stop.token
    if stop.lead.startswith((",", ";", ":")):
        return False
    if stop.mark in (".", ".."):
        return full_stop_ends(text, stop, behind)
    if "!" not in stop.mark and "?" not in stop.mark:
        # An ellipsis with a space before it marks an omission; a fourth dot ends it.
        if token or len(stop.mark.replace("…", "...")) == 4:
            return not stop.small
        return stop.starter and stop.word != "I"
    if stop.small and (stop.close or not stop.lead.startswith(tuple(OPENING + QUOTES))):
        # "Yahoo! said" and "(why?) he"; but "who knows? nobody" has only lost its capital.
        plain = token.islower() and len(token) >= 4 and not (stop.close or stop.lead)
        return plain and not _SPEAKER.match(text, behind)
    if token in word_groups()["exclaiming"]:
        return stop.starter
    return not (QUOTED.search(stop.close) and not stop.starter and _SPEAKER.match(text, behind))


def _glued_cut(text: str, stop: Stop, end: int, quotes: set[int]) -> int:
    """Return where to cut at a stop with no space behind it ("ended.The next"); -1 for nowhere.

    `end` is where the stop ends, what closes behind it included.
    """
    token, word, close, cut = stop.token, stop.word, stop.close, end
    if '"' in close and (mark := end - len(close) + close.index('"')) in quotes:
        cut, close = mark, close[: mark - end]
    if stop.lead and stop.lead[0] not in OPENING + BULLETS + "–—":
        return -1
    if "://" in token or "www." in token or "@" in token + text[cut : cut + 60].split()[0]:
        return -1
    if not word[:1].isupper():
        # No capitals in this script (Korean, Hebrew): the letter before must be of such a one, too.
        caseless = word[:1].isalpha() and not word[:1].islower() and token[-1:].isalpha()
        return cut if caseless and token[-1].upper() == token[-1].lower() else -1
    kind = kind_of(token)
    if kind in ("title", "linking", "number") or (kind and len(word) == 1):
        return -1
    if stop.starter and (token[-1:].isalnum() or close or stop.mark != "."):
        return cut
    if kind or token in word_groups()["exclaiming"] or _PATH.search(token):
        return -1
    if close:
        return cut
    name = not word[1:2].islower() or stop.tail == "." or word.lower() in word_groups()["file"]
    return cut if not name and len(word) > 2 and token[-1:].islower() and len(token) > 1 else -1
