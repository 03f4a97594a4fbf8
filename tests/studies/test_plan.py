"""Plans of annotations: power against campaigns simulated one by one, spreads recovered from a pilot, ties and pairs of votes."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from newsdesk.errors import ArgumentError
from newsdesk.stats.power import Design, Grades, of_agreement, of_pilot, plan_items, power_curve
from newsdesk.studies.plan import (
    GradePlan,
    YesRates,
    plan_grades,
    plan_json,
    plan_threads,
    plan_votes,
    power_rows,
    vote_rows,
)
from newsdesk.types import Article, Comment, Judgment, Thread
from research.plan_power import brute_force, pilot

FIVE = of_agreement(0.5, 1.1, scale=(1, 5))


def test_the_plan_is_what_brute_force_finds() -> None:
    (design,) = plan_items(FIVE, 0.6, votes=(2,), draws=2_000, most_items=100)
    assert design.items is not None
    (power,) = brute_force(FIVE, 0.6, [design.items], 2, campaigns=400, seed=3)
    assert power == pytest.approx(0.8, rel=0.1)
    (weaker,) = brute_force(FIVE, 0.6, [design.items // 2], 2, campaigns=400, seed=3)
    assert weaker < 0.65


def test_the_plan_names_the_first_number_of_items_that_reaches_the_power() -> None:
    (design,) = plan_items(FIVE, 0.6, votes=(2,), draws=500, most_items=60)
    curve = power_curve(FIVE, 0.6, 2, 60, level=0.05, draws=500, seed=0)  # 2, 3, … items
    assert design.items is not None
    assert curve[design.items - 2] >= 0.8 > curve[design.items - 3]
    assert design.power[20] == curve[18]


@pytest.mark.parametrize("agreement", [0.2, 0.9])
def test_an_agreement_divides_the_variance_of_grades_into_truth_and_noise(agreement: float) -> None:
    free = of_agreement(agreement, 2.0)
    assert free.item_sd**2 == pytest.approx(4 * agreement / 2)
    assert free.system_sd**2 == pytest.approx(4 * agreement / 2)
    assert free.noise_sd**2 == pytest.approx(4 * (1 - agreement))
    assert free.agreement == pytest.approx(agreement)
    seven = of_agreement(agreement, 2.0, scale=(1, 7))
    assert seven.mean == 4.0
    assert seven.noise_sd**2 == pytest.approx(4 * (1 - agreement) - 1 / 12)  # rounding adds it
    assert seven.agreement == pytest.approx(agreement)


def test_people_who_agree_need_fewer_items() -> None:
    designs = [
        plan_items(of_agreement(agreement, 1.1), 0.3, votes=(1,), draws=500, most_items=400)[0]
        for agreement in (0.2, 0.9)
    ]
    # Noise counts whole in a difference of two systems, truth by the half that they do not share.
    noisy, agreed = ((2 * (1 - a) + a) * 1.1**2 / 0.3**2 * 7.85 for a in (0.2, 0.9))
    assert designs[0].items == pytest.approx(noisy, rel=0.1)
    assert designs[1].items == pytest.approx(agreed, rel=0.1)


def test_without_a_difference_the_level_is_kept() -> None:
    curve = power_curve(FIVE, 1e-9, 1, 60, level=0.05, draws=4_000, seed=0)
    assert curve[-1] == pytest.approx(0.025, abs=0.01)  # one side of a two-sided test


def test_more_items_votes_and_agreement_never_cost_power() -> None:
    plan = plan_grades(FIVE, 0.3, votes=(1, 3), draws=500, most_items=400)
    one, three = plan.designs
    assert list(one.power.values()) == sorted(one.power.values())
    assert one.items is not None
    assert three.items is not None
    assert three.items < one.items
    assert three.judgments == 6 * three.items
    corrected = plan_items(FIVE, 0.3, votes=(1,), comparisons=10, draws=500, most_items=400)
    assert corrected[0].items is None or corrected[0].items > one.items
    assert plan.cheapest is not None
    assert str(plan.cheapest.items) in plan.verdict
    assert plan_json(plan, None)["designs"][0]["items"] == one.items
    assert len(power_rows(plan)[1]) == 2
    assert json.loads(json.dumps(plan_json(plan, None)))["signature"] == plan.signature


def test_the_cheapest_plan_has_the_fewest_judgments_whatever_its_items_and_votes() -> None:
    costs = ((1, 90, 180), (3, 20, 120), (5, 15, 150), (9, None, None))
    designs = tuple(Design(votes, items, cost, votes, {}) for votes, items, cost in costs)
    plan = GradePlan(FIVE, 0.6, 0.6, 0.8, 0.05, 1, 500, 0, designs)
    assert plan.cheapest == designs[1]


@pytest.mark.parametrize("per_person", [1_000, 7])
def test_a_plan_has_people_for_all_judgments_and_no_fewer_than_votes(per_person: int) -> None:
    (design,) = plan_items(FIVE, 1.0, votes=(5,), draws=100, most_items=40, per_person=per_person)
    assert design.judgments is not None
    assert design.people == max(5, int(np.ceil(design.judgments / per_person)))
    assert (design.people > 5) == (per_person == 7)


def test_a_plan_out_of_reach_says_so() -> None:
    plan = plan_grades(FIVE, 0.01, votes=(1,), draws=100, most_items=50)
    assert plan.cheapest is None
    assert (
        plan.verdict == "No design finds a difference of 0.01 with a power of 0.8 within 50 items."
    )


def test_a_pilot_gives_back_the_spreads_it_was_drawn_with() -> None:
    truth = Grades(3.0, 0.6, 0.5, 0.8, (1, 5))
    model = of_pilot(pilot(truth, 600, 3, seed=1))
    assert model.scale == (1, 5)
    # Grades are clipped at the ends of the scale, which takes a little off every spread.
    assert model.noise_sd == pytest.approx(0.8, rel=0.1)
    assert model.system_sd == pytest.approx(0.5, rel=0.15)
    free = of_pilot(pilot(Grades(0.0, 1.0, 0.5, 1.0), 600, 2, seed=1))
    assert free.scale is None
    assert (free.noise_sd, free.system_sd) == pytest.approx((1.0, 0.5), rel=0.15)


def test_a_pilot_whose_people_judged_outputs_of_their_own_gives_back_its_spreads_too() -> None:
    truth = Grades(3.0, 0.6, 0.5, 0.8, (1, 5))
    judgments = [
        dataclasses.replace(each, annotator=f"{each.annotator}{each.target}{each.item}")
        for each in pilot(truth, 600, 3, seed=1)
    ]
    # A few who judged both tell nothing: they agreed by chance.
    judgments += [
        Judgment("pilot", f"x{item}", f"x{item}", system, "grade", 3, person)
        for item in range(3)
        for system in "ab"
        for person in ("p", "q")
    ]
    model = of_pilot(judgments)
    assert model.noise_sd == pytest.approx(0.8, rel=0.1)
    assert model.system_sd == pytest.approx(0.5, rel=0.15)


def test_what_a_pilot_cannot_tell_is_refused() -> None:
    judgments = pilot(FIVE, 4, 1, seed=0)
    with pytest.raises(ArgumentError, match="no output that two people judged"):
        of_pilot(judgments)
    with pytest.raises(ArgumentError, match="no judgments of this question"):
        of_pilot(judgments, question="fluency")
    other = Judgment("pilot", "x", "x", "a", "fluency", 3, "p0")
    with pytest.raises(ArgumentError, match=r"several questions \(fluency, grade\)"):
        of_pilot([*judgments, other])
    with pytest.raises(ArgumentError, match="'good' is no grade"):
        of_pilot([Judgment("pilot", "x", "x", "a", "fluency", "good", "p0")])
    for agreement, sd in ((0.0, 1.0), (0.5, 0.0)):
        with pytest.raises(ArgumentError):
            of_agreement(agreement=agreement, sd=sd)
    with pytest.raises(ArgumentError, match="difference is 0"):
        plan_items(FIVE, 0.0)
    with pytest.raises(ArgumentError, match="numbers of votes"):
        plan_items(FIVE, 0.5, votes=(2, 2))


def test_ties_in_the_top_fall_and_truth_rises_with_votes() -> None:
    rates = YesRates(0.5, 2.0, 0.0)  # a flat distribution of rates
    designs = plan_votes(rates, budget=100_000, comments=(20,), votes=(1, 5, 40), k=5, draws=1_000)
    assert [each.tied for each in designs] == sorted([each.tied for each in designs], reverse=True)
    assert [each.top for each in designs] == sorted(each.top for each in designs)
    assert [each.right for each in designs] == sorted(each.right for each in designs)
    # One vote: the top five of twenty coin-like votes is nearly always a tie.
    assert designs[0].tied > 0.95
    # A flat distribution and one vote each: pairs differ half of the time, and two thirds of the comments rank right.
    assert designs[0].pairs == pytest.approx(100_000 * 19 / 2 / 2, rel=0.02)
    assert designs[0].right == pytest.approx(5 / 6, abs=0.01)


def test_at_equal_cost_deep_has_the_pairs_and_shallow_the_independent_comments() -> None:
    shallow, deep = plan_votes(
        YesRates(0.5, 2.0, 0.1), budget=40_000, comments=(5, 100), votes=(1,)
    )
    assert (shallow.articles, deep.articles) == (8_000, 400)
    assert deep.pairs == pytest.approx(shallow.pairs * 99 / 4, rel=0.03)
    assert shallow.effective == round(40_000 / 1.4)
    assert deep.effective == round(40_000 / 10.9)


def test_the_rates_come_from_the_votes_of_threads() -> None:
    rng = np.random.default_rng(0)
    threads = [
        Thread(
            Article(str(number), "x"),
            tuple(
                Comment(f"{number}-{place}", "text", yes=int(rng.binomial(10, rate)), votes=10)
                for place, rate in enumerate(np.clip(level + rng.uniform(-0.2, 0.2, 12), 0, 1))
            ),
        )
        for number, level in enumerate(rng.uniform(0.2, 0.8, 60))
    ]
    plan = plan_threads(threads, budget=500, comments=(5, 10), votes=(5,), k=3, draws=200)
    assert plan.rates.mean == pytest.approx(0.5, abs=0.05)
    assert plan.rates.article_correlation > 0.3
    assert "5 comments of 20 articles" in plan.verdict
    assert len(vote_rows(plan)[1]) == 2
    assert plan_json(None, plan)["votes"]["designs"][0]["comments"] == 5
    with pytest.raises(ArgumentError, match="too few for one article"):
        plan_threads(threads, budget=3, comments=(5,), votes=(5,), k=3)
    unvoted = [
        Thread(Article("a", "x"), (Comment("c", "y", score=1.0), Comment("d", "z", score=0.0)))
    ]
    with pytest.raises(ArgumentError, match="have no votes"):
        plan_threads(unvoted, budget=300, comments=(5,), votes=(5,), k=3)
