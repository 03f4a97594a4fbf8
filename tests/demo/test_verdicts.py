"""The demo's last stage: its numbers are those that its commands print."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from newsdesk.cli.main import main
from newsdesk.demo import newsroom
from newsdesk.demo.summaries import verdicts_stage


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    for name in ("newsroom", "verdicts"):
        (folder / name).mkdir()
    newsroom.newsroom_stage(folder / "newsroom")
    return folder, verdicts_stage(folder / "verdicts").html(8)


def test_the_commands_of_its_script_print_the_same_bytes(
    demo: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = demo
    monkeypatch.chdir(folder)
    lines = (folder / "verdicts" / "study.sh").read_text().splitlines()
    commands = [shlex.split(line) for line in lines if line.startswith("newsdesk study")]
    assert [words[2] for words in commands] == ["compare", "correlate", "report"]
    for *words, target in commands[:2]:
        assert main([*words[1:], str(tmp_path / Path(target).name)]) == 0
        assert (tmp_path / Path(target).name).read_bytes() == (folder / target).read_bytes()


def test_the_page_says_what_people_prefer_and_which_metric_agrees(demo: tuple[Path, str]) -> None:
    folder, page = demo
    systems = json.loads((folder / "verdicts" / "systems.json").read_text())
    metrics = json.loads((folder / "verdicts" / "metrics.json").read_text())
    assert systems["verdict"] in page
    assert {row["metric"] for row in metrics["correlations"]} >= {"rouge-1", "meteor", "bleu-4"}
    assert page.count('<div class="verdict">') == 2
    assert (folder / "verdicts" / "report.html").stat().st_size < 2_000_000
