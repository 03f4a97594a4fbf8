"""`corpus align`, `dedup`, `split`, `truncate` and `stats`, as typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.corpus.align.article_files import article_files
from newsdesk.simulate import world
from newsdesk.types import Article, Cluster, Event


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Events, articles as Parquet by date (one partition undated), and the same articles as JSONL."""
    import polars as pl

    path = tmp_path_factory.mktemp("corpus")
    made = world(seed=8, events=30, comments=0)
    records.write(path / "events.jsonl", made.events())
    articles = [
        Article(**{name: getattr(a, name) for name in Article.__dataclass_fields__})
        for cluster in made.clusters()
        for a in cluster.articles
    ]
    articles.sort(key=lambda each: (each.date or "", each.id))
    records.write(path / "articles.jsonl", articles)
    for day in sorted({each.date or "" for each in articles}):
        place = path / "articles" / f"date={day}"
        place.mkdir(parents=True)
        rows = [each for each in articles if each.date == day]
        frame = pl.DataFrame(
            {
                "id": [each.id for each in rows],
                "title": [each.title for each in rows],
                "text": [each.text for each in rows],
                "url": [each.url for each in rows],
                "file": ["x.warc.gz"] * len(rows),
                "offset": list(range(len(rows))),
            }
        )
        frame.write_parquet(place / "part-0.parquet")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    row: dict[str, Any] = json.loads(capsys.readouterr().out)
    return row


@pytest.fixture(scope="module")
def clusters(folder: Path) -> Path:
    out = folder / "clusters.jsonl"
    assert (
        main(
            [
                "corpus",
                "align",
                str(folder / "events.jsonl"),
                str(folder / "articles"),
                "-o",
                str(out),
            ]
        )
        == 0
    )
    return out


def test_parquet_by_date_and_jsonl_give_the_same_joins(
    folder: Path, clusters: Path, tmp_path: Path
) -> None:
    out = tmp_path / "c.jsonl"
    events, articles = str(folder / "events.jsonl"), str(folder / "articles.jsonl")
    assert main(["corpus", "align", events, articles, "-o", str(out)]) == 0
    joins = [
        {
            c.id: {(a.id, a.origin, a.probability, a.date) for a in c.articles}
            for c in records.read(path, Cluster)
        }
        for path in (clusters, out)
    ]
    assert joins[0] == joins[1] and len(joins[0]) == 30


def test_two_processes_write_the_same_bytes(folder: Path, clusters: Path, tmp_path: Path) -> None:
    out, audit = tmp_path / "c.jsonl", tmp_path / "candidates.jsonl"
    events, articles = str(folder / "events.jsonl"), str(folder / "articles")
    arguments = ["corpus", "align", events, articles, "-o", str(out), "--candidates", str(audit)]
    assert main([*arguments, "--jobs", "2"]) == 0
    assert out.read_bytes() == clusters.read_bytes()
    rows = [json.loads(line) for line in audit.read_text("utf-8").splitlines()]
    assert {"article", "event", "probability", "outcome"} == set(rows[0])


def test_align_fits_reports_and_counts(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, articles = str(folder / "events.jsonl"), str(folder / "articles")
    model, out = tmp_path / "model", tmp_path / "c.jsonl"
    row = run(capsys, "corpus", "align", events, articles, "-o", str(out), "--fit", str(model))
    steps = row["steps"]
    assert isinstance(steps, list) and isinstance(row["held_out"], dict)
    for step in steps:
        assert step["read"] == step["kept"] + sum(step["dropped"].values())
    assert row["held_out"]["average_precision"] > 0.9
    again = tmp_path / "again.jsonl"
    used = run(
        capsys, "corpus", "align", events, articles, "-o", str(again), "--aligner", str(model)
    )
    assert used["signature"] == row["signature"]
    assert again.read_bytes() == out.read_bytes()


def test_the_report_of_align_is_json_or_a_page_with_both_curves(
    folder: Path, tmp_path: Path
) -> None:
    inputs = [str(folder / "events.jsonl"), str(folder / "articles")]
    values, curves = tmp_path / "report.json", tmp_path / "report.html"
    for report in (values, curves):
        out = str(tmp_path / f"{report.suffix}.jsonl")
        assert main(["corpus", "align", *inputs, "-o", out, "--report", str(report)]) == 0
    measures = json.loads(values.read_text("utf-8"))["cited_sources"]
    html = curves.read_text("utf-8")
    assert html.count("<svg") == 2
    assert f"average precision {measures['average_precision']:.4f}" in html
    assert f"{measures['pairs']:,} pairs" in html
    assert "if the aligner was fitted on them, the measures are too high" in html


def test_align_refuses_what_it_cannot_use(folder: Path, tmp_path: Path) -> None:
    events, out = str(folder / "events.jsonl"), str(tmp_path / "c.jsonl")
    assert main(["corpus", "align", events, str(folder / "nowhere"), "-o", out]) == 1
    arguments = ["corpus", "align", events, str(folder / "articles"), "-o", out]
    assert main([*arguments, "--aligner", "x", "--features", "rich"]) == 2
    assert main([*arguments, "--probability", "2"]) == 1
    assert not Path(out).exists()


def test_dedup_drops_copies_of_a_folder_and_keeps_its_columns(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import polars as pl

    out, groups = tmp_path / "unique", tmp_path / "groups.jsonl"
    arguments = ["--events", str(folder / "events.jsonl"), "--groups", str(groups), "-o", str(out)]
    row = run(capsys, "corpus", "dedup", str(folder / "articles"), *arguments)
    (step,) = row["steps"]
    count = sum(len(batch) for file in article_files(out) for batch in file.batches())
    assert step["kept"] == count < step["read"]
    assert len(groups.read_text("utf-8").splitlines()) == step["notes"]["groups of near-duplicates"]
    part = next(out.rglob("*.parquet"))
    assert {"file", "offset"} <= set(pl.read_parquet(part, hive_partitioning=False).columns)
    assert main(["corpus", "dedup", str(folder / "articles"), "-o", str(out)]) == 1


def test_dedup_works_within_clusters(
    clusters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "unique.jsonl"
    row = run(capsys, "corpus", "dedup", str(clusters), "-o", str(out))
    (step,) = row["steps"]
    assert (
        step["kept"]
        == sum(len(each.articles) for each in records.read(out, Cluster))
        < step["read"]
    )


def test_split_and_truncate_write_manifests_that_check(
    clusters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = run(capsys, "corpus", "split", str(clusters), "-o", str(tmp_path / "parts"))
    assert sum(each["clusters"] for each in parts["parts"]) == 30
    days = [
        {each.date for each in records.read(tmp_path / "parts" / f"{part}.jsonl", Cluster)}
        for part in ("train", "val", "test")
    ]
    assert not (days[0] & days[1] or days[1] & days[2] or days[0] & days[2])
    row = run(
        capsys,
        "corpus",
        "truncate",
        str(clusters),
        "--to",
        "4,2",
        "-o",
        str(tmp_path / "v"),
        "--name",
        "w",
    )
    assert [each["variant"] for each in row["variants"]] == ["w-4", "w-2"]
    assert (
        max(len(each.articles) for each in records.read(tmp_path / "v" / "w-2.jsonl", Cluster)) == 2
    )
    for place in ("parts", "v"):
        assert main(["records", "check", str(tmp_path / place / "manifest.json")]) == 0
    assert (
        main(["corpus", "truncate", str(clusters), "--to", "4,x", "-o", str(tmp_path / "v")]) == 2
    )
    assert (
        main(["corpus", "split", str(clusters), "--shares", "80", "-o", str(tmp_path / "p")]) == 1
    )


@pytest.mark.parametrize("verb", ["split", "truncate"])
def test_a_folder_called_minus_is_not_made(
    verb: str, clusters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", verb, str(clusters), "-o", "-"]) == 2
    assert not list(tmp_path.iterdir())


def test_dedup_of_a_folder_has_no_standard_output_and_of_a_file_has(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", "dedup", str(folder / "articles"), "-o", "-"]) == 2
    capfdbinary.readouterr()
    assert main(["corpus", "dedup", str(folder / "articles.jsonl"), "-o", "-"]) == 0
    printed = capfdbinary.readouterr()
    assert all(json.loads(line)["id"] for line in printed.out.splitlines())
    assert b"near-duplicate" in printed.err
    assert not list(tmp_path.iterdir())


KILLED = """
import os, sys
from newsdesk.cli.main import main
from newsdesk.corpus import dedup
from newsdesk.corpus.align import run
module, name = {"dedup": (dedup, sys.argv[1]), "align": (run, sys.argv[1])}[sys.argv[3]]
function, calls = getattr(module, name), []
def counted(*arguments, **options):
    calls.append(1)
    print(name, flush=True)
    if len(calls) == int(sys.argv[2]) + 1:
        os._exit(9)
    return function(*arguments, **options)
setattr(module, name, counted)
sys.exit(main(["corpus", *sys.argv[3:]]))
"""


def killed(function: str, after: int, *arguments: str) -> int:
    """How often a command calls a function; it is ended there, as by kill -9, after so many calls."""
    command = [sys.executable, "-c", KILLED, function, str(after), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 9), done.stderr
    return done.stdout.splitlines().count(function)


def test_dedup_that_was_killed_goes_on_with_the_files_that_are_left(
    folder: Path, tmp_path: Path
) -> None:
    source, days = str(folder / "articles"), len(article_files(folder / "articles"))
    calm, out = tmp_path / "calm", tmp_path / "out"
    assert killed("_file_minima", 999, "dedup", source, "-o", str(calm)) == days
    command = ("dedup", source, "-o", str(out))
    assert killed("_file_minima", 3, *command) == 4 and not out.exists()
    assert killed("make_folder", 2, *command) == 3  # while it writes; some files are there
    assert 0 < len(article_files(out)) < days
    assert killed("_file_minima", 999, *command) == 0
    assert contents(out) == contents(calm)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calm", "out"]


def test_align_that_was_killed_goes_on_with_the_files_that_are_left(
    folder: Path, clusters: Path, tmp_path: Path
) -> None:
    files = len(article_files(folder / "articles"))
    out = tmp_path / "clusters.jsonl"
    command = (
        "align",
        str(folder / "events.jsonl"),
        str(folder / "articles"),
        "-o",
        str(out),
        "--candidates",
        str(tmp_path / "candidates.jsonl"),
    )
    assert killed("_decide", 4, *command) == 5 and not out.exists()
    assert killed("_decide", 999, *command) == files - 4
    assert out.read_bytes() == clusters.read_bytes()
    assert not (tmp_path / ".clusters.jsonl.work").exists()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_stats_prints_tables_and_writes_a_page(
    folder: Path, clusters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "stats.html"
    arguments = [f"total={clusters}", "--truncated", "4", "--events", str(folder / "events.jsonl")]
    assert main(["corpus", "stats", *arguments, "-o", str(page)]) == 0
    printed = capsys.readouterr().out
    for text in ("total-4", "period start", "sources cited", "words of an article"):
        assert text in printed
        assert text in page.read_text("utf-8")
    row = run(capsys, "corpus", "stats", *arguments)
    assert [each["name"] for each in row["stats"]] == ["total", "total-4"]


def test_the_hand_check_draws_its_tasks_from_these_clusters(
    clusters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import openpyxl

    store = ["--store", f"sqlite:///{tmp_path / 'store.db'}"]
    arguments = ["--protocol", "relate", "--clusters", str(clusters), "--sample", "35"]
    assert main(["campaign", "new", "check", *arguments, "--annotators", "ann,ben", *store]) == 0
    assert "check: 35 tasks, 2 annotators each" in capsys.readouterr().err
    assert main(["campaign", "sheets", "check", "-o", str(tmp_path / "sheets"), *store]) == 0
    answers = openpyxl.load_workbook(tmp_path / "sheets" / "ann.xlsx").worksheets[-1]
    shown = {str(event) for (_, event, *_) in answers.iter_rows(min_row=2, values_only=True)}
    summaries = {cluster.summary for cluster in records.read(clusters, Cluster)}
    assert answers.max_row == 36 and shown <= summaries


def test_events_read_as_they_were_written(folder: Path) -> None:
    assert len(list(records.read(folder / "events.jsonl", Event))) == 30


def test_files_under_one_name_are_one_column_of_statistics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clusters = samples.clusters()
    paths = [tmp_path / "a.jsonl", tmp_path / "b" / "a.jsonl"]
    paths[1].parent.mkdir()
    for path, part in zip(paths, (clusters[:3], clusters[3:]), strict=True):
        records.write(path, part)
    named = [f"all={path}" for path in paths]
    assert main(["corpus", "stats", *named, *map(str, paths), "--sample", "0", "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)["stats"]
    sizes = [(column["name"], column["clusters"]) for column in stats]
    assert sizes == [("all", len(clusters)), ("a", 3), ("a", len(clusters) - 3)]
