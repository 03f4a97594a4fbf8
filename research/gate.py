"""Measure the gate on real comments: `python -m research.gate`.

What is held back of C3 for insults against judged toxicity, with the threshold from the other folds; shuffled comments; what changes among the first five of a thread; the penalty for insults in the score of the ready model.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from bench._data import ABSENT, SHARED, c3, rows
from newsdesk.rankers.argument.counts import ADDRESS
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.evaluation.evaluate import evaluate
from newsdesk.rankers.evaluation.judged import Judged, RankerScores
from newsdesk.rankers.gate.gate import Gate
from newsdesk.rankers.gate.word_order import shuffled
from newsdesk.rankers.insults import insults
from newsdesk.rankers.ranked import Ranking
from newsdesk.rankers.ready import Models, load_ready
from newsdesk.text.tokenize import tokenizer_for
from newsdesk.types import Thread

FOLDS = 5
SHARES = (0.005, 0.01, 0.02)
LEAST_WORDS = 20
PENALTIES = (0.0, 0.5, 1.0, 2.0)


def toxicities() -> dict[str, float]:
    """Return the judged toxicity of each comment of C3, from 1 to 4."""
    return {
        comment["id"]: comment["toxicity"]
        for row in rows("c3/c3_threads.jsonl")
        for comment in row["comments"]
    }


def held_for_insults(threads: Sequence[Thread], toxicity: dict[str, float]) -> None:
    """Print precision for toxicity of at least 2, and good comments among those held back."""
    comments = [(number % FOLDS, comment) for number, thread in enumerate(threads) for comment in thread.comments]  # fmt: skip
    folds = np.array([fold for fold, _ in comments])
    severities = np.array([insults(comment.text, "en").severity for _, comment in comments])
    toxic = np.array([toxicity[comment.id] >= 2 for _, comment in comments])
    good = np.array([(c.yes or 0) >= 0.8 * (c.votes or 1) for _, c in comments]) & ~toxic
    print(f"{len(comments):,} comments, toxic {toxic.mean():.3f}, good {good.mean():.3f}")
    for share in SHARES:
        held = np.zeros(len(comments), dtype=bool)
        for fold in range(FOLDS):
            least = np.quantile(severities[folds != fold], 1 - share)
            held |= (folds == fold) & (severities >= least)
        print(f"  share {share}: {held.sum()} held, precision {toxic[held].mean():.3f}, good {good[held].sum()}")  # fmt: skip


def kinds(threads: Sequence[Thread]) -> None:
    """Print how many comments each kind holds back."""
    gate = Gate()
    counts = Counter(held.kind for thread in threads for held in gate.held(thread) if held)
    print(f"kinds at {gate.share}: {dict(counts)}")


def word_order(name: str, texts: Sequence[str], lang: str, cut: Callable[[str], list[str]]) -> None:
    """Print how many comments are taken for shuffled as they are, and with their words shuffled."""
    rng = random.Random(0)
    joint = " " if lang == "en" else ""
    words = [split for text in texts if len(split := cut(text)) >= LEAST_WORDS]
    real = sum(bool(shuffled(joint.join(split), lang)) for split in words)
    mixed = sum(bool(shuffled(joint.join(rng.sample(split, len(split))), lang)) for split in words)
    print(f"{name}: {len(words):,} texts, {real} taken for shuffled, shuffled {mixed / len(words):.3f}")  # fmt: skip


def first_five(threads: Sequence[Thread], toxicity: dict[str, float]) -> None:
    """Print what the gate changes among the first five comments of each thread."""
    orders = []
    for gate in (None, Gate(), Gate(0.05)):
        ranking = Ranking(Models("ready-en"), explained=False, gate=gate)
        order = [[placed.comment for placed in ranked.first(5).comments] for ranked in ranking.of(threads)]  # fmt: skip
        orders.append(order)
        firsts = [comment for comments in order for comment in comments]
        toxic = np.mean([toxicity[comment.id] >= 2 for comment in firsts])
        share = np.mean([(comment.yes or 0) / (comment.votes or 1) for comment in firsts])
        new = sum(comment not in before for before, after in zip(orders[0], order, strict=True) for comment in after)  # fmt: skip
        print(f"first five, {gate}: toxic {toxic:.4f}, yes {share:.4f}, {new} of {len(firsts)} others")  # fmt: skip


def penalty(threads: Sequence[Thread]) -> None:
    """Print bLMP and NDCG@5 of the ready model by the setting `insults`."""
    ready = cast(Argument, load_ready("ready-en"))
    judged = Judged.of(threads)
    rates = np.array([insults(c.text, "en").rate for thread in threads for c in thread.comments])
    scores = np.concatenate([ready.scores(thread) for thread in threads]) + ready.insults * rates
    systems = [RankerScores(f"insults={value}", (scores - value * rates,)) for value in PENALTIES]
    result = evaluate(judged, systems, ks=(5,), samples=1_000)
    for name, measured in result.systems.items():
        print(f"{name}: bLMP {measured['blmp'].value:.4f}, better one shorter {measured['blmp_shorter'].value:.4f}, NDCG@5 {measured['ndcg@5'].value:.4f}")  # fmt: skip
    for test in result.comparisons:
        if test.measure in ("blmp", "ndcg@5") and test.first == systems[0].name:
            low, high = test.ci
            print(f"  {test.second} over {test.first}, {test.measure}: {-test.difference:+.4f} [{-high:+.4f}, {-low:+.4f}]")  # fmt: skip


def songs() -> list[str]:
    """Return comments of listeners on songs, in Chinese."""
    return [
        text for row in rows("netease_music_comments/sources.jsonl") for text in row["references"]
    ]


def main() -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    threads, toxicity = c3(), toxicities()
    held_for_insults(threads, toxicity)
    kinds(threads)
    texts = [ADDRESS.sub(" ", comment.text) for thread in threads for comment in thread.comments]
    word_order("C3", texts, "en", str.split)
    word_order("songs", songs(), "zh", tokenizer_for("zh").words)
    first_five(threads, toxicity)
    penalty(threads)


if __name__ == "__main__":
    main()
