"""Fit the model of pairs that `corpus cluster` uses; `python -m training.fit_clusterer --write` replaces the shipped one, without it that one is compared.

Labelled pairs are the candidate pairs that clustering itself would measure among the shared WCEP articles, each event on one of twenty days that a seed draws: two articles are of one event if their
summary is the same. The sample newsroom and simulated worlds are left out: their events share more words than real ones, and a threshold that parts them parts real events too. The Multi-News articles are
not touched: their licence forbids what is fitted on them, and the model is measured on them. The threshold is the lowest whose mean of B³ F1 and adjusted Rand index is within .01 of the best:
portal editors write several summaries of one event, so these labels part more than they should.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench._data import ABSENT, SHARED, wcep_clusters
from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.model import ready_aligner
from newsdesk.corpus.cluster.assign import assign_day
from newsdesk.corpus.cluster.measured import adjusted_rand, b_cubed
from newsdesk.corpus.cluster.pairs import PairModel, candidate_pairs, ready_pair_model
from newsdesk.corpus.cluster.terms import DayTerms, TermNumbers, day_terms
from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.types import Article, Cluster

TARGET = Path(__file__).resolve().parents[1] / "src/newsdesk/corpus/data/clusterer/model.json"
DAYS, WINDOW, TOLERANCE = 20, 3, 0.01
THRESHOLDS = np.round(np.arange(0.1, 0.61, 0.05), 2).tolist()
DATA = (
    "shared WCEP articles, each event on one of ten drawn days (two draws), and the sample newsroom"
)


@dataclass(frozen=True)
class Dated:
    """Articles with their days (numbers) and events, and the terms of each day, in order."""

    days: dict[int, DayTerms]
    event: dict[str, str]  # article → event
    numbers: TermNumbers

    def window(self, day: int) -> list[DayTerms]:
        """Return the terms of a day and of those before it that are compared, in order."""
        return [self.days[each] for each in sorted(self.days) if day - WINDOW <= each <= day]


def dated(articles: Sequence[tuple[Article, int, str]]) -> Dated:
    numbers = TermNumbers(ready_aligner().background_)
    by_day: dict[int, list[Article]] = defaultdict(list)
    for article, day, _ in articles:
        by_day[day].append(article)
    days = {}
    for day in sorted(by_day):
        rows = sorted(by_day[day], key=lambda row: row.id)
        days[day] = day_terms(
            numbers, [row.id for row in rows], [row.title or "" for row in rows], [row.text for row in rows]
        )  # fmt: skip
    return Dated(days, {article.id: event for article, _, event in articles}, numbers)


def on_drawn_days(clusters: Sequence[Cluster], seed: int, days: int = DAYS) -> Dated:
    """All articles of each cluster on one day that the seed draws."""
    rng = np.random.default_rng(seed)
    rows = []
    for cluster in clusters:
        day = int(rng.integers(days)) * 10  # far apart: what is together is of one day
        rows += [
            (replace(each, id=f"{cluster.id}/{number}"), day, cluster.id)
            for number, each in enumerate(cluster.articles)
        ]
    # The order within a day is that of ids; these must not tell clusters.
    order = rng.permutation(len(rows))
    return dated(
        [(replace(row, id=f"{order[place]:06d}"), day, event) for place, (row, day, event) in enumerate(rows)]
    )  # fmt: skip


def labelled(data: Dated) -> tuple[Floats, Ints]:
    matrices, labels = [], []
    for day in sorted(data.days):
        days = data.window(day)
        pairs = candidate_pairs(days)
        ids = [name for each in days for name in each.ids]
        events = np.array([data.event[name] for name in ids])
        first = len(ids) - len(days[-1])
        matrices.append(pairs.matrix)
        labels.append(events[first + pairs.later] == events[pairs.earlier])
    return np.concatenate(matrices), np.concatenate(labels).astype(np.int64)


def clustered(data: Dated, model: PairModel) -> dict[str, str]:
    assigned: dict[str, str] = {}
    for day in sorted(data.days):
        for each in assign_day(str(day), data.window(day), assigned, data.numbers, model):
            assigned[each.article] = each.cluster
    return assigned


def measured(data: Dated, model: PairModel) -> tuple[float, float]:
    """B³ F1 and adjusted Rand index."""
    assigned = clustered(data, model)
    events = [data.event[name] for name in assigned]
    return b_cubed(events, list(assigned.values())).f1, adjusted_rand(
        events, list(assigned.values())
    )


def fit(sets: Sequence[Dated], data: str = DATA) -> PairModel:
    """Fit weights on all pairs, each set with the same weight in all, and choose the threshold."""
    from sklearn.linear_model import LogisticRegression

    parts = [labelled(each) for each in sets]
    matrix = np.concatenate([part for part, _ in parts])
    labels = np.concatenate([part for _, part in parts])
    weights = np.concatenate([np.full(len(part), 1000 / len(part)) for _, part in parts])
    spread = matrix.std(axis=0)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-8, max_iter=200)
    model.fit(matrix / spread, labels, sample_weight=weights)
    coefficients = tuple(float(f"{each:.6g}") for each in (model.coef_[0] / spread).tolist())
    fitted = PairModel(coefficients, float(f"{model.intercept_[0]:.6g}"), 0.5, data)
    table = {
        each: np.mean([measured(one, replace(fitted, threshold=each)) for one in sets])
        for each in THRESHOLDS
    }
    for each, value in table.items():
        print(f"threshold {each:g}: mean of B3 F1 and ARI {value:.4f}")
    return replace(
        fitted,
        threshold=min(each for each in table if table[each] >= max(table.values()) - TOLERANCE),
    )


def training_sets(clusters: Sequence[Cluster]) -> list[Dated]:
    return [on_drawn_days(clusters, seed) for seed in (0, 1, 3)]


def main(*, write: bool = False) -> None:
    if not SHARED.is_dir():
        raise SystemExit(ABSENT)
    model = fit(training_sets(wcep_clusters()))
    print(model.signature)
    if write:
        write_text(TARGET, json_text(model.as_json()) + "\n", overwrite=True)
    elif not np.allclose(model.weights, ready_pair_model().weights, rtol=1e-4):
        raise SystemExit("the shipped model is not what its data give")


if __name__ == "__main__":
    main(write="--write" in sys.argv)
