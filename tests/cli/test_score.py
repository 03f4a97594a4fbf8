"""`newsdesk score` as a user meets it: the table, JSON, CSV, LaTeX, values per item, the match picture, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.commenters.texts import references_of
from newsdesk.metrics import metric
from newsdesk.metrics.systems import split_specs
from newsdesk.types import Article, Comment, Output, Reference, References, Thread
from tests.cli.running import run
from tests.published import tencent


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    records.write(tmp_path / "outputs.jsonl", samples.outputs())
    references = [References(e.id, (Reference(e.summary),), lang="en") for e in samples.events()]
    records.write(tmp_path / "references.jsonl", references)
    return str(tmp_path / "outputs.jsonl"), str(tmp_path / "references.jsonl")


def test_json_has_systems_in_order_and_metrics_as_typed(files: tuple[str, str]) -> None:
    outputs, references = files
    specs = "w-rouge-l(combine='union', recall='mean'),rouge-1,bleu-4"
    done = run(
        "score",
        outputs,
        "--references",
        references,
        "--metrics",
        specs,
        "--json",
        "--ci",
        "--samples",
        "200",
    )
    rows = json.loads(done.stdout)["scores"]
    assert [row["system"] for row in rows[::3]] == ["lead", "extract", "fluent", "shaky"]
    assert [row["metric"] for row in rows[:3]] == split_specs(specs)
    for row in rows:
        low, high = row["ci"]
        assert low <= row["value"] <= high
        assert row["n"] == 12
        assert row["signature"].startswith(row["metric"] + "|")
    assert set(rows[1]["parts"]) == {"p", "r", "f"}
    assert "parts" not in rows[2]


def test_the_values_are_the_library_s(files: tuple[str, str]) -> None:
    outputs, references = files
    done = run("score", outputs, "-r", references, "-m", "rouge-2", "--json")
    values = {row["system"]: row["value"] for row in json.loads(done.stdout)["scores"]}
    events = samples.events()
    texts = {(o.system, o.id): o.text for o in samples.outputs()}
    for system, value in values.items():
        expected = metric("rouge-2").corpus(
            [texts[system, event.id] for event in events],
            [[event.summary] for event in events],
            lang="en",
        )
        assert value == expected.value


@pytest.mark.parametrize("style", [("--json",), ("--output-format", "csv"), ()])
def test_what_is_printed_can_go_to_a_file(
    style: tuple[str, ...], files: tuple[str, str], tmp_path: Path
) -> None:
    words, out = ("score", files[0], "-r", files[1], "-m", "rouge-1", *style), tmp_path / "x"
    assert run(*words, "-o", str(out)).stdout == ""
    assert out.read_text("utf-8") == run(*words).stdout
    again = run(*words, "-o", str(out))
    assert (again.returncode, "add --force" in again.stderr) == (1, True)


def test_the_table_shows_signatures_below(files: tuple[str, str]) -> None:
    shown = run("score", files[0], "-r", files[1], "-m", "rouge-1,chrf").stdout.splitlines()
    assert shown[0].split() == ["system", "rouge-1", "chrf", "n"]
    assert shown[1].split()[0] == "lead"
    assert shown[-1].startswith("chrf|nc:6")


def test_csv_and_latex(files: tuple[str, str]) -> None:
    shown = run("score", files[0], "-r", files[1], "-m", "rouge-1", "--output-format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [row["system"] for row in rows] == ["lead", "extract", "fluent", "shaky"]
    assert 0 < float(rows[0]["value"]) < 1
    latex = run(
        "score", files[0], "-r", files[1], "-m", "rouge-1", "--output-format", "latex"
    ).stdout
    assert latex.startswith("\\begin{tabular}{lr}")
    assert "% rouge-1|" in latex


def test_values_per_item_are_written_for_every_system(
    files: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    words = ("score", files[0], "-r", files[1], "-m", "rouge-1,bleu-1", "--item-scores", str(path))
    assert run(*words).returncode == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 4 * 2 * 12
    assert set(rows[0]) == {"id", "system", "metric", "value"}
    again = run(*words)
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    assert run(*words, "--force").returncode == 0


def test_the_match_page_is_self_contained_and_escaped(tmp_path: Path) -> None:
    records.write(
        tmp_path / "o.jsonl", [Output("i/1", "<b>s</b>", "a <script>alert(1)</script> cat & dog")]
    )
    references = References("i/1", (Reference("a cat & a dog", 0.75), Reference("<i>cat</i>", 0.2)))
    records.write(tmp_path / "r.jsonl", [references])
    page = tmp_path / "match.html"
    words = ("score", str(tmp_path / "o.jsonl"), "-r", str(tmp_path / "r.jsonl"), "-m", "w-rouge-l")
    done = run(*words, "--explain", "i/1", "-o", str(page))
    assert (done.returncode, done.stderr) == (0, f"wrote {page}\n")
    html = page.read_text("utf-8")
    assert "weight 0.75" in html
    assert "<script" not in html
    assert "<b>s" not in html
    assert "http" not in html
    missing = run(*words, "--explain", "nope")
    assert (missing.returncode, "no system answers item 'nope'" in missing.stderr) == (1, True)


@pytest.mark.parametrize(
    ("outputs", "references", "metrics", "reason"),
    [
        ([Output("x", "s", "t")], [References("y", (Reference("r"),))], "rouge-1", "no references for item 'x' of system 's'"),
        ([Output("x", "s", "t")], [References("x", ())], "rouge-1", "the list of references of item 'x' is empty"),
        ([], [References("x", (Reference("r"),))], "rouge-1", "there are no outputs to score"),
        ([Output("x", "s", "t")], [], "rouge-1", "there are no references"),
        ([Output("x", "s", "t")], [References("x", (Reference("r"),))], "rogue-1", "did you mean 'rouge-1'"),
        ([Output("x", "s", "t")], [References("x", (Reference("r"),))], "rouge-1,,bleu-1", "an empty name"),
        (
            [Output("x", "s", "t"), Output("y", "s", "t")],
            [References("x", (Reference("r"),), lang="en"), References("y", (Reference("r"),), lang="zh")],
            "rouge-1",
            "several languages (en, zh)",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_one_line_and_exit_one(
    outputs: list[Output], references: list[References], metrics: str, reason: str, tmp_path: Path
) -> None:
    records.write(tmp_path / "o.jsonl", outputs)
    records.write(tmp_path / "r.jsonl", references)
    done = run("score", str(tmp_path / "o.jsonl"), "-r", str(tmp_path / "r.jsonl"), "-m", metrics)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_one_answer_in_two_files_is_refused_and_a_missing_one_is_noted(tmp_path: Path) -> None:
    references = [References(item, (Reference("r"),)) for item in ("x", "y")]
    records.write(tmp_path / "r.jsonl", references)
    records.write(tmp_path / "a.jsonl", [Output("x", "s", "t")])
    records.write(tmp_path / "b.jsonl", [Output("x", "u", "t"), Output("y", "u", "t")])
    files = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    common = ("-r", str(tmp_path / "r.jsonl"), "-m", "rouge-1")
    done = run("score", *files, *common)
    assert done.returncode == 0
    assert "s answers 1 item where another answers 2" in done.stderr
    twice = run("score", files[0], files[0], *common)
    assert (twice.returncode, "answers item 'x' twice" in twice.stderr) == (1, True)


def test_chinese_outputs_do_not_score_zero(tmp_path: Path) -> None:
    records.write(tmp_path / "o.jsonl", [Output("x", "s", "渡轮离开了港口")])
    records.write(tmp_path / "r.jsonl", [References("x", (Reference("渡轮在雾中离开港口"),))])
    done = run(
        "score",
        str(tmp_path / "o.jsonl"),
        "-r",
        str(tmp_path / "r.jsonl"),
        "-m",
        "rouge-1",
        "--json",
    )
    row = json.loads(done.stdout)["scores"][0]
    assert row["value"] > 0.5
    assert "tok:zh.rjieba" in row["signature"]


def test_a_table_and_values_per_item_in_one_file_are_a_usage_error(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs, references = files
    path = str(tmp_path / "x.csv")
    words = ["score", outputs, "--references", references, "--metrics", "rouge-1"]
    assert main([*words, "--item-scores", path, "-o", path]) == 2
    assert "--out and --item-scores both write to" in capsys.readouterr().err
    assert main([*words, "--item-scores", path, "--explain", "x", "-o", path]) == 2
    assert "--item-scores and --explain both write to" in capsys.readouterr().err
    assert main([*words, "--item-scores", "-"]) == 2
    assert "standard output" in capsys.readouterr().err
    assert not Path(path).exists()


def test_paired_tests_are_a_list_beside_the_scores(files: tuple[str, str]) -> None:
    words = ("-r", files[1], "-m", "rouge-1,chrf", "--json", "--samples", "50")
    done = run("score", "--significance", files[0], *words)
    printed = json.loads(done.stdout)
    rows = printed["comparisons"]
    assert len(printed["scores"]) == 8
    assert len(rows) == 12
    assert list(rows[0]) == [
        *("first", "second", "metric", "difference", "ci", "p", "p_corrected", "n", "signature")
    ]
    values = {(row["system"], row["metric"]): row["value"] for row in printed["scores"]}
    for row in rows:
        first, second = (values[row[side], row["metric"]] for side in ("first", "second"))
        assert row["difference"] == pytest.approx(first - second, abs=1e-12)
        assert row["ci"][0] <= row["difference"] <= row["ci"][1]
        assert 0 < row["p"] <= row["p_corrected"] <= 1
    assert "comparisons" not in json.loads(run("score", files[0], *words).stdout)


def test_paired_tests_stand_in_a_table_below_the_scores(files: tuple[str, str]) -> None:
    words = ("score", files[0], "-r", files[1], "-m", "rouge-1", "--samples", "50")
    done = run(*words, "--significance", "randomization", "--correction", "bh")
    scores, _, signature = done.stdout.partition("\nrouge-1|")
    assert "difference" not in scores
    assert "metric   first    second   difference" in signature
    assert "|test:randomization[samples=50,seed=0]|correction:bh[6]" in signature
    assert run(*words).stdout == done.stdout[: done.stdout.index("\nmetric ")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--json", "--output-format", "csv"), "--json and --output-format csv exclude each other"),
        (
            ("--json", "--output-format", "table"),
            "--json and --output-format table exclude each other",
        ),
        (
            ("--significance", "--output-format", "latex"),
            "--significance prints a table or --json, not --output-format latex",
        ),
        (("--significance", "bootstrap", "--correction", "none"), "'none' is not one of"),
    ],
)
def test_formats_that_exclude_each_other_are_a_usage_error(
    options: tuple[str, ...], message: str, files: tuple[str, str]
) -> None:
    done = run("score", files[0], "-r", files[1], "-m", "rouge-1", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_one_system_alone_is_not_tested_and_nothing_is_written(
    files: tuple[str, str], tmp_path: Path
) -> None:
    alone = [each for each in samples.outputs() if each.system == "lead"]
    records.write(tmp_path / "one.jsonl", alone)
    items = tmp_path / "items.jsonl"
    done = run(
        "score",
        str(tmp_path / "one.jsonl"),
        "-r",
        files[1],
        "--significance",
        "--item-scores",
        str(items),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "a paired test needs at least two systems, not 1" in done.stderr
    assert not items.exists()


def test_a_language_that_nothing_supports_is_refused(
    files: tuple[str, str], tmp_path: Path
) -> None:
    done = run("score", files[0], "-r", files[1], "--lang", "klingon")
    assert (done.returncode, done.stdout) == (1, "")
    assert "language 'klingon' is not an ISO 639-1 code" in done.stderr
    references = [References(e.id, (Reference(e.summary),), lang="km") for e in samples.events()]
    records.write(tmp_path / "khmer.jsonl", references)
    done = run("score", files[0], "-r", str(tmp_path / "khmer.jsonl"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "language 'km' is written without spaces" in done.stderr


def test_one_item_is_called_an_item(files: tuple[str, str], tmp_path: Path) -> None:
    outputs = [each for each in samples.outputs() if each.system == "lead"]
    outputs.append(next(each for each in samples.outputs() if each.system == "shaky"))
    records.write(tmp_path / "few.jsonl", outputs)
    done = run("score", str(tmp_path / "few.jsonl"), "-r", files[1], "-m", "rouge-1")
    assert "shaky answers 1 item where another answers 12" in done.stderr


@pytest.fixture
def suggested(tmp_path: Path) -> tuple[str, str]:
    """Suggestions for two articles of the published test file, and that file."""
    test = tencent(tmp_path)["test"]
    threads = list(records.read(test, Thread))
    rows = [
        Suggestion(thread.article.id, text, 0.5, system, {"kind": "generated"}, "digest", "signed")
        for thread in threads[:2]
        for system, texts in {"att": [thread.comments[0].text, "再来"], "ir-t": ["再来"]}.items()
        for text in texts
    ]
    suggestions = tmp_path / "suggestions.jsonl"
    lines = (json.dumps(row.as_json(), ensure_ascii=False) + "\n" for row in rows)
    suggestions.write_text("".join(lines), encoding="utf-8")
    return str(suggestions), str(test)


def test_suggestions_are_scored_against_the_scored_comments_of_threads(
    suggested: tuple[str, str],
) -> None:
    done = run("score", *suggested[:1], "-r", suggested[1], "-m", "bleu-1,w-bleu-1", "--json")
    att, weighted, other, _ = json.loads(done.stdout)["scores"]
    assert (att["system"], other["system"], att["n"]) == ("att", "ir-t", 2)
    # The first comment is a reference of its own, with the weight of its score.
    assert att["value"] == pytest.approx(1) and weighted["value"] < 1
    assert other["value"] < 1
    assert "weights:scores" in weighted["signature"] and "jieba" in weighted["signature"]
    assert "2 suggestions left out: only the first of an article is its output" in done.stderr


def test_scored_threads_are_the_references_that_comment_compare_writes(
    suggested: tuple[str, str], tmp_path: Path
) -> None:
    suggestions, threads = suggested
    written = references_of(list(records.read(threads, Thread))).references
    records.write(tmp_path / "references.jsonl", written)
    values = [
        [row["value"] for row in json.loads(run("score", suggestions, "-r", file, "-m", "w-meteor", "--json").stdout)["scores"]]
        for file in (threads, str(tmp_path / "references.jsonl"))
    ]  # fmt: skip
    assert values[0] == values[1]


def test_scores_on_another_scale_need_a_mapping(suggested: tuple[str, str], tmp_path: Path) -> None:
    threads = [
        Thread(thread.article, tuple(replace(c, score=5 * (c.score or 0)) for c in thread.comments))
        for thread in records.read(suggested[1], Thread)
    ]
    graded = str(tmp_path / "graded.jsonl")
    records.write(graded, threads)
    command = ["score", suggested[0], "-r", graded, "-m", "w-bleu-1", "--json"]
    refused = run(*command)
    assert refused.returncode == 1 and "say how they become weights" in refused.stderr
    done = run(*command, "--weights", "minmax[0,5]")
    assert "weights:minmax[0,5]" in json.loads(done.stdout)["scores"][0]["signature"]


def test_weights_are_refused_where_references_have_their_own(files: tuple[str, str]) -> None:
    done = run("score", files[0], "-r", files[1], "--weights", "max")
    assert done.returncode == 2
    assert "--weights is for the scores of threads" in done.stderr


def test_an_output_for_an_article_without_a_scored_comment_is_left_out_and_said(
    tmp_path: Path,
) -> None:
    threads = [
        Thread(Article(name, "", lang="en"), (Comment(f"{name}-1", f"About {name}.", score=score),))
        for name, score in {"a": 0.5, "b": None}.items()
    ]
    records.write(tmp_path / "threads.jsonl", threads)
    records.write(tmp_path / "out.jsonl", [Output(name, "s", f"About {name}.") for name in "ab"])
    done = run(
        "score", str(tmp_path / "out.jsonl"), "-r", str(tmp_path / "threads.jsonl"), "-m", "bleu-1", "--json"
    )  # fmt: skip
    (row,) = json.loads(done.stdout)["scores"]
    assert row["n"] == 1
    assert "1 article without a scored comment left out of the metrics" in done.stderr
