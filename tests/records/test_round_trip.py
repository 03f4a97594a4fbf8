"""What is written reads back the same, whatever the text, and the same records give the same bytes."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from newsdesk import records
from newsdesk.records.kinds import key_of
from newsdesk.types import (
    Article,
    Cluster,
    ControlQuestion,
    Judgment,
    Output,
    Ranked,
    Reference,
    References,
)
from tests.records.strategies import RECORDS


def _lists(kind: type[Any]) -> st.SearchStrategy[list[Any]]:
    unique = None if kind in (Judgment, ControlQuestion) else key_of
    return st.lists(RECORDS[kind], max_size=4, unique_by=unique)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_records_read_back_as_they_were_written(kind: type[Any], name: str, tmp_path: Path) -> None:
    @given(_lists(kind))
    def check(values: list[Any]) -> None:
        assert records.write(tmp_path / name, values) == len(values)
        assert list(records.read(tmp_path / name, kind)) == values

    check()


@given(st.lists(RECORDS[Article], max_size=5, unique_by=key_of))
def test_articles_go_through_parquet_unchanged(tmp_path: Path, articles: list[Article]) -> None:
    records.write(tmp_path / "a.parquet", articles)
    assert list(records.read(tmp_path / "a.parquet", Article)) == articles


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_the_type_of_a_file_is_found_from_its_first_line(kind: type[Any], tmp_path: Path) -> None:
    @given(RECORDS[kind])
    def check(record: Any) -> None:
        records.write(tmp_path / "x.jsonl", [record])
        reader = records.read_any(tmp_path / "x.jsonl")
        assert (reader.kind, list(reader)) == (kind, [record])

    check()


def test_a_run_goes_through_trec_unchanged(tmp_path: Path) -> None:
    run = [Ranked("a1", "c1", 0.1 + 0.2, 1), Ranked("a1", "c2", -1e-9, 2)]
    records.write(tmp_path / "run.trec", run)
    assert list(records.read(tmp_path / "run.trec", Ranked)) == run


def test_gzip_bytes_hold_no_time_and_no_name(tmp_path: Path) -> None:
    for name in ("first.jsonl.gz", "second.jsonl.gz"):
        records.write(tmp_path / name, [Output("1", "s", "text")])
    first, second = (tmp_path / n for n in ("first.jsonl.gz", "second.jsonl.gz"))
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes()[4:8] == b"\0\0\0\0"


def test_what_stands_at_its_default_is_not_written() -> None:
    references = References("1", (Reference("a"), Reference("b", 0.5)))
    assert (
        records.record_text(references)
        == '{"id": "1", "references": ["a", {"text": "b", "weight": 0.5}]}'
    )
    assert records.record_text(Output("1", "s", "é")) == '{"id": "1", "system": "s", "text": "é"}'


def test_null_is_the_same_as_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "text": "", "title": null}\n')
    assert list(records.read(path, Article)) == [Article("a", "")]


def test_a_byte_order_mark_crlf_and_a_missing_last_newline_are_welcome(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n{"id": "b", "text": "y"}')
    assert [article.id for article in records.read(path, Article)] == ["a", "b"]


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "x"}\n'))
    assert list(records.read(path, Article)) == [Article("a", "x")]


def test_an_article_without_an_id_is_named_after_its_cluster(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id": "c", "articles": [{"text": "x"}, {"id": "k", "text": "y"}, {"text": "z"}]}\n'
    )
    (cluster,) = records.read(path, Cluster)
    assert [article.id for article in cluster.articles] == ["c/1", "k", "c/3"]


def test_a_clusters_file_is_also_a_references_file(tmp_path: Path) -> None:
    records.write(tmp_path / "c.jsonl", [Cluster("c", (), summary="It ended.")])
    assert list(records.read(tmp_path / "c.jsonl", References)) == [
        References("c", (Reference("It ended."),))
    ]
