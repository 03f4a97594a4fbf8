"""Each protocol from files to the report by the command: sheets filled in by people who know a truth, one misuse, one kill in the middle."""

from __future__ import annotations

import csv
import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.campaigns import Store, import_files
from newsdesk.types import Judgment
from tests.campaigns.workers import killed_at_commit
from tests.campaigns.worlds import AT
from tests.cli.running import run

# What the annotators of every story think of the systems: the best first.
ORDER = ("lead", "entities", "shaky", "random")
STORIES = ("best-worst", "da", "pairwise", "multi-label", "spans", "likert")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Files of the sample newsroom, and the system of each text."""
    folder = tmp_path_factory.mktemp("newsroom")
    outputs = list(samples.outputs())
    systems = dict(zip(dict.fromkeys(each.system for each in outputs), ORDER, strict=True))
    # Where two systems wrote the same, nobody could tell one from the other.
    texts = {
        item: {each.text for each in outputs if each.id == item}
        for item in dict.fromkeys(each.id for each in outputs)
    }
    items = [item for item, different in texts.items() if len(different) == len(systems)][:7]
    kept = [each for each in outputs if each.id in items]
    renamed = [type(each)(each.id, systems[each.system], each.text) for each in kept]
    records.write(folder / "outputs.jsonl", renamed)
    records.write(folder / "clusters.jsonl", samples.clusters())
    return folder, {" ".join(each.text.split()): each.system for each in renamed}


def filled(protocol: str, texts: list[str], systems: dict[str, str]) -> list[dict[str, object]]:
    """What somebody who knows the order writes into the rows of a task."""
    letters = "ABCDEFG"
    named: list[str] = []
    for text in texts:
        same = named[letters.index(text[-1])] if text.startswith("same as ") else ""
        named.append(same or systems[" ".join(text.split())])
    places = [ORDER.index(name) for name in named]
    if protocol == "best-worst":
        best, worst = places.index(min(places)), len(places) - 1 - places[::-1].index(max(places))
        return [
            {"overall": "best" if n == best else "worst" if n == worst else ""}
            for n in range(len(places))
        ]
    if protocol == "pairwise":
        return [{"overall": sorted(set(places)).index(place) + 1} for place in places]
    [place] = places
    if protocol == "da":
        return [{"score": 90 - 20 * place}]
    if protocol == "likert":
        return [dict.fromkeys(("informative", "fluent", "coherent", "faithful"), 5 - place)]
    if protocol == "spans":
        first = texts[0].split(maxsplit=2)
        return [{"unsupported": "none" if place < 2 else " ".join(first[:2]), "unclear": "none"}]
    return [{"opinion": "yes" if place < 2 else "no", "attack": "yes" if place == 3 else "no"}]


def fill(path: Path, protocol: str, systems: dict[str, str]) -> None:
    """Fill in a sheet."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    names = [name.split("\n")[0] for name in header]
    for _, group in groupby(rows, key=lambda row: row[0].split("-")[0].split(".")[0]):
        task = list(group)
        texts = [row[names.index("text")].removeprefix("'") for row in task]
        for row, answers in zip(task, filled(protocol, texts, systems), strict=True):
            for question, value in answers.items():
                row[names.index(question)] = str(value)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def import_sheet(store: Store, path: str) -> None:
    import_files(store, "story", [path], at=AT)


@pytest.mark.parametrize("protocol", STORIES)
def test_a_protocol_from_outputs_to_the_report(
    protocol: str, files: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    folder, systems = files
    url = f"sqlite:///{tmp_path}/store.db"

    def newsdesk(*words: str) -> Any:
        done = run("campaign", *words, "--store", url)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # The misuse: without texts there is nothing to judge, and nothing is stored.
    refused = run(
        "campaign", "new", "story", "--protocol", protocol, "--annotators", "ann", "--store", url
    )
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "--threads, or files of outputs" in refused.stderr
    newsdesk(
        "new", "story", f"{folder}/outputs.jsonl", "--protocol", protocol,
        "--references", f"{folder}/clusters.jsonl", "--annotators", "ann,ben,cy", "--per-item", "2", "--seed", "7",
    )  # fmt: skip
    newsdesk("sheets", "story", "-o", f"{tmp_path}/sheets", "--csv")
    sheets = [f"{tmp_path}/sheets/{name}.csv" for name in ("ann", "ben", "cy")]
    for sheet in sheets:
        fill(Path(sheet), protocol, systems)
    # The kill: nothing of the sheet is there, and importing it again stores all of it.
    killed_at_commit(url, import_sheet, sheets[0])
    with Store.open(url) as store:
        assert list(store.judgments("story")) == []
        assert store.imports("story") == []
    counted = json.loads(newsdesk("import", "story", *sheets, "--json"))["files"]
    assert [each["faults"] for each in counted] == [[], [], []]
    again = json.loads(newsdesk("import", "story", *sheets, "--json"))["files"]
    assert [each["new"] + each["corrected"] for each in again] == [0, 0, 0]
    assert [each["unchanged"] for each in again] == [each["new"] for each in counted]
    report = json.loads(newsdesk("report", "story", "--json"))
    check(protocol, report["results"])
    agreed = [row for row in report["agreement"] if row["value"] is not None]
    # Standard scores are of the texts that somebody happened to get.
    assert all(
        row["value"] > 0.5 if "standardised" in row["measure"] else row["value"] > 0.99
        for row in agreed
    )
    newsdesk("report", "story", "-o", f"{tmp_path}/report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "What people said" in page and "lead" in page
    newsdesk("judgments", "story", "-o", f"{tmp_path}/j.jsonl")
    read = list(records.read(tmp_path / "j.jsonl", Judgment))
    assert len(read) == sum(each["new"] for each in counted)


def check(protocol: str, results: dict[str, Any]) -> None:
    """The report has the order that the annotators agree on, by the measure of the protocol."""
    if protocol == "pairwise":
        [standing] = results["questions"]
        strengths = {each["system"]: each["strength"] for each in standing["systems"]}
        assert sorted(strengths, key=lambda name: -strengths[name]) == list(ORDER)
        return
    criterion = results["criteria"][0]
    if protocol == "best-worst":
        order = [row["system"] for row in criterion["choices"]]
        assert (order[0], order[-1]) == ("lead", "random")
        assert criterion["choices"][0]["strength"] > criterion["choices"][-1]["strength"]
        return
    values = {row["name"]: row["value"] for row in criterion["systems"]}
    if protocol in ("da", "likert"):
        assert sorted(values, key=lambda name: -values[name]) == list(ORDER)
    elif protocol == "spans":
        assert values["lead"] == 0 < values["random"]
        assert len(results["criteria"]) == 2
    else:
        assert values == {"lead": 1, "entities": 1, "shaky": 0, "random": 0}
        attack = results["criteria"][-1]
        assert {row["name"]: row["value"] for row in attack["systems"]}["random"] == 1
    if protocol == "da":
        assert {row["name"]: row["value"] for row in criterion["raw"]}["lead"] == 90


@pytest.mark.parametrize(
    ("protocol", "change", "fault"),
    [
        ("best-worst", ("worst", "best"), "2 texts are 'best'"),
        ("da", ("90", "900"), "not a whole number from 0 to 100"),
        ("spans", ("none", "words that nobody wrote"), "does not stand in the text"),
        ("likert", ("5", "6"), "is not one of 1, 2, 3, 4, 5"),
    ],
)
def test_a_cell_that_is_no_answer_is_named_and_the_rest_is_stored(
    protocol: str,
    change: tuple[str, str],
    fault: str,
    files: tuple[Path, dict[str, str]],
    tmp_path: Path,
) -> None:
    folder, systems = files
    url = f"sqlite:///{tmp_path}/store.db"
    new = run(
        "campaign", "new", "story", f"{folder}/outputs.jsonl", "--protocol", protocol, "--annotators", "ann",
        "--per-item", "1", "--store", url,
    )  # fmt: skip
    assert new.returncode == 0, new.stderr
    run("campaign", "sheets", "story", "-o", f"{tmp_path}", "--csv", "--store", url)
    sheet = tmp_path / "ann.csv"
    fill(sheet, protocol, systems)
    wrong, right = sheet.read_text("utf-8"), f",{change[0]},r"
    assert right in wrong
    sheet.write_text(wrong.replace(right, f",{change[1]},r", 1), "utf-8")
    done = run("campaign", "import", "story", str(sheet), "--store", url)
    assert done.returncode == 3
    assert fault in done.stdout + done.stderr
    with Store.open(url) as store:
        assert store.status("story").done == store.status("story").tasks - 1
