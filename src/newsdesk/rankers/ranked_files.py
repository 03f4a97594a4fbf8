"""Ranked threads as files: a table for spreadsheet programs, JSON lines with everything, or a run.

The name decides: `.csv` is the table, `.html` a self-contained page, `.trec` and `.jsonl` are runs, unless a full `.jsonl` is asked for.

The page shows threads by quality, beside the orders by likes and by time where these are known: side by side on a wide screen, behind tabs on a
narrow one, without scripts. Reasons show their direction by a sign and the style of the border as well as by colour. Only the first comments of
each order are on the page; it says of how many. Comments that a gate held back stand apart, below their thread, each with the reason.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from newsdesk import packaged, records
from newsdesk.errors import ArgumentError
from newsdesk.feedback import feedback
from newsdesk.files import atomic, write_text
from newsdesk.jsonl import json_line
from newsdesk.rankers.ranked import Placed, RankedThread
from newsdesk.rankers.ranker import Reason
from newsdesk.records.comments.cells import parse_moment
from newsdesk.results.page import Section, page
from newsdesk.wording import excerpt, plural

TOP = 200  # comments of each order on a page
_EXCERPT = 180  # characters of a comment in the other orders
_COLUMNS = {1: "one", 2: "two", 3: "three"}  # style classes by the number of orders
# What is said of what comments have.
_MEANING = {
    "standing": "The first fifth of a thread by its score stands out, the last three tenths are thin, the rest is solid.",
    "probability": "The percentage is the chance that a judge would call the comment constructive, with how far such chances were off on votes that the model had not seen.",
    "reasons": "The labels say what raised (+) or lowered (−) a comment against the usual one of its thread; the number is its share of all that sets the comment apart.",
}


_APART = "{:,} held back: folded below their thread, each with the reason."


def ranked_page(ranked: Iterable[RankedThread], top: int = TOP) -> str:
    """Return the page of threads; `top` comments of each are shown in each order."""
    sections: list[Section] = []
    signatures: dict[str, None] = {}
    cautions: dict[str, None] = {}
    told: dict[str, None] = {}
    comments = held_back = 0
    for thread in ranked:
        sections.append(thread_section(thread, len(sections) + 1, top))
        signatures[thread.signature] = None
        if thread.caution:
            cautions[f"{thread.caution[0].upper()}{thread.caution[1:]}."] = None
        for placed in thread.comments[:1]:
            told |= dict.fromkeys(kind for kind in _MEANING if getattr(placed, kind))
        comments += len(thread.everything)
        held_back += len(thread.held_back or ())
    lead = " ".join(
        [
            f"{plural(comments, 'comment')} of {plural(len(sections), 'article')}, the best first.",
            *(_MEANING[kind] for kind in told),
            *([_APART.format(held_back)] if held_back else []),
            *cautions,
        ]
    )
    signed = Section("How this was made").code("\n".join(signatures) or "no comments")
    style = packaged.path("rankers", "data", "ranked.css").read_text("utf-8")
    return page("Ranked comments", lead, [*sections, signed], style=style)


def thread_section(thread: RankedThread, number: int, top: int = TOP) -> Section:
    """Return the section of one thread; `number` makes the names of its links unique in the page."""
    section = Section(thread.article.title or thread.article.id)
    total = len(thread.comments)
    if thread.article.title:
        apart = f", {len(thread.held_back):,} more held back" if thread.held_back else ""
        section.text(f"Article {thread.article.id}, {plural(total, 'comment')}{apart}.")
    if total > top:
        section.text(f"The first {top:,} of {plural(total, 'comment')} in each order are shown.")
    orders = [("By quality", _quality(thread.comments[:top], number, total))]
    shown = {comment.comment.id for comment in thread.comments[:top]}
    liked = [comment for comment in thread.comments if comment.comment.likes is not None]
    if liked:
        # Ties stay in the order of quality.
        liked.sort(key=lambda placed: -(feedback(placed.comment) or 0.0))
        orders.append(("By likes", _compared(liked[:top], number, shown)))
    if newest := _newest_first(thread.comments):
        orders.append(("Newest first", _compared(newest[:top], number, shown)))
    section.markup(_tabs(orders, number, thread.article.lang))
    if thread.held_back:
        section.markup(_held_back(thread.held_back[:top], len(thread.held_back)))
    return section


def _held_back(placed: Sequence[Placed], count: int) -> str:
    """Return the comments that are held back, each with the reason, folded until they are asked for."""
    items = "".join(
        f'<li><div class="meta">{_spans([_reason(comment), *_facts(comment)])}</div>'
        f'<div class="text">{escape(comment.comment.text)}</div></li>'
        for comment in placed
    )
    return f'<details class="held"><summary>Held back: {plural(count, "comment")}</summary><ol>{items}</ol></details>'


def _reason(placed: Placed) -> str:
    return f"<b>{escape(placed.held.text)}</b>" if placed.held else ""


def _newest_first(placed: Sequence[Placed]) -> list[Placed]:
    """Return the comments whose time is known, the newest first."""
    dated = [
        (moment, comment)
        for comment in placed
        if comment.comment.at and (moment := parse_moment(comment.comment.at)) is not None
    ]
    dated.sort(key=lambda pair: pair[0], reverse=True)
    return [comment for _, comment in dated]


def _tabs(orders: Sequence[tuple[str, str]], number: int, lang: str | None) -> str:
    """Return HTML of the orders (title, items): columns on a wide screen, tabs on a narrow one.

    `number` is that of the thread, and makes the names of its tabs unique in the page.
    """
    tabs = "".join(
        f'<input type="radio" name="t{number}" id="t{number}-{tab}"{" checked" if not tab else ""}>'
        f'<label for="t{number}-{tab}">{escape(name)}</label>'
        for tab, (name, _) in enumerate(orders)
    )
    columns = "".join(
        f'<div class="column{" small" if tab else ""}"><h3>{escape(name)}</h3><ol>{items}</ol></div>'
        for tab, (name, items) in enumerate(orders)
    )
    style = _COLUMNS[len(orders)]
    lang_attribute = f' lang="{escape(lang)}"' if lang else ""
    inner = f'{tabs}<div class="columns {style}">{columns}</div>'
    return f'<div class="orders"{lang_attribute}>{inner}</div>'


def _quality(placed: Sequence[Placed], number: int, total: int) -> str:
    """Return the list items of comments by quality, of `total`, each an anchor of thread `number`."""
    return "".join(
        f'<li id="c{number}-{comment.rank}"><div class="meta">{_meta(comment, total)}</div>'
        f'<div class="text">{escape(comment.comment.text)}</div>{_chips(comment.reasons or ())}</li>'
        for comment in placed
    )


def _meta(placed: Placed, total: int) -> str:
    """Return the line above a comment: rank, standing and probability or score, and facts."""
    parts = [f"<b>{placed.rank}</b> of {total:,}"]
    if placed.standing is None:
        parts.append(f"score {placed.score:.2f}")
    else:
        parts.append(f"<em>{placed.standing}</em>")
    if placed.probability is not None:
        parts.append(f"{placed.probability:.0%} ± {placed.probability_error:.0%}")
    parts += _facts(placed)
    return _spans(parts)


def _spans(parts: Sequence[str]) -> str:
    """Return facts with dots between them, none of which is broken over two lines."""
    return " · ".join(f"<span>{part}</span>" for part in parts)


def _facts(placed: Placed) -> list[str]:
    """Return likes, dislikes and time of a comment, where they are known."""
    comment = placed.comment
    facts = []
    if comment.likes is not None:
        facts.append(plural(comment.likes, "like"))
    if comment.dislikes:
        facts.append(plural(comment.dislikes, "dislike"))
    if comment.at and (moment := parse_moment(comment.at)):
        facts.append(f"{moment:%Y-%m-%d %H:%M}")
    return facts


def _chips(reasons: Sequence[Reason]) -> str:
    if not reasons:
        return ""
    return f'<div class="chips">{"".join(map(_chip, reasons))}</div>'


def _chip(reason: Reason) -> str:
    """Return a reason with the sign of its effect and its share."""
    kind = "plus" if reason.effect > 0 else "minus"
    return f'<span class="chip {kind}"><b>{_signed(reason)}</b> {escape(reason.label)}</span>'


def _signed(reason: Reason) -> str:
    """Return the share of a reason with the sign of its effect, as +.62."""
    return f"{'+' if reason.effect > 0 else '−'}{reason.share:.2f}".replace("0.", ".", 1)


def _compared(placed: Sequence[Placed], number: int, shown: set[str]) -> str:
    """Return shortened comments in another order, each with its rank by quality and how far it moved."""
    return "".join(
        _other(comment, rank, number, linked=comment.comment.id in shown)
        for rank, comment in enumerate(placed, 1)
    )


def _other(placed: Placed, other_rank: int, number: int, *, linked: bool) -> str:
    """Return a shortened comment at its rank in another order; `linked` to its place by quality."""
    rank = f"quality {placed.rank:,}"
    if linked:
        rank = f'<a href="#c{number}-{placed.rank}">{rank}</a>'
    move = other_rank - placed.rank
    arrow = ""
    if move > 0:
        arrow = f' <span class="rise">▲ {move:,}</span>'
    elif move < 0:
        arrow = f' <span class="fall">▼ {-move:,}</span>'
    meta = _spans([f"<b>{other_rank}</b>", f"{rank}{arrow}", *_facts(placed)])
    short = escape(excerpt(placed.comment.text, _EXCERPT))
    return f'<li><div class="meta">{meta}</div><div class="text">{short}</div></li>'


_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a formula may begin with
_DIGITS = 6  # of scores and probabilities


def write_ranked(
    path: str,
    ranked: Iterable[RankedThread],
    *,
    full: bool = False,
    top: int | None = None,
    overwrite: bool = False,
) -> int:
    """Write ranked threads in the form that the name asks for, and return the number of comments.

    There are `top` comments of each thread; left out, 200 on a page, else all.
    """
    kind = form_of(path)
    if full and kind != ".jsonl":
        raise ArgumentError(f"{path}: only a .jsonl file can be full; a .csv file has all columns")
    if kind == ".html":
        return _write_page(path, ranked, TOP if top is None else top, overwrite=overwrite)
    write = write_table if kind == ".csv" else write_full if full else write_run
    return write(path, first_of_each(ranked, top), overwrite=overwrite)


def form_of(path: str) -> str:
    """Return the form of a file by its name: .csv, .html, .trec, or .jsonl for any other.

    >>> form_of("ranked.csv.gz"), form_of("-")
    ('.csv', '.jsonl')
    """
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    return suffix if suffix in (".csv", ".html", ".trec") else ".jsonl"


def first_of_each(ranked: Iterable[RankedThread], top: int | None) -> Iterator[RankedThread]:
    """Yield the threads with their first comments alone, so many each; all of them without a number."""
    for thread in ranked:
        yield thread if top is None else thread.first(top)


def _write_page(path: str, ranked: Iterable[RankedThread], top: int, *, overwrite: bool) -> int:
    """Write the page, and return the number of comments on it."""
    count = 0

    def counted() -> Iterator[RankedThread]:
        nonlocal count
        for thread in ranked:
            count += min(len(thread.comments), top) + min(len(thread.held_back or ()), top)
            yield thread

    write_text(path, ranked_page(counted(), top), overwrite=overwrite)
    return count


def write_run(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write the lines of a run, as .jsonl or .trec, and return how many there were."""
    lines = (line for thread in ranked for line in thread.lines())
    return records.write(path, lines, overwrite=overwrite)


def write_full(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write a JSON line per comment with text, probability and reasons, and return how many there were."""
    count = 0
    with atomic(path, overwrite=overwrite) as stream:
        for thread in ranked:
            for comment in thread.everything:
                stream.write(json_line(row(thread, comment)))
                count += 1
    return count


def write_table(path: str, ranked: Iterable[RankedThread], *, overwrite: bool) -> int:
    """Write CSV in UTF-8 with the mark that spreadsheet programs expect, and return how many comments.

    A text that such a program would take for a formula has an apostrophe before it.
    """
    count = 0
    with atomic(path, overwrite=overwrite) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        writer = None
        for thread in ranked:
            for comment in thread.everything:
                cells = _cells(thread, comment)
                if writer is None:
                    # The columns are those of the first comment; what it lacks is in no cell.
                    writer = csv.DictWriter(text, list(cells), extrasaction="ignore")
                    writer.writeheader()
                writer.writerow(cells)
                count += 1
        if writer is None:
            csv.writer(text).writerow(["article", "rank", "comment", "text", "score"])
        text.detach()
    return count


def row(thread: RankedThread, placed: Placed) -> dict[str, Any]:
    """Return a comment as a JSON object; `value` is what it is ranked by, where that is not the score.

    What the model does not say is left out. `held` is why it is held back, null where it is not, and left out without a gate.
    """
    fields = _fields(thread, placed)
    if placed.reasons is not None:
        fields["reasons"] = [
            {
                "text": reason.text,
                "words": reason.words,
                "effect": reason.effect,
                "share": reason.share,
                "quote": reason.quote,
            }
            for reason in placed.reasons
        ]
    if thread.held_back is not None:
        held = placed.held
        fields["held"] = held and {
            "kind": held.kind,
            "words": held.words,
            "text": held.text,
            "copy_of": held.copy_of,
        }
    return {**fields, "signature": thread.signature}


def _fields(thread: RankedThread, placed: Placed) -> dict[str, Any]:
    """Return what a comment's row has before reasons and signature: values of one cell each."""
    fields: dict[str, Any] = {
        "article": thread.article.id,
        "rank": placed.rank,
        "comment": placed.comment.id,
        "text": placed.comment.text,
        "score": round(placed.score, _DIGITS),
    }
    if not thread.by_score:
        fields["value"] = round(placed.value, _DIGITS)
    if placed.standing is not None:
        fields["standing"] = placed.standing
    if placed.probability is not None and placed.probability_error is not None:
        fields["probability"] = round(placed.probability, _DIGITS)
        fields["probability_error"] = round(placed.probability_error, _DIGITS)
    return fields


def _cells(thread: RankedThread, placed: Placed) -> dict[str, str]:
    """Return the fields of `row` as text; reasons in one cell, each with its share."""
    fields = _fields(thread, placed)
    if placed.reasons is not None:
        fields["reasons"] = "; ".join(
            f"{reason.label} {_signed(reason)}" for reason in placed.reasons
        )
    if thread.held_back is not None:
        fields["held"] = placed.held.text if placed.held else ""
    fields["signature"] = thread.signature
    return {
        name: safe(value) if isinstance(value, str) else str(value)
        for name, value in fields.items()
    }


def safe(text: str) -> str:
    """Return a text that no spreadsheet program takes for a formula.

    >>> safe("=1+1"), safe("fine")
    ("'=1+1", 'fine')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
