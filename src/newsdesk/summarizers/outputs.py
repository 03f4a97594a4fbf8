"""Summaries of many clusters written as outputs to score, with their traces, in the form that readers see.

Summaries as they are shown to readers: never empty where the cluster has a word, and on request cleaned.

Studies, Table 5 and campaigns keep the rule of Gholipour Ghalandari et al. (2020): whole untouched sentences, and no summary where no sentence fits. Readers get the shortest
whole sentence instead, over the limit, with the outcome `fallback` in the trace. `cleaned` removes datelines, agencies' marks and stray quotation marks; the
trace keeps the sentence as it stands in its article, with the text as shown beside it.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.summarizers.expected_rouge import ExpectedRouge, updates
from newsdesk.summarizers.prepare import Candidate, Prepared, Summary, prepare
from newsdesk.summarizers.readable import dateline_end, stray_single_marks, without_agencies
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.types import Cluster, Output
from newsdesk.wording import plural

_PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»"}
_TWO_APOSTROPHES = re.compile(r"''")  # some pages type the mark so
_DOUBLED = re.compile(r"(?<=\w)''(?=s\b)")
_LEADING = re.compile(r"^(?:FILE(?= [-–—]))?[\s•*·|>—–-]+(?=\S)")


def displayed(summary: Summary, prepared: Prepared, *, min_tokens: int, clean: bool) -> Summary:
    """Return a summary as it is shown: with a fallback if it is empty, and cleaned if `clean`."""
    summary = summary if summary.text else _with_fallback(summary, prepared, min_tokens)
    if not clean or not summary.text:
        return summary
    extracted = {each.sentence: each.text for each in summary.trace if each.taken}
    joined = prepared.glue.join(extracted.get(each, each.text) for each in summary.sentences)
    if joined != summary.text:
        # Written by a network from these sentences: datelines cannot be found by sentence in its text.
        return dataclasses.replace(summary, text=without_stray_quotes(summary.text))
    trace = tuple(_cleaned_candidate(each) if each.taken else each for each in summary.trace)
    shown = {each.sentence: each.text for each in trace if each.taken}
    text = prepared.glue.join(shown[sentence] for sentence in summary.sentences)
    return dataclasses.replace(summary, text=text, trace=trace)


def cleaned(text: str, *, first: bool = False) -> str:
    """Return a sentence without its dateline, agencies' marks, bullets and stray quotation marks.

    `first` says that it opens its article.

    >>> cleaned('PORT EDEN (Reuters) - The ferry "Anna sank.', first=True)
    'The ferry Anna sank.'
    """
    start = dateline_end(text, first=first, display=True)
    body = _LEADING.sub("", text[start:]) or text
    body = without_stray_quotes(without_agencies(body)).strip()
    new_start = body[:1].islower() and not text.startswith(body[:1])
    return body[:1].upper() + body[1:] if new_start else body or text


def without_stray_quotes(text: str) -> str:
    """Return the text without quotation marks that have no partner.

    >>> without_stray_quotes('They want change," he said.')
    'They want change, he said.'
    """
    text = _TWO_APOSTROPHES.sub('"', _DOUBLED.sub("'", text))
    stray: set[int] = set()
    straight = [at for at, mark in enumerate(text) if mark == '"']
    if len(straight) % 2:
        stray.add(_odd_one(text, straight))
    for opening, closing in _PAIRS.items():
        unclosed: list[int] = []
        for at, mark in enumerate(text):
            if mark == opening:
                unclosed.append(at)
            elif mark == closing and unclosed:
                unclosed.pop()
            elif mark == closing:
                stray.add(at)
        stray.update(unclosed)
    paired = _without(text, stray)
    return _without(paired, set(stray_single_marks(paired)))


def _without(text: str, places: set[int]) -> str:
    return "".join(mark for at, mark in enumerate(text) if at not in places)


def _odd_one(text: str, places: list[int]) -> int:
    """Return the place of the one among an odd number of straight marks that has no partner.

    Marks open and close in turn: it is the first that breaks the turn (or the mark before it, if two open in a row), else the last.
    """
    for number, at in enumerate(places):
        opens = (
            at + 1 < len(text) and not text[at + 1].isspace() and (at == 0 or text[at - 1] in " (")
        )
        if opens == bool(number % 2):
            return places[number - 1] if number and opens else at
    return places[-1]


def _cleaned_candidate(candidate: Candidate) -> Candidate:
    source = candidate.sentence
    text = cleaned(candidate.text, first=source.position == 0)
    return dataclasses.replace(candidate, shown="" if text == source.text else text)


def _with_fallback(summary: Summary, prepared: Prepared, min_tokens: int) -> Summary:
    """Return the summary with one sentence in place of none: the shortest that is long enough.

    Without any it is the longest of the short ones; titles count if no sentence has a word. Unchanged if there is no word at all.
    """
    if not any(map(prepared.word_count, range(len(prepared)))):
        if prepared.titles:
            return summary
        prepared = prepare(prepared.cluster, titles=True)
    counts = {number: prepared.word_count(number) for number in prepared.distinct.tolist()}
    counts = {number: count for number, count in counts.items() if count}
    if not counts:
        return summary
    enough = [number for number in counts if not prepared.too_short(number, min_tokens)]
    number = min(enough, key=counts.__getitem__) if enough else max(counts, key=counts.__getitem__)
    sentence = prepared.sentence(number)
    why = f"no sentence fits; this one has {plural(counts[number], 'word')}"
    others = tuple(each for each in summary.trace if each.sentence != sentence)
    return dataclasses.replace(
        summary,
        text=sentence.text,
        sentences=(sentence,),
        trace=(Candidate(sentence, None, "fallback", why), *others),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """How many summaries were written, are empty, one sentence over the limit, or extracts; how many sentences were replaced.

    Empty are those whose cluster has no word or, of updates, nothing new.
    """

    summaries: int
    empty: int
    over: int = 0
    replaced: int = 0
    stood_in: int = 0


def outputs_of(
    method: Summarizer,
    clusters: Iterable[Cluster],
    *,
    clean: bool = False,
    since: str | None = None,
) -> Iterator[tuple[Output, Summary]]:
    """Yield each cluster's output, and the summary it was taken from.

    The system is the method's spec.

    With `clean` datelines and stray marks are removed; with `since` only clusters dated after that day are summarized, by what is new in their story; nothing new is an empty text.
    """
    system = str(method.spec)
    pairs = (
        ((each, method) for each in clusters) if since is None else updates(method, clusters, since)
    )
    for cluster, summarizer in pairs:
        prepared = summarizer.prepared(cluster)
        summary = summarizer.summarize(prepared)
        knows_some = isinstance(summarizer, ExpectedRouge) and bool(summarizer.known_)
        if summary.text or not knows_some:  # else nothing is new, and an empty text says so
            min_tokens = summarizer.min_tokens
            summary = displayed(summary, prepared, min_tokens=min_tokens, clean=clean)
        yield Output(cluster.id, system, summary.text), summary


def trace_row(output: Output, summary: Summary) -> dict[str, Any]:
    """Return the trace of a summary as a JSON object: each candidate with its score and outcome."""
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
    """Summarize clusters into a file of outputs and, if `trace` names one, a file of traces.

    Both are written atomically.
    """
    summaries = empty = over = replaced = stood_in = 0

    def outputs() -> Iterator[Output]:
        nonlocal summaries, empty, over, replaced, stood_in
        for output, summary in outputs_of(method, clusters, clean=clean, since=since):
            summaries += 1
            empty += not output.text
            outcomes = [each.outcome for each in summary.trace]
            over += "fallback" in outcomes
            replaced += sum(each in ("replaced", "unsupported") for each in outcomes)
            stood_in += "stand-in" in outcomes
            if traces:
                traces.write(json_line(trace_row(output, summary)))
            yield output

    with ExitStack() as files:
        traces = files.enter_context(atomic(trace, overwrite=overwrite)) if trace else None
        records.write(out, outputs(), overwrite=overwrite)
    return Counts(summaries, empty, over, replaced, stood_in)
