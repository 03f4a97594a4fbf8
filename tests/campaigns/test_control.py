"""The audit: what it counts, and whom it takes for careless."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from newsdesk.campaigns.control import AnnotatorAudit, Rule, audit, known_answers
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.types import Judgment, Value
from tests.campaigns.worlds import AT, GRADE, grade_tasks

TRUTH = {n: 1 + (7 * n) % 5 for n in range(60)}
KNOWN = {(f"c{n}", f"c{n}"): TRUTH[n] for n in range(10)}


def grades(
    name: str, value: Callable[[int], Value], seconds: Callable[[int], float | None]
) -> list[Judgment]:
    return [
        Judgment("c", f"c{n}", "a", f"c{n}", "grade", value(n), name, "A", AT, seconds(n))
        for n in TRUTH
    ]


def careful(name: str) -> list[Judgment]:
    """Right four times of five, else off by one; between 10 and 20 seconds a comment."""
    rng = random.Random(name)

    def value(n: int) -> int:
        off = rng.choice((-1, 1)) if rng.random() < 0.2 else 0
        return min(5, max(1, TRUTH[n] + off))

    return grades(name, value, lambda _: rng.uniform(10, 20))


def rows(*annotators: list[Judgment], rule: Rule | None = None) -> dict[str, AnnotatorAudit]:
    judgments = [judgment for each in annotators for judgment in each]
    return {row.annotator: row for row in audit(judgments, KNOWN, rule)}


def test_counts_are_what_they_say() -> None:
    judgments = [
        Judgment("c", "t1", "i", "x", "q", 1, "ann", "A", AT, 4.0),
        Judgment("c", "t1", "i", "y", "q", 2, "ann", "B", AT, 4.0),
        Judgment("c", "t2", "i", "x", "q", 1, "ann", "A", AT, 8.0),
        Judgment("c", "t1", "i", "x", "q", 1, "ben", "B", AT),
        Judgment("c", "t1", "i", "y", "q", 1, "ben", "A", AT),
    ]
    ann, ben = audit(judgments, {("t1", "x"): 1, ("t1", "y"): 1})
    assert (ann.annotator, ann.tasks, ann.judgments) == ("ann", 2, 3)
    assert (ann.controls, ann.correct, ann.accuracy) == (2, 1, 0.5)
    assert (ann.compared, ann.agreeing, ann.agreement) == (2, 1, 0.5)
    assert (ann.median_seconds, ann.fast_share) == (6.0, 0.0)
    assert (ann.same_share, ann.counts) == (0.5, ((1, 2), (2, 1)))
    assert (ben.accuracy, ben.median_seconds, ben.fast_share) == (1.0, None, None)
    assert ann.careless == ben.careless == ()


def test_agreement_leaves_oneself_out_and_skips_ties() -> None:
    values = {"ann": True, "ben": False, "cy": False, "dee": True}
    judgments = [Judgment("c", "t", "i", "x", "q", value, name) for name, value in values.items()]
    agreement = {row.annotator: (row.agreeing, row.compared) for row in audit(judgments, {})}
    # For each of the four the other three stand two to one against them.
    assert agreement == dict.fromkeys(values, (0, 1))
    assert [row.compared for row in audit(judgments[:3], {})] == [1, 0, 0]


def test_nothing_known_is_none_and_nothing_judged_is_no_row() -> None:
    [row] = audit([Judgment("c", "t", "i", "x", "q", "related", "ann")], {})
    assert (row.accuracy, row.agreement, row.median_seconds) == (None, None, None)
    assert audit([], {}) == []


def test_one_careful_annotator_in_a_hundred_is_suspected() -> None:
    suspected = [
        row
        for start in range(0, 300, 5)
        for row in rows(*(careful(f"annotator {start + n}") for n in range(5))).values()
        if row.careless
    ]
    assert len(suspected) <= 6  # alpha is 0.01


def test_who_guesses_is_found_by_control_questions() -> None:
    rng = random.Random(1)
    guesser = grades("guess", lambda _: rng.randint(1, 5), lambda _: 12.0)
    audits = rows(careful("ann"), careful("ben"), guesser)
    [reason] = audits["guess"].careless
    assert reason.endswith("of 10 control questions right")
    assert audits["ann"].careless == ()
    assert (audits["guess"].agreement or 0) < (audits["ann"].agreement or 0)


def test_a_hard_control_question_is_nobodys_fault() -> None:
    wrong = [
        grades(name, lambda n: 6 - TRUTH[n], lambda _: 12.0 + TRUTH[1])
        for name in ("ann", "ben", "cy")
    ]
    assert {row.careless for row in rows(*wrong).values()} == {()}


def test_few_controls_prove_nothing() -> None:
    wrong = grades("guess", lambda n: 1 + TRUTH[n] % 5, lambda _: 12.0)
    few = {key: KNOWN[key] for key in list(KNOWN)[:4]}
    judgments = careful("ann") + careful("ben") + wrong
    assert [row.careless for row in audit(judgments, few)] == [(), (), ()]


def test_a_step_off_may_count_as_right() -> None:
    off = grades("strict", lambda n: max(1, TRUTH[n] - 1), lambda _: 12.0)
    others = careful("ann"), careful("ben")
    assert rows(*others, off)["strict"].careless != ()
    assert rows(*others, off, rule=Rule(tolerance=1))["strict"].accuracy == 1.0


def test_who_always_says_the_same_is_found() -> None:
    always = grades("always", lambda _: 3, lambda _: 12.0)
    careless = rows(careful("ann"), careful("ben"), always)["always"].careless
    assert "the same answers to 60 of 60 tasks" in careless


def test_who_always_ranks_from_left_to_right_is_found() -> None:
    rng = random.Random(0)
    judgments = []
    for name in ("ann", "ben", "left"):
        for n in range(30):
            order = rng.sample("ABC", 3)
            for place, letter in enumerate(sorted(order), 1):
                target = f"s{order.index(letter)}"
                rank = place if name == "left" else order.index(letter) + 1
                judgments.append(Judgment("c", f"t{n}", "i", target, "overall", rank, name, letter))
    audits = {row.annotator: row.careless for row in audit(judgments, {})}
    assert audits == {"ann": (), "ben": (), "left": ("the same answers to 30 of 30 tasks",)}


def test_a_rare_yes_makes_nobody_careless() -> None:
    judgments = [
        Judgment("c", f"t{n}", "i", "x", "q", n % 40 == 0 and name == "ann", name)
        for name in ("ann", "ben", "cy")
        for n in range(60)
    ]
    assert [row.careless for row in audit(judgments, {})] == [(), (), ()]


def test_who_is_too_fast_is_found() -> None:
    quick = [replace(each, seconds=2.0) for each in careful("quick")]
    audits = rows(careful("ann"), careful("ben"), quick)
    assert audits["quick"].careless == ("60 of 60 tasks too fast",)
    assert audits["quick"].fast_share == 1.0


def test_a_correction_of_one_row_does_not_shorten_the_task() -> None:
    judgments = [
        Judgment("c", "t", "i", "x", "q", 1, "ann", "A", AT, 30.0),
        Judgment("c", "t", "i", "y", "q", 2, "ann", "B", AT, 1.0),
    ]
    assert audit(judgments, {})[0].median_seconds == 30.0


@pytest.mark.parametrize(
    "settings", [{"alpha": 2}, {"min_accuracy": -0.1}, {"min_controls": 0}, {"tolerance": -1}]
)
def test_a_rule_that_cannot_be_is_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        Rule(**settings)  # type: ignore[arg-type]


def test_known_answers_are_those_of_targets() -> None:
    mixed = Task("t", "i", (Target("x", "", True), Target("y", ""), Target("z", "", False)))
    assert known_answers([mixed]) == {("t", "x"): True, ("t", "z"): False}


def test_a_store_is_audited_its_careless_excluded_and_its_figures_follow(store: Store) -> None:
    tasks = grade_tasks(30, controls=10)
    store.create("c", GRADE, tasks, ["ann", "ben", "bot"], per_item=3, seed=0)
    for name in ("ann", "ben", "bot"):
        for n, task in enumerate(tasks):
            grade = 1 if name == "bot" else 5 if n < 10 else 1 + n % 5
            store.answer("c", name, task.id, {(task.id, "grade"): grade}, at=AT, seconds=20)
    known = known_answers(store.tasks("c"))
    audits = audit(store.judgments("c", names=True), known)
    assert {row.annotator for row in audits if row.careless} == {"bot"}
    store.exclude("c", "bot", audits[2].careless[0], at=AT)
    assert [row.accuracy for row in audit(store.judgments("c"), known)] == [1.0, 1.0]
