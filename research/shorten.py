"""Shortening by deletion on real sentences: how many are shortened and by how much, what it does to ROUGE, and that every one passes the checker.

The sentences are those that Submodular (which `submodular+abs` shortens) and, for comparison and without floors, `expected-rouge` choose from the shared WCEP clusters at 40 words and
from Multi-News at 220, shortened after they were chosen. The floors: of the chosen sentences of more than 25 words 35 % (WCEP) and 30 % (Multi-News) are shortened, to a mean of at most .88 of their words; R1-F not
below that of the same sentences unshortened on WCEP, lower end of the paired interval at least −.005 on Multi-News.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench._data import ABSENT, SHARED, multi_news, wcep
from newsdesk import metric
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.abstractive import shortened_sentence
from newsdesk.summarizers.readable import FINAL
from newsdesk.summarizers.shortening import refusal
from newsdesk.types import Cluster
from research.multi_news import difference

LONG = 25  # words
MEAN = 0.88
METHODS = ("submodular", "expected-rouge")
LOWEST = {"WCEP": (0.35, 40, 0.0), "Multi-News": (0.30, 220, -0.005)}


def measured(name: str, clusters: Sequence[Cluster], method: str) -> list[str]:
    """Print the figures of one method on one corpus, and say which are below their floor."""
    share, max_words, least = LOWEST[name]
    one = summarizer(method, max_words=max_words)
    rouge = metric("rouge-1")
    long = refused = unfinished = 0
    ratios, rows = [], []
    for cluster in clusters:
        prepared = prepare(cluster)
        of_id = {each.id: at for at, each in enumerate(cluster.articles)}
        chosen = one.summarize(prepared).sentences
        printed = [shortened_sentence(prepared, of_id[each.article], each) for each in chosen]
        for source, text in zip(chosen, printed, strict=True):
            words = len(source.text.split())
            long += words > LONG
            if text == source.text:
                continue
            if words > LONG:
                ratios.append(len(text.split()) / words)
            # The opening of a first sentence may go as a whole: its dateline or headline.
            opening = len(source.text) - len(text) if source.position == 0 else 0
            refused += all(
                refusal(text, source.text, dateline=at) for at in range(max(opening, 0) + 1)
            )
            unfinished += source.text.rstrip()[-1:] in FINAL and text[-1:] not in FINAL
        reference = [cluster.summary or ""]
        rows.append(
            [
                rouge.score(" ".join(texts), reference, lang="en").value
                for texts in (printed, [each.text for each in chosen])
            ]
        )
    values = np.array(rows)
    gain, low, high = difference(values[:, :1], values[:, 1:])
    print(
        f"{name}, {method}: {len(ratios)} of {long} sentences of more than {LONG} words shortened ({len(ratios) / long:.3f}), "
        f"to {np.mean(ratios):.3f} of their words; R1-F {gain:+.4f} [{low:+.4f}, {high:+.4f}]; "
        f"{refused} refused by the checker, {unfinished} without a final mark"
    )
    below = gain < least if name == "WCEP" else low < least
    if method != METHODS[0]:
        return []
    if len(ratios) / long < share or np.mean(ratios) > MEAN or below or refused or unfinished:
        return [f"{name}, {method} misses a floor"]
    return []


def main() -> int:
    if not SHARED.is_dir():
        print(ABSENT)
        return 0
    corpora = {"WCEP": [each for each, _ in wcep()], "Multi-News": multi_news()}
    missed = [
        fault
        for name, clusters in corpora.items()
        for method in METHODS
        for fault in measured(name, clusters, method)
    ]
    if missed:
        raise SystemExit("; ".join(missed))
    return 0


if __name__ == "__main__":
    main()
