"""The demo's opening: what the stages found, before how: a thread by likes beside the same by quality, and what people prefer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from newsdesk.demo.ranking import TOP, share_of_yes, shown_thread
from newsdesk.files import read_whole
from newsdesk.jsonl import json_value
from newsdesk.rankers.ranker import RankedComment, ranker
from newsdesk.rankers.ready import READY, load_ready
from newsdesk.results.page import Section
from newsdesk.results.plots import intervals
from newsdesk.results.systems import ComparisonResult
from newsdesk.wording import excerpt

_COMMENTS = 3
_EXCERPT = 110


def opening(folder: Path) -> Section:
    """Return the opening of the report from what the stages wrote into the demo's folder."""
    section = Section("What was found")
    _by_likes_and_by_quality(section)
    result = ComparisonResult.decode(json_value(read_whole(folder / "verdicts/systems.json")))
    section.text(f"Which of four summarizers do people prefer? {_sentence(result.verdict)}")
    rows = [row.bar for row in result.ranks[0].systems]
    section.figure(
        intervals(sorted(rows, key=lambda row: -row[1]), "log strength, higher is better"),
        "Three people ranked their summaries of twelve events; Bradley–Terry strength with 95 % intervals.",
    )
    return section.command(
        f"newsdesk serve --data {folder.name}/",
        "An unfinished campaign and a thread to moderate wait in the browser:",
    )


def _sentence(text: str) -> str:
    """Return a verdict as a sentence: a capital letter first, a full stop last.

    >>> _sentence("fluent leads")
    'Fluent leads.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _by_likes_and_by_quality(section: Section) -> None:
    """Append the first comments of the shown thread in both orders, and the votes on the first five."""
    thread = shown_thread()
    by_likes = ranker("like").rank(thread)
    by_quality = load_ready(READY, "en").rank(thread)
    section.text(
        f"{len(thread.comments)} readers commented on “{thread.article.title}”. Ten people said of each comment whether it is constructive. "
        f"Of their votes on the first {TOP}, {share_of_yes(by_likes[:TOP]):.0%} are yes when likes decide the order, "
        f"{share_of_yes(by_quality[:TOP]):.0%} when the model that ships does, which saw none of these votes."
    )
    section.markup(
        f'<div class="sides">{_side("Most liked first", by_likes)}{_side("By quality", by_quality, "first")}</div>'
    )


def _side(name: str, ranked: Sequence[RankedComment], style: str = "") -> str:
    entries = "".join(
        f"<li>{escape(excerpt(comment.text, _EXCERPT))} <i>{comment.yes} of {comment.votes}</i></li>"
        for comment in (entry.comment for entry in ranked[:_COMMENTS])
    )
    return f'<div class="{style}"><b>{name}</b><ol>{entries}</ol></div>'
