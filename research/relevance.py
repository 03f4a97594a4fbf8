"""The relevance model P(c | x) on held-out articles of simulated worlds: how often a true comment scores above another one.

The other comment is a random one of another held-out article, or one of the nearest other held-out article by TF-IDF. Beside stand ceilings: people who know of every article which words its comments are about (`all words of
the topic`), and people who know only what can be learned, the insights of its subject and the words that stand in the article (`learnable words`); both count such words over the square root of the length.
Settings were chosen on seed 3 with 4,000 articles. `python -m research.relevance [ARTICLES] [SEED …]`; 20,000 articles and seeds 7, 11, 12 if left out.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.commenters.nearest import IrTc
from newsdesk.commenters.relevance import examples_of, pair_accuracy, random_others
from newsdesk.commenters.retrieval import InvertedIndex
from newsdesk.nn.convolution import RelevanceExamples
from newsdesk.simulate import world
from newsdesk.simulate.texts import TALK
from newsdesk.simulate.world import World
from newsdesk.types import Thread

ARTICLES, COMMENTS_EACH, HELD_OUT = 20_000, 20, 500
SEEDS = (7, 11, 12)
FLOORS = {"random": 0.85, "nearest": 0.60}
_WORD = re.compile(r"[^\W_]+")


def nearest_others(examples: RelevanceExamples) -> Ints:
    """For each comment one of the nearest other article, the same place in its thread or the last."""
    index = InvertedIndex.of(examples.context_words)
    first = np.searchsorted(examples.context_of, np.arange(len(examples.contexts) + 1))
    others = np.arange(len(examples.context_of))
    for article in range(len(examples.contexts)):
        row = examples.context_words[[article]]
        found = index.nearest(row.indices.astype(np.int64), row.data.astype(np.float64), 2)
        near = [place for place in found.places.tolist() if place != article]
        own = np.arange(first[article], first[article + 1])
        if near and first[near[0]] < first[near[0] + 1]:
            others[own] = np.minimum(first[near[0]] + own - own[0], first[near[0] + 1] - 1)
    return others.astype(np.int64)


def oracle_scores(one: World, threads: Sequence[Thread], *, learnable: bool) -> Iterator[set[str]]:
    """The words that a true comment of each article is made of, as far as they are known."""
    for thread in threads:
        match = re.match(r"sim-e(\d+)/", thread.article.id)
        plan = one.newsroom.planner.plan(int(match[1]) if match else 0)
        about = one.forum.topic(plan, TALK)
        words = {word.lower() for word in about.words.tolist()}
        if learnable:
            text = f"{thread.article.title} {thread.article.text}".lower()
            words &= set(_WORD.findall(text))
        yield words | {word.lower() for word in about.insights.tolist()}


def oracle_accuracy(
    known: Sequence[set[str]], comments: Sequence[list[str]], article_of: Ints, others: Ints
) -> float:
    def scores(chosen: Ints) -> Floats:
        pairs = zip(article_of.tolist(), chosen.tolist(), strict=True)
        return np.array(
            [len(known[a] & set(comments[c])) / np.sqrt(len(comments[c]) + 5) for a, c in pairs]
        )

    margins = scores(np.arange(len(others))) - scores(others)
    return float(np.mean((margins > 0) + 0.5 * (margins == 0)))


def measured(seed: int, articles: int) -> dict[str, float]:
    one = world(seed=seed, preset="commenting", events=articles, comments=COMMENTS_EACH * articles)
    threads = list(one.threads())
    order = np.random.default_rng(seed).permutation(len(threads)).tolist()
    held_out, training = (
        [threads[n] for n in sorted(part)] for part in (order[:HELD_OUT], order[HELD_OUT:])
    )
    started = time.process_time()
    model = IrTc().fit(training)
    spent = time.process_time() - started
    read = model._read(held_out, model.reading_)
    article_of = np.array(read.article_of, dtype=np.int64)
    rows = model.terms_.rows(read.articles), model.terms_.rows(read.comments)
    examples = examples_of(model.terms_, *rows, article_of, np.arange(len(article_of)))
    chosen = {"random": random_others(examples, 0), "nearest": nearest_others(examples)}
    words = [_WORD.findall(text.lower()) for text in read.texts]
    print(
        f"seed {seed}: {len(training):,} training articles, {model.updates_:,} updates, {spent:.0f} cpu-s"
    )
    accuracy = {}
    for name, others in chosen.items():
        accuracy[name] = pair_accuracy(model.network_, examples, others)
        ceilings = [
            oracle_accuracy(list(oracle_scores(one, held_out, learnable=each)), words, article_of, others)
            for each in (False, True)
        ]  # fmt: skip
        print(
            f"  above a {name} one: {accuracy[name]:.3f}; all words of the topic {ceilings[0]:.3f}, learnable words {ceilings[1]:.3f}",
            flush=True,
        )
    return accuracy


def main(articles: int = ARTICLES, *seeds: int) -> int:
    missed = 0
    for seed in seeds or SEEDS:
        for name, value in measured(seed, articles).items():
            if value < FLOORS[name]:
                print(f"BELOW ITS FLOOR: {name} {value:.3f}, not {FLOORS[name]:.2f}")
                missed = 1
    return missed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
