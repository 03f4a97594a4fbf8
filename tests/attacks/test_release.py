"""A release of a stranger, consistent in itself, that wants to write outside the new corpus or to break who rebuilds it."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from newsdesk import records, samples
from newsdesk.corpus.release import write_release
from newsdesk.corpus.release.rebuild import rebuild
from newsdesk.errors import NewsdeskError


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with texts, which is rebuilt without pages."""
    corpus = tmp_path_factory.mktemp("release") / "corpus"
    corpus.mkdir()
    count = records.write(corpus / "clusters.jsonl", samples.clusters())
    records.write_manifest(corpus / "manifest.json", [(corpus / "clusters.jsonl", count)], spec="x")
    write_release(corpus, corpus.parent / "release", text=True, license="CC0-1.0")
    return corpus.parent / "release"


def sealed(folder: Path) -> None:
    """Write the manifest anew, as the stranger would: all hashes are right."""
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"
    )
    records.write_manifest(folder / "manifest.json", [(path, None) for path in files], spec="x")


NAMES: dict[str, dict[str, Any]] = {
    "a path upwards": {"name": "../evil.jsonl"},
    "a path upwards inside": {"name": "a/../../evil.jsonl"},
    "an absolute path": {"name": "/tmp/newsdesk-evil.jsonl"},
    "a hidden file": {"name": ".bashrc.jsonl"},
    "a hidden folder": {"name": ".work/texts.jsonl"},
    "the list of what is missing": {"name": "missing.jsonl"},
    "another kind of file": {"name": "evil.py"},
    "a line break": {"name": "a\nb.jsonl"},
    "no name": {"name": ""},
    "a table upwards": {"data": "../../clusters.parquet"},
    "a table elsewhere": {"data": "/etc/passwd"},
    "a pattern of tables": {"data": "data/*.parquet"},
    "a table that is not there": {"data": "data/none.parquet"},
    "parts of nothing": {"data": None, "parts": ["other.jsonl"]},
    "itself as its part": {"data": None, "parts": ["clusters.jsonl"]},
    "records of no kind": {"type": "os.system"},
    "records of another kind": {"type": "thread"},
    "a number for a name": {"name": 5},
}  # fmt: skip


def test_no_name_in_a_release_leads_anywhere_else(release: Path, tmp_path: Path) -> None:
    taken = []
    for what, changes in NAMES.items():
        folder, out = tmp_path / "release", tmp_path / "in" / "out"
        shutil.copytree(release, folder)
        described = json.loads((folder / "release.json").read_bytes())
        described["files"][0].update(changes)
        (folder / "release.json").write_text(json.dumps(described))
        sealed(folder)
        try:
            rebuild(folder, [], out)
            taken.append(what)
        except NewsdeskError as error:
            assert "\n" not in str(error), what
        assert [
            path.name for path in tmp_path.iterdir() if path.name not in ("release", "in")
        ] == []
        assert not Path("/tmp/newsdesk-evil.jsonl").exists()
        shutil.rmtree(folder)
        shutil.rmtree(tmp_path / "in", ignore_errors=True)
    assert taken == []


ROWS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "no articles": lambda row: {key: value for key, value in row.items() if key != "articles"},
    "articles that are texts": lambda row: {**row, "articles": ["a"]},
    "articles without ids": lambda row: {**row, "articles": [{"text": "x"}]},
    "ids that are numbers": lambda row: {**row, "articles": [{"id": 5, "text": "x"}]},
    "no id": lambda row: {key: value for key, value in row.items() if key != "id"},
    "a column of nobody": lambda row: {**row, "evil": "x"},
}


def test_rows_of_another_form_are_one_line(release: Path, tmp_path: Path) -> None:
    rows = pl.read_parquet(release / "data/clusters.parquet").to_dicts()[:1]
    wrong = {}
    for what, change in ROWS.items():
        folder = tmp_path / what
        shutil.copytree(release, folder)
        pl.DataFrame([change(row) for row in rows]).write_parquet(folder / "data/clusters.parquet")
        sealed(folder)
        try:
            rebuild(folder, [], tmp_path / "out", overwrite=True)
        except NewsdeskError:
            pass
        except BaseException as error:  # noqa: BLE001, polars panics with one that is no Exception
            wrong[what] = repr(error)
    assert wrong == {}


def test_a_damaged_table_is_one_line(release: Path, tmp_path: Path) -> None:
    """Bytes flipped at random places, in the data and in the footer that says what it is."""
    folder = tmp_path / "release"
    shutil.copytree(release, folder)
    table = folder / "data/clusters.parquet"
    whole = table.read_bytes()
    rng = random.Random(0)
    wrong: dict[str, int] = {}
    for number in range(60):
        damaged = bytearray(whole)
        start = len(whole) - 1500 if number % 2 else 0  # the footer is at the end
        for _ in range(3):
            damaged[rng.randrange(start, len(whole))] ^= 1 << rng.randrange(8)
        table.write_bytes(damaged)
        sealed(folder)
        try:
            rebuild(folder, [], tmp_path / "out", overwrite=True)
        except NewsdeskError:
            pass
        except BaseException as error:  # noqa: BLE001, polars panics with one that is no Exception
            wrong[repr(error)[:150]] = number
    assert wrong == {}
