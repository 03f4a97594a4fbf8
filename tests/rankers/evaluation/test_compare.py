"""Comparisons: folds leak nothing, what is cached is not fitted again, and pooled figures are those of the plain way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers.evaluation import compare as module
from newsdesk.rankers.evaluation.compare import (
    Entrant,
    Fold,
    RankerComparison,
    RunCache,
    Series,
    compare,
    cross_folds,
    cross_validation,
    group_of,
    held_out,
    held_out_threads,
    shuffled,
    training_series,
)
from newsdesk.rankers.evaluation.evaluate import evaluate
from newsdesk.rankers.evaluation.gaming import game
from newsdesk.rankers.evaluation.judged import Judged, short_names, system_of
from newsdesk.registry import Spec
from newsdesk.types import Thread
from newsdesk.work import Progress
from tests.rankers.plain import thread


def ids(threads: Iterable[Thread]) -> list[str]:
    return [each.article.id for each in threads]


def small(names: list[str]) -> list[Thread]:
    texts = ["a good reason", "bad", "so so words", "why not this"]
    return [
        thread(name, texts[place % 2 :], [3, 1, 2, 0][place % 2 :])
        for place, name in enumerate(names)
    ]


@given(
    st.lists(st.text("ab_", min_size=1, max_size=5), min_size=2, max_size=30, unique=True),
    st.integers(2, 6),
    st.integers(0, 3),
)
def test_every_article_is_tested_once_and_never_learned_from_there(
    names: list[str], count: int, seed: int
) -> None:
    threads = small(names)
    if len(names) < count:
        with pytest.raises(nd.ArgumentError, match="too few"):
            cross_folds(threads, count, seed=seed)
        return
    folds = cross_folds(threads, count, seed=seed)
    assert sorted(name for fold in folds for name in ids(fold.test)) == sorted(names)
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for fold in folds:
        sides = [*ids(fold.train), *ids(fold.dev), *ids(fold.test)]
        assert sorted(sides) == sorted(names)
        assert fold.train


@given(st.lists(st.text("ab_", min_size=1, max_size=4), min_size=3, max_size=20, unique=True))
def test_groups_stay_together_on_every_side(names: list[str]) -> None:
    groups = {group_of(name, "_") for name in names}
    if len(groups) < 2:
        return
    folds = cross_folds(small(names), None, group_by="_")
    assert len(folds) == len(groups)
    for fold in folds:
        sides = [{group_of(name, "_") for name in ids(side)} for side in (fold.train, fold.dev)]
        sides.append({group_of(name, "_") for name in ids(fold.test)})
        assert len(sides[2]) == 1
        assert sum(map(len, sides)) == len(groups)


def test_the_order_of_a_file_changes_nothing_and_gives_nothing_away() -> None:
    threads = samples.threads()
    turned = [Thread(each.article, each.comments[::-1]) for each in reversed(threads)]
    assert shuffled(threads, 3) == shuffled(turned, 3)
    assert shuffled(threads, 3) != shuffled(threads, 4)
    assert cross_folds(threads, 3)[0].digest == cross_folds(turned, 3)[0].digest
    best_first = [
        thread(f"t{n}", ["x"] * 10, [float(score) for score in range(10, 0, -1)]) for n in range(60)
    ]
    judged = Judged.of(shuffled(best_first))
    ties = system_of("length", [nd.ranker("length")], shuffled(best_first), judged)
    evaluation = evaluate(judged, [ties], (1,), samples=50)
    assert evaluation.systems["length"]["strict_precision@1"].value == pytest.approx(0.1, abs=0.1)


def test_a_fold_refuses_to_test_on_what_it_learned_from() -> None:
    one, two = small(["a", "b"])
    with pytest.raises(nd.ArgumentError, match="article 'a' is tested on and learned from"):
        Fold("f", (one, two), (), (one,))
    with pytest.raises(nd.ArgumentError, match="article 'b' is tested on and learned from"):
        Fold("f", (one,), (two,), (two,))


@pytest.mark.parametrize(
    ("count", "group_by", "reason"),
    [
        (1, None, "1 fold is too few"),
        (None, None, "--group-by"),
        (4, None, "too few for 4 folds"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(
    count: int | None, group_by: str | None, reason: str
) -> None:
    with pytest.raises(nd.ArgumentError, match=reason):
        cross_folds(small(["a", "b", "c"]), count, group_by=group_by)


def test_who_chooses_nothing_on_dev_threads_learns_from_them() -> None:
    threads = shuffled(samples.threads())
    fold = Fold("f", tuple(threads[:6]), tuple(threads[6:9]), tuple(threads[9:]))
    judged = Judged.of(fold.test)
    fixed = held_out(Spec("ranksvm", (("cost", 0.01),)), fold, judged)
    assert fixed.run == tuple(nd.ranker("ranksvm", cost=0.01).fit(threads[:9]).run(fold.test))
    chosen = held_out(Spec("ranksvm"), fold, judged)
    assert chosen.run == tuple(nd.ranker("ranksvm").fit(threads[:6], threads[6:9]).run(fold.test))
    assert "dev NDCG@5" in chosen.summary


def test_figures_are_those_of_all_held_out_scores_together() -> None:
    threads = samples.threads()
    folds = cross_folds(threads, 3)
    judged = Judged.of(shuffled(threads))
    entrants = [Entrant.of(spec) for spec in ("ranksvm(cost=0.01)", "length", "random")]
    comparison = compare(judged, entrants, [Series("", tuple(folds))], (5,), samples=50)
    values = []
    for fold in folds:
        model = nd.ranker("ranksvm", cost=0.01).fit((*fold.train, *fold.dev))
        for one in fold.test:
            gains = [each.score for each in one.comments]
            order = np.argsort(-np.round(model.scores(one), 9), kind="stable")
            collected = sum(gains[p] / np.log2(r + 2) for r, p in enumerate(order[:5]))
            ideal = sorted(gains, reverse=True)[:5]
            values.append(collected / sum(g / np.log2(r + 2) for r, g in enumerate(ideal)))
    systems = comparison.evaluation.systems
    assert systems["ranksvm(cost=0.01)"]["ndcg@5"].value == pytest.approx(np.mean(values))
    assert systems["length"]["blmp"].value == 0.5
    trials = [nd.ranker("random", seed=seed) for seed in range(10)]
    ten = evaluate(
        judged, [system_of("random", trials, shuffled(threads), judged)], (5,), samples=9
    )
    assert systems["random"]["ndcg@5"].value == ten.systems["random"]["ndcg@5"].value


def test_each_training_file_is_a_system_and_rankers_of_nothing_enter_once() -> None:
    threads = shuffled(samples.threads())
    tested = tuple(threads[8:])
    series = training_series({"shallow": threads[:4], "deep": threads[4:8]}, tested)
    entrants = [Entrant.of(spec) for spec in ("like", "svr(cost=0.1)")]
    comparison = compare(Judged.of(tested), entrants, series, (1,), samples=20, kinds=["bland"])
    names = ["like", "svr(cost=0.1)/shallow", "svr(cost=0.1)/deep"]
    assert list(comparison.evaluation.systems) == names == list(comparison.fillers)
    model = nd.ranker("svr", cost=0.1).fit(threads[4:8])
    assert list(comparison.fillers[names[2]]) == game(model, tested, ["bland"], samples=20)


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Counts what is fitted."""
    seen: list[str] = []
    plain = module.held_out

    def counted(spec: Spec, fold: Fold, *others: Any) -> object:
        seen.append(f"{spec} {fold.name}")
        return plain(spec, fold, *others)

    monkeypatch.setattr(module, "held_out", counted)
    return seen


def test_what_is_cached_is_not_fitted_again(tmp_path: Path, fits: list[str]) -> None:
    threads = samples.threads()
    judged = Judged.of(shuffled(threads))
    series = [Series("", tuple(cross_folds(threads, 2)))]
    done: list[Progress] = []

    def go(spec: str, *, kinds: tuple[str, ...] = (), force: bool = False) -> RankerComparison:
        return compare(
            judged, [Entrant.of(spec)], series, (5,), samples=20, kinds=kinds,
            cache=RunCache.at(tmp_path / "runs", overwrite=force),
            progress=done.append,
        )  # fmt: skip

    first = go("svr(cost=0.1)")
    assert fits == ["svr(cost=0.1) fold-1", "svr(cost=0.1) fold-2"]
    second = go("svr(cost=0.1)")
    assert len(fits) == 2
    assert second.evaluation == first.evaluation
    assert [each.step.endswith("(kept)") for each in done] == [False, False, True, True]
    assert [(each.done, each.total) for each in done] == [(1, 2), (2, 2)] * 2
    assert {each.step.partition(":")[0] for each in done[2:]} == {
        "svr(cost=0.1) on fold-1",
        "svr(cost=0.1) on fold-2",
    }
    go("svr(cost=0.2)")
    assert len(fits) == 4
    filled = go("svr(cost=0.1)", kinds=("bland",))
    assert len(fits) == 6
    assert go("svr(cost=0.1)", kinds=("bland",)).fillers == filled.fillers
    assert len(fits) == 6
    go("svr(cost=0.1)", force=True)
    assert len(fits) == 8


def test_an_unfinished_result_is_made_again_and_another_s_is_refused(
    tmp_path: Path, fits: list[str]
) -> None:
    threads = samples.threads()
    judged = Judged.of(shuffled(threads))

    def go(seed: int) -> object:
        series = [Series("", tuple(cross_folds(threads, 2, seed=seed)))]
        return compare(
            judged, [Entrant.of("length")], series, (5,), samples=9, cache=RunCache.at(tmp_path)
        )

    go(0)
    (tmp_path / "fold-2" / "length.json").unlink()
    (tmp_path / "fold-2" / "length.jsonl").write_text("{")
    go(0)
    assert fits == ["length fold-1", "length fold-2", "length fold-2"]
    with pytest.raises(nd.FileError, match="made from other threads, another seed"):
        go(1)
    (tmp_path / "fold-1" / "length.json").write_text("{}")
    with pytest.raises(nd.DataError, match="not a kept result"):
        go(0)
    with pytest.raises(nd.FileError, match="is a file"):
        RunCache.at(tmp_path / "fold-2" / "length.json")


def test_a_ranker_that_draws_takes_the_seed_unless_its_spec_has_one() -> None:
    assert [str(each) for each in Entrant.of("random", 4).trials][:2] == [
        "random(seed=4)",
        "random(seed=5)",
    ]
    assert [str(each) for each in Entrant.of("random(seed=1)", 4).trials] == ["random(seed=1)"]
    assert [str(each) for each in Entrant.of("svr", 4).trials] == ["svr"]
    assert Entrant.of("svr").learns
    assert not Entrant.of("like").learns
    assert not Entrant.of("like(dislike_weight=2)").learns
    assert Entrant.of("like(dislike_weight=None)").learns


def test_a_misspelt_setting_is_found_before_anything_is_fitted(fits: list[str]) -> None:
    series = [Series("", tuple(cross_folds(samples.threads(), 2)))]
    entrants = [Entrant.of("svr"), Entrant.of("svr(costs=1)")]
    with pytest.raises(nd.SpecError, match="costs"):
        compare(Judged.of(samples.threads()), entrants, series)
    assert not fits
    with pytest.raises(nd.ArgumentError, match="nothing to compare"):
        compare(Judged.of(samples.threads()), [], series)


def test_each_training_set_has_its_own_dev_threads_or_all_share_one() -> None:
    threads = shuffled(samples.threads())
    train = {"shallow": threads[:3], "deep": threads[3:6]}
    for dev in ([], [threads[6:7]], [threads[6:7], threads[7:8]]):
        series = training_series(train, threads[9:], dev)
        devs = [fold.dev for each in series for fold in each.folds]
        expected = [tuple(each) for each in dev] or [()]
        assert devs == (expected if len(expected) == 2 else expected * 2)
        assert held_out_threads(series) == threads[9:]
    with pytest.raises(nd.ArgumentError, match="3 sets of dev threads for 2"):
        training_series(train, threads[9:], [threads[6:7]] * 3)


def test_a_cross_validation_tests_every_thread_once() -> None:
    threads = samples.threads()
    assert held_out_threads(cross_validation(threads, 3, seed=2)) == shuffled(threads, 2)


def test_steps_of_a_fit_are_heard_where_settings_are_chosen_on_dev_threads() -> None:
    threads = shuffled(samples.threads())
    series = training_series({"part": threads[:4]}, threads[8:], [threads[4:6]])
    steps: list[Progress] = []
    entrants = [Entrant.of("ranksvm"), Entrant.of("length")]
    compare(Judged.of(threads[8:]), entrants, series, (5,), samples=9, steps=steps.append)
    assert len(steps) >= 14
    assert all(step.step.startswith("ranksvm: cost ") for step in steps)
    assert all("dev NDCG@5" in step.step and step.total is None for step in steps)


def test_a_name_is_shortened_only_where_it_stays_one_of_a_kind() -> None:
    names = [
        "svr(cost=1)/deep",
        "svr(cost=1)/shallow",
        "ranksvm(cost=1)",
        "ranksvm(cost=2)",
        "random",
    ]
    assert list(short_names(names).values()) == ["svr/deep", "svr/shallow", *names[2:]]
