"""Portal pages of events: the day pages that an editor's events would stand on, in every layout that the portal has had.

`table` is the layout of 2004–2017, `heading` that of 2018 on, `paragraph` today's, `wikitext` what editors type. `mixed` goes through
all of them from day to day. Whoever reads a page gets back its events: categories, stories as nested bullets, links with their
phrases, sources with their labels; around them stands what real pages have around them.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import quote

from newsdesk.errors import ArgumentError
from newsdesk.types import Event, Source

LAYOUTS = ("table", "heading", "paragraph", "wikitext")
MIXED = "mixed"

_WIKI = str.maketrans({character: f"&#{ord(character)};" for character in "[]{}|<>*#;&"})


@dataclass(frozen=True, slots=True)
class SimulatedPage:
    """A day page: the file's name, its layout and text, and the events on it."""

    name: str
    layout: str
    text: str
    events: tuple[Event, ...]


def portal_pages(events: Iterable[Event], layout: str = MIXED) -> Iterator[SimulatedPage]:
    """Yield the day pages of events that come in order of days."""
    if layout not in (*LAYOUTS, MIXED):
        layouts = ", ".join((*LAYOUTS, MIXED))
        raise ArgumentError(f"no layout of portal pages is called {layout!r}; there are: {layouts}")
    days = itertools.groupby(events, key=lambda event: event.date)
    for number, (day, group) in enumerate(days):
        chosen = LAYOUTS[number % len(LAYOUTS)] if layout == MIXED else layout
        on_page = tuple(group)
        suffix = "wiki" if chosen == "wikitext" else "html"
        yield SimulatedPage(f"{day}.{suffix}", chosen, portal_page(on_page, chosen), on_page)


def portal_page(events: Sequence[Event], layout: str) -> str:
    """Return the page of one day's events."""
    day = date.fromisoformat(events[0].date)
    return _WRITERS[layout](day, events)


def _by_category(events: Sequence[Event]) -> Iterator[tuple[str | None, list[Event]]]:
    """Return events under their categories, in order of first appearance; those without one come first."""
    groups: dict[str | None, list[Event]] = {None: []}
    for event in events:
        groups.setdefault(event.category, []).append(event)
    return ((category, group) for category, group in groups.items() if group)


def _tree(events: Sequence[Event], depth: int = 0) -> Iterator[Event | tuple[str, list[Event]]]:
    """Yield events at one depth of their story paths, and each story with the events below it."""
    stories: dict[str, list[Event]] = {}
    for event in events:
        if len(event.story) > depth:
            stories.setdefault(event.story[depth], []).append(event)
    written = set()
    for event in events:
        if len(event.story) <= depth:
            yield event
        elif event.story[depth] not in written:
            written.add(event.story[depth])
            yield event.story[depth], stories[event.story[depth]]


def _pieces(event: Event) -> Iterator[tuple[str, str | None]]:
    """Yield the summary in pieces, each with the article it links to, if it does."""
    end = 0
    for entity in event.entities:
        yield event.summary[end : entity.start], None
        yield entity.phrase, entity.target.replace("_", " ")
        end = entity.end
    yield event.summary[end:], None


# HTML


def _link(phrase: str, title: str) -> str:
    address = quote(title.replace(" ", "_"), safe="()_,:'/")
    return f'<a href="/wiki/{address}" title="{html.escape(title)}">{html.escape(phrase, quote=False)}</a>'


def _summary_html(event: Event) -> str:
    text = "".join(
        html.escape(piece, quote=False) if title is None else _link(piece, title)
        for piece, title in _pieces(event)
    )
    return " ".join([text, *itertools.starmap(_source_html, enumerate(event.sources, 1))])


def _source_html(number: int, source: Source) -> str:
    kind = "text" if source.label else "autonumber"
    shown = f"({html.escape(source.label, quote=False)})" if source.label else f"[{number}]"
    return f'<a rel="nofollow" class="external {kind}" href="{html.escape(source.url)}">{shown}</a>'


def _list_html(events: Sequence[Event], depth: int = 0) -> str:
    items = []
    for node in _tree(events, depth):
        if isinstance(node, Event):
            items.append(f"<li>{_summary_html(node)}</li>")
        else:
            story, below = node
            items.append(f"<li>{_link(story, story)}\n{_list_html(below, depth + 1)}</li>")
    return "<ul>" + "\n".join(items) + "</ul>"


def _content_html(events: Sequence[Event], heading: Callable[[str], str]) -> str:
    parts = []
    for category, group in _by_category(events):
        if category is not None:
            parts.append(heading(html.escape(category, quote=False)))
        parts.append(_list_html(group))
    return "\n".join(parts)


def _edit_links(day: date) -> Iterator[str]:
    page = f"Portal:Current_events/{day.year}_{day:%B}_{day.day}"
    for action in ("edit", "history", "watch"):
        yield f'<a class="external text" href="/w/index.php?title={page}&amp;action={action}">{action}</a>'


def _table_page(day: date, events: Sequence[Event]) -> str:
    title = f"{day:%B} {day.day}, {day.year}"
    content = _content_html(events, lambda name: f"<dl><dt>{name}</dt></dl>")
    return f"""<table class="vevent" cellspacing="0" width="100%"><tr><td>
<table class="plainlinks" width="100%"><tr><td><span class="summary">Current events of <b>{title}</b><span style="display:none;"> (<span class="bday dtstart published updated">{day}</span>)</span> ({day:%A})</span></td>
<td align="right"><small>{" &middot; ".join(_edit_links(day))}</small></td></tr></table>
</td></tr>
<tr><td class="description">
<!-- All news items below this line -->
{content}
<!-- All news items above this line --></td></tr></table>
"""


def _heading_page(day: date, events: Sequence[Event]) -> str:
    title = f"{day:%B} {day.day}, {day.year}"
    content = _content_html(
        events,
        lambda name: (
            f'<div class="current-events-content-heading" role="heading" style="font-weight:bold">{name}</div>'
        ),
    )
    items = "".join(f"<li>{link}</li>" for link in _edit_links(day))
    return f"""<div class="mw-parser-output"><div role="region" aria-label="{day:%B} {day.day}" id="{day.year}_{day:%B}_{day.day}" class="vevent">
<div class="plainlinks"><div role="heading"><span class="summary">{title}<span style="display:none"> (<span class="bday dtstart published updated">{day}</span>)</span> ({day:%A})</span></div>
<ul class="editlink noprint">{items}</ul></div>
<div class="description">
{content}
</div></div></div>
"""


def _paragraph_page(day: date, events: Sequence[Event]) -> str:
    title = f"{day:%B} {day.day}, {day.year}"
    content = _content_html(events, lambda name: f"<p><b>{name}</b>\n</p>")
    items = "".join(f"<li>{link}</li>" for link in _edit_links(day))
    return f"""<div class="mw-content-ltr mw-parser-output" dir="ltr" lang="en"><style>.current-events-main{{margin:0.5em 0}}.current-events-navbar li{{display:inline-block}}</style><div class="current-events">
<div aria-label="{day:%B} {day.day}" class="current-events-main vevent" id="{day.year}_{day:%B}_{day.day}" role="region">
<div class="current-events-heading plainlinks">
<div class="current-events-title" role="heading"><span class="summary">{title}<span style="display: none;"> (<span class="bday dtstart published updated itvstart">{day}</span>)</span> ({day:%A})</span>
</div>
<ul class="current-events-navbar editlink noprint">{items}
</ul>
</div>
<div class="current-events-content description">
{content}</div></div></div>
</div>
"""


# Wikitext


def _wiki_link(phrase: str, title: str) -> str:
    shown, target = phrase.translate(_WIKI), title.translate(_WIKI)
    # The empty tag keeps letters right behind the link out of it.
    return f"[[{shown}]]<nowiki/>" if phrase == title else f"[[{target}|{shown}]]<nowiki/>"


def _summary_wiki(event: Event) -> str:
    text = "".join(
        piece.translate(_WIKI) if title is None else _wiki_link(piece, title)
        for piece, title in _pieces(event)
    )
    sources = [
        f"[{source.url} ({source.label.translate(_WIKI)})]" if source.label else f"[{source.url}]"
        for source in event.sources
    ]
    return " ".join([text, *sources])


def _list_wiki(events: Sequence[Event], depth: int = 0) -> Iterator[str]:
    marks = "*" * (depth + 1)
    for node in _tree(events, depth):
        if isinstance(node, Event):
            yield f"{marks} {_summary_wiki(node)}"
        else:
            story, below = node
            yield f"{marks} {_wiki_link(story, story)}"
            yield from _list_wiki(below, depth + 1)


def _wikitext_page(day: date, events: Sequence[Event]) -> str:
    lines = [
        f"{{{{Current events|year={day.year}|month={day.month:02d}|day={day.day}|content=",
        "<!-- All news items below this line -->",
    ]
    for category, group in _by_category(events):
        if category is not None:
            lines.append(f"'''{category}'''" if day.day % 2 else f";{category}")
        lines += [*_list_wiki(group), ""]
    return "\n".join([*lines, "<!-- All news items above this line -->}}", ""])


_WRITERS: dict[str, Callable[[date, Sequence[Event]], str]] = {
    "table": _table_page,
    "heading": _heading_page,
    "paragraph": _paragraph_page,
    "wikitext": _wikitext_page,
}
