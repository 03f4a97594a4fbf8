"""Rewritten sentences with their sources: shortened by rules or checked, and taken up to the limit as whole sentences."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from newsdesk.packaged import table
from newsdesk.summarizers.deletions import refusal
from newsdesk.summarizers.greedy import Room
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.readable import inside_quotation
from newsdesk.summarizers.shortening import VERSION, shorten
from newsdesk.summarizers.summary import Candidate, Sentence, Summary


def shortened_sentence(prepared: Prepared, article: int, sentence: Sentence) -> str:
    """A sentence of an article, shortened if it is English and does not stand inside a quotation."""
    if prepared.languages[article] != "en" or sentence.position < 0:
        return sentence.text
    start, end = map(int, prepared.offsets[article : article + 2])
    inside = prepared.once(
        f"quotations {article}", lambda: inside_quotation(prepared.texts[start:end])
    )
    if inside[prepared.texts.index(sentence.text, start, end) - start]:
        return sentence.text
    title = prepared.cluster.articles[article].title or ""
    return shorten(sentence.text, first=sentence.position == 0, title=title).text


def checked(texts: Sequence[str], sources: Sequence[Sentence]) -> dict[Sentence, str]:
    """Each text with the source that it is a permitted deletion of; one that is none becomes the nearest source as it stands.

    A source is used once: a second text of the same source is dropped.
    """
    passages: dict[Sentence, str] = {}
    for text in texts:
        passing = (each for each in sources if not refusal(text, each.text))
        source = next(passing, None)
        if source is not None:
            passages.setdefault(source, text)
        elif nearest := _nearest(text, sources):
            passages.setdefault(nearest, nearest.text)
    return passages


def fitted_in(passages: Mapping[Sentence, str], room: Room, extract: Summary) -> Summary:
    """The summary of the passages that fit, in their order; the trace has each source with the text as it is printed."""
    trace: list[Candidate] = []
    scores = {each.sentence: each.score for each in extract.trace}
    for source, text in passages.items():
        size = room.size_of(text)
        if size > room.left:
            trace.append(Candidate(source, scores.get(source), "does not fit", str(room)))
            continue
        room.left -= size
        shown = text if text != source.text else ""
        trace.append(Candidate(source, scores.get(source), "taken", shown=shown))
    others = (each for each in extract.trace if each.sentence not in passages)
    taken = [each for each in trace if each.taken]
    # An extract of whole sentences without spaces is joined without them.
    glue = " " if " ".join(sentence.text for sentence in extract.sentences) == extract.text else ""
    return dataclasses.replace(
        extract,
        text=glue.join(each.text for each in taken),
        sentences=tuple(each.sentence for each in taken),
        trace=(*trace, *(_not_shown(each) for each in others)),
    )


@cache
def rules_digest() -> str:
    """The version of the rules of shortening, and eight hexadecimal digits that identify their word lists."""
    words = "\n".join(
        (*table("summarizers", "guarded_en.txt"), *table("summarizers", "verbs_en.txt"))
    )
    return f"{VERSION}-{hashlib.sha256(words.encode()).hexdigest()[:8]}"


def _not_shown(candidate: Candidate) -> Candidate:
    """A candidate of the extract that has no place in the summary."""
    if candidate.taken:
        return dataclasses.replace(candidate, outcome="no gain", detail="the model left it out")
    return candidate


def _nearest(text: str, sources: Sequence[Sentence]) -> Sentence | None:
    """The source that shares most words with a text; None if none shares any."""
    words = Counter(text.lower().split())
    shared = [sum((words & Counter(source.text.lower().split())).values()) for source in sources]
    best = max(range(len(sources)), key=shared.__getitem__, default=None)
    return sources[best] if best is not None and shared[best] else None
