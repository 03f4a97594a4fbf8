"""Who agrees far less than the others is found by the audit; who is merely strict is not, and results are shown without the careless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bench.careless import CARELESS, DESIGNS, Design, campaign, flagged, shares
from newsdesk import samples
from newsdesk.campaigns import Store, Target, Task, protocol, report_content, report_page
from newsdesk.campaigns.control import audit
from newsdesk.stats.agreement import cohen_kappa
from newsdesk.stats.annotators import _Panel, own_agreements
from newsdesk.types import Judgment, Value


def test_the_careless_voter_of_the_sample_is_flagged_with_numbers_and_nobody_else() -> None:
    audits = audit(samples.judgments("constructive"), {})
    assert [row.annotator for row in audits] == [f"w{number}" for number in range(1, 11)]
    findings = {row.annotator: row.careless for row in audits if row.careless}
    assert findings == {
        "w10": (
            "agreement with the others -0.06 [-0.12, 0.01] (kappa), of the others among themselves 0.37, p < 0.001",
        )
    }
    assert not [row for row in audit(samples.judgments("grade"), {}) if row.careless]


@pytest.mark.parametrize("design", [DESIGNS[0], DESIGNS[2], DESIGNS[4]], ids=lambda d: d.kind)
def test_who_answers_at_random_is_found_and_nobody_where_nobody_does(design: Design) -> None:
    # The long form, 200 campaigns of six kinds, is `python -m bench careless`.
    found, false = shares(design, 12)
    assert found >= 0.9 and false <= 0.1


def test_two_careless_annotators_do_not_hide_each_other() -> None:
    design = DESIGNS[1]
    both = frozenset({"w3", CARELESS})
    assert [flagged(design, campaign(design, seed, both)) for seed in range(3)] == [set(both)] * 3


def judged(values: Mapping[str, Sequence[Value]], *, together: bool = False) -> list[Judgment]:
    return [
        Judgment("c", "t" if together else f"t{n}", "i", f"x{n}", "q", value, name)
        for name, row in values.items()
        for n, value in enumerate(row)
    ]


def kappas(values: Mapping[str, Sequence[Value]], *, ranks: bool = False) -> dict[str, float]:
    rows = judged(values, together=ranks)
    found = own_agreements(rows, ranks=ranks, fewest=20, alpha=0.03)
    return {name: own.kappa for name, own in found.items()}


def test_the_agreement_of_two_is_cohens_kappa() -> None:
    votes = [True, True, False, True, False, False], [True, False, False, True, True, False]
    pair = dict(zip(("ann", "ben"), votes, strict=True))
    assert kappas(pair) == pytest.approx(dict.fromkeys(pair, cohen_kappa(*votes)))
    grades = [1, 2, 3, 4, 5, 3, 4, 4, 2, 5], [1, 3, 3, 4, 4, 3, 5, 4, 2, 4]
    graders = dict(zip(("ann", "ben"), grades, strict=True))
    quadratic = cohen_kappa(*grades, weights="quadratic", labels=range(1, 6))
    assert kappas(graders) == pytest.approx(dict.fromkeys(graders, quadratic))


def test_ranks_agree_by_their_order_within_a_task() -> None:
    same = kappas({"ann": [1, 1, 2, 3], "ben": [1, 1, 3, 4]}, ranks=True)
    assert same == pytest.approx({"ann": 1.0, "ben": 1.0})
    assert kappas({"ann": [1, 2, 3], "ben": [3, 2, 1]}, ranks=True)["ann"] == pytest.approx(-1.0)


def test_where_nothing_varies_there_is_no_agreement_to_speak_of() -> None:
    constant = {name: [True] * 30 for name in ("ann", "ben", "cy", "dee")}
    assert kappas(constant) == {}
    assert not [row for row in audit(judged(constant), {}) if row.careless]


def test_a_strict_grader_is_not_careless_and_three_people_are_too_few_to_tell() -> None:
    truth = [1 + (7 * n) % 5 for n in range(60)]
    panel: dict[str, list[Value]] = {
        name: [min(5, max(1, grade + (n % (5 + place) == 0))) for n, grade in enumerate(truth)]
        for place, name in enumerate(("ann", "ben", "cy", "dee"))
    }
    strict: list[Value] = [max(1, grade - 1) for grade in truth]
    blind: list[Value] = [1 + (3 * n * n + n // 7) % 5 for n in range(60)]
    assert not [row for row in audit(judged(panel | {"strict": strict}), {}) if row.careless]
    careless = [
        row.annotator for row in audit(judged(panel | {"blind": blind}), {}) if row.careless
    ]
    assert careless == ["blind"]
    # Who was found careless is no yardstick for the others.
    with_blind = kappas(panel | {"blind": blind})
    assert {name: with_blind[name] for name in panel} == pytest.approx(kappas(panel))
    few = {name: panel[name] for name in ("ann", "ben")} | {"blind": blind}
    assert not [row for row in audit(judged(few), {}) if row.careless]


def test_the_p_of_an_annotator_is_that_of_the_lowest_of_so_many() -> None:
    apart = np.abs(np.subtract.outer([9.0, 1.0, 2.0, 2.5, 3.0], [0.0, 1.0, 2.0, 2.5, 3.0]))
    apart = (apart + apart.T) / 20  # people × people
    panel = _Panel(apart, 1.0 - np.eye(5), np.full(5, 40.0), np.zeros((5, 30)))
    others = [1, 2, 3, 4]
    own = 1 - apart[0, others].mean()
    kappas = np.array([1 - apart[b, others].sum() / 3 for b in others])
    t = (own - kappas.mean()) / np.sqrt(kappas.var(ddof=1) * (1 + 1 / 4))
    p, _ = panel.p(0, others)
    assert p == pytest.approx(5 * stats.t.cdf(t, 3))
    assert 0 < p < 0.2


def test_the_report_has_the_result_with_and_without_the_careless(tmp_path: Path) -> None:
    design = DESIGNS[0]
    votes = [
        replace(each, question="constructive")
        for each in campaign(design, 1, frozenset({CARELESS}))
    ]
    tasks = [
        Task(f"t{n}", f"t{n}", tuple(Target(f"x{m}", f"Text {n} {m}.") for m in range(5)))
        for n in range(design.tasks)
    ]
    people = list(dict.fromkeys(each.annotator for each in votes))
    assert people != sorted(people)
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        store.create("c", protocol("constructive"), tasks, people, per_item=10, seed=0)
        assert store.import_judgments("c", votes).rejected == ()
        names = [person.name for person in store.status("c").annotators]
        assert names == [f"w{number}" for number in range(1, 11)]
        content, page = report_content(store, "c"), report_page(store, "c")
        [without] = content["without"]
        [row] = [each for each in content["annotators"] if each["careless"]]
        assert without["annotator"] == row["annotator"]
        assert row["kappa"] < row["others_kappa"] / 2 and row["p"] < 0.03
        assert row["kappa_ci"][0] < row["kappa"] < row["kappa_ci"][1]
        share = without["measures"][0]
        kept = [bool(each.value) for each in votes if each.annotator != CARELESS]
        assert share["value"] == pytest.approx(sum(bool(each.value) for each in votes) / len(votes))
        assert share["without"] == pytest.approx(sum(kept) / len(kept))
        assert f"without {row['annotator']}" in page
        store.exclude("c", CARELESS, "careless", at="2026-01-02T09:00:00Z")
        assert report_content(store, "c")["without"] == []
