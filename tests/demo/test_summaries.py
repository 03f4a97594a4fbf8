"""The demo's stage on summarizers: every method on every event, learned ones only on events they did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.demo import summaries
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers import Prepared, Summary, prepare
from newsdesk.summarizers.regression import RougeRegression
from newsdesk.types import Cluster, Output

_METHODS = set(SUMMARIZERS) - {"llm"}  # which asks a model that somebody names


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("summaries")
    return folder, summaries.summaries_stage(folder).html(1)


def test_every_method_summarizes_every_event(stage: tuple[Path, str]) -> None:
    outputs = list(records.read(stage[0] / "outputs.jsonl", Output))
    systems = _METHODS
    assert {(each.id, each.system) for each in outputs} == {
        (cluster.id, system) for cluster in samples.clusters() for system in systems
    }
    assert all(each.text for each in outputs)


def test_the_page_shows_scores_summaries_and_traces(stage: tuple[Path, str]) -> None:
    page = stage[1]
    # Some methods of the first event, the others and all of the second folded.
    assert page.count('<div class="sides">') == page.count("the editor</b>") == 3
    assert all(page.count(f"<b>{name}</b>") == 2 for name in _METHODS)
    assert "How expected-rouge came to its summary of" in page
    assert "does not fit" in page


def test_trained_methods_are_shown_on_events_they_did_not_learn_from(
    monkeypatch: pytest.MonkeyPatch, stage: tuple[Path, str]
) -> None:
    learned: list[set[str]] = []
    fit = RougeRegression.fit

    def counted_fit(self: RougeRegression, clusters: Sequence[Cluster]) -> RougeRegression:
        learned.append({cluster.id for cluster in clusters})
        return fit(self, clusters)

    monkeypatch.setattr(RougeRegression, "fit", counted_fit)
    clusters = samples.clusters()
    told: list[tuple[int, str]] = []
    summarize = RougeRegression.summarize

    def counted_summarize(self: RougeRegression, prepared: Prepared) -> Summary:
        told.append((len(learned) - 1, prepared.cluster.id))
        return summarize(self, prepared)

    monkeypatch.setattr(RougeRegression, "summarize", counted_summarize)
    summaries._learned(clusters, {each.id: prepare(each) for each in clusters})
    assert len(told) == 2 * len(clusters)
    assert all(event not in learned[model] for model, event in told)
