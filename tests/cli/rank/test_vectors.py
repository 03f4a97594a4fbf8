"""`newsdesk rank vectors` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main


def test_vectors_of_comments_are_a_file_that_networks_start_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    out, threads = tmp_path / "v.txt", samples.threads()[:8]
    first, second = str(tmp_path / "first.jsonl"), str(tmp_path / "second.jsonl")
    records.write(first, threads[:4])
    records.write(second, threads[4:])
    words = ["rank", "vectors", first, second, "--dimensions", "4", "--epochs", "1", "-o", str(out)]
    assert main(words) == 0
    comments = sum(len(each.comments) for each in threads)
    assert f"words of {comments} comments" in capsys.readouterr().err
    lines = out.read_text("utf-8").splitlines()
    assert lines[0] == f"{len(lines) - 1} 4"
    assert lines[1].split()[0] == "<unk>"
    spec = f"ranknet(vectors='{out}', dimensions=4, units=3, iterations=2)"
    assert main(["rank", "fit", "-m", spec, "--train", first, "-o", str(tmp_path / "m")]) == 0
    capsys.readouterr()
    assert main(words) == 1
    assert "exists already; add --force" in capsys.readouterr().err
    assert main([*words, "--force", "--min-count", "100000"]) == 1
    assert "no word comes 100000 times" in capsys.readouterr().err
    assert out.read_text("utf-8").splitlines() == lines
