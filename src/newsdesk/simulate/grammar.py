"""Realize facts as sentences: each fact has many paraphrases, by pattern and by word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from newsdesk.simulate.lexicon import Forms, Lexicon
from newsdesk.simulate.plans import Fact


def sentence(lexicon: Lexicon, kind: str, fact: Fact, numbers: Iterator[int]) -> str:
    """One way to say a fact: a pattern of this kind, filled with one word of each set."""
    patterns = lexicon.patterns[kind]
    noun = _one(lexicon.nouns[fact.noun], numbers)
    verb = _one(lexicon.verbs[fact.verb], numbers)
    text = patterns[next(numbers) % len(patterns)].format(
        A=fact.actor,
        P=fact.place,
        noun=noun[0],
        nouns=noun[1],
        noun2=_one(lexicon.nouns[fact.other], numbers)[0],
        adj=_one(lexicon.adjectives[fact.adjective], numbers)[0],
        base=verb[0],
        pres=verb[1],
        past=verb[2],
        ing=verb[3],
        num=fact.number,
        day=lexicon.patterns["days"][fact.day],
    )
    return text[0].upper() + text[1:]


def words_of(lexicon: Lexicon, facts: Sequence[Fact]) -> list[str]:
    """The content words of facts, most important facts first, as a reader would repeat them."""
    forms = []
    for fact in facts:
        forms += [
            lexicon.nouns[fact.noun][0][0],
            lexicon.verbs[fact.verb][0][0],
            lexicon.nouns[fact.other][0][0],
            lexicon.adjectives[fact.adjective][0][0],
        ]
    return forms


def joined(lexicon: Lexicon, sentences: Sequence[str]) -> str:
    """Join sentences into one text."""
    return lexicon.space.join(sentences)


def _one(synonyms: tuple[Forms, ...], numbers: Iterator[int]) -> Forms:
    return synonyms[next(numbers) % len(synonyms)]
