"""The neural rankers: they learn what is planted, stop in time, take vectors from a file, and rank without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import records, samples
from newsdesk.metrics.ranking import ndcg
from newsdesk.nn.vectors import read_vectors, write_vectors
from newsdesk.rankers.neural import NeuralRanker
from newsdesk.text.ragged import Vocabulary
from newsdesk.types import Thread
from tests.growth import beside
from tests.rankers.plain import thread

pytest.importorskip("torch")

NAMES = ("ranknet", "lstm-reg")
SMALL = {"units": 8, "dimensions": 6, "epochs": 1, "min_count": 1}


def planted(seed: int, articles: int = 20) -> list[Thread]:
    """Comments whose score is how many of their words are good, less those that are bad, and a shift of the article."""
    rng = np.random.default_rng(seed)
    threads = []
    for number in range(articles):
        words = [rng.choice(["good", "bad", "dull", "the"], 5).tolist() for _ in range(8)]
        shift = float(rng.normal(0, 1))
        scores = [shift + each.count("good") - each.count("bad") for each in words]
        texts = [" ".join(each) for each in words]
        threads.append(thread(f"s{seed}-{number}", texts, scores, title="the title"))
    return threads


@pytest.mark.parametrize("name", NAMES)
def test_the_planted_order_is_learned(name: str) -> None:
    model = nd.ranker(name, iterations=250, learning_rate=0.02, **SMALL).fit(planted(0))
    right = total = 0
    for one in planted(1):
        scores = model.scores(one)
        gains = np.array([each.score for each in one.comments])
        better, worse = np.nonzero(gains[:, None] > gains[None] + 0.5)
        right += int((scores[better] > scores[worse]).sum())
        total += len(better)
    assert right / total > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_the_network_of_the_best_dev_figure_is_taken_and_training_ends_early(name: str) -> None:
    dev = planted(2, 6)
    model = nd.ranker(
        name, iterations=1_000, learning_rate=0.02, check_every=5, patience=4, **SMALL
    ).fit(planted(0, 5), dev)
    assert isinstance(model, NeuralRanker)
    best = int(np.argmax(model.dev_))
    assert len(model.dev_) == best + 1 + 4 < 200
    values = [ndcg(model.scores(each), [c.score for c in each.comments], 5) for each in dev]
    assert np.mean(values) == pytest.approx(max(model.dev_), abs=1e-9)
    assert f"dev NDCG@5 {max(model.dev_):.4f}" in model.summary


@pytest.mark.parametrize("name", NAMES)
def test_without_patience_dev_threads_change_nothing(name: str) -> None:
    settings = {**SMALL, "iterations": 6, "check_every": 2, "patience": None}
    alone, beside_dev = (
        nd.ranker(name, **settings).fit(planted(0, 5), dev) for dev in (None, planted(2, 6))
    )
    assert alone.digest == beside_dev.digest
    assert "6 steps" in beside_dev.summary and "at most" not in beside_dev.summary


def test_words_that_are_rare_as_gensim_counts_keep_a_random_vector() -> None:
    settings = {**SMALL, "iterations": 1, "learning_rate": 1e-9, "epochs": 3}
    rare = nd.Comment("rare", "seldom seldom good bad", score=0.5)
    threads = [
        *planted(0),
        Thread(nd.Article("z", "", lang="en"), (rare, nd.Comment("other", "good", score=0.1))),
    ]
    lengths = {}
    for count in (None, 5):
        learned, arrays = (
            nd.ranker("ranknet", vector_min_count=count, **settings).fit(threads).learned()
        )
        words = {word: arrays["vectors"][row] for row, word in enumerate(learned["words"])}
        lengths[count] = float(np.abs(words["seldom"]).max())
    assert lengths[5] <= 0.5 / SMALL["dimensions"] + 1e-6 < lengths[None]


def test_the_title_moves_every_comment_of_an_article_alike() -> None:
    model = nd.ranker("lstm-reg", iterations=30, learning_rate=0.02, **SMALL).fit(planted(0))
    one = planted(3, 1)[0]
    other = Thread(nd.Article("x", "", title="good good"), one.comments)
    moved = model.scores(one) - model.scores(other)
    assert abs(moved[0]) > 1e-4
    np.testing.assert_allclose(moved, moved[0], atol=1e-5)


def test_only_the_first_words_of_a_long_comment_are_read() -> None:
    model = nd.ranker("ranknet", iterations=5, max_words=3, **SMALL).fit(planted(0))
    one = thread("t", ["good bad the", "good bad the dull dull", "good bad"], [None] * 3)
    scores = model.scores(one)
    assert scores[0] == scores[1] != scores[2]


_WITHOUT_TORCH = """
import json, sys
sys.modules["torch"] = None
from newsdesk import Ranker, Thread, read
model = Ranker.load(sys.argv[1])
print(json.dumps([model.scores(each).tolist() for each in read(sys.argv[2], Thread)]))
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_network_ranks_where_there_is_no_torch(name: str, tmp_path: Path) -> None:
    threads = samples.threads()
    model = nd.ranker(name, iterations=5, **SMALL).fit(threads[:3])
    model.save(tmp_path / "m")
    records.write(tmp_path / "t.jsonl", threads[3:6])
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_TORCH, str(tmp_path / "m"), str(tmp_path / "t.jsonl")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [model.scores(each).tolist() for each in threads[3:6]]


def test_vectors_come_from_a_file_and_words_that_it_lacks_are_drawn(tmp_path: Path) -> None:
    words = Vocabulary(("<unk>", "good", "bad", "dull"))
    vectors = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    for name in ("v.txt", "v.txt.gz"):
        write_vectors(tmp_path / name, words, vectors)
        np.testing.assert_array_equal(read_vectors(tmp_path / name, words, 6), vectors)
    more = Vocabulary(("<unk>", "the", "bad"))
    others = read_vectors(tmp_path / "v.txt", more, 6)
    np.testing.assert_array_equal(others[[0, 2]], vectors[[0, 2]])
    assert 0.1 < others[1].std() < 3
    np.testing.assert_array_equal(others, read_vectors(tmp_path / "v.txt", more, 6))
    settings = {**SMALL, "iterations": 1, "learning_rate": 1e-9}
    model = nd.ranker("ranknet", vectors=str(tmp_path / "v.txt"), **settings).fit(planted(0))
    learned, arrays = model.learned()
    place = learned["words"].index("good")
    np.testing.assert_allclose(arrays["vectors"][place], vectors[1], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 6\ngood 1 2 3\n", "3 numbers after the word, not the 6"),
        ("good 1 2 3 4 5 x\n", "could not convert"),
        ("1 6\nnobody 1 2 3 4 5 6\n", "none of the words"),
    ],
)
def test_a_file_of_vectors_that_does_not_fit_is_refused(
    text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(nd.DataError, match=reason):
        nd.ranker("ranknet", vectors=str(tmp_path / "v.txt"), **SMALL).fit(planted(0))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("ranknet(units=0)", "units is 0, below 1"),
        ("lstm-reg(learning_rate=0)", "learning_rate is 0"),
        ("ranknet(target='upvotes')", "target is 'upvotes'"),
        ("lstm-reg(width='half')", "width is 'half'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(nd.ArgumentError, match=reason):
        nd.ranker(spec)


def test_pairs_need_two_comments_of_an_article() -> None:
    with pytest.raises(nd.ArgumentError, match="nothing to learn from"):
        nd.ranker("ranknet", **SMALL).fit([thread(name, ["alone"], [1]) for name in "tu"])


def test_the_seed_decides_and_the_paper_s_settings_are_the_defaults() -> None:
    first, second = (
        nd.ranker("ranknet", iterations=3, seed=seed, **SMALL).fit(planted(0)).learned()[1]
        for seed in (0, 1)
    )
    assert not np.array_equal(first["weights"], second["weights"])
    default = nd.ranker("ranknet").settings
    assert {
        name: default[name]
        for name in ("iterations", "units", "dimensions", "batch", "learning_rate", "min_count")
    } == {
        "iterations": 10_000,
        "units": 300,
        "dimensions": 300,
        "batch": 10,
        "learning_rate": 1e-4,
        "min_count": 4,
    }


def test_a_thousand_comments_cost_little_more_than_their_products_at_the_paper_s_size() -> None:
    threads = samples.threads()
    model = cast(NeuralRanker, nd.ranker("lstm-reg", iterations=1, epochs=1).fit(threads[:2]))
    texts = [each.text for one in threads for each in one.comments]
    many = thread("many", (texts * 4)[:1000], [None] * 1000, title="A title of some words")
    words = sum(len(each) for each in model._words(many)[1])
    units = model.units
    inputs = np.ones((words, units + model.dimensions), dtype=np.float32)
    gates = np.ones((units + model.dimensions, 4 * units), dtype=np.float32)
    # The four gates of every word, as one product.
    ratio = beside(lambda: model.scores(many), lambda: inputs @ gates)
    assert ratio < 6
