"""Sentences of English, Chinese and Japanese news text, by rules, in linear time.

Summarizers pick sentences and metrics count them, so every part of newsdesk must cut a text at
the same places. The rules are our own and read one stop at a time with the words around it:

    marks       `</s>` always ends a sentence and stands in none (`normalize`)
    lines       a line break ends a sentence unless the line was wrapped in mid-sentence (`joint`)
    full stop   the word before is looked up in data/abbreviations.txt; an abbreviation that may
                end a sentence does so before a word that opens sentences (`stops`)
    ! ? and …   end before a capital; a question in quotation marks goes on with its speaker
    glued       "ended.The next" lacks a space: `stops` tells it from "Node.js"
    zh, ja      。！？ end behind their closing brackets, unless what follows carries the sentence on

Sentences inside a quotation are cut as well, since ten quoted sentences are no use as one unit;
only a Japanese quotation that a particle ties to its sentence stays whole. Rules look a fixed
number of characters around a stop and no expression backtracks: some pages are a mile of dots.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from newsdesk.languages import LANGUAGES, code_of
from newsdesk.text.language import language
from newsdesk.text.normalize import lined, passages
from newsdesk.text.stops import (
    HARD,
    MARKER,
    SOFT,
    WORD,
    Stop,
    full_stop_ends,
    kind_of,
    spaced_cuts,
    spaced_joint,
    word_groups,
)

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
    rf"""((?:[｡．…{HARD}]|[{SOFT}](?![0-9A-Za-z])|(?<![0-9A-Za-z])[{SOFT}])++)"""
    r"""((?:["'”’」』）)】〕》〉］\]]|[。｡！？!?.．…])*+)\s*+|[「『（(《〈]"""
)
_BRACKETS = re.compile(r"[「『（(《〈〉》)）』」]")
_PARTNER = dict(zip("」』）)》〉", "「『（(《〈", strict=True))


def cjk_joint(line: str, following: str) -> str:
    """Return how two lines of Chinese or Japanese meet: "open", "shut" or "unsure"."""
    if line[-1] in "，、,（(「『“《" or following[0] in "，、。！？）」』”》":
        return "open"
    return "shut" if line.rstrip("\"'”’」』）)")[-1:] in tuple("。｡！？!?.．…；;：:") else "unsure"


def cjk_cuts(text: str, low: int, high: int, quotes: set[int], lang: str) -> Iterator[int]:
    """Yield where sentences end inside one block of Chinese or Japanese, from `low` to `high`.

    `quotes` are the places of straight quotation marks that open.
    """
    partner = _bracket_pairs(text, low, high)
    begin = scanned = position = low
    first = -1  # the sentence's first word character: without one there is nothing to end
    while match := _CJK_STOP.search(text, position, high):
        at, position = match.span()
        if first < 0 and (word := WORD.search(text, scanned, at)):
            first = word.start()
        scanned = at
        if match[1] is None:
            if at in partner and _stays_whole(text, at, partner[at], lang, inner=first >= 0):
                position = partner[at] + 1
        elif first >= 0 and position < high:
            cut, close = match.end(2), match[2]
            if '"' in close and (mark := match.start(2) + close.index('"')) in quotes:
                cut, close, position = mark, close[: mark - cut], mark
            stop = Stop.read(text, begin, at, match[1], close, position)
            marker = first >= at - len(stop.token) and MARKER.fullmatch(stop.token)
            if not marker and _cjk_ends(text, stop, cut, position, lang):
                yield cut
                begin = scanned = cut
                first = -1


def _bracket_pairs(text: str, low: int, high: int) -> dict[int, int]:
    """Return the place of the closing bracket for each opening one that has a partner."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in _BRACKETS.finditer(text, low, high):
        if bracket[0] not in _PARTNER:
            waiting.append(bracket.start())
        elif waiting and text[waiting[-1]] == _PARTNER[bracket[0]]:
            pairs[waiting.pop()] = bracket.start()
    return pairs


def _stays_whole(text: str, begin: int, end: int, lang: str, *, inner: bool) -> bool:
    """Return whether stops between two brackets end nothing; `inner`: the sentence began before them."""
    if text[begin] in "《〈":
        return True  # titles: 《你好！李焕英》
    if text[begin] in "（(":
        return inner and text[end - 1] != "。"
    follows = text[end + 1 : end + 2]
    tied = _GOES_ON_CLOSED[lang].match(text, end + 1) is not None
    # 彼は「えっ！」叫んだ, the name 「ラブライブ！」シリーズ: without a full stop no sentence of its own.
    return lang == "ja" and (tied or (inner and text[end - 1] in "！？!?" and follows.isalpha()))


def _cjk_ends(text: str, stop: Stop, cut: int, behind: int, lang: str) -> bool:
    """Return whether a Chinese or Japanese stop ends its sentence at `cut`; text goes on at `behind`."""
    mark, last, follows, spaced = stop.mark, stop.before[-1], text[behind], behind > cut
    if not spaced and (_GOES_ON_CLOSED if stop.close else _GOES_ON)[lang].match(text, behind):
        return False
    if any(sign in HARD + "｡‼⁇⁈⁉" for sign in mark):
        return True
    latin = re.split(r"[^A-Za-z]", stop.token)[-1]
    if "!" in mark or "?" in mark:
        return latin not in word_groups()["exclaiming"]
    if "…" in mark or len(mark) > 2:
        # Only in Chinese does …… end, and not in a stammer (我……我不知道).
        return lang == "zh" and last != follows
    if spaced:
        return full_stop_ends(text, stop, behind)
    plain = not last.isascii() or (len(latin) > 1 and kind_of(latin) is None)
    return plain and not follows.isascii() and not follows.isdigit()


_STRAIGHT = re.compile('"')
_TITLE = re.compile(r"\s*+[A-Z](?!.*\b[a-z]{5})")  # Title Case or capitals


def sentences(text: str, lang: str | None = None) -> list[str]:
    """Return the sentences of `text` in order, each stripped.

    Joined they hold every non-space character but the marks `</s>`.

    `lang` is "zh", "ja" or "en"; any other language written with spaces gets the English rules, and
    without one the script decides.
    A sentence is a slice of the text: a line break inside a wrapped sentence stays.

    >>> sentences('Gen. Lee left the U.S. on Monday. "Why?" he was asked.')
    ['Gen. Lee left the U.S. on Monday.', '"Why?" he was asked.']
    """
    if "<" not in text:  # nearly all: no mark to look for
        return _sentences(text, lang or language(text))
    lang = lang or language(lined(text))
    return [sentence for part in passages(text) for sentence in _sentences(part, lang)]


def _sentences(text: str, lang: str) -> list[str]:
    """Return the sentences of a text without marks."""
    cjk = lang in LANGUAGES and LANGUAGES[lang].sentences == "cjk"
    quoted = '"' in text
    pieces: list[str] = []
    for low, high in _blocks(text, cjk=cjk):
        # Every second straight quotation mark of a paragraph opens a quotation.
        marks = _STRAIGHT.finditer(text, low, high) if quoted else ()
        quotes = {mark.start() for mark in islice(marks, 0, None, 2)}
        block = (text, low, high, quotes)
        cuts = cjk_cuts(*block, code_of(lang)) if cjk else spaced_cuts(*block)
        bounds = [low, *cuts]
        if len(bounds) > 1 and not WORD.search(text, bounds[-1], high):
            bounds.pop()  # stars, emoji or a lone quotation mark belong to the sentence before
        pieces += [text[begin:end].strip() for begin, end in pairwise([*bounds, high])]
    return pieces


def _blocks(text: str, *, cjk: bool) -> list[tuple[int, int]]:
    """Return the spans that no sentence crosses: lines, joined where they were wrapped in mid-sentence."""
    lines: list[tuple[int, int]] = []  # spans without white space around them
    joints: list[str] = []  # how a line meets the one before
    joint = cjk_joint if cjk else spaced_joint
    last, offset, width = "", 0, 0
    for raw in text.splitlines(keepends=True):
        line = raw.strip()
        if line:
            joints.append(joint(last, line) if last else "shut")
            if joints[-1] == "open":
                begin, end = lines[-1]
                width = max(width, end - begin)
            lines.append((offset, offset + len(raw.rstrip())))
        last = line
        offset += len(raw)
    # Lines that were surely wrapped tell how wide the text is. An unsure line was wrapped as
    # well if the next word did not fit behind it; narrow columns (lists, verse) prove nothing.
    blocks = lines[:1]
    for (low, high), how, (begin, end) in zip(lines, joints[1:], lines[1:], strict=False):
        block_begin, _ = blocks[-1]
        if how == "unsure" and width >= (20 if cjk else 40):
            room = 1 if cjk else len(text[begin:end].split(None, 1)[0])
            if width - room <= high - low <= width + 8:
                how = "shut" if block_begin == low and _TITLE.match(text, low, high) else "open"
        if how == "open":
            blocks[-1] = block_begin, end
        else:
            blocks.append((begin, end))
    return blocks
