"""What every fitted thing keeps, whatever its kind: frozen settings, a spec that parses back, and folders saved by older versions."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import newsdesk as nd
from newsdesk.commenters import Commenter
from newsdesk.corpus.align.model import ALIGNERS, EventAligner
from newsdesk.model import Model
from newsdesk.rankers import Ranker
from newsdesk.registry import COMMENTERS, RANKERS, SUMMARIZERS, Registry
from newsdesk.summarizers import summarizer
from newsdesk.summarizers.trained import TrainedSummarizer
from tests.model import older

FACTS: dict[str, Any] = json.loads((older.FOLDER / "facts.json").read_text("utf-8"))
ENTRIES = [
    pytest.param(table, name, id=f"{table.kind} {name}")
    for table in (RANKERS, COMMENTERS, SUMMARIZERS, ALIGNERS)
    for name in table
    if issubclass(table.load(name), Model)
]


@pytest.mark.parametrize(("table", "name"), ENTRIES)
def test_settings_are_the_constructor_s_and_the_spec_parses_back(
    table: Registry, name: str
) -> None:
    model = table.make(name)
    assert str(model.spec) == name == model.name
    first, value = next(iter(model.settings.items()), (None, None))
    if isinstance(value, int):
        changed = model.with_settings(**{first: value + 3})
        assert changed.settings == {**model.settings, first: value + 3}
        assert table.make(str(changed.spec)).settings == changed.settings


@pytest.mark.parametrize(("table", "name"), ENTRIES)
def test_settings_are_frozen_and_what_is_learned_ends_in_an_underscore(
    table: Registry, name: str
) -> None:
    model = table.make(name)
    for setting in model.settings:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(model, setting, 1)
    learned = {each.name for each in dataclasses.fields(model) if not each.init}
    assert all(each.endswith("_") or each == "_rater" for each in learned)


def test_two_fitted_models_with_the_same_settings_are_two() -> None:
    for table in (RANKERS, COMMENTERS, ALIGNERS):
        for name in table:
            assert table.make(name) != table.make(name)


def test_forgetting_leaves_the_settings_and_nothing_learned() -> None:
    model = nd.ranker("svr(cost=0.1, min_count=1)").fit(older.threads())
    assert model.digest == model.fit(older.threads()).digest
    assert model.forget().settings["cost"] == 0.1
    with pytest.raises(nd.ArgumentError, match="not fitted yet"):
        model.scores(older.threads()[0])


@pytest.mark.parametrize("name", older.RANKERS)
def test_a_ranker_that_was_saved_before_ranks_as_before(name: str) -> None:
    model = Ranker.load(older.FOLDER / name)
    scores, summary = FACTS[name]
    assert model.scores(older.threads()[0]).tolist() == pytest.approx(scores, abs=1e-9)
    assert model.summary == summary and str(model.spec) == older.RANKERS[name]


@pytest.mark.parametrize("name", older.COMMENTERS)
def test_a_commenter_that_was_saved_before_suggests_as_before(name: str) -> None:
    model = Commenter.load(older.FOLDER / name)
    texts, signature, digest = FACTS[name]
    assert [each.text for each in model.suggest(older.threads()[0].article)] == texts
    assert model.digest == digest
    assert model.signature.rpartition("|")[0] == signature.rpartition("|")[0]


def test_a_summarizer_that_was_saved_before_summarizes_as_before() -> None:
    text, signature, digest = FACTS["tsr"]
    folder = older.FOLDER / "tsr"
    for model in (
        summarizer("tsr", model=str(folder), min_tokens=2),
        TrainedSummarizer.load(folder),
    ):
        assert isinstance(model, TrainedSummarizer) and model.digest == digest
        assert ("fitted:" + digest) in model.signature and ("fitted:" + digest) in signature
    assert (
        summarizer("tsr", model=str(folder), min_tokens=2).summarize(older.clusters()[0]).text
        == text
    )


def test_an_aligner_that_was_saved_before_gives_the_same_probabilities() -> None:
    probabilities, signature = FACTS["aligner"]
    model = EventAligner.load(older.FOLDER / "aligner")
    assert model.probabilities(older.pair_features()).tolist() == probabilities
    assert model.signature == signature and model.name == older.ALIGNERS["aligner"]


@pytest.mark.parametrize(
    "name", [*older.RANKERS, *older.COMMENTERS, *older.SUMMARIZERS, *older.ALIGNERS]
)
def test_a_model_that_was_saved_before_is_saved_again_with_the_same_bytes_and_settings(
    name: str, tmp_path: Path
) -> None:
    kinds: tuple[Any, ...] = (Ranker, Commenter, TrainedSummarizer, EventAligner)
    tables = (older.RANKERS, older.COMMENTERS, older.SUMMARIZERS, older.ALIGNERS)
    kind = next(kind for kind, table in zip(kinds, tables, strict=True) if name in table)
    before = older.FOLDER / name
    options: dict[str, Any] = {"packed": True} if name == "ir-quality" else {}
    kind.load(before).save(tmp_path, **options)
    files = sorted(path.relative_to(before) for path in before.rglob("*") if path.is_file())
    assert files == sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    for file in files:
        old, new = (folder / file for folder in (before, tmp_path))
        if file.name == "model.json":
            header, again = json.loads(old.read_bytes()), json.loads(new.read_bytes())
            settings, now = _as_named_now(header.pop("settings")), again.pop("settings")
            assert {name: now[name] for name in settings} == settings
            assert {**header, "version": nd.__version__} == again
        else:
            assert old.read_bytes() == new.read_bytes(), file


def _as_named_now(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings under the names that they have today."""
    if "overlap" in settings:
        settings["relevance_model"] = "cnn+sum+shared" if settings.pop("overlap") else "cnn+sum"
    return settings


def test_a_folder_of_another_kind_or_with_a_lost_array_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nd.DataError, match="it is a ranker"):
        Commenter.load(older.FOLDER / "svr")
    shutil.copytree(older.FOLDER / "seq2seq", tmp_path / "m")
    next((tmp_path / "m" / "arrays").iterdir()).unlink()
    with pytest.raises(nd.FileError, match="arrays"):
        Commenter.load(tmp_path / "m")
