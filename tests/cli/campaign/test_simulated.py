"""The judgments of a simulated world go into campaigns made from the same world's files, by the commands that the reference page shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from newsdesk import records, simulate
from newsdesk.types import Judgment, References, Thread
from tests.cli.running import run

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "simulate.md"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulated") / "world"
    simulate.write_world(simulate.world(events=4, comments=63, seed=3), folder)
    return folder


def shown(protocol: str, world: Path) -> tuple[list[str], list[str]]:
    """The commands of the page that start a campaign and import its judgments, with this world's folder."""
    lines = re.findall(rf"^newsdesk (campaign \w+ sim-{protocol} .*)$", PAGE.read_text(), re.M)
    start, take = ([w.replace("world/", f"{world}/") for w in shlex.split(line)] for line in lines)
    return start, take


def imported(protocol: str, world: Path, store: str) -> dict[str, int]:
    """What the import says it took in, after nothing was rejected."""
    start, take = shown(protocol, world)
    begun = run(*start, "--store", store)
    assert begun.returncode == 0, begun.stderr
    done = run(*take, "--json", "--store", store)
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["files"]
    assert row["faults"] == []
    return {name: row[name] for name in ("new", "corrected", "unchanged")}


@pytest.mark.parametrize("protocol", simulate.PROTOCOLS)
def test_every_judgment_of_a_world_is_taken_in(protocol: str, world: Path, tmp_path: Path) -> None:
    judgments = list(records.read(world / f"judgments-{protocol}.jsonl", Judgment))
    assert len(judgments) > 20
    store = f"sqlite:///{tmp_path}/store.db"
    counts = imported(protocol, world, store)
    assert counts == {"new": len(judgments), "corrected": 0, "unchanged": 0}
    out = tmp_path / "out.jsonl"
    done = run("campaign", "judgments", f"sim-{protocol}", "-o", str(out), "--store", store)
    assert done.returncode == 0, done.stderr

    def keys(rows: list[Judgment]) -> list[tuple[object, ...]]:
        return sorted(
            (r.task, r.item, r.target, r.question, str(r.value), r.control or False) for r in rows
        )

    assert keys(list(records.read(out, Judgment))) == keys(judgments)


def test_weights_of_the_campaign_are_those_of_the_world(world: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    imported("grade", world, store)
    out = tmp_path / "references.jsonl"
    assert run("campaign", "weights", "sim-grade", "-o", str(out), "--store", store).returncode == 0
    expected, written = (
        {
            item.id: sorted((each.text, round(each.weight, 9)) for each in item.references)
            for item in records.read(path, References)
        }
        for path in (world / "references.jsonl", out)
    )
    assert written == expected


def test_gains_of_the_campaign_are_the_votes_of_the_threads(world: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    imported("constructive", world, store)
    out = tmp_path / "gains.jsonl"
    done = run("campaign", "gains", "sim-constructive", "-o", str(out), "--store", store)
    assert done.returncode == 0, done.stderr
    expected, written = (
        {c.id: (c.yes, c.votes) for thread in records.read(path, Thread) for c in thread.comments}
        for path in (world / "threads.jsonl", out)
    )
    assert written == expected


def test_outputs_one_by_one_need_their_articles(world: Path, tmp_path: Path) -> None:
    few = tmp_path / "articles.jsonl"
    few.write_text((world / "articles.jsonl").read_text("utf-8").split("\n", 1)[1], "utf-8")
    start, _ = shown("grade-outputs", world)
    words = [str(few) if word.endswith("articles.jsonl") else word for word in start]
    done = run(*words, "--store", f"sqlite:///{tmp_path}/store.db")
    assert done.returncode == 1
    assert "there is no article 'sim-e000000/a0'" in done.stderr
