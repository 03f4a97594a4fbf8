"""The networks behind commenters: memory, attention, resumption, and the same numbers in torch and numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import newsdesk as nd
from newsdesk.commenters.generated import Att
from newsdesk.commenters.nearest import IrTc
from newsdesk.commenters.relevance import examples_of, pair_accuracy, random_others
from newsdesk.nn import convolution, generation
from newsdesk.nn.encoder_decoder import Beam, rounded_weights
from newsdesk.nn.generation import Generator, GeneratorSettings, fit_generator
from newsdesk.nn.trainer import Checkpoints
from newsdesk.simulate import world
from newsdesk.simulate.outputs import Grader
from newsdesk.text.ragged import Ragged, Vocabulary
from newsdesk.work import Progress
from tests.commenters.worlds import pairs


@pytest.fixture(scope="module")
def memorized() -> tuple[list[nd.Thread], Att]:
    threads = pairs(200)
    model = Att(
        minutes=None, updates=500, dropout=0.0, learning_rate=5e-3, units=128, dimensions=64, batch=25
    )  # fmt: skip
    return threads, model.fit(threads)


def test_att_learns_200_pairs_by_heart(memorized: tuple[list[nd.Thread], Att]) -> None:
    threads, model = memorized
    assert model.losses_[-1] < 0.3
    same = [model.suggest(t.article, 1)[0].text == t.comments[0].text for t in threads[:60]]
    assert np.mean(same) >= 0.8


def test_attention_sums_to_one_over_the_source(memorized: tuple[list[nd.Thread], Att]) -> None:
    threads, model = memorized
    words = model.reading_.words(threads[0].article.title or "")
    written = model.network_.write(words, Beam(width=3, longest=20), 2)
    for each in written:
        assert each.attention is not None and each.attention.shape == (len(each.words), len(words))
        np.testing.assert_allclose(each.attention.sum(axis=1), 1, atol=1e-5)


def small_data() -> tuple[list[tuple[np.ndarray, np.ndarray]], Vocabulary]:
    rng = np.random.default_rng(0)
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *(f"w{n}" for n in range(40))))
    data = [
        (rng.integers(3, 43, 5).astype(np.int32), rng.integers(3, 43, rng.integers(2, 9)).astype(np.int32))
        for _ in range(60)
    ]  # fmt: skip
    return data, vocabulary


SETTINGS: dict[str, Any] = {
    "units": 16,
    "dimensions": 8,
    "batch": 8,
    "minutes": None,
    "check_every": 10,
}


def test_a_killed_training_resumes_to_the_same_losses(tmp_path: Path) -> None:
    data, vocabulary = small_data()
    settings = GeneratorSettings(updates=37, **SETTINGS)
    whole, done = fit_generator(data, vocabulary, settings, dev=data[:10])
    checkpoints = Checkpoints(tmp_path, "digest", every_s=0.0)

    class KilledError(Exception):
        pass

    def kill(progress: Progress) -> None:
        if progress.done == 20:
            raise KilledError

    with pytest.raises(KilledError):
        fit_generator(
            data, vocabulary, settings, dev=data[:10], checkpoints=checkpoints, progress=kill
        )
    assert len(list(tmp_path.glob("state-*.npz"))) == 1
    resumed, again = fit_generator(
        data, vocabulary, settings, dev=data[:10], checkpoints=checkpoints
    )
    assert again.updates == done.updates == 37
    assert again.dev == done.dev and again.running == done.running
    for name, value in whole.weights.items():
        np.testing.assert_array_equal(value, resumed.weights[name])


def test_a_checkpoint_of_other_data_is_not_used(tmp_path: Path) -> None:
    data, vocabulary = small_data()
    settings = GeneratorSettings(updates=4, **SETTINGS)
    fit_generator(data, vocabulary, settings, checkpoints=Checkpoints(tmp_path, "one", every_s=0.0))
    _, done = fit_generator(
        data, vocabulary, settings, checkpoints=Checkpoints(tmp_path, "two", every_s=1e9)
    )
    _, fresh = fit_generator(data, vocabulary, settings)
    assert done.running == fresh.running


def test_training_ends_when_its_minutes_are_spent() -> None:
    data, vocabulary = small_data()
    ticks = iter(range(10_000))
    settings = GeneratorSettings(**{**SETTINGS, "minutes": 1.0})
    _, done = fit_generator(data, vocabulary, settings, clock=lambda: float(next(ticks)))
    assert done.updates == 60


def test_without_patience_only_the_budget_ends_a_training() -> None:
    data, vocabulary = small_data()
    # At this rate the network learns nothing, and the dev loss soon rises.
    both = []
    for patience in (1, None):
        settings = {
            **SETTINGS,
            "updates": 60,
            "check_every": 2,
            "patience": patience,
            "learning_rate": 0.5,
        }
        _, done = fit_generator(data, vocabulary, GeneratorSettings(**settings), dev=data[:4])
        both.append(done.updates)
    assert both[0] < both[1] == 60


@pytest.mark.parametrize("words", [30, 2_500])
@pytest.mark.parametrize("attention", [True, False])
def test_generation_is_the_same_in_torch_and_numpy(words: int, attention: bool) -> None:
    import torch

    torch.manual_seed(3)
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *(f"w{n}" for n in range(words))))
    settings = GeneratorSettings(attention=attention, units=16, dimensions=8)
    network = generation._network(torch, len(vocabulary), settings).eval()
    generator = Generator(vocabulary, rounded_weights(network))
    rows = torch.randn(4, 16)
    with torch.no_grad():
        expected = network["out"].log_prob(rows).numpy()
    np.testing.assert_allclose(generator.log_probabilities(rows.numpy()), expected, atol=2e-3)
    np.testing.assert_allclose(
        np.exp(generator.log_probabilities(rows.numpy())).sum(1), 1, atol=1e-4
    )


@pytest.mark.parametrize("name", get_args(convolution.RelevanceModel))
def test_the_relevance_score_is_the_same_in_torch_and_numpy(
    name: convolution.RelevanceModel,
) -> None:
    import torch

    torch.manual_seed(5)
    settings = convolution.ConvolutionSettings(
        dimensions=8, units=6, filters=5, relevance_model=name
    )
    importance = np.random.default_rng(2).random(50)
    network = convolution._network(torch, importance, settings).eval()
    with torch.no_grad():
        for value in network.parameters():  # as they are saved
            value.copy_(value.half().float())
    scorer = convolution._extract(network, settings)
    rng = np.random.default_rng(1)
    texts = Ragged.of_rows([rng.integers(0, 50, size).tolist() for size in (0, 1, 2, 3, 9, 40)])
    with torch.no_grad():
        left = convolution._encoded(torch, network, "context", texts, settings)
        right = convolution._encoded(torch, network, "text", texts, settings)
    expected = (left.double() @ right.double().T).numpy()
    contexts, vectors = scorer.contexts(texts), scorer.texts(texts)
    scores = np.array([scorer.scores(each, vectors, np.zeros(len(texts))) for each in contexts])
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    # Of the paper's network every input of the last layer is a filter, and shared words do not count.
    assert scorer.text.weight.shape[1] == 3 * 5 + (0 if name == "cnn" else 8)
    assert (scorer.overlap > 0) == (name == "cnn+sum+shared")


def test_relevance_tells_true_comments_from_others_in_a_simulated_world() -> None:
    threads = list(world(seed=7, preset="commenting", events=260, comments=3_900).threads())
    model = IrTc(updates=120, filters=16, units=16, dimensions=16).fit(threads[:200])
    held_out = threads[200:]
    read = model._read(held_out, model.reading_)
    article_of = np.array(read.article_of, dtype=np.int64)
    rows = model.terms_.rows(read.articles), model.terms_.rows(read.comments)
    examples = examples_of(model.terms_, *rows, article_of, np.arange(len(article_of)))
    # The whole world (bench) has a hundred times the articles.
    assert pair_accuracy(model.network_, examples, random_others(examples, 0)) > 0.65


def test_simulated_graders_see_the_quality_that_the_world_knows() -> None:
    one = world(seed=7, preset="commenting", events=40, comments=600)
    grader = Grader(one.desk)
    truth = {row["comment"]: row["quality"] for row in one.truth("comments")}
    seen, known = [], []
    for thread in one.threads():
        for comment in thread.comments:
            seen.append(grader.quality(thread.article.id, comment.text))
            known.append(truth[comment.id])
    assert np.corrcoef(seen, known)[0, 1] > 0.5
    output = nd.Output(thread.article.id, "ir-t", comment.text)
    judgments = list(grader.judgments([output]))
    assert len(judgments) == 2 and all(1 <= int(each.value) <= 5 for each in judgments)


def test_headlines_are_learned_from_contents() -> None:
    threads = [
        nd.Thread(nd.Article(t.article.id, t.comments[0].text, title=t.article.title), ())
        for t in pairs(20)
    ]
    model = Att(
        target="title", minutes=None, updates=150, dropout=0.0, learning_rate=1e-2, units=48, dimensions=24, batch=10
    ).fit(threads)  # fmt: skip
    same = [model.suggest(t.article, 1)[0].text == t.article.title for t in threads]
    assert np.mean(same) > 0.5
    assert "target:title" in model.signature
