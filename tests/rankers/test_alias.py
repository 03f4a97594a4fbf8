"""The alias `newsdesk`: the same ranker as `argument`, under whose name results and models are stored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers import Ranker
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.evaluation.compare import Entrant
from newsdesk.registry import Spec


@pytest.fixture(scope="module")
def model() -> Ranker:
    return nd.ranker("newsdesk(vectors='none')").fit(samples.threads()[:6])


def test_alias_and_name_give_the_same_scores(model: Ranker) -> None:
    named = nd.ranker("argument(vectors='none')").fit(samples.threads()[:6])
    assert model.name == named.name == "argument"
    thread = samples.threads()[7]
    np.testing.assert_array_equal(model.scores(thread), named.scores(thread))


def test_a_model_saved_under_the_old_name_loads(model: Ranker, tmp_path: Path) -> None:
    model.save(tmp_path)
    header = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert header["ranker"] == "argument"
    (tmp_path / "model.json").write_text(json.dumps({**header, "ranker": "newsdesk"}), "utf-8")
    thread = samples.threads()[7]
    for loaded in (Ranker.load(tmp_path), Argument.load(tmp_path)):
        assert loaded.name == "argument"
        np.testing.assert_array_equal(loaded.scores(thread), model.scores(thread))


def test_an_entrant_typed_by_the_alias_is_compared_under_the_name() -> None:
    plain, set_up = Entrant.of("newsdesk"), Entrant.of("newsdesk( seed=3 )")
    assert (plain.name, plain.trials) == ("argument", (Spec("argument", (("seed", 0),)),))
    assert set_up.name == str(set_up.trials[0]) == "argument(seed=3)"
    assert Entrant.of("svr( cost=1 )").name == "svr( cost=1 )"
