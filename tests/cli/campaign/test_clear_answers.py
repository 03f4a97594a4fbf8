"""What the verbs of `newsdesk campaign` say: to an unknown campaign, of one thing and of many, and of a part of the questions."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from newsdesk import records, samples
from newsdesk.campaigns import Store
from newsdesk.cli.campaign import VERBS
from newsdesk.cli.main import main
from newsdesk.types import Article, Comment, Thread

STORE = "sqlite:///newsdesk.db"
# What each verb of a campaign needs besides its name; the files named do not exist.
REST = {
    "status": (),
    "sheets": ("-o", "sheets"),
    "import": ("missing.xlsx",),
    "conflicts": (),
    "imports": (),
    "exclude": ("ann", "--reason", "careless"),
    "judgments": ("-o", "out.jsonl"),
    "weights": ("-o", "out.jsonl"),
    "gains": ("-o", "out.qrels"),
    "pairs": ("-o", "out.jsonl"),
    "report": ("-o", "out.html"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    records.write("outputs.jsonl", samples.outputs())
    records.write("clusters.jsonl", samples.clusters())
    thread = Thread(Article("a", ""), (Comment("c", "Well said."),))
    records.write("thread.jsonl", [thread])
    return tmp_path


def new(name: str, *words: str) -> int:
    return main(
        ["campaign", "new", name, "outputs.jsonl", "--protocol", "rank", "--references", "clusters.jsonl",
         "--annotators", "ann,ben", "--per-item", "1", *words]
    )  # fmt: skip


def test_every_verb_of_a_campaign_is_tried() -> None:
    elsewhere = {"judge", "add", "adjudicate", "assign", "forget", "notes", "payments", "release"}
    assert VERBS.keys() - REST.keys() == {"new", "controls", "erase"} | elsewhere


@pytest.mark.parametrize("verb", REST)
def test_an_unknown_campaign_is_named_with_those_there_are_and_nothing_is_written(
    verb: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert new("pilot") == 0
    before = sorted(folder.iterdir())
    capfd.readouterr()
    assert main(["campaign", verb, "pilto", *REST[verb]]) == 1
    said = capfd.readouterr()
    assert said.err == "no campaign is called 'pilto'; did you mean 'pilot'? there are: pilot\n"
    assert (said.out, sorted(folder.iterdir())) == ("", before)


def test_a_store_that_is_not_there_is_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", "status", "pilot"]) == 1
    said = capfd.readouterr().err
    assert "newsdesk.db: no such store" in said and "campaign new" in said and "--store" in said


def test_only_the_database_is_left_in_the_folder(folder: Path) -> None:
    before = set(folder.iterdir())
    assert new("pilot") == 0
    assert main(["campaign", "exclude", "pilot", "ann", "--reason", "careless"]) == 0
    assert {path.name for path in set(folder.iterdir()) - before} == {"newsdesk.db"}


def test_a_part_of_the_questions_is_asked(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert new("pilot", "--questions", "overall") == 0
    assert main(["campaign", "sheets", "pilot", "-o", "sheets"]) == 0
    book = openpyxl.load_workbook("sheets/ann.xlsx")
    names = [str(cell.value).split("\n")[0] for cell in book["Answers"][1]]
    assert names[3:5] == ["text", "overall"]
    assert not any("coherent" in name or "informative" in name for name in names)
    guidance = [str(row[1]) for row in book["Guidance"].iter_rows(values_only=True)]
    assert any(text.startswith("Overall:") for text in guidance)
    assert not any(text.startswith(("Coherent:", "Informative:")) for text in guidance)
    with Store.open(STORE) as store:
        assert [each.name for each in store.campaign("pilot").protocol.questions] == ["overall"]


def test_an_unknown_question_is_refused_before_anything_is_stored(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert new("pilot", "--questions", "overall,coherence") == 1
    assert capfd.readouterr().err == (
        "protocol 'rank' has no question 'coherence'; did you mean 'coherent'? "
        "there are: informative, coherent, overall\n"
    )
    assert not (folder / "newsdesk.db").exists()


def test_one_of_anything_is_in_the_singular(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--protocol", "grade", "--threads", "thread.jsonl", "--per-item", "1"]
    assert main(["campaign", "new", "one", *words, "--annotators", "ann"]) == 0
    assert main(["campaign", "sheets", "one", "-o", "sheets"]) == 0
    book = openpyxl.load_workbook("sheets/ann.xlsx")
    next(cell for cell in book["Answers"][2] if not cell.protection.locked).value = 4
    book.save("sheets/ann.xlsx")
    assert main(["campaign", "import", "one", "sheets/ann.xlsx"]) == 0
    assert main(["campaign", "status", "one"]) == 0
    for verb, file in (("judgments", "j.jsonl"), ("gains", "g.jsonl"), ("weights", "w.jsonl")):
        assert main(["campaign", verb, "one", "-o", file]) == 0
    assert main(["campaign", "exclude", "one", "ann", "--reason", "careless"]) == 0
    said = capfd.readouterr()
    assert said.err.splitlines() == [
        "one: 1 task, 1 annotator each",
        "ann: 1 task",
        "1 judgment",
        "1 thread",
        "1 item with references, weights minmax[1,5]",
        "1 slot opened again, 0 given to others",
    ]
    assert "1 of 1 slot done, 0 claimed, 1 judgment\n" in said.out
