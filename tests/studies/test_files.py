"""The files of a study, through the library alone: JSON, a page, and a log that an interrupted study resumes from."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.errors import MissingExtraError
from newsdesk.studies.sweep import study_files
from newsdesk.studies.tuning import study_lengths


def test_a_study_is_written_as_json_and_a_page_and_its_log_is_gone(tmp_path: Path) -> None:
    files = study_files(tmp_path / "lengths.json")
    study = study_lengths(samples.clusters()[:2], lengths=(25, 40), samples=20, log=files.log)
    assert files.log.exists()
    files.write(study)
    assert {path.name for path in tmp_path.iterdir()} == {"lengths.json", "lengths.html"}
    assert json.loads(files.out.read_text("utf-8")) == study.as_json()
    assert study.LEAD in files.page.read_text("utf-8")


def test_a_log_stays_unless_the_study_starts_over(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    log = study_files(out).log
    log.write_text("{}")
    assert study_files(out).log.exists()
    assert not study_files(out, restart=True).log.exists()


def test_a_missing_package_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"newsdesk\[report\]"):
        study_files(tmp_path / "x.json")
