"""The important documents of a cluster: which belong together, which are ranked first, and what is too little to tell."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from newsdesk.summarizers import Prepared, prepare
from newsdesk.summarizers.documents import document_features, important, related
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import cluster_of, real_clusters
from training.fit_documents import fit_weights

STORM = (
    "The storm flooded the harbour town. Boats rescued families from rooftops. Schools stay closed."
)
LATER = "Families were rescued by boats. The flooded harbour town waits. The storm moves north."
BANK = "The central bank raised rates again. Lenders expect mortgages to cost more. Markets fell."
CHESS = "A teenager won the chess title. The final game lasted six hours. Organisers praised her."
NOTICE = "Sign up for our newsletter. Click here to share this on Facebook."


def numbers(*texts: str, **fields: str) -> list[int]:
    return related(prepare(cluster_of(*texts, **fields)))


def chosen(prepared: Prepared, count: int) -> list[str]:
    return [article.id for article in important(prepared, count).cluster.articles]


def test_articles_that_agree_stay_and_strangers_go() -> None:
    assert numbers(BANK, STORM, LATER) == [1, 2]
    assert numbers(STORM, CHESS, LATER, BANK) == [0, 2]


def test_of_two_articles_both_stay() -> None:
    assert numbers(STORM, BANK) == [0, 1]
    assert numbers() == []


def test_where_no_articles_agree_the_first_that_is_no_page_furniture_stands_for_the_event() -> None:
    assert numbers(NOTICE, CHESS, BANK, STORM) == [1]
    assert numbers(NOTICE, "Your browser is too old.", "") == [0]


def test_copies_do_not_vouch_for_each_other() -> None:
    assert numbers(STORM, BANK, BANK, BANK, LATER) == [0, 4]


def test_articles_far_apart_in_time_agree_less() -> None:
    def with_dates(*dates: str | None) -> list[int]:
        articles = tuple(
            ClusterArticle(f"a{at}", text, date=date)
            for at, (text, date) in enumerate(zip((STORM, LATER, CHESS), dates, strict=True))
        )
        return related(prepare(Cluster("c", articles)))

    assert with_dates("2019-05-01", "2019-05-02", None) == [0, 1]
    assert with_dates("2019-05-01", None, None) == [0, 1]
    assert with_dates("2019-05-01", "2020-05-01", None) == [0]


def test_of_many_that_agree_the_longer_and_more_central_are_taken_in_their_order() -> None:
    texts = [
        f"{STORM} {LATER} {BANK}",
        "The storm flooded the harbour town.",
        f"{STORM} {LATER}",
        LATER,
    ]
    prepared = prepare(cluster_of(*texts))
    assert related(prepared) == [0, 1, 2, 3]
    assert chosen(prepared, 2) == ["c/1", "c/3"]
    assert important(prepared, 2) is important(prepared, 2)
    assert important(important(prepared, 2), 2) is important(prepared, 2)
    assert important(prepared, 4) is prepared
    lengths = document_features(prepared, [0, 1])[:, 2]
    assert lengths.tolist() == pytest.approx(np.log1p([len(texts[0]), len(texts[1])]).tolist())


def test_a_cluster_of_thousands_of_articles_is_compared_in_part() -> None:
    articles = tuple(
        ClusterArticle(f"a{n}", f"The storm flooded town {n}. {LATER if n % 2 else STORM}")
        for n in range(2_500)
    )
    assert len(related(prepare(Cluster("large", articles)))) == 1_000


def test_weights_are_learned_from_oracles() -> None:
    # The summary is said by the longer article of each pair.
    clusters = [
        Cluster(
            f"c{n}",
            cluster_of(
                f"Storm {n} flooded the harbour town.",
                f"Storm {n} flooded the harbour town. {BANK}",
            ).articles,
            summary=BANK,
        )
        for n in range(6)
    ]
    assert fit_weights(clusters)["log-length"] > 0


def test_on_real_clusters_most_strangers_are_left_out(shared_data: Path) -> None:
    clusters = [each for each in real_clusters(shared_data) if len(each.articles) > 1]
    left = kept = 0
    for at, cluster in enumerate(clusters):
        strangers = [clusters[at - step].articles[0] for step in (1, 2)]
        mixed = dataclasses.replace(cluster, articles=(*cluster.articles, *strangers))
        staying = related(prepare(mixed))
        kept += sum(number < len(cluster.articles) for number in staying)
        left += sum(number >= len(cluster.articles) for number in staying)
    assert left <= 0.1 * 2 * len(clusters)
    assert kept >= 0.85 * sum(len(cluster.articles) for cluster in clusters)
