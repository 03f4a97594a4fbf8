"""Makes the workbook of the guide for human evaluators, as its evaluators return it, with planted ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import openpyxl

# Of every article and evaluator: the example of the guide. B and C are the same text in the first article.
GUIDE_RANKS = {"A": 3, "B": 1, "C": 1, "D": 2}
GUIDE_SYSTEMS = "A=lead,B=centroid,C=textrank,D=random"
_OUTPUTS = {
    "A": "The ferry {n} left at noon .</s>It was late .",
    "B": "The ferry {n} sank off the coast .</s>All {n} passengers were saved .",
    "C": "Ferry {n} sank .</s>The crew saved all {n} passengers .",
    "D": '" We were lucky , " he said .</s>The ferry {n} sank .',
}


def guide_workbook(
    folder: Path, evaluators: Sequence[str] = ("ann", "ben"), articles: int = 6
) -> dict[str, Path]:
    """Write guide-NAME.xlsx for every evaluator: a row per article, ranked as `GUIDE_RANKS`.

    Columns: `url`, `reference`, `A` to `D` with `</s>` between sentences, then for every letter `Informative`, `Coherence` and `Overall`, such as `Coherence A`.
    """
    letters = tuple(GUIDE_RANKS)
    criteria = ("Informative", "Coherence", "Overall")
    ranks = [f"{criterion} {letter}" for letter in letters for criterion in criteria]
    files = {}
    for name in evaluators:
        book = openpyxl.Workbook()
        page = book.active
        page.append(["url", "reference", *letters, *ranks])
        for number in range(1, articles + 1):
            texts = {letter: text.format(n=number) for letter, text in _OUTPUTS.items()}
            if number == 1:
                texts["C"] = texts["B"]
            page.append([
                f"https://news.example/{number}", f"Ferry {number} sinks ; all are saved .",
                *texts.values(), *(GUIDE_RANKS[letter] for letter in letters for _ in criteria),
            ])  # fmt: skip
        files[name] = folder / f"guide-{name}.xlsx"
        book.save(files[name])
    return files
