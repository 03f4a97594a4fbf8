"""Studies as functions for worker processes: clusters and settings in, the JSON of the command out.

What only a worker needs is imported in its function: the server starts without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from newsdesk.types import Cluster

if TYPE_CHECKING:
    from newsdesk.summarizers.evaluate import Counted


def lengths(clusters: Sequence[Cluster], **settings: Any) -> dict[str, Any]:
    """The best length of a summary."""
    from newsdesk.studies.lengths import lengths_json, study_lengths

    return lengths_json(study_lengths(clusters, **settings))


def curve(clusters: Sequence[Cluster], methods: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Scores against the number of articles added."""
    from newsdesk.studies import curve as study

    return study.curve_json(study.curve(clusters, methods, **settings))


def table5(
    clusters: Sequence[Cluster],
    methods: Sequence[str],
    against: str | None,
    max_words: int,
    unit: Counted,
    seed: int,
    **settings: Any,
) -> dict[str, Any]:
    """Methods compared on the same clusters."""
    from newsdesk.studies import table5 as study
    from newsdesk.studies.table5_result import table5_json
    from newsdesk.summarizers.evaluate import configured

    limit: dict[str, Any] = {"max_words": max_words, "unit": unit, "seed": seed}
    summarizers = [configured(method, **limit) for method in methods]
    baseline = study.baseline_of(summarizers, against, **limit) if against else None
    evaluation = study.table5(clusters, summarizers, **limit, **settings)
    return table5_json(evaluation, baseline)
