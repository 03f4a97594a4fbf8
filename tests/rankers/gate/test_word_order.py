"""Word order: shuffled text is told from text."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.rankers.gate.word_order import WordOrder, shuffled
from newsdesk.text.tokenize import tokenizer_for


def mixed(text: str, lang: str, rng: random.Random) -> str:
    words = text.split() if lang == "en" else tokenizer_for(lang).words(text)
    rng.shuffle(words)
    return (" " if lang == "en" else "").join(words)


@pytest.mark.parametrize(("lang", "least"), [("en", 0.9), ("ja", 0.9)])
def test_most_shuffled_comments_are_told_and_no_real_one(lang: str, least: float) -> None:
    rng = random.Random(5)
    size = 40 if lang == "en" else 120
    texts = [
        comment.text
        for thread in samples.threads(lang)
        for comment in thread.comments
        if (len(comment.text.split()) if lang == "en" else len(comment.text)) >= size
    ]
    assert len(texts) > 5
    assert [text for text in texts if shuffled(text, lang)] == []
    assert sum(bool(shuffled(mixed(text, lang, rng), lang)) for text in texts) >= least * len(texts)


def test_some_shuffled_chinese_is_told_as_well() -> None:
    text = (
        "我在这条街上开了十五年面馆，路一封，中午的客人就少了一半。不是反对修路，老管子确实该换，"
        "上个月我店门口就漏过一次水。可是工期从三个月变成七个月，谁来算这笔账？建议分段施工，"
        "先修北边，南边留一条人行道，外卖员也能进来。房租能不能减一点，社区说要问区里，问了两周还没有回音。"
    )
    rng = random.Random(5)
    assert shuffled(text, "zh") == ()
    assert sum(bool(shuffled(mixed(text, "zh", rng), "zh")) for _ in range(20)) >= 5


def test_a_short_text_or_another_language_is_not_judged() -> None:
    assert shuffled("is the of and", "en") == ()
    assert shuffled("der die das und ist nicht ein " * 10, "de") == ()


def test_a_table_is_saved_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["The dog saw the cat.", "A cat saw the dog and the bird."] * 20
    order = WordOrder.of(texts, "en", {"the", "a", "dog", "cat", "saw"}, smoothing=1.0, least=0.1)
    order.save(tmp_path / "order-en.npz")
    monkeypatch.setattr("newsdesk.packaged.path", lambda part, *names: tmp_path / names[-1])
    loaded = WordOrder.load("en")
    assert (loaded.classes, loaded.least) == (order.classes, 0.1)
    assert np.abs(loaded.information - order.information).max() < 0.02
    number = {name: row for row, name in enumerate(order.classes)}
    assert order.information[number["the"], number["dog"]] > 0 > order.information[number["the"], number["the"]]  # fmt: skip
