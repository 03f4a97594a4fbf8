"""Progress of a fit on a terminal: a bar with the time left for counted steps, lines for the others, nothing elsewhere."""

from __future__ import annotations

import io
import re
import sys

import pytest

from newsdesk import samples
from newsdesk.cli.progress import drawn
from newsdesk.rankers.evaluation.evaluate import evaluate_runs
from newsdesk.rankers.ranker import ranker
from newsdesk.work import Progress, silent


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_neural_fit_reports_every_step_of_vectors_and_training() -> None:
    steps: list[Progress] = []
    threads = samples.threads()
    spec = "ranknet(iterations=20, units=4, dimensions=4, epochs=1, check_every=10)"
    ranker(spec).fit(threads[:4], threads[4:6], steps.append)
    training = [(step.done, step.total) for step in steps if "loss" in step.step]
    assert training == [(number, 20) for number in range(1, 21)]
    vectors = [step.done for step in steps if step.total == 100]
    assert vectors == sorted(vectors)
    assert vectors[-1] == 100
    assert sum("dev NDCG@5" in step.step and step.total is None for step in steps) == 2


def test_a_terminal_shows_the_step_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with drawn() as progress:
        for fit in range(2):
            for done in (1, 7):
                progress(Progress(f"ranknet: loss 0.{fit}", done, 20))
        progress(Progress("ranknet: dev NDCG@5 0.9000"))
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert "ranknet: dev NDCG@5 0.9000" in plain
    assert re.search(r"ranknet: loss 0\.1 .* 7/20 .*left", plain)


def test_nothing_is_drawn_where_stderr_is_not_a_terminal() -> None:
    with drawn() as progress:
        assert progress is silent


def test_an_evaluation_reports_every_measure_once() -> None:
    steps: list[Progress] = []
    threads = samples.threads()[:3]
    evaluate_runs(threads, [], (1, 5), baselines=["length"], samples=20, progress=steps.append)
    assert [step.done for step in steps] == list(range(1, 13))
    assert {step.total for step in steps} == {12}
    assert [step.step for step in steps][-2:] == ["sauc", "ceiling"]
