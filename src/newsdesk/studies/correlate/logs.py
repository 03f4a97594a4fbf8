"""Logs of evaluation harnesses as values of metrics: a scorer is a metric, a model a system, a sample an item.

A scorer of one of several tasks is called TASK/SCORER. Where two logs of a task are of one model, such as two prompts, systems are called after model and file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import ArgumentError, DataError
from newsdesk.records.eval_logs import EvalLog, LoggedItem
from newsdesk.signatures import signature
from newsdesk.studies.correlate.tables import Key, MetricScores


@dataclass(frozen=True, slots=True)
class LoggedScores:
    """The values of each scorer, the cluster of each item where one was named, and notes."""

    metrics: list[MetricScores]
    clusters: Mapping[str, str]
    notes: list[str]


def logged_scores(
    logs: Sequence[EvalLog], wanted: Sequence[str] | None = None, cluster_by: str | None = None
) -> LoggedScores:
    """Return the scores of several logs, of all scorers or those `wanted`.

    `cluster_by` is a key of the samples' metadata: samples with one value there belong together.
    """
    tasks = {logged.task for log in logs for logged in log.items}
    several = len(tasks) > 1
    values: dict[str, dict[Key, float]] = {}
    clusters: dict[str, str] = {}
    asked: dict[str, tuple[str, str]] = {}  # item → how its question begins, and the log
    for log, system in zip(logs, _systems(logs), strict=True):
        for logged in log.items:
            item = f"{logged.task}/{logged.item}" if several else logged.item
            _check_same(item, logged, log, asked)
            if cluster_by is not None:
                clusters[item] = _cluster(logged, cluster_by, log.path)
            for scorer, value in logged.values.items():
                name = f"{logged.task}/{scorer}" if several else scorer
                by_key = values.setdefault(name, {})
                if (item, system) in by_key:
                    raise DataError(f"item {item!r} of system {system!r} stands twice", file=log.path)  # fmt: skip
                by_key[item, system] = value
    if unknown := [name for name in wanted or () if name not in values]:
        raise ArgumentError(f"no scorer is called {unknown[0]!r}; the logs have: {', '.join(values)}")  # fmt: skip
    harnesses = "+".join(sorted({log.harness for log in logs}))
    metrics = [
        MetricScores(name, by_key, signature(name, {"log": harnesses}))
        for name, by_key in values.items()
        if wanted is None or name in wanted
    ]
    return LoggedScores(metrics, clusters, [note for log in logs for note in log.notes])


def _systems(logs: Sequence[EvalLog]) -> list[str]:
    """Return a name for the system of each log, with the file's where a model was run twice on a task."""
    runs = Counter((log.system, task) for log in logs for task in {logged.task for logged in log.items})  # fmt: skip
    twice = {system for (system, _), count in runs.items() if count > 1}
    return [
        f"{log.system} [{Path(log.path).stem}]" if log.system in twice else log.system
        for log in logs
    ]


def _check_same(
    item: str, logged: LoggedItem, log: EvalLog, asked: dict[str, tuple[str, str]]
) -> None:
    """Refuse logs in which one name stands for two items."""
    before, path = asked.setdefault(item, (logged.asked, log.path))
    if before and logged.asked and before != logged.asked:
        raise DataError(
            f"item {item!r} asks {logged.asked[:40]!r}, but {before[:40]!r} in {path}; the logs are not of the same items",
            file=log.path,
        )


def _cluster(logged: LoggedItem, key: str, path: str) -> str:
    if key not in logged.facts:
        known = ", ".join(map(str, logged.facts)) or "none"
        raise DataError(f"item {logged.item!r} has no {key!r} in its metadata; keys: {known}", file=path)  # fmt: skip
    return str(logged.facts[key])
