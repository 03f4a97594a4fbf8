"""Studies that run long: sampled clusters summarized in parallel, a log to resume from, and the files of the result.

A study consists of jobs; a job is one cluster and the methods that summarize it. The log has a first line with the signature of the study, then
one line per finished job, under the job's key. Results are in the order of the jobs, whatever the number of processes. When the result as JSON and
its page with a plot are written (`StudyFiles`), the log goes.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, Protocol

from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import reason, write_text
from newsdesk.jsonl import json_line, json_value
from newsdesk.registry import require
from newsdesk.results.page import Section, page
from newsdesk.signatures import signature
from newsdesk.summarizers import Summarizer, SummaryEvaluation, evaluate_outputs, prepare
from newsdesk.summarizers.prepare import check_languages
from newsdesk.types import Cluster, Output, Reference, References, Score
from newsdesk.work import OnProgress, map_items, silent
from newsdesk.work.progress import counting


class SweepResult(Protocol):
    """The result of a study: JSON, a table for the terminal, and a section of a page below its lead."""

    LEAD: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        ...

    def text(self) -> str:
        """Return the result as a table for the terminal."""
        ...

    def section(self) -> Section:
        """Return the result as a section of a page."""
        ...


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Where a study is written: `out` as JSON, a page beside it, and until then a log."""

    out: Path

    @property
    def page(self) -> Path:
        """The HTML page with the plot."""
        return self.out.with_suffix(".html")

    @property
    def log(self) -> Path:
        """The log of finished jobs, from which an unfinished study resumes."""
        return self.out.with_suffix(".log.jsonl")

    def write(self, result: SweepResult) -> None:
        """Write the result and the page, then remove the log."""
        section = result.section()
        write_text(self.page, page(section.title, result.LEAD, [section]))
        write_text(self.out, json.dumps(result.as_json(), ensure_ascii=False, indent=1) + "\n")
        self.log.unlink(missing_ok=True)


def study_files(out: str | os.PathLike[str], *, restart: bool = False) -> StudyFiles:
    """Return the files of a study about to start; with `restart` the log of an unfinished one is removed.

    A missing plotting package is reported here, not after the work.
    """
    require("matplotlib", extra="report", what="drawing a picture")
    files = StudyFiles(Path(out))
    if restart:
        files.log.unlink(missing_ok=True)
    return files


def score_json(score: Score) -> dict[str, Any]:
    """Return a score as a JSON object: value, interval, n and signature."""
    return {
        "value": score.value,
        "ci": list(score.ci) if score.ci else None,
        "n": score.n,
        "signature": score.signature,
    }


@dataclass(frozen=True, slots=True)
class Job:
    """A cluster and the methods that summarize it; `key` is unique in the study."""

    key: str
    cluster: Cluster
    methods: tuple[Summarizer, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a job: one summary per method."""

    key: str
    texts: tuple[str, ...]


def drawn(clusters: Iterable[Cluster], count: int | None, seed: int) -> list[Cluster]:
    """Return a random sample of `count` clusters, in input order; None takes all of them.

    Membership depends only on the seed and the ids.
    """

    def lot(numbered: tuple[int, Cluster]) -> bytes:
        _, cluster = numbered
        return hashlib.sha256(f"study\0{seed}\0{cluster.id}".encode()).digest()

    if seed < 0:
        raise ArgumentError(f"the seed is {seed}, below zero")
    numbered = enumerate(_with_summary(clusters))
    if count is None:
        return [cluster for _, cluster in numbered]
    if count < 1:
        raise ArgumentError(f"the sample is {count} clusters, not at least 1")
    sample = heapq.nsmallest(count, numbered, key=lot)
    return [cluster for _, cluster in sorted(sample, key=itemgetter(0))]


def signed(study: str, clusters: Sequence[Cluster], seed: int, **parts: object) -> str:
    """Return the signature of a study: its settings, a digest of the clusters, and the seed."""
    fields = {
        **parts,
        "clusters": len(clusters),
        "data": _digest(clusters),
        "seed": seed,
    }
    return signature(study, fields)


def run(
    jobs: Iterable[Job],
    *,
    study: str,
    log: Path | None = None,
    processes: int = 1,
    progress: OnProgress = silent,
) -> dict[str, Done]:
    """Run all jobs and return their results by key.

    Jobs that are in the `log` of an earlier run of the same study are not repeated.
    """
    listed = list(jobs)
    results = _read(log, study) if log else {}
    finished = counting(progress, len(listed))
    missing = []
    for job in listed:
        if job.key in results:
            finished(job.key)
        else:
            missing.append(job)
    with ExitStack() as stack:
        stream = stack.enter_context(log.open("ab")) if log else None
        for done in map_items("processes", _summaries, None, missing, workers=processes):
            if stream:
                stream.write(json_line({"key": done.key, "texts": done.texts}))
                stream.flush()
            results[done.key] = done
            finished(done.key)
    return {job.key: results[job.key] for job in listed}


def scored(
    clusters: Sequence[Cluster],
    methods: Sequence[Summarizer],
    texts: Callable[[Cluster], Sequence[str]],
    *,
    max_words: int,
    samples: int,
    seed: int,
) -> SummaryEvaluation:
    """Score summaries by the measures of Table 5; `texts` returns those of a cluster, one per method."""
    references = [
        References(cluster.id, (Reference(cluster.summary or ""),)) for cluster in clusters
    ]
    outputs = [
        Output(cluster.id, str(method.spec), text)
        for cluster in clusters
        for method, text in zip(methods, texts(cluster), strict=True)
    ]
    return evaluate_outputs(outputs, references, max_words=max_words, samples=samples, seed=seed)


def _digest(clusters: Iterable[Cluster]) -> str:
    """Return eight hexadecimal digits that change with any id, summary or article text."""
    digest = hashlib.sha256()
    for cluster in clusters:
        parts = (cluster.id, cluster.summary or "", *(article.text for article in cluster.articles))
        for part in parts:
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:8]


def _with_summary(clusters: Iterable[Cluster]) -> Iterator[Cluster]:
    """Yield the clusters; none at all, or one without a summary, is an error."""
    empty = True
    for cluster in clusters:
        if cluster.summary is None:
            raise DataError(f"cluster {cluster.id!r} has no `summary` to compare with")
        check_languages(cluster)
        empty = False
        yield cluster
    if empty:
        raise ArgumentError("there are no clusters to study")


def _summaries(_: None, job: Job) -> Done:
    prepared = prepare(job.cluster)
    return Done(job.key, tuple(method.summarize(prepared).text for method in job.methods))


def _read(log: Path, study: str) -> dict[str, Done]:
    """Return the results in the log by key, which is then ready to be appended to.

    Writes the file: a new log gets its first line, the signature of the study, and an incomplete last line is cut off.
    """
    try:
        content = log.read_bytes() if log.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        first, *lines = whole.splitlines() or [b""]
        if whole and json_value(first) != {"study": study}:
            raise FileError(
                f"{log}: belongs to an unfinished study of something else; add --force to start over"
            )
        if not whole or whole != content:
            log.write_bytes(whole or json_line({"study": study}))
        rows = map(json_value, lines)
        return {row["key"]: Done(row["key"], tuple(row["texts"])) for row in rows}
    except OSError as error:
        raise FileError(f"{log}: {reason(error)}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{log}: is not the log of a study; add --force to start over") from error
