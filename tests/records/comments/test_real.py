"""Flat files of real comments, as three sites' collectors wrote them: none of their columns needs to be mapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.types import Thread

pytestmark = pytest.mark.real


def test_rows_that_repeat_their_article_are_one_thread_with_it(shared_data: Path) -> None:
    reader = records.read(shared_data / "tencent_comments" / "comments.jsonl", Thread)
    (thread,) = reader
    assert (len(thread.comments), dict(reader.account.rejected)) == (17, {})
    assert thread.article.title is not None
    assert len(thread.article.text) > 100
    assert all(comment.at and comment.at.startswith("2018-09-") for comment in thread.comments)
    assert list(reader.ignored) == ["published"]


def test_votes_for_and_against_are_likes_and_dislikes(shared_data: Path) -> None:
    reader = records.read(shared_data / "netease_votes" / "comments.jsonl", Thread)
    threads = list(reader)
    assert (len(threads), sum(len(thread.comments) for thread in threads)) == (2, 14)
    likes = [comment.likes for thread in threads for comment in thread.comments]
    assert (min(each or 0 for each in likes), max(each or 0 for each in likes)) == (9, 895)
    assert all(comment.dislikes is not None for comment in threads[0].comments)


@pytest.mark.parametrize(("site", "count"), [("netease", 40), ("tencent", 40), ("weibo", 20)])
def test_comments_without_an_article_are_one_thread(
    shared_data: Path, site: str, count: int
) -> None:
    reader = records.read(shared_data / "netease_news_comments" / f"{site}.jsonl", Thread)
    (thread,) = reader
    assert (thread.article.id, len(thread.comments)) == (site, count)
    assert list(reader.ignored) == ["sentiment"]
