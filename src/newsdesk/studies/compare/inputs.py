"""A comparison of systems from files: the inputs of studies, with the rankings of a campaign where people ranked."""

from __future__ import annotations

from newsdesk.studies.compare.ranks import rankings_of_judgments
from newsdesk.studies.compare.systems import Settings, SystemStudy, compare
from newsdesk.studies.correlate.inputs import CorrelateInputs
from newsdesk.work.progress import OnProgress, silent


def compare_inputs(
    inputs: CorrelateInputs,
    settings: Settings,
    progress: OnProgress = silent,
) -> SystemStudy:
    """Compare the systems of what `read_inputs` read with score=False."""
    questions = [each.question for each in inputs.human]
    rankings = [
        rankings_of_judgments(question, inputs.judgments)
        for question in questions
        if inputs.judgments
    ]
    return compare(
        inputs.systems,
        inputs.specs,
        human=inputs.human,
        values=inputs.metrics,
        rankings=rankings,
        settings=settings,
        progress=progress,
    )
