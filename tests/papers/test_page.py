"""Every command of the page on the papers' tables runs on small files in the published formats, and claims find planted numbers there."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from newsdesk.cli.main import main
from newsdesk.cli.presets import PRESETS
from newsdesk.studies.claims import shipped_claims
from tests import published
from tests.papers import made

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/papers.md"
_BLOCK = re.compile(r"^```\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Claims that the made data cannot have: the numbers are those of the papers.
_CHECKED = "newsdesk study claims "
_NETWORK = "units=8, dimensions=8"
# Part of a command → options that make it small, appended so that they win.
SMALL = {
    "ranknet(": "--models \"ranknet(vectors='vectors.txt', units=8, dimensions=8, iterations=3),lstm-reg(vectors='vectors.txt', units=8, dimensions=8, iterations=3)\"",
    "rank vectors": "--dimensions 8",
    "comment compare": f'--models "ir-t(updates=3),ir-tc(updates=3),seq2seq({_NETWORK}, updates=3),att({_NETWORK}, updates=3),att-tc({_NETWORK}, updates=3)" --samples 100',
    "study correlate": "--samples 100",
    "study lengths": "--words 25,40 --samples 100",
    "study curve": "--added 0,2 --samples 100",
    "study table5": "--samples 100",
}  # fmt: skip


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the commands it ran."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def commands() -> list[str]:
    """Return the commands of the page, in their order."""
    blocks = _BLOCK.findall(PAGE.read_text("utf-8"))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of the page with small files in the published formats."""
    root = tmp_path_factory.mktemp("papers")
    for name in ("wcep", "yahoo", "tencent", "people", "guide"):
        (root / name).mkdir()
    clusters, tencent = published.wcep(root / "wcep"), published.tencent(root / "tencent")
    published.wcep_without_articles(root / "wcep")
    published.wcep_crawl(root / "wcep")
    published.tencent_contents(root / "tencent", tencent.values())
    comments = made.yahoo(root / "yahoo")
    for name in ("shallow", "deep"):
        made.votes(root / "yahoo", comments[name], name)
    made.labels(root / "people", clusters["test"])
    made.grades(root / "people", tencent["test"])
    published.guide_workbook(root / "guide")
    return root


def test_every_command_of_the_page_runs_within_a_minute(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    started = cpu_seconds()
    for line in commands():
        assert line.startswith("newsdesk "), line
        small = [options for part, options in SMALL.items() if part in line]
        code = main(shlex.split(" ".join([line, *small]))[1:])
        # Numbers of the papers drift on data that is not theirs.
        assert code == (3 if line.startswith(_CHECKED) else 0), (line, capsys.readouterr().err)
    assert cpu_seconds() - started < 60


def test_the_page_has_every_preset_and_the_claims_of_every_paper_with_results() -> None:
    text = "\n".join(commands())
    assert all(f"--preset {name}" in text for name in PRESETS)
    assert all(f"{_CHECKED}{name}" in text for name in shipped_claims() if "guide" not in name)


def answers(
    capsys: pytest.CaptureFixture[str], *words: str
) -> dict[tuple[str, str, str], tuple[str, float | None]]:
    """Return what came of each claimed number: its answer and the number obtained."""
    main(["study", "claims", *words, "--json"])
    rows = json.loads(capsys.readouterr().out)["claims"]
    return {
        (row["id"], row["row"], row["column"]): (row["answer"], row["obtained"]) for row in rows
    }


def test_claims_find_the_planted_numbers_of_the_clusters(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    found = answers(capsys, "gholipour-2020", "--data", "clusters=wcep", "--only", "table")
    assert found["table3-clusters", "clusters", "total"] == ("drifted", 24)
    assert found["table3-articles-100", "articles, WCEP-100", "test"] == ("drifted", 30)
    assert found["table4", "summary sentences", "min"] == ("reproduced", 1)
    assert found["table4", "cited articles", "mean"] == ("drifted", 2)
    # WCEP-total was not named.
    assert found["table4-total", "articles, WCEP-total", "max"] == ("not obtainable", None)


def test_claims_find_the_planted_numbers_of_the_comments(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    yahoo = answers(capsys, "fujita-2019", "--data", "comments=yahoo", "--only", "table2")
    assert yahoo["table2", "Shallow", "comments per article"] == ("reproduced", 5)
    assert yahoo["table2", "Deep", "comments"] == ("drifted", 60)
    grades = ("--data", "grades=people/grades.jsonl")
    tencent = ("--data", "tencent=tencent")
    qin = answers(capsys, "qin-2018", *tencent, *grades, "--only", "grades")
    assert qin["grades", "mean grade", "value"] == ("drifted", 4)
    assert qin["grades", "share with at least one 5", "value"] == ("drifted", 0.25)
    people = [
        f"--data={name.replace('-', '_')}=people/{name}.jsonl"
        for name in ("outputs", "output-grades")
    ]
    metrics = answers(capsys, "qin-2018", *tencent, *people, "--only", "table3")
    assert len(metrics) == 30
    # Both people give every output the same grade.
    answer, obtained = metrics["table3", "Human", "Spearman"]
    assert answer == "drifted" and obtained == pytest.approx(1)
    sizes = answers(capsys, "qin-2018", *tencent, "--only", "table2")
    assert sizes["table2", "articles", "test"] == ("drifted", 6)
    assert sizes["table2", "up-votes per comment", "dev"] == ("drifted", 4.5)
