"""The commands of the how-to run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.corpus.comments.presets import PRESETS
from tests.docs.test_docs import run_blocks

DOCS = Path(__file__).parents[3] / "docs"


def test_the_commands_of_the_how_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_blocks(DOCS / "how-to/comment-corpora.md") == 7
    for name in ("commenting", "constructive", "feedback", "split"):
        assert (tmp_path / name / "index.html").exists()


@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_preset_and_each_of_its_numbers_is_documented(preset: str) -> None:
    page = (DOCS / "reference/comment-corpora.md").read_text("utf-8")
    assert f"| `{preset}` |" in page
    for name in PRESETS.load(preset).__slots__:
        assert f"`{name}" in page, name
