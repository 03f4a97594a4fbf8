"""Summaries as they are shown to readers: never empty where the cluster has a word, and on request cleaned.

Studies, Table 5 and campaigns keep the rule of Gholipour Ghalandari et al. (2020): whole untouched sentences, and no summary where no sentence fits. Readers get the shortest
whole sentence instead, over the limit, with the outcome `fallback` in the trace. `cleaned` removes datelines, agencies' marks and stray quotation marks; the
trace keeps the sentence as it stands in its article, with the text as shown beside it.
"""

from __future__ import annotations

import dataclasses
import re

from newsdesk.summarizers.datelines import dateline_end, without_agencies
from newsdesk.summarizers.prepare import Prepared, prepare
from newsdesk.summarizers.readable import stray_single_marks
from newsdesk.summarizers.summary import Candidate, Summary
from newsdesk.wording import plural

_PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»"}
_TWO_APOSTROPHES = re.compile(r"''")  # some pages type the mark so
_DOUBLED = re.compile(r"(?<=\w)''(?=s\b)")
_LEADING = re.compile(r"^(?:FILE(?= [-–—]))?[\s•*·|>—–-]+(?=\S)")


def displayed(summary: Summary, prepared: Prepared, *, min_tokens: int, clean: bool) -> Summary:
    """A summary as it is shown: with a fallback if it is empty, and cleaned if `clean`."""
    summary = summary if summary.text else _with_fallback(summary, prepared, min_tokens)
    if not clean or not summary.text:
        return summary
    printed = {each.sentence: each for each in summary.trace if each.taken}
    plain = prepared.glue.join(
        printed[sentence].text if sentence in printed else sentence.text
        for sentence in summary.sentences
    )
    if plain != summary.text:  # written by a network: no sentence of it has a source
        return dataclasses.replace(summary, text=without_stray_quotes(summary.text))
    trace = tuple(_cleaned_candidate(each) if each.taken else each for each in summary.trace)
    shown = {each.sentence: each.text for each in trace if each.taken}
    text = prepared.glue.join(shown[sentence] for sentence in summary.sentences)
    return dataclasses.replace(summary, text=text, trace=trace)


def cleaned(text: str, *, first: bool = False) -> str:
    """A sentence without its dateline, agencies' marks, bullets and stray quotation marks; `first` says that it opens its article.

    >>> cleaned('PORT EDEN (Reuters) - The ferry "Anna sank.', first=True)
    'The ferry Anna sank.'
    """
    start = dateline_end(text, first=first, display=True)
    body = _LEADING.sub("", text[start:]) or text
    body = without_stray_quotes(without_agencies(body)).strip()
    changed = body[:1].islower() and not text.startswith(body[:1])
    return body[:1].upper() + body[1:] if changed else body or text


def without_stray_quotes(text: str) -> str:
    """The text without quotation marks that have no partner.

    >>> without_stray_quotes('They want change," he said.')
    'They want change, he said.'
    """
    text = _TWO_APOSTROPHES.sub('"', _DOUBLED.sub("'", text))
    stray: set[int] = set()
    straight = [at for at, mark in enumerate(text) if mark == '"']
    if len(straight) % 2:
        stray.add(_odd_one(text, straight))
    for opening, closing in _PAIRS.items():
        open_: list[int] = []
        for at, mark in enumerate(text):
            if mark == opening:
                open_.append(at)
            elif mark == closing:
                if open_:
                    open_.pop()
                else:
                    stray.add(at)
        stray.update(open_)
    paired = _without(text, stray)
    return _without(paired, set(stray_single_marks(paired)))


def _without(text: str, places: set[int]) -> str:
    return "".join(mark for at, mark in enumerate(text) if at not in places)


def _odd_one(text: str, places: list[int]) -> int:
    """Which of an odd number of straight marks has no partner: the first that closes nothing, or else the last."""
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
    """The shortest sentence that is long enough; without any the longest of the short ones, or a title."""
    if not any(map(prepared.word_count, range(len(prepared)))):
        if prepared.titles:
            return summary
        prepared = prepare(prepared.cluster, titles=True)
    counts = {n: count for n in prepared.distinct.tolist() if (count := prepared.word_count(n))}
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
