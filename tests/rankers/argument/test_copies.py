"""Copies and near-copies of a comment in its thread do not lift each other, nor anybody else."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.arrays import Ints
from newsdesk.rankers.argument.counts import NEIGHBOURS, columns
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.repetition import are_copies, copy_groups
from newsdesk.types import Thread


def groups_of(sets: list[list[int]]) -> list[int]:
    starts = np.cumsum([0, *map(len, sets)])
    terms = np.array([term for each in sets for term in sorted(each)], dtype=np.int64)
    hashes: Ints = np.random.default_rng(0).integers(-(2**63), 2**63, 1000)
    return copy_groups(terms, starts, hashes).tolist()


def test_copies_share_most_terms_and_are_of_similar_size() -> None:
    ten = np.arange(10)
    assert are_copies(ten, ten)
    assert are_copies(ten, np.append(ten[:8], [20, 21]))
    assert not are_copies(ten, np.append(ten[:7], [20, 21, 22]))
    assert not are_copies(ten, np.arange(17))


def test_copies_are_one_group_wherever_they_stand() -> None:
    first, second = list(range(30)), list(range(100, 130))
    near = [*range(28), 500]
    assert groups_of([first, second, first, near, list(range(200, 215))]) == [0, 1, 0, 0, 2]
    assert groups_of([[], [1], []]) == [0, 1, 0]
    assert groups_of([]) == []


@pytest.mark.parametrize("place", [0, 7, 20])
def test_copies_of_a_comment_change_no_score(model: Argument, place: int) -> None:
    thread = samples.threads()[10]
    copies = tuple(
        dataclasses.replace(thread.comments[place], id=f"copy {number}") for number in range(5)
    )
    before = model.scores(thread)
    after = model.scores(Thread(thread.article, (*thread.comments, *copies)))
    np.testing.assert_array_equal(after[:-5], before)
    whole = model.with_settings(length=1.0)
    after = whole.scores(Thread(thread.article, (*copies[:2], *thread.comments, *copies[2:])))
    np.testing.assert_array_equal(after[2:-3], whole.scores(thread))
    assert set(after[[0, 1, -3, -2, -1]].tolist()) == {after[place + 2]}


def test_a_copy_of_the_best_comment_is_not_among_the_best(model: Argument) -> None:
    thread = samples.threads()[10]
    best = model.rank(thread)[0].comment
    copied = dataclasses.replace(best, id="copy")
    ranked = model.rank(Thread(thread.article, (*thread.comments, copied)))
    assert ranked[0].comment == best
    assert [each.comment.id for each in ranked].index("copy") > len(ranked) / 2


def test_near_copies_of_a_comment_change_its_score_hardly(model: Argument) -> None:
    thread = samples.threads()[10]
    before = model.scores(thread)
    changes = []
    for place in [n for n, each in enumerate(thread.comments) if len(each.text) > 80][:8]:
        words = thread.comments[place].text.split()
        near = [" ".join(words[:-1]), " ".join([*words, "indeed"]), " ".join(["Well,", *words])]
        copies = [
            dataclasses.replace(thread.comments[place], id=f"near {number}", text=text)
            for number, text in enumerate(near)
        ]
        after = model.scores(Thread(thread.article, (*thread.comments, *copies)))
        changes.append(abs(after[place] - before[place]))
    assert np.mean(changes) <= 0.02


def test_a_comment_with_one_other_beside_it_has_that_one_for_all_its_neighbours(
    model: Argument,
) -> None:
    host = samples.threads()[10]
    rows = model.features_.of_thread(Thread(host.article, host.comments[:2])).rows
    names = [column.name for column in columns()]
    near = rows[:, [names.index(name) for name in NEIGHBOURS[:3]]]  # comments × neighbours
    np.testing.assert_allclose(near, near[:, :1] * np.ones(3), rtol=1e-6)
    assert np.abs(near).min() > 0.01
