"""`kill -9` of a whole build at random moments: restarted, it ends in the bytes of an undisturbed run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from newsdesk import records
from tests.corpus.articles.test_articles import files_of
from tests.corpus.build.killing import build_under_fire, finish
from tests.corpus.build.newsroom import write_newsroom

SLOW = 'extractor = "tests.corpus.writing:slow"'


@pytest.mark.timeout(400)  # by the clock of a busy machine
def test_a_build_killed_five_times_ends_in_the_same_bytes(tmp_path: Path) -> None:
    settings = write_newsroom(tmp_path / "newsroom", SLOW)
    seconds = finish(settings, tmp_path / "calm", tmp_path / "calm-ledger")
    killed = build_under_fire(
        settings,
        tmp_path / "killed",
        tmp_path / "killed-ledger",
        kills=5,
        seconds=seconds,
        rng=random.Random(13),
    )
    assert killed.again == []
    calm, after = files_of(tmp_path / "calm"), files_of(tmp_path / "killed")
    assert calm.keys() == after.keys()
    assert [name for name in calm if calm[name] != after[name]] == []
    assert list(records.changed_files(tmp_path / "killed" / "manifest.json")) == []
