"""`newsdesk corpus cluster`: events from articles alone, their ids, explanations and bytes."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.cluster.headline import central, headline_of, lead_of
from newsdesk.corpus.cluster.measured import adjusted_rand, b_cubed
from newsdesk.corpus.cluster.pairs import ready_pair_model
from newsdesk.corpus.cluster.run import Clustered, ClusterSettings, cluster_files, gathered
from newsdesk.errors import ArgumentError
from newsdesk.files import file_digest
from newsdesk.types import Article, Cluster
from newsdesk.work import Running
from newsdesk.work.ledger import DayCache

STORIES = {
    "dam": "The Kelmar dam broke on Monday and water flooded Ostrava valley, engineers of Hydrovia said. Rescuers in boats searched the village of Tresk for survivors.",
    "vote": "Parliament in Lindava voted to abolish the harvest tax. Finance minister Orla Quist called the ballot a victory for farmers.",
    "whale": "Biologists counted forty humpback whales near Cape Morrow, the highest number since hunting ended. The survey used drones.",
}


def article(name: str, story: str, day: str | None, more: str = "") -> Article:
    return Article(name, f"{STORIES[story]} {more}", title=f"Report on the {story}", date=day)


ROWS = [
    article("a1", "dam", "2031-03-01"),
    article("a2", "vote", "2031-03-01"),
    article("b1", "dam", "2031-03-02", "Officials opened an inquiry into the Kelmar dam."),
    article("b2", "whale", "2031-03-02"),
    article("c1", "vote", "2031-03-03", "Quist thanked deputies in Lindava."),
    article("z1", "dam", "2031-04-20", "A year later nobody recalls Tresk."),
]


def folder_of(path: Path, rows: Sequence[Article]) -> Path:
    source = path.with_suffix(".jsonl")
    records.write(source, rows, overwrite=True)
    form = Extraction(any_form=True)
    build_articles([str(source)], path, extraction=form, running=Running("inline"))
    return path


def cluster(folder: Path, cache: Path, **settings: int) -> tuple[Clustered, list[Cluster]]:
    files = article_files(folder)
    chosen = ClusterSettings(**settings)
    done = cluster_files(
        files, DayCache(cache), names=[file_digest(file.path) for file in files], settings=chosen
    )
    return done, list(gathered(done, files, chosen))


def groups(clusters: Sequence[Cluster]) -> set[frozenset[str]]:
    return {frozenset(row.id for row in each.articles) for each in clusters}


def test_articles_of_one_event_are_one_cluster_while_it_is_open(tmp_path: Path) -> None:
    done, clusters = cluster(folder_of(tmp_path / "in", ROWS), tmp_path / "cache")
    assert groups(clusters) == {
        frozenset(("a1", "b1")),
        frozenset(("a2", "c1")),
        frozenset(("b2",)),
        frozenset(("z1",)),
    }
    [joined] = [each for day in done.days.values() for each in day if each.article == "b1"]
    assert joined.nearest == "a1"
    assert {"kelmar", "tresk"} & set(joined.shared)
    assert joined.probability is not None
    assert joined.probability >= ready_pair_model().threshold
    articles, events = done.tallies(ClusterSettings())
    assert (articles.kept, events.kept) == (6, 4)


def test_an_id_stays_when_an_event_grows_and_a_copy_says_so(tmp_path: Path) -> None:
    _, before = cluster(folder_of(tmp_path / "one", ROWS[:2]), tmp_path / "a")
    copy = replace(ROWS[0], id="b9", date="2031-03-02")
    done, after = cluster(folder_of(tmp_path / "two", [*ROWS, copy]), tmp_path / "b")
    assert {each.id for each in before} <= {each.id for each in after}
    [joined] = [each for day in done.days.values() for each in day if each.article == "b9"]
    assert (joined.copy, joined.nearest, joined.probability) == (True, "a1", 1.0)


def test_days_are_computed_once_and_daily_runs_equal_one_run(tmp_path: Path) -> None:
    whole, _ = cluster(folder_of(tmp_path / "whole", ROWS), tmp_path / "w")
    for count in range(1, len(ROWS) + 1):
        folder_of(tmp_path / "daily", ROWS[:count])
        daily, _ = cluster(tmp_path / "daily", tmp_path / "d")
    assert daily.days == whole.days
    assert set(daily.computed) == {"2031-04-20"}
    late = article("a0", "whale", "2031-03-01")
    folder_of(tmp_path / "daily", [*ROWS, late])
    again, clusters = cluster(tmp_path / "daily", tmp_path / "d")
    assert "2031-04-20" not in again.computed
    assert frozenset(("a0", "b2")) in groups(clusters)


def test_articles_without_a_day_meet_only_each_other(tmp_path: Path) -> None:
    rows = [ROWS[0], article("u1", "dam", None), article("u2", "dam", None, "More on Kelmar.")]
    _, clusters = cluster(folder_of(tmp_path / "in", rows), tmp_path / "cache")
    assert groups(clusters) == {frozenset(("a1",)), frozenset(("u1", "u2"))}
    assert {each.id.partition("/")[0] for each in clusters} == {"2031-03-01", "undated"}


def test_a_csv_becomes_summaries_in_two_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "articles.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "published", "headline", "body"])
        writer.writerows([row.id, row.date, row.title, row.text] for row in ROWS)
    words = ["corpus", "cluster", "articles.csv", "--engine", "inline", "-o", "clusters.jsonl"]
    assert main([*words, "--min-articles", "2", "--explain", "why.jsonl", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [step["kept"] for step in report["steps"]] == [6, 4, 2]
    assert report["steps"][1]["dropped"] == {"an event of too few articles": 2}
    first, second = records.read("clusters.jsonl", Cluster)
    assert (first.title, first.central) == ("Report on the dam", "a1")
    assert first.lead is not None
    assert first.lead.startswith("The Kelmar dam broke")
    lines = [json.loads(line) for line in (tmp_path / "why.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    assert {line["cluster"] for line in lines if line["article"] in ("a2", "c1")} == {second.id}
    assert main(["summarize", "clusters.jsonl", "-m", "centroid", "-o", "out.jsonl"]) == 0
    assert len(list(records.read_any("out.jsonl"))) == 2
    assert main(words) == 1
    assert "--force" in capsys.readouterr().err


def test_the_sample_newsroom_and_its_limits(tmp_path: Path) -> None:
    rows = [row for each in samples.clusters() for row in each.articles]
    truth = {row.id: each.id for each in samples.clusters() for row in each.articles}
    done, _ = cluster(folder_of(tmp_path / "in", rows), tmp_path / "cache")
    found = {each.article: each.cluster for day in done.days.values() for each in day}
    names = list(found)
    score = b_cubed([truth[name] for name in names], [found[name] for name in names])
    assert score.f1 >= 0.6
    with pytest.raises(ArgumentError, match="below zero"):
        ClusterSettings(days=-1)
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        ClusterSettings(probability=2)


def test_measures_agree_with_the_reference() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    events, clusters = [1, 1, 1, 2, 2, 3], ["a", "a", "b", "b", "b", "c"]
    expected = metrics.adjusted_rand_score(events, clusters)
    assert adjusted_rand(events, clusters) == pytest.approx(expected, abs=1e-12)
    # B³ by its definition: precision (2/2·2 + 1/3 + 2/3·2 + 1)/6, recall (2/3·2 + 1/3 + 1·2 + 1)/6.
    score = b_cubed(events, clusters)
    assert score.precision == pytest.approx((2 + 1 / 3 + 4 / 3 + 1) / 6)
    assert score.recall == pytest.approx((4 / 3 + 1 / 3 + 2 + 1) / 6)


def test_the_headline_is_that_of_the_most_central_article() -> None:
    rows = [
        Article("x", "Sport is on.", title="Weather and sport"),
        Article("y", "Dam breaks in Ostrava. It broke at noon.", title="Dam breaks in Ostrava"),
        Article("z", "A dam breaks in Ostrava after rain."),
    ]
    assert central(rows).id == "y"
    assert headline_of(rows[2]) == "A dam breaks in Ostrava after rain."
    assert lead_of(rows[1]) == "It broke at noon."
