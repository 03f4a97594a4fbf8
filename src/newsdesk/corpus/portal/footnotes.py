"""Named footnotes of wikitext: `<ref name=x/>` stands for the footnote of that name, wherever on the page it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = Any  # a node of mwparserfromhell


def fill_named_footnotes(code: Node) -> None:
    """Give every empty footnote of a parsed page the text of the first one with its group and name; others stay as they are."""
    footnotes = list(_named(code))
    texts: dict[tuple[str, str], str] = {}
    for key, tag in footnotes:
        if tag.contents and str(tag.contents).strip():
            texts.setdefault(key, str(tag.contents))
    for key, tag in footnotes:
        if key in texts and not (tag.contents and str(tag.contents).strip()):
            tag.contents = texts[key]
            tag.self_closing = False


def _named(code: Node) -> Iterator[tuple[tuple[str, str], Node]]:
    """The footnotes that have a name, with group and name; also those in `<references>` and in the parameters of templates."""
    for tag in code.filter_tags(recursive=True):
        if str(tag.tag).strip().lower() == "ref" and tag.has("name"):
            group = str(tag.get("group").value).strip() if tag.has("group") else ""
            yield (group, str(tag.get("name").value).strip()), tag
