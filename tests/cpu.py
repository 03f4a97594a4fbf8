"""CPU seconds per folder of tests, printed at the end of a run beside the budget of each folder.

Machines differ, so a folder above its budget fails nothing; it is said loudly, so that the whole stays within half an hour of one core.
Seconds are user and system time of the test process, of the children it waited for, and of commands in forks.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import FORKS

# CPU seconds that a folder may take. Raise one only together with what it buys.
BUDGETS_S = {
    "attacks": 120,  # recognising systems by all that is shown, hostile files, kills, and a server of PostgreSQL
    "campaigns": 210,  # LibreOffice, 300 campaigns for each protocol's controls, kills around the commit
    "cli": 270,
    "commenters": 90,
    "corpus": 130,
    "desk": 20,
    "demo": 70,
    "docs": 60,
    "edges": 45,
    "gate": 60,
    "llm": 25,  # 1,500 requests on loopback, and three small transformers models
    "metrics": 150,
    "papers": 60,  # every command of the page on the papers' tables
    "model": 5,
    "nn": 40,
    "results": 5,
    "rankers": 130,
    "records": 60,
    "samples": 10,
    "browser": 70,  # the client's side; Chromium itself is not counted
    "service": 110,  # the whole web app in a client, and kills of a real server
    "simulate": 80,
    "stats": 60,
    "studies": 60,  # coverage of intervals, Table 1 on a simulated world
    "summarizers": 120,
    "text": 100,
    "work": 40,
}
_TOTAL_S = 1_800

_marks = {"last": 0.0}
_workers: list[float] = []


def _cpu_s() -> float:
    return sum(os.times()[:4]) + FORKS.cpu_s


def pytest_runtest_logstart(nodeid: str, location: object) -> None:
    _marks["last"] = _cpu_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the CPU seconds since the last report of the same test on this one: workers send reports to the terminal."""
    report = yield
    now = _cpu_s()
    report.user_properties = [*report.user_properties, ("cpu_s", now - _marks["last"])]
    _marks["last"] = now
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["cpu_s"] = _cpu_s()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    _workers.append(getattr(node, "workeroutput", {}).get("cpu_s", 0.0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seconds = seconds_per_folder(
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    )
    total = sum(_workers) or _cpu_s()
    terminalreporter.write_sep("-", "CPU seconds per folder (budget)")
    for line, loud in summary(seconds, total):
        terminalreporter.write_line(line, red=loud)


def seconds_per_folder(reports: Any) -> Counter[str]:
    """The CPU seconds of reports, by the folder of `tests/` that each belongs to."""
    seconds: Counter[str] = Counter()
    for report in reports:
        parts = Path(report.nodeid.partition("::")[0]).parts
        folder = parts[1] if len(parts) > 2 else "."
        seconds[folder] += sum(value for name, value in report.user_properties if name == "cpu_s")
    return seconds


def summary(seconds: Counter[str], total: float) -> list[tuple[str, bool]]:
    """A line per folder, the most expensive first, and whether it is to be said loudly."""
    lines = []
    for folder, spent in seconds.most_common():
        budget = BUDGETS_S.get(folder, 0 if folder != "." else 10)
        above = spent > budget
        note = "   ABOVE ITS BUDGET" if above else ""
        lines.append((f"{folder:<14}{spent:8.1f}  ({budget}){note}", above))
    rest = max(total - seconds.total(), 0.0)
    lines.append((f"{'collection':<14}{rest:8.1f}", False))
    above = total > _TOTAL_S
    note = "   ABOVE THE BUDGET OF THE WHOLE SUITE" if above else ""
    lines.append((f"{'in all':<14}{total:8.1f}  ({_TOTAL_S}){note}", above))
    return lines
