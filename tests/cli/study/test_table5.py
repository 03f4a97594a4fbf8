"""`newsdesk study table5` as a user meets it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from newsdesk import samples, write
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.registry import SUMMARIZERS
from newsdesk.studies.table5 import baseline_of, table5

CLUSTERS = str(samples.path("clusters.jsonl"))
FAST = ("--samples", "50")
LSA = "tsr(encoder='lsa(dimensions=8)')"


def test_all_methods_are_in_the_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["study", "table5", CLUSTERS, "--against", "random", *FAST]) == 0
    said = capsys.readouterr().out
    shown = {
        "bertreg": "bertreg(encoder='wordllama')",
        "submodular+abs": "submodular+abs (deletions)",
    }
    for name in set(SUMMARIZERS) - {"llm"}:  # which asks a model that somebody names
        assert f"\n| {shown.get(name, name)} | 0." in said
    assert said.startswith("12 clusters.\n")
    assert "bertreg has the encoder wordllama here; the paper's is a BERT" in said
    assert "submodular+abs deletes words and writes none here" in said
    assert "R1-F minus that of random" in said
    assert "\n| tsr | +0." in said
    assert "Above oracle-multi in R1-F: no method in any cluster." in said
    assert "Above oracle-single in R1-F: oracle-multi in 4" in said


def test_one_command_fits_tunes_and_evaluates_with_the_rows_of_the_paper_on_one_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clusters = samples.clusters()
    for name, part in (("train", clusters[:5]), ("val", clusters[5:9]), ("test", clusters[9:])):
        write(tmp_path / f"{name}.jsonl.gz", part)
    page = tmp_path / "table5.html"
    files = ["--train", str(tmp_path / "train.jsonl.gz"), "--dev", str(tmp_path / "val.jsonl.gz")]
    methods = (
        f"centroid,submodular(diversity=2),{LSA},bertreg(encoder='lsa(dimensions=8)', epochs=1)"
    )
    words = ["study", "table5", str(tmp_path / "test.jsonl.gz"), *files, "--tune", "3"]
    chosen = [*words, "--methods", methods, "--against", "centroid", *FAST, "-o"]
    assert main([*chosen, str(page)]) == 0
    assert main([*chosen, str(tmp_path / "t.json")]) == 0
    html = unescape(page.read_text("utf-8"))
    result = json.loads((tmp_path / "t.json").read_text("utf-8"))
    assert len(re.findall(r"<td[^>]*>… in the paper, WCEP-100 test</td>", html)) == 4
    notes = result["notes"]
    assert [note.partition(",")[0] for note in notes[:5]] == [
        "Tuned: centroid",
        "Fitted: tsr: 309 sentences of 5 clusters",
        "Tuned: tsr",
        "Fitted: bertreg: 309 sentences of 5 clusters",
        "Tuned: bertreg",
    ]
    assert all(note in html for note in notes)
    assert re.search(r"redundancy \d\.\d of 0\.0 to 1\.0 on 3 clusters", notes[0])
    for row in result["systems"]:
        assert not any("-folds" in signature for signature in row["signatures"])
    assert result["systems"][1]["system"] == "submodular(diversity=2)"


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["--dev", CLUSTERS], 2, "--dev and --tune N go together"),
        (["--tune", "5"], 2, "--dev and --tune N go together"),
        (["--methods", "lead", "--encoder", "lsa"], 2, "in --methods name it"),
        (["--methods", "bertreg"], 1, "no encoder was chosen for bertreg"),
    ],
)
def test_what_is_missing_is_asked_for(
    words: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "table5", CLUSTERS, *words, *FAST]) == code
    assert reason in capsys.readouterr().err


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


def test_the_page_has_the_rows_of_the_paper_and_says_what_its_lead_oracle_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "table5", CLUSTERS, "--methods", "oracle-lead,lead,centroid", *FAST]
    assert main(words) == 0
    markdown = capsys.readouterr().out
    page = tmp_path / "x.html"
    assert main([*words, "-o", str(page)]) == 0
    html = unescape(page.read_text("utf-8"))
    rows = re.findall(r"^\| (… in the paper.*?) \| (.*) \|$", markdown, re.MULTILINE)
    assert [values for _, values in rows] == [
        "0.329 | 0.131 | 0.233 | 0.525 | 0.217 | 0.372",
        "0.341 | 0.133 | 0.251 | 0.388 | 0.154 | 0.290",
    ]
    for name, values in rows:
        cells = "".join(f'<td class="number">{each}</td>' for each in values.split(" | "))
        assert re.search(rf"<td[^>]*>{name}</td>{cells}", html)
    why = "cannot come from 40 words: F .329 and recall .525 imply a precision of .240"
    assert why in markdown
    assert why in html
    assert main([*words[:-3], "lead", *FAST]) == 0
    assert "cannot come from" not in capsys.readouterr().out


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


@pytest.mark.parametrize("against", ["centroid", "centroid(max_words=20)"])
def test_a_baseline_is_found_under_the_limit_of_the_study(
    against: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "table5", CLUSTERS, "--methods", "centroid,lead", "--max-words", "20", *FAST]
    assert main([*words, "--against", against]) == 0
    said = capsys.readouterr().out
    assert "| method | R1-F minus that of centroid(max_words=20) | p (Holm) |" in said
    assert "\n| lead(max_words=20) | +0." in said or "\n| lead(max_words=20) | -0." in said


def test_a_baseline_is_found_by_its_alias_or_as_the_only_one_of_its_name() -> None:
    assert baseline_of(["lead", "newsdesk"], "newsdesk") == "expected-rouge"
    assert baseline_of(["random", LSA], "tsr", seed=3) == LSA
    assert baseline_of(["random", "lead"], "random", seed=3) == "random(seed=3)"
    two = ["centroid(redundancy=0.2)", "centroid(redundancy=0.3)"]
    with pytest.raises(ArgumentError, match="no method here is called 'centroid'; there are"):
        baseline_of(two, "centroid")
    with pytest.raises(ArgumentError, match="no method here is called 'lead'"):
        baseline_of(two, "lead")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--methods", "centriod"], "did you mean 'centroid'?"),
        (["--methods", "lead", "--against", "laed"], "did you mean 'lead'?"),
        (["--methods", "lead", "--against", "centroid"], "no method here is called 'centroid'"),
        (["--methods", "lead", "-o", CLUSTERS], "exists already"),
    ],
)
def test_a_wrong_name_is_refused_before_any_file_is_read(
    words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "table5", str(tmp_path / "missing.jsonl"), *words]) == 1
    assert reason in capsys.readouterr().err


def test_references_in_a_language_that_nothing_supports_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    rows = [{"id": c.id, "lang": "xx", "references": ["A storm."]} for c in samples.clusters()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["study", "table5", CLUSTERS, "--methods", "lead", "--references", str(path)]
    assert main(words) == 1
    assert "language 'xx' is not an ISO 639-1 code" in capsys.readouterr().err
