"""One self-contained HTML page of ranked threads: by quality, beside the orders by likes and by time where these are known.

On a wide screen the orders stand side by side, on a narrow one behind tabs, without scripts. Reasons are short labels that show their direction by a sign and the style of
the border as well as by colour. Only the first comments of each order are on the page; it says of how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from newsdesk import packaged
from newsdesk.feedback import feedback
from newsdesk.rankers.ranked import Label, Placed, RankedThread
from newsdesk.records.comments.moments import parse_moment
from newsdesk.results.page import Section, page
from newsdesk.wording import plural

TOP = 200
_EXCERPT = 180
_COLUMNS = {1: "one", 2: "two", 3: "three"}
# An effect that rounds to nothing is shown without a sign.
_LEAST_EFFECT = 0.005


def ranked_page(ranked: Iterable[RankedThread], top: int = TOP) -> str:
    """The page of threads; `top` comments of each are shown in each order."""
    sections: list[Section] = []
    signatures: dict[str, None] = {}
    cautions: dict[str, None] = {}
    comments = 0
    for thread in ranked:
        sections.append(thread_section(thread, len(sections) + 1, top))
        signatures[thread.signature] = None
        if thread.caution:
            cautions[f"{thread.caution[0].upper()}{thread.caution[1:]}."] = None
        comments += len(thread.comments)
    lead = " ".join(
        [
            f"{plural(comments, 'comment')} of {plural(len(sections), 'article')}, the best first.",
            "The labels say what raised (+) or lowered (−) a comment; the percentage is the chance that a judge would call it constructive, where the model gives one.",
            *cautions,
        ]
    )
    signed = Section("How this was made").code("\n".join(signatures) or "no comments")
    style = packaged.path("rankers", "data", "ranked.css").read_text("utf-8")
    return page("Ranked comments", lead, [*sections, signed], style=style)


def thread_section(thread: RankedThread, number: int, top: int = TOP) -> Section:
    """The section of one thread; `number` makes the names of its links unique in the page."""
    section = Section(thread.article.title or thread.article.id)
    total = len(thread.comments)
    if thread.article.title:
        section.text(f"Article {thread.article.id}, {plural(total, 'comment')}.")
    if total > top:
        section.text(f"The first {top:,} of {plural(total, 'comment')} in each order are shown.")
    orders = [("By quality", _quality(thread.comments[:top], number))]
    shown = {comment.comment.id for comment in thread.comments[:top]}
    liked = [comment for comment in thread.comments if comment.comment.likes is not None]
    if liked:
        # Ties stay in the order of quality.
        liked.sort(key=lambda each: -(feedback(each.comment) or 0.0))
        orders.append(("By likes", _compared(liked[:top], number, shown)))
    if newest := _newest_first(thread.comments):
        orders.append(("Newest first", _compared(newest[:top], number, shown)))
    return section.markup(_tabs(orders, number, thread.article.lang))


def _newest_first(placed: Sequence[Placed]) -> list[Placed]:
    """The comments whose time is known."""
    dated = [
        (moment, each)
        for each in placed
        if each.comment.at and (moment := parse_moment(each.comment.at)) is not None
    ]
    dated.sort(key=lambda pair: pair[0], reverse=True)
    return [each for _, each in dated]


def _tabs(orders: Sequence[tuple[str, str]], number: int, lang: str | None) -> str:
    """The orders as columns on a wide screen and tabs on a narrow one; a single order needs no tab."""
    tabs = "".join(
        f'<input type="radio" name="t{number}" id="t{number}-{place}"{" checked" if not place else ""}>'
        f'<label for="t{number}-{place}">{escape(name)}</label>'
        for place, (name, _) in enumerate(orders)
    )
    columns = "".join(
        f'<div class="column{" small" if place else ""}"><h3>{escape(name)}</h3><ol>{items}</ol></div>'
        for place, (name, items) in enumerate(orders)
    )
    kind = _COLUMNS[len(orders)]
    said = f' lang="{escape(lang)}"' if lang else ""
    return f'<div class="orders"{said}>{tabs}<div class="columns {kind}">{columns}</div></div>'


def _quality(placed: Sequence[Placed], number: int) -> str:
    return "".join(
        f'<li id="c{number}-{each.rank}"><div class="meta">{_meta(each)}</div>'
        f'<div class="text">{escape(each.comment.text)}</div>{_chips(each.reasons or ())}</li>'
        for each in placed
    )


def _meta(placed: Placed) -> str:
    parts = [f"<b>{placed.rank}</b>"]
    if placed.probability is not None:
        parts.append(f"{placed.probability:.0%}")
    else:
        parts.append(f"score {placed.score:.2f}")
    parts += _facts(placed)
    return _spans(parts)


def _spans(parts: Sequence[str]) -> str:
    """Facts with dots between them, none of which is broken over two lines."""
    return " · ".join(f"<span>{part}</span>" for part in parts)


def _facts(placed: Placed) -> list[str]:
    comment = placed.comment
    facts = []
    if comment.likes is not None:
        facts.append(plural(comment.likes, "like"))
    if comment.dislikes:
        facts.append(plural(comment.dislikes, "dislike"))
    if comment.at and (moment := parse_moment(comment.at)):
        facts.append(f"{moment:%Y-%m-%d %H:%M}")
    return facts


def _chips(reasons: Sequence[Label]) -> str:
    if not reasons:
        return ""
    return f'<div class="chips">{"".join(map(_chip, reasons))}</div>'


def _chip(label: Label) -> str:
    words = f": {', '.join(label.words[:2])}" if label.words and len(label.words[0]) < 40 else ""
    text = escape(f"{label.text}{words}")
    if abs(label.effect) < _LEAST_EFFECT:
        return f'<span class="chip">{text}</span>'
    kind, sign = ("plus", "+") if label.effect > 0 else ("minus", "−")
    return f'<span class="chip {kind}"><b>{sign}</b> {text}</span>'


def _compared(placed: Sequence[Placed], number: int, shown: set[str]) -> str:
    """Comments in another order, each shortened, with its rank by quality and how far that is up or down."""
    return "".join(
        _other(each, place, number, linked=each.comment.id in shown)
        for place, each in enumerate(placed, 1)
    )


def _other(placed: Placed, place: int, number: int, *, linked: bool) -> str:
    rank = f"quality {placed.rank:,}"
    if linked:
        rank = f'<a href="#c{number}-{placed.rank}">{rank}</a>'
    move = place - placed.rank
    arrow = (
        f' <span class="rise">▲ {move:,}</span>'
        if move > 0
        else f' <span class="fall">▼ {-move:,}</span>'
        if move < 0
        else ""
    )
    meta = _spans([f"<b>{place}</b>", f"{rank}{arrow}", *_facts(placed)])
    text = placed.comment.text
    short = text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 1].rstrip()}…"
    return f'<li><div class="meta">{meta}</div><div class="text">{escape(short)}</div></li>'
