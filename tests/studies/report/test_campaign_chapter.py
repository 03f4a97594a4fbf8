"""A campaign in a report: its JSON becomes a chapter with rank bars, a heat map of wins and a datasheet; so do correlations and comparisons."""

from __future__ import annotations

import dataclasses
import json
from html import escape
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.campaigns import Store, protocol, report_content, report_page
from newsdesk.campaigns.report.result import campaign_verdict
from newsdesk.campaigns.tasks import rank_tasks
from newsdesk.cli.main import main
from newsdesk.results.plots import heat_map, stacked, win_shares
from newsdesk.studies.report import read_report
from newsdesk.types import Reference, References


@pytest.fixture(scope="module")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('store') / 'x.db'}"
    known = [References(e.id, (Reference(e.summary),)) for e in samples.events()]
    tasks = rank_tasks(samples.outputs(), known)
    with Store.open(url) as store:
        people = ["ann", "ben", "cy"]
        store.create("ranks", protocol("rank"), tasks, people, per_item=3, seed=0, secret="s")
        of = {(task.item, target.id): task.id for task in tasks for target in task.targets}
        store.import_judgments(
            "ranks",
            [
                dataclasses.replace(j, campaign="ranks", task=of[j.item, j.target])
                for j in samples.judgments("rank")
            ],
        )
    return url


def test_the_report_of_a_campaign_is_json_that_a_study_report_knows(
    store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["campaign", "report", "ranks", "--store", store_url, "--json"]) == 0
    text = capsys.readouterr().out
    content = json.loads(text)
    assert content["results"]["kind"] == "rank" and '"ann"' not in text
    (tmp_path / "ranks.json").write_text(text)
    html = read_report([tmp_path / "ranks.json"]).html("Ranks")
    assert html.index("<svg") < html.index("<table")
    assert "pairwise wins, ties counted as half" in html and "place 1" in html
    assert "Datasheet of the human evaluation" in html and "to be filled in" in html
    assert "newsdesk campaign report ranks --json" in html
    assert main(["campaign", "report", "ranks", "--store", store_url]) == 2


def test_the_datasheet_is_filled_from_the_campaign(store_url: str) -> None:
    with Store.open(store_url) as store:
        content = report_content(store, "ranks")
        page = report_page(store, "ranks")
    answers = {entry["question"]: entry["answer"] for entry in content["datasheet"]}
    assert answers["Which protocol was used?"].startswith("rank, version")
    assert answers["How many annotators took part, and how many judged an item?"] == "3, 3 per item"
    assert answers["How far do annotators agree?"].startswith("Kendall")
    assert answers["How were they paid, and how much for an hour?"] == "to be filled in"
    verdict = campaign_verdict(content["results"])
    assert page.index(escape(verdict.sentence)) < page.index("<section")
    assert "Markdown, LaTeX, CSV" in page


def test_wins_are_shares_with_ties_as_half_and_empty_where_two_never_met() -> None:
    shares = win_shares([[0, 2, 0], [1, 0, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert shares == [[None, 0.625, None], [0.375, None, None], [None, None, None]]
    svg = heat_map(["a", "b", "c"], shares, "wins")
    assert ">0.62<" in svg and svg.count("0.38") == 1
    assert svg == heat_map(["a", "b", "c"], shares, "wins")
    assert ">place 2<" in stacked([("a", [3, 1])], ["place 1", "place 2"], "rankings")


def coefficient(value: float) -> dict[str, object]:
    return {"value": value, "ci": [value - 0.1, value + 0.1], "p": 0.001}


def test_correlations_show_the_best_metric_within_items(tmp_path: Path) -> None:
    rows = [
        {"metric": metric, "human": "grade", "level": level, "n": 20, "signature": f"{metric}|s"}
        | {name: coefficient(value) for name in ("pearson", "spearman", "kendall")}
        for level in ("pooled", "item")
        for metric, value in (("meteor", 0.5), ("w-meteor", 0.6), ("Human", 0.8))
    ]
    content = {"correlations": rows, "tests": [], "notes": ["Few items."]}
    (tmp_path / "c.json").write_text(json.dumps(content))
    (chapter,) = read_report([tmp_path / "c.json"]).chapters
    assert chapter.verdict.sentence == "w-meteor correlates best with grade within items."
    assert chapter.verdict.value == 0.6 and "Human" not in chapter.verdict.command
    assert "Few items." in chapter.section.html(1)


def test_a_comparison_of_systems_keeps_its_own_verdict(tmp_path: Path) -> None:
    measured = {"kind": "human", "ci": [0.1, 0.9], "parts": {}, "n": 9, "signature": "s"}
    systems = [
        {"system": name, "measures": {"overall": {**measured, "value": value, "groups": group}}}
        for name, value, group in (("a", 0.7, "A"), ("b", 0.4, "B"))
    ]
    content = {"systems": systems, "comparisons": [], "verdict": "a leads by overall."}
    (tmp_path / "s.json").write_text(json.dumps(content))
    (chapter,) = read_report([tmp_path / "s.json"]).chapters
    assert (chapter.verdict.sentence, chapter.verdict.value) == ("a leads by overall.", 0.7)
    assert "share a letter" in chapter.section.html(1)


def test_commands_write_pages_with_the_command_as_typed(tmp_path: Path) -> None:
    threads = tmp_path / "threads.jsonl"
    records.write(threads, samples.threads("en"))
    page = tmp_path / "eval.html"
    words = [
        "rank",
        "eval",
        "--threads",
        str(threads),
        "--baselines",
        "length,like",
        "--samples",
        "50",
    ]
    assert main([*words, "-o", str(page)]) == 0
    html = page.read_text("utf-8")
    assert f"newsdesk rank eval --threads {threads} --baselines length,like --samples 50<" in html
    assert "bLMP" in html and html.index("<svg") < html.index("<table")
