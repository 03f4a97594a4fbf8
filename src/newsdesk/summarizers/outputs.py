"""Summaries of many clusters written as outputs to score, with their traces, in the form that readers see (`display`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.summarizers.display import displayed
from newsdesk.summarizers.expected_rouge import ExpectedRouge
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.summarizers.summary import Summary
from newsdesk.summarizers.updates import updates
from newsdesk.types import Cluster, Output


@dataclass(frozen=True, slots=True)
class Counts:
    """How many summaries were written, how many are empty because their cluster has no word (or, of updates, nothing new), and how many are one sentence over the limit."""

    summaries: int
    empty: int
    over: int = 0


def outputs_of(
    method: Summarizer,
    clusters: Iterable[Cluster],
    *,
    clean: bool = False,
    since: str | None = None,
) -> Iterator[tuple[Output, Summary]]:
    """Each cluster's output, with the method's spec as its system, and the summary it was taken from.

    With `clean` datelines and stray marks are removed; with `since` only clusters dated after that day are summarized, by what is new in their story; nothing new is an empty text.
    """
    system = str(method.spec)
    pairs = (
        ((each, method) for each in clusters) if since is None else updates(method, clusters, since)
    )
    for cluster, one in pairs:
        prepared = one.prepared(cluster)
        plain = one.summarize(prepared)
        nothing_new = isinstance(one, ExpectedRouge) and bool(one.known_) and not plain.text
        summary = (
            plain
            if nothing_new
            else displayed(plain, prepared, min_tokens=one.min_tokens, clean=clean)
        )
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
    clean: bool = False,
    since: str | None = None,
) -> Counts:
    """Summarize clusters into a file of outputs and, if `trace` names one, a file of traces; both are written atomically."""
    summaries = empty = over = 0

    def outputs() -> Iterator[Output]:
        nonlocal summaries, empty, over
        for output, summary in outputs_of(method, clusters, clean=clean, since=since):
            summaries += 1
            empty += not output.text
            over += any(each.outcome == "fallback" for each in summary.trace)
            if traces:
                traces.write(json_line(trace_row(output, summary)))
            yield output

    with ExitStack() as files:
        traces = files.enter_context(atomic(trace, overwrite=overwrite)) if trace else None
        records.write(out, outputs(), overwrite=overwrite)
    return Counts(summaries, empty, over)
