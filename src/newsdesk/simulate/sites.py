"""Articles as the pages of news sites: several templates, with navigation, related links and footers around the text.

What varies is what an extractor has to cope with: where the date is told (JSON-LD, meta tags, a time tag, a line of text), whether
there is a description of the page for machines at all, how much stands around the text, and how old the markup is.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from datetime import date

from newsdesk.types import Article

_SENTENCES_EACH = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_SECTIONS = ("World", "Politics", "Business", "Science", "Sport", "Culture", "Opinion")


def article_page(article: Article, template: str, related: Sequence[Article] = ()) -> str:
    """The HTML page of an article; `related` are linked beside it by their titles."""
    return TEMPLATES[template](article, related)


def _text(text: str | None) -> str:
    return html.escape(text or "", quote=False)


def _value(text: str | None) -> str:
    return html.escape(text or "")


def _paragraphs(article: Article) -> list[str]:
    """The text in paragraphs: as it is written, or a few sentences each."""
    lines = [line for line in article.text.split("\n") if line.strip()]
    if len(lines) > 1:
        return lines
    sentences = [each for each in _SENTENCE.split(article.text) if each]
    blank = " " if article.text.isascii() or " " in article.text else ""
    return [
        blank.join(sentences[start : start + _SENTENCES_EACH])
        for start in range(0, len(sentences), _SENTENCES_EACH)
    ]


def _body(article: Article) -> str:
    return "\n".join(f"<p>{_text(paragraph)}</p>" for paragraph in _paragraphs(article))


def _navigation(article: Article) -> str:
    items = "".join(f'<li><a href="/{name.lower()}">{name}</a></li>' for name in _SECTIONS)
    return f'<header><a class="logo" href="/">{_text(article.source)}</a><nav><ul>{items}</ul></nav></header>'


def _related(related: Sequence[Article]) -> str:
    items = "".join(
        f'<li><a href="{_value(each.url)}">{_text(each.title)}</a></li>' for each in related
    )
    return f'<aside class="related"><h2>Read more</h2><ul>{items}</ul></aside>' if items else ""


def _footer(article: Article) -> str:
    return f'<footer><p>&copy; {_text(article.source)}. All rights reserved.</p><ul><li><a href="/about">About us</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>'


def _linked_data(article: Article, related: Sequence[Article]) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": f"{article.date}T08:30:00Z" if article.date else None,
        "author": {"@type": "Person", "name": article.author} if article.author else None,
        "publisher": {"@type": "Organization", "name": article.source},
        "mainEntityOfPage": article.url,
        "articleSection": article.category,
    }
    linked = json.dumps(
        {key: each for key, each in data.items() if each}, ensure_ascii=False
    ).replace("</", r"<\/")
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)} | {_text(article.source)}</title>
<link rel="canonical" href="{_value(article.url)}">
<meta property="og:title" content="{_value(article.title)}"><meta property="og:type" content="article">
<script type="application/ld+json">{linked}</script></head>
<body>{_navigation(article)}
<main><article><h1>{_text(article.title)}</h1>
{_body(article)}
</article>{_related(related)}</main>
{_footer(article)}</body></html>
"""


def _meta_tags(article: Article, related: Sequence[Article]) -> str:
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)}</title>
<meta property="og:url" content="{_value(article.url)}"><meta property="og:site_name" content="{_value(article.source)}">
<meta property="article:published_time" content="{_value(article.date)}T06:00:00+00:00">
<meta name="author" content="{_value(article.author)}"></head>
<body>{_navigation(article)}
<div class="cookie-banner"><p>We use cookies to improve this site.</p><button>Accept</button></div>
<div id="content"><h1 class="headline">{_text(article.title)}</h1>
<div class="article-body">
{_body(article)}
</div>
<div class="share"><a href="#">Share</a> <a href="#">Print</a></div></div>
{_related(related)}{_footer(article)}</body></html>
"""


def _time_tag(article: Article, related: Sequence[Article]) -> str:
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)} - {_text(article.source)}</title></head>
<body>{_navigation(article)}
<article><header><h1>{_text(article.title)}</h1><time datetime="{_value(article.date)}">{_value(article.date)}</time></header>
<section>
{_body(article)}
</section></article>
{_related(related)}{_footer(article)}</body></html>
"""


def _plain(article: Article, related: Sequence[Article]) -> str:
    """A page without anything for machines and without anything around the text but a line with the date."""
    day = date.fromisoformat(article.date) if article.date else None
    line = f"<p>{day.day} {day:%B} {day.year}</p>\n" if day else ""
    return f"""<html><head><meta charset="utf-8"><title>{_text(article.title)}</title></head>
<body><h1>{_text(article.title)}</h1>
{line}{_body(article)}
</body></html>
"""


def _tables(article: Article, related: Sequence[Article]) -> str:
    """A page as it was written around 2004."""
    menu = "<br>".join(f'<a href="/{name.lower()}.html">{name}</a>' for name in _SECTIONS)
    lines = "<br><br>\n".join(_text(paragraph) for paragraph in _paragraphs(article))
    return f"""<HTML><HEAD><META http-equiv="Content-Type" content="text/html; charset=utf-8"><TITLE>{_text(article.title)}</TITLE>
<META NAME="date" CONTENT="{_value(article.date)}"></HEAD>
<BODY BGCOLOR="#FFFFFF"><TABLE WIDTH="760"><TR><TD VALIGN="top" WIDTH="120">{menu}</TD>
<TD VALIGN="top"><FONT SIZE="5"><B>{_text(article.title)}</B></FONT><BR>
<FONT SIZE="2">
{lines}
</FONT></TD></TR></TABLE>
<CENTER><FONT SIZE="1">&copy; {_text(article.source)}</FONT></CENTER></BODY></HTML>
"""


TEMPLATES: dict[str, Callable[[Article, Sequence[Article]], str]] = {
    "linked-data": _linked_data,
    "meta-tags": _meta_tags,
    "time-tag": _time_tag,
    "plain": _plain,
    "tables": _tables,
}
