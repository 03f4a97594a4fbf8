"""The networks: numpy equals torch, training learns what is planted, the same seed gives the same network."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from newsdesk.errors import ArgumentError
from newsdesk.nn.text_pairs import TextGroup, TextPairSettings, fit_text_pairs
from newsdesk.nn.trainer import Lstm
from newsdesk.nn.vectors import SkipGram, word_vectors
from newsdesk.text.ragged import Ragged, Vocabulary
from newsdesk.work import Progress

torch = pytest.importorskip("torch")

WORDS = [f"w{n}" for n in range(20)]
VOCABULARY = Vocabulary(("<unk>", *WORDS))
VECTORS = np.random.default_rng(0).normal(size=(21, 8)).astype(np.float32)


def random_rows(count: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 21, rng.integers(0, 12)).tolist() for _ in range(count)]


def test_numpy_s_lstm_equals_torch_s() -> None:
    torch.manual_seed(0)
    module = torch.nn.LSTM(8, 6, batch_first=True)
    weights = [
        getattr(module, name).detach().numpy()
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    ]
    ours = Lstm(weights[0], weights[1], weights[2] + weights[3])
    rows = random_rows(30, seed=1)
    states = ours.last_states(Ragged.of_rows(rows), VECTORS)
    for row, state in zip(rows, states, strict=True):
        if not row:
            assert not state.any()
            continue
        _, (expected, _) = module(torch.from_numpy(VECTORS[row])[None])
        np.testing.assert_allclose(state, expected.detach().numpy()[0, 0], atol=1e-6)


def groups(seed: int) -> list[TextGroup]:
    """Comments whose score is how often they hold w1, less how often they hold w2."""
    rng = np.random.default_rng(seed)
    groups = []
    for _ in range(30):
        texts = [rng.integers(1, 8, rng.integers(1, 8)).astype(np.int32) for _ in range(8)]
        scores = np.array(
            [np.sum(text == 2) - np.sum(text == 3) for text in texts], dtype=np.float64
        )
        groups.append(TextGroup(tuple(texts), rng.integers(1, 20, 4).astype(np.int32), scores))
    return groups


@pytest.mark.parametrize("loss", ["pairs", "squared"])
def test_training_learns_what_is_planted(loss: Literal["pairs", "squared"]) -> None:
    settings = TextPairSettings(units=12, iterations=400, learning_rate=0.01)
    losses: list[float] = []

    def note(step: Progress) -> None:
        losses.append(float(step.step.removeprefix("loss ")))

    scorer = fit_text_pairs(groups(0), VOCABULARY, VECTORS, loss, settings, note)
    right = total = 0
    for group in groups(1):
        texts = [[VOCABULARY.words[i] for i in text] for text in group.texts]
        scores = scorer.scores(texts, [VOCABULARY.words[i] for i in group.context])
        for a in range(len(texts)):
            for b in range(a):
                if group.targets[a] != group.targets[b]:
                    total += 1
                    right += (scores[a] > scores[b]) == (group.targets[a] > group.targets[b])
    assert right / total > 0.9
    assert len(losses) == 400
    assert losses[-1] < losses[20]


def test_training_is_seeded() -> None:
    settings = TextPairSettings(units=4, iterations=20)
    first, second = (
        fit_text_pairs(groups(0), VOCABULARY, VECTORS, "pairs", settings) for _ in range(2)
    )
    texts = [["w1", "w2"], [], ["nobody"]]
    np.testing.assert_array_equal(first.scores(texts, ["w3"]), second.scores(texts, ["w3"]))
    assert first.scores([], ["w3"]).shape == (0,)


def test_nothing_to_learn_from_is_an_error() -> None:
    lonely = TextGroup((np.array([1], dtype=np.int32),), np.array([1], dtype=np.int32), np.zeros(1))
    with pytest.raises(ArgumentError, match="nothing to learn from"):
        fit_text_pairs([lonely], VOCABULARY, VECTORS, "pairs")


def test_words_used_alike_get_vectors_alike() -> None:
    rng = np.random.default_rng(0)
    texts = []
    for _ in range(2_000):
        side = rng.integers(2)
        animals, places = (
            (["cat", "dog"], ["house", "garden"])
            if side
            else (["ship", "boat"], ["sea", "harbour"])
        )
        texts.append([str(rng.choice(animals)), "in", "the", str(rng.choice(places)), "today"])
    vocabulary = Vocabulary.build(texts)
    vectors = word_vectors(texts, vocabulary, SkipGram(dimensions=16, epochs=4, thin=1.0))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def near(a: str, b: str) -> float:
        ids = vocabulary.ids([a, b])
        return float(unit[ids[0]] @ unit[ids[1]])

    assert near("cat", "dog") > near("cat", "boat")
    assert near("sea", "harbour") > near("sea", "garden")
    again = word_vectors(texts, vocabulary, SkipGram(dimensions=16, epochs=4, thin=1.0))
    np.testing.assert_array_equal(vectors, again)
