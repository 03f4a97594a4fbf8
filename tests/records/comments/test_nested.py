"""Articles of others with their comments in a list: recognised wherever threads are read, keys that mean nothing listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.types import Article, Comment, Thread

C3 = {
    "article_id": 7,
    "comments": [
        {"id": "c1", "text": "Why now?", "votes_yes": 4, "votes": 5, "toxicity": 1.0},
        {"id": "c2", "text": "Because.", "votes_yes": 0, "votes": 3, "toxicity": 2.0},
    ],
}
FORUM = {
    "title": "A bridge",
    "url": "https://site.example/bridge",
    "selftext": "It is closed.",
    "comments": [
        {
            "id": 1,
            "body": "Open it &amp; repair <i>later</i>.",
            "ups": 3,
            "replies": [{"id": 2, "body": "No.", "replies": ["Yes!"]}],
        }
    ],
}


def _read(path: Path, text: str, **settings: Any) -> records.Reader[Thread]:
    path.write_text(text, "utf-8")
    return records.read(path, Thread, **settings)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.jsonl", json.dumps(C3)),
        ("x.json", json.dumps([C3])),
        ("x.json", json.dumps(C3, indent=1)),
        ("x", json.dumps(C3)),
    ],
)
def test_articles_with_lists_of_comments_are_threads(tmp_path: Path, name: str, text: str) -> None:
    reader = _read(tmp_path / name, text)
    comments = (
        Comment("c1", "Why now?", yes=4, votes=5),
        Comment("c2", "Because.", yes=0, votes=3),
    )
    assert list(reader) == [Thread(Article("7", ""), comments)]
    assert (reader.format, reader.ignored) == ("nested", {"toxicity": 2})


def test_replies_follow_what_they_answer(tmp_path: Path) -> None:
    reader = _read(tmp_path / "x.jsonl", json.dumps(FORUM))
    (thread,) = reader
    url = "https://site.example/bridge"
    assert thread.article == Article(url, "It is closed.", title="A bridge", url=url)
    assert [(each.id, each.text, each.parent) for each in thread.comments] == [
        ("1", "Open it & repair later.", None),
        ("2", "No.", "1"),
        (f"{url}/2", "Yes!", "2"),
    ]
    assert (thread.comments[0].likes, reader.account.marked_up) == (3, 1)


def test_the_article_may_be_an_object_of_another_name(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "story": {"id": 3, "headline": "Rain", "published": "2026-11-16"},
        "comments": [{"id": "1", "text": "Wet."}],
    }
    (thread,) = _read(tmp_path / "x.jsonl", json.dumps(row))
    assert thread.article == Article("3", "", title="Rain", date="2026-11-16")
    row["article"] = row.pop("story")
    with pytest.raises(DataError, match=r"`article\.id` is the number 3"):
        list(_read(tmp_path / "x.jsonl", json.dumps(row)))
    assert list(_read(tmp_path / "x.jsonl", json.dumps(row), format="nested")) == [thread]


def test_keys_of_nested_files_are_mapped(tmp_path: Path) -> None:
    row = {"nr": 5, "comments": [{"words": "Yes."}]}
    text = json.dumps(row)
    with pytest.raises(DataError, match="no column with the text of comments among words"):
        list(_read(tmp_path / "x.jsonl", text))
    columns = {"article": "nr", "text": "words"}
    (thread,) = _read(tmp_path / "x.jsonl", text, columns=columns)
    assert (thread.article.id, thread.comments[0].text) == ("5", "Yes.")
    with pytest.raises(DataError, match="no row has the key 'word'"):
        list(_read(tmp_path / "x.jsonl", text, columns={"text": "words", "likes": "word"}))


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    bad = {"article_id": 8, "comments": [None, {"id": 1, "text": " "}, {"id": 2, "text": "x"}]}
    lines = [json.dumps(C3), json.dumps(C3), "{broken", '{"article_id": 9}', json.dumps(bad)]
    reader = _read(tmp_path / "x.jsonl", "\n".join(lines))
    assert [(each.article.id, len(each.comments)) for each in reader] == [("7", 2), ("8", 1)]
    assert reader.account.rejected == {
        "an article with the id of another": 1,
        "not JSON": 1,
        "no list of comments; name it with --map comments=KEY": 1,
        "no text": 2,
    }


def test_a_comment_with_replies_stays_a_row_of_a_flat_file(tmp_path: Path) -> None:
    reader = _read(tmp_path / "x.jsonl", json.dumps({"id": 1, "text": "x", "replies": []}))
    assert ([len(each.comments) for each in reader], reader.format) == ([1], "flat")


@pytest.mark.real
def test_c3_is_read_as_published(shared_data: Path) -> None:
    reader = records.read(shared_data / "c3" / "c3_threads.jsonl", Thread)
    threads = list(reader)
    assert (len(threads), sum(len(each.comments) for each in threads)) == (323, 7_877)
    assert all(comment.votes for thread in threads for comment in thread.comments)
    assert (list(reader.ignored), dict(reader.account.rejected)) == (["toxicity"], {})


@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
def test_a_list_that_is_not_recognised_is_named_as_the_error_says(
    tmp_path: Path, name: str
) -> None:
    row = {"id": 7, "title": "T", "remarks": [{"text": "Why now?"}]}
    text = json.dumps([row] if name == "x.json" else row)
    with pytest.raises(DataError, match="if the list `remarks` holds them, say --map comments=rem"):
        list(_read(tmp_path / name, text))
    [thread] = _read(tmp_path / name, text, columns={"comments": "remarks"})
    assert (thread.article.id, thread.comments[0].text) == ("7", "Why now?")


def test_a_list_of_lists_is_refused_with_what_to_write(tmp_path: Path) -> None:
    row = {"id": 7, "title": "T", "comments": [["Why now?"], ["Because."]]}
    with pytest.raises(DataError, match="`comments` is a list of lists; write its comments in one"):
        list(_read(tmp_path / "x.jsonl", json.dumps(row)))
