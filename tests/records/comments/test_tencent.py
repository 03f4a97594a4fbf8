"""The published files of Qin et al. (2018): what is taken from them, joined and as ready tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.text import sentences, tokenizer_for
from newsdesk.text.language import language_of
from newsdesk.types import Article, Comment, Thread
from tests.published import SCORES, tencent

ROW = {
    "channel": "ent",
    "comment": [["好看 ！ I love it", 3, 0.75], ["我 不 喜欢 iPhone 8", "0", 1]],
    "title": "新剧 开播",
    "url": "https://kuaibao.example/s/20171123A0KIIB00",
}


def _file(folder: Path, *rows: object) -> Path:
    path = folder / "data.test.json"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def test_a_line_is_a_thread_whose_words_are_joined(tmp_path: Path) -> None:
    reader = records.read(_file(tmp_path, ROW), Thread)
    assert list(reader) == [
        Thread(
            Article(
                "20171123A0KIIB00",
                "",
                title="新剧开播",
                url=ROW["url"],  # type: ignore[arg-type]
                date="2017-11-23",
                lang="zh",
                category="ent",
                date_source="url",
            ),
            (
                Comment("20171123A0KIIB00/0", "好看！I love it", likes=3, score=0.75),
                Comment("20171123A0KIIB00/1", "我不喜欢iPhone 8", likes=0, score=1.0),
            ),
        )
    ]
    assert (reader.format, reader.ignored) == ("tencent", {})


def test_ready_tokens_are_what_every_part_reads(tmp_path: Path) -> None:
    (thread,) = records.read(_file(tmp_path, ROW), Thread, format="tencent-words")
    lang = language_of(thread)
    assert thread.comments[1].text == "我 不 喜欢 iPhone 8"
    assert tokenizer_for(lang).words("我 不喜 欢") == ["我", "不喜", "欢"]
    assert sentences("好看 ！ 我 不 喜欢 。 你 呢 ？", lang) == [
        "好看 ！",
        "我 不 喜欢 。",
        "你 呢 ？",
    ]


def test_the_published_parts_are_recognised_without_a_type(tmp_path: Path) -> None:
    for part, file in tencent(tmp_path).items():
        reader = records.read_any(file)
        threads = list(reader)
        assert (reader.kind, reader.format) == (Thread, "tencent")
        assert len(threads) == (12 if part == "train" else 6)
        scores = SCORES if part == "test" else (None,) * 4
        assert {tuple(comment.score for comment in each.comments) for each in threads} == {scores}
        assert [comment.likes for comment in threads[0].comments] == [0, 3, 6, 9]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"url": ""}, "no `url`"),
        ({}, "an article with the address of another"),
        ({"url": "u", "comment": "x"}, "`comment` is not a list"),
        ({"url": "u", "comment": [[1, 2]]}, "a comment is not [text, up-votes] or [text, up-votes, score]"),
        ({"url": "u", "comment": [["x", "many"]]}, "`likes` is not a whole number"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_counted_with_its_line(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    reader = records.read(_file(tmp_path, ROW, {**ROW, **change}), Thread)
    list(reader)
    assert reader.account.rejected == {reason: 1}
    assert reader.account.first == {reason: 2}


def test_an_address_without_a_number_of_tencent_is_the_id(tmp_path: Path) -> None:
    (thread,) = records.read(_file(tmp_path, {**ROW, "url": "http://a.example/20179999/7"}), Thread)
    assert (thread.article.id, thread.article.date) == ("a.example/20179999/7", None)
