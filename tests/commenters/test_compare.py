"""The comparison of commenters: held-out articles, resumption, grades, and what a grading needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import records, samples
from newsdesk.campaigns.tasks import grade_output_tasks
from newsdesk.cli.main import main
from newsdesk.commenters.commenter import HELD_OUT, MODELS, load_commenter
from newsdesk.commenters.compare import compare
from newsdesk.commenters.split import Split
from newsdesk.model import hashes_of, load_model
from newsdesk.packaged import path
from newsdesk.types import Article, Comment, Judgment, Output, Reference, References, Thread
from tests.cli.running import run
from tests.conftest import ROOT
from tests.published import SCORES, tencent

SPECS = ("ir-t(updates=5, filters=4)", "att(minutes=None, updates=5, units=8, dimensions=4)")


@pytest.fixture(scope="module")
def split() -> Split:
    return Split.of(samples.threads(), test=0.25, dev=0.1, seed=0)


def test_test_articles_are_held_out_and_one_comment_is_set_aside(split: Split) -> None:
    train, test = ({t.article.id for t in part} for part in (split.train, split.test))
    assert not train & test and len(test) == 3
    for kept, real in zip(split.test, split.real, strict=True):
        assert len(real.comments) == 1
        assert real.comments[0].id not in {comment.id for comment in kept.comments}


def thread_of(number: int, *texts: str) -> Thread:
    comments = tuple(Comment(f"{number}-{place}", text) for place, text in enumerate(texts))
    return Thread(Article(f"a{number:02}", f"Article {number}."), comments)


def test_a_real_comment_repeats_no_reference(caplog: pytest.LogCaptureFixture) -> None:
    threads = [thread_of(n, "Nice!", "Nice!", "Nice!", f"The dam of {n}.") for n in range(20)]
    split = Split.of(threads, test=0.5, dev=0.0, seed=0)
    assert len(split.real) == 10 and not caplog.messages
    for kept, real in zip(split.test, split.real, strict=True):
        assert real.comments[0].text not in {comment.text for comment in kept.comments}
    alike = [thread_of(n, "Nice!", "Nice!") for n in range(20, 23)]
    mixed = Split.of([*threads, *alike], test=0.9, dev=0.0, seed=0)
    assert {thread.article.id for thread in alike} <= {each.article.id for each in mixed.train}
    assert [message.partition(":")[0] for message in caplog.messages] == [
        "3 articles left out of the test articles"
    ]


def test_a_grading_leaves_out_the_articles_whose_real_comments_are_references(
    caplog: pytest.LogCaptureFixture,
) -> None:
    real = [thread_of(1, "Nice!"), thread_of(2, "So sad.", "Nice!")]
    outputs = [Output(each.article.id, "ir-t", "Well.") for each in real]
    nice = [References(each.article.id, (Reference("Nice!"),)) for each in real]
    articles = [each.article for each in real]
    (task,) = grade_output_tasks(outputs, articles, real, nice, seed=0)
    assert [target.text for target in task.targets] == ["Well.", "So sad."]
    assert caplog.messages == [
        "1 article left out: no real comment that is not a reference, first 'a01'"
    ]
    with pytest.raises(nd.ArgumentError, match="'a01' has no real comment that is not a reference"):
        grade_output_tasks(outputs[:1], articles[:1], real, nice, seed=0)


def test_a_comparison_resumes_and_takes_grades(split: Split, tmp_path: Path) -> None:
    metrics = ("rouge-l", "w-rouge-l")
    grades = [
        Judgment("g", article.id, article.id, target, "grade", value, person)
        for article in split.articles
        for target, value in (("ir-t(updates=5, filters=4)", 4), ("real:c", 5))
        for person in ("ann", "ben")
    ]
    first = compare(split, SPECS, metrics, folder=tmp_path, samples=20, judgments=grades)
    again = compare(split, SPECS, metrics, folder=tmp_path, samples=20, judgments=grades)
    assert first.as_json() == again.as_json()
    assert {each.system: each.mean for each in first.grades} == {SPECS[0]: 4.0, "real": 5.0}
    assert [each.metric for each in first.tests] == [*metrics, "human"]
    assert set(first.models) == set(SPECS)
    assert len(list(records.read(tmp_path / "real.jsonl", nd.Thread))) == 3
    stored = next(file for file in tmp_path.glob("ir-t*/outputs.jsonl"))
    assert len(list(records.read(stored, Output))) == 3
    other = Split.of(samples.threads(), test=0.25, dev=0.1, seed=1)
    with pytest.raises(nd.FileError, match="made from other threads"):
        compare(other, SPECS[:1], metrics, folder=tmp_path, samples=20)


def test_the_people_of_a_simulated_world_grade_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "world"
    simulate = ["simulate", "--preset", "commenting", "--events", "40", "--comments", "400"]
    assert main([*simulate, "--seed", "3", "--only", "threads", "-o", str(folder)]) == 0
    command = ["comment", "compare", str(folder / "threads.jsonl"), "--models", SPECS[0]]
    command += ["--metrics", "rouge-l", "--samples", "20", "--world", str(folder / "manifest.json")]
    capsys.readouterr()
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "simulated grade of real" in printed and "human" not in printed
    assert main([*command, "--json"]) == 0
    grades = json.loads(capsys.readouterr().out)["grades"]
    assert {each["graders"] for each in grades} == {"simulated"}
    assert all(1 <= each["mean"] <= 5 and each["n"] == 4 for each in grades)
    (folder / "manifest.json").write_text('{"format": 1, "version": "1", "files": []}')
    assert main(command) == 1
    assert "not the manifest of a simulated world" in capsys.readouterr().err


def scored(number: int, *scores: float | None) -> Thread:
    comments = tuple(
        Comment(f"{number}-{place}", f"The dam of {number} and {place}.", score=score)
        for place, score in enumerate(scores)
    )
    return Thread(Article(f"a{number:02}", f"Article {number}."), comments)


def test_a_split_of_files_keeps_every_scored_comment_as_a_reference() -> None:
    train, test = [scored(n, None, None) for n in range(4)], [scored(n, 0.5, 1) for n in (7, 6)]
    split = Split.given(train, (), test, seed=0)
    assert split.real == () and split.dev == () and split.train == tuple(train)
    assert [thread.article.id for thread in split.test] == ["a06", "a07"]
    assert [len(thread.comments) for thread in split.test] == [2, 2]


def test_of_a_split_of_files_the_real_comment_is_one_without_a_score() -> None:
    test = [scored(6, 0.5, None, None, 1), scored(7, 0.5, 1), scored(8, None, None)]
    split = Split.given([scored(1, None)], (), test, seed=0)
    assert [len(thread.comments) for thread in split.test] == [3, 2, 2]
    ((real,),) = (thread.comments for thread in split.real)
    assert real.id in ("6-1", "6-2")
    assert real.id not in {comment.id for comment in split.test[0].comments}


def test_a_split_of_files_refuses_articles_on_both_sides(
    caplog: pytest.LogCaptureFixture,
) -> None:
    test = [scored(n, 0.5) for n in (1, 2)] + [scored(9)]
    train = [scored(0, None)]
    assert len(Split.given(train, (), test, seed=0).test) == 2
    assert caplog.messages == ["1 article without comments left out of the test part"]
    for learned, dev in ((test, []), (train, test)):
        with pytest.raises(nd.ArgumentError, match="'a01' is tested on and learned from"):
            Split.given(learned, dev, test, seed=0)
    with pytest.raises(nd.ArgumentError, match="no training threads"):
        Split.given((), train, test, seed=0)
    with pytest.raises(nd.ArgumentError, match=r"too few test threads with comments \(1\)"):
        Split.given(train, (), test[1:], seed=0)


def test_the_published_split_of_the_tencent_data_is_compared_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tencent(tmp_path)
    parts = [word for part, file in files.items() for word in (f"--{part}", str(file))]
    command = ["comment", "compare", *parts, "--metrics", "bleu-1,w-bleu-1", "--samples", "20"]
    command += ["--models", "ir-t(updates=5, filters=4, relevance_model='cnn')"]
    assert main([*command, "--json", "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    plain, weighted = json.loads(printed.out)["scores"]
    assert plain["n"] == weighted["n"] == 6
    assert "weights:scores" in weighted["signature"]
    assert 0 < weighted["value"] < plain["value"]
    assert "note: every comment of the test threads is a reference" in printed.err
    references = list(records.read(tmp_path / "out" / "references.jsonl", References))
    weights = [reference.weight for reference in references[0].references]
    assert weights == list(SCORES)
    assert not (tmp_path / "out" / "real.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--train", "a.jsonl"], "name THREADS to divide, or --train and --test"),
        (["t.jsonl", "--test", "a.jsonl"], "name THREADS to divide, or --train and --test"),
        (["--train", "a", "--test", "b", "--dev-share", "0.1"], "leave them out with --train"),
    ],
)
def test_files_of_a_split_that_do_not_fit_together_are_refused(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["comment", "compare", *words]) == 2
    assert reason in capsys.readouterr().err


def test_too_few_threads_are_refused() -> None:
    with pytest.raises(nd.ArgumentError, match="too few threads to split"):
        Split.of(samples.threads()[:1], test=0.5, dev=0.0, seed=0)


# Six threads about six things: without this no article is like another.
ALWAYS = ("--threshold", "0", "--allow-personal")


def test_the_commands_work_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    records.write("threads.jsonl", samples.threads()[:6])
    fit = ["comment", "fit", "--train", "threads.jsonl", "-o", "model"]
    assert main([*fit, "--model", "ir-tc(updates=5, filters=4)"]) == 0
    assert main(fit) == 1  # not replaced without --force
    assert (
        main(["comment", "suggest", "model", "threads.jsonl", "-n", "1", "-o", "s.jsonl", *ALWAYS])
        == 0
    )
    capsys.readouterr()
    assert main(["comment", "suggest", "model", "threads.jsonl", "-n", "2", "--json", *ALWAYS]) == 0
    rows = json.loads(capsys.readouterr().out)["suggestions"]
    assert len(rows) == 12 and rows[0]["seal"]["algorithm"] == "ed25519"
    assert main(["comment", "verify", "s.jsonl", "--key", "data/newsdesk/commenter-key.pub"]) == 0
    text = Path("s.jsonl").read_text("utf-8")
    Path("s.jsonl").write_text(text.replace("machine-suggested", "machine-suggesteD", 1), "utf-8")
    capsys.readouterr()
    assert main(["comment", "verify", "s.jsonl"]) == 1
    assert "altered: label" in capsys.readouterr().out
    command = ["comment", "compare", "threads.jsonl", "--test-share", "0.4", "--models", SPECS[0]]
    assert main([*command, "--metrics", "rouge-l", "--samples", "20", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"scores", "comparisons", "grades", "systems"}


def suggest(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["comment", "suggest", "sample-ir-tc", *words, "--json", *ALWAYS]) == 0
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)["suggestions"]
    return rows


def test_articles_are_read_as_people_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "The dam was opened and the water came down the valley."
    Path("a.jsonl").write_text(json.dumps({"id": "a", "text": text}) + "\n", "utf-8")
    Path("a.csv").write_text(f"id,title,text,desk\na,,{text},local\n", "utf-8")
    nested = {"article_id": "a", "text": text, "comments": [{"id": "1", "text": "So sad."}]}
    Path("n.jsonl").write_text(json.dumps(nested) + "\n", "utf-8")
    first = suggest(capsys, "a.jsonl", "--at", "2026-01-02T03:04:05Z")
    assert len(first) == 3
    piped = run(
        "comment",
        "suggest",
        "sample-ir-tc",
        "-",
        "--json",
        *ALWAYS,
        stdin=Path("a.jsonl").read_bytes(),
    )
    rows = json.loads(piped.stdout)["suggestions"]
    assert [row["text"] for row in rows] == [row["text"] for row in first]
    as_csv = suggest(capsys, "a.csv", "--type", "article")
    assert [row["text"] for row in as_csv] == [row["text"] for row in first]
    assert len(suggest(capsys, "n.jsonl", "-n", "1")) == 1
    assert main(["comment", "suggest", "sample-ir-tc", "a.csv"]) == 1
    assert "--type" in capsys.readouterr().err
    Path("bare.jsonl").write_text('{"id": "b", "text": ""}\n', "utf-8")
    assert main(["comment", "suggest", "sample-ir-tc", "bare.jsonl"]) == 0
    assert "nothing is known of 1 article" in capsys.readouterr().err


# After a change of what retrieval or generation saves: python -m training.fit_commenters, and the digests it prints into the reference.
def test_the_models_that_ship_are_as_they_were_saved(capsys: pytest.CaptureFixture[str]) -> None:
    article = next(t.article for t in samples.threads() if t.article.id == HELD_OUT)
    reference = (ROOT / "docs/reference/commenters.md").read_text("utf-8")
    for name in MODELS:
        model = load_commenter(name)
        saved = load_model(path("commenters", "data", name), "commenter")
        assert hashes_of(model.learned()[1]) == saved.hashes and model.digest in reference
        assert model.suggest(article, 2)
        assert not any(s.source.get("article") == HELD_OUT for s in model.suggest(article, 50))
    assert main(["list", "models"]) == 0
    assert set(MODELS) <= set(capsys.readouterr().out.splitlines())
