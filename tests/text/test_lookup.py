"""Groups and look-ups of 64-bit keys, against dictionaries."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.text.lookup import GroupedKeys, find


@pytest.mark.parametrize("highest", [3, 2**20, 2**63])  # with 2^63 no place fits beside a key
def test_groups_are_those_of_a_dictionary(highest: int) -> None:
    rng = np.random.default_rng(0)
    distinct = rng.integers(0, highest, 700, dtype=np.uint64)
    keys = distinct[rng.integers(0, 700, 2_000)]
    grouped = GroupedKeys.of(keys)
    assert grouped.keys.tolist() == sorted(set(keys.tolist()))
    assert (grouped.keys[grouped.group_of] == keys).all()
    listed = keys.tolist()
    assert grouped.first.tolist() == [listed.index(key) for key in grouped.keys.tolist()]
    assert grouped.counts.tolist() == [listed.count(key) for key in grouped.keys.tolist()]


@pytest.mark.parametrize("count", [0, 1, 5_000])
def test_keys_are_found_where_they_stand_and_no_others(count: int) -> None:
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 40_000, count, dtype=np.uint64))
    sought = rng.integers(0, 40_000, 9_000, dtype=np.uint64)
    hits, places = find(keys, sought)
    known = {key: place for place, key in enumerate(keys.tolist())}
    expected = [(i, known[key]) for i, key in enumerate(sought.tolist()) if key in known]
    assert list(zip(hits.tolist(), places.tolist(), strict=True)) == expected


def test_no_keys_have_no_groups() -> None:
    grouped = GroupedKeys.of(np.empty(0, dtype=np.uint64))
    assert len(grouped.keys) == len(grouped.first) == len(grouped.group_of) == 0
