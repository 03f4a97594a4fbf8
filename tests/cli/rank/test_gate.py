"""`newsdesk rank apply` with its gate: what is held back is listed apart in every form, and never lost."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.cli.main import main
from newsdesk.types import Article, Comment, Ranked, Thread

CORRECTION = (
    "The figure in the article is wrong. According to entry 4417 of the public register, the council approved 3.8 million in March and 0.4 million in June, because the "
    "second engine was ordered separately. The auditor's report of 12 June (page 9) says the same, so the cost did not rise after the vote."
)
TEXTS = {
    "shuffled": "register the approved wrong council because of article engine the and million separately in March to entry second figure says the of was report page is same the in ordered auditor public June million so vote the after rise did because the register wrong of in and approved",
    "rant": "You are all idiots and liars! What a bunch of stupid, corrupt morons run this pathetic council. Shut up and resign, you disgusting clowns.",
    "advert": "Earn $500 a day working from home! No experience needed, guaranteed returns. Click here: www.easy-money.example and sign up today, limited offer.",
    "correction": CORRECTION,
    "copy": CORRECTION,
    "plain": "I take the early boat every day and a second engine would have spared us eleven cancelled crossings last winter.",
    "short": "Good point about the engine, thanks.",
}
HELD = {"rant": "insult", "advert": "advertising", "shuffled": "broken", "copy": "copy"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    comments = tuple(Comment(name, text, likes=len(name)) for name, text in TEXTS.items())
    article = Article("ferry", "The council approved the ferry.", title="Ferry approved", lang="en")
    records.write("threads.jsonl", [Thread(article, comments)])


def test_the_correction_stands_first_and_rant_advert_and_shuffled_text_are_held_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main("rank apply ready threads.jsonl --json".split()) == 0
    rows = json.loads(capsys.readouterr().out)["comments"]
    assert rows[0]["comment"] == "correction"
    assert {row["comment"]: row["held"]["kind"] for row in rows if row["held"]} == HELD
    assert [row["rank"] for row in rows] == list(range(1, 8))
    copy = next(row["held"] for row in rows if row["comment"] == "copy")
    assert copy["copy_of"] == "correction"


def test_the_table_lists_what_is_held_back_last_with_its_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main("rank apply ready threads.jsonl -o ranked.csv".split()) == 0
    assert "7 comments of 1 article; 4 held back (" in capsys.readouterr().err
    text = Path("ranked.csv").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["comment"] for row in rows if row["held"]] == [row["comment"] for row in rows[3:]]
    rant = next(row for row in rows if row["comment"] == "rant")
    assert rant["held"].startswith("insults: “idiots”, “liars”")
    assert rant["text"] == TEXTS["rant"]


def test_the_page_folds_what_is_held_back_below_the_thread() -> None:
    assert main("rank apply ready threads.jsonl -o ranked.html".split()) == 0
    page = Path("ranked.html").read_text("utf-8")
    before, _, after = page.partition('<details class="held">')
    assert "Held back: 4 comments" in after
    assert "4 held back: folded below their thread" in before
    assert "bunch of stupid" in after and "bunch of stupid" not in before
    assert "3 comments, 4 more held back" in before


def test_the_printed_table_lists_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("rank apply ready threads.jsonl --top 1".split()) == 0
    out = capsys.readouterr().out
    first, apart = out.split("\n\n")[:2]
    assert len(first.splitlines()) == 2
    assert [line.split()[1] for line in apart.splitlines()[1:]] != []
    assert set(HELD) == {line.split()[1] for line in apart.splitlines()[1:]}


def test_a_run_is_ranked_without_the_gate_unless_it_is_asked_for() -> None:
    assert main("rank apply ready threads.jsonl -o plain.jsonl".split()) == 0
    assert main("rank apply ready threads.jsonl --no-gate -o same.jsonl".split()) == 0
    assert main("rank apply ready threads.jsonl --gate -o gated.jsonl".split()) == 0
    assert Path("plain.jsonl").read_bytes() == Path("same.jsonl").read_bytes()
    plain, gated = (list(records.read(name, Ranked)) for name in ("plain.jsonl", "gated.jsonl"))
    assert {line.comment for line in gated} == {line.comment for line in plain} == set(TEXTS)
    assert {line.comment for line in gated[-4:]} == set(HELD)
    scores = [line.score for line in gated]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)


def test_a_copy_that_is_held_back_does_not_sink_the_original_in_a_varied_order() -> None:
    assert main("rank apply ready threads.jsonl --gate --diversity 0.6 -o a.jsonl".split()) == 0
    assert next(iter(records.read("a.jsonl", Ranked))).comment == "correction"


def test_a_page_without_the_gate_holds_nothing_back() -> None:
    assert main("rank apply ready threads.jsonl --no-gate -o ranked.html".split()) == 0
    assert 'class="held"' not in Path("ranked.html").read_text("utf-8")


def test_no_gate_and_a_share_contradict_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("rank apply ready threads.jsonl --no-gate --hold-back 0.02".split()) == 2
    assert "--no-gate leaves nothing" in capsys.readouterr().err


def test_a_column_of_toxicity_joins_the_gate_where_it_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("c.csv").write_text("text,perspective\nThe dam is safe.,0.95\nIt is not safe.,0.1\n")
    assert main("rank apply length c.csv --map toxicity=perspective --json".split()) == 0
    rows = json.loads(capsys.readouterr().out)["comments"]
    assert [row["held"] and row["held"]["kind"] for row in rows] == [None, "toxicity"]
    assert main("rank apply length c.csv --map toxicity=perspective --toxic-from 0.99 --json".split()) == 0  # fmt: skip
    rows = json.loads(capsys.readouterr().out)["comments"]
    assert [row["held"] for row in rows] == [None, None]


def test_a_toxicity_beyond_one_is_a_rejected_row(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.csv").write_text("text,t\nThe dam is safe.,3\nIt is not safe.,0.1\n")
    assert main("rank apply length c.csv --map toxicity=t".split()) == 3
    assert "toxicity" in capsys.readouterr().err
