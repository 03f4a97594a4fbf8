"""A visualization of the match: which words of a candidate occur in which reference, and with what weight.

A word of the candidate is shaded by the weight of the best reference that holds it; in each reference the shared words are shaded by
that reference's weight, and those on the longest common subsequence are underlined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from newsdesk.errors import ArgumentError
from newsdesk.metrics.overlap import lcs_members
from newsdesk.metrics.systems import System, SystemScores
from newsdesk.results.page import Section, page
from newsdesk.text import Analyzer, Encoded
from newsdesk.text.ragged import Ragged
from newsdesk.types import Score

_STYLE = """
<style>
.match { font: .95rem/1.8 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
.match span { padding: .1em .2em; border-radius: .25em; }
.match .line { border-bottom: 2px solid var(--accent); }
.match td:first-child { white-space: nowrap; color: var(--soft); padding-right: 1rem; }
@media (max-width: 32rem) {
  .match td { display: block; border: 0; padding: .2rem 0; }
}
</style>
"""


def match_picture(system: System, item: str) -> Section:
    """Return the candidate of one item above its references, with the words they share marked."""
    section = Section(f"{system.name}: item {item}")
    return section.figure(
        _STYLE + _table(system.batch, system.ids.index(item)),
        "Shaded: a word that the other side holds too, the darker the better the reference. Underlined: on the longest "
        "common subsequence.",
    )


def match_section(system: System, item: str, scores: Sequence[Score]) -> Section:
    """Return the candidate of one item above its references, and the score of each metric."""
    index = system.ids.index(item)
    section = match_picture(system, item)
    rows = [
        (
            score.signature.split("|")[0],
            score.items[index] if score.items else None,
            score.value,
            score.signature,
        )
        for score in scores
    ]
    return section.table(("metric", "this item", "all items", "signature"), rows)


def match_page(item: str, results: Sequence[SystemScores]) -> str:
    """Return the HTML page, with one section for each system that has the item."""
    sections = [
        match_section(result.system, item, result.scores)
        for result in results
        if item in result.system.ids
    ]
    if not sections:
        raise ArgumentError(f"no system answers item {item!r}, so there is nothing to explain")
    lead = "Which words of each candidate matched which reference, and with what weight."
    return page(f"The match of item {item}", lead, sections)


def match_file(item: str) -> str:
    """Return the default file name of an item's page.

    >>> match_file("2031/ferry")
    'match-2031-ferry.html'
    """
    return f"match-{re.sub(r'[^A-Za-z0-9._-]+', '-', item)}.html"


class MatchedWord(NamedTuple):
    """A word, the weight of the best match on the other side (0: none), and whether it is on the common subsequence."""

    word: str
    weight: float
    on_lcs: bool


def matched_rows(batch: Encoded, index: int) -> list[tuple[str, list[MatchedWord]]]:
    """Return the words of one item's candidate, then of its references by falling weight, each row with its label."""
    units = batch.units(Analyzer())
    begin, end = batch.reference_offsets[index : index + 2].tolist()
    order = sorted(range(begin, end), key=lambda reference: -batch.weights[reference])
    candidate = units.candidates[index].tolist()
    best_weights = [0.0] * len(candidate)  # of the references that hold each word
    rows = []
    for reference in order:
        weight = float(batch.weights[reference])
        words = units.references[reference].tolist()
        shared, in_candidate = _shared(words, candidate), _shared(candidate, words)
        on_lcs = lcs_members(Ragged.of_rows([words]), Ragged.of_rows([candidate]), "leftmost")
        best_weights = [
            max(best, weight) if match else best
            for best, match in zip(best_weights, in_candidate, strict=True)
        ]
        rows.append(
            (
                f"reference, weight {weight:.2f}",
                [
                    MatchedWord(
                        units.words[word], weight if match or underlined else 0.0, underlined
                    )
                    for word, match, underlined in zip(words, shared, on_lcs.tolist(), strict=True)
                ],
            )
        )
    first = [
        MatchedWord(units.words[word], weight, on_lcs=False)
        for word, weight in zip(candidate, best_weights, strict=True)
    ]
    return [("candidate", first), *rows]


def _table(batch: Encoded, index: int) -> str:
    """Return the HTML table of one item: the candidate, then its references by falling weight."""
    body = "".join(
        f"<tr><td>{escape(label)}</td><td>{_words(words)}</td></tr>"
        for label, words in matched_rows(batch, index)
    )
    return f'<table class="match">{body}</table>'


def _shared(words: Sequence[int], others: Sequence[int]) -> list[bool]:
    """Return for each word whether it has a match among the others; each of these matches once."""
    free = Counter(others)
    matches = []
    for word in words:
        matches.append(free[word] > 0)
        free[word] -= 1
    return matches


def _words(words: Sequence[MatchedWord]) -> str:
    """Return words as HTML, shaded by the weight of their match."""
    cells = []
    for word, weight, on_lcs in words:
        style = (
            f' style="background: rgba(30, 120, 90, {0.1 + 0.5 * weight:.2f})"' if weight else ""
        )
        kind = ' class="line"' if on_lcs else ""
        cells.append(f"<span{kind}{style}>{escape(word)}</span>")
    return " ".join(cells)
