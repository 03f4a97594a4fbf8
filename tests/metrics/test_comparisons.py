"""Paired tests between systems: the same numbers as the library's tests, corrected together, on the items that both answer."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.metrics.metric import metric
from newsdesk.metrics.systems import System, compare_systems, join
from newsdesk.stats.significance import correct, paired_bootstrap, randomization
from newsdesk.types import Output, Reference, References

SPECS = ["rouge-1", "bleu-4", "cider"]


def systems(*missing: tuple[str, str]) -> list[System]:
    """The sample's systems without the outputs (system, item) that are named."""
    outputs = [each for each in samples.outputs() if (each.system, each.id) not in missing]
    references = [References(e.id, (Reference(e.summary),), lang="en") for e in samples.events()]
    return join(outputs, references)


def named(first: str, second: str, joined: list[System]) -> list[System]:
    by_name = {system.name: system for system in joined}
    return [by_name[first], by_name[second]]


def test_every_two_systems_are_compared_in_every_metric_in_order() -> None:
    joined = systems()[:3]
    rows = compare_systems(joined, SPECS, samples=50)
    names = [system.name for system in joined]
    pairs = [(names[0], names[1]), (names[0], names[2]), (names[1], names[2])]
    assert [(row.first, row.second, row.metric) for row in rows] == [
        (*pair, spec) for pair in pairs for spec in SPECS
    ]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh"])
def test_the_numbers_are_those_of_the_library_corrected_together(correction: str) -> None:
    first, second = systems()[:2]
    rows = compare_systems([first, second], SPECS, correction=correction, samples=200, seed=3)  # type: ignore[arg-type]
    expected = [
        paired_bootstrap(
            metric(spec).statistics(first.batch),
            metric(spec).statistics(second.batch),
            metric(spec).values,
            samples=200,
            seed=3,
        )
        for spec in SPECS
    ]
    assert [row.difference for row in rows] == [each.difference for each in expected]
    assert [row.ci for row in rows] == [(each.low, each.high) for each in expected]
    assert [row.p for row in rows] == [each.p for each in expected]
    corrected = correct([each.p for each in expected], correction)  # type: ignore[arg-type]
    assert [row.p_corrected for row in rows] == corrected.tolist()


def test_randomization_changes_the_p_value_alone() -> None:
    first, second = systems()[:2]
    (by_bootstrap,) = compare_systems([first, second], ["rouge-1"], samples=200)
    (row,) = compare_systems([first, second], ["rouge-1"], test="randomization", samples=200)
    one = metric("rouge-1")
    sides = (one.statistics(first.batch), one.statistics(second.batch))
    assert row.p == randomization(*sides, one.values, samples=200)
    assert (row.difference, row.ci) == (by_bootstrap.difference, by_bootstrap.ci)


def test_systems_are_compared_on_the_items_that_both_answer() -> None:
    ids = [event.id for event in samples.events()]
    pair = [("lead", ids[0]), ("extract", ids[1])]
    both = [(system, item) for system in ("lead", "extract") for item in ids[:2]]
    rows, expected = (
        compare_systems(named("lead", "extract", systems(*missing)), SPECS, samples=50)
        for missing in (pair, both)
    )
    assert [row.n for row in rows] == [10, 10, 10]
    assert rows == expected


def test_a_signature_names_metric_test_and_correction() -> None:
    rows = compare_systems(systems()[:2], SPECS, samples=50, seed=4)
    for row in rows:
        assert row.signature.startswith(f"{row.metric}|")
        assert row.signature.endswith("|test:bootstrap[samples=50,seed=4]|correction:holm[3]")


def test_what_cannot_be_compared_says_why() -> None:
    with pytest.raises(ArgumentError, match="at least two systems, not 1"):
        compare_systems(systems()[:1], SPECS)
    references = [References(item, (Reference("a"),)) for item in "xy"]
    apart = join([Output("x", "a", "a"), Output("y", "b", "a")], references)
    with pytest.raises(ArgumentError, match="'a' and 'b' share no items"):
        compare_systems(apart, SPECS)
    with pytest.raises(ArgumentError, match="test is 't', not one of"):
        compare_systems(systems()[:2], SPECS, test="t")  # type: ignore[arg-type]
