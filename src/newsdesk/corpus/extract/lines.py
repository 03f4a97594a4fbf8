"""Which blocks inside the container are lines of the article."""

from __future__ import annotations

from newsdesk.corpus.extract.blocks import HEADINGS, Block, Outline
from newsdesk.corpus.extract.container import Container
from newsdesk.corpus.extract.metadata import Metadata

_LINKED = 0.6


def lines(shown: Outline, place: Container, page: Metadata, title: str) -> list[str]:
    """The lines of the article."""
    blocks = [block for block in shown.blocks if block.node in place and not place.dropped[block.node]]
    texts: list[str] = []
    seen = {title.casefold()}
    for block in blocks:
        if block.tag == "h1":
            continue
        if block.link_share >= _LINKED and not (len(block.text) >= 80 and block.like_sentence):
            continue
        key = block.text.casefold()
        if key in seen:
            continue
        if len(key) > 20: seen.add(key)
        texts.append(block.text)
    return texts
