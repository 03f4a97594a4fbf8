"""The best length of a summary (Gholipour Ghalandari et al. 2020, footnote 8): an oracle forced to fill each length, scored at that length.

The paper tried 25 to 50 words in steps of 5 and chose 40. A longer summary always gains recall; F is highest where whole-sentence
summaries are about as long as those of the editors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError
from newsdesk.results.page import Section
from newsdesk.results.plots import lines
from newsdesk.studies.files import score_json
from newsdesk.studies.sweep import Job, drawn, run, scored, signed
from newsdesk.summarizers import summarizer
from newsdesk.types import Cluster, Score
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, silent

LEAD = "How long an extract should be: what an oracle scores when it must fill each length."
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

    lengths: tuple[Length, ...]
    best: Length
    clusters: int
    signature: str


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
    for place, one in enumerate(methods):
        table = scored(
            chosen,
            [one],
            lambda cluster, place=place: [done[cluster.id].texts[place]],  # type: ignore[misc]
            max_words=one.max_words,
            samples=samples,
            seed=seed,
        )
        scored_lengths.append(Length(one.max_words, str(one.spec), table.rows[0].scores))
    best = max(scored_lengths, key=lambda each: round(each.scores["R1-F"].value, 9))
    return Lengths(tuple(scored_lengths), best, len(chosen), signature)


def lengths_json(study: Lengths) -> dict[str, Any]:
    """Return the study as a JSON object."""
    rows = [
        {
            "max_words": length.max_words,
            "spec": length.spec,
            "scores": {measure: score_json(score) for measure, score in length.scores.items()},
        }
        for length in study.lengths
    ]
    return {
        "best": study.best.max_words,
        "lengths": rows,
        "clusters": study.clusters,
        "signature": study.signature,
    }


def lengths_section(study: Lengths) -> Section:
    """Return the study as a section of a page: F and recall against length, and the table."""
    section = Section(
        "The best length",
        f"An oracle forced to fill each length, on {plural(study.clusters, 'cluster')}. Highest ROUGE-1 F at {plural(study.best.max_words, 'word')}.",
    )
    series = {
        measure: [
            (float(length.max_words), score.value, *(score.ci or (score.value, score.value)))
            for length in study.lengths
            for score in [length.scores[measure]]
        ]
        for measure in ("R1-F", "R1-R")
    }
    section.figure(
        lines(series, "words", "ROUGE-1"), "F and recall with 95 % intervals over clusters."
    )
    measures = tuple(study.best.scores)
    section.table(
        ("words", *measures),
        [
            (length.max_words, *(length.scores[measure].value for measure in measures))
            for length in study.lengths
        ],
    )
    return section.code(
        "\n".join(
            [study.signature, *dict.fromkeys(s.signature for s in study.best.scores.values())]
        )
    )
