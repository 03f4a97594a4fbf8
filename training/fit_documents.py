"""Learn the weights that rank the articles of a cluster: `python -m training.fit_documents` prints `documents.tsv`.

Training data are the shared Multi-News clusters and the WCEP clusters of several articles. A target is the ROUGE-1 F of a greedy oracle on one article, as a share of the cluster's best.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from bench._data import multi_news, wcep_clusters
from newsdesk.summarizers import prepare
from newsdesk.summarizers.baselines import OracleMulti
from newsdesk.summarizers.documents import DOCUMENT_FEATURES, document_features, related
from newsdesk.summarizers.regressors import Moments, ridge
from newsdesk.types import Cluster

_PENALTY = 10.0


def fit_weights(clusters: Iterable[Cluster]) -> dict[str, float]:
    """Return the weights of the features by ridge regression on clusters with summaries."""
    columns = len(DOCUMENT_FEATURES)
    moments = Moments(columns + 1)
    for cluster in clusters:
        prepared = prepare(cluster)
        numbers = related(prepared)
        if len(numbers) < 2:
            continue
        worth = np.array([oracle_f(cluster, number) for number in numbers])
        share = worth / max(float(worth.max()), 1e-9)
        moments.add(np.column_stack([document_features(prepared, numbers), share]))
    scale = moments.deviations(columns)
    standard = moments.standardized(moments.mean[:columns], scale)
    weights = next(ridge(standard, (_PENALTY,)))["weights"] / scale
    return dict(zip(DOCUMENT_FEATURES, weights.tolist(), strict=True))


def oracle_f(cluster: Cluster, number: int) -> float:
    """Return the ROUGE-1 F of a greedy oracle that has one article only."""
    alone = prepare(dataclasses.replace(cluster, articles=(cluster.articles[number],)))
    steps = OracleMulti().steps(alone) if len(alone) else []
    return max((step.score or 0.0 for step in steps if step.outcome == "taken"), default=0.0)


def main() -> None:
    several = [cluster for cluster in wcep_clusters() if len(cluster.articles) > 1]
    for name, weight in fit_weights([*multi_news(), *several]).items():
        print(f"{name}\t{weight:.4f}")


if __name__ == "__main__":
    main()
