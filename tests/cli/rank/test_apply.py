"""`newsdesk rank apply` for people: from any file of comments to a table, a page or full lines, with the ready model and with one's own."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.rankers import Ranker, ranker, ready
from newsdesk.rankers.gate.gate import Gate
from newsdesk.rankers.ranked import Ranking
from newsdesk.rankers.ranked_files import safe
from newsdesk.rankers.ready import Models
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.work.progress import Progress
from tests.records.comments.test_exports import CORAL, DISQUS, WORDPRESS

HEADER = ["article_id", "headline", "comment_id", "text", "upvotes", "created_at", "position", "mood"]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Ranker:
    """An `argument` without vectors, fitted on a few threads: it says what a ready model says."""
    return ranker("argument(vectors='none', padding=False, lang='en')").fit(
        samples.threads("en")[:3]
    )


@pytest.fixture(scope="module")
def threads() -> list[Thread]:
    return samples.threads("en")[9:11]


@pytest.fixture
def folder(
    model: Ranker, threads: list[Thread], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder with comments in a CSV file, in which `ready` is the model above."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ready, "load_ready", lambda name, lang=None: model)
    with Path("comments.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(HEADER)
        for thread in threads:
            for place, comment in enumerate(thread.comments, 1):
                rows.writerow(
                    [thread.article.id, thread.article.title, comment.id, comment.text, comment.likes,
                     f"2026-11-{16 + place // 24} {place % 24:02}:00", place, "good"]
                )  # fmt: skip
    return tmp_path


def _table(path: str) -> list[dict[str, str]]:
    text = Path(path).read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_csv_becomes_a_ranked_table_by_one_command(
    folder: Path, threads: list[Thread], model: Ranker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("rank apply ready comments.csv --no-gate -o ranked.csv".split()) == 0
    rows = _table("ranked.csv")
    assert list(rows[0]) == [
        "article", "rank", "comment", "text", "score", "standing", "reasons", "signature"
    ]  # fmt: skip
    count = len(threads[0].comments)
    assert [(row["article"], int(row["rank"])) for row in rows[:count]] == [
        (threads[0].article.id, rank) for rank in range(1, count + 1)
    ]
    # The table has titles and no bodies of articles.
    bare = replace(threads[0], article=replace(threads[0].article, text=""))
    order = [(each.comment.id, safe(each.comment.text)) for each in model.rank(bare)]
    assert [(row["comment"], row["text"]) for row in rows[:count]] == order
    assert {row["standing"] for row in rows} == {"stands out", "solid", "thin"}
    assert any(re.search(r"[a-z]: “[A-Za-z].*” [+−]\.\d\d", row["reasons"]) for row in rows)
    assert all(row["reasons"].count("; ") <= 2 for row in rows)
    assert "%" not in "".join(row["standing"] + row["score"] for row in rows)
    assert rows[0]["signature"].startswith(
        "rank-apply|model:argument|ready:ready|lang:en|length:0.5|links:model(20)|newsdesk:"
    )
    links, *said = capsys.readouterr().err.splitlines()
    assert "was learned from 20 threads of the model's training" in links
    assert said == [
        f"{len(rows)} comments of 2 articles",
        "comments.csv: 1 column not used: mood",
    ]


def test_the_page_shows_quality_beside_likes_and_time_with_labels(folder: Path) -> None:
    assert main("rank apply ready comments.csv -o ranked.html --top 5".split()) == 0
    page = Path("ranked.html").read_text("utf-8")
    for part in ("By quality", "By likes", "Newest first", 'class="chip plus"><b>+.', 'class="chip minus"><b>−.', "stands out", "thin"):  # fmt: skip
        assert part in page
    assert page.count("<li id=") == 10
    assert page.count("in each order are shown.") == 2
    assert "rank-apply|model:argument" in page
    assert "<script" not in page
    assert "src=" not in page


def test_without_votes_nothing_says_percent_and_after_votes_a_chance_has_its_error(
    folder: Path, threads: list[Thread], capsys: pytest.CaptureFixture[str]
) -> None:
    bare = [Thread(t.article, tuple(Comment(c.id, c.text.replace("%", "")) for c in t.comments)) for t in threads]  # fmt: skip
    records.write("bare.jsonl", bare)
    assert main("rank apply ready bare.jsonl --no-gate -o bare.html".split()) == 0
    page = Path("bare.html").read_text("utf-8")
    visible = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    assert "%" not in visible
    assert "chance" not in visible
    count = len(bare[0].comments)
    assert f"<b>1</b> of {count}</span> · <span><em>stands out</em>" in visible

    ranker("argument(vectors='none', padding=False)").fit(samples.threads("en")[2:]).save("voted")
    assert main("rank apply voted bare.jsonl -o voted.html".split()) == 0
    assert re.search(r"<span>\d\d% ± \d+%</span>", Path("voted.html").read_text("utf-8"))
    assert main("rank apply voted bare.jsonl -o voted.csv".split()) == 0
    for row in _table("voted.csv"):
        assert 0 < float(row["probability"]) < 1
        assert 0 < float(row["probability_error"]) < 0.3
    capsys.readouterr()
    assert main("rank apply voted bare.jsonl --top 1".split()) == 0
    head = capsys.readouterr().out.splitlines()[0].split()
    assert head == ["article", "rank", "score", "standing", "probability", "±", "text"]


def test_a_page_escapes_what_people_write_and_lacks_orders_that_are_not_known(
    folder: Path,
) -> None:
    # Entities are read as the text that a reader sees, which the page has to escape again.
    Path("x.csv").write_text("text\n&lt;img src=x onerror=alert(1)&gt;\nplain & simple\n")
    assert main("rank apply ready x.csv -o x.html".split()) == 0
    page = Path("x.html").read_text("utf-8")
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img" not in page
    assert "By likes" not in page
    assert 'class="columns one"' in page


def test_full_lines_have_everything_and_bare_lines_are_a_run(folder: Path) -> None:
    assert main("rank apply ready comments.csv --full -o full.jsonl".split()) == 0
    assert main("rank apply ready comments.csv -o run.jsonl".split()) == 0
    full = [json.loads(line) for line in Path("full.jsonl").read_text("utf-8").splitlines()]
    assert {"text", "standing", "reasons", "signature"} <= full[0].keys()
    assert "probability" not in full[0]
    assert {"text", "words", "effect", "share", "quote"} == full[0]["reasons"][0].keys()
    lines = list(records.read("run.jsonl", Ranked))
    assert [(row["article"], row["comment"], row["rank"]) for row in full] == [
        (line.article, line.comment, line.rank) for line in lines
    ]


def test_a_model_without_probabilities_and_reasons_leaves_them_out(folder: Path) -> None:
    assert main("rank apply length comments.csv -o ranked.csv".split()) == 0
    assert list(_table("ranked.csv")[0]) == ["article", "rank", "comment", "text", "score", "held", "signature"]  # fmt: skip


def test_without_a_file_a_short_table_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("rank apply ready comments.csv --top 2".split()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["article", "rank", "score", "standing", "text"]
    assert [line.split()[1] for line in lines[1:5]] == ["1", "2", "1", "2"]
    assert main("rank apply ready comments.csv --top 2 --json".split()) == 0
    rows = json.loads(capsys.readouterr().out)["comments"]
    assert [row["rank"] for row in rows] == [1, 2, 1, 2]


def test_diversity_and_age_change_the_order_and_are_signed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("rank apply ready comments.csv --no-gate -o plain.csv".split()) == 0
    words = "rank apply ready comments.csv --diversity 0.5 --half-life 6 --no-gate -o".split()
    assert main([*words, "diverse.csv"]) == 0
    plain, diverse = _table("plain.csv"), _table("diverse.csv")
    assert [row["comment"] for row in plain] != [row["comment"] for row in diverse]
    assert sorted(row["comment"] for row in plain) == sorted(row["comment"] for row in diverse)
    assert "|diversity:0.5|half-life:6.0|" in diverse[0]["signature"]
    capsys.readouterr()
    assert main([*words, "run.jsonl"]) == 0
    assert "rank-apply|diversity:0.5|half-life:6.0|" in capsys.readouterr().err
    values = [float(row["value"]) for row in diverse if row["article"] == diverse[0]["article"]]
    assert values == sorted(values, reverse=True)
    scores = [line.score for line in records.read("run.jsonl", Ranked)][: len(values)]
    assert scores == pytest.approx(values, abs=1e-6)


def test_position_bias_lifts_likes_that_few_could_give(folder: Path) -> None:
    assert main("rank apply like comments.csv -o plain.csv".split()) == 0
    assert main("rank apply like comments.csv --position-bias -o fair.csv".split()) == 0
    assert "|position-bias:" in _table("fair.csv")[0]["signature"]
    plain, fair = ({row["comment"]: float(row["score"]) for row in _table(f"{name}.csv")} for name in ("plain", "fair"))  # fmt: skip
    assert any(fair[name] > plain[name] for name in plain)
    Path("bare.csv").write_text("text,likes\na,1\nb,2\n")
    assert main("rank apply like bare.csv --position-bias".split()) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("disqus.xml", DISQUS),
        ("wordpress.xml", WORDPRESS),
        ("coral.json", json.dumps(CORAL)),
        ("rows.jsonl", '{"story": 7, "message": "Because the bridge is old."}\n{"story": 7, "message": "No."}'),
    ],
)  # fmt: skip
def test_every_export_becomes_a_page_by_one_command(folder: Path, name: str, content: str) -> None:
    Path(name).write_text(content, "utf-8")
    code = main(["rank", "apply", "ready", name, "-o", "x.html"])
    assert code == (3 if name == "disqus.xml" else 0)
    assert Path("x.html").read_text("utf-8").count("<li id=") == 2


def test_rejected_rows_are_told_and_exit_with_three(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("x.csv").write_text("story,remark,likes\n1,good,2\n1,,1\n1,fine,many\n")
    words = "rank apply ready x.csv --map article=story,text=remark -o x.jsonl".split()
    assert main(words) == 3
    links, *rest = capsys.readouterr().err.splitlines()
    assert links.startswith("note: which sentences belong to a thread was learned from")
    assert rest == [
        "1 comment of 1 article",
        "x.csv: 2 rows rejected: no text (1, first in line 3), `likes` is not a whole number (1, first in line 4)",
    ]


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ("apply ready comments.csv --full -o x.csv", 2, "--full is for -o FILE.jsonl"),
        ("apply ready comments.csv --map txt=text -o x.csv", 2, "did you mean 'text'"),
        ("apply ready comments.csv --map nonsense -o x.csv", 2, "is not FIELD=COLUMN"),
        ("apply ready comments.csv --map text=nope -o x.csv", 1, "no column 'nope' for 'text'"),
        ("apply ready comments.csv --diversity 2", 2, "is not in the range"),
        ("apply nowhere comments.csv -o x.csv", 1, "no saved ranker there"),
        ("fit -m length --train comments.csv --position-bias -o m", 2, "--position-bias is for --target likes"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, code: int, reason: str
) -> None:
    assert main(["rank", *words.split()]) == code
    assert reason in capsys.readouterr().err
    assert not Path("x.csv").exists()


@pytest.fixture
def voted(folder: Path) -> Iterator[str]:
    """Flat comments with votes, as a model is fitted and evaluated on."""
    with Path("voted.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["article", "id", "comment_text", "yes", "votes", "likes", "position"])
        for thread in samples.threads("en")[:3]:
            for place, each in enumerate(thread.comments):
                rows.writerow([thread.article.id, each.id, each.text, each.yes, each.votes, each.likes, place])  # fmt: skip
    yield "voted.csv"


def test_every_command_that_reads_threads_reads_a_flat_file(
    voted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        f"rank fit -m ranksvm(cost=0.01) --train {voted} -o model",
        f"rank fit -m ranksvm(cost=0.01) --target likes --position-bias --train {voted} -o liked",
        f"rank apply model {voted} -o run.jsonl",
        f"rank eval run.jsonl -t {voted} --samples 20",
        f"rank audit {voted} --samples 20",
        f"rank game model {voted} --samples 20 --kinds bland",
        f"rank compare {voted} -m length,like --folds 2 --samples 20",
        f"campaign new pilot --protocol constructive --threads {voted} --annotators 2 --store sqlite:///x.db",
        f"campaign gains pilot --threads {voted} -o gains.jsonl --store sqlite:///x.db",
        f"records check {voted} --type thread",
        f"records convert {voted} --type thread -o threads.jsonl",
    ):
        assert main(words.split()) == 0, (words, capsys.readouterr().err)
    assert len(list(records.read("threads.jsonl", Thread))) == 3
    assert "position bias: a place k is seen with probability k^-" in capsys.readouterr().err


def test_the_ready_model_explains_and_is_tested_as_a_fitted_one(
    folder: Path, threads: list[Thread], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("rank explain ready comments.csv -o reasons.jsonl".split()) == 0
    lines = [json.loads(line) for line in Path("reasons.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == sum(len(thread.comments) for thread in threads)
    assert main("rank explain length comments.csv".split()) == 1
    assert "length: a 'length' model gives no reasons" in capsys.readouterr().err
    records.write("voted.jsonl", threads)
    assert main("rank game ready voted.jsonl --samples 20 --kinds bland --json".split()) == 0
    assert json.loads(capsys.readouterr().out)["fillers"][0]["system"] == "argument"


def test_ready_is_chosen_by_the_language_of_each_thread(
    folder: Path, model: Ranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str | None]] = []

    def load(name: str, lang: str | None = None) -> Ranker:
        asked.append((name, lang))
        return model

    monkeypatch.setattr(ready, "load_ready", load)
    Path("x.csv").write_text(
        "story,text\n1,Because it rains\n2,因为今天下雨所以不去\n1,No\n", "utf-8"
    )
    assert main("rank apply ready x.csv -o x.csv.html".split()) == 0
    assert asked == [("ready", "en"), ("ready", "zh")]


@pytest.mark.parametrize(
    ("model_name", "languages"),
    [("ready", ["Chinese", "Japanese"]), ("ready-ja", ["Japanese"]), ("ready-en", [])],
)
def test_a_weak_model_is_told_once_on_the_page_and_on_stderr(
    folder: Path, capsys: pytest.CaptureFixture[str], model_name: str, languages: list[str]
) -> None:
    rows = ["story,text", "1,Because it rains", "2,今天下雨所以不去", "3,不去", "4,雨なので行きません", "5,行きません"]  # fmt: skip
    Path("x.csv").write_text("\n".join(rows), "utf-8")
    assert main(["rank", "apply", model_name, "x.csv", "-o", "x.html"]) == 0
    for told in (capsys.readouterr().err, Path("x.html").read_text("utf-8")):
        assert re.findall(r"[Tt]he (\w+) model ready-\w+ is weak: its weights", told) == languages
        assert told.count("never measured on") == len(languages)


def test_checking_and_converting_count_rejected_rows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("x.csv").write_text("text,likes\ngood,1\nbad,x\n")
    assert main("records check x.csv --type thread --json".split()) == 3
    (row,) = json.loads(capsys.readouterr().out)["files"]
    assert (row["records"], row["rejected"]) == (1, {"`likes` is not a whole number": 1})
    assert main("records convert x.csv --type thread -o x.jsonl".split()) == 3
    assert capsys.readouterr().err.splitlines()[-1] == "1 record"


def test_an_order_by_name_says_how_much_length_counts_and_where_links_were_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, orders = tmp_path / "threads.jsonl", {}
    records.write(path, samples.threads("en")[:1])
    for order in ("short-and-good", "0.5", "longest"):
        assert (
            main(["rank", "apply", "ready-en-plain", str(path), "--length", order, "--json"]) == 0
        )
        printed = capsys.readouterr()
        rows = json.loads(printed.out)["comments"]
        orders[order] = [len(row["text"]) for row in rows]
        learned = (
            "which sentences belong to a thread was learned from 20 threads of the model's training"
        )
        assert (learned in printed.err) == (order != "longest")
    first = {order: sum(sizes[:5]) for order, sizes in orders.items()}
    assert first["short-and-good"] < first["0.5"] <= first["longest"]


def test_a_ranker_without_a_setting_of_length_refuses_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "threads.jsonl"
    records.write(path, samples.threads("en")[:1])
    assert main(["rank", "apply", "like", str(path), "--length", "0.5"]) == 1
    assert "'like' has no setting of length; leave it out" in capsys.readouterr().err


def test_a_long_thread_tells_how_far_it_is_and_a_short_one_nothing(threads: list[Thread]) -> None:
    few = [comment for thread in threads for comment in thread.comments]
    many = tuple(replace(few[number % len(few)], id=f"c{number}") for number in range(1_000))
    steps: list[Progress] = []
    ranking = Ranking(Models("ready-en-plain"), gate=Gate(), progress=steps.append)
    next(ranking.of([Thread(threads[0].article, many[:999])]))
    assert not steps
    next(ranking.of([Thread(threads[0].article, many)]))
    assert {step.step for step in steps} == {"reading comments", "weighing comments", "looking for what to hold back"}  # fmt: skip
    assert all(step.fraction is not None for step in steps)
