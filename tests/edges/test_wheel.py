"""The wheel in an empty environment, with what it requires and no extra: what a new user has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.rankers.distinct import distinct_texts

PROJECT = Path(__file__).resolve().parents[2]


def required(name: str) -> set[str]:
    """The distributions that one requires without extras, and those that these require."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        for line in distribution(waiting.pop()).requires or ():
            needed = re.split(r"[^\w.-]", line)[0]
            # Requirements with a marker are those of extras.
            if ";" not in line and needed not in names:
                names.add(needed)
                waiting.append(needed)
    return names


def link(name: str, folder: Path) -> None:
    """Link an installed distribution into another environment: installing it anew would need a network."""
    installed = distribution(name)
    for top in {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}:
        (folder / top).symlink_to(str(installed.locate_file(top)))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment with the wheel of this project and what it requires."""
    folder = tmp_path_factory.mktemp("wheel")
    bare = folder / "environment"
    python = [sys.executable, "-m"]
    subprocess.run([*python, "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=PROJECT, check=True)  # fmt: skip
    subprocess.run([*python, "venv", "--without-pip", str(bare)], check=True)
    pip = [*python, "pip", "--disable-pip-version-check", "--python", str(bare / "bin" / "python")]
    offline = ["--no-deps", "--no-index", "--no-compile", *map(str, folder.glob("*.whl"))]
    subprocess.run([*pip, "install", "--quiet", *offline], check=True)
    (packages,) = bare.glob("lib/python*/site-packages")
    for name in required("newsdesk"):
        link(name, packages)
    return bare / "bin"


def run(environment: Path, folder: Path, *arguments: str) -> str:
    """What a command prints, started in the new environment and knowing nothing of this one."""
    done = subprocess.run(
        [environment / arguments[0], *arguments[1:]],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_plain_install_ranks_seven_hundred_comments_of_a_csv(
    environment: Path, tmp_path: Path
) -> None:
    texts = distinct_texts(700, "en")
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    (tmp_path / "comments.csv").write_text("\n".join(["text", *quoted]), "utf-8")
    known = "from importlib.metadata import distributions as d; print(*(x.name for x in d()))"
    installed = run(environment, tmp_path, "python", "-c", known).lower().split()
    assert "newsdesk" in installed and "wordllama" not in installed
    assert len(installed) == len(required("newsdesk")) + 1
    printed = run(environment, tmp_path, "newsdesk", "rank", "apply", "ready", "comments.csv", "--json")  # fmt: skip
    ranked = json.loads(printed)["comments"]
    assert sorted(each["text"] for each in ranked) == sorted(texts)
    assert [each["rank"] for each in ranked] == list(range(1, 701))
