"""Settings chosen on clusters: the same as trying each by hand, and honest about what cannot be told apart."""

from __future__ import annotations

from typing import Any

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError, SpecError
from newsdesk.metrics import metric
from newsdesk.studies.tuning import grid_of, study_lengths, tune
from newsdesk.summarizers import evaluate, summarizer, unsupervised
from newsdesk.types import Cluster
from tests.summarizers.examples import cluster_of

ROUGE = metric("rouge-1(profile='perl')")


def by_hand(spec: str, clusters: list[Cluster]) -> float:
    method = summarizer(spec)
    scores = [
        ROUGE.score(method.summarize(each).text, [each.summary or ""], lang="en").value
        for each in clusters
    ]
    return sum(scores) / len(scores)


def test_the_grids_of_the_paper() -> None:
    assert grid_of("submodular(coverage=3)") == {"diversity": tuple(range(1, 11))}
    tenths = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert grid_of("centroid") == grid_of("textrank") == {"redundancy": tenths}
    with pytest.raises(ArgumentError, match="lead has neither diversity nor redundancy"):
        grid_of("lead")


def test_every_setting_scores_as_it_does_by_hand_and_the_best_is_chosen() -> None:
    clusters = samples.clusters()
    found = tune(clusters, "centroid", samples=200, sample=None)
    expected = [by_hand(f"centroid(redundancy={n / 10})", clusters) for n in range(11)]
    assert [each.score.value for each in found.settings] == pytest.approx(expected)
    assert found.best == expected.index(max(expected))
    assert found.choice.spec == f"centroid(redundancy={found.best / 10})"
    assert found.choice.behind.difference == 0
    for each, value in zip(found.settings, expected, strict=True):
        assert each.behind.difference == pytest.approx(max(expected) - value)
        low, high = each.score.ci or (1.0, 0.0)
        assert low <= each.score.value <= high
        assert "|method:centroid|grid:redundancy=0.0,0.1," in found.signature


def test_the_choice_names_the_setting_even_where_it_is_the_default() -> None:
    found = tune(samples.clusters()[:2], "centroid(max_words=50)", grid={"redundancy": (0.5,)})
    assert found.choice.spec == "centroid(max_words=50, redundancy=0.5)"
    assert summarizer(found.choice.spec) == summarizer("centroid", max_words=50)


def test_the_first_of_equals_is_chosen_and_the_others_are_as_good() -> None:
    text = "The mayor said that boats came to the flooded river town at noon."
    found = tune([cluster_of(text, summary=text)], "textrank", samples=50)
    assert found.choice.spec == "textrank(redundancy=0.0)"
    assert len(found.as_good) == 10


def test_groups_are_made_once_for_all_diversities(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    kmeans = unsupervised.kmeans

    def counted(*arguments: Any) -> Any:
        calls.append(arguments[1])
        return kmeans(*arguments)

    monkeypatch.setattr(unsupervised, "kmeans", counted)
    clusters = samples.clusters()[:3]
    found = tune(clusters, "submodular", samples=50, seed=2)
    assert len(calls) == len(clusters)
    assert "seed=2" in found.choice.spec
    assert found.settings[2].score.value == pytest.approx(
        by_hand("submodular(diversity=3, seed=2)", clusters)
    )


def test_combinations_of_two_settings() -> None:
    grid = {"damping": (0.5, 0.85), "redundancy": (0.2, 0.8)}
    found = tune(samples.clusters()[:3], "textrank", grid=grid, samples=50, measure="R2-F")
    assert [each.values for each in found.settings] == [
        (0.5, 0.2),
        (0.5, 0.8),
        (0.85, 0.2),
        (0.85, 0.8),
    ]
    assert "<svg" in found.section().html(1)


def test_a_setting_that_is_fixed_or_comes_twice_is_refused() -> None:
    clusters = samples.clusters()[:1]
    with pytest.raises(SpecError, match="the grid tries `redundancy`"):
        tune(clusters, "centroid(redundancy=0.2)")
    with pytest.raises(ArgumentError, match="holds a value twice"):
        tune(clusters, "centroid", grid={"redundancy": (0.5, 0.5)})
    with pytest.raises(SpecError, match="'diversity'"):
        tune(clusters, "centroid", grid={"diversity": (1,)})


def test_lengths_are_those_of_the_forced_oracle() -> None:
    clusters = samples.clusters()[:5]
    found = study_lengths(clusters, lengths=(25, 40), samples=50)
    for each in found.lengths:
        spec = f"oracle-multi(max_words={each.max_words}, early_stopping=False)"
        expected = evaluate(clusters, [summarizer(spec)], max_words=each.max_words, samples=50)
        assert dict(each.scores) == dict(expected.rows[0].scores)
    assert found.best.max_words == max(
        (25, 40),
        key=lambda n: by_hand(f"oracle-multi(max_words={n}, early_stopping=False)", clusters),
    )
    assert f"at {found.best.max_words} words" in found.section().html(1)
    with pytest.raises(ArgumentError, match="cannot be forced"):
        study_lengths(clusters, oracle="oracle-lead")
    with pytest.raises(ArgumentError, match="comes twice"):
        study_lengths(clusters, lengths=(25, 25))
