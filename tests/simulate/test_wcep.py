"""The world `wcep`: key facts recur at any place, and summarizers come in the order of Gholipour Ghalandari et al. (2020)."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.simulate.plans import KEY_FACTS
from newsdesk.studies.curve import curve, grown
from newsdesk.studies.table5 import table5

UNSUPERVISED = ("textrank", "centroid", "submodular")


@cache
def world() -> simulate.World:
    return simulate.world(preset="wcep", seed=0, events=30, comments=1)


@cache
def clusters() -> tuple[nd.Cluster, ...]:
    return tuple(world().clusters())


def tellings(kinds: tuple[str, ...]) -> list[list[float]]:
    """Where the key facts stand in articles of some kinds, as places from 0 to 1: by the nouns of the facts."""
    lexicon = world().newsroom.planner.lexicon
    places = []
    for number, cluster in enumerate(clusters()):
        facts = world().newsroom.planner.plan(number).facts[:KEY_FACTS]
        names = [
            {
                form
                for fact in [key.noun, key.other]
                for word in lexicon.nouns[fact]
                for form in word
            }
            for key in facts
        ]
        for piece, article in zip(world().newsroom.pieces(number), cluster.articles, strict=True):
            if piece.kind in kinds:
                sentences = article.text.split(". ")
                hits = [
                    at / (len(sentences) - 1)
                    for at, sentence in enumerate(sentences)
                    if any(len(own & set(re.findall(r"\w+", sentence))) > 1 for own in names)
                ]
                places.append(hits)
    return places


def test_key_facts_stand_at_any_place_after_the_lead() -> None:
    reports = tellings(("report",))
    places = np.concatenate([np.array(each) for each in reports])
    assert len(places) / len(reports) > 2
    assert places.mean() == pytest.approx(0.55, abs=0.03)
    quarters = np.histogram(places, 4, (0, 1))[0] / len(places)
    # The two hooks of the lead take about half of the first quarter.
    assert quarters[0] > 0.1
    assert quarters[1:].min() > 0.22
    assert np.mean([len(each) for each in tellings(("follow-up",))]) < 0.5


def test_the_shares_of_found_articles_are_the_paper_s() -> None:
    labels = Counter(
        piece.label
        for number in range(30)
        for piece in world().newsroom.pieces(number)
        if not piece.cited
    )
    for label, share in (("on-topic", 0.52), ("related", 0.30), ("unrelated", 0.18)):
        assert labels[label] / labels.total() == pytest.approx(share, abs=0.04)


def test_unsupervised_methods_are_above_a_random_lead_and_it_above_random_sentences() -> None:
    methods = [*UNSUPERVISED, "random-lead", "random"]
    rows = table5(clusters(), methods, samples=10).rows
    means = {row.system.partition("(")[0]: row.scores["R1-F"].value for row in rows}
    assert min(means[name] for name in UNSUPERVISED) > means["random-lead"] + 0.02
    assert means["random-lead"] > means["random"] + 0.03


def test_a_trained_method_is_level_with_unsupervised_ones() -> None:
    small = [grown(cluster, 15) for cluster in clusters()]
    rows = table5(small, [*UNSUPERVISED, "tsr"], folds=2, samples=10).rows
    means = {row.system.partition("(")[0]: row.scores["R1-F"].value for row in rows}
    assert means["tsr"] > max(means[name] for name in UNSUPERVISED) - 0.01


def test_scores_rise_steeply_with_ten_articles_and_hardly_from_fifty_to_a_hundred() -> None:
    result = curve(clusters(), ["textrank", "centroid"], added=(0, 10, 50, 100), samples=10)
    values = [
        [point.scores["R1-F"].value for point in result.points if point.added == added]
        for added in (0, 10, 50, 100)
    ]
    cited, ten, fifty, hundred = np.mean(values, axis=1)
    assert ten - cited > 0.05
    assert abs(hundred - fifty) < 0.3 * (ten - cited)


def test_where_key_facts_lead_the_lead_wins() -> None:
    """The same world told from the top: what makes the order is where the facts stand, nothing else."""
    settings = dataclasses.replace(world().settings, telling=None)
    told = dataclasses.replace(world(), settings=settings)
    rows = table5(told.clusters(), ["centroid", "random-lead"], samples=10).rows
    means = {row.system.partition("(")[0]: row.scores["R1-F"].value for row in rows}
    assert means["random-lead"] > means["centroid"] - 0.02


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_other_languages_are_told_so_too(lang: str) -> None:
    other = simulate.world(preset="wcep", events=3, comments=1, lang=lang)
    article = next(other.clusters()).articles[0]
    assert article.text.endswith("。")
    assert "{" not in article.text
