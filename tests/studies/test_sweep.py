"""Drawn clusters, and runs that go on where they were killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from newsdesk import samples
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.studies import sweep
from newsdesk.studies.sweep import Job, drawn, run, signed
from newsdesk.summarizers import summarizer
from newsdesk.types import Cluster
from newsdesk.work import Progress

METHODS = (summarizer("lead"), summarizer("centroid"))


def jobs() -> list[Job]:
    return [Job(cluster.id, cluster, METHODS) for cluster in samples.clusters()]


def bare(*ids: str) -> list[Cluster]:
    return [Cluster(each, (), summary="x") for each in ids]


@given(
    st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=20, unique=True).flatmap(
        lambda ids: st.tuples(st.just(ids), st.permutations(ids))
    ),
    st.integers(1, 25),
)
def test_which_clusters_are_drawn_does_not_depend_on_their_order(
    ids: tuple[list[str], list[str]], count: int
) -> None:
    given, shuffled = ids
    first = [each.id for each in drawn(bare(*given), count, 0)]
    assert len(first) == min(count, len(given))
    assert first == [each for each in given if each in first]
    assert {each.id for each in drawn(bare(*shuffled), count, 0)} == set(first)


def test_seeds_draw_differently_and_everything_is_a_sample_too() -> None:
    clusters = samples.clusters()
    picked = {tuple(each.id for each in drawn(clusters, 4, seed)) for seed in range(5)}
    assert len(picked) > 1
    assert drawn(iter(clusters), None, 0) == clusters


def test_nothing_to_draw_from_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no clusters"):
        drawn([], 3, 0)
    with pytest.raises(ArgumentError, match="the sample is 0"):
        drawn(bare("a"), 0, 0)
    with pytest.raises(ArgumentError, match="the seed is -1"):
        drawn(bare("a"), 1, -1)
    with pytest.raises(DataError, match="cluster 'b' has no `summary`"):
        drawn([*bare("a"), Cluster("b", ())], 1, 0)


def test_the_signature_changes_with_any_text() -> None:
    clusters = samples.clusters()
    known = signed("tune", clusters, 0, method="lead")
    assert known.startswith("tune|method:lead|clusters:12|data:")
    assert known != signed("tune", clusters[::-1], 0, method="lead")
    assert known != signed("tune", clusters, 1, method="lead")


def test_a_killed_run_goes_on_with_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(jobs(), study="s")
    log = tmp_path / "x.log.jsonl"
    assert run(jobs(), study="s", log=log) == whole
    lines = log.read_bytes().splitlines(keepends=True)
    assert json.loads(lines[0]) == {"study": "s"}
    log.write_bytes(b"".join(lines[:6]) + lines[6][:20])  # cut within a line
    made = []
    summaries = sweep._summaries

    def counted(shared: Any, job: Any) -> Any:
        made.append(job.key)
        return summaries(shared, job)

    monkeypatch.setattr(sweep, "_summaries", counted)
    finished: list[Progress] = []
    assert run(jobs(), study="s", log=log, progress=finished.append) == whole
    assert made == [job.key for job in jobs()[5:]]
    assert [each.step for each in finished] == list(whole)
    assert log.read_bytes() == b"".join(lines)


def test_the_log_of_another_study_is_not_continued(tmp_path: Path) -> None:
    log = tmp_path / "x.log.jsonl"
    run(jobs()[:1], study="s", log=log)
    before = log.read_bytes()
    with pytest.raises(FileError, match="unfinished study of something else; add --force"):
        run(jobs()[:1], study="t", log=log)
    assert log.read_bytes() == before
    log.write_text('{"study": "s"}\n{"what": 1}\n')
    with pytest.raises(FileError, match="is not the log of a study"):
        run(jobs()[:1], study="s", log=log)


def test_processes_change_nothing(tmp_path: Path) -> None:
    log = tmp_path / "x.log.jsonl"
    run(jobs()[:3], study="s", log=log)
    assert run(jobs(), study="s", log=log, processes=2) == run(jobs(), study="s")
    with pytest.raises(ArgumentError, match="jobs is 0"):
        run(jobs(), study="s", processes=0)
