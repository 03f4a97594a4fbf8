"""Secrets, controls, conflicts and withdrawn answers on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from newsdesk import records, samples
from newsdesk.campaigns.store import Store
from newsdesk.cli.main import main
from newsdesk.types import Article, Comment, ControlQuestion, Thread

AT = "2026-01-02T09:00:00Z"
THREADS = ["--protocol", "grade", "--threads", "threads.jsonl"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    comments = [
        Thread(
            Article(f"a{n}", f"The text of article {n}.", title=f"Title {n}"),
            tuple(
                Comment(f"a{n}c{m}", f"comment {m} on article {n} at some length") for m in range(5)
            ),
        )
        for n in range(4)
    ]
    records.write("threads.jsonl", comments)
    Path("secret.txt").write_text("twenty characters long\n")
    return tmp_path


def new(name: str, *words: str) -> int:
    return main(
        ["campaign", "new", name, *THREADS, "--annotators", "ann", "--per-item", "1", *words]
    )


def grade(path: str, value: object) -> None:
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    next(cell for cell in page[2] if not cell.protection.locked).value = value
    book.save(path)


def first_task(name: str = "pilot") -> tuple[Store, str]:
    store = Store.open("sqlite:///newsdesk.db")
    return store, next(store.assignments(name, "ann")).task.id


@pytest.fixture
def conflict(capfd: pytest.CaptureFixture[str]) -> Iterator[str]:
    """A sheet that says 2 where the web says 5 since; the task."""
    assert new("pilot") == 0
    assert main(["campaign", "sheets", "pilot", "-o", "sheets"]) == 0
    grade("sheets/ann.xlsx", 2)
    store, task = first_task()
    store.answer("pilot", "ann", task, {(task, "grade"): 5}, at=AT)
    store.close()
    capfd.readouterr()
    assert main(["campaign", "import", "pilot", "sheets/ann.xlsx"]) == 3
    said = capfd.readouterr()
    assert (
        f"conflict: task {task!r} of 'ann', A (grade): 2 in the sheet, 5 in the store" in said.err
    )
    assert "0 new, 0 corrected" in said.out
    yield task


@pytest.mark.parametrize(("side", "left"), [("--theirs", 2), ("--ours", 5)])
def test_a_conflict_is_listed_and_decided(
    conflict: str, side: str, left: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["campaign", "conflicts", "pilot", "--json"]) == 0
    (listed,) = json.loads(capfd.readouterr().out)["conflicts"]
    assert (listed["task"], listed["ours"], listed["theirs"]) == (conflict, 5, 2)
    assert main(["campaign", "status", "pilot"]) == 0
    assert "1 conflict" in capfd.readouterr().out
    assert main(["campaign", "conflicts", "pilot", side]) == 0
    assert "1 conflict decided" in capfd.readouterr().err
    store, _ = first_task()
    assert [each.value for each in store.judgments("pilot")] == [left]
    store.close()
    assert main(["campaign", "import", "pilot", "sheets/ann.xlsx"]) == 0


def test_an_import_decides_conflicts_at_once(conflict: str) -> None:
    assert main(["campaign", "import", "pilot", "sheets/ann.xlsx", "--theirs"]) == 0
    store, _ = first_task()
    assert [each.value for each in store.judgments("pilot")] == [2]
    store.close()


def test_an_answer_that_was_withdrawn_is_counted(capfd: pytest.CaptureFixture[str]) -> None:
    assert new("pilot") == 0
    assert main(["campaign", "sheets", "pilot", "-o", "sheets"]) == 0
    grade("sheets/ann.xlsx", "cannot-judge")
    assert main(["campaign", "import", "pilot", "sheets/ann.xlsx"]) == 0
    assert main(["campaign", "status", "pilot"]) == 0
    assert "1 judgment, 1 of them cannot-judge" in capfd.readouterr().out
    assert main(["campaign", "judgments", "pilot", "-o", "j.jsonl"]) == 0
    (judgment,) = map(json.loads, Path("j.jsonl").read_text("utf-8").splitlines())
    assert judgment["value"] == "cannot-judge"


def test_the_same_secret_gives_the_same_sheets_and_another_one_does_not() -> None:
    Path("other.txt").write_text("another secret, as long")
    written = []
    for number, secret in enumerate(("secret.txt", "secret.txt", "other.txt", None)):
        url = f"sqlite:///{number}.db"
        words = ["--secret", secret] if secret else []
        assert new("pilot", *words, "--store", url) == 0
        assert main(["campaign", "sheets", "pilot", "-o", f"{number}", "--store", url]) == 0
        written.append(Path(f"{number}/ann.xlsx").read_bytes())
    assert written[0] == written[1]
    assert len(set(written)) == 3


def test_a_secret_that_can_be_guessed_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    Path("short.txt").write_text("1234\n")
    assert new("pilot", "--secret", "short.txt") == 1
    said = "short.txt: the secret has 4 characters, which can be guessed; 16 are needed\n"
    assert capfd.readouterr().err == said


def test_controls_are_made_used_and_failed(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--protocol", "constructive", "--threads", "threads.jsonl"]
    assert main(["campaign", "controls", *words, "-o", "c.jsonl"]) == 0
    assert len(list(records.read("c.jsonl", ControlQuestion))) == 4
    command = ["campaign", "new", "votes", *words, "--controls", "c.jsonl"]
    assert main([*command, "--annotators", "ann,ben", "--per-item", "2"]) == 0
    assert "recognised" not in capfd.readouterr().err
    with Store.open("sqlite:///newsdesk.db") as store:
        for name in ("ann", "ben"):
            for task in store.tasks("votes"):
                ticked = {target.id: name == "ben" for target in task.targets if task.control}
                answers = {(target, "constructive"): value for target, value in ticked.items()}
                store.answer("votes", name, task.id, answers, at=AT)
    capfd.readouterr()
    assert main(["campaign", "exclude", "votes", "--failed-controls"]) == 0
    assert capfd.readouterr().err.splitlines() == [
        "ben: 0 of 4 control questions right",
        "4 slots opened again, 0 given to others",
    ]


@pytest.mark.parametrize("words", [[], ["ann"], ["ann", "--failed-controls", "--reason", "x"]])
def test_an_exclusion_names_somebody_with_a_reason_or_failed_controls(words: list[str]) -> None:
    assert new("pilot") == 0
    assert main(["campaign", "exclude", "pilot", *words]) == 2


def test_texts_that_were_cut_are_said(capfd: pytest.CaptureFixture[str]) -> None:
    long = Thread(Article("a", "x"), (Comment("c", "word " * 8_000), Comment("d", "short")))
    records.write("long.jsonl", [long])
    words = ["--protocol", "grade", "--threads", "long.jsonl", "--annotators", "ann"]
    assert main(["campaign", "new", "long", *words, "--per-item", "1"]) == 0
    capfd.readouterr()
    assert main(["campaign", "sheets", "long", "-o", "sheets"]) == 0
    assert capfd.readouterr().err == "ann: 2 tasks; 1 text cut to the length of a cell\n"


def test_controls_that_can_be_recognised_are_said(capfd: pytest.CaptureFixture[str]) -> None:
    records.write("controls.jsonl", samples.controls())
    words = ["--protocol", "constructive", "--threads", "threads.jsonl", "--annotators", "ann"]
    command = ["campaign", "new", "votes", *words, "--per-item", "1", "--controls"]
    assert main([*command, "controls.jsonl"]) == 0
    said = capfd.readouterr().err
    assert "controls can be recognised: 10 stand alone among tasks of several texts" in said
