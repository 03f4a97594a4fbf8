"""Summaries of many clusters written as outputs to score, with their traces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.summarizers.summary import Summary
from newsdesk.types import Cluster, Output


@dataclass(frozen=True, slots=True)
class Counts:
    """How many summaries were written, and how many of them are empty because no sentence fits."""

    summaries: int
    empty: int


def outputs_of(method: Summarizer, clusters: Iterable[Cluster]) -> Iterator[tuple[Output, Summary]]:
    """Each cluster's output, with the method's spec as its system, and the summary it was taken from."""
    system = str(method.spec)
    for cluster in clusters:
        summary = method.summarize(cluster)
        yield Output(cluster.id, system, summary.text), summary


def trace_row(output: Output, summary: Summary) -> dict[str, Any]:
    """The trace of a summary as a JSON object: each candidate with its score and outcome."""
    return {
        "id": output.id,
        "system": output.system,
        "signature": summary.signature,
        "trace": [
            {
                "article": each.sentence.article,
                "position": each.sentence.position,
                "text": each.sentence.text,
                "score": each.score,
                "outcome": each.outcome,
                "detail": each.detail,
                **({"shown": each.shown} if each.shown else {}),
            }
            for each in summary.trace
        ],
    }


def write_outputs(
    method: Summarizer,
    clusters: Iterable[Cluster],
    out: str | os.PathLike[str],
    *,
    trace: str | os.PathLike[str] | None = None,
    overwrite: bool = True,
) -> Counts:
    """Summarize clusters into a file of outputs and, if `trace` names one, a file of traces; both are written atomically."""
    summaries = empty = 0

    def outputs() -> Iterator[Output]:
        nonlocal summaries, empty
        for output, summary in outputs_of(method, clusters):
            summaries += 1
            empty += not output.text
            if traces:
                traces.write(json_line(trace_row(output, summary)))
            yield output

    with ExitStack() as files:
        traces = files.enter_context(atomic(trace, overwrite=overwrite)) if trace else None
        records.write(out, outputs(), overwrite=overwrite)
    return Counts(summaries, empty)
