"""`--tune`: the grid is searched on dev threads, kept, resumed, and bounded by minutes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import newsdesk as nd
from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.commenters.nearest import Nearest
from newsdesk.commenters.tuning import tune

THREADS = samples.threads()
RETRIEVAL = (
    "ir-tc(updates=4, batch=8, dimensions=4, units=4, widths=(1,), filters=4, learning_rate=0.01)"
)
GENERATION = (
    "att(minutes=None, updates=4, units=8, dimensions=4, batch=16, max_words=8, check_every=2)"
)


def test_every_value_is_tried_the_best_is_taken_and_all_is_kept(tmp_path: Path) -> None:
    model, tuned = tune(RETRIEVAL, THREADS[:6], THREADS[6:9], tmp_path)
    assert [trial.settings for trial in tuned.trials[:3]] == [
        {"negatives": 32}, {"negatives": 8}, {"negatives": 64}
    ]  # fmt: skip
    by_accuracy = [trial for trial in tuned.trials if trial.measure == "accuracy"]
    best = max(by_accuracy, key=lambda trial: trial.value)
    assert tuned.choice["negatives"] == best.settings["negatives"] == model.settings["negatives"]
    assert model.settings["neighbours"] == tuned.choice["neighbours"]
    assert model.settings["learning_rate"] == 0.01  # named by the spec, so not searched
    kept = json.loads((tmp_path / "tuning.json").read_text("utf-8"))
    assert set(kept["grid"]) == {"negatives", "neighbours"} and not kept["untried"]
    assert kept["choice"] == tuned.choice and len(kept["trials"]) == len(tuned.trials) == 7


def test_a_search_that_was_stopped_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class StoppedError(Exception):
        pass

    def stop(step: object) -> None:
        if "negatives=64" in str(step):
            raise StoppedError

    with pytest.raises(StoppedError):
        tune(RETRIEVAL, THREADS[:6], THREADS[6:9], tmp_path, progress=stop)
    assert len(json.loads((tmp_path / "tuning.json").read_text("utf-8"))["trials"]) == 2
    fits = []
    fit = Nearest.fit

    def counted(self: Nearest, *arguments: Any, **settings: Any) -> Nearest:
        fits.append(1)
        return fit(self, *arguments, **settings)

    monkeypatch.setattr(Nearest, "fit", counted)
    _, tuned = tune(RETRIEVAL, THREADS[:6], THREADS[6:9], tmp_path)
    assert len(fits) == 2  # the third value, and the last fit
    _, whole = tune(RETRIEVAL, THREADS[:6], THREADS[6:9], tmp_path / "whole")
    assert tuned.choice == whole.choice
    assert [t.value for t in tuned.trials] == [t.value for t in whole.trials]
    _, other = tune(RETRIEVAL, THREADS[:5], THREADS[6:9], tmp_path)
    assert other.data != tuned.data and len(other.trials) == 7


def test_a_search_without_time_takes_the_best_so_far(tmp_path: Path) -> None:
    ticks = iter(range(10_000))
    _, tuned = tune(
        RETRIEVAL, THREADS[:6], THREADS[6:9], tmp_path, minutes=0.05, clock=lambda: next(ticks)
    )
    assert tuned.trials and {"neighbours": 50} in tuned.untried


def test_generation_is_tuned_by_likelihood_and_beam(tmp_path: Path) -> None:
    model, tuned = tune(GENERATION, THREADS[:4], THREADS[6:8], tmp_path)
    assert {trial.measure for trial in tuned.trials} == {"log likelihood", "w-meteor"}
    assert set(tuned.choice) == {"learning_rate", "beam"}
    assert model.settings["beam"] == tuned.choice["beam"]


def test_the_command_prints_the_trials_and_the_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    records.write("train.jsonl", THREADS[:6])
    records.write("dev.jsonl", THREADS[6:8])
    spec = f"{RETRIEVAL.removesuffix(')').replace('ir-tc', 'newsdesk')}, negatives=8)"
    fit = ["comment", "fit", "--tune", "--model", spec, "--train", "train.jsonl", "-o", "model"]
    assert main(fit) == 2
    assert "--dev" in capsys.readouterr().err
    assert main([*fit, "--dev", "dev.jsonl", "--ranker", "ready"]) == 0
    printed = capsys.readouterr().out
    assert "w-meteor" in printed and "choice: neighbours=" in printed
    assert Path("model/tuning.json").exists()
    assert "rated:ready" in nd.Commenter.load("model").signature
