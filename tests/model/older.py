"""Tiny fitted models, one for each kind and layout of folder: `python -m tests.model.older` writes them to `tests/model/older/`.

The folders there were written by the code of version 0.2.0 before models shared one contract (`aligner`: before aligners kept it too). They stay as they are:
whoever saved a model then must be able to load it now.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.commenters import commenter
from newsdesk.corpus.align.model import ALIGNERS as FEATURES
from newsdesk.rankers import ranker
from newsdesk.summarizers import summarizer
from newsdesk.types import Article, Cluster, ClusterArticle, Comment, Event, Source, Thread

FOLDER = Path(__file__).with_name("older")
RANKERS = {
    "like": "like(dislike_weight=None)",
    "svr": "svr(cost=0.1, min_count=1, epsilon=0.2)",
    "lstm-reg": "lstm-reg(iterations=2, units=2, dimensions=2, epochs=1, min_count=1)",
}
COMMENTERS = {
    "ir-quality": "ir-quality(quality=1, filters=2, widths=(1, 2), dimensions=2, units=2, updates=2)",
    "seq2seq": "seq2seq(minutes=None, updates=2, units=2, dimensions=2, vocabulary=5)",
}
SUMMARIZERS = {"tsr": "tsr(penalty=2.0, encoder='lsa(dimensions=2)', min_tokens=2)"}
ALIGNERS = {"aligner": "rich"}
TEXTS = ("The dam was opened at noon.", "Nobody told the people of the village.", "Who pays now?")


def threads() -> list[Thread]:
    """Return three threads of three comments."""
    return [
        Thread(
            Article(f"a{n}", TEXTS[n], title=f"Title {TEXTS[n]}", lang="en"),
            tuple(
                Comment(f"c{m}", f"{TEXTS[m]} I say so {n} times.", likes=m + n, dislikes=1, score=m / 2)
                for m in range(3)
            ),
        )
        for n in range(3)
    ]  # fmt: skip


def clusters() -> list[Cluster]:
    """Return three clusters of one article."""
    return [
        Cluster(f"k{n}", (ClusterArticle(f"a{n}", " ".join(TEXTS), lang="en"),), summary=text)
        for n, text in enumerate(TEXTS)
    ]  # fmt: skip


def cited() -> list[tuple[Event, list[Article]]]:
    """Return four events of two days, each with the article that it cites."""
    pairs = []
    for n in range(4):
        text, url = TEXTS[n % 3], f"https://x.example/{n}"
        event = Event(f"e{n}", f"2019-05-0{1 + n // 2}", text, sources=(Source(url),))
        pairs.append((event, [Article(f"a{n}", f"{text} It was said {n} times.", text, url)]))
    return pairs


def pair_features() -> Floats:
    """Return the features of three pairs, pairs × features."""
    features: Floats = np.arange(27).reshape(3, 9) / 9
    return features


def main() -> None:
    facts: dict[str, object] = {}
    for name, spec in RANKERS.items():
        fitted = ranker(spec).fit(threads())
        fitted.save(FOLDER / name)
        facts[name] = [fitted.scores(threads()[0]).tolist(), fitted.summary]
    for name, spec in COMMENTERS.items():
        trained = commenter(spec).fit(threads())
        trained.save(FOLDER / name, packed=name == "ir-quality")  # one of each layout
        texts = [each.text for each in trained.suggest(threads()[0].article)]
        facts[name] = [texts, trained.signature, trained.digest]
    for name, spec in SUMMARIZERS.items():
        method = summarizer(spec).fit(clusters())  # type: ignore[attr-defined]
        method.save(FOLDER / name)
        facts[name] = [method.summarize(clusters()[0]).text, method.signature, method.digest]
    for name, features in ALIGNERS.items():
        aligner = FEATURES.make(features).fit(cited())
        aligner.save(FOLDER / name)
        facts[name] = [aligner.probabilities(pair_features()).tolist(), aligner.signature]
    (FOLDER / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
