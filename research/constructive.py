"""The ranker `argument` on real judgments, where `rank compare` has no measure: debates, calibration, and labels dealt out anew.

UKPConvArg: each debate (both sides) is ranked by a model of the other debates, which learned from the gold ranking; the figure is the share of gold pairs in
which the more convincing argument stands higher, with an interval by bootstrap over topics; the neural rankers, cut short, on one debate, beside the others there. C3: the probabilities of five folds by article
against the votes, and the mean bLMP of twenty models that learned from shuffled votes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bench._data import ABSENT, SHARED, c3, debates, rows
from newsdesk import Thread, ranker
from newsdesk.rankers.argument.features import CommentRows
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import Labels, RidgeRegression
from newsdesk.rankers.evaluation.compare import cross_folds
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.evaluation.length_control import blmp
from newsdesk.stats.significance import interval

# The ready model was fitted on these debates, so nothing may be adapted from it here.
ALONE = "argument(prior='none')"
RANKERS = ("length", "ranksvm", "svr", ALONE, "argument(prior='none', padding=False)")
_SHORT = "iterations=1000, units=100, dimensions=100, epochs=1, max_words=100, learning_rate=0.001"
NEURAL = (f"ranknet({_SHORT})", f"lstm-reg({_SHORT})")
SHUFFLES = 20
BINS = 10
LEAST_PAIRS, MOST_ERROR = 0.78, 0.01


def won(scores: Mapping[tuple[str, str], float]) -> np.ndarray[Any, Any]:
    """Pairs won and pairs, of each topic that was scored; equal scores count ½."""
    counts: dict[str, list[float]] = {}
    scored = {topic for topic, _ in scores}
    for row in rows("ukpconvarg/pairs_strict.jsonl"):
        if row["topic"] not in scored:
            continue
        first, second = (scores[row["topic"], each] for each in row["id"].split("_"))
        lead = np.sign(round(first - second, 9)) * (1 if row["winner"] == "a1" else -1)
        own = counts.setdefault(row["topic"], [0.0, 0.0])
        own[0] += (1 + lead) / 2
        own[1] += 1
    return np.array(list(counts.values()))


def scored(
    spec: str, topics: Mapping[str, list[Thread]], tested: Iterable[str]
) -> dict[tuple[str, str], float]:
    """What each argument of some debates gets from a model of all other debates."""
    scores: dict[tuple[str, str], float] = {}
    for debate in tested:
        others = [each for other, some in topics.items() if other != debate for each in some]
        model = ranker(spec).fit(others)
        for thread in topics[debate]:
            for comment, score in zip(thread.comments, model.scores(thread), strict=True):
                scores[thread.article.id, comment.id] = float(score)
    return scores


def ukpconvarg() -> float:
    """The figure of each ranker; that of `argument` is returned."""
    topics = debates()
    last = 0.0
    for spec in RANKERS:
        counts = won(scored(spec, topics, topics))
        ends = interval(counts, lambda sums: sums[:, 0] / sums[:, 1], samples=10_000, seed=0)
        share = counts[:, 0].sum() / counts[:, 1].sum()
        print(f"UKPConvArg, {spec}: {share:.4f} [{ends.low:.4f}, {ends.high:.4f}] of pairs")
        last = share if spec == ALONE else last
    return float(last)


def one_debate() -> None:
    """The debate with the most arguments, by all rankers: two topics, too few for an interval."""
    topics = debates()
    debate = max(topics, key=lambda each: sum(len(thread.comments) for thread in topics[each]))
    for spec in (*RANKERS, *NEURAL):
        counts = won(scored(spec, topics, [debate]))
        share, both = counts[:, 0].sum() / counts[:, 1].sum(), counts[:, 0] / counts[:, 1]
        sides = " and ".join(f"{each:.4f}" for each in both)
        print(f"{debate}, {spec.partition('(iterations')[0]}: {share:.4f} of pairs ({sides})")


def calibration(threads: list[Thread]) -> float:
    """The mean distance of predicted and cast shares over ten bins of equal size, of threads that the model had not seen."""
    probability, share = [], []
    for fold in cross_folds(threads, 5):
        model = Argument().fit((*fold.train, *fold.dev))
        for thread in fold.test:
            probability += model.probability(thread).tolist()
            share += [(each.yes or 0) / (each.votes or 1) for each in thread.comments]
    predicted, cast = np.array(probability), np.array(share)
    parts = np.array_split(np.argsort(predicted, kind="stable"), BINS)
    print("C3, predicted and cast shares by tenths of the comments:")
    print(
        "  " + " ".join(f"{predicted[part].mean():.3f}/{cast[part].mean():.3f}" for part in parts)
    )
    error = float(np.mean([abs(predicted[part].mean() - cast[part].mean()) for part in parts]))
    print(f"C3, expected calibration error {error:.4f} (at most {MOST_ERROR})")
    return error


def shuffled(threads: Iterable[Thread]) -> float:
    """The mean bLMP of models that learned from votes dealt out anew within articles, on other articles dealt out so."""
    listed = sorted(threads, key=lambda each: each.article.id)
    half = len(listed) // 2
    model = Argument().fit(listed[:half])
    features = model.features_
    comments = CommentRows.joined([features.of_thread(thread) for thread in listed])
    regression = RidgeRegression(model.wording, model.vector, model.seed)
    rng = np.random.default_rng(0)
    values = []
    for _ in range(SHUFFLES):
        dealt = [dealt_out(thread, rng) for thread in listed]
        labels = Labels.of(dealt[:half], "score")
        size = len(labels.rows)
        weights = regression.weights(comments.part(np.arange(size)), labels)
        judged = Judged.of(dealt[half:])
        scores = weights.scores(comments.part(np.arange(size, len(comments.logs))))
        sums = judged.matched.statistics(scores, judged.shares).sum(axis=0, keepdims=True)
        values.append(float(blmp(sums)[0]))
    print(f"C3, {SHUFFLES} shuffles of the labels: mean bLMP {np.mean(values):.4f} (.50 ± .01)")
    return float(np.mean(values))


def dealt_out(thread: Thread, rng: np.random.Generator) -> Thread:
    votes = [(each.yes, each.votes) for each in thread.comments]
    order = rng.permutation(len(votes)).tolist()
    return Thread(
        thread.article,
        tuple(
            dataclasses.replace(each, yes=votes[other][0], votes=votes[other][1])
            for each, other in zip(thread.comments, order, strict=True)
        ),
    )


def main() -> None:
    if not SHARED.is_dir():
        print(ABSENT)
        return
    threads = c3()
    good = [
        abs(shuffled(threads) - 0.5) <= 0.01,
        calibration(threads) <= MOST_ERROR,
        ukpconvarg() >= LEAST_PAIRS,
    ]
    one_debate()
    if not all(good):
        raise SystemExit("the ranker `argument` missed a floor")
