"""Sentences of English, Chinese and Japanese news text, by rules, in linear time.

Summarizers pick sentences and metrics count them, so every part of newsdesk must cut a text at
the same places. The rules are our own and read one stop at a time with the words around it:

    lines       a line break ends a sentence unless the line was wrapped in mid-sentence (`_joint`)
    full stop   the word before is looked up in data/abbreviations.txt; an abbreviation that may
                end a sentence does so before a word that opens sentences (`_full_stop_ends`)
    ! ? and …   end before a capital; a question in quotation marks goes on with its speaker
    glued       "ended.The next" lacks a space: `_glued_cut` tells it from "Node.js"
    zh, ja      。！？ end behind their closing brackets, unless the sentence goes on (`_cjk_cuts`)

Sentences inside a quotation are cut as well, since ten quoted sentences are no use as one unit;
only a Japanese quotation that a particle ties to its sentence stays whole. Rules look a fixed
number of characters around a stop and no expression backtracks: some pages are a mile of dots.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from newsdesk.packaged import sections
from newsdesk.text.language import language

_REACH = 100  # characters looked back for the token before a stop: the longest url we mind
_SOFT = ".!?…‼⁇⁈⁉"
_HARD = "。！？।॥۔؟።"  # end a sentence with no space behind them
_QUOTES = "\"'”’“»«›‹"
_OPENING = "“‘„‚«‹([{¿¡"
_BULLETS = "•▪●◦‣■►▶"
_DASHES = ("-", "‑", "–", "—")

# German closes with “, and a closing mark may stand off: these close only with nothing glued on.
_CLOSE = r"""["'”’»›)\]}*]|\[\d{1,3}\]|[“«](?=[\s.,;:!?)]|$)|[ \xa0\u202f][»”’](?=\s|$)"""
# One set at the front lets the engine skip plain text three times as fast as an alternation.
_STOP = re.compile(
    rf"([{_SOFT}{_HARD}{_BULLETS})](?:(?<=[{_SOFT}])[{_SOFT}]*+(?:(?:[ \xa0]\.){{2,}}+)?+"
    rf"|(?<=[{_HARD}])[{_HARD}]*+|(?<=\s[{_BULLETS}])|(?<=\w\))(?=\s)))((?:{_CLOSE}|[.!?…])*+)\s*+"
)
_NEXT = re.compile(r"([^\w\s]{0,6})\s?(\w{0,30})([.'’‑-]?)")
_WORD = re.compile(r"\w")
_STRAIGHT = re.compile('"')
_QUOTED = re.compile(f"[{_QUOTES}]")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")
_CONSONANTS = re.compile(r"[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,4}")
_COMPOUND = re.compile(r"[-–—/(]")
_PATH = re.compile(r"[./_=\\]")
_BRAND = re.compile(r"[a-z]{1,2}[A-Z]")
_ROMAN = re.compile(r"[IVXLC]{2,}|[VX]")
_MARKER = re.compile(r"\d{1,3}|[A-Za-z]|[IVX]{1,5}")
_LINE_MARKER = re.compile(rf"[{_BULLETS}·*]|[-–]\s|\d{{1,2}}[.)]\s|[a-z]\)\s")
_TITLE = re.compile(r"\s*+[A-Z](?!.*\b[a-z]{5})")  # Title Case or capitals
_REMARK = re.compile(r"\s{0,4}\([^() ]{1,60}+ [^()]{1,200}+\)\s[A-Z]")
_CLOCK = re.compile(r"\w{1,30} (?:[Tt]ime|[Ss]tandard|[Dd]aylight|[Ss]ummer)\b")
_SPEAKER = re.compile(
    r"(?:(?:[A-Z][a-z]{0,4}\.|[^\W\d_][\w'’-]{0,30})\s){1,5}?(?:said|says|asked|asks|told|added|"
    r"replied|wrote|writes|cried|shouted|yelled|tweeted|wondered|demanded|continued)\b"
)


@cache
def _words() -> dict[str, frozenset[str]]:
    """The groups of data/abbreviations.txt."""
    groups = sections("text", "abbreviations.txt")
    return {name: frozenset(words) for name, words in groups.items()}


@cache
def _kinds() -> dict[str, str]:
    """Each abbreviation, without its last stop, and its group."""
    names = ("title", "linking", "number", "time", "may_end", "state", "unit")
    return {word: name for name in names for word in _words()[name]}


class _Stop(NamedTuple):
    """A run of stops and what stands around it."""

    before: str  # the sentence up to the stop, at most its last _REACH characters
    previous: str  # the last word but one
    token: str  # the word that the stop is glued to
    mark: str
    close: str  # quotation marks and brackets that close behind it
    lead: str  # punctuation before the next word
    word: str  # the next word
    tail: str  # what is glued to the next word

    @classmethod
    def read(cls, text: str, begin: int, at: int, mark: str, close: str, behind: int) -> "_Stop":
        """The stop at `at` of the sentence begun at `begin`; the text goes on at `behind`."""
        before = text[max(begin, at - _REACH) : at]
        tokens = ["", *before.rsplit(None, 2)]
        words = (tokens[-2], "" if before[-1].isspace() else tokens[-1])
        follows = _NEXT.match(text, behind)
        return cls(before, *words, mark, close, *(follows.groups() if follows else ("", "", "")))

    @property
    def small(self) -> bool:
        """Whether the next word begins with a small letter and is no brand or handle."""
        brand = self.lead.endswith(("@", "#")) or _BRAND.match(self.word)
        return self.word[:1].islower() and not brand

    @property
    def starter(self) -> bool:
        """Whether the next word opens sentences and names nothing ("All", not "All-Star")."""
        known = self.word in _words()["starter"]
        return known and self.tail not in (".", "-", "‑") and not self.lead.startswith(_DASHES)


def sentences(text: str, lang: str | None = None) -> list[str]:
    """The sentences of `text` in order, each stripped; joined they hold every non-space character.

    `lang` is "zh", "ja" or "en"; any other language written with spaces gets the English rules, and
    without one the script decides.
    A sentence is a slice of the text: a line break inside a wrapped sentence stays.

    >>> sentences('Gen. Lee left the U.S. on Monday. "Why?" he was asked.')
    ['Gen. Lee left the U.S. on Monday.', '"Why?" he was asked.']
    """
    lang = lang or language(text)
    cjk = lang in ("zh", "ja")
    quoted = '"' in text
    found: list[str] = []
    for low, high in _blocks(text, cjk=cjk):
        # Every second straight quotation mark of a paragraph opens a quotation.
        marks = _STRAIGHT.finditer(text, low, high) if quoted else ()
        quotes = {mark.start() for mark in islice(marks, 0, None, 2)}
        block = (text, low, high, quotes)
        bounds = [low, *(_cjk_cuts(*block, lang) if cjk else _spaced_cuts(*block))]
        if len(bounds) > 1 and not _WORD.search(text, bounds[-1], high):
            bounds.pop()  # stars, emoji or a lone quotation mark belong to the sentence before
        found += [text[begin:end].strip() for begin, end in pairwise([*bounds, high])]
    return found


def _blocks(text: str, *, cjk: bool) -> list[tuple[int, int]]:
    """The spans that no sentence crosses: lines, joined where they were wrapped in mid-sentence."""
    lines: list[tuple[int, int]] = []
    joints: list[str] = []  # how a line meets the one before
    last, offset, width = "", 0, 0
    for raw in text.splitlines(keepends=True):
        line = raw.strip()
        if line:
            joints.append((_cjk_joint if cjk else _joint)(last, line) if last else "shut")
            if joints[-1] == "open":
                width = max(width, lines[-1][1] - lines[-1][0])
            lines.append((offset, offset + len(raw.rstrip())))
        last = line
        offset += len(raw)
    # Lines that were surely wrapped tell how wide the text is. An unsure line was wrapped as
    # well if the next word did not fit behind it; narrow columns (lists, verse) prove nothing.
    blocks = lines[:1]
    for (low, high), how, (begin, end) in zip(lines, joints[1:], lines[1:], strict=False):
        if how == "unsure" and width >= (20 if cjk else 40):
            room = 1 if cjk else len(text[begin:end].split(None, 1)[0])
            if width - room <= high - low <= width + 8:
                how = "shut" if blocks[-1][0] == low and _TITLE.match(text, low, high) else "open"
        blocks.append((blocks.pop()[0] if how == "open" else begin, end))
    return blocks


def _joint(line: str, following: str) -> str:
    """How two lines of a language with spaces meet: "open" (one sentence), "shut" or "unsure"."""
    if _LINE_MARKER.match(following):
        return "shut"
    last = line[-_REACH:].split()[-1]
    if line.rstrip(_QUOTES + ")]}*").endswith((".", "!", "?", "…")):
        if last.endswith(".") and not last.endswith(".."):
            kind = _kind(last[:-1])
            if kind is None:
                return "shut"
            if kind in ("title", "linking") or (kind == "number" and following[0].isdigit()):
                return "open"
        return "open" if _goes_on_small(following) else "unsure"
    goes_on = line.endswith((",", ";", "(", "&", *_DASHES)) or last in _words()["open_line"]
    return "open" if goes_on or _goes_on_small(following) else "unsure"


def _goes_on_small(line: str) -> bool:
    """Whether a line begins with a small letter that is no brand's."""
    return line.lstrip(_OPENING + _QUOTES)[:1].islower() and not _BRAND.match(line)


def _spaced_cuts(text: str, low: int, high: int, quotes: set[int]) -> Iterator[int]:
    """Where sentences end inside one block of a language written with spaces."""
    begin = scanned = low
    first = -1  # the sentence's first word character: without one there is nothing to end
    item = 0  # number of the list item being read
    for match in _STOP.finditer(text, low, high):
        at, end, behind = match.start(), match.end(2), match.end()
        if behind >= high:
            return
        if first < 0:
            word = _WORD.search(text, scanned, at)
            scanned = at
            if word is None:
                continue
            first = word.start()
        cut = -1
        if match[1] in _BULLETS:
            cut = at
        elif match[1] == ")":
            cut = at + 1 if begin > low and _REMARK.match(text, begin, at + 3) else -1
        elif match[1][0] in _HARD:
            cut = end
        elif behind > end or not (text[behind].islower() or text[behind].isdigit()):
            close = match[2]
            if text[behind : behind + 2] == '" ' and behind not in quotes:
                close, end, behind = '"', behind + 1, behind + 2  # stands off: tokenized text
            stop = _Stop.read(text, begin, at, match[1], close, behind)
            number = int(stop.token) if stop.token.isdecimal() and behind > end else 0
            head = at - len(stop.token)
            if first >= head and _MARKER.fullmatch(stop.token):
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


def _ends(text: str, stop: _Stop, behind: int) -> bool:
    """Whether a stop with space behind it ends its sentence; the text goes on at `behind`."""
    token = stop.token
    if stop.lead.startswith((",", ";", ":")):
        return False
    if stop.mark in (".", ".."):
        return _full_stop_ends(text, stop, behind)
    if "!" not in stop.mark and "?" not in stop.mark:
        # An ellipsis with a space before it marks an omission; a fourth dot ends it.
        if token or len(stop.mark.replace("…", "...")) == 4:
            return not stop.small
        return stop.starter and stop.word != "I"
    if stop.small and (stop.close or not stop.lead.startswith(tuple(_OPENING + _QUOTES))):
        # "Yahoo! said" and "(why?) he"; but "who knows? nobody" has only lost its capital.
        plain = token.islower() and len(token) >= 4 and not (stop.close or stop.lead)
        return plain and not _SPEAKER.match(text, behind)
    if token in _words()["exclaiming"]:
        return stop.starter
    return not (_QUOTED.search(stop.close) and not stop.starter and _SPEAKER.match(text, behind))


def _full_stop_ends(text: str, stop: _Stop, behind: int) -> bool:
    """Whether a single full stop ends its sentence."""
    token, word, calendar = stop.token, stop.word, _words()["calendar"]
    kind = None if stop.close.endswith((".", "!", "?", "…")) else _kind(token)
    if kind in ("title", "linking"):
        return False
    if stop.small:
        # The capital was forgotten; but short words may be abbreviations that nobody listed.
        forgot = stop.mark == "." and len(token) >= 4 and not stop.lead.startswith(_DASHES)
        return forgot and not kind and not stop.close
    match kind:
        case None:
            return not (token.isdigit() and len(token) <= 2 and word in calendar)
        case "unit" | "number":
            return not (word[:1].isdigit() or (kind == "number" and _ROMAN.fullmatch(word)))
        case "time":
            # "At 5 a.m. Mr. Lee left.", "at 5 p.m. Tokyo time"
            late = stop.starter or (len(stop.before.split()) > 3 and not _CLOCK.match(text, behind))
            return late and word not in calendar and not stop.lead.startswith(("(", *_DASHES))
    if stop.starter or _QUOTED.search(stop.close):
        return True
    if kind == "initial":
        return stop.previous.lower() in _words()["label"]
    # "in Macon, Ga. Kay Lee": inside a sentence a comma would follow the state.
    place = kind == "state" and stop.previous.endswith(",") and not stop.close + stop.lead
    return place and word[:1].isupper() and word not in calendar


def _kind(token: str) -> str | None:
    """The group of the abbreviation before a full stop, or None for a plain word."""
    word = token.lstrip(_OPENING + _QUOTES)
    known = _kinds().get(word)
    if known or not word:
        return known
    if len(word) == 1:
        return "initial" if word.upper() != word.lower() else None
    if _DOTTED.fullmatch(word) or _CONSONANTS.fullmatch(word):
        return "may_end"
    return _kind(_COMPOUND.split(word)[-1]) if _COMPOUND.search(word) else None


def _glued_cut(text: str, stop: _Stop, end: int, quotes: set[int]) -> int:
    """Where to cut at a stop with no space behind it ("ended.The next"); -1 for nowhere."""
    token, word, close, cut = stop.token, stop.word, stop.close, end
    if '"' in close and (mark := end - len(close) + close.index('"')) in quotes:
        cut, close = mark, close[: mark - end]
    if stop.lead and stop.lead[0] not in _OPENING + _BULLETS + "–—":
        return -1
    if "://" in token or "www." in token or "@" in token + text[cut : cut + 60].split()[0]:
        return -1
    if not word[:1].isupper():
        # No capitals in this script (Korean, Hebrew): the letter before must be of such a one, too.
        caseless = word[:1].isalpha() and not word[:1].islower() and token[-1:].isalpha()
        return cut if caseless and token[-1].upper() == token[-1].lower() else -1
    kind = _kind(token)
    if kind in ("title", "linking", "number") or (kind and len(word) == 1):
        return -1
    if stop.starter and (token[-1:].isalnum() or close or stop.mark != "."):
        return cut
    if kind or token in _words()["exclaiming"] or _PATH.search(token):
        return -1
    if close:
        return cut
    name = not word[1:2].islower() or stop.tail == "." or word.lower() in _words()["file"]
    return cut if not name and len(word) > 2 and token[-1:].islower() and len(token) > 1 else -1


# What carries a sentence on behind any stop, and behind one that closes a quotation or bracket.
_ZH = r"[，、；：,;:]|——|的(?![确確士])"
_ZH_CLOSED = r"|[\u4e00-\u9fff]{0,8}?(?:[说說问問喊]道?|[叫笑写寫]道|答|表示)(?=[。，：！？]|$)"
_JA = r"[、，。！？]|って|[のを](?!ち)|と(?:思|言|い[うっわ]|聞|叫|感|考|書|述|話|語|答|つぶや)"
_JA_CLOSED = (
    r"|と(?!ころ|にかく|はいえ|うとう|ても|もかく|りあえず)|など|なんて|へ|から|が(?!ん)|に(?!も|ゃ|ほ)|"
    r"は(?!い|じ|っ|や|る|な)|も(?!し|う|ち|っ|の|と)|で(?!も|は|き)|や(?!が|は|っ|め)|だ(?!か|が)"
)
_GOES_ON = {"zh": re.compile(_ZH), "ja": re.compile(_JA)}
_GOES_ON_CLOSED = {"zh": re.compile(_ZH + _ZH_CLOSED), "ja": re.compile(_JA + _JA_CLOSED)}
_CJK_STOP = re.compile(
    rf"""((?:[｡．…{_HARD}]|[{_SOFT}](?![0-9A-Za-z])|(?<![0-9A-Za-z])[{_SOFT}])++)"""
    r"""((?:["'”’」』）)】〕》〉］\]]|[。｡！？!?.．…])*+)\s*+|[「『（(《〈]"""
)
_BRACKETS = re.compile(r"[「『（(《〈〉》)）』」]")
_PARTNER = dict(zip("」』）)》〉", "「『（(《〈", strict=True))


def _cjk_joint(line: str, following: str) -> str:
    """How two lines of Chinese or Japanese meet: "open", "shut" or "unsure"."""
    if line[-1] in "，、,（(「『“《" or following[0] in "，、。！？）」』”》":
        return "open"
    return "shut" if line.rstrip("\"'”’」』）)")[-1:] in tuple("。｡！？!?.．…；;：:") else "unsure"


def _cjk_cuts(text: str, low: int, high: int, quotes: set[int], lang: str) -> Iterator[int]:
    """Where sentences end inside one block of Chinese or Japanese."""
    partner = _bracket_pairs(text, low, high)
    begin = scanned = position = low
    first = -1
    while match := _CJK_STOP.search(text, position, high):
        at, position = match.span()
        if first < 0 and (word := _WORD.search(text, scanned, at)):
            first = word.start()
        scanned = at
        if match[1] is None:
            if at in partner and _kept_whole(text, at, partner[at], lang, inner=first >= 0):
                position = partner[at] + 1
        elif first >= 0 and position < high:
            cut, close = match.end(2), match[2]
            if '"' in close and (mark := match.start(2) + close.index('"')) in quotes:
                cut, close, position = mark, close[: mark - cut], mark
            stop = _Stop.read(text, begin, at, match[1], close, position)
            marker = first >= at - len(stop.token) and _MARKER.fullmatch(stop.token)
            if not marker and _cjk_ends(text, stop, cut, position, lang):
                yield cut
                begin = scanned = cut
                first = -1


def _bracket_pairs(text: str, low: int, high: int) -> dict[int, int]:
    """The place of the closing bracket for each opening one that has a partner."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in _BRACKETS.finditer(text, low, high):
        if bracket[0] not in _PARTNER:
            waiting.append(bracket.start())
        elif waiting and text[waiting[-1]] == _PARTNER[bracket[0]]:
            pairs[waiting.pop()] = bracket.start()
    return pairs


def _kept_whole(text: str, begin: int, end: int, lang: str, *, inner: bool) -> bool:
    """Whether stops between two brackets end nothing; `inner`: the sentence began before them."""
    if text[begin] in "《〈":
        return True  # titles: 《你好！李焕英》
    if text[begin] in "（(":
        return inner and text[end - 1] != "。"
    follows = text[end + 1 : end + 2]
    tied = _GOES_ON_CLOSED[lang].match(text, end + 1) is not None
    # 彼は「えっ！」叫んだ, the name 「ラブライブ！」シリーズ: without a full stop no sentence of its own.
    return lang == "ja" and (tied or (inner and text[end - 1] in "！？!?" and follows.isalpha()))


def _cjk_ends(text: str, stop: _Stop, cut: int, behind: int, lang: str) -> bool:
    """Whether a stop in Chinese or Japanese ends its sentence."""
    mark, last, follows, spaced = stop.mark, stop.before[-1], text[behind], behind > cut
    if not spaced and (_GOES_ON_CLOSED if stop.close else _GOES_ON)[lang].match(text, behind):
        return False
    if any(sign in _HARD + "｡‼⁇⁈⁉" for sign in mark):
        return True
    latin = re.split(r"[^A-Za-z]", stop.token)[-1]
    if "!" in mark or "?" in mark:
        return latin not in _words()["exclaiming"]
    if "…" in mark or len(mark) > 2:
        # Only in Chinese does …… end, and not in a stammer (我……我不知道).
        return lang == "zh" and last != follows
    if spaced:
        return _full_stop_ends(text, stop, behind)
    plain = not last.isascii() or (len(latin) > 1 and _kind(latin) is None)
    return plain and not follows.isascii() and not follows.isdigit()
