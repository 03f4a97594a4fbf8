"""Controls and systems are not told by keys, numbers, revisions, orders or sizes: the bench of attacks with a few campaigns."""

from __future__ import annotations

from functools import cache

import pytest

from bench._blinding import DESIGNS, Shown, Truth, single_features
from bench.attacks import views_of
from newsdesk.campaigns.keys import revision_token, shown_number, stored_number, token_revision

CAMPAIGNS = 3
# Each of these told a control or a system in every campaign, by itself, before keys were used.
TOLD = ("guessed control", "guessed system", "number mod 3", "api mod 3", "answered revision in task", "same context")  # fmt: skip


@cache
def seen(name: str) -> list[Shown]:
    design = next(each for each in DESIGNS if each.name == name)
    return views_of(design, CAMPAIGNS)


def is_control(truth: Truth) -> bool:
    return truth.control


def is_first_source(truth: Truth) -> bool:
    return not truth.control and truth.source == 0


@pytest.mark.parametrize("name", ["rank", "grade, one by one"])
@pytest.mark.parametrize("label", [is_control, is_first_source])
def test_nothing_that_is_shown_tells_a_control_or_a_system(name: str, label: object) -> None:
    values = {name: auc for auc, name in single_features(seen(name), label)}  # type: ignore[arg-type]
    assert {key: round(values[key], 2) for key in TOLD if abs(values[key] - 0.5) > 0.25} == {}


def test_a_guessed_id_confirms_no_key_of_a_row() -> None:
    for view in seen("grade, one by one"):
        hits = view.features[:, [view.names.index(name) for name in TOLD[:2]]]
        assert set(hits[:, 0]) == {0.0} and set(hits[:, 1]) == {-1.0}


def test_numbers_are_a_permutation_of_each_annotators_own() -> None:
    keys = (b"ann", b"ben")
    shown = [[shown_number(key, number) for number in range(3000)] for key in keys]
    assert all(len(set(numbers)) == 3000 and max(numbers) < 2**28 for numbers in shown)
    assert not set(zip(*shown, strict=True)) & {(number, number) for number in shown[0]}
    for key, numbers in zip(keys, shown, strict=True):
        assert [stored_number(key, number) for number in numbers] == list(range(3000))
    remainders = [sum(number % 3 == rest for number in shown[0][::3]) for rest in range(3)]
    assert min(remainders) > 250  # a third of a thousand each, whatever the place in the input
    assert stored_number(b"ann", -1) is stored_number(b"ann", 2**28) is None


def test_a_revision_is_read_in_its_own_cell_alone() -> None:
    tokens = {revision_token(b"key", cell, 17) for cell in ("one", "two")}
    assert len(tokens) == 2
    token = revision_token(b"key", "one", 17)
    assert token_revision(b"key", "one", token) == 17
    assert token_revision(b"key", "two", token) is token_revision(b"no", "one", token) is None
    assert token_revision(b"key", "one", f"{token[:-1]}{'0' if token[-1] != '0' else '1'}") is None
