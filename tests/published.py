"""Makes small files in the formats in which the papers' data were published, with planted numbers.

Texts are made up. Each function writes into a folder what the published archive holds and returns the files by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

_CHANNELS = {
    "sports": ("球队 赢得 比赛", "球员 教练 进球 冠军 联赛 主场"),
    "ent": ("演员 主演 新剧", "电影 角色 导演 歌手 舞台 粉丝"),
    "tech": ("公司 发布 手机", "芯片 屏幕 电池 系统 价格 工厂"),
}
_REMARKS = (
    "{0} 的 {1} 真的 很 好 ， 我 支持 ！",
    "为什么 {0} 总是 比 {1} 重要 ？",
    "希望 {1} 以后 更 努力 ， {0} 加油",
    "说 的 有 道理 ， 但是 {0} 和 {1} 都 需要 时间",
)
SCORES = (0.25, 0.5, 0.75, 1.0)  # of the comments of every test article, in their order


def tencent(folder: Path, articles: int = 12) -> dict[str, Path]:
    """Write data.train.json, data.dev.json and data.test.json of Qin et al. (2018), for each so many articles, half in dev and test.

    An object a line: `channel`, `comment`, `title`, `url`; words separated by blanks; no contents. An article has four comments: up-votes 0, 3, 6, 9, and in the
    test file the scores `SCORES`. Addresses are `https://kuaibao.example/s/20170901A0T0000`: the part, a letter, then the number.
    """
    return {
        part: _jsonl(
            folder / f"data.{part}.json",
            [_tencent_row(part, number) for number in range(articles // (1 + (part != "train")))],
        )
        for part in ("train", "dev", "test")
    }


def tencent_contents(folder: Path, files: Iterable[Path]) -> Path:
    """Write contents.jsonl: articles of our own format that extraction from the web archive would give for the addresses in files."""
    rows: list[Row] = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            words = _CHANNELS[row["channel"]][1].split()
            number = int(row["url"][-4:])
            text = "".join(f"{words[(number + step) % 6]}今天成为新闻。" for step in range(3))
            url = row["url"].replace("https://", "http://www.") + "?utm_source=archive"
            rows.append({"id": f"page-{len(rows)}", "text": text, "url": url, "lang": "zh"})
    return _jsonl(folder / "contents.jsonl", rows)


def _tencent_row(part: str, number: int) -> dict[str, Any]:
    channel = list(_CHANNELS)[number % len(_CHANNELS)]
    title, topic = _CHANNELS[channel]
    words = topic.split()
    first, second = words[number % 6], words[(number + 2) % 6]
    comments: list[list[Any]] = [
        [remark.format(first, second), 3 * place] for place, remark in enumerate(_REMARKS)
    ]
    if part == "test":
        comments = [[*comment, score] for comment, score in zip(comments, SCORES, strict=True)]
    return {
        "channel": channel,
        "comment": comments,
        "title": f"{title} ： {first} {second} NBA App {number}",
        "url": f"https://kuaibao.example/s/201709{number + 1:02}A0{part[:2].upper()}{number:04}",
    }


def _jsonl(path: Path, rows: Iterable[Row]) -> Path:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path
