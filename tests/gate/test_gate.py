"""The quality gate: real data stays above the pinned floors, and floors do not sink in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import gate
from bench.gate import Pinned


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [name for name, row in gate.ROWS.items() if row.fast])
def test_a_fast_row_stays_above_its_floors(name: str, shared_data: Path) -> None:
    row = gate.ROWS[name]
    data = gate.digests(row, shared_data)
    assert gate.faults(name, row.measure(shared_data), data, gate.read_floors().get(name)) == []


def test_every_row_has_floors_and_every_floor_a_row() -> None:
    assert gate.read_floors().keys() == gate.ROWS.keys()


def test_a_folder_of_data_has_a_digest_of_the_names_and_contents_of_its_files(
    tmp_path: Path,
) -> None:
    (tmp_path / "x").mkdir()
    file = tmp_path / "x" / "a.html"
    file.write_text("one")
    seen = {gate.digest(tmp_path)}
    file.write_text("two")
    seen.add(gate.digest(tmp_path))
    file.rename(tmp_path / "x" / "b.html")
    seen.add(gate.digest(tmp_path))
    assert len(seen) == 3


def test_a_measure_below_its_floor_or_on_other_data_is_a_fault() -> None:
    pinned = Pinned({"a.jsonl": "12"}, {"f1": 0.5})
    assert gate.faults("row", {"f1": 0.5}, {"a.jsonl": "12"}, pinned) == []
    assert len(gate.faults("row", {"f1": 0.49}, {"a.jsonl": "34"}, pinned)) == 2
    assert len(gate.faults("row", {"f1": 0.5, "new": 1.0}, {"a.jsonl": "12"}, pinned)) == 1
    assert len(gate.faults("row", {}, {}, None)) == 1


def test_an_update_raises_floors_and_refuses_to_lower_one_in_silence() -> None:
    pinned = Pinned({}, {"f1": 0.5})
    assert gate.updated("row", {"f1": 0.6}, {}, pinned, None).floors == {"f1": 0.599}
    with pytest.raises(SystemExit, match="would get a lower floor"):
        gate.updated("row", {"f1": 0.4}, {}, pinned, None)
    lowered = gate.updated("row", {"f1": 0.4}, {}, pinned, "other data")
    assert (lowered.floors, lowered.why) == ({"f1": 0.399}, "other data")


def test_floors_are_written_and_read_back(tmp_path: Path) -> None:
    rows = {'a, "b"': Pinned({"x/y.jsonl": "12"}, {"f1": 0.5, "ndcg@5": 0.25}, "said so")}
    gate.write_floors(rows, tmp_path / "gate.toml")
    assert gate.read_floors(tmp_path / "gate.toml") == rows
