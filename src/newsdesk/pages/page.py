"""One self-contained HTML page: sections of text, tables and pictures, with nothing fetched from anywhere.

Everything that goes in as text comes out escaped; only `figure` takes markup, which must be SVG or HTML of our own making.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from newsdesk import packaged

Cell = str | int | float | None


class Section:
    """A part of a report, built block by block."""

    def __init__(self, title: str, lead: str = "") -> None:
        self.title = title
        self._blocks: list[str] = []
        if lead:
            self.text(lead)

    def text(self, text: str) -> Section:
        """A paragraph."""
        self._blocks.append(f"<p>{escape(text)}</p>")
        return self

    def code(self, text: str) -> Section:
        """Commands or output, as they stand."""
        self._blocks.append(f"<pre><code>{escape(text)}</code></pre>")
        return self

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = ""
    ) -> Section:
        """A table; numbers stand to the right, None is a dash."""
        numeric = [
            any(isinstance(cell, int | float) for cell in column)
            for column in zip(*rows, strict=True)
        ]
        numeric = numeric or [False] * len(header)
        head = "".join(
            f'<th class="number">{escape(name)}</th>' if flush else f"<th>{escape(name)}</th>"
            for name, flush in zip(header, numeric, strict=True)
        )
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        title = f"<caption>{escape(caption)}</caption>" if caption else ""
        self._blocks.append(
            f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
        return self

    def figure(self, markup: str, caption: str) -> Section:
        """A picture (SVG or HTML made by newsdesk) with its caption."""
        self._blocks.append(
            f'<figure><div class="wide">{markup}</div><figcaption>{escape(caption)}</figcaption></figure>'
        )
        return self

    def include(self, other: Section) -> Section:
        """Another section's blocks under its title as a heading of this one."""
        self._blocks += [f"<h3>{escape(other.title)}</h3>", *other._blocks]
        return self

    def html(self, number: int) -> str:
        """The section as HTML, under its number."""
        blocks = "\n".join(self._blocks)
        return (
            f'<section id="s{number}"><h2>{number}. {escape(self.title)}</h2>\n{blocks}\n</section>'
        )


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    style = packaged.path("pages", "data", "page.css").read_text("utf-8")
    links = "".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>'
        for number, section in enumerate(sections, 1)
    )
    body = "\n".join(section.html(number) for number, section in enumerate(sections, 1))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n"
        f"<body><header><h1>{escape(title)}</h1><p>{escape(lead)}</p>"
        f"<nav><ol>{links}</ol></nav></header>\n<main>\n{body}\n</main></body></html>\n"
    )


def _cell(value: Cell) -> str:
    if value is None:
        return '<td class="number">–</td>'
    if isinstance(value, float):
        return f'<td class="number">{value:.4f}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    # Long text must not be squeezed into a thread on a phone, nor a date or a figure with its interval broken in two.
    unbroken = len(value) <= 12 or value.endswith("]")
    wide = (
        len(value.encode("utf-8", "replace")) > 60
    )  # a Chinese character is three bytes, and wider
    kind = "long" if wide else "short" if unbroken else ""
    return f'<td class="{kind}">{escape(value)}</td>' if kind else f"<td>{escape(value)}</td>"
