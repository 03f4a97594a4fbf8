"""When weights help, in the ranges of docs/reference/simulate.md, on the mean of four seeds; `bench/simulate.py` has the full size."""

from __future__ import annotations

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.metrics import score
from newsdesk.metrics.ranking import spearman
from newsdesk.types import Reference

SEEDS = range(4)


def gains(name: str, articles: int) -> tuple[float, float]:
    """How much W-METEOR gains over METEOR, with the true weights and with shuffled ones."""
    gains = []
    for seed in SEEDS:
        plain = simulate.scenario(name, seed, articles=articles)
        mixed = plain.shuffled()
        meteor, weighted = values(["meteor", "w-meteor"], plain)
        (shuffled,) = values(["w-meteor"], mixed)
        base = spearman(meteor, plain.grades)
        gains.append([spearman(each, plain.grades) - base for each in (weighted, shuffled)])
    true, control = np.mean(gains, axis=0).tolist()
    return true, control


def values(metrics: list[str], scenario: simulate.Scenario) -> list[tuple[float, ...]]:
    batch = nd.encode(scenario.candidates, scenario.references, lang="en")
    return [each.items or () for each in score(metrics, batch, per_item=True)]


def test_weights_help_and_shuffled_ones_do_not() -> None:
    true, shuffled = gains("base", 120)
    assert 0.02 < true < 0.08
    assert shuffled < 0.03


def test_weights_do_nothing_for_equal_references() -> None:
    assert gains("equal", 400)[0] < 0.01


def test_weights_help_most_where_quality_varies_widely() -> None:
    assert gains("wide", 120)[0] > 0.12


def test_weights_do_little_for_four_references() -> None:
    assert gains("k4", 120)[0] < 0.03


def test_an_article_effect_makes_shuffled_weights_look_good() -> None:
    assert gains("article-effect", 120)[1] > 0.05


def test_references_have_the_grades_of_paper_001() -> None:
    scenario = simulate.scenario("base", 0, articles=200)
    first = dict(zip(scenario.articles, scenario.references, strict=True))
    grades = np.array([1 + 4 * each.weight for refs in first.values() for each in refs])
    assert grades.mean() == pytest.approx(3.6, abs=0.05)
    assert grades.std() == pytest.approx(0.59, abs=0.03)


def test_a_scenario_is_parallel_and_repeatable() -> None:
    scenario = simulate.scenario("k4", 5, articles=3)
    assert scenario == simulate.scenario("k4", 5, articles=3)
    assert scenario != simulate.scenario("k4", 6, articles=3)
    assert len(scenario.candidates) == len(scenario.references) == len(scenario.grades) == 18
    assert scenario.articles == tuple(f"sim-{n:05d}" for n in range(3) for _ in range(6))
    assert all(len(references) == 4 for references in scenario.references)
    assert all(5 <= len(text.split()) <= 50 for text in scenario.candidates)
    assert all(0 <= grade * 2 == int(grade * 2) for grade in scenario.grades)


def test_shuffling_keeps_the_texts_and_the_weights_of_an_article() -> None:
    scenario = simulate.scenario("base", 1, articles=2)
    mixed = scenario.shuffled()

    def texts(references: tuple[Reference, ...]) -> list[str]:
        return [each.text for each in references]

    for before, after in zip(scenario.references, mixed.references, strict=True):
        assert texts(before) == texts(after)
        assert sorted(each.weight for each in before) == sorted(each.weight for each in after)
        assert before != after
    assert mixed.candidates == scenario.candidates
    assert mixed.references[0] == mixed.references[5]


def test_a_scenario_needs_a_known_name_and_an_article() -> None:
    with pytest.raises(nd.SpecError, match="did you mean 'wide'"):
        simulate.scenario("wid", 0)
    with pytest.raises(nd.ArgumentError, match="at least one article"):
        simulate.scenario("base", 0, articles=0)
