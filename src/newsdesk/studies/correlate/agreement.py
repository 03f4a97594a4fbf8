"""The row "Human" of a study: the correlation of random halves of the judges with each other, at every level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from newsdesk.signatures import signature
from newsdesk.studies.correlate.coefficients import COEFFICIENTS, LEVELS, Coefficient, Level
from newsdesk.studies.correlate.halves import HUMAN, divided, only
from newsdesk.studies.correlate.intervals import bootstrap_error, fisher_ends, stepped_ends
from newsdesk.studies.correlate.study import Correlation, Part, Settings, Value, study_question
from newsdesk.studies.correlate.tables import HumanScores

DIVISIONS = 20


def human_rows(human: HumanScores, part: Part, settings: Settings) -> list[Correlation]:
    """The correlation of people with people on the outputs of a study: the mean over random halves; none where outputs have one judge.

    The bootstrap samples are shared out among the divisions, so intervals hold the chance of the division too. p is the median over
    divisions.
    """
    study = part.study
    rows, columns = np.nonzero(~np.isnan(study.human))
    used = {
        (study.items[row], study.systems[column])
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    }
    judged = only(human, used)
    if not judged.has_judges:
        return []
    share = max(100, settings.samples // DIVISIONS)
    parts = []
    for number in range(DIVISIONS):
        one, two = divided(judged, seed=settings.seed, number=number)
        parts.append(
            study_question(
                one, [two], replace(settings, samples=share, draw=number + 1, resample="items")
            )
        )
    signed = signature(HUMAN, {"halves": DIVISIONS, "seed": settings.seed}, settings.note)
    result = []
    for level in LEVELS:
        values = {name: _mean(parts, level, name) for name in COEFFICIENTS}
        n = parts[0].estimates[level, "spearman"][0].n
        if n and (level != "system" or n > 2):
            result.append(Correlation(HUMAN, human.question, level, values, n, signed))
    return result


def _mean(parts: list[Part], level: Level, coefficient: Coefficient) -> Value:
    estimates = [part.estimates[level, coefficient][0] for part in parts]
    values = np.array([estimate.value for estimate in estimates])
    if np.isnan(values).all():
        return Value(None, None, None)
    draws = np.concatenate([part.draws[level, coefficient][:, 0] for part in parts])
    mean = float(np.nanmean(values))
    items = len(parts[0].study.items)
    if level == "system" and coefficient != "pearson":
        ends = stepped_ends(mean, draws, items)
    else:
        ends = fisher_ends(mean, bootstrap_error(draws), items)
    return Value(mean, ends, float(np.nanmedian([e.p for e in estimates])))
