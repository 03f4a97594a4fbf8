"""The demo's stage of commenters: every system with label, source and score, and seals that hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.cli.main import main
from newsdesk.commenters.commenter import SYSTEMS
from newsdesk.demo import ranking
from newsdesk.errors import MissingExtraError


def test_every_system_is_shown_with_label_source_and_score(tmp_path: Path) -> None:
    page = ranking.suggestions_stage(tmp_path).html(1)
    for name in SYSTEMS:
        assert f">{name}</td>" in page
    assert page.count("machine-suggested") >= 2 * len(SYSTEMS) - 2
    assert "a reader’s comment on" in page and "generated, place 1 of the beam" in page
    assert "unaltered" in page and "altered: label" in page
    sealed = tmp_path / "suggestions.jsonl"
    assert (
        main(["comment", "verify", str(sealed), "--key", str(tmp_path / "key/commenter-key.pub")])
        == 0
    )


def test_the_stage_does_without_the_extra_for_seals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(folder: Path) -> None:
        raise MissingExtraError("sealing suggestions", "commenters")

    monkeypatch.setattr(ranking, "open_key", missing)
    assert "not sealed" in ranking.suggestions_stage(tmp_path).html(1)
    assert (tmp_path / "suggestions.jsonl").read_text("utf-8").count("\n") >= len(SYSTEMS)
