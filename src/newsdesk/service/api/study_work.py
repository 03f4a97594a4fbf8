"""Studies as functions for worker processes: clusters and settings in, the JSON of the command out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from newsdesk.studies.curve import curve as run_curve, curve_json
from newsdesk.studies.lengths import lengths_json, study_lengths
from newsdesk.studies.table5 import baseline_of, table5 as run_table5
from newsdesk.studies.table5_formats import table5_json
from newsdesk.summarizers.evaluate import configured
from newsdesk.types import Cluster


def lengths(clusters: Sequence[Cluster], **settings: Any) -> dict[str, Any]:
    """The best length of a summary."""
    return lengths_json(study_lengths(clusters, **settings))


def curve(clusters: Sequence[Cluster], methods: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Scores against the number of articles added."""
    return curve_json(run_curve(clusters, methods, **settings))


def table5(
    clusters: Sequence[Cluster],
    methods: Sequence[str],
    against: str | None,
    max_words: int,
    seed: int,
    **settings: Any,
) -> dict[str, Any]:
    """Methods compared on the same clusters."""
    summarizers = [configured(each, max_words, seed) for each in methods]
    baseline = (
        baseline_of(summarizers, against, max_words=max_words, seed=seed) if against else None
    )
    evaluation = run_table5(clusters, summarizers, max_words=max_words, seed=seed, **settings)
    return table5_json(evaluation, baseline)
