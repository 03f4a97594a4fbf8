"""Flat files of comments: columns recognised or mapped, rows grouped into threads, bad rows counted with their reasons."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.types import Article, Comment, Output, Thread

CSV = (
    "article_id,comment_id,text,likes,created_at,mood\n"
    'a1,c1,"Trains, not roads.",3,2026-11-16 10:00,good\n'
    'a2,c1,"Two\nlines and a ""quote""",,1794823200,\n'
    "a1,c2,Roads first,0,2026-11-16T12:00:00+02:00,bad\n"
)
THREADS = [
    Thread(
        Article("a1", ""),
        (
            Comment("c1", "Trains, not roads.", likes=3, at="2026-11-16T10:00:00Z"),
            Comment("c2", "Roads first", likes=0, at="2026-11-16T10:00:00Z"),
        ),
    ),
    Thread(
        Article("a2", ""),
        (Comment("c1", 'Two\nlines and a "quote"', at="2026-11-16T10:00:00Z"),),
    ),
]


def _written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _threads(path: Path, **settings: object) -> list[Thread]:
    return list(records.read(path, Thread, **settings))  # type: ignore[arg-type]


def test_rows_of_one_article_become_a_thread_wherever_they_stand(tmp_path: Path) -> None:
    reader = records.read(_written(tmp_path / "comments.csv", CSV), Thread)
    assert list(reader) == THREADS
    assert (reader.format, reader.count, reader.fraction) == ("flat", 2, 1.0)
    assert list(reader.ignored) == ["mood"]
    assert not reader.account.rejected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])  # fmt: skip
def test_encodings_of_table_programs_give_the_same_text(tmp_path: Path, encoding: str) -> None:
    text = "id;text\r\n1;Zürich – “café”\r\n2;plain\r\n"
    (thread,) = _threads(_written(tmp_path / "x.csv", text.encode(encoding)))
    assert [comment.text for comment in thread.comments] == ["Zürich – “café”", "plain"]


def test_a_file_read_as_windows_1252_says_so(tmp_path: Path) -> None:
    reader = records.read(
        _written(tmp_path / "x.csv", "text\nplain\ncafé\n".encode("cp1252")), Thread
    )
    list(reader)
    assert reader.account.notes == ["line 3 is not UTF-8: read as Windows-1252"]


def test_a_broken_byte_in_utf_8_costs_its_row_alone(tmp_path: Path) -> None:
    content = "text\ncafé\n".encode() + b"bro\xffken\n" + "naïve\n".encode()
    reader = records.read(_written(tmp_path / "x.csv", content), Thread)
    assert [comment.text for comment in next(reader).comments] == ["café", "naïve"]
    assert reader.account.rejected == {"`text` is not UTF-8": 1}
    assert reader.account.first == {"`text` is not UTF-8": 3}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.tsv", "Story ID\tBody\na\tHello there\n"),
        ("x.csv", '"Story ID";Body\na;Hello there\n'),
        ("x.csv", "sep=|\nstoryId|Body\na|Hello there\n"),
        ("x.txt", "STORY-ID,body\na,Hello there\n"),
        ("x.csv", "STORY-ID,body\ra,Hello there\r"),
        ("x.jsonl", '{"storyId": "a", "body": "Hello there"}\n\n'),
        ("x.json", '[\n {"story_id": "a",\n  "body": "Hello there"}\n]\n'),
    ],
)
def test_every_flat_form_is_recognised_by_content(tmp_path: Path, name: str, content: str) -> None:
    (thread,) = _threads(_written(tmp_path / name, content))
    assert thread.article.id == "a"
    assert [comment.text for comment in thread.comments] == ["Hello there"]
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert _threads(packed) == [thread]


def test_parquet_has_a_comment_a_row(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "x.parquet"
    frame = {
        "story_id": [7, 7, 8],
        "message": [None, "second", "third"],
        "upvotes": [1, 2, None],
        "tags": [["x"], [], []],
    }
    polars.DataFrame(frame).write_parquet(path)
    reader = records.read(path, Thread)
    assert [(thread.article.id, thread.comments) for thread in reader] == [
        ("7", (Comment("row-2", "second", likes=2),)),
        ("8", (Comment("row-3", "third"),)),
    ]
    assert (reader.format, dict(reader.account.rejected)) == ("parquet", {"no text": 1})
    assert list(reader.ignored) == ["tags"]


def test_columns_are_mapped_over_what_their_names_say(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.csv", "text,remark,score\nmeta,Hello,9\n")
    (thread,) = _threads(path, columns={"text": "remark", "score": ""})
    assert thread.comments == (Comment("row-2", "Hello"),)
    with pytest.raises(
        DataError, match=r"x\.csv:1: no column 'nope' for 'text'; there are text, remark, score"
    ):
        _threads(path, columns={"text": "nope"})
    with pytest.raises(ArgumentError, match="no field 'txt'; did you mean 'text'"):
        _threads(path, columns={"txt": "remark"})


def test_json_rows_may_lack_a_mapped_key_but_not_all_of_them(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.jsonl", '{"t": "one"}\n{"t": "two", "up": 4}\n')
    (thread,) = _threads(path, columns={"text": "t", "likes": "up"})
    assert [comment.likes for comment in thread.comments] == [None, 4]
    with pytest.raises(DataError, match="no row has the key 'ups' that was mapped to 'likes'"):
        _threads(path, columns={"text": "t", "likes": "ups"})


def test_a_file_without_articles_is_one_thread_named_after_it(tmp_path: Path) -> None:
    (thread,) = _threads(_written(tmp_path / "my comments.csv", "comment\nOne\nTwo\n"))
    assert thread.article == Article("my-comments", "")
    assert [comment.id for comment in thread.comments] == ["row-2", "row-3"]


def test_the_article_is_described_by_its_rows(tmp_path: Path) -> None:
    content = "url,headline,comment,comment_text,lang,parent_id,user\nhttps://x.example/1,,1,Hi,en,,ann\nhttps://x.example/1,Rail,2,Ho,,1,\n"
    (thread,) = _threads(_written(tmp_path / "x.csv", content))
    assert (thread.article.title, thread.article.lang) == ("Rail", "en")
    assert thread.comments == (Comment("1", "Hi", author="ann"), Comment("2", "Ho", parent="1"))


def test_every_bad_row_is_counted_with_its_reason_and_the_rest_is_read(tmp_path: Path) -> None:
    content = (
        "article,id,text,likes,at,yes,votes\n"
        'a,1,good,"1,204",,,\n'
        "a,2,,5,,,\n"
        "a,3,many,12x,,,\n"
        "a,1,again,1,,,\n"
        ",5,lost,1,,,\n"
        "a,6,when,1,yesterday,,\n"
        "a,7,less,-2,,,\n"
        "a,8,split,1,,3,2\n"
        "a,9,too,1,,,,extra\n"
        "a,10,NA,n/a,null,,\n"
        "\n"
        'a,11,"open,1,,,\n'
    )
    reader = records.read(_written(tmp_path / "x.csv", content), Thread)
    (thread,) = reader
    assert [(comment.id, comment.likes) for comment in thread.comments] == [
        ("1", 1204),
        ("6", 1),
        ("10", None),
    ]
    assert reader.account.rejected == {
        "no text": 1,
        "`likes` is not a whole number": 1,
        "duplicate id of a comment": 1,
        "no article": 1,
        "`likes` is below zero": 1,
        "`yes` is above `votes`": 1,
        "more cells than the header": 1,
        "not CSV (a quote that is not closed)": 1,
    }
    assert reader.account.first["duplicate id of a comment"] == 5
    assert thread.comments[1].at is None
    assert reader.account.notes == [
        "1 time cannot be read and left out, first 'yesterday' in line 7; write times like 2026-11-16 10:00"
    ]


def test_lines_that_are_not_json_and_nested_values_are_counted(tmp_path: Path) -> None:
    rows = [
        '{"text": "x", "user": {"name": "ann"}, "tags": ["a"]}',
        "{broken",
        "7",
        '{"text": "y"}',
    ]
    reader = records.read(_written(tmp_path / "x.jsonl", "\n".join(rows)), Thread)
    assert [comment.text for comment in next(reader).comments] == ["x", "y"]
    assert reader.ignored == {"user": 1, "tags": 1}
    assert reader.account.rejected == {"not JSON": 1, "not a JSON object": 1}


def test_a_file_without_a_text_says_what_to_do(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.csv", "a,b\n1,2\n")
    with pytest.raises(
        DataError,
        match=r"x\.csv:1: no column with the text of comments among a, b; name it with --map text=COLUMN",
    ):
        _threads(path)


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "a", "system": "s", "text": "x"}',
        '{"id": "a", "title": "T", "text": "x", "date": "2019-05-01"}',
    ],
)
def test_records_of_another_type_stay_refused_unless_a_flat_file_is_asked_for(
    tmp_path: Path, line: str
) -> None:
    path = _written(tmp_path / "x.jsonl", line)
    with pytest.raises(DataError, match="this file holds"):
        _threads(path)
    assert _threads(path, format="flat")[0].comments[0].text == "x"


def test_our_own_threads_are_read_strictly_whatever_their_file_is_called(tmp_path: Path) -> None:
    text = io.StringIO()
    for thread in THREADS:
        text.write(records.record_text(thread) + "\n")
    for name in ("x.jsonl", "x.txt", "x"):
        reader = records.read(_written(tmp_path / name, text.getvalue()), Thread)
        assert (list(reader), reader.format) == (THREADS, "newsdesk")
    broken = json.dumps({"article": {"id": "a", "text": ""}, "comments": [], "mood": 1})
    with pytest.raises(DataError, match=":1: unknown key `mood`"):
        _threads(_written(tmp_path / "y.jsonl", broken))


def test_formats_of_comments_hold_nothing_else(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.csv", "text\nx\n")
    with pytest.raises(SpecError, match="the format 'flat' holds comments"):
        records.read(path, Output, format="flat")
    assert records.read_any(path, format="flat").kind is Thread


def test_a_numbered_column_is_the_id_of_a_comment_and_not_its_text(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.csv", "Story,Comment #,Message\na1,7,Trains\n")
    assert list(records.read(path, Thread)) == [
        Thread(Article("a1", ""), (Comment("7", "Trains"),))
    ]


def test_lines_without_a_known_text_say_how_to_name_it(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.jsonl", '{"opinion": "Trains", "who": "x"}\n')
    with pytest.raises(
        DataError, match=r"x\.jsonl:1: no column .* among opinion, who; name it with --map"
    ):
        list(records.read(path, Thread))
