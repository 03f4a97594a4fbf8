"""A bullet's passage as summary, entities and sources: labels such as "(Reuters)" go, links in the sentence stay.

What counts as a label: a linked text in brackets (in the link, around it, or across its edge), a bracket around several links, a
numbered or bare address, links that follow the end of the last sentence, and an unlinked bracket with an outlet's name there. A link
inside the sentence, as editors of 2004 and 2005 liked it, cites its page and leaves its words in the summary. All edits are
deletions on the flat text, so that the places of entities are regions by counting.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from newsdesk.corpus.portal.brackets import (
    BracketPair,
    bracket_pairs,
    is_bracketed,
    is_outlet,
    is_remark,
    label_of,
    reads_like_a_label,
)
from newsdesk.corpus.portal.passage import Passage, Span
from newsdesk.types import Entity, Source

_LINKED_WORDS, _BESIDE_WORDS, _TAIL_WORDS = 10, 4, 6
_BETWEEN = re.compile(r"(?:[\s,;|/&+·•–—-]|\b(?:and|via|or)\b)*", re.IGNORECASE)
_JOINS = re.compile(r"\b(?:and|via|or)\s*\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s*\Z")
_NOTE = re.compile(
    r"\[\s*(?:permanent dead link|dead link|citation needed|edit|archived?|clarification needed|\d{1,3})\s*\]",
    re.IGNORECASE,
)
# How a character is removed: `_GONE` leaves a blank between what stands around it, `_CLOSED` leaves none. A mark of 0 keeps it.
_GONE, _CLOSED = b"\1", b"\2"
# `_SHOWN` writes marks as digits, in which `_RUN` finds each stretch of characters with the same mark.
_RUN = re.compile(rb"0+|1+|2+")
_SHOWN = bytes.maketrans(b"\0\1\2", b"012")
_WORD = re.compile(r"\S+")
_SEPARATORS = " ,;:|/·•–—-\u2009\u00a0"


@dataclass(frozen=True, slots=True)
class EventSummary:
    """What a bullet says, with and without its labels, what it links to, and what it cites."""

    text: str
    with_labels: str
    entities: tuple[Entity, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Label:
    """A stretch of text that names sources and is not part of the sentence."""

    start: int
    end: int


def read_summary(passage: Passage, labels: Collection[str] = ()) -> EventSummary:
    """Read a bullet.

    `labels` are the labels that the page uses, casefolded, for brackets that are not linked.

    >>> read_summary(Passage("Five die (AP).", (Span(9, 13, "source", "https://ap.example/1"),))).text
    'Five die.'
    """
    text = passage.text
    noise = _noise(passage)
    regions = _labels(passage, labels, noise)
    removed = bytearray(noise)
    for label in regions:
        removed[label.start : label.end] = _GONE * (label.end - label.start)
    _tidy(text, removed)
    if not _remaining(text, removed).strip(_SEPARATORS):
        regions, removed = _titles_instead(passage, regions, noise)
    summary, places = _collapsed(text, removed)
    for span in passage.sources:
        if span.bare:
            noise[span.start : span.end] = _GONE * (span.end - span.start)
    _tidy(text, noise)
    with_labels, _ = _collapsed(text, noise)
    return EventSummary(
        summary,
        with_labels,
        tuple(_entities(passage, summary, places)),
        tuple(_sources(passage, regions)),
    )


def linked_labels(passage: Passage) -> set[str]:
    """Return the linked labels of a passage, casefolded, to compare unlinked brackets with."""
    regions = _labels(passage, (), _noise(passage))
    return {
        source.label.casefold() for source in _sources(passage, regions) if source.label is not None
    }


def _noise(passage: Passage) -> bytearray:
    """Return a mark for each character of the text: set where it is a note such as `[dead link]`."""
    noise = bytearray(len(passage.text))
    spans = [(span.start, span.end) for span in passage.spans if span.kind == "note"]
    for start, end in (*spans, *(match.span() for match in _NOTE.finditer(passage.text))):
        covered = any(span.start < end and start < span.end for span in passage.sources)
        if not covered:
            noise[start:end] = _GONE * (end - start)
    return noise


def _labels(passage: Passage, labels: Collection[str], noise: bytearray) -> list[_Label]:
    """Return all stretches that are labels, linked or not, in order.

    `labels` are those that the page uses; `noise` marks characters that are no text.
    """
    text = passage.text
    pairs = bracket_pairs(text)
    regions = []
    for span in passage.sources:
        label = _linked_label(passage, span, pairs)
        if label is not None:
            regions.append(label)
    regions += _unlinked(passage, pairs, labels, regions)
    regions += _tail(passage, pairs, labels, regions, noise)
    return sorted(set(regions), key=lambda label: (label.start, label.end))


def _linked_label(passage: Passage, span: Span, pairs: list[BracketPair]) -> _Label | None:
    """Return the label that a source's link is or stands in, if it is one."""
    text = passage.text
    linked = text[span.start : span.end]
    enclosing = next((pair for pair in pairs if (span.start, span.end) in pair), None)
    if enclosing is not None and _holds_labels(passage, enclosing):
        return _Label(enclosing.start, enclosing.end + 1)
    across = [
        pair
        for pair in pairs
        if (span.start <= pair.start < span.end <= pair.end)
        or (pair.start < span.start <= pair.end < span.end)
    ]
    for pair in across:
        start, end = min(pair.start, span.start), max(pair.end + 1, span.end)
        if is_bracketed(text[start:end]) and _holds_labels(passage, BracketPair(start, end - 1)):
            return _Label(start, end)
    if span.bare or span.start == span.end or is_bracketed(linked):
        return _Label(span.start, span.end)
    return None


def _holds_labels(passage: Passage, pair: BracketPair) -> bool:
    """Return whether a bracket with links in it is a list of sources and not a clause of the sentence."""
    text = passage.text
    inside = [
        span for span in passage.sources if span.start >= pair.start and span.end <= pair.end + 1
    ]
    if any(len(text[span.start : span.end].split()) > _LINKED_WORDS for span in inside):
        return False
    beside = text[pair.start + 1 : pair.end]
    for span in inside:
        beside = beside.replace(text[span.start : span.end], " ", 1)
    return len(re.findall(r"\w+", beside)) <= _BESIDE_WORDS


def _unlinked(
    passage: Passage, pairs: list[BracketPair], labels: Collection[str], regions: list[_Label]
) -> Iterator[_Label]:
    """Yield unlinked outlets in brackets where a label may stand: behind a sentence or by a label."""
    text = passage.text
    for pair in pairs:
        content = text[pair.start : pair.end + 1]
        if any((span.start, span.end) in pair for span in passage.sources):
            continue
        before, after = text[: pair.start].rstrip(), text[pair.end + 1 :].strip(" .,;")
        beside = any(
            _only_between(text, label.end, pair.start)
            or _only_between(text, pair.end + 1, label.start)
            for label in regions
        )
        ended = not before or _SENTENCE_END.search(before) is not None or not after
        if (ended or beside) and (is_outlet(content, labels) or (beside and is_remark(content))):
            yield _Label(pair.start, pair.end + 1)


def _tail(
    passage: Passage,
    pairs: list[BracketPair],
    labels: Collection[str],
    regions: list[_Label],
    noise: bytearray,
) -> list[_Label]:
    """Return labels at the end that only their place gives away: after the last sentence.

    `regions` are the labels found before; `noise` marks characters of notes such as `[dead link]`, which are passed over.
    """
    text = passage.text
    end = len(text)
    tail: list[_Label] = []
    while True:
        while end and (noise[end - 1] or text[end - 1] in _SEPARATORS or text[end - 1].isspace()):
            end -= 1
        # A label may stand before or after the full stop, or end in one of its own.
        ends = (end, end - 1) if end and text[end - 1] == "." else (end,)
        label = next(
            (region for region in regions if region.end in ends and region.start < end), None
        )
        for place in ends:
            label = label or _last(passage, pairs, labels, place, labels_follow=bool(tail))
        if label is None:
            return [label for label in tail if label not in regions]
        tail.append(label)
        # Words that join labels, such as "and", go too.
        end = len(_JOINS.sub("", text[: label.start]))


def _last(
    passage: Passage,
    pairs: list[BracketPair],
    labels: Collection[str],
    end: int,
    *,
    labels_follow: bool,
) -> _Label | None:
    """Return a link or bracket that ends at `end` and follows a whole sentence.

    An outlet's link may follow any words; a remark such as "(in French)" too, if `labels_follow` it.
    """
    text = passage.text
    for span in passage.sources:
        words = len(text[span.start : span.end].split())
        if span.end == end > span.start and words <= _TAIL_WORDS:
            before = _before_links(passage, span.start)
            named = is_outlet(text[span.start : span.end], labels)
            if _SENTENCE_END.search(before) or (named and before):
                return _Label(span.start, span.end)
    for pair in pairs:
        if pair.end + 1 == end and reads_like_a_label(text[pair.start : end]):
            before = text[: pair.start].rstrip()
            if _SENTENCE_END.search(before) or (
                labels_follow and is_remark(text[pair.start : end])
            ):
                return _Label(pair.start, end)
    return None


def _before_links(passage: Passage, end: int) -> str:
    """Return the text before a place, without the links and separators that it ends in."""
    while True:
        before = _JOINS.sub("", passage.text[:end]).rstrip(_SEPARATORS)
        starts = [span.start for span in passage.sources if span.start < span.end == len(before)]
        if not starts:
            return before
        end = starts[0]


def _only_between(text: str, start: int, end: int) -> bool:
    return start <= end and _BETWEEN.fullmatch(text, start, end) is not None


def _titles_instead(
    passage: Passage, regions: list[_Label], noise: bytearray
) -> tuple[list[_Label], bytearray]:
    """Return labels and removed characters of a bullet of links alone: titles are its sentence."""
    titles = [
        span
        for span in passage.sources
        if not span.bare and not is_bracketed(passage.text[span.start : span.end])
    ]
    labels = [
        label
        for label in regions
        if not any(label.start == span.start and label.end == span.end for span in titles)
    ]
    removed = bytearray(noise)
    for label in labels:
        removed[label.start : label.end] = _GONE * (label.end - label.start)
    _tidy(passage.text, removed)
    return labels, removed


def _tidy(text: str, removed: bytearray) -> None:
    """Mark as removed what labels leave behind: separators, doubled stops and empty brackets."""
    for pair in bracket_pairs(text):
        content = _remaining(text[pair.start + 1 : pair.end], removed[pair.start + 1 : pair.end])
        if len(content) < pair.end - pair.start - 1 and not content.strip(_SEPARATORS):
            removed[pair.start : pair.end + 1] = _GONE * (pair.end + 1 - pair.start)
    place = 0
    while place < len(text):
        if not removed[place]:
            place += 1
            continue
        end = place
        while end < len(text) and removed[end]:
            end += 1
        place = _tidy_gap(text, removed, place, end)
    if any(removed):
        _strip_end(text, removed, len(text))


def _tidy_gap(text: str, removed: bytearray, start: int, end: int) -> int:
    """Clean up around the removed stretch from `start` to `end`, in `removed`; return where to go on.

    Of the three cases below, the last may follow on the second; where none applies, as in "Five die (AP) in Rome.", the stretch just leaves a blank.
    """
    # What joins two labels goes with them: "Five die (AP) and (BBC) in Rome." → "Five die in Rome."
    between = _BETWEEN.match(text, end)
    stop = between.end() if between else end
    if stop > end and stop < len(text) and removed[stop]:
        removed[end:stop] = _GONE * (stop - end)
        return stop
    # The text that stays ends at `before` and goes on at `after`.
    before = start
    while before and (text[before - 1].isspace() or removed[before - 1]):
        before -= 1
    after = end
    while after < len(text) and text[after].isspace():
        after += 1
    # After a whole sentence or at the start, marks behind a label go: "Five die. (AP). Two live." → "Five die. Two live."
    ended = (
        before == 0 or _SENTENCE_END.search(_remaining(text[:before], removed[:before])) is not None
    )
    while ended and after < len(text) and not removed[after] and text[after] in ".,;:|/–—":
        removed[after] = _GONE[0]
        after += 1
        while after < len(text) and text[after].isspace():
            after += 1
    # A mark that still follows closes up to the word before, in place of a comma or colon there: "Five die, (AP)." → "Five die."
    if after < len(text) and text[after] in ".,;:!?)]”" and not removed[after]:
        removed[before:after] = _CLOSED * (after - before)
        if before and text[before - 1] in ",;:" and text[after] in ".,;:!?":
            removed[before - 1] = _CLOSED[0]
    return max(end, after)


def _strip_end(text: str, removed: bytearray, end: int) -> None:
    while end and (removed[end - 1] or text[end - 1] in _SEPARATORS):
        removed[end - 1] = _GONE[0]
        end -= 1


def _remaining(text: str, removed: bytearray) -> str:
    if not any(removed):
        return text
    return "".join(character for character, gone in zip(text, removed, strict=True) if not gone)


def _collapsed(text: str, removed: bytearray) -> tuple[str, list[int | None]]:
    """Return what is left, with single blanks, and where each character of the text went.

    The place of a character is None if it was removed or is white space.
    """
    words: list[str] = []
    length = 0
    places: list[int | None] = [None] * len(text)
    blank = False  # whether white space or `_GONE` was passed since the last word
    for match in _RUN.finditer(removed.translate(_SHOWN)):
        start, end = match.span()
        if removed[start]:
            blank = blank or removed[start] != _CLOSED[0]
            continue
        for word in _WORD.finditer(text, start, end):
            blank = blank or word.start() > start
            if blank and words:
                words.append(" ")
                length += 1
            blank = False
            places[word.start() : word.end()] = range(length, length + len(word.group()))
            words.append(word.group())
            length += len(word.group())
            start = word.end()
        blank = blank or start < end
    return "".join(words), places


def _entities(passage: Passage, summary: str, places: list[int | None]) -> Iterator[Entity]:
    """Yield the entities that the summary still holds; `places` maps the passage to the summary."""
    for span in passage.spans:
        if span.kind == "entity":
            inside = [place for place in places[span.start : span.end] if place is not None]
            if inside:
                start, end = inside[0], inside[-1] + 1
                yield Entity(summary[start:end], span.target, start, end)


def _sources(passage: Passage, regions: list[_Label]) -> Iterator[Source]:
    """Yield each cited page once, in reading order."""
    seen = set()
    for span in passage.sources:
        if span.target in seen:
            continue
        seen.add(span.target)
        yield Source(span.target, span.label or _name(passage, span, regions))


def _name(passage: Passage, span: Span, regions: list[_Label]) -> str | None:
    """Return the outlet of a source, from the label that its link stands in; None without one."""
    text = passage.text
    label = next(
        (region for region in regions if region.start <= span.start and span.end <= region.end),
        None,
    )
    if label is None:
        return None
    sharing = [
        source
        for source in passage.sources
        if label.start <= source.start and source.end <= label.end
    ]
    name = text[span.start : span.end]
    if len(sharing) == 1:
        name = text[label.start : label.end]
    if not span.bare:
        return label_of(name)
    inside = label_of(name.replace(text[span.start : span.end], "")) if len(sharing) == 1 else None
    return inside or _name_before(passage, label, regions)


def _name_before(passage: Passage, label: _Label, regions: list[_Label]) -> str | None:
    """Return the outlet in a bracket without a link right before a numbered link, as in `(Reuters) [1]`."""
    text = passage.text
    for region in regions:
        linked = any(
            region.start <= span.start and span.end <= region.end for span in passage.sources
        )
        if not linked and region.end <= label.start and not text[region.end : label.start].strip():
            return label_of(text[region.start : region.end])
    return None
