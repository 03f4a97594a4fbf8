"""The alignment of `chunks` with a third stage: words that share a synset.

Sharing a synset is not transitive, so there are no groups; the possible matches of all pairs are listed one by one, and every pair
that has a choice goes through the beam. As in the jar, two words that share their stem and a synset can be matched in two ways,
which makes the match an open one.

Synsets from a WordNet folder that the user has: `index.noun`, `noun.exc` and so on, the same for verbs, adjectives and adverbs.

A word has the synsets of its own entry and of its base forms: those that the exception lists give, else the first that WordNet's
detachment rules lead to, whatever the part of speech, as in METEOR 1.5.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile
from newsdesk.metrics.alignment.chunks import Rules, identical, resolve, with_identical
from newsdesk.metrics.alignment.pairs import (
    EXACT,
    STEM,
    SYNONYM,
    Entries,
    Matched,
    PairCounts,
    Pairs,
)
from newsdesk.text.ragged import Ragged, offsets_of

_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_DETACHMENT = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
_INDEX_FIELDS = 6  # of a line of an index at least, before the offsets of synsets
_SHORT = 2  # words up to this length, and words in -ss, have no other base form


@dataclass(frozen=True, slots=True, eq=False)
class WordNet:
    """The synsets of each entry, the base forms of irregular words, and a digest of the files."""

    entries: Mapping[str, tuple[int, ...]]
    bases: Mapping[str, tuple[str, ...]]
    digest: str

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the numbers of all synsets of a lower-cased word."""
        bases = self.bases.get(word) or self._detached(word)
        by_form = [self.entries.get(form, ()) for form in (word, *bases)]
        return tuple(dict.fromkeys(synset for synsets in by_form for synset in synsets))

    def rows(self, words: Sequence[str]) -> Ragged:
        """Return the synset numbers of each word, as ragged rows."""
        return Ragged.of_rows(self.synsets(word) for word in words)

    def _detached(self, word: str) -> tuple[str, ...]:
        if len(word) <= _SHORT or word.endswith("ss"):
            return ()
        forms = (word.removesuffix(end) + new for end, new in _DETACHMENT if word.endswith(end))
        return tuple(form for form in forms if form in self.entries)[:1]


@functools.cache
def wordnet(folder: str) -> WordNet:
    """Read the index and exception files of a WordNet folder, once per folder."""
    wanted = [f"index.{part}" for part in _PARTS_OF_SPEECH]
    wanted += [f"{part}.exc" for part in _PARTS_OF_SPEECH]
    missing = [name for name in wanted if not (Path(folder) / name).is_file()]
    if missing:
        raise FileError(
            f"{folder}: not a WordNet folder, since it has no {', '.join(missing)}; "
            "name the `dict` folder of WordNet 3"
        )
    digest = blake2b(digest_size=4)
    numbers: dict[tuple[str, str], int] = {}  # of synsets, by part of speech and offset in its file
    entries: dict[str, tuple[int, ...]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for part in _PARTS_OF_SPEECH:
        for lemma, offsets in _index(Path(folder) / f"index.{part}", digest):
            synsets = (numbers.setdefault((part, offset), len(numbers)) for offset in offsets)
            entries[lemma] = (*entries.get(lemma, ()), *synsets)
    for part in _PARTS_OF_SPEECH:
        for irregular, *base_forms in _fields(Path(folder) / f"{part}.exc", digest):
            bases[irregular] = (*bases.get(irregular, ()), *base_forms)
    return WordNet(entries, bases, digest.hexdigest())


def _index(path: Path, digest: blake2b) -> Iterator[tuple[str, list[str]]]:
    """Yield each entry of an index file with the offsets of its synsets."""
    for fields in _fields(path, digest):
        try:
            synset_count = int(fields[2])
            offsets = fields[-synset_count:]
            if len(fields) < _INDEX_FIELDS + len(offsets):
                raise ValueError
        except (ValueError, IndexError) as error:
            raise DataError(
                f"{' '.join(fields)[:60]!r} is no line of a WordNet index", file=str(path)
            ) from error
        yield fields[0], offsets


def _fields(path: Path, digest: blake2b) -> Iterator[list[str]]:
    """Yield the fields of each line but the licence, and add all lines to the digest."""
    for _, line in InputFile(path).lines():
        digest.update(line + b"\n")
        if line.strip() and not line.startswith(b" "):  # the licence is indented
            yield line.decode("utf-8", "replace").split()


def with_synonyms(pairs: Pairs, synsets: Ragged, rules: Rules) -> PairCounts:
    """Match each reference with its candidate; row w of `synsets` numbers the synsets of word w."""
    token, partner, stage = _possible_matches(pairs, synsets)
    pair = pairs.references.rows[token]
    exact = stage == EXACT
    # An exact match of a token with the token in the same place is needed for the pair to be identical.
    first = exact & (np.diff(token, prepend=-1) > 0)
    same = identical(pairs, pair[first], token[first], np.ones(len(pairs), dtype=np.bool_))
    useful = exact | ~same[pair]
    pair, token, partner, stage = pair[useful], token[useful], partner[useful], stage[useful]

    position = pairs.places()[pair] + partner - pairs.candidates.offsets[pairs.item[pair]]
    # Matches of tokens that have no other one are certain: matches.
    only = (np.bincount(token)[token] == 1) & (np.bincount(position)[position] == 1)
    forced = np.full(len(pairs.references.ids), -1)
    forced[token[only]] = (partner - pairs.candidates.offsets[pairs.item[pair]])[only]
    certain = Matched.tally(pairs, pair[only], token[only], partner[only], stage[only])

    left = np.flatnonzero(~only & ~same[pair])  # matches to choose from
    starts = np.flatnonzero(np.diff(token[left], prepend=-1))  # entries
    size = np.diff(starts, append=len(left))
    entry = left[starts]
    entries = Entries.of(pairs, pair[entry], token[entry], size, partner[left], stage[left], forced)
    matched = certain.plus(resolve(entries, None, len(pairs), rules))
    return with_identical(PairCounts.of(pairs, matched), same)


def _possible_matches(pairs: Pairs, synsets: Ragged) -> tuple[Ints, Ints, Ints]:
    """Return reference token, candidate token and stage of all possible matches, sorted."""
    item = pairs.candidates.rows
    item_of_reference = pairs.item[pairs.references.rows]  # reference tokens
    stems = len(pairs.stem_of)
    partner, token = _equal(
        item * stems + pairs.stem_of[pairs.candidates.ids],
        item_of_reference * stems + pairs.stem_of[pairs.references.ids],
    )
    same_word = pairs.candidates.ids[partner] == pairs.references.ids[token]  # matches by stem
    stage = np.where(same_word, EXACT, STEM)

    # Every token once for each of its synsets, and those of both sides that share one: token × token, each once.
    left, left_set = _expanded(pairs.candidates.ids, synsets)
    right, right_set = _expanded(pairs.references.ids, synsets)
    sets = int(synsets.ids.max(initial=0)) + 1
    at_left, at_right = _equal(
        item[left] * sets + left_set, item_of_reference[right] * sets + right_set
    )
    candidates = max(len(item), 1)
    codes = np.unique(right[at_right] * candidates + left[at_left])
    synonym, other = codes // candidates, codes % candidates
    differs = pairs.candidates.ids[other] != pairs.references.ids[synonym]
    token = np.concatenate((token, synonym[differs]))
    partner = np.concatenate((partner, other[differs]))
    stage = np.concatenate((stage, np.full(int(differs.sum()), SYNONYM)))
    order = np.lexsort((partner, stage, token))
    return token[order], partner[order], stage[order]


def _expanded(ids: np.ndarray[tuple[int], np.dtype[np.int32]], rows: Ragged) -> tuple[Ints, Ints]:
    """Return each token once for every number in the row of its word: the token, and the number."""
    taken = rows.take(ids.astype(np.int64))
    return taken.rows, taken.ids.astype(np.int64)


def _equal(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return the i and the j of all pairs with left[i] == right[j], by j and i."""
    order = np.argsort(left, kind="stable")
    ordered = left[order]
    low, high = (np.searchsorted(ordered, right, side=side) for side in ("left", "right"))
    size = high - low
    j = np.repeat(np.arange(len(right)), size)
    number = np.arange(len(j)) - offsets_of(size)[j]  # among the equal ones of each j
    return order[np.repeat(low, size) + number], j
