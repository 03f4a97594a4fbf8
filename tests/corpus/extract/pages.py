"""Small pages written for the tests, and their parts."""

from __future__ import annotations

SENTENCES = (
    "The council of the small harbour town decided on Monday to close the old bridge, which has carried buses since 1931.",
    "Engineers had warned for years that salt water, frost and heavy lorries were eating away at its pillars.",
    "From next week drivers must take the road through the valley, a detour of about eleven kilometres.",
    "Shop owners fear for their trade, and the mayor promised them help before the summer season begins.",
)
BODY = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
TEXT = "\n".join(SENTENCES)
TITLE = "Harbour town closes its old bridge"


def page(
    body: str = f"<article><h1>{TITLE}</h1>{BODY}</article>",
    *,
    head: str = "",
    title: str = TITLE,
    lang: str = "en",
) -> str:
    """A whole page around a body."""
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'
