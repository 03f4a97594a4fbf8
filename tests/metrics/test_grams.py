"""Shared n-grams of a batch, against counters of tuples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.metrics import grams as grams_module
from newsdesk.metrics.grams import Matches, matches
from newsdesk.text import encode
from newsdesk.text.encode import Analyzer, Encoded
from tests.metrics.generated import generated

pytestmark = pytest.mark.usefixtures("both_ways")

SPACE = Analyzer("space", lower=False)
TEXT = st.lists(st.sampled_from("abc"), max_size=6).map(" ".join)
BATCH = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=4)


def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def check(batch: Encoded, n: int) -> None:
    found = matches(batch, SPACE, n)[-1]
    references = list(map(str, batch.references))
    words = batch.units(SPACE).words
    number = {word: place for place, word in enumerate(words)}
    rows = []
    groups: list[tuple[int, int]] = []
    for item, candidate in enumerate(map(str, batch.candidates)):
        counts = grams(candidate, n)
        for gram in sorted(counts, key=lambda gram: [number[word] for word in gram]):
            for r in np.flatnonzero(batch.item_of_reference == item).tolist():
                if count := grams(references[r], n)[gram]:
                    rows.append((len(groups), r, count))
            groups.append((item, counts[gram]))
    assert list(zip(found.group_item.tolist(), found.group_count.tolist(), strict=True)) == groups
    columns = (found.group, found.reference, found.in_reference)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == rows
    assert found.reference_totals.tolist() == [grams(text, n).total() for text in references]
    check_places(batch, found, n)


def check_places(batch: Encoded, found: Matches, n: int) -> None:
    """A group begins at the first of its n-grams."""
    candidates = batch.units(SPACE).candidates
    for item, place in zip(found.group_item.tolist(), found.group_place.tolist(), strict=True):
        start, end = candidates.offsets[item : item + 2].tolist()
        ids = candidates.ids[start:end].tolist()
        gram = ids[place - start : place - start + n]
        assert len(gram) == n
        assert all(ids[i : i + n] != gram for i in range(place - start))


@given(BATCH, st.integers(1, 5))
def test_groups_and_rows_are_those_of_counters(items: list[tuple[str, list[str]]], n: int) -> None:
    check(encode([one for one, _ in items], [many for _, many in items], lang="en"), n)


@pytest.mark.parametrize("n", [1, 3])
def test_blocks_of_items_match_as_the_whole_does(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grams_module, "_BLOCK_WORDS", 30)
    items = [*generated(60, seed=6), *generated(5, seed=7)]
    check(encode([i.candidate for i in items], [i.references for i in items], lang="en"), n)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_larger_batch_is_matched_as_counters_do(n: int) -> None:
    items = generated(400, seed=5)
    check(encode([i.candidate for i in items], [i.references for i in items], lang="en"), n)
