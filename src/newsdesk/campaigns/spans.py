"""Passages of a text that an annotator marked: as a value, as quotations, and as marks of its tokens.

A value lists the passages of one text as half-open ranges of its characters, in order and without overlap: `0-12 40-63`; `none` says that
nothing is to be marked. People write a passage by quoting it, each on a line of its own. A quotation that occurs several times means the first
occurrence that no earlier line took, and is written with its range before it (`[40-63] it was late`). White space of a quotation fits any white space.

Agreement is counted over tokens (a word, or one character of a script that is written without spaces): a token is marked if a passage touches it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from newsdesk.errors import DataError
from newsdesk.types import Judgment, Value
from newsdesk.wording import plural

Span: TypeAlias = tuple[int, int]  # first character, and the one behind the last

NOTHING = "none"
_VALUE = re.compile(r"[0-9]{1,9}-[0-9]{1,9}(?: [0-9]{1,9}-[0-9]{1,9})*")
_RANGE = re.compile(r"\[?([0-9]{1,9})-([0-9]{1,9})\]?")
_RANGED = re.compile(r"\[([0-9]{1,9})-([0-9]{1,9})\]\s*(.*)", re.DOTALL)
# A sign between two sentences, as texts of systems have it, counts as white space.
_SPACE = r"(?:\s|</?s>)+"
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_LONGEST_SHOWN = 40


def spans_of(value: Value) -> list[Span]:
    """Return the passages of a value.

    >>> spans_of("0-3 8-12"), spans_of("none")
    ([(0, 3), (8, 12)], [])
    """
    if value == NOTHING:
        return []
    return [(int(start), int(end)) for start, end in _RANGE.findall(str(value))]


def spans_value(spans: Iterable[Span]) -> str:
    """Return passages as a value, in order; those that overlap are joined.

    >>> spans_value([(8, 12), (0, 3), (10, 14)])
    '0-3 8-14'
    """
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return " ".join(f"{start}-{end}" for start, end in joined) or NOTHING


def spans_fault(value: Value, text: str | None) -> str | None:
    """Return what is wrong with a value, for a text if it is known; None if nothing is."""
    if value == NOTHING:
        return None
    if not isinstance(value, str) or not _VALUE.fullmatch(value):
        return f"{value!r} is not a list of passages like '0-12 40-63', or {NOTHING!r}"
    behind = 0
    for start, end in spans_of(value):
        if start >= end or start < behind:
            return f"{value!r}: passages are not empty, in order and do not overlap"
        behind = end
    if text is not None and behind > len(text):
        return f"{value!r} ends at {behind}, and the text has {plural(len(text), 'character')}"
    return None


def quoted_spans(entry: str, text: str) -> str:
    """Return the value of passages that were quoted from a text, or given as ranges, each on a line.

    Raises DataError for what does not stand in the text.

    >>> quoted_spans("the cat\\nthe", "the dog and the cat")
    '0-3 12-19'
    """
    spans: list[Span] = []
    lines = [line.strip() for line in entry.splitlines() if line.strip()]
    if [line.casefold() for line in lines] == [NOTHING]:
        return NOTHING
    for line in lines:
        span = _ranged(line, text) or _first_free(line, text, spans)
        if span is None:
            shown = line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"
            raise DataError(f"{shown!r} does not stand in the text; copy the passage from it")
        spans.append(span)
    return spans_value(spans)


def quotations(value: Value, text: str) -> str:
    """Return the passages of a value as quotations, each on a line; `quoted_spans` reads them back.

    >>> quotations("0-3 12-19", "the dog and the cat")
    'the\\nthe cat'
    """
    taken: list[Span] = []
    lines = []
    for span in spans_of(value):
        quote = re.sub(_SPACE, " ", text[slice(*span)]).strip()
        quote = "".join(each for each in quote if each.isprintable())
        # A program would take some other quotations for a formula, a number or a date.
        plain = quote[:1].isalpha() and quote.casefold() not in ("true", "false", NOTHING)
        plain = plain and _first_free(quote, text, taken) == span
        lines.append(quote if plain else f"[{span[0]}-{span[1]}] {quote}")
        taken.append(span)
    return "\n".join(lines) or NOTHING


def _ranged(line: str, text: str) -> Span | None:
    """Return the passage of a line that gives its range, alone or before a quotation; None for any other."""
    match = _RANGE.fullmatch(line) or _RANGED.fullmatch(line)
    if match is None:
        return None
    start, end = int(match[1]), int(match[2])
    return (start, end) if start < end <= len(text) else None


def _first_free(quote: str, text: str, taken: Sequence[Span]) -> Span | None:
    """Return the first occurrence of a quotation that no passage took yet; None if there is none."""
    words = re.split(_SPACE, quote.strip("“”„\"' ") if quote not in text else quote)
    pattern = _SPACE.join(re.escape(word) for word in words if word)
    if not pattern:
        return None
    found = (match.span() for match in re.finditer(pattern, text))
    return next(
        (
            (start, end)
            for start, end in found
            if all(end <= first or start >= last for first, last in taken)
        ),
        None,
    )


def token_spans(text: str) -> list[Span]:
    """Return where the tokens of a text stand.

    >>> token_spans("Two cats, 二匹")
    [(0, 3), (4, 8), (10, 11), (11, 12)]
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def marked_tokens(value: Value, text: str) -> list[bool]:
    """Return for each token of a text whether a passage touches it.

    >>> marked_tokens("4-9", "Two cats, one dog")
    [False, True, False, False]
    """
    spans = spans_of(value)
    return [
        any(start < last and end > first for first, last in spans)
        for start, end in token_spans(text)
    ]


def token_votes(
    judgments: Iterable[Judgment], texts: Mapping[tuple[str, str], str]
) -> Iterator[Judgment]:
    """Yield a vote for each token of each judged text: whether the annotator marked it.

    The target of a vote is that of the judgment and the number of the token; `texts` are by item and target.
    """
    for judgment in judgments:
        text = texts.get((judgment.item, judgment.target))
        if text is None:
            continue
        for number, marked in enumerate(marked_tokens(judgment.value, text)):
            yield replace(judgment, target=f"{judgment.target}\t{number}", value=marked)
