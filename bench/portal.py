"""The portal parser on the 40 real pages of 2025–26, by what the HTML itself says: shares that the gate pins.

A page is right when all its events have its day; a bullet without bullets below when it is an event with exactly its own links; an event is complete when it has a category, a summary
of more than three words without loose white space, labels on all sources and entities where they stand; it is clean when no label, address, footnote or empty
bracket is left in its summary. Categories are compared with the days of each that were counted by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench._data import ABSENT, SHARED
from newsdesk.corpus.portal.collect import parse_page
from newsdesk.types import Event

FOLDER = "wcep_portal_html"
# On how many of the 40 days a category has an event.
DAYS = {
    "Disasters and accidents": 38,
    "Armed conflicts and attacks": 37,
    "Law and crime": 36,
    "Politics and elections": 31,
    "International relations": 21,
    "Sports": 19,
    "Health and environment": 19,
    "Business and economy": 18,
    "Arts and culture": 11,
    "Science and technology": 11,
}
_RESIDUE = re.compile(r"https?://|\[\d+\]|\s[.,;]|\(\s*\)")


def quality(shared: Path = SHARED) -> dict[str, float]:
    """The shares of pages, bullets, events and days of categories that are right."""
    texts = {
        page.stem: page.read_text("utf-8") for page in sorted((shared / FOLDER).glob("*.html"))
    }
    days = {day: parse_page(text, name="page.html").events for day, text in texts.items()}
    events = [event for listed in days.values() for event in listed]
    labels = {f"({source.label})" for event in events for source in event.sources}
    dated = [{event.date for event in listed} == {day} for day, listed in days.items()]
    bullets = [right for day, text in texts.items() for right in _cited(text, days[day])]
    counted = Counter(name for each in days.values() for name in {e.category or "" for e in each})
    wrong = sum(abs(counted[name] - DAYS.get(name, 0)) for name in {*counted, *DAYS})
    return {
        "pages": _share(dated),
        "bullets": _share(bullets),
        "complete": _share([_is_complete(event) for event in events]),
        "clean": _share([_is_clean(event, labels) for event in events]),
        "categories": 1 - wrong / sum(DAYS.values()),
    }


def _cited(text: str, events: Sequence[Event]) -> list[bool]:
    """Whether each bullet without bullets below is an event with its links; editors cite some pages under two bullets."""
    description = LexborHTMLParser(text).css_first("div.description")
    if description is None:
        return [False]
    leaves = [item for item in description.css("li") if item.css_first("ul") is None]
    cited = [[link.attributes["href"] for link in leaf.css("a.external")] for leaf in leaves]
    read = [[source.url for source in event.sources] for event in events]
    if len(read) != len(cited):
        return [False] * len(cited)
    return [ours == theirs for ours, theirs in zip(read, cited, strict=True)]


def _is_complete(event: Event) -> bool:
    summary = event.summary
    return (
        event.category not in (None, "", "Uncategorized")
        and len(summary.split()) > 3
        and summary == " ".join(summary.split())
        and all(source.label for source in event.sources)
        and all(summary[each.start : each.end] == each.phrase for each in event.entities)
    )


def _is_clean(event: Event, labels: set[str]) -> bool:
    left = any(label in event.summary for label in labels) or _RESIDUE.search(event.summary)
    return not left and "(" in (event.summary_with_labels or "")


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)


def main() -> int:
    if not SHARED.is_dir():
        print(ABSENT)
        return 0
    print(", ".join(f"{name} {value:.4f}" for name, value in quality().items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
