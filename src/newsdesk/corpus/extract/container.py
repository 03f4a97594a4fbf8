"""The element that holds the article, in the manner of readability: paragraphs give points to the elements around them.

Ours departs in three ways. Names that sound like boilerplate count only where all elements of a name together hold a small part of the
page's good text (the pardon), unless title and description tell that they stand beside the article. The points are multiplied by the share of the words of title and description that the element
holds, which tells the article from the list of teasers under it. And the choice climbs to an ancestor that adds a fifth of
good text, inside an `article` or `articleBody` without conditions, elsewhere only by elements that look like the chosen one
or go on about the same without a link.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from newsdesk.corpus.extract.page import Block, Outline

_PARDON = 0.4  # the share of good text from which elements of a name are no boilerplate …
_HARD_PARDON = 0.6  # … and for names that hardly ever hold an article
_HARD = re.compile("cookie|consent|gdpr|comment|kommentar|disqus|hidden", re.IGNORECASE)
_NEVER = re.compile("cookie|consent|gdpr|comment|kommentar|disqus", re.IGNORECASE)
_WHOLE = 400  # bytes of good text that may be a whole article
FEW = 5  # words of title and description without which nothing can be told from them
# Shares of these words in a text about something else, and in the article (a third and more on all pages of the bench).
DOUBTFUL, _MOST = 0.25, 0.5
_CLIMB = 1.2  # how much more good text makes an ancestor the better choice
_INNER = 0.3  # the share of good text up to which an `article` inside the article is a teaser
_PART = 0.5  # the share of its value from which a part of the best element is the better choice
_BASE = 0.2  # what points count without a word of title and description
_CANDIDATES = 8
_LEVELS = (1.0, 0.5, 0.25, 0.12, 0.06)  # what a paragraph gives to the elements around it
# Words of three letters and more; Han characters and katakana one by one, hiragana not at all.
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]{3,40}|[\u30a1-\u30fa\u3400-\u9fff]")
_Held = tuple[Block, int]  # a block of good text, and the wanted words that it holds
_PARAGRAPHS = frozenset(("p", "li", "blockquote", "td", "dd", "pre"))


@dataclass(frozen=True, slots=True)
class Container:
    """The nodes `first` to `last` of an outline, and which of all nodes are boilerplate."""

    first: int
    last: int
    dropped: list[bool]

    def __contains__(self, node: int) -> bool:
        return self.first <= node < self.last


def words(text: str) -> set[str]:
    """Return the words of a text, for comparing titles and descriptions with text."""
    return set(_WORD.findall(text.casefold()))


def coverage(wanted: set[str], text: str) -> float:
    """Return the share of wanted words that a text holds; 1 where none are wanted."""
    return len(wanted & words(text)) / len(wanted) if wanted else 1.0


def container(page: Outline, about: str) -> Container | None:
    """Return the element that holds the article; None where nothing reads like one.

    `about` is the page's title and description.
    """
    wanted = _Wanted(about)
    good = [(block, wanted.bits(block.text)) for block in page.blocks if block.good]
    dropped = _dropped(page, good, wanted)
    live = [(block, bits) for block, bits in good if not dropped[block.node]]
    if not live:
        return None
    sums, ends = _sums(page, [block for block, _ in live]), _ends(page)
    best = _best(_points(page, [block for block, _ in live]), live, ends, wanted)
    first = _climb(page, best, sums, _goes_on(page, live, wanted))
    for node in range(first + 1, ends[first]):
        inner = page.tags[node] == "article" and sums[node] < _INNER * sums[first]
        dropped[node] = dropped[node] or inner or dropped[page.parents[node]]
    return Container(first, ends[first], dropped)


class _Wanted:
    """The words of title and description as bits, so that what an element holds of them is one number."""

    def __init__(self, about: str) -> None:
        self._bits = {word: 1 << place for place, word in enumerate(words(about))}

    @property
    def enough(self) -> bool:
        """Whether there are enough words to tell anything from them."""
        return len(self._bits) >= FEW

    def bits(self, text: str) -> int:
        """Return the words that a text holds."""
        if not self._bits:
            return 0
        return functools.reduce(int.__or__, (self._bits.get(word, 0) for word in words(text)), 0)

    def share(self, bits: Iterable[int]) -> float:
        """Return the share of all words that are in one of several texts; 1 where none are wanted."""
        if not self._bits:
            return 1.0
        return functools.reduce(int.__or__, bits, 0).bit_count() / len(self._bits)


def _best(points: dict[int, float], live: list[_Held], ends: list[int], wanted: _Wanted) -> int:
    """Return the node with the most points, multiplied by the share of wanted words that its text holds.

    Points add up in an element in which the article and something else stand side by side, so a part of it is preferred if
    the rest holds hardly a wanted word.
    """
    best, best_value = 0, -1.0
    for node in sorted(points, key=lambda node: (-points[node], node))[:_CANDIDATES]:
        last = ends[node]
        share = wanted.share(bits for block, bits in live if node <= block.node < last)
        value = points[node] * (_BASE + share)
        is_better = value > best_value
        if not is_better and wanted.enough and best < node < ends[best]:
            beside = (
                bits
                for block, bits in live
                if best <= block.node < ends[best] and not node <= block.node < last
            )
            is_better = value >= _PART * best_value and wanted.share(beside) < DOUBTFUL
        if is_better:
            best, best_value = node, value
    return best


def ancestors(page: Outline, node: int) -> Iterator[int]:
    """Yield the node itself and those around it, inside out."""
    while node >= 0:
        yield node
        node = page.parents[node]


def _sums(page: Outline, blocks: list[Block]) -> list[int]:
    """Return the size of these blocks under every node."""
    sums = [0] * len(page.parents)
    for block in blocks:
        sums[block.node] += block.size
    for node in range(len(sums) - 1, 0, -1):
        sums[page.parents[node]] += sums[node]
    return sums


def _ends(page: Outline) -> list[int]:
    """Return for every node the first node behind its last descendant."""
    ends = list(range(1, len(page.parents) + 1))
    for node in range(len(ends) - 1, 0, -1):
        parent = page.parents[node]
        ends[parent] = max(ends[parent], ends[node])
    return ends


def _dropped(page: Outline, good: list[_Held], wanted: _Wanted) -> list[bool]:
    """Return which nodes stand in an element that sounds like boilerplate and is not pardoned.

    `page.marks[node]` is the name (tag and class) under which an element sounds like boilerplate or is hidden, empty for all others. A mark is pardoned for all
    its elements or for none.
    """
    good_sizes = _sums(page, [block for block, _ in good])  # by node
    # An element inside another of the same mark is counted twice here; `_is_pardoned` counts it once.
    size_by_mark: dict[str, int] = {}
    for node, mark in enumerate(page.marks):
        if mark:
            size_by_mark[mark] = size_by_mark.get(mark, 0) + good_sizes[node]
    pardoned = {
        mark
        for mark, size in size_by_mark.items()
        if size > _PARDON * good_sizes[0] and _is_pardoned(page, mark, good, wanted)
    }
    return _below(page, lambda mark: mark != "" and mark not in pardoned)


def _below(page: Outline, test: Callable[[str], bool]) -> list[bool]:
    """Return which nodes pass a test of their mark, or stand below one that does."""
    passed: list[bool] = []
    for parent, mark in zip(page.parents, page.marks, strict=True):
        passed.append((parent >= 0 and passed[parent]) or test(mark))
    return passed


def _is_pardoned(page: Outline, mark: str, good: list[_Held], wanted: _Wanted) -> bool:
    """Return whether elements that hold much of the text are the article, whatever they are called.

    Title and description tell: teasers hold hardly a word of them, of which the rest holds most; comments and notices may hold
    many, but beside a whole article that holds as many.
    """
    below = _below(page, lambda name: name == mark)
    inside = [(block, bits) for block, bits in good if below[block.node]]
    outside = [(block, bits) for block, bits in good if not below[block.node]]
    size, rest_size = (sum(block.size for block, _ in part) for part in (inside, outside))
    is_most = not _HARD.search(mark) or size > _HARD_PARDON * (size + rest_size)
    if not wanted.enough:
        return is_most
    share, rest_share = (wanted.share(bits for _, bits in part) for part in (inside, outside))
    if share >= _MOST and rest_share < DOUBTFUL:
        return True
    if _NEVER.search(mark) and rest_size >= _WHOLE and rest_share >= share:
        return False
    return is_most and not (share < DOUBTFUL and rest_share >= _MOST)


def _points(page: Outline, live: list[Block]) -> dict[int, float]:
    """Return the points that paragraphs give to the elements around them, by node."""
    points: dict[int, float] = {}
    for block in live:
        commas = sum(map(block.text.count, ",，、،"))
        # as readability counts: commas and length, less what is link text
        value = (1 + min(commas, 10) + min(block.size / 100, 3)) * (1 - block.link_share)
        node = block.node
        if page.tags[node] in _PARAGRAPHS and page.parents[node] >= 0:
            node = page.parents[node]
        for level, ancestor in zip(_LEVELS, ancestors(page, node), strict=False):
            points[ancestor] = points.get(ancestor, 0.0) + level * value
    return points


def _is_article(page: Outline, node: int) -> bool:
    element = page.elements[node]
    return page.tags[node] == "article" or "articleBody" in (element.get("itemprop") or "")


def _climb(page: Outline, node: int, sums: list[int], is_more: Callable[[int], bool]) -> int:
    """Return the node, or an ancestor up to an article that adds enough good text.

    `sums` is the good text under each node; `is_more` tells whether a node goes on with the article.
    """
    best = child = node
    path = list(ancestors(page, node))
    article = next((ancestor for ancestor in path if _is_article(page, ancestor)), -1)
    for ancestor in path:
        if sums[ancestor] >= _CLIMB * sums[best]:
            is_inside = ancestor >= article >= 0
            added = sums[ancestor] if is_inside else _alike(page, ancestor, child, sums, is_more)
            if added >= (_CLIMB - 1) * sums[best]:
                best = ancestor
        child = ancestor
        if ancestor == article:
            break
    return best


def _alike(
    page: Outline, node: int, child: int, sums: list[int], is_more: Callable[[int], bool]
) -> int:
    """Return the good text in the children of `node`, other than `child`, that belong to the article."""
    tag_and_class = page.tags[child], page.elements[child].get("class")
    return sum(
        sums[sibling]
        for sibling, parent in enumerate(page.parents)
        if parent == node
        and sibling != child
        and sums[sibling]
        and (
            page.tags[sibling] in _PARAGRAPHS
            or (page.tags[sibling], page.elements[sibling].get("class")) == tag_and_class
            or is_more(sibling)
        )
    )


def _goes_on(page: Outline, live: list[_Held], wanted: _Wanted) -> Callable[[int], bool]:
    """Return a test whether an element goes on with the article: wanted words and no link."""
    linked = _sums(page, [block for block in page.blocks if block.links])
    bits_below = [0] * len(page.parents)
    for block, block_bits in live:
        bits_below[block.node] |= block_bits
    for node in range(len(bits_below) - 1, 0, -1):
        bits_below[page.parents[node]] |= bits_below[node]
    return lambda node: (
        wanted.enough and not linked[node] and wanted.share([bits_below[node]]) >= DOUBTFUL
    )
