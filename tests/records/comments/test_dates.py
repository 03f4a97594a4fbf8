"""Dates with the day or the month first: the order is proved by a row or named, and no date is left out in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError, DataError
from newsdesk.records.comments.cells import orders_of, parse_moment
from newsdesk.types import Article, Thread

Dates = list[str | None]


def csv_of(path: Path, dates: list[str]) -> Path:
    rows = [f'{number},"Comment {number}.","{date}"' for number, date in enumerate(dates)]
    path.write_text("\n".join(["id,text,date", *rows]), encoding="utf-8")
    return path


def read(path: Path, order: str | None = None) -> tuple[Dates, list[str]]:
    """The times of all comments, and the notes of the reader."""
    reader = records.read(path, Thread, dates=order)
    days = [comment.at for thread in reader for comment in thread.comments]
    return days, reader.account.notes


@pytest.mark.parametrize(
    ("dates", "days", "shown"),
    [
        (["05/11/2026", "16/11/2026"], ["2026-11-05", "2026-11-16"], "line 3 (16/11/2026)"),
        (["5.11.2026", "16.11.2026"], ["2026-11-05", "2026-11-16"], "line 3 (16.11.2026)"),
        (["5/11/2026", "11/16/2026"], ["2026-05-11", "2026-11-16"], "line 3 (11/16/2026)"),
        (["5-11-2026", "16-11-2026"], ["2026-11-05", "2026-11-16"], "line 3 (16-11-2026)"),
    ],
)
def test_one_row_proves_the_order_of_a_whole_file(
    dates: list[str], days: list[str], shown: str, tmp_path: Path
) -> None:
    times, notes = read(csv_of(tmp_path / "x.csv", dates))
    assert times == [f"{day}T00:00:00Z" for day in days]
    first = "day" if days[0] == "2026-11-05" else "month"
    assert notes == [f"dates are read with the {first} first, as {shown} shows"]


def test_where_no_row_proves_it_the_order_is_named_or_the_dates_are_left_out_with_a_note(
    tmp_path: Path,
) -> None:
    path = csv_of(tmp_path / "x.csv", ["05/11/2026 10:30", "2026-11-16 10:00", "7/7/2026"])
    times, notes = read(path)
    assert times == [None, "2026-11-16T10:00:00Z", "2026-07-07T00:00:00Z"]
    assert notes == [
        "1 date left out: 05/11/2026 10:30 in line 2 may have the day or the month first; say which with --dates dmy or --dates mdy"
    ]
    assert read(path, "dmy")[0][0] == "2026-11-05T10:30:00Z"
    assert read(path, "mdy") == (["2026-05-11T10:30:00Z", *times[1:]], [])
    with pytest.raises(ArgumentError, match="dates is 'ymd', not one of None, 'dmy', 'mdy'"):
        read(path, "ymd")


def test_rows_that_prove_both_orders_are_left_out_with_a_note_unless_one_is_named(
    tmp_path: Path,
) -> None:
    path = csv_of(tmp_path / "x.csv", ["16/11/2026", "11/17/2026", "5/11/2026"])
    times, notes = read(path)
    assert times == [None, None, None]
    assert notes == [
        "3 dates left out: 16/11/2026 in line 2 has the day first, 11/17/2026 in line 3 the month; say which with --dates dmy or --dates mdy"
    ]
    times, notes = read(path, "dmy")
    assert times == ["2026-11-16T00:00:00Z", None, "2026-11-05T00:00:00Z"]
    assert notes == [
        "1 time cannot be read and left out, first '11/17/2026' in line 3; write times like 2026-11-16 10:00"
    ]


def test_articles_with_their_comments_in_a_list_have_one_order_for_all_dates(
    tmp_path: Path,
) -> None:
    rows = [
        {"id": "a", "title": "T", "comments": [{"text": "No date."}]},
        {"id": "b", "title": "T", "date": "5/11/2026", "comments": [{"id": 1, "text": "One."}]},
        {"id": "c", "title": "T", "comments": [{"id": 1, "text": "x", "date": "16/11/2026 9:00"}]},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    reader = records.read(path, Thread)
    assert [(each.article.id, each.article.date, each.comments[0].at) for each in reader] == [
        ("a", None, None),
        ("b", "2026-11-05", None),
        ("c", None, "2026-11-16T09:00:00Z"),
    ]
    path.write_text(json.dumps(rows[1] | {"date": "in May"}), encoding="utf-8")
    assert "1 time cannot be read" in read(path)[1][0]


def test_clocks_of_twelve_hours_and_zones_are_read() -> None:
    assert str(parse_moment("11/16/2026 3:05:09 PM", "mdy")) == "2026-11-16 15:05:09+00:00"
    assert str(parse_moment("16.11.2026, 12:05 a.m. +01:00", "dmy")) == "2026-11-15 23:05:00+00:00"
    assert orders_of("16/11/2026 15:00 PM") == orders_of("31/02/2026") == ()


def test_articles_in_a_table_are_read_in_a_proved_order_and_refused_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "articles.csv"
    path.write_text("id,text,date\na,x,2026-11-01\nb,x,5/11/2026\nc,x,16/11/2026\n")
    days = [article.date for article in records.read(path, Article)]
    assert days == ["2026-11-01", "2026-11-05", "2026-11-16"]
    path.write_text("id,text,date\nb,x,5/11/2026\n")
    with pytest.raises(DataError, match=r"articles\.csv: 5/11/2026 in line 2 may have the day or"):
        list(records.read(path, Article))
    out = tmp_path / "articles.jsonl"
    words = ["records", "convert", str(path), "--type", "article", "-o", str(out)]
    assert main([*words, "--dates", "mdy"]) == 0
    assert '"date": "2026-05-11"' in out.read_text("utf-8")
    path.write_text("id,text,date\na,x,16/11/2026\nb,x,in May\n")
    with pytest.raises(DataError, match=r"articles\.csv:3: `date` is 'in May'"):
        list(records.read(path, Article))


def test_commands_name_the_order_and_a_half_life_without_times_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(csv_of(tmp_path / "x.csv", ["05/11/2026", "06/11/2026"]))
    words = ["rank", "apply", "length", path, "-o", str(tmp_path / "run.jsonl")]
    assert main(words) == 0
    assert "2 dates left out: 05/11/2026 in line 2 may" in capsys.readouterr().err
    assert main([*words, "--force", "--half-life", "5"]) == 1
    said = capsys.readouterr().err
    assert "no comment has a time that can be read" in said
    assert "say which with --dates dmy or --dates mdy" in said
    assert main([*words, "--force", "--half-life", "5", "--dates", "dmy"]) == 0
    assert main(["records", "check", path, "--type", "thread"]) == 0
    assert "2 dates left out" in capsys.readouterr().err
    assert main(["records", "check", path, "--type", "thread", "--dates", "dmy"]) == 0
    assert "left out" not in capsys.readouterr().err
