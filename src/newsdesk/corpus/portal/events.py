"""Days of blocks as events: parents of nested bullets are stories, leaves are events, every leaf is accounted for.

The unit of the account is the leaf bullet. Text outside of bullets that cites a page is a bullet that lost its asterisk and is read as
one; other text outside of bullets is noted. A leaf without a source takes those of the nearest story above it that has any. A
leaf that is only sources belongs to the bullet before it, or to the one it hangs on.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from newsdesk.corpus.portal.passage import (
    Block,
    Bullet,
    Day,
    Heading,
    Paragraph,
    Passage,
    joined,
    one_line,
)
from newsdesk.corpus.portal.summaries import EventSummary, linked_labels, read_summary
from newsdesk.corpus.tally import Accounts
from newsdesk.packaged import table
from newsdesk.types import Event, Source

UNCATEGORIZED = "Uncategorized"

_CLOSE = 0.88  # "Business and econony" is .95 from its name, "Science and technology" .45 from the nearest other
_EDGES = " \t:;.–—-=*•'\"#"
_EDIT = re.compile(r"\[\s*edit[^\]]*\]\s*$", re.IGNORECASE)

STEP = "events"
NO_DATE, NO_TEXT = "no date", "sources without text"
EMPTY, NAVIGATION = "empty", "navigation"
REPEATED, JOINED = "repeated (sources merged)", "sources alone (joined to their bullet)"
HEADING, COLLISION = "category written as a bullet", "id of another summary"
_MAX_HEADING_WORDS = 8
_MAX_BESIDE = (
    80  # characters that brackets, separators and remarks take beside links; a sentence takes more
)
_NAVIGATION = re.compile(
    r"(more\b.*(\.\.\.|…|events|news|»|→)|edit|history|watch|purge|view|talk|archives?|(edit\W+)?history(\W+watch)?|v|t|e"
    r"|(\[\s*)?(edit|change)(\s*\])?|back to top|current events( portal)?|[«‹←→›»\W]*)",
    re.IGNORECASE,
)


def category_name(heading: str) -> str:
    """Return the category that a heading stands for.

    >>> category_name("Politics and election"), category_name("LAW & CRIME:"), category_name("Obituaries")
    ('Politics and elections', 'Law and crime', 'Obituaries')
    """
    portal_name = known_category(heading)
    if portal_name is not None:
        return portal_name
    text = _cleaned(heading)
    return text.capitalize() if text.isupper() and " " in text else text


@functools.lru_cache(maxsize=4096)
def known_category(heading: str) -> str | None:
    """Return one of the portal's own names, if the heading is a way to write it."""
    key = _key(heading)
    names = _names()
    if key in names:
        return names[key]
    if not key or len(key.split()) > 6:
        return None
    close = difflib.get_close_matches(key, names, n=1, cutoff=_CLOSE)
    return names[close[0]] if close else None


def _cleaned(heading: str) -> str:
    return _EDIT.sub("", one_line(heading)).strip(_EDGES)


def _key(heading: str) -> str:
    text = _cleaned(heading).casefold().replace("&", " and ")
    return " ".join(re.sub(r"[^\w]+", " ", text).split())


@functools.cache
def _names() -> dict[str, str]:
    """Return every known way to write a heading, from lines `name: variant, variant`."""
    names = {}
    for line in table("corpus.portal", "categories.txt"):
        name, _, variants = line.partition(":")
        for spelling in (name, *variants.split(",")):
            names[_key(spelling)] = name
    names.pop("", None)
    return names


def event_id(date: str, summary: str) -> str:
    """Return the id of an event: its day and the first eight hex digits of its summary's sha256.

    >>> event_id("2019-05-01", "Emperor Naruhito ascends the throne.")
    '2019-05-01/13f099ad'
    """
    return f"{date}/{hashlib.sha256(summary.encode('utf-8')).hexdigest()[:8]}"


def events_of(days: Iterable[Day], accounts: Accounts) -> list[Event]:
    """Return the events of a page in reading order; equal summaries of one day are one event."""
    days = list(days)
    labels = frozenset(
        label
        for day in days
        for block in day.blocks
        for passage in _passages(block)
        for label in linked_labels(passage)
    )
    events: list[Event] = []
    for day in days:
        events += _BulletWalk(day.date, labels, accounts).events(day.blocks)
    return merged(events, accounts, REPEATED)


def merged(events: Iterable[Event], accounts: Accounts, reason: str) -> list[Event]:
    """Return events with one id as one event with the sources of all.

    Those that come later are dropped for `reason`.

    Eight hex digits of two summaries of a day are equal once in millions of days; the second is then dropped with a reason of its own.
    """
    unique: dict[str, Event] = {}
    for event in events:
        first = unique.setdefault(event.id, event)
        if first is event:
            accounts.keep()
            continue
        if first.summary != event.summary:
            accounts.drop(COLLISION)
            continue
        accounts.drop(reason)
        unique[event.id] = replace(first, sources=unique_sources(first.sources, event.sources))
    return list(unique.values())


def unique_sources(*groups: Iterable[Source]) -> tuple[Source, ...]:
    """Return each cited page once, in order; the first label that is known stays."""
    sources: dict[str, Source] = {}
    for source in (source for group in groups for source in group):
        first = sources.get(source.url)
        if first is None or first.label is None:
            sources[source.url] = source
    return tuple(sources.values())


def _passages(block: Block) -> Iterator[Passage]:
    """Yield the passages of a block and of all bullets below it."""
    if isinstance(block, Bullet):
        yield block.passage
        for child in block.children:
            yield from _passages(child)
    elif isinstance(block, Paragraph):
        yield block.passage


@dataclass(slots=True)
class _BulletWalk:
    """Reads the blocks of one day; the category is that of the last heading."""

    date: str | None
    labels: frozenset[str]
    accounts: Accounts
    category: str = UNCATEGORIZED

    def events(self, blocks: Iterable[Block]) -> Iterator[Event]:
        """Yield the events of a day's blocks."""
        for block in _folded(blocks, self.accounts):
            if isinstance(block, Heading):
                self._set_category(block.text)
            elif isinstance(block, Bullet):
                yield from self._bullet(block, (), ())
            else:
                yield from self._paragraph(block)

    def _set_category(self, heading: str) -> None:
        self.category = category_name(heading) or UNCATEGORIZED

    def _paragraph(self, block: Paragraph) -> Iterator[Event]:
        """Read a text outside of bullets: a bullet if it cites a page, else perhaps a heading."""
        text = one_line(block.passage.text)
        if block.passage.sources:
            self.accounts.note("paragraphs read as bullets")
            yield from self._bullet(Bullet(block.passage), (), ())
        elif _is_heading(block, text):
            self._set_category(text)
        elif text and not _NAVIGATION.fullmatch(text):
            self.accounts.note("texts outside of bullets")

    def _bullet(
        self, bullet: Bullet, story: tuple[str, ...], inherited: tuple[Source, ...]
    ) -> Iterator[Event]:
        """Yield the events of a bullet: itself as a leaf, or those below it.

        `story` are the titles above it, `inherited` the sources of the nearest story that has any.
        """
        bullets = [
            child
            for child in _as_bullets(_folded(bullet.children, self.accounts))
            if not _is_empty(child)
        ]
        self.accounts.drop(EMPTY, _empty_leaves(bullet.children))
        if not bullets:
            yield from self._leaf(bullet.passage, story, inherited)
            return
        summary = read_summary(bullet.passage, self.labels)
        title = summary.text.rstrip(" :;,–—-")
        category = known_category(title) if not story and not summary.sources else None
        if category is not None and not summary.entities:
            self.category, title = category, ""
            self.accounts.note(HEADING)
        if summary.sources:
            self.accounts.note("stories with sources of their own")
        for child in bullets:
            path = (*story, title) if title else story
            yield from self._bullet(child, path, summary.sources or inherited)

    def _leaf(
        self, passage: Passage, story: tuple[str, ...], inherited: tuple[Source, ...]
    ) -> Iterator[Event]:
        """Yield the event of a leaf bullet, or count why it is none."""
        summary = read_summary(passage, self.labels)
        reason = self._refusal(summary, story)
        if reason is not None or self.date is None:
            self.accounts.drop(reason or NO_DATE)
            return
        if self.category == UNCATEGORIZED:
            self.accounts.note("without category")
        sources = summary.sources or inherited
        if not sources:
            self.accounts.note("without source")
        elif not summary.sources:
            self.accounts.note("with the source of their story")
        yield Event(
            event_id(self.date, summary.text),
            self.date,
            summary.text,
            summary_with_labels=summary.with_labels,
            category=self.category,
            story=story,
            entities=summary.entities,
            sources=sources,
        )

    def _refusal(self, summary: EventSummary, story: tuple[str, ...]) -> str | None:
        """Return why a leaf is no event, or None; a leaf that is a category's name sets the category."""
        if not any(character.isalnum() for character in summary.text):
            return NO_TEXT if summary.sources else EMPTY
        if summary.sources:
            return None
        if _NAVIGATION.fullmatch(summary.text):
            return NAVIGATION
        if not story and not summary.entities and (known := known_category(summary.text)):
            self.category = known
            return HEADING
        return None


def _is_heading(block: Paragraph, text: str) -> bool:
    short = len(text.split()) <= _MAX_HEADING_WORDS and not text.endswith((".", "!", "?"))
    return short and (block.bold or known_category(text) is not None)


def _is_empty(block: Block) -> bool:
    if isinstance(block, Bullet):
        return block.passage.is_blank() and all(_is_empty(child) for child in block.children)
    return not isinstance(block, Paragraph) or not block.passage.sources


def _empty_leaves(blocks: Iterable[Block]) -> int:
    """Return how many leaves below are dropped with the empty bullet they stand in."""
    return sum(_leaves(block) for block in blocks if isinstance(block, Bullet) and _is_empty(block))


def _leaves(bullet: Bullet) -> int:
    return sum(_leaves(child) for child in bullet.bullets) or 1


def _as_bullets(blocks: Iterable[Block]) -> Iterator[Bullet]:
    """Yield nested blocks as bullets; a stray paragraph among them that cites a page is one too."""
    for block in blocks:
        if isinstance(block, Bullet):
            yield block
        elif isinstance(block, Paragraph):
            yield Bullet(block.passage)


def _folded(blocks: Iterable[Block], accounts: Accounts) -> list[Block]:
    """Join every leaf of sources alone to the leaf before it, or to the bullet it hangs on."""
    folded: list[Block] = []
    for block in blocks:
        if not isinstance(block, Bullet):
            folded.append(block)
            continue
        block = _with_own_sources(block, accounts)
        previous = folded[-1] if folded else None
        if _only_sources(block) and isinstance(previous, Bullet) and not previous.children:
            accounts.drop(JOINED)
            folded[-1] = Bullet(joined([previous.passage, block.passage]))
        else:
            folded.append(block)
    return folded


def _with_own_sources(bullet: Bullet, accounts: Accounts) -> Bullet:
    """Return a bullet with those of its first children that are only sources as part of its own text."""
    count = 0
    while count < len(bullet.children) and _only_sources(bullet.children[count]):
        count += 1
    if not count:
        return bullet
    own, rest = bullet.bullets[:count], bullet.children[count:]
    # Without other children the bullet becomes the leaf, in place of one of those.
    accounts.drop(JOINED, count if any(not _is_empty(child) for child in rest) else count - 1)
    return Bullet(joined([bullet.passage, *(child.passage for child in own)]), rest)


def _only_sources(block: Block) -> bool:
    """Return whether a block is a leaf bullet with sources and no words of its own."""
    if not isinstance(block, Bullet) or block.children or not block.passage.sources:
        return False
    linked = sum(span.end - span.start for span in block.passage.sources)
    if len(block.passage.text) - linked > _MAX_BESIDE:
        return False
    return not any(character.isalnum() for character in read_summary(block.passage).text)
