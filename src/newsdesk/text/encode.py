"""Batches for metrics: candidates and references are tokenized and numbered once, and every metric shares them.

An `Encoded` batch holds the texts and hands out `EncodedUnits`: the same texts as numbered words under one `Analyzer` (a tokenizer,
lower case or not, stems or not). A tokenizer sees each distinct text once; lower case and stems are looked up per distinct
word, not per occurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.text.bytewise import Packed
from newsdesk.text.language import language
from newsdesk.text.normalize import has_marks, lined, word_passages
from newsdesk.text.ragged import Ragged, WordNumbers, offsets_of
from newsdesk.text.stem import stemmer
from newsdesk.text.tokenize import Tokenizer, tokenizer, tokenizer_for
from newsdesk.types import Reference

T = TypeVar("T")
Text: TypeAlias = "str | tuple[str, ...]"
GIVEN = "given"  # in signatures: the weights stand in the references


@dataclass(frozen=True, slots=True)
class Analyzer:
    """How a text becomes words.

    A tokenizer by name (None: the language's own), lower case, a stemmer by name.
    """

    tokenizer: str | None = None
    lower: bool = True
    stem: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EncodedUnits:
    """Candidates and references as numbered words of one vocabulary."""

    words: tuple[str, ...]
    candidates: Ragged
    references: Ragged
    signature: str


class Encoded:
    """A batch of items, a candidate with weighted references each, tokenized when first asked for."""

    def __init__(
        self,
        candidates: Sequence[Text],
        references: Sequence[Text],
        weights: NDArray[np.float64],
        reference_offsets: Ints,
        lang: str,
    ) -> None:
        self.candidates = tuple(candidates)
        self.references = tuple(references)
        self.weights = weights
        self.reference_offsets = reference_offsets
        self.lang = lang
        self.weighting = GIVEN
        self._units: dict[Analyzer, EncodedUnits] = {}
        self._cache: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def item_of_reference(self) -> Ints:
        """The item that each reference belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.reference_offsets))

    def units(self, analyzer: Analyzer) -> EncodedUnits:
        """Return the batch as words under an analyzer."""
        if analyzer not in self._units:
            raw = Analyzer(analyzer.tokenizer, lower=False)
            if analyzer == raw:
                self._units[raw] = self._numbered(analyzer.tokenizer)
            else:
                self._units[analyzer] = _with_forms(self.units(raw), analyzer)
        return self._units[analyzer]

    def with_weights(self, weights: NDArray[np.float64], weighting: str) -> Encoded:
        """Return the same texts, tokenized once for both, with other weights of the references.

        `weighting` says which in signatures.
        """
        if weights.shape != self.weights.shape:
            raise ArgumentError(
                f"{len(weights)} weights for {len(self.references)} references; give one each"
            )
        other = Encoded(
            self.candidates, self.references, weights, self.reference_offsets, self.lang
        )
        other.weighting = weighting
        other._units = self._units
        other._cache = {key: value for key, value in self._cache.items() if key != "digest"}
        return other

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached result of `make`, computed on the first call with this key."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    @property
    def reference_digest(self) -> str:
        """A digest of the weighted references, eight hexadecimal digits."""
        return self.once("digest", self._digest)

    def _digest(self) -> str:
        """Hash the references, how many each item has, and their weights."""
        digest = blake2b(digest_size=4)
        digest.update(self.reference_offsets.tobytes())
        digest.update(self.weights.tobytes())
        if packed := self._packed:
            digest.update(packed.references)
            return digest.hexdigest()
        for text in self.references:
            words = (text,) if isinstance(text, str) else text
            digest.update("\0".join((*words, "")).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @property
    def _packed(self) -> Packed | None:
        """The texts as bytes; None where some are words already, or hold marks of borders or a NUL."""
        return self.once("packed", self._pack)

    def _pack(self) -> Packed | None:
        if not {*map(type, self.candidates), *map(type, self.references)} <= {str}:
            return None
        packed = Packed.of(self.candidates, self.references)  # type: ignore[arg-type]
        return None if packed is None or has_marks(packed.data) else packed

    def _numbered(self, name: str | None) -> EncodedUnits:
        """Return the words as a tokenizer cuts them; None is that of the language."""
        cutter = tokenizer(name) if name else tokenizer_for(self.lang)
        packed = self._packed if cutter.number else None
        if cutter.number and packed:
            words, rows = cutter.number(packed)
            return EncodedUnits(tuple(words), *rows.divided(len(self)), signature=cutter.signature)
        return self._numbered_one_by_one(cutter)

    def _numbered_one_by_one(self, cutter: Tokenizer) -> EncodedUnits:
        """Return the words of texts that are cut one after another, and those of texts that are words already."""
        row_of: dict[Text, int] = {}  # equal texts are cut once
        texts = (*self.candidates, *self.references)
        rows = [row_of.setdefault(text, len(row_of)) for text in texts]
        lexicon = WordNumbers()
        has_tokens = not all(isinstance(text, str) for text in row_of)
        distinct = Ragged.number(
            [cutter.words(text) if isinstance(text, str) else _unmarked(text) for text in row_of],
            lexicon,
        )
        index = np.array(rows, dtype=np.int64)
        return EncodedUnits(
            tuple(lexicon),
            candidates=distinct.take(index[: len(self)]),
            references=distinct.take(index[len(self) :]),
            signature="tokens-given" if has_tokens else cutter.signature,
        )


def encode(
    candidates: Sequence[str | Sequence[str]],
    references: Sequence[Sequence[str | Reference | Sequence[str]]],
    *,
    lang: str | None = None,
) -> Encoded:
    """Encode items for any number of metrics: candidate i is compared with the list `references[i]`.

    A text is a str, in which `</s>` is a line break, or a list of words, in which it is no word. Without `lang` the script of the
    texts decides.
    """
    if len(candidates) != len(references):
        raise ArgumentError(
            f"{len(candidates)} candidates but {len(references)} lists of references"
        )
    for position, listed in enumerate(references):
        if isinstance(listed, str):
            raise ArgumentError(f"references[{position}] is one text, not a list of references")
    given = list(chain.from_iterable(references))
    flat: Sequence[str | Sequence[str]] = given  # type: ignore[assignment]
    weights = np.ones(len(given))
    if not {*map(type, given)} <= {str, list, tuple}:
        weights = np.fromiter(map(_weight, given), dtype=np.float64, count=len(given))
        flat = [one.text if isinstance(one, Reference) else one for one in given]
    lengths = np.fromiter(map(len, references), dtype=np.int64, count=len(references))
    packed = None
    if {*map(type, candidates), *map(type, flat)} <= {str}:
        packed = Packed.of(candidates, flat)  # type: ignore[arg-type]
    if packed is None or has_marks(packed.data):
        packed = None
        candidates, flat = _texts(candidates), _texts(flat)
    batch = Encoded(
        candidates,  # type: ignore[arg-type]
        flat,  # type: ignore[arg-type]
        weights,
        offsets_of(lengths),
        lang or _language_of(flat or candidates),
    )
    if packed:
        batch.once("packed", lambda: packed)
    return batch


def word_units(texts: Sequence[Text], analyzer: Analyzer, lang: str) -> tuple[Ragged, int]:
    """Return any texts as numbered words under an analyzer, and how many numbers are in use."""
    no_references = np.zeros(len(texts) + 1, dtype=np.int64)
    batch = Encoded(texts, [], weights=np.empty(0), reference_offsets=no_references, lang=lang)
    units = batch.units(analyzer)
    return units.candidates, max(len(units.words), 1)


def _weight(reference: object) -> float:
    return reference.weight if isinstance(reference, Reference) else 1.0


def _texts(values: Sequence[str | Sequence[str]]) -> list[Text]:
    """Return texts with line breaks for marks of borders, and lists of words as tuples."""
    return [lined(value) if isinstance(value, str) else tuple(value) for value in values]


def _unmarked(words: tuple[str, ...]) -> Sequence[str]:
    """Return the words without marks of sentence borders."""
    return list(chain.from_iterable(word_passages(words)))


def _language_of(texts: Iterable[str | Sequence[str]]) -> str:
    """Return the language of the beginnings of the first hundred texts."""
    sample = (text if isinstance(text, str) else " ".join(text) for text in list(texts)[:100])
    return language("\n".join(text[:200] for text in sample))


def _with_forms(raw: EncodedUnits, analyzer: Analyzer) -> EncodedUnits:
    """Return the units with every word in its lower-cased or stemmed form.

    Words that fall together share a number.
    """
    forms: Sequence[str] = raw.words
    signature = raw.signature
    if analyzer.lower:
        forms = _lowered(forms)
        signature += "+lower"
    if analyzer.stem:
        forms = stemmer(analyzer.stem)(forms)
        signature += f"+{analyzer.stem}"
    if forms is raw.words:
        return EncodedUnits(raw.words, raw.candidates, raw.references, signature)
    lexicon = WordNumbers()
    numbers = map(lexicon.__getitem__, forms)
    table = np.fromiter(numbers, dtype=np.int32, count=len(forms))
    return EncodedUnits(
        tuple(lexicon), raw.candidates.map(table), raw.references.map(table), signature
    )


def _lowered(words: Sequence[str]) -> Sequence[str]:
    """Return the words in lower case; the same object if they are so already."""
    joined = "\n".join(words)
    lowered = joined.lower()
    if lowered == joined:
        return words
    split = lowered.split("\n")
    return split if len(split) == len(words) else [word.lower() for word in words]
