"""Parts of the chapter of correlations behind the first numbers: gains of weighting, order of pairs, close systems, tests between metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.results.page import Section
from newsdesk.results.plots import grouped_intervals
from newsdesk.results.table import PValue, ranged

_MOST_TESTS = 200  # rows of a folded table; the JSON has all
# Shares of false positives at 5 % in 5,000 simulated studies: `python -m research metric_tests`.
_ADVICE = {
    "outputs": "Pooled and within items believe the permutation test: it asks whether the difference holds for these systems on other items. Williams's test takes outputs as independent and finds differences that are not there.",
    "systems": "Over systems believe Williams's test with Pearson, or the permutation test, which rejects too seldom with fewer than ten systems and cannot reject with five; both ask whether the difference holds for other systems too. Williams's test with Spearman rejects a little too often.",
}


def gains_part(gains: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> Section:
    """What weights gain over plain references beside what shuffled weights gain: a picture within items, and a folded table of all."""
    section = Section("Gains of weighting")
    if not gains:
        return section
    level = "item" if any(gain["level"] == "item" for gain in gains) else "pooled"
    pictured = [
        gain for gain in gains if gain["level"] == level and gain["coefficient"] == "spearman"
    ]
    bars = [
        (
            each["weighted"],
            [_point(each["gain"], each["ci"]), _point(each["shuffled"], each["shuffled_ci"])],
        )
        for each in pictured
    ]
    where = "within items" if level == "item" else "pooled over items"
    if bars:
        section.figure(
            grouped_intervals(
                bars, ["weights", "shuffled weights"], "gain in Spearman over the plain metric"
            ),
            f"What weighted references gain, {where}, 95 % intervals: weights that know the better reference gain, shuffled ones should not.",
        )
    fold = Section("Gains of weighting, and what is left of them with shuffled weights")
    fold.table(
        ("weighted", "level", "coefficient", "gain", "shuffled", "net"),
        [
            (
                gain["weighted"],
                gain["level"],
                titles[gain["coefficient"]],
                ranged(gain["gain"], gain["ci"]),
                ranged(gain["shuffled"], gain["shuffled_ci"]),
                ranged(gain["net"], gain["net_ci"]),
            )
            for gain in gains
        ],
        "A gain that survives shuffling comes from the item, not from its weights",
    )
    return section.fold(fold)


def _point(value: float | None, ends: Sequence[float] | None) -> tuple[float, float, float] | None:
    if value is None:
        return None
    low, high = ends or (value, value)
    return value, low, high


def pairs_part(pairs: Sequence[Mapping[str, Any]]) -> Section:
    """The share of pairs of outputs that a metric puts in the order of people."""
    section = Section("Accuracy on pairs of outputs")
    if not pairs:
        return section
    return section.table(
        ("metric", "question", "accuracy", "with ties calibrated", "pairs"),
        [
            (
                pair["metric"],
                pair["human"],
                ranged(pair["accuracy"], pair["ci"]),
                ranged(pair["calibrated"], pair["calibrated_ci"]),
                pair["n"],
            )
            for pair in pairs
        ],
    )


def close_part(rows: Sequence[Mapping[str, Any]]) -> Section:
    """Kendall's tau over the pairs of systems that a metric puts nearest to each other."""
    section = Section("Systems that are close to each other")
    if not rows:
        return section
    return section.table(
        ("metric", "question", "share of system pairs", "Kendall", "pairs"),
        [
            (
                row["metric"],
                row["human"],
                f"{row['share']:.0%}",
                ranged(row["tau"], row["ci"]),
                row["n"],
            )
            for row in rows
        ],
        "Kendall's tau over the pairs of systems that a metric puts nearest to each other",
    )


def tests_part(tests: Sequence[Mapping[str, Any]]) -> Section:
    """The tests that hold their level, surest first, with the advice of each level; the others in a fold of their own."""
    section = Section("Tests between metrics")
    main_tests = [test for test in tests if test.get("holds", test.get("test") == "permutation")]
    if not tests:
        return section
    section.text(" ".join(_ADVICE[kind] for kind in _kinds(tests)))
    _tests_table(section, main_tests)
    rest = Section("Tests that do not hold their level here")
    _tests_table(rest, [test for test in tests if test not in main_tests])
    return section.fold(rest)


def _tests_table(section: Section, tests: Sequence[Mapping[str, Any]]) -> None:
    chosen = sorted(tests, key=_first_asked)[:_MOST_TESTS]
    if not chosen:
        return
    section.table(
        ("question", "level", "coefficient", "first", "second", "difference", "p", "p corrected", "test"),
        [
            (
                each["human"],
                each["level"],
                each.get("coefficient"),
                each["first"],
                each["second"],
                ranged(each["difference"], each.get("ci")),
                PValue(each["p"]),
                PValue(each["p_corrected"]),
                each.get("test"),
            )
            for each in chosen
        ],
        "" if len(chosen) == len(tests) else f"{len(chosen)} of {len(tests):,} tests, within items first; the JSON has all",
    )  # fmt: skip


def _first_asked(test: Mapping[str, Any]) -> tuple[int, bool, float]:
    """Within items before pooled before over systems, Spearman first, then the surest."""
    level = {"item": 0, "pooled": 1, "system": 2}.get(test["level"], 3)
    return level, test.get("coefficient", "spearman") != "spearman", float(test["p"])


def _kinds(tests: Sequence[Mapping[str, Any]]) -> list[str]:
    """The kinds of advice that these tests need."""
    levels = {test["level"] for test in tests}
    return [
        kind
        for kind, wanted in (("outputs", {"pooled", "item"}), ("systems", {"system"}))
        if levels & wanted
    ]
