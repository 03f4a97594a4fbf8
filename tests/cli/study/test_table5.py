"""`newsdesk study table5` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.cli.main import main
from newsdesk.registry import SUMMARIZERS
from newsdesk.studies.table5 import table5

CLUSTERS = str(samples.path("clusters.jsonl"))
FAST = ("--samples", "50")
LSA = "tsr(encoder='lsa(dimensions=8)')"


def test_all_methods_are_in_the_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["study", "table5", CLUSTERS, "--against", "random", *FAST]) == 0
    said = capsys.readouterr().out
    for name in SUMMARIZERS:
        assert f"\n| {name} | 0." in said
    assert said.startswith("12 clusters.\n")
    assert "R1-F minus that of random" in said
    assert "\n| tsr | +0." in said
    assert "Above oracle-multi in R1-F: no method in any cluster." in said
    assert "Above oracle-single in R1-F: oracle-multi in 4" in said


def test_json_holds_values_intervals_tests_and_signatures(tmp_path: Path) -> None:
    out = tmp_path / "t.json"
    methods = f"oracle-multi, centroid, {LSA}"
    words = ["study", "table5", CLUSTERS, "--methods", methods, "--against", "centroid"]
    assert main([*words, "--json", "-o", str(out), *FAST]) == 0
    written = json.loads(out.read_text("utf-8"))
    found = table5(samples.clusters(), ["oracle-multi", "centroid", LSA], samples=50)
    for row, expected in zip(written["systems"], found.rows, strict=True):
        assert row["system"] == expected.system
        assert row["R1-F"]["value"] == expected.scores["R1-F"].value
        assert row["RL-R"]["ci"] == list(expected.scores["RL-R"].ci or ())
        assert row["signatures"] == list(expected.signatures)
    assert {row["system"] for row in written["against"]} == {"oracle-multi", found.rows[2].system}
    assert written["above_oracle"] == {"oracle-multi": {"centroid": [], found.rows[2].system: []}}
    assert main([*words, "--json", "-o", str(out), *FAST]) == 1


def test_several_references_are_read_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    rows = [
        {"id": each.id, "references": [each.summary, "A storm."]} for each in samples.clusters()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["study", "table5", CLUSTERS, "--methods", "lead", "--references", str(path), *FAST]
    assert main(words) == 0
    assert "|mean-over-references`" in capsys.readouterr().out
