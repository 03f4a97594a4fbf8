"""People's result from few people and many answers of a judge: equal to the peers, covering, never much wider than people alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats.prediction_powered import prediction_powered

# By kind of data: point, ends and λ of `truescore.correct.ppi_estimate` (0.7.4); mean and error of `glide.estimators.PPIMeanEstimator` and
# of its `ClusteredPPIMeanEstimator` with clusters of three rows (glide-py 0.11.0).
_PEERS = {
    "mean": (
        (3.3462320722222225, 3.190801382037267, 3.501662762407178, 1.0),
        (3.361209809698872, 0.07802452975183223),
        (3.368478559051554, 0.11879678654997533),
    ),
    "share": (
        (0.6120816086456541, 0.4744975989876503, 0.7496656183036579, 0.560658735552331),
        (0.6169547220650304, 0.06998900108870991),
        (0.6436722856801705, 0.09013008685518319),
    ),
    "rare": (
        (0.14473618753460687, 0.011438451582723774, 0.27803392348649, 0.4179427948504984),
        (0.14559428264480717, 0.05266000457941848),
        (0.13834916307126877, 0.0472246671332151),
    ),
    "useless": (
        (0.1463215, -0.17120296642282745, 0.46384596642282744, 0.0),
        (0.04556688682218865, 0.16135729021372314),
        (0.040597500917693236, 0.24577697980147256),
    ),
    "inverse": (
        (0.1463215, -0.17120296642282745, 0.46384596642282744, 0.0),
        (-0.11572067372577138, 0.07394699862471575),
        (-0.1282265551836214, 0.11090841521237033),
    ),
}


def _data(kind: str, answered: int = 24, units: int = 114) -> tuple[list[float], list[float]]:
    """Return people's values and a judge's, the same on every machine."""
    people, judge = [], []
    for unit in range(units):
        first, second, third = (math.sin(f * (unit + 1)) for f in (12.9898, 78.233, 37.719))
        truth = first + 0.5 * second
        given = {"mean": round(3 + truth, 6), "share": float(truth > 0.2), "rare": float(truth > 1.2)}  # fmt: skip
        said = {
            "useless": third,
            "inverse": 0.3 * third - truth,
            "rare": float(truth + 0.5 * third > 1.0),
        }
        people.append(given.get(kind, round(truth, 6)) if unit < answered else math.nan)
        judge.append(round(said.get(kind, 1 + 0.7 * truth + 0.5 * third), 6))
    return people, judge


@pytest.mark.parametrize("kind", _PEERS)
def test_estimates_equal_truescore_and_glide(kind: str) -> None:
    people, judge = _data(kind)
    truescore, glide, clustered = _PEERS[kind]
    ours = prediction_powered(people, judge, tuning="clipped", quantile="normal")
    values = (ours.estimate.value, ours.estimate.low, ours.estimate.high, ours.weight)
    assert values == pytest.approx(truescore, abs=1e-9)
    ours = prediction_powered(people, judge, tuning="unclipped", quantile="normal")
    assert (ours.estimate.value, ours.error) == pytest.approx(glide, abs=1e-9)
    units = [f"u{row // 3}" for row in range(len(people))]
    ours = prediction_powered(people, judge, units=units, tuning="unclipped", quantile="normal")
    assert (ours.estimate.value, ours.error) == pytest.approx(clustered, abs=1e-9)


def _good(item: Floats, rng: np.random.Generator) -> Floats:
    return np.rint(3 + item + 0.5 * rng.normal(size=len(item)))


def _useless(item: Floats, rng: np.random.Generator) -> Floats:
    return np.rint(3 + rng.normal(size=len(item)))


def _biased(item: Floats, rng: np.random.Generator) -> Floats:
    return np.rint(4.5 + 0.6 * item + 0.4 * (item > 0) + 0.6 * rng.normal(size=len(item)))


def _true_values(share: bool) -> float:
    """Return what people would say of all items there are: probabilities of the grades 1 to 5 of a normal distribution."""
    edges = np.array([1.5, 2.5, 3.5, 4.5])
    below = np.array([0.5 * (1 + math.erf((edge - 3) / math.sqrt(2 * 1.49))) for edge in edges])
    return float(1 - below[2]) if share else float(5 - below.sum())


@pytest.mark.parametrize("judge", [_good, _useless, _biased])
@pytest.mark.parametrize("share", [False, True])
def test_intervals_cover_in_1000_campaigns_and_are_never_wider_than_people_alone(
    judge: Callable[[Floats, np.random.Generator], Floats], share: bool
) -> None:
    rng = np.random.default_rng(1)
    covered, widths, helped = 0, [], 0
    true = _true_values(share)
    for _ in range(1_000):
        item = rng.normal(size=440)
        grades = np.clip(np.rint(3 + item + 0.7 * rng.normal(size=440)), 1, 5)
        people = (grades >= 4).astype(float) if share else grades
        people[40:] = np.nan  # items are drawn at random: the first 40 are a sample of all
        powered = prediction_powered(people, np.clip(judge(item, rng), 1, 5))
        low, high = powered.estimate.low, powered.estimate.high
        covered += low <= true <= high
        widths.append((high - low) / (powered.people.high - powered.people.low))
        helped += powered.helps
    assert 930 <= covered <= 970
    assert max(widths) <= 1.05
    if judge is _useless:
        assert np.mean(widths) > 0.98 and helped <= 40
    else:
        assert np.mean(widths) < 0.95 and helped > 700


def test_a_difference_of_systems_is_a_mean_of_differences_and_a_bias_shared_by_both_goes() -> None:
    rng = np.random.default_rng(3)
    item = rng.normal(size=300)
    people = 0.5 + 0.3 * item + 0.2 * rng.normal(size=300)
    judge = people + 2.0 + 0.1 * rng.normal(size=300)  # favours the first system by two grades
    people[60:] = np.nan
    powered = prediction_powered(people, judge)
    assert powered.judge.low > 2.0
    assert powered.estimate.low < 0.5 < powered.estimate.high
    assert powered.helps and powered.saved > 100
    assert powered.effective_ci is not None
    low, high = powered.effective_ci
    assert 60 < low < powered.effective < high


def test_without_a_rest_or_with_a_constant_judge_the_result_is_that_of_people_alone() -> None:
    all_answered = prediction_powered([1, 2, 4], [1, 2, 3])
    assert all_answered.estimate == all_answered.people and not all_answered.helps
    constant = prediction_powered([1, 2, 4, np.nan, np.nan], [3, 3, 3, 3, 3])
    assert constant.estimate.value == constant.people.value
    assert constant.weight == constant.saved == 0


def test_of_a_unit_answered_in_part_only_the_answered_rows_count() -> None:
    units = ["a", "a", "b", "c", "c", "d", "e"]
    people = [1, np.nan, 2, 4, 2, np.nan, np.nan]
    judge = [1, 9, 2, 3, 3, 5, 1]
    powered = prediction_powered(people, judge, units=units)
    assert powered == prediction_powered([1, 2, 3, np.nan, np.nan], [1, 2, 3, 5, 1])


@pytest.mark.parametrize(
    ("people", "judge", "said"),
    [
        ([1, np.nan], [1, 2], "1 of 2 units have people's answers; two are needed"),
        ([1, 2, np.nan], [1, 2, np.nan], "the judge's value 2 is not a finite number"),
        ([1, 2], [1], "both need one value per unit"),
        ([1, np.inf], [1, 2], "a value of people is infinite"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    people: list[float], judge: list[float], said: str
) -> None:
    with pytest.raises(ArgumentError, match=said):
        prediction_powered(people, judge)
