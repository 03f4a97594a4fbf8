"""`newsdesk campaign` from start to report, on the sample newsroom and on real rankings."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import openpyxl
import pytest

from newsdesk import records, samples
from newsdesk.types import Judgment, Output, Pair, Reference, References, Thread
from tests.cli.test_command import run


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {
        "outputs": samples.outputs(),
        "clusters": samples.clusters(),
        "threads": samples.threads("en")[:2],
    }
    for name, rows in made.items():
        records.write(tmp_path / f"{name}.jsonl", rows)
    return {name: str(tmp_path / f"{name}.jsonl") for name in made}


def start_ranks(files: dict[str, str], store: str, *more: str) -> None:
    done = run(
        "campaign", "new", "ranks", files["outputs"], "--protocol", "rank", "--references", files["clusters"],
        "--annotators", "ann,ben,cy", "--per-item", "2", "--seed", "7", "--store", store, *more,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def fill(path: Path, rank: str = "1") -> None:
    """Give every open answer cell of a workbook the same rank."""
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    for row in page.iter_rows(min_row=1):
        for cell in row:
            if not cell.protection.locked:
                cell.value = int(rank)
    book.save(path)


def test_sheets_go_out_blinded_and_come_back(
    files: dict[str, str], store: str, tmp_path: Path
) -> None:
    start_ranks(files, store)
    folder = tmp_path / "sheets"
    assert run("campaign", "sheets", "ranks", "-o", str(folder), "--store", store).returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["ann.xlsx", "ben.xlsx", "cy.xlsx"]
    content = "".join(
        str(cell.value)
        for page in openpyxl.load_workbook(folder / "ann.xlsx")
        for row in page.iter_rows()
        for cell in row
    )
    assert not [name for name in ("fluent", "shaky", "extract") if name in content]
    fill(folder / "ann.xlsx")
    done = run("campaign", "import", "ranks", str(folder / "ann.xlsx"), "--store", store, "--json")
    (row,) = json.loads(done.stdout)["files"]
    assert (done.returncode, row["faults"]) == (0, [])
    assert row["new"] == 8 * 4 * 3
    again = run("campaign", "import", "ranks", str(folder / "ann.xlsx"), "--store", store, "--json")
    assert json.loads(again.stdout)["files"][0]["unchanged"] == row["new"]
    status = json.loads(run("campaign", "status", "ranks", "--store", store, "--json").stdout)
    assert (status["slots"], status["done"]) == (24, 8)


def test_faults_are_listed_and_good_rows_kept(
    files: dict[str, str], store: str, tmp_path: Path
) -> None:
    start_ranks(files, store)
    run("campaign", "sheets", "ranks", "-o", str(tmp_path), "--store", store)
    path = tmp_path / "ben.xlsx"
    fill(path)
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    row = next(r for r in page.iter_rows() if any(not c.protection.locked for c in r))
    next(cell for cell in row if not cell.protection.locked).value = 7
    book.save(path)
    done = run("campaign", "import", "ranks", str(path), "--store", store)
    assert done.returncode == 3
    assert re.search(
        r"ben\.xlsx: sheet Answers, row \d+, column G .*: 7 is not a rank from 1 to 4", done.stderr
    )
    assert "84 new" in done.stdout


def test_votes_become_gains_pairs_and_weights(
    files: dict[str, str], store: str, tmp_path: Path
) -> None:
    new = (
        "campaign",
        "new",
        "votes",
        "--protocol",
        "constructive",
        "--threads",
        files["threads"],
        "--annotators",
        "open",
    )
    assert run(*new, "--per-item", "10", "--store", store).returncode == 0
    threads = {t.article.id: t for t in samples.threads("en")[:2]}
    tasks: dict[str, str] = {}
    from newsdesk.campaigns.store import Store

    with Store.open(store) as opened:
        for task in opened.tasks("votes"):
            tasks.update({target.id: task.id for target in task.targets})
    votes = [
        Judgment("votes", tasks[j.target], j.item, j.target, j.question, j.value, j.annotator)
        for j in samples.judgments("constructive")
        if j.item in threads
    ]
    records.write(tmp_path / "votes.jsonl", votes)
    done = run("campaign", "import", "votes", str(tmp_path / "votes.jsonl"), "--store", store)
    assert (done.returncode, f"{len(votes)} new" in done.stdout) == (0, True)
    for verb in ("gains", "pairs", "weights", "judgments"):
        out = str(tmp_path / f"{verb}.out.jsonl")
        assert run("campaign", verb, "votes", "-o", out, "--store", store).returncode == 0
    gains = {
        c.id: c for t in records.read(tmp_path / "gains.out.jsonl", Thread) for c in t.comments
    }
    for thread in threads.values():
        for comment in thread.comments:
            assert (gains[comment.id].yes, gains[comment.id].votes) == (comment.yes, comment.votes)
    for pair in records.read(tmp_path / "pairs.out.jsonl", Pair):
        assert (gains[pair.better].yes or 0) > (gains[pair.worse].yes or 0)
    weights = list(records.read(tmp_path / "weights.out.jsonl", References))
    assert {each.id for each in weights} == set(threads)
    exported = list(records.read(tmp_path / "judgments.out.jsonl", Judgment))
    assert len(exported) == len(votes)
    assert not {j.annotator for j in exported} & {j.annotator for j in votes}
    report = tmp_path / "votes.html"
    done = run(
        "campaign",
        "report",
        "votes",
        "-o",
        str(report),
        "--threads",
        files["threads"],
        "--store",
        store,
    )
    assert done.returncode == 0
    page = report.read_text("utf-8")
    assert "alpha over pairs" in page
    assert "most liked" in page
    assert "w10" not in page


def test_real_rankings_go_through_the_store_and_sheets(
    shared_data: Path, store: str, tmp_path: Path
) -> None:
    lines = (shared_data / "gec_ranking/rankings.jsonl").read_text("utf-8").splitlines()[:60]
    rows = [json.loads(line) for line in lines]
    ranks = [{name: int(rank) for name, rank in _ranks(row)} for row in rows]
    items = [
        f"{_segment(row)}:{'+'.join(sorted(rank))}" for row, rank in zip(rows, ranks, strict=True)
    ]
    systems = dict(zip(items, ranks, strict=True))
    records.write(
        tmp_path / "o.jsonl",
        [
            Output(item, name, f"output of {name}")
            for item, rank in systems.items()
            for name in sorted(rank)
        ],
    )
    records.write(
        tmp_path / "r.jsonl", [References(item, (Reference("none"),)) for item in systems]
    )
    most = max(Counter(items).values())
    new = (
        "campaign",
        "new",
        "gec",
        str(tmp_path / "o.jsonl"),
        "--protocol",
        str(_one_question(tmp_path)),
    )
    done = run(
        *new,
        "--references",
        str(tmp_path / "r.jsonl"),
        "--annotators",
        "open",
        "--per-item",
        str(most),
        "--store",
        store,
    )
    assert done.returncode == 0, done.stderr
    given = [
        Judgment("gec", item, item, name, "overall", value, f"judge-{number}")
        for number, (item, rank) in enumerate(zip(items, ranks, strict=True))
        for name, value in rank.items()
    ]
    records.write(tmp_path / "j.jsonl", given)
    done = run("campaign", "import", "gec", str(tmp_path / "j.jsonl"), "--store", store)
    assert (done.returncode, f"{len(given)} new" in done.stdout) == (0, True), done.stderr
    run("campaign", "judgments", "gec", "-o", str(tmp_path / "back.jsonl"), "--store", store)
    back = Counter(
        (j.item, j.target, j.value) for j in records.read(tmp_path / "back.jsonl", Judgment)
    )
    assert back == Counter((j.item, j.target, j.value) for j in given)
    report = run("campaign", "report", "gec", "-o", str(tmp_path / "gec.html"), "--store", store)
    assert report.returncode == 0, report.stderr


def _ranks(row: dict[str, object]) -> list[tuple[str, int]]:
    found = row["ranks"]
    return list(found.items()) if isinstance(found, dict) else [(str(n), int(r)) for n, r in found]  # type: ignore[attr-defined]


def _segment(row: dict[str, object]) -> str:
    return str(row.get("segment", row.get("item", row.get("id"))))


def _one_question(folder: Path) -> Path:
    from newsdesk.campaigns.protocols import form_path

    text = form_path("rank").read_text("utf-8")
    begin, end = text.index("questions = ["), text.index("]\nguidance") + 1
    path = folder / "overall.toml"
    path.write_text(
        text[:begin] + 'questions = [{ name = "overall", text = "Which is best?" }]' + text[end:],
        "utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("new", "x", "--protocol", "rank", "--annotators", "2"), "needs --references"),
        (("new", "x", "--protocol", "grade", "--annotators", "2"), "needs --threads"),
        (("new", "x", "--protocol", "grades", "--annotators", "2"), "did you mean 'grade'"),
        (("status", "nobody"), "nobody"),
        (("report", "nobody", "-o", "x.html"), "nobody"),
    ],
)
def test_what_cannot_be_done_says_why(
    words: tuple[str, ...], reason: str, store: str, files: dict[str, str]
) -> None:
    start_ranks(files, store)
    done = run("campaign", *words, "--store", store)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


def test_a_campaign_is_never_replaced(files: dict[str, str], store: str) -> None:
    start_ranks(files, store)
    new = (
        "campaign",
        "new",
        "ranks",
        files["outputs"],
        "--protocol",
        "rank",
        "--references",
        files["clusters"],
    )
    done = run(*new, "--annotators", "3", "--store", store)
    assert (done.returncode, "ranks" in done.stderr) == (1, True)
