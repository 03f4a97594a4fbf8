"""Summaries of many clusters by many methods: sampling, parallel processes, and a log from which an interrupted run resumes.

A study consists of jobs; a job is one cluster and the methods that summarize it. The log has a first line with the signature of the study, then
one line per finished job, under the job's key. Results are in the order of the jobs, whatever the number of processes.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import reason
from newsdesk.jsonl import json_line
from newsdesk.signatures import signature
from newsdesk.summarizers import Evaluation, Summarizer, evaluate_outputs, prepare
from newsdesk.summarizers.prepare import check_languages
from newsdesk.types import Cluster, Output, Reference, References

_AHEAD = 4  # jobs submitted ahead per process


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
    """A random sample of `count` clusters, in input order; membership depends only on the seed and the ids."""

    def lot(numbered: tuple[int, Cluster]) -> bytes:
        return hashlib.sha256(f"study\0{seed}\0{numbered[1].id}".encode()).digest()

    if seed < 0:
        raise ArgumentError(f"the seed is {seed}, below zero")
    numbered = enumerate(_with_summary(clusters))
    if count is None:
        return [cluster for _, cluster in numbered]
    if count < 1:
        raise ArgumentError(f"the sample is {count} clusters, not at least 1")
    return [cluster for _, cluster in sorted(heapq.nsmallest(count, numbered, key=lot), key=_place)]


def signed(study: str, clusters: Sequence[Cluster], seed: int, **parts: object) -> str:
    """The signature of a study: its settings, a digest of the clusters, and the seed."""
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
    progress: Callable[[Done], None] = lambda done: None,
) -> dict[str, Done]:
    """Run all jobs and return their results by key; jobs that are in the `log` of an earlier run of the same study are not repeated."""
    known = _read(log, study) if log else {}
    results: dict[str, Done] = {}
    with ExitStack() as stack:
        stream = stack.enter_context(log.open("ab")) if log else None
        for done in _spread(jobs, known, processes, stack):
            if stream and done.key not in known:
                row = {"key": done.key, "texts": done.texts}
                stream.write(json_line(row))
                stream.flush()
            results[done.key] = done
            progress(done)
    return results


def scored(
    clusters: Sequence[Cluster],
    methods: Sequence[Summarizer],
    texts: Callable[[Cluster], Sequence[str]],
    *,
    max_words: int,
    samples: int,
    seed: int,
) -> Evaluation:
    """Score summaries by the measures of Table 5."""
    references = [References(each.id, (Reference(each.summary or ""),)) for each in clusters]
    outputs = [
        Output(cluster.id, str(method.spec), text)
        for cluster in clusters
        for method, text in zip(methods, texts(cluster), strict=True)
    ]
    return evaluate_outputs(outputs, references, max_words=max_words, samples=samples, seed=seed)


def _digest(clusters: Iterable[Cluster]) -> str:
    """Eight hexadecimal digits that change with any id, summary or article text."""
    digest = hashlib.sha256()
    for cluster in clusters:
        parts = (cluster.id, cluster.summary or "", *(article.text for article in cluster.articles))
        for part in parts:
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:8]


def _with_summary(clusters: Iterable[Cluster]) -> Iterator[Cluster]:
    empty = True
    for cluster in clusters:
        if cluster.summary is None:
            raise DataError(f"cluster {cluster.id!r} has no `summary` to compare with")
        check_languages(cluster)
        empty = False
        yield cluster
    if empty:
        raise ArgumentError("there are no clusters to study")


def _place(numbered: tuple[int, Cluster]) -> int:
    return numbered[0]


def _summaries(job: Job) -> Done:
    prepared = prepare(job.cluster)
    return Done(job.key, tuple(method.summarize(prepared).text for method in job.methods))


def _spread(
    jobs: Iterable[Job], known: Mapping[str, Done], processes: int, stack: ExitStack
) -> Iterator[Done]:
    """Each job's result in order, from the log or computed, here or in other processes."""
    if processes < 1:
        raise ArgumentError(f"jobs is {processes}, not at least 1")
    if processes == 1:
        for job in jobs:
            yield known.get(job.key) or _summaries(job)
        return
    # Spawned, not forked: a process forked from one with threads may inherit locked locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context)
    stack.callback(pool.shutdown, cancel_futures=True)
    waiting: deque[Done | Future[Done]] = deque()
    for job in jobs:
        waiting.append(known.get(job.key) or pool.submit(_summaries, job))
        if len(waiting) > _AHEAD * processes:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(pending: Done | Future[Done]) -> Done:
    return pending if isinstance(pending, Done) else pending.result()


def _read(log: Path, study: str) -> dict[str, Done]:
    """The results in the log, which is then ready to be appended to; an incomplete last line is dropped."""
    try:
        content = log.read_bytes() if log.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        first, *lines = whole.splitlines() or [b""]
        if whole and json.loads(first) != {"study": study}:
            raise FileError(
                f"{log}: belongs to an unfinished study of something else; add --force to start over"
            )
        if not whole or whole != content:
            head = json_line({"study": study})
            log.write_bytes(whole or head)
        rows = map(json.loads, lines)
        return {row["key"]: Done(row["key"], tuple(row["texts"])) for row in rows}
    except OSError as error:
        raise FileError(f"{log}: {reason(error)}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{log}: is not the log of a study; add --force to start over") from error
