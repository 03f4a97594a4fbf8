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

from newsdesk.corpus.extract.container import Container
from newsdesk.corpus.extract.dates import names_day
from newsdesk.corpus.extract.metadata import Metadata, folded, letters
from newsdesk.corpus.extract.page import HEADINGS, Block, Outline
from newsdesk.packaged import sections

_LINKED = 0.6  # a block with this share of link text is a list of links, …
_LINKED_PARAGRAPH = 0.9  # … but a paragraph with several links only with this share
_LONG_LINK = 80  # bytes from which a sentence may be one link
_LABEL = 40  # characters up to which a line without a stop may be a label
_DUPLICATE = 20  # characters from which a line that comes twice is dropped
_SHORT = 120  # characters up to which a line may be a date or a byline
_INVITATION = 250  # characters up to which a cue counts
_LEAD = 40  # characters from which a line above the body may be the lead
_LAST = 4  # lines at the end that may be about the author
_COMPARED = 200  # characters of a description that are compared
_PARAGRAPHS = 0.8  # the share of good text in `p` from which other short lines are suspicious
_ODD = 60  # characters up to which they are dropped even if they end like a sentence
_TEXT_TAGS = HEADINGS | {"p", "li", "blockquote", "pre"}
_STOP = re.compile(r"(?<!\.)[.!?。！？।][\"'”»’“)」』]{0,2}$")
_LETTER = re.compile(r"[^\W\d_]")
_MOST_DATE_LETTERS = 40
_BYLINE = re.compile(
    r"(?:by|von|par|por|di|da|door|av|af|eftir|yazan|от|oleh)\s(?=[^\W\d_])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _About:
    """What is known of the article, folded for comparison."""

    title: str
    letters: str
    authors: tuple[str, ...]
    descriptions: tuple[str, ...]


def lines(shown: Outline, place: Container, page: Metadata, title: str) -> list[str]:
    """Return the lines of the article, the lead first; `place` is its container."""
    about = _About(
        folded(title),
        letters(title),
        tuple(folded(name) for name in page.authors if len(name) > 4),
        tuple(folded(text).rstrip(" .…") for text in page.descriptions if len(text) >= _LEAD),
    )
    numbers = [number for number, block in enumerate(shown.blocks) if block.node in place]
    blocks = [shown.blocks[number] for number in numbers]
    body = _body([block for block in blocks if not place.dropped[block.node]], about)
    texts: dict[str, str] = {}
    for block in (*_lead(shown, place, numbers, about), *body):
        key = block.text if len(block.text) >= _DUPLICATE else f"{len(texts)}"
        texts.setdefault(key, block.text)
    return list(texts.values())


def _lead(shown: Outline, place: Container, numbers: Sequence[int], about: _About) -> list[Block]:
    """Return blocks outside the body that the description repeats, and sentences below the headline.

    `numbers` are those of the blocks inside the container.
    """
    first, last = numbers[0], numbers[-1]
    heading = _heading(shown, place, first, about)
    lead = []
    for number, block in enumerate(shown.blocks[: last + 1]):
        is_dropped = place.dropped[block.node]
        if block.node in place and not is_dropped:
            continue
        is_above = heading < number < first and not is_dropped and _is_sentence(block)
        if (is_above or _repeats_description(block, about)) and not _why_dropped(block, about):
            lead.append(block)
    return lead


def _heading(shown: Outline, place: Container, first: int, about: _About) -> int:
    """Return the last `h1` above the body, else the last heading with the title, else the first one.

    The answer is the number of a block; `first` is that of the body, and the answer where no heading is.
    """
    above = [
        number
        for number, block in enumerate(shown.blocks[:first])
        if block.tag in HEADINGS and not place.dropped[block.node]
    ]
    titles = [number for number in above if shown.blocks[number].tag == "h1"] or [
        number
        for number in above
        if about.letters and about.letters in letters(shown.blocks[number].text)
    ]
    return [first, *above[:1], *titles][-1]


def _is_sentence(block: Block) -> bool:
    return len(block.text) >= _LEAD and block.like_sentence and block.link_share < 0.3


def _repeats_description(block: Block, about: _About) -> bool:
    """Return whether a block and a description of the page begin alike."""
    if len(block.text) < _LEAD or not about.descriptions or block.link_share > 0.5:
        return False
    text = folded(block.text[: 2 * _COMPARED])
    start = text.rstrip(" .…")
    return any(
        text.startswith(description[:_COMPARED]) or description.startswith(start)
        for description in about.descriptions
    )


def _body(blocks: Sequence[Block], about: _About) -> list[Block]:
    """Return the blocks of the container that are lines of the article."""
    drops = [_why_dropped(block, about) for block in blocks]
    good = sum(block.size for block in blocks if block.good)
    if sum(block.size for block in blocks if block.good and block.tag == "p") > _PARAGRAPHS * good:
        drops = [drop or _is_odd(block) for drop, block in zip(drops, blocks, strict=True)]
    headline = next((number for number, block in enumerate(blocks) if block.tag == "h1"), -1)
    if any(block.good for block in blocks[:headline]):
        headline = -1
    following = [*drops[1:], ""]
    body = [
        block
        for number, block in enumerate(blocks)
        if number > headline
        and not drops[number]
        and not (following[number] == "links" and _is_label(block))
    ]
    return _without_end(body, about)


def _is_odd(block: Block) -> str:
    """Return why a block is suspicious among paragraphs, or nothing."""
    is_text = block.tag in _TEXT_TAGS or (len(block.text) >= _ODD and block.like_sentence)
    return "" if is_text else "odd"


def _without_end(blocks: list[Block], about: _About) -> list[Block]:
    """Return the blocks without labels at the end and without what is told about the author there."""
    end = len(blocks)
    while end and (
        _is_label(blocks[end - 1])
        or (end > len(blocks) - _LAST and _is_about_author(blocks[end - 1], about))
    ):
        end -= 1
    return blocks[:end]


def _is_about_author(block: Block, about: _About) -> bool:
    return folded(block.text[:_COMPARED]).startswith(about.authors)


def _is_label(block: Block) -> bool:
    """Return whether the block may only introduce what follows it."""
    if block.tag in HEADINGS:
        return True
    is_short = len(block.text) <= _LABEL and block.tag != "li"
    return is_short and (block.text.endswith(":") or not block.like_sentence)


def _why_dropped(block: Block, about: _About) -> str:
    """Return why a block is no line of the article, or nothing."""
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
    is_short = len(text) <= _SHORT and block.tag not in HEADINGS
    return "byline" if is_short and (_is_date(text) or _is_byline(key, text, about)) else ""


def _holds_links(block: Block) -> bool:
    """Return whether a block full of links is still text: a long sentence, or words of its own."""
    is_sentence = _STOP.search(block.text) is not None
    if block.tag == "p" and block.link_share < _LINKED_PARAGRAPH:
        return is_sentence or block.links > 1
    return is_sentence and block.size >= _LONG_LINK


def _is_date(text: str) -> bool:
    """Return whether a short line holds little but a date."""
    if not names_day(text):
        return False
    return len(_LETTER.findall(text)) <= _MOST_DATE_LETTERS and not text.endswith((".", "。"))


def _is_byline(key: str, text: str, about: _About) -> bool:
    if any(name in key and len(key) < 2.5 * len(name) + 15 for name in about.authors):
        return True
    is_open = len(text) <= _LABEL and not text.endswith((".", "?", "!", ":"))
    return is_open and _BYLINE.match(text) is not None


@cache
def _cues() -> re.Pattern[str]:
    cues = sections("corpus.extract", "cues.txt")
    starts = "|".join(re.escape(folded(line)) for line in cues["line-starts"])
    whole = "|".join(re.escape(folded(line)) for line in cues["lines"])
    return re.compile(rf"(?:{starts})|(?:{whole})[\s:.!]{{0,3}}$")


def _is_cue(key: str) -> bool:
    return _cues().match(key) is not None


def is_invitation(line: str) -> bool:
    """Return whether a line invites to read, subscribe or share, or names the owner of text or picture."""
    return len(line) <= _INVITATION and _is_cue(folded(line))
