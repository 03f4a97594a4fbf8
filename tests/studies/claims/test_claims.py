"""Claims of papers: reproduced, drifted, not obtainable; nothing but newsdesk runs, and nothing is written outside the working folder."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from newsdesk.cli.main import main
from newsdesk.errors import DataError, NewsdeskError
from newsdesk.studies.claims import check_claims, read_claims, shipped_claims
from newsdesk.studies.claims.runner import check_arguments
from newsdesk.studies.report import read_report

OUTPUTS = '{"id": "a", "system": "s", "text": "the cat sat"}\n'
REFERENCES = '{"id": "a", "references": ["the cat sat down"]}\n'
RUN = '["score", "{outputs}", "--references", "{references}", "--metrics", "rouge-1", "--json"]'
AT = '["scores", { system = "s", metric = "{column}" }, "value"]'


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def claims_text(claims: str, *, outputs: str = OUTPUTS) -> str:
    return f"""
format = 1
paper = "A paper"
[data.outputs]
path = "outputs.jsonl"
sha256 = "{sha256(outputs)}"
[data.references]
path = "references.jsonl"
sha256 = "{sha256(REFERENCES)}"
{claims}
"""


def claim(name: str, value: float, *, run: str = RUN, more: str = "") -> str:
    at = AT.replace("{column}", "rouge-1")
    return f'[[claims]]\nid = "{name}"\nwhere = "Table 1"\nvalue = {value}\nrun = {run}\nat = {at}\n{more}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outputs.jsonl").write_text(OUTPUTS)
    (tmp_path / "references.jsonl").write_text(REFERENCES)
    return tmp_path


def write(folder: Path, claims: str) -> Path:
    path = folder / "claims.toml"
    path.write_text(claims_text(claims))
    return path


def test_a_number_is_reproduced_or_drifted_by_a_difference(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Three of three words are right, three of four are found: F = 6/7.
    right, wrong = claim("right", 0.857), claim("wrong", 0.8)
    path = write(folder, right + wrong)
    assert main(["study", "claims", str(path), "--json"]) == 3
    content = json.loads(capsys.readouterr().out)
    first, second = content["claims"]
    assert (first["answer"], second["answer"]) == ("reproduced", "drifted")
    assert second["drift"] == pytest.approx(6 / 7 - 0.8) and second["fails"]
    assert (content["reproduced"], content["drifted"], content["not_obtainable"]) == (1, 1, 0)
    assert first["data"] == {"outputs": sha256(OUTPUTS), "references": sha256(REFERENCES)}
    assert first["command"].startswith("newsdesk score '{outputs}'")
    (folder / "checked.json").write_text(json.dumps(content))
    html = read_report([folder / "checked.json"]).html("Claims")
    assert "1 reproduced, 1 drifted" in html and "newsdesk score" in html


def test_a_table_of_numbers_is_obtained_by_one_command_and_exits_with_zero(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = f"""
[[claims]]
id = "table"
where = "Table 2"
columns = ["R1", "R2"]
names = {{ R1 = "rouge-1", R2 = "rouge-2" }}
scale = 100
tolerance = 0.05
rows.s = [85.7, 80.0]
run = {RUN.replace('"rouge-1"', '"rouge-1,rouge-2"')}
at = ["scores", {{ system = "{{row}}", metric = "{{column}}" }}, "value"]
[[claims]]
id = "theirs"
where = "Table 3"
value = 3.6
obtainable = false
reason = "the grades are not at hand"
counterpart = "table"
"""
    path = write(folder, table)
    before = sorted(folder.iterdir())
    assert main(["study", "claims", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "2 reproduced" in shown
    assert "not obtainable: the grades are not at hand; simulated counterpart: table" in shown
    assert sorted(folder.iterdir()) == before


def test_other_bytes_than_those_of_the_paper_are_said(folder: Path) -> None:
    path = write(folder, claim("right", 0.857))
    (folder / "outputs.jsonl").write_text(OUTPUTS.replace("cat", "dog"))
    (checked,) = check_claims(read_claims(path))
    assert checked.answer == "not obtainable" and checked.fails
    assert checked.reason.startswith("hash mismatch: data 'outputs' has sha256")
    assert sha256(OUTPUTS)[:12] in checked.reason


def test_missing_data_fails_unless_the_file_says_where_to_get_it(folder: Path) -> None:
    path = write(folder, claim("right", 0.857))
    (folder / "outputs.jsonl").unlink()
    (checked,) = check_claims(read_claims(path))
    assert "is missing" in checked.reason and checked.fails
    text = path.read_text().replace(
        'path = "outputs.jsonl"', 'path = "outputs.jsonl"\nsource = "ask us"'
    )
    path.write_text(text)
    (checked,) = check_claims(read_claims(path))
    assert (
        checked.reason == "data 'outputs' is not at hand: ask us; name it with --data outputs=FILE"
        and not checked.fails
    )


@pytest.mark.parametrize(
    "words",
    [
        ["sh", "-c", "true"],
        ["serve"],
        ["demo", "-o", "x"],
        ["study", "claims", "other.toml"],
        ["corpus", "archive", "x"],
        ["/bin/sh"],
        ["score", "/etc/passwd"],
        ["score", "../x.jsonl"],
        ["score", "a/../../x.jsonl"],
        ["score", "x", "--out=/tmp/x"],
        ["score", "x", "-o", "~/x"],
        ["summarize", "x", "--method", "tsr(model='/x')"],
        ["summarize", "x", "--method", "tsr(model='../x')"],
        ["campaign", "status", "x", "--store", "sqlite:////x.db"],
        ["campaign", "status", "x", "--store", "postgresql://host/db"],
        ["corpus", "stats", "s3://bucket/x"],
    ],
    ids=" ".join,
)
def test_nothing_but_newsdesk_inside_the_folder_may_be_run(words: list[str], folder: Path) -> None:
    with pytest.raises(NewsdeskError, match=r"may not run|leaves the folder"):
        check_arguments(words)
    run = json.dumps([*words, "{outputs}"])
    (checked,) = check_claims(read_claims(write(folder, claim("bad", 1.0, run=run))))
    assert checked.answer == "not obtainable" and checked.fails
    assert "may not run" in checked.reason or "leaves the folder" in checked.reason


def test_the_process_itself_refuses_to_write_outside_to_connect_and_to_start_programs(
    tmp_path: Path,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to(tmp_path)
    code = """
import os, socket, sqlite3, subprocess, sys
from newsdesk.studies.claims.confined import RefusedError, confine
confine(sys.argv[1])
outside = os.path.join(sys.argv[1], "..", "x")
def refused(action):
    try:
        action()
    except RefusedError:
        return True
    return False
open("inside", "w").close(); os.mkdir("folder");
print([refused(action) for action in (
    lambda: open(outside, "w"), lambda: open("link/x", "a"), lambda: os.open(outside, os.O_CREAT | os.O_WRONLY),
    lambda: os.mkdir(outside), lambda: os.rename("inside", outside), lambda: os.remove(outside), lambda: os.symlink("inside", outside),
    lambda: sqlite3.connect(outside), lambda: subprocess.run(["true"]), lambda: os.system("true"),
    lambda: socket.create_connection(("127.0.0.1", 9)), lambda: open("inside"),
)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(work)], cwd=work, capture_output=True, text=True
    )
    assert done.stdout.strip() == str([True] * 11 + [False]), done.stderr
    assert list(tmp_path.iterdir()) == [work]


def test_data_behind_a_link_that_leaves_the_folder_is_not_read(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "outputs.jsonl").symlink_to(folder / "outputs.jsonl")
    (inner / "references.jsonl").write_text(REFERENCES)
    (checked,) = check_claims(read_claims(write(inner, claim("x", 0.857))))
    assert "leaves the folder" in checked.reason


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ('[[claims]]\nid = "x"\nwhere = "T"\nvalue = 1\nrun = "newsdesk score"\n', "not a list"),
        (claim("x", 1, run='["score", "x.jsonl", "--json"]'), "names no data"),
        (claim("x", 1) * 2, "there twice"),
        (claim("x", 1, more="shell = true"), "unknown key `shell`"),
        (claim("x", 1, more='counterpart = "y"'), "no claim 'y'"),
        ('[[claims]]\nid = "x"\nwhere = "T"\nvalue = 1\nobtainable = false\n', "does not say why"),
        (claim("x", 1).replace("value = 1", "value = true"), "no number"),
        (claim("x", 1).replace("value = 1", 'columns = ["a"]\nrows.r = [1, 2]'), "2 numbers for 1"),
        ('[data.up]\npath = "../x"\nsha256 = "' + "0" * 64 + '"\n', "leaves the folder"),
        ('[data.up]\npath = "x"\nsha256 = "abc"\n', "64 hexadecimal"),
        ('[data.up]\npath = "x"\nstep = "s"\nsha256 = "' + "0" * 64 + '"\n', "which is not there"),
    ],
)
def test_a_claims_file_that_says_too_little_is_refused(
    claims: str, reason: str, folder: Path
) -> None:
    with pytest.raises(DataError, match=reason):
        read_claims(write(folder, claims))


UNHASHED = """
format = 1
paper = "A paper"
[data.outputs]
path = "theirs/outputs.jsonl"
source = "ask us"
form = "outputs"
simulated = "world/outputs.jsonl"
step = "world"
[data.references]
path = "theirs/references.jsonl"
source = "ask us"
simulated = "world/references.jsonl"
step = "world"
[[steps]]
name = "world"
run = ["simulate", "--events", "3", "--comments", "10", "--seed", "7", "-o", "world"]
[[claims]]
id = "table"
where = "Table 1"
columns = ["rouge-1", "rouge-2"]
tolerance = { "rouge-2" = 0.3 }
rows."S" = [0.857, 1.0]
rows."absent" = [0.5, 0.5]
names = { "S" = "s(*)" }
simulated_names = { "S" = "sim-ir-t" }
run = ["score", "{outputs}", "--references", "{references}", "--metrics", "rouge-1,rouge-2", "--json"]
at = ["scores", { system = "{row}", metric = "{column}" }, "value"]
"""


@pytest.fixture
def unhashed(tmp_path: Path) -> Path:
    path = tmp_path / "claims.toml"
    path.write_text(UNHASHED)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "outputs.jsonl").write_text(OUTPUTS.replace('"s"', '"s(beams=2)"'))
    (folder / "references.jsonl").write_text(REFERENCES)
    return path


def test_data_without_a_hash_is_taken_from_the_folder_that_the_user_names(
    unhashed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = unhashed.parent / "mine"
    assert main(["study", "claims", str(unhashed), "--data", f"theirs={mine}", "--json"]) == 3
    content = json.loads(capsys.readouterr().out)
    first, second, *absent = content["claims"]
    # Two of two bigrams are right, two of three are found: F = 0.8, within the column's tolerance of 1.0.
    assert (first["answer"], second["answer"]) == ("reproduced", "reproduced")
    assert second["drift"] == pytest.approx(-0.2)
    assert first["data"]["references"] == sha256(REFERENCES)
    assert {each["reason"] for each in absent} == {
        "the result has 0 rows with system = 'absent', metric = 'rouge-1', not one",
        "the result has 0 rows with system = 'absent', metric = 'rouge-2', not one",
    }


def test_one_file_is_named_by_its_data_and_what_is_missing_is_said(unhashed: Path) -> None:
    mine = unhashed.parent / "mine"
    checked = check_claims(read_claims(unhashed), places={"outputs": str(mine / "outputs.jsonl")})
    assert {(each.answer, each.fails) for each in checked} == {("not obtainable", False)}
    assert checked[0].reason == (
        "data 'references' is not at hand: ask us; name it with --data theirs=FOLDER or --data references=FILE"
    )
    assert "; form: outputs; name" in check_claims(read_claims(unhashed))[0].reason


def test_a_name_that_no_claims_have_and_a_file_that_is_not_there_are_refused(
    unhashed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "claims", str(unhashed), "--data", "clusters=x"]) == 1
    assert "no data 'clusters'" in capsys.readouterr().err
    assert main(["study", "claims", str(unhashed), "--data", "theirs=x"]) == 1
    assert "no file or folder 'x'" in capsys.readouterr().err


def test_simulated_files_stand_for_data_and_their_drift_is_no_failure(unhashed: Path) -> None:
    checked = check_claims(read_claims(unhashed), simulated=True)
    assert all(each.simulated for each in checked)
    drifted, _, *absent = checked
    assert (drifted.answer, drifted.fails) == ("drifted", False)
    assert all(
        each.fails for each in absent
    )  # a command that does not give its number is a failure


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('source = "ask us"\nform', "form", "no `sha256`, no `step`"),
        ('"rouge-2" = 0.3', '"rouge-3" = 0.3', "no row or column"),
    ],
)
def test_unbound_data_and_tolerances_of_nothing_are_refused(
    unhashed: Path, old: str, new: str, reason: str
) -> None:
    text = unhashed.read_text().replace(old, new)
    unhashed.write_text(text.replace('simulated = "world/outputs.jsonl"\nstep = "world"\n', "", 1))
    with pytest.raises(DataError, match=reason):
        read_claims(unhashed)


def test_the_claims_of_four_papers_come_with_newsdesk_and_bind_every_table() -> None:
    files = {name: read_claims(name) for name in shipped_claims()}
    assert set(files) == {"fujita-2019", "gholipour-2020", "guide-for-evaluators", "qin-2018"}
    for file in files.values():
        simulated = {claim.id for claim in file.claims if claim.simulated}
        assert simulated and all(name.startswith("simulated-") for name in simulated)
        # The guide prints no results; of the papers every claim has a command.
        unbound = {claim.id for claim in file.claims if not claim.obtainable}
        assert unbound == ({"workbook"} if "guide" in file.file else set())
        for claim in file.claims:
            named = [file.data[name] for name in claim.data]
            if claim.obtainable and not claim.simulated:
                assert any(data.source for data in named), claim.id
                assert all(data.simulated or not data.source for data in named), claim.id
        assert "not shipped" in file.note or "no results" in file.note
    sizes = {
        name: sum(len(claim.numbers) for claim in file.claims if not claim.simulated)
        for name, file in files.items()
    }
    assert sizes == {
        "fujita-2019": 78, "gholipour-2020": 103, "guide-for-evaluators": 2, "qin-2018": 88,
    }  # fmt: skip
    with pytest.raises(NewsdeskError, match="comes with claims of fujita-2019"):
        read_claims("unknown-2020")


def test_claims_of_a_paper_run_on_the_simulated_data_that_stands_for_its_own() -> None:
    checked = check_claims(read_claims("gholipour-2020"), only="table4", simulated=True)
    assert len(checked) == 20
    assert {each.answer for each in checked} == {"reproduced", "drifted"}
    assert not any(each.fails for each in checked)


def test_the_simulated_counterpart_of_a_shipped_table_is_reproduced() -> None:
    checked = check_claims(read_claims("qin-2018"), only="simulated-table4")
    assert len(checked) == 40
    assert {each.answer for each in checked} == {"reproduced"}


def test_pairs_gain_from_deep_and_regression_from_shallow_in_the_simulated_counterpart() -> None:
    numbers = {
        (claim.id.rpartition("-")[2], number.row, number.column): number.value
        for claim in read_claims("fujita-2019").claims
        if claim.simulated
        for number in claim.numbers
    }
    for column in ("NDCG@1", "NDCG@5", "NDCG@10"):
        for ranker in ("RankSVM", "RankNet"):
            assert numbers["high", ranker, column] < 0
        for ranker in ("SVR", "LSTMReg"):
            assert numbers["difference", ranker, column] > 0
    assert numbers["low", "SVR", "NDCG@10"] > 0
    assert numbers["low", "LSTMReg", "NDCG@5"] > 0
