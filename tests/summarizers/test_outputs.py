"""Summaries of many clusters through the library alone: files of outputs and traces, and methods fitted and saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.errors import ArgumentError, FileError
from newsdesk.summarizers import seeded_summarizer, summarizer
from newsdesk.summarizers.outputs import Counts, outputs_of, write_outputs
from newsdesk.summarizers.trained import fit_and_save
from newsdesk.types import Cluster, Output

LSA = "tsr(encoder='lsa(dimensions=8)')"


def test_outputs_and_traces_are_written_side_by_side(tmp_path: Path) -> None:
    method, clusters = summarizer("centroid"), [*samples.clusters()[:2], Cluster("none", ())]
    out, trace = tmp_path / "o.jsonl", tmp_path / "t.jsonl"
    assert write_outputs(method, iter(clusters), out, trace=trace) == Counts(3, empty=1)
    outputs = list(records.read(out, Output))
    assert outputs == [output for output, _ in outputs_of(method, clusters)]
    traces = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    assert [(row["id"], row["system"]) for row in traces] == [(o.id, o.system) for o in outputs]
    with pytest.raises(FileError, match="exists already"):
        write_outputs(method, clusters, tmp_path / "other.jsonl", trace=trace, overwrite=False)
    assert not (tmp_path / "other.jsonl").exists()


def test_only_a_method_that_draws_gets_the_seed() -> None:
    assert str(seeded_summarizer("random", 3).spec) == "random(seed=3)"
    assert str(seeded_summarizer("centroid", 3, max_words=20).spec) == "centroid(max_words=20)"


def test_a_method_is_fitted_into_a_folder_and_returned(tmp_path: Path) -> None:
    clusters = samples.clusters()
    fitted = fit_and_save(summarizer(LSA), clusters[:4], tmp_path / "m", dev=clusters[4:6])
    assert "dev error" in fitted.summary
    loaded = summarizer("tsr", model=str(tmp_path / "m"))
    assert f"|fitted:{fitted.digest}|" in loaded.summarize(clusters[6]).signature


def test_what_cannot_be_fitted_is_refused_before_any_cluster_is_read(tmp_path: Path) -> None:
    def unread() -> Iterator[Cluster]:
        pytest.fail("clusters were read")
        yield

    (tmp_path / "model.json").touch()
    with pytest.raises(ArgumentError, match="lead learns nothing; --fit is for tsr, bertreg"):
        fit_and_save(summarizer("lead"), unread(), tmp_path)
    with pytest.raises(FileError, match="holds a model already"):
        fit_and_save(summarizer(LSA), unread(), tmp_path, overwrite=False)
