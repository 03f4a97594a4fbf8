"""Table 5 with settings tuned on 100 validation clusters, as in Gholipour Ghalandari et al. (2020, A.2), on the shared WCEP clusters: `python -m research.tuned5`.

The clusters are split by sha256 of their ids: 100 for validation, half of the others to train, half to test. `tsr` and `bertreg` are fitted on the training clusters with each target
(F, precision, recall of a sentence's ROUGE-1); redundancy from 0 to 1, or diversity from 1 to 10, is chosen by R1-F on the validation clusters; the table is of the test clusters.
For `expected-rouge` the share of the limit that a summary is expected to fill is chosen, which is no setting of the paper. Nothing is printed as a pass: the table shows what tuning brings.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench._data import ABSENT, SHARED, wcep_clusters
from newsdesk.studies.table5 import table5
from newsdesk.studies.tuning import Grid, grid_of, tune
from newsdesk.summarizers import SummaryEvaluation, summarizer
from newsdesk.summarizers.trained import Cache, TrainedSummarizer
from newsdesk.types import Cluster

VALIDATION = 100
PLAIN = ("random-lead", "lead-interleaved", "lexrank", "mmr", "kl")
TUNED = ("textrank", "centroid", "submodular")
TARGETS = ("f", "p", "r")
SHARES: Grid = {"summary_share": (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0)}
MEASURES = ("R1-F", "R2-F", "RL-F", "R1-R", "R2-R", "RL-R")


def split(clusters: Sequence[Cluster]) -> tuple[list[Cluster], list[Cluster], list[Cluster]]:
    """Validation, training and test clusters."""
    ordered = sorted(
        clusters, key=lambda each: hashlib.sha256(f"tuned {each.id}".encode()).digest()
    )
    half = (len(ordered) - VALIDATION) // 2
    return ordered[:VALIDATION], ordered[VALIDATION:][:half], ordered[VALIDATION:][half:]


def fitted(train: Sequence[Cluster], folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the spec of each trained method with each target, fitted and saved."""
    cache = Cache()
    for name in ("tsr", "bertreg"):
        for target in TARGETS:
            method = summarizer(f"{name}(encoder='wordllama', target={target!r})")
            assert isinstance(method, TrainedSummarizer)
            path = folder / f"{name}-{target}"
            method.fit(train, cache=cache).save(path)
            yield f"{name}, target {target.upper()}", f"{name}(model={str(path)!r})"


def chosen(validation: Sequence[Cluster], spec: str) -> tuple[str, str]:
    """The spec with the best setting on the validation clusters, and a word on that setting."""
    grid = SHARES if spec == "expected-rouge" else grid_of(spec)
    tuning = tune(validation, spec, grid=grid, sample=None, samples=1_000)
    ((name, value),) = zip(tuning.names, tuning.choice.values, strict=True)
    others = len(tuning.settings) - 1
    said = f"{name} {value:g}, {tuning.choice.score.value:.3f} there; {len(tuning.as_good)} of {others} others not significantly worse"
    return tuning.choice.spec, said


def printed(evaluation: SummaryEvaluation, names: Sequence[str], said: Sequence[str]) -> None:
    """Print the table: one row a method."""
    print(f"| method | {' | '.join(MEASURES)} | chosen on the validation clusters |")
    print(f"|---|{'---|' * len(MEASURES)}---|")
    for name, row, choice in zip(names, evaluation.rows, said, strict=True):
        cells = [f"{row.scores[each].value:.3f}".lstrip("0") for each in MEASURES]
        low, high = row.scores["R1-F"].ci or (0.0, 0.0)
        cells[0] += f" [{low:.3f}, {high:.3f}]".replace("0.", ".")
        print(f"| {name} | {' | '.join(cells)} | {choice} |")


def main() -> None:
    if not SHARED.is_dir():
        print(ABSENT)
        return
    validation, train, test = split(wcep_clusters())
    print(f"{len(validation)} validation, {len(train)} training, {len(test)} test clusters\n")
    with tempfile.TemporaryDirectory() as folder:
        rows = [(name, name, "") for name in PLAIN]
        specs = [(name, name) for name in (*TUNED, "expected-rouge")]
        for name, spec in [*specs, *fitted(train, Path(folder))]:
            tuned, said = chosen(validation, spec)
            default = str(summarizer(tuned, max_words=40).spec) == str(
                summarizer(spec, max_words=40).spec
            )
            if not default:
                rows.append((f"{name}, default", spec, ""))
            rows.append((f"{name}, tuned", tuned, said))
        rows.append(("oracle-multi", "oracle-multi", ""))
        names, methods, choices = map(list, zip(*rows, strict=True))
        printed(table5(test, methods, unit="words"), names, choices)


if __name__ == "__main__":
    main()
