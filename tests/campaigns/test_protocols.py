"""Forms: those that are shipped, one of a user's own, and which answers each accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.campaigns.protocols import form_path, parse_protocol, protocol
from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.registry import PROTOCOLS


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_shipped_form_says_what_it_asks(name: str) -> None:
    form = protocol(name)
    # The first four changed once: a follow-up is related; the others speak of the article and the link apart.
    version = 2 if name in ("grade", "constructive", "rank", "relate") else 1
    assert (form.name, form.version) == (name, version)
    assert form.questions
    assert len(form.guidance) >= 4
    if form.kind in ("scale", "label", "slider"):
        assert all(level.brief and level.examples for level in form.levels)


def test_the_grade_form_has_five_levels_with_several_examples_each() -> None:
    form = protocol("grade")
    assert form.values == (1, 2, 3, 4, 5)
    assert all(level.full and len(level.examples) >= 3 for level in form.levels)


def test_the_constructive_form_bundles_five_and_has_four_conditions() -> None:
    form = protocol("constructive")
    assert (form.bundle, len(form.conditions)) == (5, 4)


def test_the_rank_form_has_three_questions_two_bad_examples_and_a_good_one() -> None:
    form = protocol("rank")
    assert [question.name for question in form.questions] == ["informative", "coherent", "overall"]
    assert (len(form.bad_examples), len(form.good_examples)) == (2, 1)


def test_a_user_may_write_a_fifth(tmp_path: Path) -> None:
    path = tmp_path / "civil.toml"
    path.write_text(
        form_path("relate").read_text("utf-8").replace('name = "relate"', 'name = "civil"'), "utf-8"
    )
    assert protocol(str(path)).name == "civil"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('kind = "scale"', 'kind = "stars"'), "`kind` is 'stars'"),
        (("bundle = 1", "bundel = 1"), "unknown key `bundel`"),
        (("title = ", "# title = "), "`title`"),
        (("value = 1", "valeu = 1"), "valeu"),
        (('name = "grade"', "name = "), "not TOML"),
    ],
)
def test_a_form_that_leaves_something_open_is_refused(change: tuple[str, str], reason: str) -> None:
    text = form_path("grade").read_text("utf-8").replace(*change, 1)
    with pytest.raises(DataError, match=reason):
        parse_protocol(text, "mine.toml")


def test_an_unknown_protocol_is_told_what_there_is() -> None:
    with pytest.raises(SpecError, match="did you mean 'grade'"):
        protocol("grades")


@pytest.mark.parametrize(
    ("name", "values", "fault"),
    [
        ("grade", {"a": 3, "b": 5}, None),
        ("grade", {"a": 0, "b": 5}, "a (grade): 0 is not one of 1, 2, 3, 4, 5"),
        ("grade", {"a": True, "b": 5}, "a (grade): True is not one of"),
        ("grade", {"a": 2.5, "b": 5}, "a (grade): 2.5 is not one of"),
        ("grade", {"a": 3}, "no answer for b (grade)"),
        ("grade", {"a": 3, "b": 1, "c": 2}, "c (grade) was not asked"),
        ("constructive", {"a": True, "b": False}, None),
        ("constructive", {"a": 1, "b": False}, "1 is not true or false"),
        ("relate", {"a": "related", "b": "on-topic"}, None),
        ("da", {"a": 0, "b": 100}, None),
        ("da", {"a": 101, "b": 5}, "a (score): 101 is not a whole number from 0 to 100"),
        ("da", {"a": 50.5, "b": 5}, "a (score): 50.5 is not a whole number"),
        ("da", {"a": True, "b": 5}, "a (score): True is not a whole number"),
        ("best-worst", {"a": "best", "b": "worst"}, None),
        ("best-worst", {"a": "cannot-judge", "b": "cannot-judge"}, None),
        (
            "best-worst",
            {"a": "best", "b": "best"},
            "overall: 2 texts are 'best', and one is wanted",
        ),
        ("best-worst", {"a": "best", "b": "neither"}, "overall: 0 texts are 'worst'"),
        ("best-worst", {"a": 1, "b": "worst"}, "1 is not one of best, worst, neither"),
        (
            "relate",
            {"a": "perhaps", "b": "on-topic"},
            "'perhaps' is not one of on-topic, related, unrelated",
        ),
    ],
)
def test_answers_are_checked(name: str, values: dict[str, str | int], fault: str | None) -> None:
    form = protocol(name)
    question = form.questions[0].name
    faults = form.faults(
        ["a", "b"], {(target, question): value for target, value in values.items()}
    )
    assert faults == [] if fault is None else fault in faults[0]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("0-4 9-14", None),
        ("none", None),
        ("cannot-judge", None),
        ("", "is not a list of passages"),
        (True, "is not a list of passages"),
        ("4-0", "not empty, in order"),
        ("0-6 4-9", "do not overlap"),
        ("0-4 9-99", "ends at 99, and the text has 14 characters"),
    ],
)
def test_passages_lie_in_their_text(value: str | bool, fault: str | None) -> None:
    form = protocol("spans").asking(["unclear"])
    faults = form.faults(["a"], {("a", "unclear"): value}, {"a": "Well, it ended"})
    assert faults == [] if fault is None else fault in faults[0]


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("da", ("value = 33", "value = 0"), "each larger than the one before"),
        ("da", ("value = 33", 'value = "some"'), "levels of a slider are whole numbers"),
        ("best-worst", ("bundle = 4", "bundle = 2"), "of fewer than 3 texts"),
        ("likert", ('unit = "text"', 'unit = "pair"'), "'pair', which is for kind 'rank'"),
        ("best-worst", ("rounds = 4", "rounds = 0"), "start at 1"),
    ],
)
def test_a_form_that_contradicts_itself_is_refused(
    name: str, change: tuple[str, str], reason: str
) -> None:
    text = form_path(name).read_text("utf-8").replace(*change, 1)
    with pytest.raises(DataError, match=reason):
        parse_protocol(text, "mine.toml")


@pytest.mark.parametrize(
    ("ranks", "good"),
    [
        ((3, 1, 1, 2), True),
        ((4, 1, 1, 3), True),
        ((4, 1.5, 1.5, 3), True),
        ((1, 1, 1, 1), True),
        ((0, 1, 2, 3), False),
        ((7, 1, 2, 3), False),
        ((1.3, 1, 2, 3), False),
        (("1", 1, 2, 3), False),
        ((True, 1, 2, 3), False),
    ],
)
def test_ranks_are_from_one_to_the_number_of_systems(ranks: tuple[object, ...], good: bool) -> None:
    form = protocol("rank")
    answers = {
        (target, question.name): rank
        for question in form.questions
        for target, rank in zip("ABCD", ranks, strict=True)
    }
    assert (form.faults(list("ABCD"), answers) == []) is good  # type: ignore[arg-type]


def test_a_follow_up_is_related_and_not_on_topic() -> None:
    # Gholipour Ghalandari et al. (2020), section 4.2: "mentions the event, but focuses on something else, e.g., follow-up".
    form = protocol("relate")
    [rule] = [text for text in form.guidance if "follow-up" in text]
    assert rule.startswith("Related:")
    levels = {level.value: level for level in form.levels}
    assert "follow-up" in levels["related"].brief
    assert any("later" in example for example in levels["related"].examples)
    assert not any("captain" in example for example in levels["on-topic"].examples)


def test_a_part_of_the_questions_keeps_their_order() -> None:
    form = protocol("rank")
    assert form.asking(["overall", "coherent", "informative"]) == form
    part = form.asking(["overall", "informative"])
    assert [question.name for question in part.questions] == ["informative", "overall"]
    assert part.guidance == tuple(t for t in form.guidance if not t.startswith("Coherent:"))
    assert part.faults(["a"], {("a", "informative"): 1, ("a", "overall"): 1}) == []


@pytest.mark.parametrize(("names", "reason"), [([], "at least one"), (["overal"], "did you mean")])
def test_questions_that_are_not_the_forms_are_refused(names: list[str], reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        protocol("rank").asking(names)
