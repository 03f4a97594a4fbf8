"""Progress on stderr: nothing is lost on the way, and nothing is said where nobody looks."""

from __future__ import annotations

import logging
import sys

import pytest

from newsdesk import records, samples
from newsdesk.cli.progress import log_on_stderr, reading
from newsdesk.types import Cluster


def test_reading_gives_every_record() -> None:
    path = str(samples.path("clusters.jsonl"))
    assert list(reading(records.read(path, Cluster))) == list(samples.clusters())


def test_a_long_training_tells_its_steps_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = logging.getLogger("newsdesk.rankers.neural")
    for terminal, said in ((True, "step 100\n"), (False, "")):
        monkeypatch.setattr(sys.stderr, "isatty", lambda seen=terminal: seen)
        with log_on_stderr():
            log.info("step %d", 100)
        log.info("after")
        assert capsys.readouterr().err == said
