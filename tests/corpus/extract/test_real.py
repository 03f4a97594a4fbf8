"""Floors on real pages with gold by publishers' own rules; `bench/extract.py` measures all of them beside the peers."""

from __future__ import annotations

import collections
import gzip
import json
import re
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk.corpus.extract.metadata import folded

EVERY = 3  # of 125 pages; all of them take three times as long and change little


def _f1(text: str, gold: str) -> float:
    first, second = (collections.Counter(re.findall(r"\w+", each.lower())) for each in (text, gold))
    return 2 * (first & second).total() / max(1, first.total() + second.total())


@pytest.mark.real
def test_text_title_and_day_of_real_pages_stay_above_their_floors(shared_data: Path) -> None:
    folder = shared_data / "fundus_news"
    rows = [
        json.loads(line)
        for path in sorted((folder / "gold").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ][::EVERY]
    texts, titles, days = [], [], []
    for row in rows:
        article = nd.extract(
            gzip.decompress((folder / row["html"]).read_bytes()),
            row["url"],
            crawled=row["crawl_date"][:10],
        )
        sections = row["body"]["sections"]
        parts = [each for part in sections for each in part["headline"] + part["paragraphs"]]
        texts.append(_f1(article.text, "\n".join(row["body"]["summary"] + parts)))
        titles.append(folded(article.title or "") == folded(row["title"]))
        days.append(article.date == row["publishing_date"][:10])
    assert sum(texts) / len(rows) >= 0.97
    assert sum(titles) / len(rows) >= 0.90
    assert sum(days) / len(rows) >= 0.97
