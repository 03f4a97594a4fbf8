"""Signs and adaptation: a fitted weight never has the wrong sign, few articles move the ready model a little, and many take over."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.arrays import Floats
from newsdesk.rankers.argument.counts import columns
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.weights import Labels, RidgeRegression
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Comment, Thread
from tests.rankers.argument.test_model import shuffled, world

SIGNS = np.array([each.sign for each in columns()])


def without_votes(threads: list[Thread]) -> list[Thread]:
    """The same threads with the share of yes as a score, to be learned by pairs."""
    return [
        Thread(one.article, tuple(
            Comment(each.id, each.text, score=(each.yes or 0) / (each.votes or 1))
            for each in one.comments
        ))
        for one in threads
    ]  # fmt: skip


@pytest.mark.parametrize("prior", ["ready", "none"])
@pytest.mark.parametrize("votes", [True, False], ids=["votes", "pairs"])
def test_no_weight_has_the_wrong_sign_whatever_it_was_fitted_on(prior: str, votes: bool) -> None:
    # Shuffled labels would give half of the weights the wrong sign.
    threads = shuffled(samples.threads()[:9], np.random.default_rng(0))
    settings: dict[str, Any] = {"vectors": "none", "prior": prior, "padding": prior == "ready"}
    model = Argument(**settings).fit(threads if votes else without_votes(threads))
    assert (model.weights_.coef[: len(SIGNS)] * SIGNS >= 0).all()


@pytest.mark.parametrize("name", ["ready-en", "ready-en-plain", "ready-zh", "ready-ja"])
def test_no_ready_model_has_a_weight_of_the_wrong_sign(name: str) -> None:
    coef = cast(Argument, load_ready(name)).weights_.coef[: len(SIGNS)]
    assert (coef * SIGNS >= 0).all()
    assert (coef != 0).sum() > 30


def test_few_articles_move_the_ready_model_less_than_many() -> None:
    threads = world(60, 12, seed=4)
    ready = cast(Argument, load_ready("ready-en-plain")).weights_.coef
    moved = []
    for count in (4, 60):
        weights = Argument(vectors="none", quality=1.0).fit(threads[:count]).weights_
        moved.append(float(np.linalg.norm(weights.coef - ready)))
    assert moved[0] < moved[1] / 2


def test_the_ready_model_is_held_five_times_as_fast_by_four_articles_as_by_a_hundred() -> None:
    regression = RidgeRegression(1.0, 1.0, 0, cast(Argument, load_ready("ready-en-plain")).weights_)

    def ridge(articles: int) -> Floats:
        labels = Labels(np.arange(articles), np.arange(articles), np.zeros(articles), None)
        return regression._ridge(labels, len(SIGNS), 1.0)

    np.testing.assert_allclose(ridge(4), 5 * ridge(100))
    np.testing.assert_allclose(ridge(400), ridge(100))


def test_the_standing_of_a_comment_is_the_share_it_beats_and_a_tie_counts_half() -> None:
    shares, articles = np.array([0.1, 0.5, 0.5, 0.9, 0.3]), np.array([0, 0, 0, 0, 1])
    labels = Labels(np.arange(5), articles, shares, None)
    assert labels.standings().tolist() == [0.0, 0.5, 0.5, 1.0, 0.5]


def test_the_summary_says_how_much_of_it_is_the_ready_model(
    model: Argument, from_nothing: Argument
) -> None:
    assert model.summary.endswith(
        "adapted from the ready model on 9 articles: mostly the ready model"
    )
    assert from_nothing.summary.endswith("fitted on 9 articles")
    many = Argument(vectors="none").fit(world(30, 4, seed=5))
    assert many.summary.endswith("adapted from the ready model on 30 articles")


def test_a_language_without_a_ready_model_is_fitted_from_nothing() -> None:
    threads = [
        dataclasses.replace(each, article=dataclasses.replace(each.article, lang="fr"))
        for each in world(6, 6, seed=6)
    ]
    assert not Argument(vectors="none").fit(threads).adapted_


def test_quality_weighs_as_set(model: Argument) -> None:
    threads = samples.threads()[:9]
    single, double = (Argument(quality=quality).fit(threads).weights_ for quality in (1.0, 2.0))
    np.testing.assert_allclose(double.coef, 2 * single.coef)
    np.testing.assert_array_equal(double.curve.odds, single.curve.odds)
