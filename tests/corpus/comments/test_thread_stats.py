"""Statistics of files of threads: Table 2 of the two papers on comments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.cli.main import main
from newsdesk.corpus.comments.stats import thread_stats, thread_tables
from newsdesk.types import Article, Cluster, ClusterArticle, Comment, Thread

THREADS = [
    Thread(
        Article("a", "It rains in the bay.", title="Rain", category="Local", lang="en"),
        (
            Comment("1", "Bring a coat.", likes=4, yes=0, votes=10),
            Comment("2", "bring  a coat.", likes=1, yes=10, votes=10),
            Comment("3", " "),
        ),
    ),
    Thread(Article("b", "", lang="en"), (Comment("1", "Why now?", likes=1, yes=7, votes=10),)),
]


def test_sizes_scores_and_lengths_are_those_of_the_comments() -> None:
    stats = thread_stats("shallow", THREADS)
    part = stats.part
    assert (part.articles, part.comments, part.comments_per_article) == (2, 4, 2)
    assert (part.upvotes_per_comment, part.c_scores, part.scores) == (2, (0, 10), None)
    assert (part.title_words, part.content_words, part.comment_words) == (1, 5, 2)
    assert (stats.empty_comments, stats.repeated_comments, stats.vocabulary) == (1, 1, 12)
    assert (stats.categories, stats.languages) == ({"Local": 1, "unknown": 1}, {"en": 2})
    scored = Thread(Article("c", ""), (Comment("1", "x", score=0.25), Comment("2", "y", score=3)))
    assert thread_stats("scored", [scored]).part.scores == (0.25, 3)


def test_no_threads_have_no_means_and_tables_all_the_same() -> None:
    stats = thread_stats("none", [])
    assert (stats.part.articles, stats.part.comments_per_article, stats.part.tail) == (0, None, {})
    header, rows = thread_tables([stats])["Size"]
    assert header == ["", "none"]
    assert ["C-scores", None] not in rows


def test_the_command_tells_threads_from_clusters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    records.write("t.jsonl", THREADS)
    records.write("c.jsonl", [Cluster("x", (ClusterArticle("a", "It rains."),))])
    assert main(["corpus", "stats", "shallow=t.jsonl", "again=t.jsonl", "-o", "stats.html"]) == 0
    table = capsys.readouterr().out
    assert table.splitlines()[0].split() == ["shallow", "again"]
    assert "C-scores" in table and "0–10" in table
    assert "repeat an earlier comment" in Path("stats.html").read_text("utf-8")
    assert main(["corpus", "stats", "t.jsonl", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["stats"]
    assert (row["name"], row["part"]["comments"], row["part"]["c_scores"]) == ("t", 4, [0, 10])
    assert main(["corpus", "stats", "t.jsonl", "c.jsonl"]) == 2
    assert "describe them apart" in capsys.readouterr().err
    assert main(["corpus", "stats", "t.jsonl", "--truncated", "10"]) == 2
    assert "--truncated is for clusters" in capsys.readouterr().err


def test_tables_of_comments_are_described_when_their_type_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("story,remark,likes\na,Bring a coat.,3\na,Why now?,\n")
    assert main(["corpus", "stats", str(path)]) == 1
    assert "name one with --type" in capsys.readouterr().err
    words = ["corpus", "stats", str(path), "--type", "thread", "--map", "text=remark"]
    assert main(words) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["up-votes", "per", "comment", "3.0000"] in rows
