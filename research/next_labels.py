"""`study next` against random order: votes on C3 and simulated votes for the ranker, simulated grades for the verdict.

    python -m research.next_labels

Ranker: five folds of articles; in each, comments of the training articles are labelled in batches, in random order or as `study next` says after each
batch, from the same first 100; every comment comes with all its votes. The argument ranker's regression is fitted on what is labelled and its
bLMP measured on the held-out articles, a mean over seeds. For each size of random order, the votes with which `study next` first reaches the
same bLMP (curves made monotone, straight lines between sizes).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench._data import ABSENT, SHARED, c3
from newsdesk.arrays import Floats, Ints
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.logistic import LengthCurve, ridge_logistic, sigmoid
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import Labels, RidgeRegression
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.evaluation.length_control import blmp
from newsdesk.stats.power import Grades
from newsdesk.studies.next_labels import contenders, information, log_lengths

SIZES = (100, 200, 300, 450, 700, 1_000, 1_400, 2_000, 2_800, 4_000)
FOLDS, SEEDS, QUALITY = 5, 4, 2.0
MOST_SHARE = 0.7


@dataclass(frozen=True)
class World:
    """Comments with their votes, features and the fold of each."""

    rows: CommentRows
    labels: Labels
    judged: Judged
    logs: Floats
    fold: Ints


def world() -> World:
    """C3, features of all comments computed once: they do not look at votes."""
    threads = sorted(c3(), key=lambda each: each.article.id)
    features, talks = ArgumentFeatures.of(threads, vectors="auto", lang="en", padding=True, seed=0)
    rows = CommentRows.joined([features.of_talk(each) for each in talks])
    judged = Judged.of(threads)
    order = np.random.default_rng(0).permutation(len(judged.articles))
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % FOLDS
    logs = log_lengths([each.text for thread in threads for each in thread.comments])
    return World(rows, Labels.of(threads, "score"), judged, logs, fold[judged.article_of])


def batches(data: World, pool: Ints, rule: str, rng: np.random.Generator) -> list[Ints]:
    """What is labelled at each size."""
    yes, votes = data.judged.yes, data.judged.votes
    assert yes is not None
    assert votes is not None
    order = rng.permutation(pool)
    chosen = [order[: SIZES[0]]]
    for size in SIZES[1:]:
        labelled = chosen[-1]
        rest = order[~np.isin(order, labelled)]
        if rule == "next":
            curve = LengthCurve.of_votes(
                data.logs[labelled],
                yes[labelled].astype(np.float64),
                votes[labelled].astype(np.float64),
            )
            gains = information(sigmoid(curve(data.logs[rest])))
            rest = rest[np.argsort(-gains, kind="stable")]
        chosen.append(np.concatenate([labelled, rest[: size - len(labelled)]]))
    return chosen


def learning(data: World, rule: str, seed: int) -> tuple[Floats, Floats]:
    """bLMP over all folds and votes used per fold, for each size."""
    plain = Argument()
    scores = np.zeros((len(SIZES), len(data.logs)))
    used = np.zeros(len(SIZES))
    votes = data.judged.votes
    assert votes is not None
    for fold in range(FOLDS):
        rng = np.random.default_rng([seed, fold])
        held = np.flatnonzero(data.fold == fold)
        pool = np.flatnonzero(data.fold != fold)
        for place, chosen in enumerate(batches(data, pool, rule, rng)):
            regression = RidgeRegression(plain.wording, plain.vector, 0, None)
            weights = regression.weights(data.rows.part(chosen), data.labels.part(chosen))
            scores[place, held] = weights.weighing(QUALITY).scores(data.rows.part(held))
            used[place] += votes[chosen].sum() / FOLDS
    values = [_blmp(data, row) for row in scores]
    return np.array(values), used


def _blmp(data: World, scores: Floats) -> float:
    rows = data.judged.matched.statistics(scores, data.judged.shares)
    return float(blmp(rows.sum(axis=0, keepdims=True))[0])


def votes_for(value: float, values: Floats, votes: Floats) -> float | None:
    """The votes at which a monotone curve first reaches a value; None if it never does."""
    rising = np.maximum.accumulate(values)
    if rising[-1] < value:
        return None
    place = int(np.argmax(rising >= value))
    if place == 0:
        return float(votes[0])
    low, high = rising[place - 1], rising[place]
    share = (value - low) / (high - low)
    return float(votes[place - 1] + share * (votes[place] - votes[place - 1]))


def shares(random: Floats, ours: Floats, random_votes: Floats, our_votes: Floats) -> list[float]:
    """For each size of random order from 300 comments on, the share of its votes that ours needs; nan where ours never gets there."""
    rising = np.maximum.accumulate(random)
    found = []
    for place in range(2, len(SIZES)):
        first = votes_for(float(rising[place]), random, random_votes)
        needed = votes_for(float(rising[place]), ours, our_votes)
        found.append(needed / first if needed and first else float("nan"))
    return found


def ranker_on_c3() -> float:
    """Print both curves and the shares; return their median."""
    data = world()
    curves = {}
    for rule in ("random", "next"):
        runs = [learning(data, rule, seed) for seed in range(SEEDS)]
        curves[rule] = (np.mean([each for each, _ in runs], axis=0), runs[0][1])
        print(f"{rule:<8}" + "".join(f"{value:7.3f}" for value in curves[rule][0]), flush=True)
    print(f"{'comments':<8}" + "".join(f"{size:7d}" for size in SIZES))
    print(f"{'votes':<8}" + "".join(f"{value:7.0f}" for value in curves["random"][1]))
    found = shares(curves["random"][0], curves["next"][0], curves["random"][1], curves["next"][1])
    print("share   " + " " * 14 + "".join(f"{share:7.2f}" for share in found))
    median = float(np.nanmedian(found))
    print(f"median share of the votes of random order: {median:.2f}")
    return median


def ranker_on_simulated_votes(seeds: int = 10) -> float:
    """Simulated comments whose votes follow length and planted weights: the error of the weights after 300 comments, next over random."""
    errors: dict[str, list[float]] = {"random": [], "next": []}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        logs, rows = rng.normal(5, 1, 4_000), rng.normal(0, 1, (4_000, 20))
        planted = rng.normal(0, 0.3, 20)
        yes = rng.binomial(5, sigmoid(2.5 * (logs - 5) + rows @ planted)).astype(np.float64)
        votes = np.full(4_000, 5.0)
        order = rng.permutation(4_000)
        for rule, listed in errors.items():
            chosen = order[:100]
            for _ in range(4):
                curve = LengthCurve.of_votes(logs[chosen], yes[chosen], votes[chosen])
                rest = order[~np.isin(order, chosen)]
                if rule == "next":
                    gains = information(sigmoid(curve(logs[rest])))
                    rest = rest[np.argsort(-gains, kind="stable")]
                chosen = np.concatenate([chosen, rest[:50]])
            curve = LengthCurve.of_votes(logs[chosen], yes[chosen], votes[chosen])
            offset = curve(logs[chosen])
            fitted = ridge_logistic(
                rows[chosen], yes[chosen], votes[chosen], offset, np.full(20, 1.0)
            )
            listed.append(float(np.mean((fitted - planted) ** 2)))
    ratio = float(np.mean(errors["next"]) / np.mean(errors["random"]))
    print(
        f"simulated votes: squared error of the weights after 300 comments, next over random {ratio:.2f}"
    )
    return ratio


def verdict_on_simulated_grades(campaigns: int = 200) -> float:
    """Simulated campaigns of five systems: judgments until the leader is told from all others, contenders only over all systems."""
    model = Grades(3.0, 0.5, 0.5, 0.8, (1, 5))
    levels = np.array([0.4, 0.0, -0.2, -0.4, -0.6])
    spent: dict[str, list[int]] = {"all": [], "next": []}
    right: dict[str, int] = {"all": 0, "next": 0}
    for seed in range(campaigns):
        for rule, listed in spent.items():
            judgments, leader = _campaign(model, levels, rule, np.random.default_rng(seed))
            listed.append(judgments)
            right[rule] += leader == 0
    share = float(np.mean(spent["next"]) / np.mean(spent["all"]))
    print(
        f"simulated grades: {np.mean(spent['all']):.0f} judgments until a verdict over all systems, {np.mean(spent['next']):.0f} over contenders ({share:.2f});"
        f" right {right['all'] / campaigns:.3f} and {right['next'] / campaigns:.3f}"
    )
    return share


def _campaign(
    model: Grades, levels: Floats, rule: str, rng: np.random.Generator, most_items: int = 600
) -> tuple[int, int]:
    count = len(levels)
    sums, votes = np.zeros((most_items, count)), np.zeros((most_items, count), dtype=np.int64)
    judged: Sequence[int] = range(count)
    leader = 0
    for item in range(most_items):
        truth = (
            model.mean
            + levels
            + rng.normal(0, model.item_sd)
            + rng.normal(0, model.system_sd, count)
        )
        grades = np.clip(np.round(truth + rng.normal(0, model.noise_sd, count)), 1, 5)
        for system in judged:
            sums[item, system] += grades[system]
            votes[item, system] += 1
        # Looking after every ten items, both rules stop at the same kind of verdict.
        if item % 10 == 9 and item >= 19:
            leader, open_systems = contenders(sums[: item + 1], votes[: item + 1])
            if not open_systems:
                break
            if rule == "next":
                judged = [leader, *open_systems]
    return int(votes.sum()), leader


def main() -> int:
    """Print all three; 1 where the ranker on C3 needs more than 70 % of the votes of random order."""
    verdict_on_simulated_grades()
    ranker_on_simulated_votes()
    if not SHARED.exists():
        print(f"not run on C3: {ABSENT}")
        return 0
    return int(ranker_on_c3() > MOST_SHARE)


if __name__ == "__main__":
    sys.exit(main())
