"""The commands of the how-to run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_docs import run_blocks


def test_the_commands_of_the_how_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[3] / "docs/how-to/comment-corpora.md"
    assert run_blocks(page) == 7
    for name in ("commenting", "constructive", "feedback", "split"):
        assert (tmp_path / name / "index.html").exists()
