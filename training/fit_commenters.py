"""Fits the small commenters that ship with the package: `python -m training.fit_commenters [SYSTEM…]`.

One of each system, on the English threads of the sample newsroom, which are our own text, without the thread that the demo shows. `ir-quality` goes by the votes of the sample.
"""

from __future__ import annotations

import sys

from newsdesk import packaged, samples
from newsdesk.commenters.commenter import HELD_OUT, SYSTEMS, Commenter, commenter

RETRIEVAL = "dimensions=16, units=16, filters=16, epochs=20, lang='en'"
GENERATION = "minutes=None, updates=1_000, units=64, dimensions=32, batch=24, learning_rate=4e-3, dropout=0.2, lang='en'"


def fitted(name: str) -> Commenter:
    """A small commenter of this name."""
    settings = RETRIEVAL if name.startswith("ir-") else GENERATION
    model = commenter(f"{name}({settings})")
    return model.fit(each for each in samples.threads("en") if each.article.id != HELD_OUT)


def main() -> None:
    for name in sys.argv[1:] or SYSTEMS:
        model = fitted(name)
        folder = packaged.path("commenters", "data", f"sample-{name}")
        model.save(folder, packed=True)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"sample-{name}: {model.summary}, digest {model.digest}, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
