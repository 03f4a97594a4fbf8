"""Trained summarizers: features and targets against plain code, training against torch and scikit-learn, models on disk."""

from __future__ import annotations

import dataclasses
import math
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from newsdesk import samples
from newsdesk.errors import ArgumentError, DataError, FileError, SpecError
from newsdesk.metrics import metric
from newsdesk.packaged import table
from newsdesk.summarizers import evaluate, prepare, summarizer
from newsdesk.summarizers.baselines import Overlap
from newsdesk.summarizers.regression import BertReg, RougeRegression, Tsr
from newsdesk.summarizers.regressors import (
    Moments,
    RowFile,
    Sgd,
    first_weights,
    linear,
    network,
    network_error,
    ridge,
    sgd_epoch,
    train_network,
    weights_beside,
)
from newsdesk.summarizers.sentence_features import (
    FEATURES,
    TARGETS,
    Frequencies,
    Relations,
    SentenceFacts,
    rouge_targets,
)
from newsdesk.summarizers.trained import Cache, key_of
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import CLUSTERS, TRAINED, cluster_of, ready, real_clusters
from tests.summarizers.tiny import save_tiny_bert

LSA = "lsa(dimensions=8)"
STOP = set(table("summarizers", "stop_words_en.txt"))


def unfitted(name: str, **fields: Any) -> RougeRegression:
    found = summarizer(name, **{"encoder": LSA, **fields})
    assert isinstance(found, RougeRegression)
    return found


def words_of(text: str) -> list[str]:
    found = (word.lower() for word in tokenizer("en").words(text))
    return [word for word in found if any(map(str.isalnum, word))]


def content_of(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in STOP]


def plain_features(cluster: Cluster, training: list[Cluster]) -> list[list[float]]:
    """The seven figures written out, one sentence after the other."""
    documents: Counter[str] = Counter()
    clusters: Counter[str] = Counter()
    for each in training:
        held = [
            {w for text in prepare(Cluster("x", (a,))).texts for w in content_of(text)}
            for a in each.articles
        ]
        documents.update(word for words in held for word in words)
        clusters.update(set().union(*held))
    count = sum(len(each.articles) for each in training)

    def inverse(seen: Counter[str], word: str, n: int) -> float:
        known = seen[word] if documents[word] >= 2 else 0
        return math.log((1 + n) / (1 + known)) + 1

    prepared = prepare(cluster)
    articles = [prepare(Cluster("x", (article,))).texts for article in cluster.articles]
    bag = Counter(word for texts in articles for text in texts for word in content_of(text))
    total = sum(bag.values())
    rows, seen = [], set()
    for texts in articles:
        for place, text in enumerate(texts):
            if text in seen:
                continue
            seen.add(text)
            content, words = content_of(text), words_of(text)
            n = max(len(content), 1)
            tf = {word: bag[word] / total for word in content}
            df = {w: sum(any(w in content_of(t) for t in a) for a in articles) for w in content}
            rows.append(
                [
                    len(tokenizer("en").words(text)),
                    1 / (1 + place),
                    1 - len(content) / len(words) if words else 0.0,
                    sum(tf[w] for w in content) / n,
                    sum(tf[w] * inverse(documents, w, count) for w in content) / n,
                    sum(tf[w] * inverse(clusters, w, len(training)) for w in content) / n,
                    sum(df[w] / len(articles) for w in content) / n,
                ]
            )
    assert len(rows) == len(prepared.distinct)
    return rows


def features(cluster: Cluster, training: list[Cluster]) -> Any:
    frequencies = Frequencies.of(SentenceFacts.of(prepare(each)) for each in training)
    return frequencies.features(SentenceFacts.of(prepare(cluster)))


def test_the_figures_are_those_of_plain_code() -> None:
    clusters = samples.clusters()[:4]
    for cluster in (clusters[0], clusters[3]):
        ours = features(cluster, clusters[:3])
        np.testing.assert_allclose(ours, plain_features(cluster, clusters[:3]), atol=1e-12)
        assert ours.shape[1] == len(FEATURES)
        assert (ours.std(axis=0) > 0).all()


@given(CLUSTERS, CLUSTERS)
@settings(max_examples=60)
def test_the_figures_of_generated_clusters_are_those_of_plain_code(
    cluster: Cluster, training: Cluster
) -> None:
    ours = features(cluster, [training])
    theirs = np.array(plain_features(cluster, [training])).reshape(-1, len(FEATURES))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_targets_are_the_evaluation_s_rouge() -> None:
    cluster = samples.clusters()[1]
    prepared = prepare(cluster)
    rouge = metric("rouge-1(profile='perl')")
    found = rouge_targets(Overlap.of(prepared, prepared.distinct.tolist()))
    for row, number in zip(found, prepared.distinct.tolist(), strict=True):
        score = rouge.score(prepared.texts[number], [cluster.summary or ""], lang="en")
        assert row.tolist() == pytest.approx([score.parts[name] for name in TARGETS])


def test_facts_survive_being_kept_as_arrays() -> None:
    for cluster in (samples.clusters()[0], cluster_of("*** --- ***"), Cluster("none", ())):
        facts = SentenceFacts.of(prepare(cluster))
        again = SentenceFacts.from_arrays(facts.arrays())
        frequencies = Frequencies.of([facts])
        assert np.array_equal(frequencies.features(facts), frequencies.features(again))


def test_sgd_takes_the_steps_of_torch() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    rows, targets = rng.normal(size=(50, 9)), rng.normal(size=50)
    weights = first_weights(9, 16, rng)
    layers = torch.nn.Sequential(torch.nn.Linear(9, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    layers = layers.double()
    starts = [weights["w1"].T, weights["b1"], weights["w2"][None], weights["b2"]]
    for parameter, start in zip(layers.parameters(), starts, strict=True):
        parameter.data = torch.from_numpy(start.copy())
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.02)
    batches = [np.arange(50)[start : start + 8] for start in range(0, 50, 8)]
    for _ in range(3):
        sgd_epoch(weights, np.column_stack([rows, targets]), iter(batches), 0.02)
        for batch in batches:
            optimizer.zero_grad()
            found = layers(torch.from_numpy(rows[batch])).squeeze(1)
            torch.nn.functional.mse_loss(found, torch.from_numpy(targets[batch])).backward()
            optimizer.step()
    theirs = layers(torch.from_numpy(rows)).squeeze(1).detach().numpy()
    np.testing.assert_allclose(network(weights, rows), theirs, atol=1e-12)


def moments_of(*blocks: Any) -> Moments:
    moments = Moments(blocks[0].shape[1])
    for block in blocks:
        moments.add(block)
    return moments


def test_the_ridge_is_scikit_learn_s_however_the_rows_arrive() -> None:
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(1)
    rows, targets = rng.normal(size=(40, 6)) + 3, rng.normal(size=40) + 7
    joined = np.column_stack([rows, targets])
    blocks = (joined[:1], joined[1:1], joined[1:30], joined[30:])
    moments = moments_of(*blocks)
    for penalty, weights in zip((0.1, 30.0), ridge(moments, (0.1, 30.0)), strict=True):
        theirs = Ridge(penalty).fit(rows, targets)
        np.testing.assert_allclose(linear(weights, rows), theirs.predict(rows), atol=1e-10)
        error = np.mean((theirs.predict(rows) - targets) ** 2)
        assert moments.error(weights) == pytest.approx(error)
    np.testing.assert_allclose(moments.deviations(6), rows.std(axis=0))
    mean, scale = rows[:, :2].mean(axis=0), rows[:, :2].std(axis=0)
    rows[:, :2] = (rows[:, :2] - mean) / scale
    standard = moments_of(np.column_stack([rows, targets]))
    np.testing.assert_allclose(
        moments.standardized(mean, scale).products, standard.products, atol=1e-10
    )


def test_the_second_regression_of_tsr_is_least_squares_on_the_predictions_of_the_first() -> None:
    rng = np.random.default_rng(4)
    rows, relations, gains = rng.normal(size=(80, 5)), rng.random((80, 2)), rng.normal(size=80)
    alone = {"weights": rng.normal(size=5), "bias": np.array(0.3)}
    moments = moments_of(np.column_stack([rows, relations, gains]))
    inputs = np.column_stack([linear(alone, rows), relations, np.ones(80)])
    theirs = np.linalg.lstsq(inputs, gains, rcond=None)[0]
    np.testing.assert_allclose(weights_beside(moments, alone), theirs, atol=1e-3)
    assert weights_beside(Moments(8), alone).tolist() == [1, 0, 0, 0]


def written(rows: Any) -> RowFile:
    file = RowFile(rows.shape[1])
    for start in range(0, len(rows), 700):
        file.add(rows[start : start + 700])
    return file


def test_a_file_of_rows_gives_back_every_row_once_in_pools_that_are_mixed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(RowFile, "pool_bytes", 8 * 10_000)
    rows = np.arange(30_000.0)[:, None] * [1, 1]
    with written(rows) as file:
        file.standardize(np.array([1.0]), np.array([2.0]))
        read = np.concatenate([block.copy() for block in file.blocks()])
        np.testing.assert_allclose(read, (rows - [1, 0]) / [2, 1])
        pools = [pool.copy() for pool in file.pools(np.random.default_rng(0))]
    assert len(pools) == 4 and max(map(len, pools)) <= 10_000
    order = np.concatenate(pools)[:, 1]
    assert sorted(order.tolist()) == rows[:, 0].tolist()
    assert np.abs(np.diff(order)).max() > 10_000  # blocks are not in their order
    with written(rows[:9_000]) as small:
        (pool,) = small.pools(np.random.default_rng(0))
        assert np.array_equal(pool[:, 1], rows[:9_000, 1])  # permuted by whoever draws batches


def test_the_best_epoch_by_the_check_is_kept() -> None:
    rng = np.random.default_rng(2)
    errors = iter([3.0, 1.0, 2.0])
    with written(rng.normal(size=(64, 5))) as rows:
        kept, epoch = train_network(
            rows, Sgd(8, 0.02, 3, 8), np.random.default_rng(0), lambda _: next(errors)
        )
        two, _ = train_network(rows, Sgd(8, 0.02, 2, 8), np.random.default_rng(0), None)
        (block,) = rows.blocks()
        error = np.mean((network(kept, block[:, :-1]) - block[:, -1]) ** 2)
        assert network_error(rows, kept) == pytest.approx(float(error))
    assert epoch == 2
    assert all(np.array_equal(kept[name], two[name]) for name in two)


def test_words_that_were_taken_count_no_more() -> None:
    cluster = cluster_of("A storm hit town.\n\nA storm hit boats.", summary="A storm hit the town.")
    prepared = prepare(cluster)
    overlap = Overlap.of(prepared, prepared.distinct.tolist())
    assert rouge_targets(overlap)[:, 1].tolist() == [0.8, 0.6]
    assert rouge_targets(overlap, [1])[:, 1].tolist() == [0.2, 0]


def test_relations_are_shares_of_words_and_bigrams_and_the_highest_cosine() -> None:
    texts = ["Storm hits the old town.", "The storm hits boats.", "Prices rise again today."]
    prepared = prepare(cluster_of("\n\n".join(texts)))
    relations = Relations(prepared)
    assert not relations.features().any()
    relations.take(0)
    once = relations.features()
    assert once[0] == pytest.approx([1, 1, 1])
    assert once[1, :2] == pytest.approx([4 / 5, 1 / 4])  # the storm hits .; storm hits
    assert 0 < once[1, 2] < 1
    assert once[2] == pytest.approx([1 / 5, 0, 0])
    relations.take(2)
    assert relations.features()[:, 2] == pytest.approx([1, once[1, 2], 1])


def repeated(count: int, start: int) -> list[Cluster]:
    """Clusters of two reports that say the same in other order, and a summary that says it with one thing more."""
    rng = np.random.default_rng(start)
    drawn = []
    for number in range(start, start + count):
        fact = [f"fact{n}" for n in rng.integers(0, 10_000, 8)]
        more = [f"more{n}" for n in rng.integers(0, 10_000, 8)]
        texts = [
            fact,
            [*fact[4:], *fact[:4], "said"],
            more,
            [f"x{n}" for n in rng.integers(0, 99, 9)],
        ]
        article = ClusterArticle("a", "\n\n".join(f"{' '.join(text)}." for text in texts))
        drawn.append(Cluster(f"r{number}", (article,), summary=" ".join([*fact, *more[:6]])))
    return drawn


def test_tsr_learns_not_to_repeat_itself_where_no_threshold_forbids_it() -> None:
    chosen = {}
    for relative in (False, True):
        method = unfitted("tsr", max_words=17, redundancy=1.0, relative=relative)
        fitted = method.fit(repeated(80, 0))
        taken = [fitted.summarize(each).sentences for each in repeated(20, 500)]
        chosen[relative] = sum(sorted(s.position for s in pair) == [0, 2] for pair in taken)
    assert chosen == {False: 0, True: 20}


def planted(count: int, start: int) -> list[Cluster]:
    """Clusters whose summary is the third sentence of their article, always the longest."""
    rng = np.random.default_rng(start)
    found = []
    for number in range(start, start + count):
        lines = [
            " ".join(rng.choice([f"word{n}" for n in range(400)], size)) + "."
            for size in (9, 10, 18, 11, 8)
        ]
        article = ClusterArticle("a", "\n\n".join(lines))
        found.append(Cluster(f"p{number}", (article,), summary=lines[2]))
    return found


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_planted_is_learned(name: str) -> None:
    found = unfitted(name, max_words=20).fit(planted(60, 0), planted(20, 100))
    test = planted(30, 200)
    right = sum(found.summarize(each).sentences[0].position == 2 for each in test)
    assert right >= 28
    plain = summarizer("centroid", max_words=20)
    assert sum(plain.summarize(each).sentences[0].position == 2 for each in test) < right


@pytest.mark.parametrize("name", TRAINED)
def test_fitting_returns_a_new_summarizer_and_leaves_the_old_one_as_it_was(name: str) -> None:
    plain, clusters = unfitted(name), samples.clusters()
    before = dict(vars(plain))
    one, other = plain.fit(clusters[:3]), plain.fit(clusters[3:6])
    assert vars(plain) == before
    assert not plain.trained
    assert one.trained
    assert one != plain
    assert one.spec == other.spec == plain.spec
    assert one.digest != other.digest
    with pytest.raises(ArgumentError, match="not fitted"):
        plain.summarize(clusters[0])


def test_what_was_learned_is_no_setting() -> None:
    with pytest.raises(SpecError, match="'fitted_' is no setting; there are: max_words, unit"):
        summarizer("tsr", fitted_=None)
    assert "fitted_" not in unfitted("tsr").fit(samples.clusters()[:3]).signature


@pytest.mark.parametrize("name", TRAINED)
def test_dev_clusters_choose_what_is_left_open_and_the_summary_says_so(name: str) -> None:
    clusters = samples.clusters()
    found = unfitted(name).fit(clusters[:8], clusters[8:])
    assert "dev error 0." in found.summary
    assert found.summary.startswith(f"{name}: ")
    assert "8 clusters" in found.summary
    assert "dev error" not in unfitted(name).fit(clusters[:8]).summary


def test_a_penalty_that_is_given_is_taken() -> None:
    clusters = samples.clusters()
    assert (
        ", penalty 1000" in unfitted("tsr", penalty=1000.0).fit(clusters[:8], clusters[8:]).summary
    )


@pytest.mark.parametrize("name", TRAINED)
def test_a_target_by_name_changes_the_scores(name: str) -> None:
    clusters = samples.clusters()[:6]
    prepared = prepare(samples.clusters()[8])
    means = {
        target: unfitted(name, target=target).fit(clusters).scores(prepared).mean()
        for target in TARGETS
    }
    # A sentence shares a larger part of its own few words than of the summary's many.
    assert len(set(means.values())) == 3
    assert means["r"] < means["f"] < means["p"] or means["p"] < means["f"] < means["r"]


@pytest.mark.parametrize("name", TRAINED)
def test_a_saved_model_gives_the_same_summaries(name: str, tmp_path: Path) -> None:
    fitted = unfitted(name, redundancy=0.4).fit(samples.clusters())
    fitted.save(tmp_path / "m")
    loaded = summarizer(name, model=str(tmp_path / "m"), redundancy=0.4)
    for cluster in samples.clusters():
        assert loaded.summarize(cluster) == fitted.summarize(cluster)
    assert isinstance(loaded, RougeRegression)
    assert loaded.summary == fitted.summary
    assert "|fitted:" in loaded.signature
    assert "|encoder:lsa(dimensions=8, seed=0)" in loaded.signature
    assert str(tmp_path) not in loaded.signature
    with pytest.raises(FileError, match="holds a model already"):
        fitted.save(tmp_path / "m", overwrite=False)


def test_a_bert_of_twelve_layers_is_one_encoder_of_many(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    spec = f"hf:{save_tiny_bert(tmp_path / 'bert')}"
    clusters = samples.clusters()[:2]
    cache = Cache(tmp_path / "cache")
    fitted = BertReg(encoder=spec, epochs=1).fit(clusters, cache=cache)
    fitted.save(tmp_path / "m")
    loaded = summarizer("bertreg", model=str(tmp_path / "m"))
    assert loaded.summarize(clusters[0]) == fitted.summarize(clusters[0])
    assert f"|encoder:{spec}(pool=mean, max_tokens=256)|" in loaded.signature
    assert fitted.fitted().weights["w1"].shape == (len(FEATURES) + 16, 256)
    # The vectors, dear as they are, come from the disk the next time.
    again = Cache(tmp_path / "cache")
    assert BertReg(encoder=spec, epochs=1).fit(clusters, cache=again).signature == fitted.signature
    assert again.computed == 0


def test_another_seed_is_another_network() -> None:
    clusters = samples.clusters()[:4]
    signatures = {unfitted("bertreg", seed=seed).fit(clusters).signature for seed in (0, 0, 1)}
    assert len(signatures) == 2


@pytest.mark.parametrize("name", TRAINED)
def test_without_a_model_the_error_says_what_to_type(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"--method {name} --fit FOLDER.*--fitted FOLDER"):
        summarizer(name).summarize(samples.clusters()[0])
    fitted: Any = ready(name)
    with pytest.raises(ArgumentError, match="leave `model` out"):
        fitted.fit(samples.clusters())


def test_the_summary_says_which_encoder_was_used_and_bertreg_asks_for_one() -> None:
    with pytest.raises(
        ArgumentError, match=r"no encoder was chosen for bertreg.*hf:PATH.*wordllama"
    ):
        summarizer("bertreg").fit(samples.clusters())  # type: ignore[attr-defined]
    for name in TRAINED:
        fitted = unfitted(name).fit(samples.clusters()[:2])
        assert ", encoder lsa(dimensions=8, seed=0)|" in fitted.summary


def test_a_cache_that_is_full_goes_on_in_files_and_leaves_none_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Cache, "held_bytes", 40_000)
    clusters = samples.clusters()
    cache = Cache()
    small = unfitted("tsr").fit(clusters, cache=cache)
    folder = cache._folder
    assert folder is not None and any(folder.iterdir())
    assert small.digest == unfitted("tsr").fit(clusters).digest
    del cache
    assert not folder.exists()


@pytest.mark.parametrize("name", TRAINED)
def test_memory_of_a_fit_does_not_grow_with_its_clusters(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cache, "held_bytes", 1 << 16)
    monkeypatch.setattr(RowFile, "pool_bytes", 1 << 18)
    monkeypatch.setattr("newsdesk.summarizers.regressors._INPUTS", 128)
    article = ClusterArticle(
        "a", "\n\n".join(f"Word{n} is told of here by all of them." for n in range(60))
    )

    def peak(count: int) -> int:
        clusters = (
            Cluster(
                f"c{n}",
                (article, ClusterArticle("b", f"Number {n} is told of here by us all.")),
                summary="Word9 is told.",
            )
            for n in range(count)
        )
        tracemalloc.start()
        unfitted(
            name, encoder="wordllama", **({"epochs": 1, "hidden": 4} if name == "bertreg" else {})
        ).fit(clusters)
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(2)  # what is loaded once does not count
    assert peak(80) < 1.2 * peak(20)


def test_what_cannot_be_learned_from_is_refused() -> None:
    with pytest.raises(DataError, match="cluster 'c' has no `summary` to learn from"):
        unfitted("tsr").fit([cluster_of("One two three four five six seven.")])
    for clusters in ([], [cluster_of("Too short.", summary="x")], [Cluster("e", (), summary="x")]):
        with pytest.raises(ArgumentError, match="no sentence of at least 7 tokens"):
            unfitted("tsr").fit(clusters)
    with pytest.raises(ArgumentError, match="the dev clusters have no sentence"):
        unfitted("tsr").fit(samples.clusters()[:2], [])
    with pytest.raises(ArgumentError, match="lower its `rate`"), np.errstate(all="ignore"):
        unfitted("bertreg", rate=1e6).fit(samples.clusters()[:2])


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    clusters = samples.clusters()
    unfitted("tsr").fit(clusters[:3]).save(tmp_path / "m")
    with pytest.raises(DataError, match="a saved 'tsr', not 'bertreg'"):
        summarizer("bertreg", model=str(tmp_path / "m")).summarize(clusters[0])
    with pytest.raises(FileError, match="no saved summarizer there"):
        summarizer("tsr", model=str(tmp_path / "none")).summarize(clusters[0])
    path = tmp_path / "m" / "model.npz"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=r"not the arrays that model\.json was saved with"):
        summarizer("tsr", model=str(tmp_path / "m")).summarize(clusters[0])


def test_a_cluster_is_looked_at_once(tmp_path: Path) -> None:
    clusters = samples.clusters()[:3]
    first, folder = Cache(tmp_path), Cache(tmp_path)
    fresh = Tsr(encoder="wordllama").fit(clusters, cache=first)
    assert first.computed == 2 * len(clusters)  # examples, vectors
    Tsr(encoder="wordllama", target="p").fit(clusters, cache=first)
    assert first.computed == 2 * len(clusters)
    again = Tsr(encoder="wordllama").fit(clusters, cache=folder)
    assert (folder.computed, again.signature) == (0, fresh.signature)
    next(tmp_path.iterdir()).write_bytes(b"broken")
    broken = Cache(tmp_path)
    assert Tsr(encoder="wordllama").fit(clusters, cache=broken).signature == fresh.signature
    assert broken.computed == 1


def test_another_text_is_another_key() -> None:
    cluster = cluster_of("One two.", summary="x")
    others = [
        dataclasses.replace(cluster, summary="y"),
        cluster_of("One two!", summary="x"),
        cluster_of("One two.", summary="x", lang="en"),
        cluster_of("One two.", summary="x", title="t"),
    ]
    keys = {key_of(each, "facts") for each in [cluster, *others]} | {key_of(cluster, "rouge")}
    assert len(keys) == 6
    assert key_of(cluster, "a") == key_of(dataclasses.replace(cluster, id="other"), "a")


def test_on_real_clusters_what_was_learned_beats_what_was_not(shared_data: Path) -> None:
    clusters = real_clusters(shared_data)
    train, test = clusters[::3], clusters[1::6]
    cache = Cache()
    methods = (Tsr(), BertReg(encoder="wordllama"))
    fitted = [method.fit(train, cache=cache) for method in methods]
    found = evaluate(test, [*fitted, "centroid", "random"], samples=200)
    means = {row.system: row.scores["R1-F"].value for row in found.rows}
    for name in ("tsr", "bertreg(encoder='wordllama')"):
        assert means[name] > means["centroid"] > means["random"]
        assert found.compare(name, "random")["R1-F"].low > 0.03
