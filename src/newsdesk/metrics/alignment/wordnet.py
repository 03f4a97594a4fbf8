"""Synsets from a WordNet folder that the user has: `index.noun`, `noun.exc` and so on, the same for verbs, adjectives and adverbs.

A word has the synsets of its own entry and of its base forms: those that the exception lists give, else the first that WordNet's
detachment rules lead to, whatever the part of speech, as in METEOR 1.5.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from newsdesk.errors import DataError, FileError
from newsdesk.files import Source
from newsdesk.text.ragged import Ragged

_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_DETACHMENT = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
_SHORT = 2  # words up to this length, and words in -ss, have no other base form


@dataclass(frozen=True, slots=True, eq=False)
class WordNet:
    """The synsets of each entry, the base forms of irregular words, and a digest of the files."""

    entries: Mapping[str, tuple[int, ...]]
    bases: Mapping[str, tuple[str, ...]]
    digest: str

    def synsets(self, word: str) -> tuple[int, ...]:
        """The numbers of all synsets of a lower-cased word."""
        bases = self.bases.get(word) or self._detached(word)
        synsets = [self.entries.get(form, ()) for form in (word, *bases)]
        return tuple(dict.fromkeys(number for numbers in synsets for number in numbers))

    def rows(self, words: Sequence[str]) -> Ragged:
        """The synset numbers of each word, as ragged rows."""
        return Ragged.of_rows(self.synsets(word) for word in words)

    def _detached(self, word: str) -> tuple[str, ...]:
        if len(word) <= _SHORT or word.endswith("ss"):
            return ()
        forms = (word.removesuffix(end) + new for end, new in _DETACHMENT if word.endswith(end))
        return tuple(form for form in forms if form in self.entries)[:1]


@functools.cache
def wordnet(folder: str) -> WordNet:
    """Read the index and exception files of a WordNet folder."""
    wanted = [f"index.{part}" for part in _PARTS_OF_SPEECH]
    wanted += [f"{part}.exc" for part in _PARTS_OF_SPEECH]
    missing = [name for name in wanted if not (Path(folder) / name).is_file()]
    if missing:
        raise FileError(
            f"{folder}: not a WordNet folder, since it has no {', '.join(missing)}; "
            "name the `dict` folder of WordNet 3"
        )
    digest = blake2b(digest_size=4)
    numbers: dict[tuple[str, str], int] = {}
    entries: dict[str, tuple[int, ...]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for part in _PARTS_OF_SPEECH:
        for lemma, offsets in _index(Path(folder) / f"index.{part}", digest):
            synsets = (numbers.setdefault((part, offset), len(numbers)) for offset in offsets)
            entries[lemma] = (*entries.get(lemma, ()), *synsets)
    for part in _PARTS_OF_SPEECH:
        for form, *forms in _fields(Path(folder) / f"{part}.exc", digest):
            bases[form] = (*bases.get(form, ()), *forms)
    return WordNet(entries, bases, digest.hexdigest())


def _index(path: Path, digest: blake2b) -> Iterator[tuple[str, list[str]]]:
    """Each entry of an index file with the offsets of its synsets, which stand at the end of the line."""
    for fields in _fields(path, digest):
        try:
            offsets = fields[-int(fields[2]) :]
            if len(fields) < 6 + len(offsets):
                raise ValueError
        except (ValueError, IndexError) as error:
            raise DataError(
                f"{' '.join(fields)[:60]!r} is no line of a WordNet index", file=str(path)
            ) from error
        yield fields[0], offsets


def _fields(path: Path, digest: blake2b) -> Iterator[list[str]]:
    for _, line in Source(path).lines():
        digest.update(line + b"\n")
        if line.strip() and not line.startswith(b" "):  # the licence is indented
            yield line.decode("utf-8", "replace").split()
