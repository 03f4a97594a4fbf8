"""The table of CPU seconds at the end of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.cpu import BUDGETS_S, seconds_per_folder, summary


@dataclass
class _Report:
    nodeid: str
    user_properties: list[tuple[str, float]] = field(default_factory=list)


def test_seconds_are_summed_by_folder() -> None:
    reports = [
        _Report("tests/text/test_stem.py::test_a", [("cpu_s", 1.0)]),
        _Report("tests/text/test_stem.py::test_a", [("cpu_s", 0.5), ("other", 9.0)]),
        _Report("tests/cli/rank/test_rank.py::test_b", [("cpu_s", 2.0)]),
        _Report("tests/test_registry.py::test_c", [("cpu_s", 3.0)]),
    ]
    assert seconds_per_folder(reports) == {"text": 1.5, "cli": 2.0, ".": 3.0}


def test_a_folder_above_its_budget_is_said_loudly() -> None:
    lines = summary(Counter({"text": BUDGETS_S["text"] + 1.0, "cli": 1.0}), 90.0)
    assert [loud for _, loud in lines] == [True, False, False, False]
    assert "ABOVE ITS BUDGET" in lines[0][0]


def test_the_whole_suite_above_its_budget_is_said_loudly() -> None:
    assert summary(Counter(), 1e6)[-1][1]


def test_every_folder_of_tests_has_a_budget() -> None:
    folders = {path.parent.name for path in Path(__file__).parent.glob("*/test_*.py")}
    assert folders <= BUDGETS_S.keys()
