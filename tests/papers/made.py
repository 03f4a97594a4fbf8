"""Makes what people gave the authors of the papers, and the comments with C-scores, with planted numbers.

The published archives themselves are made by `tests.published`. Texts are made up.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.types import Cluster, Thread

SYSTEMS = ("ir-t", "ir-tc", "seq2seq", "att", "att-tc", "human")
_WORDS = "道路 学校 税金 電車 病院 子供 計画 時間 意見 理由 問題 社会 地域 予算 安全 将来".split()


def yahoo(folder: Path) -> dict[str, Path]:
    """Write the parts of Fujita et al. (2019) as threads: Shallow, Deep, their dev parts, Test, and what Section 2.4 and Appendix B use.

    A comment has yes votes of 10 (Test: 40), likes and dislikes. Longer comments have more yes votes; likes go up and down with the parity of the comment, so
    that they say little about them. Shallow has 12 articles with 5 comments, Deep 3 with 20, Test 4 with 15.
    """
    parts = {
        "shallow": (12, 5, 10), "deep": (3, 20, 10), "shallow-dev": (4, 5, 10),
        "deep-dev": (2, 10, 10), "test": (4, 15, 40), "feedback": (6, 10, 10), "unlabeled": (6, 10, 0),
    }  # fmt: skip
    return {
        name: jsonl(folder / f"{name}.jsonl", [_thread(name, n, size, votes) for n in range(count)])
        for name, (count, size, votes) in parts.items()
    }


def _thread(part: str, number: int, size: int, votes: int) -> dict[str, Any]:
    title = f"{_WORDS[number % 16]}と{_WORDS[(number + 5) % 16]}の{_WORDS[(number + 9) % 16]}"
    comments = []
    for place in range(size):
        length = 2 + (place * 7 + number) % 9
        words = [_WORDS[(number + place * step) % 16] for step in range(1, length + 1)]
        comment: dict[str, Any] = {
            "id": f"{part}-{number}-{place}",
            "text": "は".join(words) + "だと思います。",
            "likes": 40 if place % 2 else 5,
            "dislikes": 1 if place % 2 else 0,
        }
        if votes:
            comment |= {"yes": min(votes, round(votes * length / 10)), "votes": votes}
        comments.append(comment)
    article = {"id": f"{part}-{number}", "title": title, "text": "", "lang": "ja"}
    return {"article": article, "comments": comments}


def votes(folder: Path, threads: Path, name: str) -> Path:
    """Write the single votes of ten people on threads, in tasks of five comments, as many yes as the C-scores say."""
    rows = []
    for thread in records.read(threads, Thread):
        for position, comment in enumerate(thread.comments):
            for person in range(10):
                rows.append(
                    _judgment(
                        f"{thread.article.id}+{position // 5}", thread.article.id, comment.id,
                        "constructive", person < (comment.yes or 0), f"worker-{person}",
                    )
                )  # fmt: skip
    return jsonl(folder / f"{name}-votes.jsonl", rows)


def labels(folder: Path, clusters: Path) -> Path:
    """Write labels of the articles found for each event by one person: of ten in a row 5 on-topic, 3 related, 2 unrelated."""
    pattern = itertools.cycle(["on-topic"] * 5 + ["related"] * 3 + ["unrelated"] * 2)
    rows = [
        _judgment(f"{cluster.id}|{article.id}", cluster.id, article.id, "relate", next(pattern), "ann")
        for cluster in records.read(clusters, Cluster)
        for article in cluster.articles
        if article.origin == "found"
    ]  # fmt: skip
    return jsonl(folder / "labels.jsonl", rows)


def grades(folder: Path, test: Path) -> dict[str, Path]:
    """Write grades of the test comments by two people who agree, six outputs per article, and two grades of each output.

    Grades of comments repeat 3, 4, 4, 5: their mean is 4, a quarter has a 5, and kappa is 1. Outputs repeat comments of the article, shortened for all systems but
    the human one, and the grades of the systems are 3, 3, 1, 2, 2 and 4 for every second article, and one better for the others.
    """
    comment_rows, outputs, output_rows = [], [], []
    grade = itertools.cycle([3, 4, 4, 5])
    for number, thread in enumerate(records.read(test, Thread)):
        item = thread.article.id
        for comment in thread.comments:
            value = next(grade)
            comment_rows += [
                _judgment(f"{item}/{comment.id}", item, comment.id, "grade", value, name)
                for name in ("ann", "ben")
            ]
        for place, (system, level) in enumerate(zip(SYSTEMS, (3, 3, 1, 2, 2, 4), strict=True)):
            text = thread.comments[place % len(thread.comments)].text
            cut = text if system == "human" else text[: 3 + 2 * (level + number % 2)]
            outputs.append({"id": item, "system": system, "text": cut})
            output_rows += [
                _judgment(f"{item}|{system}", item, system, "grade", level + number % 2, name)
                for name in ("ann", "ben")
            ]
    return {
        "grades": jsonl(folder / "grades.jsonl", comment_rows),
        "outputs": jsonl(folder / "outputs.jsonl", outputs),
        "output-grades": jsonl(folder / "output-grades.jsonl", output_rows),
    }


def jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSON lines."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _judgment(
    task: str, item: str, target: str, question: str, value: object, annotator: str
) -> dict[str, Any]:
    return {
        "campaign": "theirs", "task": task, "item": item, "target": target,
        "question": question, "value": value, "annotator": annotator,
    }  # fmt: skip
