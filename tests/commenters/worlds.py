"""Small threads for tests of commenters."""

from __future__ import annotations

import random

import newsdesk as nd

WORDS = (
    "the of a to and in it is was for on that this with they will not council dam river budget vote night market school ferry "
    "radar teacher judge boat park money never always think maybe wrong right"
).split()

SMALL = {
    **{name: f"{name}(updates=15, filters=4, dimensions=6, units=5, batch=16)" for name in ("ir-t", "ir-tc", "ir-quality")},
    **{
        name: f"{name}(minutes=None, updates=12, units=12, dimensions=6, batch=16, check_every=6, max_content_words=30, beam=3)"
        for name in ("seq2seq", "att", "att-tc")
    },
}  # fmt: skip


def new(name: str) -> nd.Commenter:
    """A commenter small enough to be fitted again and again."""
    return nd.commenter(SMALL[name])


def pairs(count: int, seed: int = 1) -> list[nd.Thread]:
    """Articles with a random title and one random comment each: what only memory can reproduce."""
    rng = random.Random(seed)

    def text(size: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(size)).capitalize()

    return [
        nd.Thread(
            nd.Article(f"a{number:03d}", "Some text.", title=text(8), lang="en"),
            (nd.Comment(f"c{number}", text(10) + "."),),
        )
        for number in range(count)
    ]
