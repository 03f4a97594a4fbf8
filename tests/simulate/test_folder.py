"""A world as a folder: the same bytes for the same seed, records that newsdesk reads, and "simulated" wherever it surfaces."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import newsdesk as nd
from newsdesk import records, simulate
from tests.docs.test_docs import run_blocks
from tests.growth import growth
from tests.simulate.conftest import COMMENTS, EVENTS, SEED, rows

KINDS = {
    "events.jsonl": nd.Event,
    "clusters.jsonl": nd.Cluster,
    "threads.jsonl": nd.Thread,
    "articles.jsonl": nd.Article,
    "graded.jsonl": nd.Thread,
    "references.jsonl": nd.References,
    "outputs.jsonl": nd.Output,
    "summaries.jsonl": nd.Output,
    "judgments-grade.jsonl": nd.Judgment,
    "judgments-grade-outputs.jsonl": nd.Judgment,
    "judgments-constructive.jsonl": nd.Judgment,
    "judgments-rank.jsonl": nd.Judgment,
    "judgments-relate.jsonl": nd.Judgment,
}


def test_the_folder_holds_what_the_reference_page_lists(folder: Path) -> None:
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    truth = [f"truth/{name}.jsonl" for name in simulate.TRUTH]
    assert names == sorted([*KINDS, *truth, "README.txt", "manifest.json"])
    page = Path(__file__).parents[2] / "docs" / "reference" / "simulate.md"
    for name in names:
        assert f"`{name}`" in page.read_text("utf-8"), name


def test_the_examples_of_the_reference_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_blocks(Path(__file__).parents[2] / "docs" / "reference" / "simulate.md") == 12
    assert (tmp_path / "world" / "manifest.json").exists()


@pytest.mark.parametrize("name", KINDS)
def test_every_record_reads_back_as_its_type(name: str, folder: Path) -> None:
    reader = records.read_any(folder / name)
    count = sum(1 for _ in reader)
    assert reader.kind is KINDS[name]
    assert count > 0


def test_the_counts_are_those_asked_for(folder: Path, world: simulate.World) -> None:
    counts = {
        file.name: file.records for file in records.read_manifest(folder / "manifest.json").files
    }
    graded = min(EVENTS, world.settings.graded)
    assert counts["events.jsonl"] == counts["clusters.jsonl"] == EVENTS
    assert counts["truth/comments.jsonl"] == COMMENTS
    assert counts["references.jsonl"] == graded
    assert counts["articles.jsonl"] == graded
    assert counts["judgments-grade.jsonl"] == 2 * graded * world.settings.references
    assert counts["judgments-grade-outputs.jsonl"] == 2 * counts["outputs.jsonl"]
    assert counts["outputs.jsonl"] == graded * len(world.settings.comment_systems)
    threads = list(nd.read(folder / "threads.jsonl", nd.Thread))
    assert sum(len(thread.comments) for thread in threads) == COMMENTS


def test_it_says_simulated_wherever_it_surfaces(folder: Path) -> None:
    manifest = records.read_manifest(folder / "manifest.json")
    assert manifest.spec is not None
    assert manifest.spec.startswith("simulated-world(preset='base', events=120")
    assert manifest.seed == SEED
    assert "SIMULATED" in (folder / "README.txt").read_text("utf-8")
    for event in nd.read(folder / "events.jsonl", nd.Event):
        assert event.id.startswith("sim-")
        assert all("simulated" in source.url for source in event.sources)
        assert all("(simulated story" in title for title in event.story)
    for judgment in nd.read(folder / "judgments-rank.jsonl", nd.Judgment):
        assert judgment.annotator.startswith("sim-")
        assert judgment.target.startswith("sim-")
        assert judgment.via == "model"


def test_the_manifest_agrees_with_the_files(folder: Path) -> None:
    assert list(records.changed_files(folder / "manifest.json")) == []


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed(
    lang: str, tmp_path: Path
) -> None:
    manifests = []
    for hash_seed in ("1", "2"):
        out = tmp_path / hash_seed
        code = (
            "from newsdesk import simulate as s;"
            f"s.write_world(s.world(seed=3, events=6, comments=60, lang={lang!r}), {str(out)!r})"
        )
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        manifests.append((out / "manifest.json").read_bytes())
    assert manifests[0] == manifests[1]


def test_another_seed_gives_another_world() -> None:
    first, second = (next(simulate.world(seed=seed, events=3).events()) for seed in (1, 2))
    assert first.id == second.id
    assert first.summary != second.summary


def test_a_part_is_the_same_whatever_was_made_before(world: simulate.World) -> None:
    fresh = simulate.world(seed=SEED, events=EVENTS, comments=COMMENTS)
    assert next(fresh.outputs()) == next(world.outputs())
    assert next(fresh.judgments("rank")) == next(world.judgments("rank"))


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    small = simulate.world(events=1, comments=3)
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(nd.FileError, match="add --force"):
        simulate.write_world(small, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    simulate.write_world(small, tmp_path, overwrite=True)
    assert (tmp_path / "mine.txt").read_text() == "keep"
    with pytest.raises(nd.FileError, match="is a file"):
        simulate.write_world(small, tmp_path / "mine.txt")


@pytest.mark.parametrize("stopped_at", ["events.jsonl", "truth/systems.jsonl"])
def test_a_stopped_world_is_made_anew_and_a_finished_one_is_kept(
    stopped_at: str, tmp_path: Path
) -> None:
    def stop(records: Iterable[Any], name: str, total: int | None) -> Iterable[Any]:
        if name == stopped_at:
            raise KeyboardInterrupt
        return records

    small = simulate.world(events=2, comments=12)
    whole = simulate.write_world(small, tmp_path / "whole")
    for overwrite in (False, True):  # a finished world that is being replaced is unfinished too
        with pytest.raises(KeyboardInterrupt):
            simulate.write_world(small, tmp_path / "world", overwrite=overwrite, watch=stop)
        assert not (tmp_path / "world" / "manifest.json").exists()
        assert simulate.write_world(small, tmp_path / "world") == whole
        assert list(records.changed_files(tmp_path / "world" / "manifest.json")) == []
        with pytest.raises(nd.FileError, match="add --force"):
            simulate.write_world(small, tmp_path / "world")


def test_the_smallest_world_has_one_event_and_no_comment(tmp_path: Path) -> None:
    simulate.write_world(simulate.world(events=1, comments=0), tmp_path)
    assert len(rows(tmp_path / "events.jsonl")) == 1
    assert rows(tmp_path / "threads.jsonl") == []
    assert rows(tmp_path / "judgments-constructive.jsonl") == []


def test_the_cost_of_a_world_is_linear_in_its_size(tmp_path: Path) -> None:
    def write(events: int) -> None:
        simulate.write_world(
            simulate.world(events=events, comments=50 * events, seed=1), tmp_path, overwrite=True
        )

    # Four times the events and comments: anything over pairs of them would take 16 times as long.
    assert growth(write, 10, 40) < 8
