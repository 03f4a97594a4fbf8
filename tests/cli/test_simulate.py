"""`newsdesk simulate` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.simulate import PRESETS
from tests.cli.running import run


def test_a_world_is_written_checked_and_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "world"
    words = ["simulate", "--events", "4", "--comments", "30", "--seed", "7", "-o", str(out)]
    done = run(*words)
    assert done.returncode == 0
    assert done.stdout.strip() == str(out)
    assert done.stderr.startswith("simulated: ")
    checked = run("records", "check", *map(str, out.glob("*.jsonl")), str(out / "manifest.json"))
    assert checked.returncode == 0
    before = (out / "manifest.json").read_bytes()
    again = run(*words)
    assert (again.returncode, again.stdout) == (1, "")
    assert "add --force" in again.stderr
    assert run(*words, "--force").returncode == 0
    assert (out / "manifest.json").read_bytes() == before


def test_only_some_files_are_the_same_as_among_all(tmp_path: Path) -> None:
    words = ["simulate", "--preset", "constructive", "--events", "3", "--comments", "300"]
    assert run(*words, "-o", str(tmp_path / "all")).returncode == 0
    assert run(*words, "--only", "threads", "-o", str(tmp_path / "some")).returncode == 0
    names = sorted(path.name for path in (tmp_path / "some").iterdir())
    assert names == ["README.txt", "manifest.json", "threads"]
    for path in (tmp_path / "some" / "threads").iterdir():
        assert path.read_bytes() == (tmp_path / "all" / "threads" / path.name).read_bytes()
    assert run("records", "check", str(tmp_path / "some" / "manifest.json")).returncode == 0


def test_help_names_every_preset() -> None:
    shown = run("simulate", "--help").stdout
    assert all(name in shown for name in PRESETS)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--events", "0"], 2, "0 is not in the range"),
        (["--comments", "-1"], 2, "-1 is not in the range"),
        (["--seed", "-1"], 2, "-1 is not in the range"),
        (["--lang", "fr"], 2, "'fr' is not one of"),
        (["--lang", "en"], 2, "Missing option"),
        (["--preset", "pape"], 1, "did you mean 'paper'"),
        (["--only", "threats"], 1, "no file of a world begins with 'threats'"),
    ],
)
def test_a_wrong_option_is_explained(
    words: list[str], code: int, said: str, tmp_path: Path
) -> None:
    out = [] if said == "Missing option" else ["-o", str(tmp_path / "world")]
    done = run("simulate", *words, *out)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []
