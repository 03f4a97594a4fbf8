"""The baseline `like` where nobody liked anything: an error, not the order of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.errors import DataError
from newsdesk.rankers.evaluation.compare import Entrant, compare, training_series
from newsdesk.rankers.evaluation.evaluate import evaluate_runs
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.types import Thread


def with_likes(likes: int | None) -> list[Thread]:
    return [
        replace(
            thread,
            comments=tuple(replace(each, likes=likes, dislikes=None) for each in thread.comments),
        )
        for thread in samples.threads("en")[:4]
    ]


@pytest.mark.parametrize("likes", [None, 0])
def test_like_is_no_baseline_where_nobody_liked(likes: int | None) -> None:
    threads = with_likes(likes)
    with pytest.raises(DataError, match=r"'like' has nothing to rank by: none of the \d+ comments"):
        evaluate_runs(threads, [], (1,), baselines=["length", "like"], samples=20)
    series = training_series({"part": threads[:2]}, threads[2:])
    with pytest.raises(DataError, match="nothing to rank by"):
        compare(Judged.of(threads[2:]), [Entrant.of("like")], series, (1,), samples=20)


def test_one_like_is_enough() -> None:
    threads = [*with_likes(0), *samples.threads("en")[4:5]]
    evaluated = evaluate_runs(threads, [], (1,), baselines=["like"], samples=20)
    assert list(evaluated.systems) == ["like"]


def test_a_file_without_likes_is_not_ranked_by_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records.write(tmp_path / "threads.jsonl", with_likes(None))
    out = tmp_path / "ranked.csv"
    assert main(["rank", "apply", "like", str(tmp_path / "threads.jsonl"), "-o", str(out)]) == 1
    assert "nothing to rank by" in capsys.readouterr().err
    assert not out.exists()
