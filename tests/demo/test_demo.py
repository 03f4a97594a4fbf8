"""A demo that was stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import demo
from newsdesk.cli.main import main
from newsdesk.demo import newsroom
from newsdesk.results.page import Section


def test_a_stopped_demo_starts_anew_and_a_finished_one_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(folder: Path) -> Section:
        raise KeyboardInterrupt

    words = ["demo", "-o", str(tmp_path / "demo")]
    monkeypatch.setattr(demo, "STAGES", {"newsroom": "newsroom", "text": "newsroom"})
    with monkeypatch.context() as patched:
        patched.setattr(newsroom, "text_stage", stopped)
        assert main(words) == 130
    assert not (tmp_path / "demo" / "report.html").exists()
    assert main(words) == 0
    page = (tmp_path / "demo" / "report.html").read_bytes()
    assert main(words) == 1
    assert "exists already; add --force" in capsys.readouterr().err
    assert (tmp_path / "demo" / "report.html").read_bytes() == page


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "novel.txt").write_text("Chapter 1")
    assert main(["demo", "-o", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["text", "novel.txt"]
