"""Which blocks are lines of the article: the lead above the body, and the body without the lines that only surround it.

The cues are dull ones: link text, duplicates, the title, lines that hold only a date, bylines with the names of the authors,
image credits, invitations to read or subscribe elsewhere, labels of which everything under them was dropped, and what is told
about the author at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from newsdesk.corpus.extract.blocks import HEADINGS, Block, Outline
from newsdesk.corpus.extract.container import Container, words
from newsdesk.corpus.extract.data import groups
from newsdesk.corpus.extract.dates import names_day
from newsdesk.corpus.extract.metadata import Metadata
from newsdesk.corpus.extract.title import folded, letters

_LINKED = 0.6
_LINKED_P = 0.9
_LONG_LINK = 80
_LABEL = 40
_DUPLICATE = 20
_SHORT = 120
_CREDIT = 200
_INVITATION = 250
_LEAD = 40
_LAST = 4
_MOST_FOLDED = 400
_CLOCK = re.compile(r"\b\d{1,2}[:.h]\d{2}\b")
_STOP = re.compile(r"(?<!\.)[.!?。！？।][\"'”»’“)」』]{0,2}$")
_LETTER = re.compile(r"[^\W\d_]")
_BYLINE = re.compile(r"(?:by|von|par|por|di|da|door|av|af|eftir|yazan|од|от|oleh)\s(?=[^\W\d_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _About:
    """What is known of the article, folded for comparison."""

    title: str
    letters: str
    authors: tuple[str, ...]
    descriptions: tuple[str, ...]


def lines(shown: Outline, place: Container, page: Metadata, title: str) -> list[str]:
    """The lines of the article, the lead first."""
    about = _About(
        folded(title),
        letters(title),
        tuple(folded(name) for name in page.authors if len(name) > 4),
        tuple(folded(text).rstrip(" .…") for text in page.descriptions if len(text) >= _LEAD),
    )
    inside = [n for n, block in enumerate(shown.blocks) if block.node in place]
    body = _body([shown.blocks[n] for n in inside if not place.dropped[shown.blocks[n].node]], about)
    above = [block for block in _above(shown, place, inside[0], about) if not _why_dropped(block, about)]
    texts: dict[str, str] = {}
    for block in (*above, *body):
        key = block.text if len(block.text) >= _DUPLICATE else f"{len(texts)}"
        texts.setdefault(key, block.text)
    return list(texts.values())


def _above(shown: Outline, place: Container, first: int, about: _About) -> list[Block]:
    """The lead: blocks above the body, or dropped in it, that the description repeats, and sentences between `h1` and body."""
    heading = _heading(shown, place, first, about)
    lead = []
    for n, block in enumerate(shown.blocks):
        is_inside = block.node in place
        if is_inside and not place.dropped[block.node]:
            continue
        if _repeats_description(block, about):
            lead.append(block)
        elif heading < n < first and not place.dropped[block.node] and _is_sentence(block):
            lead.append(block)
    return lead


def _heading(shown: Outline, place: Container, first: int, about: _About) -> int:
    """The last `h1` above the body, else the last heading there that holds the title, else where the body begins."""
    above = [
        n
        for n, block in enumerate(shown.blocks[:first])
        if block.tag in HEADINGS and not place.dropped[block.node]
    ]
    titles = [n for n in above if shown.blocks[n].tag == "h1"] or [
        n for n in above if about.letters and about.letters in letters(shown.blocks[n].text)
    ]
    return [first, *above[:1], *titles][-1]


def _is_sentence(block: Block) -> bool:
    return len(block.text) >= _LEAD and block.like_sentence and block.link_share < 0.3


def _repeats_description(block: Block, about: _About) -> bool:
    if len(block.text) < _LEAD or not about.descriptions or block.link_share > 0.5:
        return False
    text = folded(block.text[:_MOST_FOLDED])
    return any(text.startswith(each[:200]) or each.startswith(text.rstrip(" .…")) for each in about.descriptions)


def _body(blocks: Sequence[Block], about: _About) -> list[Block]:
    drops = [_why_dropped(block, about) for block in blocks]
    paragraphs = sum(block.size for block in blocks if block.good and block.tag == "p")
    if paragraphs > 0.8 * sum(block.size for block in blocks if block.good):
        for n, block in enumerate(blocks):
            if block.tag in ("div", "span", "section", "article", "dt","dd") and (len(block.text) < 60 or not block.like_sentence):
                drops[n] = drops[n] or "odd"
    start = next((n for n, block in enumerate(blocks) if block.tag == "h1"), -1)
    if any(block.good for block in blocks[:start]):
        start = -1
    kept: list[Block] = []
    for n, block in enumerate(blocks):
        if n <= start or drops[n]:
            continue
        if _is_label(block) and n + 1 < len(blocks) and drops[n + 1] == "links":
            continue
        kept.append(block)
    return _without_end(kept, about)


def _without_end(blocks: list[Block], about: _About) -> list[Block]:
    """The blocks without labels at the end and without what is told about the author there."""
    end = len(blocks)
    while end and (
        _is_label(blocks[end - 1])
        or (end > len(blocks) - _LAST and folded(blocks[end - 1].text[:_MOST_FOLDED]).startswith(about.authors))
    ):
        end -= 1
    return blocks[:end]


def _is_label(block: Block) -> bool:
    """Whether the block may only introduce what follows it."""
    if block.tag in HEADINGS:
        return True
    return len(block.text) <= _LABEL and (block.text.endswith(":") or not block.like_sentence) and block.tag != "li"


def _why_dropped(block: Block, about: _About) -> str:
    """Why a block is no line of the article, or nothing."""
    text = block.text
    if block.tag == "h1" or not _LETTER.search(text):
        return "title"
    if block.link_share >= _LINKED and not _holds_links(block):
        return "links"
    if len(text) > _INVITATION:
        return ""
    key = folded(text)
    if key == about.title or _is_cue(key):
        return "cue"
    is_short = len(text) <= _SHORT
    return "byline" if is_short and (_is_date(text) or _is_byline(key, text, about)) else ""


def _holds_links(block: Block) -> bool:
    """Whether a block full of links is still text: a long sentence, or a paragraph with words of its own."""
    is_sentence = _STOP.search(block.text) is not None
    if block.tag == "p" and block.link_share < _LINKED_P:
        return is_sentence or block.links > 1
    return is_sentence and block.size >= _LONG_LINK


def _is_date(text: str) -> bool:
    """Whether a short line holds little but a date."""
    if not names_day(text):
        return False
    return len(_LETTER.findall(text)) <= 40 and not text.endswith((".", "。"))


def _is_byline(key: str, text: str, about: _About) -> bool:
    if any(name in key and len(key) < 2.5 * len(name) + 15 for name in about.authors):
        return True
    return _BYLINE.match(text) is not None and len(text) <= _LABEL and not text.endswith((".", "?", "!", ":"))


@cache
def _cues() -> re.Pattern[str]:
    lines = groups("cues.txt")
    starts = "|".join(re.escape(folded(line)) for line in lines["line-starts"])
    whole = "|".join(re.escape(folded(line)) for line in lines["lines"])
    return re.compile(rf"(?:{starts})|(?:{whole})[\s:.!]{{0,3}}$")


def _is_cue(key: str) -> bool:
    return _cues().match(key) is not None
