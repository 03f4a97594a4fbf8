"""Choose settings on validation clusters (Gholipour Ghalandari et al. 2020): a grid of them, or the length of a summary.

**Grid search** (A.2). The default grids are redundancy thresholds from 0 to 1 in steps of 0.1, or submodular's diversity from 1 to 10, on 100 clusters
sampled by seed; the setting of highest mean ROUGE-1 F is chosen, the first of equals. Each setting is reported with its difference to the best one
and a paired interval: where the interval holds 0, the difference is not significant.

**Length** (footnote 8). An oracle is forced to fill each length and scored at that length. The paper tried 25 to 50 words in steps of 5 and chose 40. A
longer summary always gains recall; F is highest where whole-sentence summaries are about as long as those of the editors.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from newsdesk.errors import ArgumentError, SpecError
from newsdesk.registry import SUMMARIZERS, Literal, Spec
from newsdesk.results.page import Section
from newsdesk.results.plots import intervals, lines
from newsdesk.results.scores import score_cell
from newsdesk.results.table import Cell, table, with_ends
from newsdesk.studies.sweep import Job, drawn, run, score_json, scored, signed
from newsdesk.summarizers import Summarizer, summarizer
from newsdesk.summarizers.evaluate import shown_name
from newsdesk.types import Cluster, Difference, Score
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, silent

LENGTHS = (25, 30, 35, 40, 45, 50)


@dataclass(frozen=True, slots=True)
class Length:
    """The oracle's scores at one length."""

    max_words: int
    spec: str
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Lengths:
    """The scores at every length, and the length of highest ROUGE-1 F, the first of equals."""

    LEAD: ClassVar[str] = (
        "How long an extract should be: what an oracle scores when it must fill each length."
    )

    lengths: tuple[Length, ...]
    best: Length
    clusters: int
    signature: str

    def text(self) -> str:
        """Return the study as a table for the terminal, with the best length."""
        rows: list[list[Cell]] = [
            [length.max_words, *map(score_cell, length.scores.values())] for length in self.lengths
        ]
        lines = [
            table(["words", *self.best.scores], rows),
            "",
            f"highest R1-F at {plural(self.best.max_words, 'word')}, {plural(self.clusters, 'cluster')}",
            self.signature,
        ]
        signatures = dict.fromkeys(score.signature for score in self.best.scores.values())
        return "\n".join([*lines, *signatures])

    def as_json(self) -> dict[str, Any]:
        """Return the study as a JSON object."""
        rows = [
            {
                "max_words": length.max_words,
                "spec": length.spec,
                "scores": {measure: score_json(score) for measure, score in length.scores.items()},
            }
            for length in self.lengths
        ]
        return {
            "best": self.best.max_words,
            "lengths": rows,
            "clusters": self.clusters,
            "signature": self.signature,
        }

    def section(self) -> Section:
        """Return the study as a section of a page: F and recall against length, and the table."""
        section = Section(
            "The best length",
            f"An oracle forced to fill each length, on {plural(self.clusters, 'cluster')}. Highest ROUGE-1 F at {plural(self.best.max_words, 'word')}.",
        )
        series = {
            measure: [
                (float(length.max_words), score.value, *(score.ci or (score.value, score.value)))
                for length in self.lengths
                for score in [length.scores[measure]]
            ]
            for measure in ("R1-F", "R1-R")
        }
        section.figure(
            lines(series, "words", "ROUGE-1"), "F and recall with 95 % intervals over clusters."
        )
        measures = tuple(self.best.scores)
        section.table(
            ("words", *measures),
            [
                (length.max_words, *(length.scores[measure].value for measure in measures))
                for length in self.lengths
            ],
        )
        return section.code(
            "\n".join(
                [
                    self.signature,
                    *dict.fromkeys(score.signature for score in self.best.scores.values()),
                ]
            )
        )


def study_lengths(
    clusters: Iterable[Cluster],
    *,
    oracle: str = "oracle-multi",
    lengths: Sequence[int] = LENGTHS,
    sample: int | None = None,
    samples: int = 10_000,
    seed: int = 0,
    processes: int = 1,
    log: Path | None = None,
    progress: OnProgress = silent,
) -> Lengths:
    """Force an oracle to fill each length and score its summaries there."""
    if oracle not in ("oracle-multi", "oracle-single"):
        raise ArgumentError(f"{oracle!r} cannot be forced; oracle-multi and oracle-single can")
    if not lengths or len(set(lengths)) < len(lengths):
        raise ArgumentError("the lengths are none, or one of them comes twice")
    methods = tuple(
        summarizer(oracle, max_words=length, early_stopping=False) for length in lengths
    )
    chosen = drawn(clusters, sample, seed)
    signature = signed("lengths", chosen, seed, oracle=oracle, words=",".join(map(str, lengths)))
    jobs = (Job(cluster.id, cluster, methods) for cluster in chosen)
    done = run(jobs, study=signature, log=log, processes=processes, progress=progress)
    scored_lengths = []
    for index, method in enumerate(methods):
        evaluation = scored(
            chosen,
            [method],
            lambda cluster, index=index: [done[cluster.id].texts[index]],  # type: ignore[misc]
            max_words=method.max_words,
            samples=samples,
            seed=seed,
        )
        (row,) = evaluation.rows
        scored_lengths.append(Length(method.max_words, str(method.spec), row.scores))
    best = max(scored_lengths, key=lambda length: round(length.scores["R1-F"].value, 9))
    return Lengths(tuple(scored_lengths), best, len(chosen), signature)


Grid = Mapping[str, tuple[Literal, ...]]

# The default grid: the first of these settings that the method has.
GRIDS: Grid = {
    "diversity": tuple(range(1, 11)),
    "redundancy": tuple(tenths / 10 for tenths in range(11)),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the grid: its values, its score, and the lead of the best setting over it."""

    spec: str
    values: tuple[Literal, ...]
    score: Score
    behind: Difference


@dataclass(frozen=True, slots=True)
class Tuning:
    """All settings in the order of the grid, and the index of the best one."""

    LEAD: ClassVar[str] = "Every setting of a grid tried on drawn clusters, and which is best."

    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    best: int
    measure: str
    clusters: int
    signature: str

    @property
    def choice(self) -> Setting:
        """The setting of highest score, the first of equals."""
        return self.settings[self.best]

    @property
    def as_good(self) -> list[Setting]:
        """The other settings whose difference to the best one is not significant on these clusters."""
        others = (setting for index, setting in enumerate(self.settings) if index != self.best)
        return [setting for setting in others if setting.behind.low <= 0]

    def text(self) -> str:
        """Return the study as a table for the terminal, with the choice."""
        header = [*self.names, self.measure, "best is ahead by"]
        rows = [
            [
                *map(str, setting.values),
                score_cell(setting.score),
                with_ends(setting.behind.difference, (setting.behind.low, setting.behind.high)),
            ]
            for setting in self.settings
        ]
        lines = [table(header, rows), "", f"best: {self.choice.spec}"]
        if self.as_good:
            lines.append(
                f"{plural(len(self.as_good), 'other setting')} cannot be told from it on {plural(self.clusters, 'cluster')}"
            )
        return "\n".join([*lines, self.signature, self.choice.score.signature])

    def as_json(self) -> dict[str, Any]:
        """Return the study as a JSON object."""
        settings = [
            {
                "spec": setting.spec,
                **dict(zip(self.names, setting.values, strict=True)),
                "measure": self.measure,
                **score_json(setting.score),
                "best_ahead_by": setting.behind.difference,
                "best_ahead_ci": [setting.behind.low, setting.behind.high],
            }
            for setting in self.settings
        ]
        best = self.choice
        return {
            "choice": best.spec,
            **dict(zip(self.names, best.values, strict=True)),
            "settings": settings,
            "as_good": [setting.spec for setting in self.as_good],
            "clusters": self.clusters,
            "signature": self.signature,
        }

    def section(self) -> Section:
        """Return the study as a section of a page: the plot, the table and the choice."""
        section = Section(
            f"Tuning {Spec.parse(self.choice.spec).name}",
            f"{self.measure} of {plural(len(self.settings), 'setting')} on {plural(self.clusters, 'cluster')}. Best: {self.choice.spec}.",
        )
        rows = [
            (setting, setting.score.ci or (setting.score.value,) * 2) for setting in self.settings
        ]
        points = [
            (float(setting.values[0]), setting.score.value, *ends)
            for setting, ends in rows
            if isinstance(setting.values[0], int | float)
        ]
        if len(self.names) == 1 and len(points) == len(rows):
            picture = lines({self.names[0]: points}, self.names[0], self.measure)
        else:
            picture = intervals(
                [(setting.spec, setting.score.value, *ends) for setting, ends in rows], self.measure
            )
        section.figure(picture, f"Mean {self.measure} with 95 % intervals over clusters.")
        section.table(
            ("setting", self.measure, "low", "high", "best is ahead by", "from", "to"),
            [
                (
                    shown_name(setting.spec),
                    setting.score.value,
                    *ends,
                    setting.behind.difference,
                    setting.behind.low,
                    setting.behind.high,
                )
                for setting, ends in rows
            ],
            "Intervals by bootstrap over clusters; those of the lead are paired",
        )
        return section.code("\n".join([self.signature, self.choice.score.signature]))


def grid_of(method: str | Summarizer) -> Grid:
    """Return the default grid of a method: the values to try of redundancy or of diversity."""
    kind = (
        type(method)
        if isinstance(method, Summarizer)
        else SUMMARIZERS.load(Spec.parse(method).name)
    )
    fields = {field.name for field in dataclasses.fields(kind)}
    for name, values in GRIDS.items():
        if name in fields:
            return {name: values}
    raise ArgumentError(f"{method} has neither {' nor '.join(GRIDS)}: name a grid to try")


def methods_of(method: str | Summarizer, grid: Grid, **settings: Literal) -> list[Summarizer]:
    """Return the method with every combination of the grid; `settings` are others of a method by name."""
    spec = method.spec if isinstance(method, Summarizer) else Spec.parse(method)
    if fixed := [name for name, _ in spec.arguments if name in grid]:
        raise SpecError(f"{method}: the grid tries `{fixed[0]}`, so the spec cannot fix it")
    tried = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if isinstance(method, Summarizer):
        summarizers = [method.with_settings(**values) for values in tried]
    else:
        summarizers = [summarizer(method, **settings, **values) for values in tried]
    if len({str(candidate.spec) for candidate in summarizers}) < len(summarizers):
        raise ArgumentError("the grid holds a value twice")
    return summarizers


def tune(
    clusters: Iterable[Cluster],
    method: str | Summarizer,
    *,
    grid: Grid | None = None,
    measure: str = "R1-F",
    sample: int | None = 100,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
    processes: int = 1,
    log: Path | None = None,
    progress: OnProgress = silent,
) -> Tuning:
    """Score every setting of a grid on sampled clusters and choose the best.

    A method that is named gets `max_words`, and `seed` if it uses random numbers; a summarizer has its own.
    """
    grid = grid or grid_of(method)
    if isinstance(method, Summarizer):
        max_words = method.max_words
        summarizers = methods_of(method, grid)
    else:
        summarizers = methods_of(method, grid, max_words=max_words, **_seeded(method, seed))
    chosen = drawn(clusters, sample, seed)
    signature = signed(
        "tune",
        chosen,
        seed,
        method=method.signature if isinstance(method, Summarizer) else SUMMARIZERS.resolve(method),
        grid=";".join(f"{name}={','.join(map(str, values))}" for name, values in grid.items()),
        measure=measure,
        max_words=max_words,
    )
    jobs = (Job(cluster.id, cluster, tuple(summarizers)) for cluster in chosen)
    done = run(jobs, study=signature, log=log, processes=processes, progress=progress)
    evaluation = scored(
        chosen,
        summarizers,
        lambda cluster: done[cluster.id].texts,
        max_words=max_words,
        samples=samples,
        seed=seed,
    )
    specs = [str(candidate.spec) for candidate in summarizers]
    scores = [evaluation[spec].scores[measure] for spec in specs]
    best = max(range(len(scores)), key=lambda index: round(scores[index].value, 9))
    tried = itertools.product(*grid.values())
    settings = tuple(
        Setting(
            _spelled_out(candidate, dict(zip(grid, values, strict=True))),
            values,
            score,
            behind=evaluation.difference(specs[best], str(candidate.spec), measure),
        )
        for candidate, values, score in zip(summarizers, tried, scores, strict=True)
    )
    return Tuning(tuple(grid), settings, best, measure, len(chosen), signature)


def _spelled_out(method: Summarizer, values: Mapping[str, Literal]) -> str:
    """Return the method's spec with the values of the grid, even where one is the default."""
    others = {name: value for name, value in method.spec.arguments if name not in values}
    return str(Spec(method.name, tuple({**others, **values}.items())))


def _seeded(method: str, seed: int) -> dict[str, Literal]:
    return {"seed": seed} if summarizer(method).seeded else {}
