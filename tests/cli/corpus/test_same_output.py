"""Two outputs of a corpus command never share a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.cli.main import main


@pytest.mark.parametrize(
    "words",
    [
        ["events", "pages/", "-o", "x", "--report", "x"],
        ["dedup", "clusters.jsonl", "-o", "x", "--groups", "x"],
        ["align", "events.jsonl", "articles/", "-o", "x", "--candidates", "x"],
        ["align", "events.jsonl", "articles/", "-o", "y", "--candidates", "x", "--report", "x"],
    ],
    ids=lambda words: words[0],
)
def test_one_file_for_two_outputs_is_a_usage_error(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", *words]) == 2
    assert "both write to" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
