"""What the portal parsers share: a page as days, a day as blocks, a block as text with links.

HTML and wikitext are read into these values, and everything after (stories, summaries, sources, accounts) is written once over
them. A `Passage` is flat text with spans, because source labels are often cut across tags: in `(<a>BBC</a>)`, `<a>(BBC</a>)` and
`<a>(BBC)</a>` the label is the same five characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

# Characters without width that editors paste in unseen; they would make equal summaries unequal.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffc]")

Kind = Literal["entity", "source", "note"]


@dataclass(frozen=True, slots=True)
class Span:
    """A linked stretch of a passage: an entity, a source, or a note such as `[dead link]` that is no text at all.

    `bare` marks a source whose text is a number or its own address; `label` is set where the markup names the outlet.
    """

    start: int
    end: int
    kind: Kind
    target: str = ""
    label: str | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """Text and the links in it, by position."""

    text: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def sources(self) -> tuple[Span, ...]:
        """The links that cite a source page."""
        return tuple(span for span in self.spans if span.kind == "source")

    def is_blank(self) -> bool:
        """Whether there is neither text nor a source."""
        return not self.text.strip() and not self.sources


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that names a category or a day, by its markup."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text outside of bullets; `bold` when all of it is, which is how categories are often written."""

    passage: Passage
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet and those nested below it."""

    passage: Passage
    children: tuple[Block, ...] = ()

    @property
    def bullets(self) -> tuple[Bullet, ...]:
        """The nested bullets, without headings and paragraphs."""
        return tuple(child for child in self.children if isinstance(child, Bullet))


Block: TypeAlias = Heading | Paragraph | Bullet


@dataclass(frozen=True, slots=True)
class Day:
    """The blocks of one day; the date is None where the page does not say it."""

    date: str | None
    blocks: tuple[Block, ...]


class PassageBuilder:
    """Collects text and spans in reading order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self.length = 0

    def add(self, text: str) -> None:
        """Append text; characters without width are left out."""
        text = _INVISIBLE.sub("", text)
        self._parts.append(text)
        self.length += len(text)

    def mark(
        self,
        start: int,
        kind: Kind,
        target: str = "",
        *,
        label: str | None = None,
        bare: bool = False,
    ) -> None:
        """Mark what was added since `start` as a link."""
        self._spans.append(Span(start, self.length, kind, target, label, bare))

    def passage(self) -> Passage:
        """What was collected, spans in reading order."""
        spans = sorted(self._spans, key=lambda span: span.start)
        return Passage("".join(self._parts), tuple(spans))


def one_line(text: str) -> str:
    """Text with every run of white space as one blank, and none at the ends.

    >>> one_line(" Law and\\u00a0crime \\n")
    'Law and crime'
    """
    return " ".join(_INVISIBLE.sub("", text).split())


def joined(passages: Sequence[Passage]) -> Passage:
    """Several passages as one, with a blank between them."""
    builder = PassageBuilder()
    spans: list[Span] = []
    for passage in passages:
        if builder.length:
            builder.add(" ")
        shift = builder.length
        builder.add(passage.text)
        spans += [
            Span(
                span.start + shift, span.end + shift, span.kind, span.target, span.label, span.bare
            )
            for span in passage.spans
        ]
    return Passage(builder.passage().text, tuple(spans))
