"""Campaigns from files as they come: ids that articles share, outputs given twice, control questions that nobody could answer."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.types import Article, Comment, Thread

# Comments are numbered within each article, and liked the more the worse they are called below.
THREADS = [
    Thread(
        Article(article, ""),
        tuple(Comment(str(n), f"{article} {n}", likes=likes) for n, likes in enumerate((9, 5, 1))),
    )
    for article in ("a", "b")
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records.write("threads.jsonl", THREADS)
    records.write("outputs.jsonl", samples.outputs())
    records.write("clusters.jsonl", samples.clusters())


def new(*words: str) -> int:
    """Start a campaign; how that ends."""
    return main(["campaign", "new", *words, "--annotators", "ann,ben"])


def done(*words: str) -> bool:
    """Whether a verb of `campaign` succeeds."""
    return main(["campaign", *words]) == 0


def fill(path: Path, value: object) -> None:
    """Give every open cell of a workbook one answer."""
    book = openpyxl.load_workbook(path)
    for row in book["Answers"].iter_rows():
        for cell in row:
            if not cell.protection.locked:
                cell.value = value
    book.save(path)


def test_articles_may_share_the_ids_of_their_comments(capfd: pytest.CaptureFixture[str]) -> None:
    assert new("grades", "--protocol", "grade", "--threads", "threads.jsonl") == 0
    assert capfd.readouterr().err == "grades: 6 tasks, 2 annotators each\n"
    assert done("sheets", "grades", "-o", "sheets")
    fill(Path("sheets/ann.xlsx"), 5)
    assert done("import", "grades", "sheets/ann.xlsx")
    assert done("gains", "grades", "-o", "gains.jsonl")
    texts = {
        (thread.article.id, comment.id): comment.text
        for thread in records.read("gains.jsonl", Thread)
        for comment in thread.comments
    }
    assert texts == {(t.article.id, c.id): c.text for t in THREADS for c in t.comments}


def test_the_report_takes_the_likes_of_the_comment_s_own_article() -> None:
    # In `b` the likes run the other way, and so do the votes.
    a, b = THREADS
    likes = (1, 5, 9)
    turned = [Comment(c.id, c.text, likes=n) for c, n in zip(b.comments, likes, strict=True)]
    records.write("threads.jsonl", [a, Thread(b.article, tuple(turned))])
    words = ("--protocol", "constructive", "--threads", "threads.jsonl", "--per-item", "1")
    assert new("votes", *words) == 0
    assert done("sheets", "votes", "-o", "sheets")
    for path in Path("sheets").iterdir():
        vote(path, {"a 0", "b 2"})
        assert done("import", "votes", str(path))
    assert done("report", "votes", "--threads", "threads.jsonl", "-o", "report.html")
    assert "over 6 comments: r = 0.8660." in Path("report.html").read_text("utf-8")


def vote(path: Path, liked: set[str]) -> None:
    """Tick these texts in a workbook."""
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    header = [str(cell.value).split("\n")[0] for cell in page[1]]
    for row in page.iter_rows(min_row=2):
        cells = dict(zip(header, row, strict=True))
        cells["constructive"].value = "yes" if cells["text"].value in liked else "no"
    book.save(path)


def test_one_output_given_twice_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("--protocol", "rank", "--references", "clusters.jsonl")
    assert new("x", "outputs.jsonl", "outputs.jsonl", *words) == 1
    said = capfd.readouterr().err
    assert "system 'lead' answers item '2031-03-03-ferry-collision' twice" in said


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"text": "x", "answer": "maybe"}', "an answer that nobody could give: control-1 (constructive): 'maybe'"),
        ('{"text": "x", "answer": NaN}', "NaN is not a number"),
        ('{"text": "x", "answer": true, "artikel": "a"}', "unknown key `artikel`"),
        ('{"text": 5, "answer": true}', "`text` is the number 5, not text"),
        ('{"text": "x"}', "`answer` is missing"),
        ('{"text": "x", "answer": [true]}', "`answer` is a list, not text, a number, true or false"),
        ("[]", "a list is not a record"),
    ],
)  # fmt: skip
def test_a_control_question_must_have_an_answer_that_could_be_given(
    line: str, fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("--protocol", "constructive", "--threads", "threads.jsonl", "--controls", "c.jsonl")
    Path("c.jsonl").write_text(line)
    assert new("x", *words) == 1
    assert f"c.jsonl:1: {fault}" in capfd.readouterr().err
    Path("c.jsonl").write_text('{"text": "x", "answer": true, "why": "it says so"}')
    assert new("x", *words) == 0


def test_a_ranker_learns_from_a_campaign_of_several_questions() -> None:
    words = ("--protocol", "rank", "--references", "clusters.jsonl")
    assert new("ranks", "outputs.jsonl", *words) == 0
    assert done("sheets", "ranks", "-o", "sheets")
    fill(Path("sheets/ann.xlsx"), 1)
    assert done("import", "ranks", "sheets/ann.xlsx")
    assert main(["rank", "fit", "-m", "ranksvm", "--campaign", "ranks", "-o", "model"]) == 0
