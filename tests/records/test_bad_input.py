"""Every broken file is one clear error at its place, and no file is ever half-written."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
from pathlib import Path
from typing import Any

import pytest

from newsdesk import files, records
from newsdesk.errors import DataError, FileError, NewsdeskError
from newsdesk.types import (
    Article,
    Cluster,
    Comment,
    Event,
    Judgment,
    Output,
    Pair,
    Ranked,
    Reference,
    References,
    Thread,
)

GOOD = b'{"id": "a", "text": "x"}\n'


def _read(path: Path, content: bytes, kind: type[Any] = Article) -> list[Any]:
    path.write_bytes(content)
    return list(records.read(path, kind))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "1: not JSON: expecting property name"),
        (GOOD + b'{"id": "b", "text": "y"', "2: not JSON: expecting"),
        (b'{"id": "a" "text": "x"}', "1: not JSON: expecting ',' delimiter at column 12"),
        (b"[]", "1: a list is not a record"),
        (b"5", "1: the number 5 is not a record"),
        (b'"text"', "1: the text 'text' is not a record"),
        (b"\n", "1: the line is empty"),
        (GOOD + b"\n" + GOOD, "2: the line is empty"),
        (b'{"id": "a", "text": "x", "titel": "y"}', "1: unknown key `titel`; did you mean `title`?"),
        (b'{"id": "a"}', "1: `text` is missing"),
        (b'{"id": "a", "text": null}', "1: `text` is null, not text"),
        (b'{"id": "a", "text": 5}', "1: `text` is the number 5, not text"),
        (b'{"id": 1, "text": "x"}', "1: `id` is the number 1, not text"),
        (b'{"id": "", "text": "x"}', "1: `id` is empty"),
        (b'{"id": "a", "text": ["x"]}', "1: `text` is a list, not text"),
        (b'{"id": "a", "id": "b", "text": "x"}', "1: the key `id` stands twice"),
        (GOOD + GOOD, "2: duplicate article 'a'"),
        (b'{"id": "a", "text": "x", "date_confidence": NaN}', "1: NaN is not a number"),
        (b'{"id": "a", "text": "x", "date_confidence": -Infinity}', "1: -Infinity is not a number"),
        (b'{"id": "a", "text": "x", "date_confidence": 1e999}', "1: `date_confidence` is too large"),
        (b'{"id": "a", "text": "x", "date_confidence": true}', "1: `date_confidence` is true or false, not a number"),
        (b'{"id": "a", "text": "x", "date_confidence": 1.5}', "1: `date_confidence` is 1.5, not a number from 0 to 1"),
        (b'{"id": "a", "text": "x", "date_confidence": ' + b"9" * 5000 + b"}", "1: not a record: a number of more"),
        (b'{"id": "a", "text": "x", "date": "2019-13-01"}', "1: `date` is '2019-13-01', not a day"),
        (b'{"id": "a", "text": "x", "date": "2019-02-30"}', "1: `date` is '2019-02-30', not a day"),
        (GOOD + b'{"id": "b", "text": "x\0y"}', "2: a NUL byte at byte 23"),
        (b'{"id": "a", "text": "\xff"}', "1: not UTF-8: byte 0xff at byte 22"),
        (b'{"id": "a", "text": "\xe4\xb8"}', "1: not UTF-8: byte 0xe4"),
        (b'{"id": "a", "text": "\\ud800"}', "1: a lone surrogate"),
        (b"[" * 100_000, "1: not a record: nested too deep"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named_with_file_and_line(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    with pytest.raises(DataError) as caught:
        _read(path, content)
    assert str(caught.value).startswith(f"{path}:{reason}")


@pytest.mark.parametrize(
    ("kind", "content", "reason"),
    [
        (Cluster, '{"id": "c", "articles": [{"text": "x"}, {"text": "y", "likes": 3}]}', "unknown key `likes` in `articles[1]`"),
        (Cluster, '{"id": "c", "articles": [{"text": "x", "origin": "stolen"}]}', "`articles[0].origin` is 'stolen', not one of 'cited', 'found'"),
        (Cluster, '{"id": "c", "articles": [{"id": "a", "text": ""}, {"id": "a", "text": ""}]}', "duplicate article id 'a'"),
        (Cluster, '{"id": "c", "articles": {}}', "`articles` is an object, not a list"),
        (Cluster, '{"id": "c", "articles": [5]}', "`articles[0]` is the number 5, not an object"),
        (Thread, '{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "", "likes": "many"}]}', "`comments[0].likes` is the text 'many', not a whole number"),
        (Thread, '{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "", "likes": 1.5}]}', "`comments[0].likes` is the number 1.5, not a whole number"),
        (Thread, '{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "", "likes": -1}]}', "in `comments[0]`: `likes` is -1, below zero"),
        (Thread, '{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "", "yes": 3, "votes": 2}]}', "in `comments[0]`: `yes` is 3 of only 2 `votes`"),
        (Thread, '{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": ""}, {"id": "c", "text": ""}]}', "duplicate comment id 'c'"),
        (References, '{"id": "r", "references": [{"text": "x", "weight": 1.2}]}', "in `references[0]`: `weight` is 1.2, not a number from 0 to 1"),
        (References, '{"id": "r", "references": "x"}', "`references` is the text 'x', not a list"),
        (Event, '{"id": "e", "date": "1 May 2019", "summary": "x"}', "`date` is '1 May 2019'"),
        (Event, '{"id": "e", "date": "2019-05-01", "summary": "x", "entities": [{"phrase": "x", "target": "X", "start": 3, "end": 1}]}', "in `entities[0]`: `end` 1 stands before `start` 3"),
        (Judgment, '{"campaign": "c", "task": "t", "item": "i", "target": "x", "question": "q", "value": [], "annotator": "a"}', "`value` is a list"),
        (Judgment, '{"campaign": "c", "task": "t", "item": "i", "target": "x", "question": "q", "value": 1, "annotator": "a", "at": "2019-05-01 10:00"}', "`at` is '2019-05-01 10:00', not a UTC moment"),
        (Judgment, '{"campaign": "c", "task": "t", "item": "i", "target": "x", "question": "q", "value": 1, "annotator": "a", "via": "phone"}', "`via` is 'phone', not one of"),
        (Ranked, '{"article": "a", "comment": "c", "score": 1, "rank": 0}', "`rank` is 0; ranks start at 1"),
        (Pair, '{"article": "a", "better": "c", "worse": "c"}', "'c' cannot be better than itself"),
    ],
)  # fmt: skip
def test_each_format_refuses_what_it_must(
    kind: type[Any], content: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    with pytest.raises(DataError) as caught:
        _read(path, content.encode(), kind)
    assert str(caught.value).startswith(f"{path}:1: {reason}")


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        (Output, ['{"id": "1", "system": "s", "text": "x"}'] * 2),
        (Ranked, ['{"article": "a", "comment": "c", "score": 1, "rank": 1}'] * 2),
        (Pair, ['{"article": "a", "better": "c", "worse": "d"}'] * 2),
        (References, ['{"id": "1", "references": []}'] * 2),
        (Thread, ['{"article": {"id": "a", "text": ""}, "comments": []}'] * 2),
    ],
)
def test_a_key_that_comes_again_is_an_error(
    kind: type[Any], rows: list[str], tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=":2: duplicate"):
        _read(tmp_path / "x.jsonl", "\n".join(rows).encode(), kind)


def test_two_systems_may_answer_one_item_and_a_judgment_may_be_corrected(tmp_path: Path) -> None:
    outputs = [Output("1", "s", "x"), Output("1", "t", "x")]
    records.write(tmp_path / "o.jsonl", outputs)
    assert list(records.read(tmp_path / "o.jsonl", Output)) == outputs
    twice = [Judgment("c", "t", "i", "x", "q", value, "ann") for value in (1, 2)]
    records.write(tmp_path / "j.jsonl", twice)
    assert list(records.read(tmp_path / "j.jsonl", Judgment)) == twice


def test_a_line_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1024)
    fits = b'{"id": "a", "text": "%s"}' % (b"x" * (1024 - len(GOOD) + 2))
    assert len(fits) == 1024
    assert len(_read(tmp_path / "x.jsonl", fits + b"\n")) == 1
    with pytest.raises(DataError, match=r"x\.jsonl:1: the line is longer"):
        _read(tmp_path / "x.jsonl", fits.replace(b"x", b"xx", 1) + b"\n")


def test_an_empty_file_is_no_records(tmp_path: Path) -> None:
    assert _read(tmp_path / "x.jsonl", b"") == []
    assert _read(tmp_path / "x.jsonl.gz", gzip.compress(b"")) == []
    reader = records.read_any(tmp_path / "x.jsonl")
    assert (reader.kind, list(reader)) == (None, [])


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere\.jsonl: no such file"):
        records.read(tmp_path / "nowhere.jsonl", Article)
    with pytest.raises(FileError, match="is a folder, not a file"):
        records.read(tmp_path, Article)
    with pytest.raises(FileError, match="is a folder, not a file"):
        records.write(tmp_path, [])
    with pytest.raises(FileError, match=r"folder\.jsonl: there is no folder '.*no'"):
        records.write(tmp_path / "no" / "folder.jsonl", [])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([Article("a", 5)], ":1: `text` is the number 5, not text"),  # type: ignore[arg-type]
        ([Article(1, "x")], ":1: `id` is the number 1, not text"),  # type: ignore[arg-type]
        ([Article("a", "x"), Output("a", "s", "x")], ":2: Output in a file of Article"),
        ([{"id": "a", "text": "x"}], ":1: a dict is not a record"),
        ("ab", ":1: a str is not a record"),
    ],
)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_what_no_reader_would_take_is_not_written(
    rows: Any, reason: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"x.{ending}"
    with pytest.raises(DataError, match=re.escape(f"{path}{reason}")):
        records.write(path, rows)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["trec", "parquet"])
def test_a_file_for_one_type_takes_no_other(ending: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"a .{ending} file holds"):
        records.write(tmp_path / f"x.{ending}", [Output("a", "s", "x")])
    assert list(tmp_path.iterdir()) == []


def test_a_whole_number_may_be_too_large(tmp_path: Path) -> None:
    huge = b"1" + 400 * b"0"
    line = (
        b'{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "", "score": %b}]}'
    )
    with pytest.raises(DataError, match=r"x\.jsonl:1: .*`score` is too large for a number"):
        _read(tmp_path / "x.jsonl", line % huge, Thread)
    for make in (
        lambda: Comment("c", "", score=10**400),
        lambda: Judgment("c", "t", "i", "x", "q", 10**400, "ann"),
    ):
        with pytest.raises(DataError, match="too large for a number"):
            make()


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.qrels", "qrels.jsonl"])
def test_a_name_that_would_be_read_as_another_format_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"are not written as (csv|qrels); name a \.jsonl file"):
        records.write(tmp_path / name, [Article("a", "x")])
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_written_to_without_being_asked_twice() -> None:
    assert records.write(os.devnull, [Article("a", "x")], overwrite=False) == 1


@pytest.mark.parametrize("cut", [5, 30, 60])
def test_a_gzip_file_that_ends_early_is_refused(cut: int, tmp_path: Path) -> None:
    lines = b"".join(
        b'{"id": "%d", "text": "%s"}\n' % (n, os.urandom(20).hex().encode()) for n in range(500)
    )
    with pytest.raises(
        DataError, match=r"x\.jsonl\.gz:\d+: (the gzip data ends early|broken gzip data)"
    ):
        _read(tmp_path / "x.jsonl.gz", gzip.compress(lines)[:-cut])


def test_damaged_gzip_data_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(GOOD * 3))
    packed[15] ^= 0xFF
    with pytest.raises(NewsdeskError):
        _read(tmp_path / "x.jsonl.gz", bytes(packed))


def test_the_constructor_refuses_what_the_file_refuses() -> None:
    for build in (
        lambda: Reference("x", weight=1.01),
        lambda: Reference("x", weight=float("nan")),
        lambda: Comment("c", "", score=float("inf")),
        lambda: Article("", "x"),
        lambda: Cluster("c", (), date="yesterday"),
    ):
        with pytest.raises(DataError):
            build()


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.jsonl"
    records.write(path, [Article("old", "text")])
    before = path.read_bytes()
    opened = Path.open

    class Full(io.FileIO):
        def write(self, data: Any) -> int:
            if self.tell() > 10_000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    def full(self: Path, *rest: Any, **more: Any) -> Any:
        return Full(self, "xb") if self.name.endswith(".part") else opened(self, *rest, **more)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FileError, match=r"x\.jsonl: no space left on the disk"):
        records.write(path, (Article(str(n), "x" * 100) for n in range(1000)))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.jsonl"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_the_device_that_is_always_full_says_so() -> None:
    with pytest.raises(FileError, match="/dev/full: no space left on the disk"):
        records.write("/dev/full", (Article(str(n), "x" * 1000) for n in range(2000)))


def test_a_record_that_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.jsonl:2: duplicate 'a'"):
        records.write(tmp_path / "x.jsonl", [Article("a", ""), Article("a", "")])
    with pytest.raises(DataError, match=r"x\.jsonl:1: a lone surrogate"):
        records.write(tmp_path / "x.jsonl", [Article("a", "\ud800")])
    with pytest.raises(DataError, match="the id 'a b' holds white space"):
        records.write(tmp_path / "x.trec", [Ranked("a b", "c", 1.0, 1)])
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_kept_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    records.write(path, [Article("a", "")], overwrite=False)
    with pytest.raises(FileError, match="exists already; add --force"):
        records.write(path, [Article("b", "")], overwrite=False)
    assert list(records.read(path, Article)) == [Article("a", "")]


def test_a_link_keeps_pointing_where_it_did(tmp_path: Path) -> None:
    records.write(tmp_path / "real.jsonl", [Article("a", "")])
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    records.write(tmp_path / "link.jsonl", [Article("b", "")])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert list(records.read(tmp_path / "real.jsonl", Article)) == [Article("b", "")]


@pytest.mark.parametrize(
    ("kind", "line", "reason"),
    [
        (Thread, '{"id": "c", "articles": []}', "this file holds clusters; threads are needed"),
        (Cluster, '{"article": {"id": "a", "text": ""}, "comments": []}', "this file holds threads; clusters are needed"),
        (Ranked, '{"id": "a", "text": "x"}', "this file holds articles; the lines of a run are needed"),
        (References, '{"id": "a", "system": "s", "text": "x"}', "this file holds outputs; references are needed"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_called_what_it_is(
    tmp_path: Path, kind: type[Any], line: str, reason: str
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(DataError, match=re.escape(f"records.jsonl: {reason}")):
        list(records.read(path, kind))


def test_a_broken_line_gets_its_own_error_whatever_type_its_keys_suggest(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"id": "c", "articles": [], "comments": 3}\n', "utf-8")
    with pytest.raises(DataError, match=r":1: "):
        list(records.read(path, Thread))
