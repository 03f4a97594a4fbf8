"""The gate on real comments with judged toxicity: who is held back, and who is not."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsdesk.rankers.gate.gate import Gate
from newsdesk.rankers.gate.word_order import shuffled
from newsdesk.rankers.insults import insults
from newsdesk.types import Article, Comment, Thread

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[dict[str, Any]]:
    lines = (shared_data / "c3" / "c3_threads.jsonl").read_text("utf-8").splitlines()
    return [
        {**comment, "article": number % 5}
        for number, line in enumerate(lines)
        for comment in json.loads(line)["comments"]
    ]


def is_good(row: dict[str, Any]) -> bool:
    return row["toxicity"] < 2 and row["votes_yes"] >= 0.8 * row["votes"]


def test_one_in_a_hundred_held_back_for_insults_is_mostly_toxic_and_hardly_ever_good(
    rows: list[dict[str, Any]],
) -> None:
    severities = np.array([insults(row["text"], "en").severity for row in rows])
    fold = np.array([row["article"] for row in rows])
    held = np.zeros(len(rows), dtype=bool)
    for number in range(5):  # the threshold comes from the other folds
        held |= (fold == number) & (severities >= np.quantile(severities[fold != number], 0.99))
    chosen = [row for row, is_held in zip(rows, held, strict=True) if is_held]
    assert 0.008 < len(chosen) / len(rows) < 0.013
    assert sum(row["toxicity"] >= 2 for row in chosen) >= 0.6 * len(chosen)
    assert sum(map(is_good, chosen)) <= 0.02 * len(chosen)


def test_the_threshold_of_a_share_holds_so_many_back(rows: list[dict[str, Any]]) -> None:
    severities = np.array([insults(row["text"], "en").severity for row in rows[::2]])
    for share in (0.005, 0.01, 0.02):
        assert np.mean(severities >= Gate(share).severity) == pytest.approx(share, rel=0.25)


def test_shuffled_comments_are_told_and_of_a_thousand_real_ones_at_most_two_are(
    rows: list[dict[str, Any]],
) -> None:
    rng = random.Random(7)
    texts = [row["text"] for row in rows[::3] if len(row["text"].split()) >= 20]
    assert sum(bool(shuffled(text, "en")) for text in texts) <= 0.002 * len(texts)
    mixed = [" ".join(rng.sample(words := text.split(), len(words))) for text in texts[::2]]
    assert sum(bool(shuffled(text, "en")) for text in mixed) >= 0.9 * len(mixed)


def test_hardly_any_good_comment_is_held_back_for_anything_but_being_a_copy(
    rows: list[dict[str, Any]],
) -> None:
    good = [row for row in rows if is_good(row)][::3]
    comments = tuple(Comment(row["id"], row["text"]) for row in good)
    held = Gate().held(Thread(Article("all", "", lang="en"), comments))
    assert [reason for reason in held if reason and reason.kind != "copy"] == []
