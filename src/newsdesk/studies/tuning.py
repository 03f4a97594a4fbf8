"""Settings chosen on validation clusters, as in appendix A.2 of the WCEP paper.

Each ranked method's redundancy threshold is tried from 0 to 1 by 0.1, submodular's diversity from 1 to 10, on 100 clusters drawn by seed;
the setting of highest mean ROUGE-1 F is taken, the first of equals. Beside each setting stands by how much the best one is ahead of it,
with a paired interval: where that holds 0, the clusters cannot tell the two apart.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError, SpecError
from newsdesk.metrics.significance import Comparison
from newsdesk.pages.page import Section
from newsdesk.pages.plots import intervals, lines
from newsdesk.registry import SUMMARIZERS, Literal, Spec
from newsdesk.studies.files import score_json
from newsdesk.studies.sweep import Done, Job, drawn, run, scored, signed
from newsdesk.summarizers import Summarizer, summarizer
from newsdesk.types import Cluster, Score

LEAD = "Every setting of a grid tried on drawn clusters, and which is best."
Grid = Mapping[str, tuple[Literal, ...]]

# What is tried when nothing is said: the first of these settings that the method has.
GRIDS: Grid = {
    "diversity": tuple(range(1, 11)),
    "redundancy": tuple(tenths / 10 for tenths in range(11)),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting tried: its values, its score, and by how much the best setting is ahead of it."""

    spec: str
    values: tuple[Literal, ...]
    score: Score
    behind: Comparison


@dataclass(frozen=True, slots=True)
class Tuning:
    """Every setting in the order of the grid, and which is best."""

    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    best: int
    figure: str
    clusters: int
    signature: str

    @property
    def choice(self) -> Setting:
        """The setting of highest score, the first of equals."""
        return self.settings[self.best]

    @property
    def as_good(self) -> list[Setting]:
        """The settings, the best one apart, that these clusters cannot tell from it."""
        others = (each for place, each in enumerate(self.settings) if place != self.best)
        return [each for each in others if each.behind.low <= 0]


def grid_of(method: str) -> Grid:
    """The grid of a method for which none was named."""
    made = SUMMARIZERS.load(Spec.parse(method).name)
    fields = {field.name for field in dataclasses.fields(made)}
    for name, values in GRIDS.items():
        if name in fields:
            return {name: values}
    raise ArgumentError(f"{method} has neither {' nor '.join(GRIDS)}: name a grid to try")


def methods_of(method: str, grid: Grid, **settings: Literal) -> list[Summarizer]:
    """The method with every combination of the grid; its own spec says the rest."""
    spec = Spec.parse(method)
    if fixed := [name for name, _ in spec.arguments if name in grid]:
        raise SpecError(f"{method}: the grid tries `{fixed[0]}`, so the spec cannot fix it")
    made = [
        summarizer(method, **settings, **dict(zip(grid, values, strict=True)))
        for values in itertools.product(*grid.values())
    ]
    if len({str(each.spec) for each in made}) < len(made):
        raise ArgumentError("the grid holds a value twice")
    return made


def tune(
    clusters: Iterable[Cluster],
    method: str,
    *,
    grid: Grid | None = None,
    figure: str = "R1-F",
    sample: int | None = 100,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
    processes: int = 1,
    log: Path | None = None,
    progress: Callable[[Done], None] = lambda done: None,
) -> Tuning:
    """Try every setting of a grid on drawn clusters and choose the best."""
    grid = grid or grid_of(method)
    made = methods_of(method, grid, max_words=max_words, **_seeded(method, seed))
    chosen = drawn(clusters, sample, seed)
    signature = signed(
        "tune",
        chosen,
        seed,
        method=Spec.parse(method),
        grid=";".join(f"{name}={','.join(map(str, values))}" for name, values in grid.items()),
        figure=figure,
        max_words=max_words,
    )
    jobs = (Job(cluster.id, cluster, tuple(made)) for cluster in chosen)
    done = run(jobs, study=signature, log=log, processes=processes, progress=progress)
    found = scored(
        chosen,
        made,
        lambda cluster: done[cluster.id].texts,
        max_words=max_words,
        samples=samples,
        seed=seed,
    )
    specs = [str(each.spec) for each in made]
    scores = [found[spec].scores[figure] for spec in specs]
    best = max(range(len(scores)), key=lambda place: round(scores[place].value, 9))
    tried = itertools.product(*grid.values())
    settings = tuple(
        Setting(
            _spelled_out(one, dict(zip(grid, values, strict=True))),
            values,
            score,
            found.difference(specs[best], str(one.spec), figure),
        )
        for one, values, score in zip(made, tried, scores, strict=True)
    )
    return Tuning(tuple(grid), settings, best, figure, len(chosen), signature)


def tuning_json(tuning: Tuning) -> dict[str, Any]:
    """The study as it stands in files."""
    settings = [
        {
            "spec": each.spec,
            **dict(zip(tuning.names, each.values, strict=True)),
            "figure": tuning.figure,
            **score_json(each.score),
            "best_ahead_by": each.behind.difference,
            "best_ahead_ci": [each.behind.low, each.behind.high],
        }
        for each in tuning.settings
    ]
    best = tuning.choice
    return {
        "choice": best.spec,
        **dict(zip(tuning.names, best.values, strict=True)),
        "settings": settings,
        "as_good": [each.spec for each in tuning.as_good],
        "clusters": tuning.clusters,
        "signature": tuning.signature,
    }


def tuning_section(tuning: Tuning) -> Section:
    """The curve, the table and the choice."""
    section = Section(
        f"Tuning {Spec.parse(tuning.choice.spec).name}",
        f"{tuning.figure} of {len(tuning.settings)} settings on {tuning.clusters} clusters. Best: {tuning.choice.spec}.",
    )
    rows = [(each, each.score.ci or (each.score.value,) * 2) for each in tuning.settings]
    if len(tuning.names) == 1 and all(isinstance(each.values[0], int | float) for each, _ in rows):
        points = [(float(each.values[0]), each.score.value, *ends) for each, ends in rows]  # type: ignore[arg-type]
        picture = lines({tuning.names[0]: points}, tuning.names[0], tuning.figure)
    else:
        picture = intervals(
            [(each.spec, each.score.value, *ends) for each, ends in rows], tuning.figure
        )
    section.figure(picture, f"Mean {tuning.figure} with 95 % intervals over clusters.")
    section.table(
        ("setting", tuning.figure, "low", "high", "best is ahead by", "from", "to"),
        [
            (
                each.spec,
                each.score.value,
                *ends,
                each.behind.difference,
                each.behind.low,
                each.behind.high,
            )
            for each, ends in rows
        ],
        "Intervals by bootstrap over clusters; those of the lead are paired",
    )
    return section.code("\n".join([tuning.signature, tuning.choice.score.signature]))


def _spelled_out(method: Summarizer, values: Mapping[str, Literal]) -> str:
    """The method's spec with the values of the grid, even where one is the default."""
    others = {name: each for name, each in method.spec.arguments if name not in values}
    return str(Spec(method.name, tuple({**others, **values}.items())))


def _seeded(method: str, seed: int) -> dict[str, Literal]:
    return {"seed": seed} if summarizer(method).seeded else {}
