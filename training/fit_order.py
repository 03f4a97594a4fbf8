"""Make the tables of word order that the gate reads: `python -m training.fit_order`.

English: UKPConvArg (CC BY 4.0), news articles of WCEP (MIT) and the sample newsroom. Chinese and Japanese: the sample newsroom, and the filler and padding that we wrote for the ranker. C3 is never read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from bench._data import ABSENT, SHARED, debates, wcep_clusters
from newsdesk import packaged, samples
from newsdesk.rankers.gate.word_order import WordOrder, units

# Frequent words or characters that are classes of their own, pairs of each kind added to those counted, and the plausibility below which text is called shuffled:
# of C3's comments of 20 words on 2 in 1,000 have less than .13, and all of our own in Japanese more than .35; of Chinese comments on songs, some of them poems, 1 in 377 has less than .25.
SETTINGS = {"en": (200, 5.0, 0.08), "zh": (0, 0.5, 0.25), "ja": (40, 2.0, 0.3)}
# Chinese characters of grammar: frequent ones of two pages of text are its topics as well.
CHINESE = frozenset(
    "的了是不在有和就也都还很我你他她它们这那个一上下到说要会能去来着过吗呢吧啊把被给对从与而但为以可没好多什么怎谁哪几得地之又再让像比只才更最"
)
ARTICLE_CHARACTERS = 3_000  # of each news article


def texts(lang: str) -> list[str]:
    """Return the texts that a table is counted on."""
    threads = samples.threads(lang)
    own = [comment.text for thread in threads for comment in thread.comments]
    if lang == "en":
        others = [
            comment.text
            for some in debates().values()
            for thread in some
            for comment in thread.comments
        ]
        news = [article.text for cluster in wcep_clusters() for article in cluster.articles]
        return [*own, *others, *(text[:ARTICLE_CHARACTERS] for text in news)]
    written = [
        line
        for kind in ("padding", "filler")
        for lines in packaged.sections("rankers", f"{kind}-{lang}.txt").values()
        for line in lines
    ]
    return [*own, *(thread.article.text for thread in threads), *written]


def most_frequent(written: Iterable[str], lang: str, count: int) -> frozenset[str]:
    """Return the most frequent words or characters of texts."""
    counts = Counter(unit for text in written for unit in units(text, lang) if unit[0].isalpha())
    return frozenset(sorted(counts, key=lambda unit: (-counts[unit], unit))[:count])


def main() -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    for lang, (frequent, smoothing, least) in SETTINGS.items():
        own = CHINESE if lang == "zh" else most_frequent(texts(lang), lang, frequent)
        order = WordOrder.of(texts(lang), lang, own, smoothing, least)
        path = packaged.path("rankers", "data", f"order-{lang}.npz")
        order.save(path)
        print(
            f"{lang}: {len(order.classes)} classes, usual {order.usual:.3f}, {path.stat().st_size:,} bytes"
        )


if __name__ == "__main__":
    main()
