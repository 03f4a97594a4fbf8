"""What a reader is told of comments, on C3 (never read when the ready model was fitted): `python -m research.reasons [PART …]`.

Parts: `standing` (the share of yes behind each of the three words of the ready model), `calibration` (the error of probabilities: unadapted, adapted on 10, 30 and 100 articles, with the error that the model expects, on
50 single votes, and in five folds), `agreement` (how many reasons there are, and whether they agree with the place in the first and last third of a thread).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bench._data import ABSENT, SHARED
from newsdesk import samples
from newsdesk.arrays import Ints
from newsdesk.rankers.argument.features import CommentRows
from newsdesk.rankers.argument.logistic import calibration_error
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import RidgeRegression
from newsdesk.rankers.ranker import standings
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Thread
from research.ready import FOLDS, Measured, adapted, ready_model, rows_of

DRAWS = 20
SINGLE_VOTES = 50


def standing(data: Measured) -> None:
    """The mean share of yes, and the share of majorities, behind each word."""
    scores = ready_model().weights_.scores(rows_of(ready_model().features_, data.threads))
    words = np.concatenate(
        [standings(scores[data.labels.articles == article]) for article in range(len(data.threads))]
    )
    for word in ("stands out", "solid", "thin"):
        shares = data.labels.shares[words == word]
        print(
            f"{word}: {len(shares)} comments, mean share of yes {shares.mean():.2f}, "
            f"a majority of yes in {(shares > 0.5).mean():.2f}"
        )


def calibration(data: Measured) -> None:
    """The error of probabilities on articles that the model has not seen."""
    model = ready_model()
    rows = rows_of(model.features_, data.threads)
    shares = data.labels.shares
    unadapted = model.calibrate(model.weights_.scores(rows))
    print(f"unadapted: {calibration_error(unadapted, shares):.3f}")
    rng = np.random.default_rng(0)
    for count in (10, 30, 100):
        measured = []
        for _ in range(DRAWS):
            order = rng.permutation(len(data.threads))
            weights, platt = adapted(data, rows, order[:count])
            outside = data.within(order[count:])
            probability = platt(weights.scores(rows.part(np.flatnonzero(outside))))
            expected = np.nan if platt.error is None else platt.error
            measured.append((calibration_error(probability, shares[outside]), expected))
        (error, expected), (worst, _) = np.mean(measured, axis=0), np.max(measured, axis=0)
        print(
            f"{count} articles, {DRAWS} draws: {error:.3f}, worst {worst:.3f}, expected {expected:.3f}"
        )
    single_votes(data, rows)
    probability = np.zeros(len(shares))
    for fold in range(FOLDS):
        tested = np.arange(fold, len(data.threads), FOLDS)
        others = np.setdiff1d(np.arange(len(data.threads)), tested)
        weights, platt = adapted(data, rows, others)
        places = np.flatnonzero(data.within(tested))
        probability[places] = platt(weights.scores(rows.part(places)))
    print(f"five folds: {calibration_error(probability, shares):.3f}")


def single_votes(data: Measured, rows: CommentRows) -> None:
    """One vote each on 50 comments of different articles."""
    rng = np.random.default_rng(1)
    labels, model = data.labels, Argument()
    first = np.flatnonzero(np.diff(labels.articles, prepend=-1))  # articles
    sizes = np.diff(np.append(first, len(labels.articles)))
    measured = []
    for _ in range(DRAWS):
        articles = np.sort(rng.choice(len(first), SINGLE_VOTES, replace=False))
        chosen: Ints = first[articles] + rng.integers(0, sizes[articles])
        yes = (rng.random(SINGLE_VOTES) < labels.shares[chosen]).astype(np.float64)
        part = replace(labels.part(chosen), shares=yes, votes=np.ones(SINGLE_VOTES))
        regression = RidgeRegression(model.wording, model.vector, 0, ready_model().weights_)
        weights, platt = regression.fit(rows.part(chosen), part)
        outside = ~data.within(articles)
        probability = platt(weights.scores(rows.part(np.flatnonzero(outside))))
        measured.append(calibration_error(probability, labels.shares[outside]))
    error, worst = np.mean(measured), np.max(measured)
    print(
        f"{SINGLE_VOTES} single votes, {DRAWS} draws: {error:.3f}, worst {worst:.3f}; too few to be told"
    )


def agreement(data: Measured) -> None:
    """Reasons against the place in the thread, and how many there are."""
    for name, threads in (
        ("C3", data.threads),
        ("sample zh", samples.threads("zh")),
        ("sample ja", samples.threads("ja")),
    ):
        agrees(name, threads)


def agrees(name: str, threads: Sequence[Thread]) -> None:
    thirds: dict[str, list[bool]] = {"first": [], "last": []}
    counts, lengths = [], []
    for thread in threads:
        model = load_ready("ready", thread.article.lang or "en")
        if not isinstance(model, Argument):
            raise SystemExit("the ready model is no 'argument'")
        ranked = sorted(model.explain(thread), key=lambda explained: -explained.score)
        third = len(ranked) // 3
        sums = [sum(reason.effect for reason in explained.signs) for explained in ranked]
        thirds["first"] += [value > 0 for value in sums[:third]]
        thirds["last"] += [value < 0 for value in sums[len(sums) - third :]]
        counts += [len(explained.signs) for explained in ranked]
        lengths += [
            any(reason.part == "length" for reason in explained.signs) for explained in ranked
        ]
    print(
        f"{name}: {len(counts)} comments, {np.mean(counts):.2f} reasons each, length among them in {np.mean(lengths):.2f}; "
        f"agree with the place in {np.mean(thirds['first']):.3f} of the first thirds, {np.mean(thirds['last']):.3f} of the last"
    )


PARTS = {"standing": standing, "calibration": calibration, "agreement": agreement}


def main(names: Sequence[str]) -> None:
    if not SHARED.is_dir():
        raise SystemExit(ABSENT)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise SystemExit(f"no part is called {unknown[0]!r}; there are: {', '.join(PARTS)}")
    data = Measured.of()
    for name in names or PARTS:
        PARTS[name](data)


if __name__ == "__main__":
    main(sys.argv[1:])
