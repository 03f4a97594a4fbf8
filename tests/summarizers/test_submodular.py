"""Lazy greed is plain greed, whatever groups k-means finds: bounds only spare work."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk import samples
from newsdesk.summarizers import prepare, unsupervised
from newsdesk.summarizers.unsupervised import Submodular
from newsdesk.types import Cluster
from tests.summarizers import plain
from tests.summarizers.examples import CLUSTERS


@given(CLUSTERS, st.integers(7, 90), st.integers(0, 10), st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_any_groups_give_the_plain_greedy_choice(
    cluster: Cluster, max_words: int, diversity: int, rng: object
) -> None:
    found = plain.distinct(plain.cut(cluster))
    most = max(len(found) // 2, 1)
    groups = [rng.randrange(most) for _ in found]  # type: ignore[attr-defined]
    method = Submodular(max_words=max_words, diversity=float(diversity))
    # One gain at a time: a block as large as these clusters would compute every gain and trust no bound.
    with (
        patch.object(unsupervised, "kmeans", lambda *_: np.array(groups)),
        patch.object(unsupervised, "_GAINS_AT_ONCE", 1),
    ):
        chosen = [each.text for each in method.summarize(prepare(cluster)).sentences]
    expected = plain.submodular(found, groups, max_words, w=float(diversity)) if found else []
    assert chosen == expected


def test_bounds_never_hide_the_best_sentence() -> None:
    with patch.object(unsupervised, "_GAINS_AT_ONCE", 1):
        for cluster in samples.clusters():
            prepared = prepare(cluster)
            left = np.arange(len(prepared.distinct))
            lazy, full = (Submodular().objective(prepared, left) for _ in range(2))
            for _ in range(6):
                gains = np.round(full.gains(left), 9)
                best = int(left[np.argmax(gains)])
                assert lazy.best(left) == pytest.approx((best, gains.max()), abs=2e-9)
                lazy.take(best)
                full.take(best)
                left = left[left != best]


def test_groups_are_those_of_the_method_s_own_stream() -> None:
    cluster = Cluster("c", ())
    one, other = Submodular(seed=1), Submodular(seed=2)
    prepared = prepare(cluster)
    drawn = [method.rng(prepared, method.seed).integers(2**31) for method in (one, one, other)]
    assert drawn[0] == drawn[1] != drawn[2]
