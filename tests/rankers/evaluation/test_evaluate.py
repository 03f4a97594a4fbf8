"""Several systems on the same judged comments: figures, intervals, tests, ceilings, and runs that fit badly."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.metrics.ranking import ndcg, precision_at, strict_precision_at
from newsdesk.rankers.evaluation.evaluate import RankerEvaluation, evaluate
from newsdesk.rankers.evaluation.judged import (
    Judged,
    RankerScores,
    VoteModel,
    redraws,
    system_of,
    system_of_run,
)
from newsdesk.types import Ranked, Thread
from tests.rankers import plain
from tests.rankers.plain import thread


@pytest.fixture(scope="module")
def threads() -> list[Thread]:
    return samples.threads()


@pytest.fixture(scope="module")
def judged(threads: list[Thread]) -> Judged:
    return Judged.of(threads)


@pytest.fixture(scope="module")
def evaluation(threads: list[Thread], judged: Judged) -> RankerEvaluation:
    systems = [
        system_of("length", [nd.ranker("length")], threads, judged),
        system_of("random", [nd.ranker("random", seed=n) for n in range(10)], threads, judged),
        RankerScores("truth", (judged.gains,)),
    ]
    return evaluate(judged, systems, (1, 5), samples=500)


def test_measures_are_those_of_the_metrics_and_of_plain_code(
    threads: list[Thread], judged: Judged, evaluation: RankerEvaluation
) -> None:
    measures = {
        "ndcg": ndcg,
        "precision": precision_at,
        "strict_precision": strict_precision_at,
    }
    for name, measure in measures.items():
        for k in (1, 5):
            values = [
                measure([len(c.text) for c in each.comments], [c.score for c in each.comments], k)
                for each in threads
            ]
            measured = evaluation.systems["length"][f"{name}@{k}"]
            assert measured.value == pytest.approx(np.mean(values))
    scores, shares, lengths = (
        judged.lengths.tolist(),
        judged.shares.tolist(),
        judged.lengths.tolist(),
    )
    expected = plain.matched(scores, shares, lengths, judged.article_of.tolist())
    assert evaluation.systems["length"]["lmp"].value == pytest.approx(expected[0])
    assert evaluation.systems["length"]["blmp"].value == 0.5
    assert evaluation.systems["length"]["sauc"].value == pytest.approx(
        plain.sauc(scores, shares, lengths)
    )
    assert evaluation.n == len(threads)


def test_the_truth_scores_one_and_intervals_hold_their_value(evaluation: RankerEvaluation) -> None:
    # Tie-aware precision is not among them: of equal gains at the edge it counts the chance of each.
    for name in ("ndcg@1", "ndcg@5", "strict_precision@5", "lmp", "blmp", "sauc"):
        assert evaluation.systems["truth"][name].value == pytest.approx(1.0)
    for measures in evaluation.systems.values():
        for measured in measures.values():
            assert measured.ci[0] - 1e-9 <= measured.value <= measured.ci[1] + 1e-9


def test_random_is_the_mean_of_its_trials(
    threads: list[Thread], judged: Judged, evaluation: RankerEvaluation
) -> None:
    singles = [
        evaluate(judged, [system_of("r", [nd.ranker("random", seed=n)], threads, judged)], (5,), samples=10, redrawn=0)
        for n in range(10)
    ]  # fmt: skip
    for measure in ("ndcg@5", "lmp", "blmp", "sauc"):
        mean = np.mean([each.systems["r"][measure].value for each in singles])
        assert evaluation.systems["random"][measure].value == pytest.approx(mean)


def test_every_two_systems_are_compared_in_every_measure(evaluation: RankerEvaluation) -> None:
    names = {(each.first, each.second) for each in evaluation.comparisons}
    assert names == {("length", "random"), ("length", "truth"), ("random", "truth")}
    measures = [each.measure for each in evaluation.comparisons if each.second == "random"]
    assert measures == list(evaluation.systems["length"])
    for each in evaluation.comparisons:
        first, second = (
            evaluation.systems[name][each.measure].value for name in (each.first, each.second)
        )
        assert each.difference == pytest.approx(first - second)
        assert each.ci[0] <= each.difference <= each.ci[1]
        assert (each.p_t is None) == (
            each.measure in ("lmp", "blmp", "blmp_longer", "blmp_shorter", "sauc")
        )
        assert (each.p_randomization is None) == (each.measure == "sauc")
    by_chance = next(
        e for e in evaluation.comparisons if e.measure == "ndcg@5" and e.first == "random"
    )
    assert by_chance.p_randomization < 0.01 > by_chance.p_t


def test_one_article_alone_is_measured_but_not_t_tested(judged: Judged) -> None:
    one = Judged.of(samples.threads()[:1])
    rng = np.random.default_rng(0)
    systems = [RankerScores(name, (rng.random(len(one.gains)),)) for name in ("a", "b")]
    evaluation = evaluate(one, systems, (1,), samples=50)
    assert evaluation.comparisons[0].p_t is None


def test_figures_without_a_pair_are_none() -> None:
    apart = [thread("t", ["a" * 10, "b" * 100], [0.0, 1.0]), thread("u", ["c"], [0.5])]
    judged = Judged.of(apart)
    systems = [RankerScores(name, (judged.lengths.astype(float),)) for name in ("a", "b")]
    evaluation = evaluate(judged, systems, (1,), samples=50)
    for measure in ("lmp", "blmp", "sauc"):
        assert evaluation.systems["a"][measure].value is None
    assert {each.measure for each in evaluation.comparisons} == {
        "ndcg@1",
        "precision@1",
        "strict_precision@1",
    }
    assert evaluation.ceiling == {}


def test_the_ceiling_lies_above_a_fresh_panel_and_below_one(evaluation: RankerEvaluation) -> None:
    best, panel = evaluation.ceiling["true_rate"], evaluation.ceiling["fresh_panel"]
    assert list(best) == list(panel) == list(evaluation.systems["length"])
    for measure in best:
        assert 0.1 < panel[measure] < best[measure] <= 1


def test_more_votes_lift_the_ceiling(judged: Judged) -> None:
    few = evaluate(judged, [RankerScores("s", (judged.gains,))], (5,), samples=10).ceiling[
        "true_rate"
    ]
    yes, votes = judged.yes * 20, judged.votes * 20
    # The same rates, twenty times the votes.
    many_judged = dataclasses.replace(judged, yes=yes, votes=votes)
    many = evaluate(many_judged, [RankerScores("s", (judged.gains,))], (5,), samples=10).ceiling[
        "true_rate"
    ]
    assert many["blmp"] > few["blmp"] + 0.02


def test_the_vote_model_finds_the_rates_that_made_the_votes() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(10, 500, 20_000)
    mean = 0.1 + 0.8 * (lengths / 500)
    rates = rng.beta(mean * 6, (1 - mean) * 6)
    votes = np.full(20_000, 5)
    model = VoteModel.fit(lengths, rng.binomial(votes, rates), votes)
    assert model.concentration == pytest.approx(6, rel=0.1)
    assert np.abs(model.means - mean).mean() < 0.02
    falling = VoteModel.fit(500 - lengths, rng.binomial(votes, rates), votes)
    assert np.abs(falling.means - mean).mean() < 0.02


def test_worlds_are_seeded_and_none_come_without_votes(judged: Judged) -> None:
    first, second = (next(iter(redraws(judged, 1, seed=3))) for _ in range(2))
    assert first.fresh_panel.tolist() == second.fresh_panel.tolist()
    assert list(redraws(dataclasses.replace(judged, yes=None, votes=None), 3)) == []


def test_shares_come_from_votes_or_scores_or_the_range_of_scores() -> None:
    counted = [nd.Comment("a", "x", score=8, yes=8, votes=10), nd.Comment("b", "y", yes=1, votes=2)]
    judged = Judged.of([nd.Thread(nd.Article("t", ""), tuple(counted))])
    assert (judged.shares.tolist(), judged.scale) == ([0.8, 0.5], "votes")
    assert judged.gains.tolist() == [8, 0.5]
    shares = Judged.of([thread("t", ["a", "b"], [0.1, 0.7])])
    assert (shares.shares.tolist(), shares.scale) == ([0.1, 0.7], "score")
    wide = Judged.of([thread("t", ["a", "b", "c"], [2, 10, 4])])
    assert (wide.shares.tolist(), wide.scale) == ([0, 1, 0.25], "minmax(2,10)")


def test_comments_that_nobody_judged_are_left_out_and_counted() -> None:
    judged = Judged.of([thread("t", ["a", "b", "c"], [1, None, 0]), thread("u", ["d"], [None])])
    assert (judged.comments, judged.unjudged, judged.articles) == (("t-0", "t-2"), 2, ("t",))
    with pytest.raises(nd.ArgumentError, match="no comment of the threads has a score"):
        Judged.of([thread("u", ["d"], [None])])


def test_a_run_may_lack_comments_but_not_articles() -> None:
    judged = Judged.of([thread("t", ["a", "b", "c"], [1, 0, 0])])
    run = [Ranked("t", "t-1", -2.5, 1), Ranked("t", "other", 3.0, 2), Ranked("z", "t-0", 9.0, 1)]
    system = system_of_run("s", run, judged)
    assert system.trials[0].tolist() == [-3.5, -2.5, -3.5]
    assert (system.missing, system.unknown) == (2, 2)
    with pytest.raises(nd.DataError, match="run 's' ranks nothing of article 't'"):
        system_of_run("s", run[2:], judged)


def test_scores_count_and_the_column_of_ranks_does_not() -> None:
    judged = Judged.of([thread("t", ["a", "b"], [1, 0])])
    run = [Ranked("t", "t-0", 0.9, 2), Ranked("t", "t-1", 0.1, 1)]
    evaluation = evaluate(judged, [system_of_run("s", run, judged)], (1,), samples=10)
    assert evaluation.systems["s"]["ndcg@1"].value == 1


def test_two_systems_of_one_name_are_refused(judged: Judged) -> None:
    system = RankerScores("s", (judged.gains,))
    with pytest.raises(nd.ArgumentError, match="two systems have one name"):
        evaluate(judged, [system, system])


def test_the_signature_names_every_reading_and_the_data(
    judged: Judged, evaluation: RankerEvaluation
) -> None:
    for part in ("gain:linear", "share:votes", f"threads:{judged.digest}", "samples:500", "seed:0"):
        assert part in evaluation.signature.split("|")
    other = Judged.of(samples.threads()[1:])
    assert other.digest != judged.digest
