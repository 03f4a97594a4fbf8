"""The chapter of metrics against people says which intervals to believe."""

from __future__ import annotations

from typing import Any

import pytest

from newsdesk.results.correlations import correlations_chapter


def content(systems: int) -> dict[str, Any]:
    """Correlations of one metric over so many systems, as `study correlate --json` prints them."""
    value = {"value": 0.5, "ci": [0.1, 0.8], "p": 0.02}
    row = {
        "metric": "rouge-1", "human": "overall", "level": "system", "n": systems, "signature": "s",
        "pearson": value, "spearman": value, "kendall": value, "kendall_c": value,
    }  # fmt: skip
    return {"correlations": [row], "tests": []}


@pytest.mark.parametrize(
    "systems, sentence", [(4, "too wide rather than too narrow"), (16, "a little too narrow")]
)
def test_intervals_of_rank_correlations_over_systems_have_a_caution(
    systems: int, sentence: str
) -> None:
    page = correlations_chapter(content(systems)).section.inner(exports=False)
    assert sentence in page
    assert "believe that of Pearson" in page
