"""`newsdesk campaign` from start to report, on the sample newsroom and on real rankings."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from scipy.stats import rankdata

from newsdesk import records, samples
from newsdesk.types import Judgment, Output, Pair, Reference, References, Thread
from tests.cli.running import run


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    records_of: dict[str, Sequence[Any]] = {
        "outputs": samples.outputs(),
        "clusters": samples.clusters(),
        "threads": samples.threads("en")[:2],
    }
    for name, rows in records_of.items():
        records.write(tmp_path / f"{name}.jsonl", rows)
    return {name: str(tmp_path / f"{name}.jsonl") for name in records_of}


def start_ranks(files: dict[str, str], store: str, *more: str) -> None:
    done = run(
        "campaign", "new", "ranks", files["outputs"], "--protocol", "rank", "--references", files["clusters"],
        "--annotators", "ann,ben,cy", "--per-item", "2", "--seed", "7", "--store", store, *more,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def done(*words: str, store: str) -> str:
    """What a verb of `campaign` prints when it succeeds."""
    completed = run("campaign", *words, "--store", store)
    assert completed.returncode == 0, completed.stderr
    return str(completed.stdout)


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
        r"ben\.xlsx: sheet Answers, row \d+, column E \(informative\): 7 is not a rank from 1 to 4",
        done.stderr,
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


@pytest.mark.real
def test_real_rankings_go_through_the_store_and_sheets(
    shared_data: Path, store: str, tmp_path: Path
) -> None:
    with (shared_data / "gec_ranking/rankings.jsonl").open(encoding="utf-8") as lines:
        judgments = list(_gec_judgments(map(json.loads, lines)))
    outputs = sorted({(each.item, each.target) for each in judgments})
    references = [
        References(item, (Reference("none"),)) for item in {each.item for each in judgments}
    ]
    records.write(tmp_path / "o.jsonl", [Output(*each, f"output of {each[1]}") for each in outputs])
    records.write(tmp_path / "r.jsonl", references)
    records.write(tmp_path / "j.jsonl", judgments)
    done(
        "new", "gec", str(tmp_path / "o.jsonl"), "--protocol", str(_one_question(tmp_path)),
        "--references", str(tmp_path / "r.jsonl"), "--annotators", "open", "--per-item", "4",
        store=store,
    )  # fmt: skip
    assert f"{len(judgments)} new" in done("import", "gec", str(tmp_path / "j.jsonl"), store=store)
    done("sheets", "gec", "-o", str(tmp_path / "sheets"), store=store)
    sheets = sorted(str(path) for path in (tmp_path / "sheets").glob("*.xlsx"))
    assert [Path(each).stem for each in sheets] == ["annot1", "annot2", "annot3", "non-native"]
    back = json.loads(done("import", "gec", *sheets, "--json", store=store))["files"]
    assert sum(each["unchanged"] for each in back) == len(judgments) == 4 * 706
    assert not any(each["new"] or each["corrected"] or each["faults"] for each in back)
    done("judgments", "gec", "-o", str(tmp_path / "back.jsonl"), store=store)
    exported = list(records.read(tmp_path / "back.jsonl", Judgment))
    # Names are hashed on the way out: what each person said is still together.
    assert sorted(_by_person(exported).values()) == sorted(_by_person(judgments).values())
    done("report", "gec", "-o", str(tmp_path / "gec.html"), store=store)
    page = (tmp_path / "gec.html").read_text("utf-8")
    mean = np.mean(
        [rank for each in _by_ranking(judgments) for name, rank in each if name == "refmix1"]
    )
    assert f">{mean:.3g} <span" in page
    assert "annot1" not in page


def _gec_judgments(rows: Iterable[dict[str, Any]]) -> Iterator[Judgment]:
    """One item for each segment and set of systems, and one more where an annotator ranked the same again."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        item = f"{row['item']}:{'+'.join(sorted(name for name, _ in row['ranks']))}"
        seen[item, row["annotator"]] += 1
        if seen[item, row["annotator"]] > 1:
            item += f"#{seen[item, row['annotator']]}"
        for name, rank in row["ranks"]:
            yield Judgment("gec", item, item, name, "overall", rank, row["annotator"])


def _by_person(judgments: Iterable[Judgment]) -> dict[str, list[tuple[str, str, object]]]:
    said_by = defaultdict(list)
    for each in judgments:
        said_by[each.annotator].append((each.item, each.target, each.value))
    return {name: sorted(said, key=str) for name, said in said_by.items()}


def _by_ranking(judgments: Iterable[Judgment]) -> Iterator[list[tuple[str, float]]]:
    """The mid-ranks of each ranking, with SciPy's word for what they are."""
    rankings = defaultdict(list)
    for each in judgments:
        rankings[each.item, each.annotator].append((each.target, each.value))
    for ranked in rankings.values():
        names, ranks = zip(*ranked, strict=True)
        yield list(zip(names, rankdata(ranks), strict=True))


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
