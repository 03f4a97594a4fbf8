"""The report of a ranking: how many rankings each system has, and an order that is fair where systems met unequally."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.report.evidence import results_of
from newsdesk.campaigns.report.models import models_of
from newsdesk.campaigns.report.sections import models_section, result_section
from newsdesk.types import Judgment
from tests.campaigns.worlds import GRADE, RANK, VOTE

PILOT = Campaign("pilot", RANK.asking(["overall"]), 1, 0, open=False)


def ranked(rankings: Sequence[str]) -> str:
    """The section on rankings such as "ABC": A before B before C."""
    judgments = [
        Judgment("pilot", f"t{n}", f"t{n}", f"system-{name}", "overall", rank, "ann")
        for n, ranking in enumerate(rankings)
        for rank, name in enumerate(ranking, 1)
    ]
    results = results_of(PILOT.protocol, judgments, 0)
    return result_section(PILOT, judgments, {}, results, 0).html(1)


def table(html: str) -> list[list[str]]:
    """The cells of the first table, row by row."""
    body = html[: html.index("</table>")]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", row) for row in body.split("<tr>")[1:]]


def test_every_system_shows_its_number_of_rankings() -> None:
    header, *rows = table(ranked(["ABC", "AB", "BC", "CB"]))
    assert header[:2] == ["system", "n"]
    assert {row[0]: row[1] for row in rows} == {"system-A": "2", "system-B": "4", "system-C": "3"}


def test_systems_that_met_equally_often_are_ordered_by_mean_rank() -> None:
    html = ranked(["ABC", "ACB", "BAC", "CAB", "CBA"])
    assert [row[0] for row in table(html)[1:]] == ["system-A", "system-C", "system-B"]
    assert "equally often" not in html


def test_systems_that_met_unequally_are_ordered_by_bradley_terry_and_the_report_says_so() -> None:
    # A beats B mostly. D wins against C alone, whom everybody beats: its mean rank is the best, its strength is not.
    html = ranked(["AB"] * 7 + ["BA"] * 3 + ["BC"] * 9 + ["CB"] + ["DC"] * 8 + ["CD"] * 2)
    header, *rows = table(html)
    mean, strength = header.index("mean rank"), header.index("strength")
    assert min(rows, key=lambda row: float(row[mean]))[0] == "system-D"
    assert [row[0] for row in rows] == ["system-A", "system-B", "system-D", "system-C"]
    values = [float(row[strength]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert "ordered by Bradley–Terry strength" in html


def test_systems_that_cannot_be_compared_are_called_by_name() -> None:
    html = ranked(["AB", "BA", "CD", "DC"])
    assert "(system-A, system-B), (system-C, system-D)" in html
    assert "column" not in html


def test_votes_are_called_by_the_names_of_the_answers() -> None:
    judgments = [
        Judgment("votes", "t", "t", f"c{n}", "constructive", n % 3 == 0, name)
        for n in range(6)
        for name in ("ann", "bob", "cyd")
    ]
    html = models_section(models_of(VOTE, judgments, 0)).html(1)
    shares = re.findall(r'<td[^>]*>([^<]*)</td><td class="number">([0-9.]+)<', html)
    assert ("constructive", "0.333") in shares
    assert ("not constructive", "0.667") in shares
    assert "True" not in html and "False" not in html


def test_the_report_says_why_the_share_of_votes_is_not_the_models() -> None:
    """Five people miss half of what is constructive, on targets with five votes or two."""
    rng = np.random.default_rng(5)
    judgments = [
        Judgment("votes", f"t{n}", f"i{n}", f"c{n}", "constructive", bool(truth and rng.random() < 0.55), f"w{who}")
        for n, truth in enumerate(rng.random(120) < 0.6)
        for who in range(5 if n % 2 else 2)
    ]  # fmt: skip
    [model] = models_of(VOTE, judgments, 0)
    row = next(each for each in model.answers if each.answer == "constructive")
    assert row.model > row.votes + 0.1
    assert row.model_ci is not None and row.model_ci[0] < row.model < row.model_ci[1]
    # The steps from the one to the other are named with their sizes, which add up.
    steps = [float(each.replace("−", "-")) for each in re.findall(r"[+−][0-9.]+", row.why)]
    assert sum(steps) == pytest.approx(row.model - row.votes, abs=0.02)
    assert "weigh by skill and habit" in row.why
    assert [
        each.accuracy is not None and each.accuracy_ci is not None for each in model.annotators
    ] == [True] * 5


def test_grades_of_strict_and_mild_people_are_explained() -> None:
    rng = np.random.default_rng(6)
    judgments = [
        Judgment("g", f"t{n}", f"i{n}", "x", "grade", int(np.clip(round(3 + quality + (who - 2) + rng.normal(0, 0.4)), 1, 5)), f"w{who}")
        for n, quality in enumerate(rng.normal(0, 1, 60))
        for who in ((0, 1) if n % 3 else (3, 4, 2))
    ]  # fmt: skip
    [model] = models_of(GRADE, judgments, 0)
    row = model.answers[0]
    assert "w0 is the strictest" in row.why and "w4 the mildest" in row.why
    assert model.annotators[0].bias_ci is not None


def test_two_annotators_do_not_say_who_is_right() -> None:
    judgments = [
        Judgment("votes", "t", "t", f"c{n}", "constructive", n % 2 == 0, who)
        for n in range(6)
        for who in ("ann", "ben")
    ]
    assert models_of(VOTE, judgments, 0) == ()
    assert "Three annotators" in models_section(()).html(1)
