"""The unfiltered comment corpus: all sizes and lengths, duplicates, and a truth that agrees with the texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, simulate
from newsdesk.corpus.comments.planning import cleaned, words_of
from newsdesk.simulate import write_world
from newsdesk.types import Thread
from tests.simulate.conftest import rows


def test_threads_have_0_to_2000_comments_of_all_lengths_and_likes() -> None:
    world = simulate.world(preset="raw", events=60, comments=24_000, seed=2)
    threads = list(world.threads())
    sizes = [len(thread.comments) for thread in threads]
    assert (len(sizes), sum(sizes), min(sizes), max(sizes)) == (60, 24_000, 0, 2_000)
    lengths = sorted(len(comment.text) for thread in threads for comment in thread.comments)
    assert lengths[0] < 10
    assert lengths[-1] > 1_000
    assert max(comment.likes or 0 for thread in threads for comment in thread.comments) > 300
    assert len({thread.article.category for thread in threads}) > 10


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_the_truth_agrees_with_the_texts(lang: str) -> None:
    world = simulate.world(preset="raw", events=70, comments=3_000, lang=lang, seed=5)
    repeated = 0
    texts: dict[str, str] = {}
    for thread, truth in zip(world.threads(), world.raw.truth(), strict=True):
        clean = cleaned(thread, duplicates=False)
        assert truth["article"] == thread.article.id
        assert (truth["comments"], truth["different"]) == (
            len(thread.comments),
            len(clean.comments),
        )
        assert truth["characters"] == [len(each.text.strip()) for each in clean.comments]
        assert truth["likes"] == [each.likes for each in clean.comments]
        if lang == "en":
            assert truth["words"] == len(words_of(thread.article.text, "en"))
            counts = [len(words_of(each.text, "en")) for each in clean.comments]
            assert truth["comment_words"] == counts
        assert ("of" in truth) == (thread.article.text in texts)
        if "of" in truth:
            assert texts[thread.article.text] == truth["of"]
        texts.setdefault(thread.article.text, thread.article.id)
        repeated += clean.repeated
    assert repeated > 100


def test_the_folder_holds_the_truth_of_every_thread(tmp_path: Path) -> None:
    world = simulate.world(preset="raw", events=5, comments=100)
    write_world(world, tmp_path / "world")
    assert len(list(records.read(tmp_path / "world/threads.jsonl", Thread))) == 5
    assert len(rows(tmp_path / "world/truth/threads.jsonl")) == 5
    assert rows(tmp_path / "world/judgments-constructive.jsonl") == []
