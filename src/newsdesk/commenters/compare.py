"""Comparison of commenters on held-out articles: the table of Qin et al. 2018 (supplement, Table 4) for any corpus of threads.

Articles are split at random into training, dev and test ones, or come so divided in files. Each commenter is fitted and its first suggestion for every test article is scored against that article's comments, plain and weighted by their scores, with intervals and
paired tests; grades that people gave to the suggestions stand beside. One comment of each test article is set aside, unseen by systems and metrics: the real comment of a blinded grading. With a folder, outputs are stored per system,
so that a comparison that was stopped resumes, and the files for a `grade` campaign are written beside them.

Grades that people gave to suggestions: mean grades with intervals, and paired tests between systems.

The unit is the article: a system's value is the mean of its grades there. Real comments of a blinded grading, whose targets begin with `real:`, are one system, `real`. Two systems are compared on the articles where both
were graded, by the paired bootstrap; p-values are corrected together.
"""

from __future__ import annotations

import dataclasses
import itertools
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk import __version__, records
from newsdesk.arrays import Floats
from newsdesk.commenters.commenter import Commenter, Rater, commenter
from newsdesk.commenters.split import REAL, Split
from newsdesk.commenters.texts import CommentReferences, references_of
from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line, json_value
from newsdesk.metrics.systems import (
    SystemComparison,
    SystemScores,
    compare_systems,
    join,
    pairing_notes,
    score_systems,
    with_partners,
)
from newsdesk.metrics.weights import Weighting
from newsdesk.registry import COMMENTERS, Spec
from newsdesk.results.scores import score_rows
from newsdesk.signatures import file_name, signature
from newsdesk.stats.significance import corrected, interval, paired_bootstrap
from newsdesk.types import Judgment, Output
from newsdesk.work.progress import OnProgress

_NO_REAL = "every comment of the test threads is a reference: none is set aside as the real one of a grading"
HUMAN, SIMULATED = "human", "simulated"  # who gave the grades
_QUESTION = "grade"

Grades = Mapping[str, Mapping[str, float]]  # system → article → mean grade


@dataclass(frozen=True, slots=True)
class Graded:
    """The mean grade that people gave a system, with its interval, over so many articles."""

    system: str
    mean: float
    ci: tuple[float, float]
    n: int


def mean_grades(judgments: Iterable[Judgment], articles: Collection[str]) -> Grades:
    """Return the mean grade of each system under each of these articles.

    An error if there are judgments and none of them is a grade there.
    """
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    any_judgments = False
    for judgment in judgments:
        any_judgments = True
        is_grade = (
            judgment.question == _QUESTION and not judgment.withdrawn and not judgment.control
        )
        if is_grade and judgment.item in articles:
            system = REAL if judgment.target.startswith(f"{REAL}:") else judgment.target
            values[system][judgment.item].append(float(judgment.value))
    if any_judgments and not values:
        raise ArgumentError(
            "none of the judgments grades an output for these articles; "
            "compare with the threads, the shares and the --seed of the grading"
        )
    return {
        system: {item: float(np.mean(grades)) for item, grades in sorted(by_item.items())}
        for system, by_item in values.items()
    }


def graded(grades: Grades, *, samples: int, seed: int) -> list[Graded]:
    """Return the mean grade of each system with its interval over articles."""
    rows = []
    for system, by_article in grades.items():
        statistics = _statistics(by_article, by_article)
        ends = interval(statistics, _mean, samples=samples, seed=seed)
        mean = float(statistics[:, 0].mean())
        rows.append(Graded(system, mean, (ends.low, ends.high), len(by_article)))
    return rows


def grade_tests(
    grades: Grades, *, graders: str = HUMAN, samples: int, seed: int
) -> list[SystemComparison]:
    """Compare every two systems, on the articles where both were graded; `graders` names the metric."""
    tests: list[SystemComparison] = []
    for first, second in itertools.combinations(grades, 2):
        shared = sorted(grades[first].keys() & grades[second].keys())
        if not shared:
            continue
        ours, theirs = _statistics(grades[first], shared), _statistics(grades[second], shared)
        result = paired_bootstrap(ours, theirs, _mean, samples=samples, seed=seed)
        # The second p is replaced by the corrected one, the signature by one that counts the tests.
        difference = first, second, result.estimate, result.p, result.p
        tests.append(SystemComparison(*difference, metric=graders, signature=""))
    facts = {"test": f"bootstrap[samples={samples},seed={seed}]", "correction": f"holm[{len(tests)}]"}  # fmt: skip
    signed = signature(graders, facts)
    return [dataclasses.replace(test, signature=signed) for test in corrected(tests)]


def _statistics(grades: Mapping[str, float], articles: Iterable[str]) -> Floats:
    return np.array([[grades[article], 1.0] for article in articles])  # articles × (grade, count)


def _mean(sums: Floats) -> Floats:
    """Return the mean grade of summed statistics (… × (grade, count))."""
    return sums[..., 0] / sums[..., 1]


_log = logging.getLogger(__name__)

METRICS = with_partners(["w-meteor", "w-rouge-l", "w-cider", "w-bleu-1"])
Judge = Callable[[Iterable[Output]], Iterable[Judgment]]
SYSTEMS = ("ir-t", "ir-tc", "seq2seq", "att", "att-tc")


@dataclass(frozen=True, slots=True)
class CommenterComparison:
    """Scores, tests and grades of all systems.

    With who gave the grades, the share of generic suggestions, and the signature of each model.
    """

    scores: tuple[SystemScores, ...]
    tests: tuple[SystemComparison, ...]
    grades: tuple[Graded, ...]
    generic: Mapping[str, float]  # system → share
    models: Mapping[str, str]  # system → signature
    graders: str = HUMAN

    def as_json(self) -> dict[str, Any]:
        """Return rows of scores, tests, grades and systems."""
        return {
            "scores": list(score_rows(self.scores)),
            "comparisons": [test.as_json() for test in self.tests],
            "grades": [
                {"system": row.system, "mean": row.mean, "ci": list(row.ci), "n": row.n, "graders": self.graders}
                for row in self.grades
            ],
            "systems": [
                {"system": name, "generic": self.generic[name], "signature": signature}
                for name, signature in self.models.items()
            ],
        }  # fmt: skip


def compare(
    split: Split,
    specs: Sequence[str] = SYSTEMS,
    metrics: Sequence[str] = METRICS,
    *,
    judgments: Iterable[Judgment] = (),
    judge: Judge | None = None,
    weighting: Weighting | None = None,
    ranker: Rater | None = None,
    folder: Path | None = None,
    overwrite: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    progress: OnProgress | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> CommenterComparison:
    """Fit every commenter, suggest, score and test; outputs in the folder are not computed again.

    With `overwrite` they are. The ranker rates comments for the commenters that use one.

    Weights of references are the comments' scores if those lie between 0 and 1; any other scale needs a `weighting`.
    Grades are the `judgments` that people gave. A `judge`, the simulated people of the threads' world, replaces them: it grades the outputs and the real comments.
    """
    articles = {article.id for article in split.articles}
    grades = mean_grades(judgments, articles)
    references = references_of(split.test, weighting)  # refuses a scale before anything is fitted
    none_real = (_NO_REAL,) if folder is not None and not split.real else ()
    for note in (*references.notes, *none_real, *pairing_notes(metrics)):
        tell(f"note: {note}")
    unfitted = {str(COMMENTERS.resolve(spec)): commenter(spec) for spec in specs}
    for model in unfitted.values():
        if ranker is not None and model.takes_ranker:
            model.with_ranker(ranker)
    rated_by = f":{ranker.name}" if ranker is not None else ""
    outputs: list[Output] = []
    signatures: dict[str, str] = {}  # by the name of the commenter
    for name, model in unfitted.items():
        # What outputs in the folder must have been made from, to be used again.
        key = f"{split.digest}:{name}{rated_by if model.takes_ranker else ''}"
        suggested, signatures[name] = _outputs(name, model, split, key, folder, overwrite, progress)
        tell(f"{name}: {signatures[name]}")
        outputs += suggested
    if folder is not None:
        _write_for_grading(folder, split, references)
    scored = references.answered(outputs)
    systems = join(scored, references.references, weighting=references.weighting)
    tests = (
        compare_systems(systems, metrics, samples=samples, seed=seed) if len(systems) > 1 else []
    )
    graders = HUMAN
    if judge is not None:
        graders = SIMULATED
        simulated = judge([*outputs, *split.real_outputs])
        grades = mean_grades(simulated, articles)
    return CommenterComparison(
        scores=tuple(score_systems(systems, metrics, samples=samples, seed=seed)),
        tests=(*tests, *grade_tests(grades, graders=graders, samples=samples, seed=seed)),
        grades=tuple(graded(grades, samples=samples, seed=seed)),
        generic={
            name: generic_share(output.text for output in outputs if output.system == name)
            for name in signatures
        },
        models=signatures,
        graders=graders,
    )


def generic_share(texts: Iterable[str], *, articles: int = 2) -> float:
    """Return the share of suggestions whose text was suggested for at least so many articles.

    >>> generic_share(["Nice!", "Nice!", "The dam was warned of.", "Pay teachers."])
    0.5
    """
    counts = Counter(" ".join(text.lower().split()) for text in texts)
    return sum(n for n in counts.values() if n >= articles) / max(counts.total(), 1)


def _outputs(
    name: str, model: Commenter, split: Split, key: str, folder: Path | None, overwrite: bool, progress: OnProgress | None
) -> tuple[list[Output], str]:  # fmt: skip
    """Return a commenter's first suggestion for every test article, and its signature.

    They are read from the folder, if it has them and they were made from the same `key`. Otherwise the commenter is fitted, and it and its outputs are saved there.
    """
    digest = f"{__version__}:{key}"
    path = folder / file_name(Spec.parse(name)) if folder is not None else None
    if path is not None and not overwrite and (path / "done.json").exists():
        header = json_value((path / "done.json").read_text("utf-8"))
        if header["digest"] != digest:
            raise FileError(
                f"{path}: made from other threads or another version; add --force, or name another folder"
            )
        return list(records.read(path / "outputs.jsonl", Output)), header["signature"]
    if path is not None:
        make_folder(path)
        (path / "done.json").unlink(missing_ok=True)
    checkpoints = None if path is None else path / "checkpoints"
    model.fit(split.train, split.dev or None, progress, checkpoints=checkpoints)
    if path is not None:
        model.save(path)
    outputs = []
    for article in split.articles:
        suggestions = model.suggest(article, 1)
        outputs.append(Output(article.id, name, suggestions[0].text if suggestions else ""))
    if path is not None:
        records.write(path / "outputs.jsonl", outputs, overwrite=True)
        with atomic(path / "done.json") as opened:
            opened.write(json_line({"digest": digest, "signature": model.signature}))
    return outputs, model.signature


def _write_for_grading(folder: Path, split: Split, references: CommentReferences) -> None:
    """Write what a blinded grading of the outputs needs beside them."""
    records.write(folder / "articles.jsonl", split.articles, overwrite=True)
    records.write(folder / "references.jsonl", references.references, overwrite=True)
    if split.real:
        records.write(folder / "real.jsonl", split.real, overwrite=True)
