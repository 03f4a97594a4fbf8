"""The ranker `argument` on real votes (C3), on articles that it has not seen: better than length where length cannot help, and not to be gamed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from bench._data import c3
from newsdesk.rankers.evaluation.evaluate import evaluate
from newsdesk.rankers.evaluation.gaming import KINDS, game
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.evaluation.systems import system_of
from newsdesk.rankers.ranker import Ranker
from newsdesk.types import Thread
from tests.rankers.test_real import part

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def threads(shared_data: Path) -> list[Thread]:
    return c3(shared_data)


@pytest.fixture(scope="module")
def held_out(threads: list[Thread]) -> list[Thread]:
    return [each for each in threads if part(each) in (0, 1)]


@pytest.fixture(scope="module")
def model(threads: list[Thread]) -> Ranker:
    return nd.ranker("argument").fit(each for each in threads if part(each) not in (0, 1))


def test_it_knows_more_than_length_and_loses_nothing(model: Ranker, held_out: list[Thread]) -> None:
    judged = Judged.of(held_out)
    systems = [
        system_of(each.name, [each], held_out, judged) for each in (model, nd.ranker("length"))
    ]
    evaluation = evaluate(judged, systems, (5,), samples=1000, redrawn=0)
    ours, length = evaluation.systems["argument"], evaluation.systems["length"]
    assert ours["blmp"].value > 0.56
    assert ours["blmp"].ci[0] > 0.5
    assert ours["sauc"].value > length["sauc"].value + 0.02
    assert ours["ndcg@5"].value > length["ndcg@5"].value - 0.003


def test_no_filler_lifts_weak_comments(model: Ranker, held_out: list[Thread]) -> None:
    some = [each for each in held_out if len(each.comments) < 60][:25]
    results = game(model, some, samples=50)
    assert [each.kind for each in results] == list(KINDS)
    for each in results:
        assert each.pairs > 500
        assert each.share <= 0.05


def test_probabilities_agree_with_the_votes(model: Ranker, held_out: list[Thread]) -> None:
    probability = np.concatenate([model.probability(each) for each in held_out])
    share = np.array([each.yes / each.votes for one in held_out for each in one.comments])
    parts = np.array_split(np.argsort(probability, kind="stable"), 10)
    errors = [abs(probability[places].mean() - share[places].mean()) for places in parts]
    assert np.mean(errors) < 0.04
