"""The chapter of `newsdesk rank eval --json` and `rank compare --json`: rankers by NDCG, precision and measures beyond length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.rankers.evaluation.systems import short_names
from newsdesk.results.page import Section
from newsdesk.results.plots import intervals
from newsdesk.results.table import Cell, PValue, ranged
from newsdesk.studies.report.chapter import (
    Chapter,
    Content,
    Difference,
    Measured,
    ends_of,
    leader_verdict,
)
from newsdesk.wording import plural

_BESIDES = ("system", "n", "ci", "signature")
_TITLES = {"lmp": "LMP", "blmp": "bLMP", "sauc": "sAUC"}
_GROUPS = (
    ("NDCG", ("ndcg",), False),
    ("Precision", ("precision",), False),
    ("Beyond length", ("lmp", "blmp", "sauc"), False),
    ("Strict precision, and the halves of bLMP", ("strict_precision", "blmp_longer", "blmp_shorter"), True),
)  # fmt: skip
_CEILING = {"true_rate": "(the true rates)", "fresh_panel": "(a fresh panel)"}


def rankings_chapter(content: Content) -> Chapter:
    """Rankers compared: a verdict on bLMP, or NDCG where there are no pairs of equal length, pictures, tables and folded tests."""
    rows = content["systems"]
    names = short_names([row["system"] for row in rows])
    measures = [name for name in rows[0] if name not in _BESIDES]
    main = _main_measure(rows, measures)
    verdict = leader_verdict(
        _title(main),
        [_measured(row, main, names) for row in rows if row[main] is not None],
        [_difference(each, names) for each in content["comparisons"] if each["measure"] == main],
        advice="evaluate at least two runs in one call",
    )
    section = Section(
        "Rankers", f"{plural(len(rows), 'ranker')} on {plural(rows[0]['n'], 'article')}."
    )
    for measure in dict.fromkeys((main, _ndcg(measures))):
        points = [_measured(row, measure, names) for row in rows if row[measure] is not None]
        bars = [(point.system, point.value, *(point.ci or (point.value,) * 2)) for point in points]
        caption = f"{_title(measure)}, with 95 % intervals over articles."
        if measure == "blmp":
            caption += (
                " bLMP is the accuracy on pairs of equal length; any function of length scores 0.5."
            )
        section.figure(intervals(bars, _title(measure)), caption)
    for title, stems, folded in _GROUPS:
        shown = [name for name in measures if name.partition("@")[0] in stems]
        part = _table(Section(title), rows, shown, names, content.get("ceiling") or {})
        section.fold(part) if folded else section.include(part)
    section.fold(_fillers(content.get("fillers") or (), names))
    section.fold(_tests(content["comparisons"], names))
    if shortened := [(short, name) for name, short in names.items() if short != name]:
        section.fold(Section("Full names").table(("short", "ranker"), shortened))
    return Chapter(verdict, section.signatures([row["signature"] for row in rows]))


def _main_measure(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> str:
    usable = "blmp" in measures and all(row["blmp"] is not None for row in rows)
    return "blmp" if usable else _ndcg(measures)


def _ndcg(measures: Sequence[str]) -> str:
    cutoffs = [name for name in measures if name.startswith("ndcg@")]
    return cutoffs[len(cutoffs) // 2]


def _title(measure: str) -> str:
    stem, at, depth = measure.partition("@")
    return _TITLES.get(stem, stem.replace("_", " ").replace("ndcg", "NDCG")) + at + depth


def _measured(row: Mapping[str, Any], measure: str, names: Mapping[str, str]) -> Measured:
    return Measured(names[row["system"]], row[measure], ends_of(row["ci"].get(measure)))


def _difference(row: Mapping[str, Any], names: Mapping[str, str]) -> Difference:
    pair = (names[row["first"]], names[row["second"]])
    return Difference(*pair, row["difference"], ends_of(row["ci"]), row["p_randomization"])


def _table(
    section: Section,
    rows: Sequence[Mapping[str, Any]],
    measures: Sequence[str],
    names: Mapping[str, str],
    ceiling: Mapping[str, Mapping[str, float]],
) -> Section:
    if not measures:
        return section
    body: list[tuple[Cell, ...]] = [
        (
            names[row["system"]],
            *(ranged(row[measure], row["ci"].get(measure)) for measure in measures),
        )
        for row in rows
    ]
    body += [
        (_CEILING.get(who, who), *(values.get(measure) for measure in measures))
        for who, values in ceiling.items()
    ]
    return section.table(("ranker", *map(_title, measures)), body)


def _fillers(fillers: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Section:
    section = Section("Gaming: pairs that are wrong after filler was added")
    if not fillers:
        return section
    return section.table(
        ("ranker", "filler", "share of pairs"),
        [
            (names.get(filler["system"], filler["system"]), filler["kind"], ranged(filler["share"], filler["ci"]))
            for filler in fillers
        ],
    )  # fmt: skip


def _tests(tests: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Section:
    section = Section("Tests between every two rankers")
    if not tests:
        return section
    return section.table(
        ("measure", "first", "second", "difference", "p, randomization", "p, t-test"),
        [
            (
                _title(test["measure"]),
                names[test["first"]],
                names[test["second"]],
                ranged(test["difference"], test["ci"]),
                _p(test["p_randomization"]),
                _p(test["p_t"]),
            )
            for test in tests
        ],
    )


def _p(value: float | None) -> Cell:
    return None if value is None else PValue(value)
