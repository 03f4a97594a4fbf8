"""Rankers on thinned training data: comments per article and votes per comment."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.studies.curve import (
    ranker_curve,
    thinned,
)
from newsdesk.types import Article, Comment, Thread

VOTED = Thread(Article("a", "x"), tuple(Comment(str(n), "text", yes=n, votes=6) for n in range(7)))


def test_votes_are_drawn_without_replacement() -> None:
    fewer = thinned(VOTED, "votes", 4, seed=0).comments
    assert all(each.votes == 4 for each in fewer)
    assert all(max(0, n - 2) <= (each.yes or 0) <= min(4, n) for n, each in enumerate(fewer))
    assert thinned(VOTED, "votes", 6, seed=0) == VOTED
    assert thinned(VOTED, "comments", 3, seed=0).comments == VOTED.comments[:3]


def test_all_comments_are_the_plain_ranker_and_fewer_are_less() -> None:
    threads = samples.threads()[:10]
    result = ranker_curve(
        threads, ["ranksvm"], by="comments", counts=(2, 1000), folds=2, samples=50
    )
    assert [(point.count, point.system) for point in result.points] == [
        (2, "ranksvm"),
        (1000, "ranksvm"),
    ]
    few, full = (point.measures["ndcg@5"].value for point in result.points)
    assert few is not None
    assert full is not None
    assert full != few
    assert result.as_json()["points"][0]["comments"] == 2
    assert "<svg" in result.section().html(1)
    assert np.isfinite([few, full]).all()


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ArgumentError, match="counts are none"):
        ranker_curve([VOTED], ["ranksvm"], by="comments", counts=(2, 2))
    with pytest.raises(ArgumentError, match="no ranker is given"):
        ranker_curve([VOTED], [], by="comments", counts=(2,))
    scored = Thread(Article("a", "x"), (Comment("c", "y", score=1.0), Comment("d", "z", score=0.0)))
    with pytest.raises(ArgumentError, match="have no votes"):
        ranker_curve([scored], ["ranksvm"], by="votes", counts=(2,))


def test_threads_in_a_table_of_comments_are_read_by_their_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    threads = samples.threads()[:6]
    table, lines = tmp_path / "comments.csv", tmp_path / "threads.jsonl"
    records.write(lines, threads)
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["story", "number", "body", "agree", "asked"])
        for thread in threads:
            for comment in thread.comments:
                writer.writerow(
                    [thread.article.id, comment.id, comment.text, comment.yes, comment.votes]
                )
    options = ["-m", "length", "--by", "votes", "--added", "2", "--samples", "50", "--json"]
    columns = "article=story,comment=number,text=body,yes=agree,votes=asked"
    points = []
    for file in ([str(table), "--map", columns], [str(lines)]):
        assert main(["study", "curve", *file, *options]) == 0
        points.append(json.loads(capsys.readouterr().out)["points"])
    assert points[0] == points[1] != []
