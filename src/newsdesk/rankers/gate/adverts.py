"""Find advertisements among comments: a call to act, a pitch, and a way to reach the seller.

Words of selling alone are no sign, since comments on prices, work and medicine have them as well. What tells is a call to the reader (`offer` of `gate-*.txt`) together with words of
selling (`pitch`), prices as sellers write them, and the name of a site, in a text that consists of little else.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from itertools import pairwise

from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import ADDRESS, without_addresses
from newsdesk.rankers.insults import readable

_WORD = re.compile(r"[\w']+")
_PHONE = re.compile(r"(?<![\w.])\+?\d(?:[ ().-]{0,2}\d){8,13}(?!\w)")
_ACCOUNT = re.compile(
    r"(?:微信|v信|vx|wx|qq|line|telegram|whatsapp|instagram|扣扣)[号號id]*\s*[:：]?\s*[@+]?[a-z0-9][\w.+-]{4,}"
)
# Prices as sellers write them, in English.
_DEAL = re.compile(
    r"\d+ ?% off\b|\bhalf price\b|\b(?:from|for|at) (?:only|just) [^\s\d]?\d[\d.,]*\w*|\bfrom \d[\d.,]* ?(?:cr|usd|eur|gbp)\b|\bships (?:in|within|worldwide)\b"
)
# The name of a site by itself, as a shop signs; a source is cited by a link to a page.
_SITE = re.compile(r"(?!https?:)[^/@]+/?")
# Points that an advertisement needs, and one more per so many words: a call or a deal is worth two, a site three, any other address two.
_LEAST_POINTS, _WORDS_PER_POINT = 5, 12
_CALL, _CONTACT, _SIGNED = 2, 2, 3
_WORD_CHARACTERS = 2


def advert(text: str, lang: str) -> tuple[str, ...]:
    """Return the words that make a text an advertisement; none if it is not.

    >>> advert("Best prices on replica watches, order now at www.watches.example", "en")
    ('order now', 'best prices', 'replica watches', 'www.watches.example')
    """
    if lang not in LISTED:
        return ()
    plain = readable(text).lower()
    bare = without_addresses(plain)
    addresses = ADDRESS.findall(plain) if bare != plain else []
    spaced = has_spaces(lang)
    if spaced and not addresses and not _may_call(_WORD.findall(bare), lang):
        return ()  # most comments need no closer look
    deals = tuple(_DEAL.findall(bare)) if spaced else ()
    calls, pitches = (
        tuple(dict.fromkeys(_pattern(lang, kind).findall(bare))) for kind in ("offer", "pitch")
    )
    numbers = [match[0] for pattern in (_PHONE, _ACCOUNT) for match in pattern.finditer(plain)]
    signed = spaced and any(map(_SITE.fullmatch, addresses))
    contact = _SIGNED if signed else _CONTACT * bool(addresses or numbers)
    points = _CALL * len(calls + deals) + len(pitches) + contact
    size = len(bare.split()) if spaced else len(bare) // _WORD_CHARACTERS
    selling = (calls and pitches) or (contact and (calls or deals)) or (signed and pitches)
    enough = points >= max(_LEAST_POINTS, size / _WORDS_PER_POINT)
    return (*calls, *deals, *pitches, *addresses, *numbers) if selling and enough else ()


def _may_call(words: Sequence[str], lang: str) -> bool:
    """Return True if a call to the reader may begin with two of the words."""
    openings = _openings(lang)
    firsts = _first_words(lang)
    # Most words begin none: a pair of words is only made of those that do.
    beginnings = [index for index, word in enumerate(words) if word in firsts]
    return any(tuple(words[index : index + 2]) in openings for index in beginnings)


@functools.cache
def _first_words(lang: str) -> frozenset[str]:
    return frozenset(first for first, _ in _openings(lang))


@functools.cache
def _openings(lang: str) -> frozenset[tuple[str, str]]:
    """Return the first two words of every call."""
    lines = sections("rankers", f"gate-{lang}.txt")["offer"]
    return frozenset(pair for line in lines for pair in list(pairwise(line.split()))[:1])


@functools.cache
def _pattern(lang: str, kind: str) -> re.Pattern[str]:
    lines = sorted(sections("rankers", f"gate-{lang}.txt")[kind], key=lambda line: -len(line))
    words = "|".join(map(re.escape, lines))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if has_spaces(lang) else words)
