"""Submodular+Abs (Gholipour Ghalandari et al. 2020): Submodular extracts up to 100 words, and a sequence-to-sequence model rewrites them.

The paper used OpenNMT's bottom-up attention model trained on CNN/Daily Mail, which is not at hand; any transformers model of the kind does, by `model='hf:PATH'`.
`own`, the default, is no model: it deletes words within single sentences by rules (`shortening`), and takes shortened sentences up to the limit. `copier` is a
small network that ships with the package; `fit` returns a summarizer with one trained on clusters (`model=''`: not fitted yet). What a network
writes is not checked, and its signature says so, unless `faithful` is set: then each sentence must be a permitted deletion of one
sentence of the extract (`deletions`), or is replaced by that sentence as it stands.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.signatures import signature
from newsdesk.summarizers.cache import Cache
from newsdesk.summarizers.evaluate import truncated
from newsdesk.summarizers.greedy import WORDS_PER_TOKEN, Unit
from newsdesk.summarizers.learned import Learned
from newsdesk.summarizers.passages import checked, fitted_in, rules_digest, shortened_sentence
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.rewriters import OWN, CopyingRewriter, Rewriter, rewriter
from newsdesk.summarizers.submodular import Submodular
from newsdesk.summarizers.summary import Sentence, Summary
from newsdesk.text import language, sentences
from newsdesk.types import Cluster
from newsdesk.wording import plural

_EXTRACT_WORDS = 100  # the paper's, for summaries of 40
_EXTRACT_RATIO = 2.5
# To ask a model for.
_WORDS_PER_UNIT: dict[Unit, float] = {
    "words": 1.0,
    "tokens": WORDS_PER_TOKEN,
    "characters": 1 / 6,
    "sentences": 25.0,
}


@dataclass(frozen=True)
class SubmodularAbs(Submodular, Learned):
    """The extract of Submodular, rewritten by a sequence-to-sequence model."""

    extract_words: int | None = None
    model: str = OWN
    beams: int = 4
    no_repeat: int = 3
    prefix: str = ""
    epochs: int = 6
    faithful: bool = False
    rewriter_: CopyingRewriter | None = field(default=None, init=False, repr=False)

    name = "submodular+abs"

    def __post_init__(self) -> None:
        Submodular.__post_init__(self)
        if self.extract_words is not None:
            at_least("extract_words", self.extract_words, 1)
        if self.prefix and not self.model.startswith("hf:"):
            raise ArgumentError("prefix is for models by hf:PATH")
        at_least("epochs", self.epochs, 1)
        at_least("beams", self.beams, 1)
        at_least("no_repeat", self.no_repeat, 0)

    @property
    def extractor(self) -> Submodular:
        """The method that selects the extract: 100 words for 40, and more for longer summaries, unless `extract_words` is set."""
        size = self.extract_words
        if size is None:
            limit = self.max_words if self.unit in ("words", "tokens") else 0
            size = max(_EXTRACT_WORDS, round(_EXTRACT_RATIO * limit))
        return Submodular(**{**self._shared, "max_words": size, "unit": "words"})

    @property
    def signature(self) -> str:
        """The settings of Submodular, the length of the extract, and the rewriting model with whether it is checked."""
        words = self.extractor.max_words
        return signature(self.name, {**self._shared, "extract_words": words}, self._model)

    @property
    def _model(self) -> str:
        if not self.trained:
            return "unfitted"
        if self._deletes:
            return f"deletions:{rules_digest()}"
        return f"{self.rewriter().signature}|{'faithful' if self.faithful else 'unchecked'}"

    @property
    def _deletes(self) -> bool:
        """True if sentences are shortened by rules, without a model."""
        return self.model == OWN and self.rewriter_ is None

    @property
    def _shared(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(Submodular)}

    @property
    def trained(self) -> bool:
        """True if there is a model: named by `model`, or fitted."""
        return bool(self.model) or self.rewriter_ is not None

    @property
    def digest(self) -> str:
        """The digest of the fitted copier."""
        return self._fitted().copier.digest

    @property
    def summary(self) -> str:
        """The name and a note on the training data, in one line."""
        return f"{self.name}: {self._fitted().note}"

    def rewriter(self) -> Rewriter:
        """The rewriting model, fitted or named by `model`."""
        if self.rewriter_ is not None:
            return self.rewriter_
        if not self.model:
            raise ArgumentError(
                f"{self.name} is not fitted; leave `model` out for our own, or name one: --fitted copier, hf:PATH or a folder made by --fit"
            )
        return rewriter(self.model, beams=self.beams, no_repeat=self.no_repeat, prefix=self.prefix)

    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer whose copier is trained on clusters with summaries; the epoch of lowest loss on `dev` clusters is used. Nothing is cached."""
        from newsdesk.summarizers.rewriting import TrainingPairs, train_copier, training_extractors

        if self.model not in ("", OWN):
            raise ArgumentError(f"this {self.name} is fitted: {self.model!r}; leave `model` out")
        extractors = training_extractors(self.extractor, self.seed)
        pairs = TrainingPairs.of(clusters, extractors)
        dev_pairs = TrainingPairs.of(dev or (), extractors[:1])
        copier, loss = train_copier(pairs, dev_pairs, self.epochs, self.seed)
        note = (
            f"{plural(len(pairs.summaries), 'extract')}, {loss:.3f} nats a word"
            f"{' on dev clusters' if dev_pairs.summaries else ''}"
        )
        fitted = CopyingRewriter(copier, note, beams=self.beams, no_repeat=self.no_repeat)
        return self._holding(rewriter_=fitted, model="")

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the fitted model into a folder."""
        self._fitted().save(folder, self.name, overwrite=overwrite)

    def _fitted(self) -> CopyingRewriter:
        if self.rewriter_ is None:
            raise ArgumentError(f"this {self.name} was not fitted here")
        return self.rewriter_

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Extract, then shorten or rewrite; the summary is empty if nothing is extracted."""
        prepared = self.prepared(cluster)
        extract = self.extractor.summarize(prepared)
        if self._deletes:
            summary = fitted_in(self._shortened(prepared, extract), self.room(prepared), extract)
        else:
            model = self.rewriter()
            words = max(1, round(self.max_words * _WORDS_PER_UNIT[self.unit]))
            text = model.rewrite(extract.text, words) if extract.text else ""
            if self.faithful:
                passages = checked(sentences(text, language(text)), extract.sentences)
                summary = fitted_in(passages, self.room(prepared), extract)
            else:
                summary = dataclasses.replace(extract, text=self._cut(text))
        tokenizers = extract.signature.rpartition("|tok:")[2]
        return dataclasses.replace(summary, signature=f"{self.signature}|tok:{tokenizers}")

    def _shortened(self, prepared: Prepared, extract: Summary) -> dict[Sentence, str]:
        """The sentences of the extract, each shortened if it is English."""
        of_id = {each.id: at for at, each in enumerate(prepared.cluster.articles)}
        return {
            sentence: shortened_sentence(prepared, of_id[sentence.article], sentence)
            for sentence in extract.sentences
        }

    def _cut(self, text: str) -> str:
        """The text truncated to the limit."""
        lang = language(text)
        if self.unit == "words" or self.unit == "tokens":
            return truncated(text, self.max_words, lang, self.unit)
        if self.unit == "characters":
            return text[: self.max_words].rstrip()
        first = sentences(text, lang)[: self.max_words]
        return text[: text.index(first[-1]) + len(first[-1])] if first else ""
