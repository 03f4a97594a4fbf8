"""`newsdesk corpus articles` and `corpus build` as a user calls them: tables, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.cli.main import main
from tests.corpus.build.newsroom import write_newsroom
from tests.corpus.writing import Stored, page, write_warc


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_crawl_of_the_sample_newsroom_becomes_its_articles(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["corpus", "articles", str(samples.warc()), "-o", "articles", "--engine", "inline"]
    assert main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["articles"]["kept"] == sum(len(each.articles) for each in samples.clusters())
    assert report == json.loads((folder / "articles" / "report.json").read_text("utf-8"))


def test_a_damaged_page_is_exit_three_and_a_filter_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = Stored(
        "https://a.example/2",
        b"\1\2\3",
        200,
        {"Content-Type": "text/html", "Content-Encoding": "br"},
    )
    write_warc(
        folder / "good.warc", [Stored("https://a.example/1", page("A page", day="2031-03-04"))]
    )
    write_warc(folder / "bad.warc", [bad])
    words = ["-o", "out", "--engine", "inline", "--until", "2031-03-01"]
    assert main(["corpus", "articles", "good.warc", *words]) == 0
    assert "dropped: date" in capsys.readouterr().out
    assert main(["corpus", "articles", "good.warc", "bad.warc", *words]) == 3
    assert "dropped: broken body encoding      1" in " ".join(capsys.readouterr().out.splitlines())


def test_wrong_words_are_usage_errors_and_wrong_files_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpus", "articles", "a.warc", "-o", "out", "--since", "yesterday"]) == 2
    assert main(["corpus", "articles", "a.warc", "-o", "out", "--jobs", "0"]) == 2
    assert main(["corpus", "articles", "nowhere.warc", "-o", "out"]) == 1
    assert main(["corpus", "build", "nowhere.toml", "-o", "out"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "nowhere.toml: no such file"


def test_a_build_says_where_its_page_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_newsroom(folder / "newsroom", 'extractor = "tests.corpus.writing:plain"')
    words = ["corpus", "build", "newsroom/corpus.toml", "-o", "out", "--engine", "inline"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "out/index.html"
    assert printed.err.splitlines() == ["events", "dedup", "align", "split", "stats"]
    assert main([*words, "--json"]) == 0
    steps = [each["step"] for each in json.loads(capsys.readouterr().out)["steps"]]
    assert steps == ["pages", "events", "articles", "dedup", "align", "clusters", "split"]
