"""`newsdesk doctor`: what is missing is told with its command, and what is broken is found."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from newsdesk import doctor, samples
from newsdesk.campaigns import Store
from newsdesk.cli.main import main
from newsdesk.rankers import ready
from newsdesk.rankers.ranker import ranker


@pytest.fixture(autouse=True)
def few_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "MODELS", {"ready-en-plain": "English"})
    commenters = importlib.import_module("newsdesk.commenters.commenter")
    monkeypatch.setattr(commenters, "MODELS", {"sample-ir-t": "a sample"})


def test_every_extra_of_a_user_has_a_purpose() -> None:
    extras = {each.extra: each for each in doctor.diagnose().extras}
    assert {"zh", "campaigns", "serve", "vectors"} <= extras.keys()
    assert all(each.purpose for each in extras.values())
    assert not {"all", "test", "bench"} & extras.keys()


def test_a_missing_package_is_told_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "_is_installed", lambda package: package != "rjieba")
    diagnosis = doctor.diagnose()
    (zh,) = [each for each in diagnosis.extras if each.extra == "zh"]
    assert zh.missing == ("rjieba",)
    assert diagnosis.sound
    assert "pip install 'newsdesk[zh]'" in diagnosis.text()


def test_sound_and_broken_models_and_stores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranker("length").fit(samples.threads()[:2]).save(tmp_path / "model")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.json").write_text("{")
    (tmp_path / "text.db").write_text("no database, only a text that somebody wrote")
    good, bad = f"sqlite:///{tmp_path}/good.db", f"sqlite:///{tmp_path}/text.db"
    with Store.open(good):
        pass
    words = ["doctor", "--json", "--model-dir", str(tmp_path / "model")]
    assert main([*words, "--store", good]) == 0
    faults = {c["name"]: c["fault"] for c in json.loads(capsys.readouterr().out)["checks"]}
    assert set(faults) == {"ready-en-plain", "sample-ir-t", str(tmp_path / "model"), good}
    assert not any(faults.values())
    gone = str(tmp_path / "gone")
    assert (
        main([*words, "--model-dir", str(tmp_path / "broken"), "--model-dir", gone, "--store", bad])
        == 3
    )
    faults = {c["name"]: c["fault"] for c in json.loads(capsys.readouterr().out)["checks"]}
    assert all(faults[name] for name in (str(tmp_path / "broken"), gone, bad))
