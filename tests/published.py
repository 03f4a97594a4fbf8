"""Makes small files in the formats in which the papers' data were published, with planted numbers.

Texts are made up. Each function writes into a folder what the published archive holds and returns the files by name.
"""

from __future__ import annotations

import gzip
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl

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


_PLACES = ("Avaria", "Borland", "Cassia", "Dorne", "Elbrin", "Fenmark")
_TOPICS = (
    ("flood", "A flood destroys {0} houses in the capital of {1}.", "river water rain rescue dam"),
    ("election", "The {1} Party wins the election with {0} seats.", "votes parliament ballot poll"),
    ("strike", "Railway workers of {1} begin a strike of {0} days.", "trains union wages stations"),
    ("quake", "An earthquake kills {0} people near {1}.", "magnitude rubble tremor hospital"),
)
_CITED, _FOUND = 2, 3  # articles of every cluster


def wcep(folder: Path, events: int = 24) -> dict[str, Path]:
    """Write train.jsonl.gz, val.jsonl.gz and test.jsonl.gz of Gholipour Ghalandari et al. (2020): half of the events, a quarter, a quarter.

    Two events a day from 2017-01-01 on. Every cluster has two cited and three found articles, `wiki_links` (the place, which the summary names, and a page
    that it does not name) and two `reference_urls`. The first sentence of every found article is the summary, which planted scores rest on.
    """
    parts = {"train": events // 2, "val": events // 4, "test": events - events // 2 - events // 4}
    files, first = {}, 0
    for part, count in parts.items():
        rows = [_wcep_row(number, part) for number in range(first, first + count)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        files[part] = folder / f"{part}.jsonl.gz"
        files[part].write_bytes(gzip.compress(lines.encode(), mtime=0))
        first += count
    return files


def wcep_without_articles(folder: Path, events: int = 24) -> Path:
    """Write initial_dataset.jsonl: the events of `wcep` with the addresses of cited pages and the ids of the WARC records of found ones."""
    rows = []
    for number in range(events):
        row = _wcep_row(number, "train")
        cited = [
            {"url": article["url"], "archive_url": article["archive_url"]}
            for article in row["articles"][:_CITED]
        ]
        found = [{"id": wcep_record(number, place)} for place in range(_CITED, _CITED + _FOUND)]
        kept = {key: value for key, value in row.items() if key != "articles"}
        rows.append({**kept, "wcep_articles": cited, "cc_articles": found})
    return _jsonl(folder / "initial_dataset.jsonl", rows)


def wcep_crawl(folder: Path, events: int = 24) -> dict[str, Path]:
    """Write sources.warc.gz, the cited pages as `corpus archive` obtains them, and crawl.warc.gz, a crawl with the found ones under their record ids."""
    members: dict[str, list[bytes]] = {"sources": [], "crawl": []}
    for number in range(events):
        for place, article in enumerate(_wcep_row(number, "train")["articles"]):
            name = "sources" if place < _CITED else "crawl"
            members[name].append(_warc_member(article, wcep_record(number, place)))
    files = {}
    for name, parts in members.items():
        files[name] = folder / f"{name}.warc.gz"
        files[name].write_bytes(b"".join(parts))
    return files


def wcep_record(event: int, place: int) -> str:
    """Return the UUID of the WARC record of an article of `wcep`."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{event}/{place}"))


def _wcep_row(number: int, part: str) -> dict[str, Any]:
    topic, form, _ = _TOPICS[number % len(_TOPICS)]
    name = _PLACES[number % len(_PLACES)]
    summary = form.format(number + 10, name)
    day = (date(2017, 1, 1) + timedelta(number // 2)).isoformat()
    articles = [_wcep_article(number, place, name, summary, day) for place in range(5)]
    return {
        "id": number,
        "date": f"{day} 00:00:00",
        "summary": summary,
        "category": f"{topic.title()}s",
        "collection": part,
        "wiki_links": [f"/wiki/{name}_(country)", f"https://en.wikipedia.org/wiki/2017_{topic}"],
        "reference_urls": [article["url"] for article in articles[:_CITED]],
        "articles": articles,
    }


def _wcep_article(number: int, place: int, name: str, summary: str, day: str) -> dict[str, Any]:
    topic, _, words = _TOPICS[number % len(_TOPICS)]
    vocabulary = words.split()
    sentences = [
        f"Reporter {place} saw the {vocabulary[(place + step) % len(vocabulary)]} and the "
        f"{vocabulary[(place + step + 1) % len(vocabulary)]} in {name} on day {number + step}."
        for step in range(4)
    ]
    cited = place < _CITED
    lead = f"Readers ask about the {topic} in {name}." if cited else summary
    url = f"https://paper{place}.example/{day}/{topic}-{number}"
    article = {
        "title": f"{name} {topic}: report {place} of event {number}",
        "text": " ".join([lead, *sentences]),
        "url": url,
        "time": f"{day}T0{place}:00:00" if place else None,
        "collection": "train",
        "origin": "WCEP" if cited else "CommonCrawl",
    }
    stamp = day.replace("-", "")
    archived = {"archive_url": f"https://web.archive.org/web/{stamp}120000/{url}", "state": "ok"}
    return {**article, **(archived if cited else {"cc_file": "crawl.warc.gz"})}


def _warc_member(article: Row, record: str) -> bytes:
    paragraphs = "".join(f"<p>{text}.</p>" for text in article["text"].rstrip(".").split(". "))
    html = (
        f"<html><head><title>{article['title']}</title></head><body><article>"
        f"<h1>{article['title']}</h1>{paragraphs}</article></body></html>"
    )
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{record}>\r\n"
        f"WARC-Date: 2017-02-01T00:00:00Z\r\nWARC-Target-URI: {article['url']}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


# Of every article and evaluator: the example of the guide. B and C are the same text in the first article.
GUIDE_RANKS = {"A": 3, "B": 1, "C": 1, "D": 2}
GUIDE_SYSTEMS = "A=lead,B=centroid,C=textrank,D=random"
_OUTPUTS = {
    "A": "The ferry {n} left at noon .</s>It was late .",
    "B": "The ferry {n} sank off the coast .</s>All {n} passengers were saved .",
    "C": "Ferry {n} sank .</s>The crew saved all {n} passengers .",
    "D": '" We were lucky , " he said .</s>The ferry {n} sank .',
}


def guide_workbook(
    folder: Path, evaluators: Sequence[str] = ("ann", "ben"), articles: int = 6
) -> dict[str, Path]:
    """Write guide-NAME.xlsx for every evaluator: a row per article, ranked as `GUIDE_RANKS`.

    Columns: `url`, `reference`, `A` to `D` with `</s>` between sentences, then for every letter `Informative`, `Coherence` and `Overall`, such as `Coherence A`.
    """
    letters = tuple(GUIDE_RANKS)
    criteria = ("Informative", "Coherence", "Overall")
    ranks = [f"{criterion} {letter}" for letter in letters for criterion in criteria]
    files = {}
    for name in evaluators:
        book = openpyxl.Workbook()
        page = book.active
        page.append(["url", "reference", *letters, *ranks])
        for number in range(1, articles + 1):
            texts = {letter: text.format(n=number) for letter, text in _OUTPUTS.items()}
            if number == 1:
                texts["C"] = texts["B"]
            page.append([
                f"https://news.example/{number}", f"Ferry {number} sinks ; all are saved .",
                *texts.values(), *(GUIDE_RANKS[letter] for letter in letters for _ in criteria),
            ])  # fmt: skip
        files[name] = folder / f"guide-{name}.xlsx"
        book.save(files[name])
    return files


def _jsonl(path: Path, rows: Iterable[Row]) -> Path:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path
