"""The element that holds the article, in the manner of readability: paragraphs give points to the elements around them.

Ours departs in three ways. Class names that sound like boilerplate count only where the element holds a small part of the
page's good text (the pardon), unless title and description tell that it stands beside the article. The points are multiplied by the share of the words of title and description that the element
holds, which tells the article from the list of teasers under it. And the choice climbs to an ancestor that adds a fifth of
good text, inside an `article` or `articleBody` without conditions, elsewhere only by elements that look like the chosen one
or go on about the same without a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from newsdesk.corpus.extract.blocks import Block, Outline

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
    """The words of a text, for comparing titles and descriptions with text."""
    return set(_WORD.findall(text.casefold()))


def coverage(wanted: set[str], text: str) -> float:
    """The share of wanted words that a text holds; 1 where none are wanted."""
    return len(wanted & words(text)) / len(wanted) if wanted else 1.0


def container(page: Outline, about: str) -> Container | None:
    """The element that holds the article about which the page says `about`; None where nothing reads like a paragraph."""
    wanted = words(about)
    ends = _ends(page)
    dropped = _dropped(page, ends, wanted)
    live = [block for block in page.blocks if block.good and not dropped[block.node]]
    if not live:
        return None
    sums = _sums(page, live)
    best = _best(_points(page, live), live, ends, wanted)
    first = _climb(page, best, sums, _goes_on(page, live, ends, wanted))
    for node in range(first + 1, ends[first]):
        inner = page.tags[node] == "article" and sums[node] < _INNER * sums[first]
        dropped[node] = dropped[node] or inner or dropped[page.parents[node]]
    return Container(first, ends[first], dropped)


def _best(points: dict[int, float], live: list[Block], ends: list[int], wanted: set[str]) -> int:
    """The node with the most points, multiplied by the share of wanted words that its text holds.

    Points add up in an element in which the article and something else stand side by side, so a part of it is preferred if
    the rest holds hardly a wanted word.
    """
    hits = [(block.node, wanted & words(block.text)) for block in live] if wanted else []
    best, best_value = 0, -1.0
    for node in sorted(points, key=lambda each: (-points[each], each))[:_CANDIDATES]:
        inside = set().union(*(hit for place, hit in hits if node <= place < ends[node]))
        share = len(inside) / len(wanted) if wanted else 1.0
        value = points[node] * (_BASE + share)
        is_part = best < node < ends[best] and value >= _PART * best_value and len(wanted) >= FEW
        if is_part and value <= best_value:
            beside = (
                hit
                for place, hit in hits
                if best <= place < ends[best] and not node <= place < ends[node]
            )
            is_part = len(set().union(*beside)) < DOUBTFUL * len(wanted)
        if value > best_value or is_part:
            best, best_value = node, value
    return best


def ancestors(page: Outline, node: int) -> Iterator[int]:
    """The node itself and those around it, inside out."""
    while node >= 0:
        yield node
        node = page.parents[node]


def _sums(page: Outline, blocks: list[Block]) -> list[int]:
    """The size of these blocks under every node."""
    sums = [0] * len(page.parents)
    for block in blocks:
        sums[block.node] += block.size
    for node in range(len(sums) - 1, 0, -1):
        sums[page.parents[node]] += sums[node]
    return sums


def _ends(page: Outline) -> list[int]:
    """For every node, the first node behind its last descendant."""
    ends = list(range(1, len(page.parents) + 1))
    for node in range(len(ends) - 1, 0, -1):
        parent = page.parents[node]
        ends[parent] = max(ends[parent], ends[node])
    return ends


def _dropped(page: Outline, ends: list[int], wanted: set[str]) -> list[bool]:
    """Which nodes stand in an element that sounds like boilerplate and is not pardoned."""
    good = [block for block in page.blocks if block.good]
    sums = _sums(page, good)
    nodes: dict[str, list[int]] = {}
    for node, mark in enumerate(page.marks):
        if mark:
            nodes.setdefault(mark, []).append(node)
    pardoned = {
        mark
        for mark, places in nodes.items()
        if sum(sums[node] for node in places) > _PARDON * sums[0]
        and _is_pardoned(mark, [(node, ends[node]) for node in places], good, wanted)
    }
    dropped: list[bool] = []
    for node, mark in enumerate(page.marks):
        parent = page.parents[node]
        dropped.append((parent >= 0 and dropped[parent]) or (mark != "" and mark not in pardoned))
    return dropped


def _is_pardoned(
    mark: str, ranges: list[tuple[int, int]], good: list[Block], wanted: set[str]
) -> bool:
    """Whether elements that hold much of the text are the article, whatever they are called.

    Title and description tell: teasers hold hardly a word of them, of which the rest holds most; comments and notices may hold
    many, but beside a whole article that holds as many.
    """
    inside: list[Block] = []
    outside: list[Block] = []
    for block in good:
        within = any(first <= block.node < last for first, last in ranges)
        (inside if within else outside).append(block)
    size, rest_size = (sum(block.size for block in blocks) for blocks in (inside, outside))
    is_most = not _HARD.search(mark) or size > _HARD_PARDON * (size + rest_size)
    if len(wanted) < FEW:
        return is_most
    share, rest = (
        coverage(wanted, " ".join(block.text for block in blocks)) for blocks in (inside, outside)
    )
    if share >= _MOST and rest < DOUBTFUL:
        return True
    if _NEVER.search(mark) and rest_size >= _WHOLE and rest >= share:
        return False
    return is_most and not (share < DOUBTFUL and rest >= _MOST)


def _points(page: Outline, live: list[Block]) -> dict[int, float]:
    points: dict[int, float] = {}
    for block in live:
        commas = sum(map(block.text.count, ",，、،"))
        value = (1 + min(commas, 10) + min(block.size / 100, 3)) * (1 - block.link_share)
        node = block.node
        if page.tags[node] in _PARAGRAPHS and page.parents[node] >= 0:
            node = page.parents[node]
        for level, each in zip(_LEVELS, ancestors(page, node), strict=False):
            points[each] = points.get(each, 0.0) + level * value
    return points


def _is_article(page: Outline, node: int) -> bool:
    element = page.elements[node]
    return page.tags[node] == "article" or "articleBody" in (element.get("itemprop") or "")


def _climb(page: Outline, node: int, sums: list[int], is_more: Callable[[int], bool]) -> int:
    """The node, or an ancestor that adds enough good text which is likely to belong to it, up to an article."""
    best = child = node
    path = list(ancestors(page, node))
    article = next((each for each in path if _is_article(page, each)), -1)
    for each in path:
        if sums[each] >= _CLIMB * sums[best]:
            is_inside = each >= article >= 0
            added = sums[each] if is_inside else _alike(page, each, child, sums, is_more)
            if added >= (_CLIMB - 1) * sums[best]:
                best = each
        child = each
        if each == article:
            break
    return best


def _alike(
    page: Outline, node: int, child: int, sums: list[int], is_more: Callable[[int], bool]
) -> int:
    """The good text in children of a node that are paragraphs, look like one of the children, or are more of the article."""
    name = page.tags[child], page.elements[child].get("class")
    return sum(
        sums[each]
        for each, parent in enumerate(page.parents)
        if parent == node
        and each != child
        and sums[each]
        and (
            page.tags[each] in _PARAGRAPHS
            or (page.tags[each], page.elements[each].get("class")) == name
            or is_more(each)
        )
    )


def _goes_on(
    page: Outline, live: list[Block], ends: list[int], wanted: set[str]
) -> Callable[[int], bool]:
    """A function that says whether an element goes on with the article: text without a link that holds wanted words."""
    linked = _sums(page, [block for block in page.blocks if block.links])

    def is_more(node: int) -> bool:
        if linked[node] or len(wanted) < FEW:
            return False
        text = " ".join(block.text for block in live if node <= block.node < ends[node])
        return coverage(wanted, text) >= DOUBTFUL

    return is_more
