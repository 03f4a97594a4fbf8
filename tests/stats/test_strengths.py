"""Bradley-Terry strengths with ties: equality with a general optimizer, planted orders found again, intervals that cover, real rankings."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import kendall_w, tau_b
from newsdesk.stats.rankings import duels
from newsdesk.stats.strengths import bradley_terry
from tests.stats.ranked import some_ranks

NAN = math.nan


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(ArgumentError, match="1 system cannot be compared"):
        bradley_terry([[1], [1]])


def minus_log_likelihood(at: Floats, ranks: Floats) -> float:
    """Davidson's, ranking by ranking, with the documented penalty."""
    *strengths, log_tie = at
    total = 0.005 * float((at**2).sum())
    for row in ranks:
        for one, two in combinations(range(len(strengths)), 2):
            if math.isnan(row[one]) or math.isnan(row[two]):
                continue
            first, second = math.exp(strengths[one]), math.exp(strengths[two])
            tie = math.exp(log_tie) * math.sqrt(first * second)
            share = first if row[one] < row[two] else second if row[one] > row[two] else tie
            total -= math.log(share / (first + second + tie))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_strengths_maximize_davidsons_likelihood(seed: int) -> None:
    ranks = some_ranks(seed, rankings=25, present=0.8)
    strengths = bradley_terry(ranks, samples=1)
    expected = optimize.minimize(minus_log_likelihood, np.zeros(5), args=(ranks,), tol=1e-10)
    assert strengths.values == pytest.approx(expected.x[:-1], abs=1e-4)
    assert math.log(strengths.tie) == pytest.approx(expected.x[-1], abs=1e-4)
    assert sum(strengths.values) == pytest.approx(0, abs=1e-9)
    assert "no comparison leads both ways" not in strengths.note


def test_two_systems_have_their_closed_form() -> None:
    # wins / losses = exp(a - b), ν = ties / √(wins · losses)
    ranks = [[1, 2]] * 900 + [[2, 1]] * 400 + [[1, 1]] * 300
    strengths = bradley_terry(ranks, samples=1)
    assert strengths.values[0] - strengths.values[1] == pytest.approx(math.log(900 / 400), abs=1e-3)
    assert strengths.tie == pytest.approx(300 / 600, abs=1e-3)


def test_a_system_that_never_loses_stays_finite_and_is_named() -> None:
    ranks = np.column_stack([np.ones(40), some_ranks(2, 40, 3) + 1])
    strengths = bradley_terry(ranks, samples=200)
    assert np.isfinite([*strengths.values, *strengths.low, *strengths.high]).all()
    assert strengths.values[0] == max(strengths.values) and 5 < strengths.values[0] < 30
    assert "(column 0)" in strengths.note and "penalty" in strengths.note
    named = bradley_terry(ranks, names=["best", "b", "c", "d"], samples=1)
    assert "(best)" in named.note and "column" not in named.note
    with pytest.raises(ArgumentError, match="4 systems and 1 name"):
        bradley_terry(ranks, names=["best"], samples=1)


def test_systems_that_never_met_are_named() -> None:
    ranks = [[1, 2, NAN, NAN], [2, 1, NAN, NAN], [NAN, NAN, 1, 2], [NAN, NAN, 2, 1]]
    assert "(column 0, column 1), (column 2, column 3)" in bradley_terry(ranks, samples=10).note


def test_without_ties_the_tie_parameter_nears_zero_and_strengths_are_bradley_terrys() -> None:
    ranks = ([[1, 2, 3]] * 4 + [[2, 1, 3]] * 3 + [[3, 1, 2]] * 2 + [[3, 2, 1]]) * 30
    strengths = bradley_terry(ranks, samples=1)
    wins = duels(ranks).wins
    strength = np.ones(3)
    for _ in range(2000):
        # Zermelo's iterations (1929)
        games = (wins + wins.T) / (strength[:, None] + strength)
        strength = wins.sum(axis=1) / games.sum(axis=1)
    logs = np.log(strength) - np.log(strength).mean()
    assert strengths.tie < 1e-3
    assert strengths.values == pytest.approx(logs, abs=2e-3)


def test_all_ties_are_equal_strengths() -> None:
    strengths = bradley_terry([[1, 1, 1]] * 20, samples=10)
    assert strengths.values == pytest.approx([0, 0, 0], abs=1e-12)
    assert strengths.tie > 50


PLANTED = np.array([0.9, 0.4, 0.0, -0.4, -0.9])


def planted_duels(rng: np.random.Generator, count: int) -> Floats:
    """Comparisons of two random systems, drawn from Davidson's own model with ν = 0.6."""
    ranks = np.full((count, len(PLANTED)), NAN)
    for row in range(count):
        one, two = rng.choice(len(PLANTED), 2, replace=False)
        lead = (PLANTED[one] - PLANTED[two]) / 2
        odds = np.array([math.exp(lead), math.exp(-lead), 0.6])
        ranks[row, [one, two]] = [(1, 2), (2, 1), (1, 1)][rng.choice(3, p=odds / odds.sum())]
    return ranks


def test_the_planted_order_is_found_again() -> None:
    strengths = bradley_terry(planted_duels(np.random.default_rng(1), 3000), samples=1)
    assert np.argsort(strengths.values).tolist() == np.argsort(PLANTED).tolist()
    assert strengths.values == pytest.approx(PLANTED, abs=0.2)
    assert strengths.tie == pytest.approx(0.6, abs=0.1)


def test_intervals_cover_planted_strengths() -> None:
    rng = np.random.default_rng(0)
    runs, covered = 120, np.zeros(len(PLANTED))
    for run in range(runs):
        strengths = bradley_terry(planted_duels(rng, 200), samples=300, seed=run)
        covered += (np.array(strengths.low) <= PLANTED) & (np.array(strengths.high) >= PLANTED)
    # 600 intervals, five of a run at a time: two standard errors of 120 runs.
    assert 0.91 <= (covered / runs).mean() <= 0.985


def test_the_better_system_is_the_strongest() -> None:
    ranks = some_ranks(5, rankings=400)
    assert np.argmax(bradley_terry(ranks, samples=1).values) == 0


def test_a_fit_takes_few_newton_steps_however_many_rankings_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved: list[int] = []
    solve = np.linalg.solve

    def counted(curves: Floats, gradients: Floats) -> Any:
        solved.append(len(curves))
        return solve(curves, gradients)

    monkeypatch.setattr(np.linalg, "solve", counted)
    bradley_terry(np.random.default_rng(0).integers(1, 5, (10_000, 4)), samples=1)
    # 18 steps, of up to 75 kinds of rankings left out in turn: rankings are added up before anything is fitted.
    assert len(solved) <= 30
    assert sum(solved) <= 500


@pytest.mark.real
def test_people_agree_that_the_human_correction_is_best(corrections: list[dict[str, Any]]) -> None:
    # An output of several systems was shown once: it ranks all of them.
    systems = sorted({s for each in corrections for names, _ in each["ranks"] for s in names.split(",")})  # fmt: skip
    annotators = sorted({each["annotator"] for each in corrections})
    ids = [(each["item"], tuple(sorted(name for name, _ in each["ranks"]))) for each in corrections]
    items = {each: place for place, each in enumerate(dict.fromkeys(ids))}
    judged = {each: {c["annotator"] for c, i in zip(corrections, ids, strict=True) if i == each} for each in items}  # fmt: skip
    assert sum(len(by) > 1 for by in judged.values()) == 155
    ranks = np.full((len(corrections), len(systems)), NAN)
    cube = np.full((len(annotators), len(items), len(systems)), NAN)
    for row, each in enumerate(corrections):
        for names, rank in each["ranks"]:
            for name in names.split(","):
                ranks[row, systems.index(name)] = rank
        cube[annotators.index(each["annotator"]), items[ids[row]]] = ranks[row]
    strengths = bradley_terry(ranks, [each["item"] for each in corrections], samples=300)
    assert systems[int(np.argmax(strengths.values))] == "refmix1"
    others = [value for system, value in zip(systems, strengths.high, strict=True) if system != "refmix1"]  # fmt: skip
    assert strengths.low[systems.index("refmix1")] > max(others)
    assert strengths.note == ""
    w, tau = kendall_w(cube), tau_b(cube)
    assert (w, tau) == pytest.approx((0.755, 0.598), abs=5e-4)


def test_a_resample_without_a_system_is_undefined_and_not_of_strength_0() -> None:
    # The third system, a strong one, is in 2 of 20 items: an eighth of the resamples lack it.
    ranks = [[2, 1, NAN] if n % 3 else [1, 2, NAN] for n in range(18)] + [[2, 3, 1]] * 2
    strengths = bradley_terry(ranks, list(range(20)), names=["a", "b", "rare"], samples=400)
    assert strengths.low[2] > 1  # were those resamples 0, the interval would begin there
    assert "rare is not compared in 1" in strengths.note
    assert "% of the resamples, which are left out" in strengths.note


def test_a_system_that_most_resamples_lack_has_no_interval() -> None:
    ranks = [[1, 2, NAN], [2, 1, NAN]] * 10 + [[2, 3, 1]]
    strengths = bradley_terry(ranks, [*range(10)] * 2 + [20], samples=200)
    assert (math.isnan(strengths.low[2]), math.isnan(strengths.low[0])) in (
        (True, False),
        (False, False),
    )
    assert strengths.values[2] > 0


def test_never_losing_and_all_tied_systems_say_what_their_interval_means() -> None:
    ranks = [[1.0, 2.0, 3.0]] * 8
    note = bradley_terry(ranks, names=["best", "mid", "worst"], samples=20).note
    assert "best never lost: the upper end of its interval is the penalty's" in note
    assert "worst never won: the lower end of its interval is the penalty's" in note
    assert "mid" not in note.replace("(mid)", "")
    ranks = [[1.5, 1.5, NAN], [1.0, NAN, 2.0], [NAN, 1.5, 1.5], [2.0, NAN, 1.0]]
    note = bradley_terry(ranks, names=["x", "even", "y"], samples=20).note
    assert "even tied in every comparison" in note
