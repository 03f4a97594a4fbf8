"""Round trips of flat files, and bytes of any kind: a file is read, or refused in one sentence, and nothing is lost unseen."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import example, given, settings, strategies as st

from newsdesk import records
from newsdesk.errors import NewsdeskError
from newsdesk.types import Article, Comment, Thread

_TEXT = (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
    .map(str.strip)
    .filter(bool)
)
_LINES = st.lists(_TEXT, min_size=1, max_size=3).map("\n".join)
_COUNT = st.none() | st.integers(0, 10**6)
_ROWS = st.lists(st.tuples(st.integers(0, 3), _LINES, _COUNT), min_size=1, max_size=12)


def _read(content: bytes, name: str) -> tuple[list[Thread], int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        reader = records.read(path, Thread)
        return list(reader), reader.account.rejected.total()


@settings(max_examples=60)
@given(_ROWS, st.sampled_from(",;\t|"), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_a_table_program_writes_is_read_back(
    rows: list[tuple[int, str, int | None]], delimiter: str, encoding: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["Article ID", "Comment ID", "Text", "Likes"])
    expected: dict[int, list[Comment]] = {}
    for number, (article, body, likes) in enumerate(rows):
        writer.writerow([f"a{article}", f"c{number}", body, "" if likes is None else likes])
        expected.setdefault(article, []).append(Comment(f"c{number}", body, likes=likes))
    threads, rejected = _read(text.getvalue().encode(encoding), "x.csv")
    assert rejected == 0
    assert threads == [
        Thread(Article(f"a{article}", ""), tuple(comments))
        for article, comments in expected.items()
    ]


@settings(max_examples=150)
@given(st.sampled_from(["x.csv", "x.jsonl", "x.json", "x.xml", "x"]), st.binary(max_size=200), st.sampled_from([b"", b"id,text\n", b'{"text": "x"}\n', b"<disqus>", b"\xff\xfe", b"[", b'[{"body": "x", "storyID": 1}, ']))  # fmt: skip
@example("x.csv", b'"', b"id,text\n")
@example("x.csv", b"\x00\x00", b"id,text\n")
def test_any_bytes_are_read_or_refused_in_a_sentence(
    name: str, content: bytes, opening: bytes
) -> None:
    try:
        threads, _ = _read(opening + content, name)
    except NewsdeskError as error:
        assert str(error)
    else:
        assert all(comment.text for thread in threads for comment in thread.comments)
