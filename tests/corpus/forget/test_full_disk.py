"""A disk that is full in the middle of a release or of forgetting: one line, and nothing that looks finished."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.build.built import Newsroom

# A limit on the size of files fails a write just as a full disk does.
_RUN = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000)); "
    "from newsdesk.cli.main import run; run()"
)


@pytest.mark.parametrize(
    "words", [["release", "--text", "--license", "CC0-1.0"], ["forget", "--article", "nobody"]]
)
def test_a_full_disk_is_one_line_and_leaves_nothing_finished(
    newsroom: Newsroom, tmp_path: Path, words: list[str]
) -> None:
    verb, *options = words
    out = tmp_path / "out"
    command = ["corpus", verb, str(newsroom.corpus), "-o", str(out), *options]
    done = subprocess.run([sys.executable, "-c", _RUN, *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1), done.stderr
    assert not (out / "manifest.json").exists()
    assert not list(tmp_path.rglob("*.part"))
