"""Submodular+Abs of the WCEP paper: Submodular extracts up to 100 words, and a sequence-to-sequence model rewrites them.

The paper used OpenNMT's bottom-up attention model trained on CNN/Daily Mail; any transformers model of the kind does, by `model='hf:PATH'`.
`own`, the default, is a small copier that comes with the package; `fit` returns a summarizer with another, learned from clusters (`model=''` says that
it still has to be). The sentences and the trace of a summary are those that the model was given; the text is the model's own, cut to the limit.
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
from newsdesk.summarizers.learned import Learned
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.rewriters import OWN, CopyingRewriter, Rewriter, rewriter
from newsdesk.summarizers.submodular import Submodular
from newsdesk.summarizers.summary import Summary
from newsdesk.text import language, sentences
from newsdesk.types import Cluster

_EXTRACT_WORDS = 100  # the paper's, for summaries of 40
_EXTRACT_RATIO = 2.5
_WORDS_PER_UNIT = {"words": 1.0, "characters": 1 / 6, "sentences": 25.0}  # to ask a model for


@dataclass(frozen=True)
class SubmodularAbs(Submodular, Learned):
    """What Submodular takes, told in other words."""

    extract_words: int | None = None
    model: str = OWN
    beams: int = 4
    no_repeat: int = 3
    prefix: str = ""
    epochs: int = 6
    rewriter_: CopyingRewriter | None = field(default=None, init=False, repr=False)

    name = "submodular+abs"

    def __post_init__(self) -> None:
        Submodular.__post_init__(self)
        if self.extract_words is not None:
            at_least("extract_words", self.extract_words, 1)
        at_least("epochs", self.epochs, 1)
        at_least("beams", self.beams, 1)
        at_least("no_repeat", self.no_repeat, 0)

    @property
    def extractor(self) -> Submodular:
        """The method that chooses what is rewritten: 100 words for 40, and more for longer summaries, unless `extract_words` says how many."""
        size = self.extract_words
        if size is None:
            limit = self.max_words if self.unit == "words" else 0
            size = max(_EXTRACT_WORDS, round(_EXTRACT_RATIO * limit))
        return Submodular(**{**self._shared, "max_words": size, "unit": "words"})

    @property
    def signature(self) -> str:
        """The settings of Submodular, how many words it takes, and the model that rewrites them."""
        model = self.rewriter().signature if self.trained else "unfitted"
        words = self.extractor.max_words
        return signature(self.name, {**self._shared, "extract_words": words}, model)

    @property
    def _shared(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(Submodular)}

    @property
    def trained(self) -> bool:
        """Whether there is a model: named, or just fitted."""
        return bool(self.model) or self.rewriter_ is not None

    @property
    def digest(self) -> str:
        """That of the copier."""
        return self._fitted().copier.digest

    @property
    def summary(self) -> str:
        """The name, and what it learned from."""
        return f"{self.name}: {self._fitted().note}"

    def rewriter(self) -> Rewriter:
        """The model that rewrites."""
        if self.rewriter_ is not None:
            return self.rewriter_
        if not self.model:
            raise ArgumentError(
                f"{self.name} is not fitted; leave `model` out for our own, or name one: --model hf:PATH or a folder made by --fit"
            )
        return rewriter(self.model, beams=self.beams, no_repeat=self.no_repeat, prefix=self.prefix)

    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """A new summarizer that has learned to rewrite from clusters with summaries; of the epochs the best on `dev` clusters is kept. Nothing is cached."""
        from newsdesk.summarizers.rewriting import Lessons, learn, readers

        if self.model not in ("", OWN):
            raise ArgumentError(f"this {self.name} is fitted: {self.model!r}; leave `model` out")
        ways = readers(self.extractor, self.seed)
        lessons = Lessons.of(clusters, ways)
        dev_lessons = Lessons.of(dev or (), ways[:1])
        copier, loss = learn(lessons, dev_lessons, self.epochs, self.seed)
        note = (
            f"{len(lessons.summaries):,} extracts, {loss:.3f} nats a word"
            f"{' on dev clusters' if dev_lessons.summaries else ''}"
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
        """Extract, then rewrite; where nothing is extracted the summary is empty."""
        model = self.rewriter()
        fed = self.extractor.summarize(cluster)
        asked = max(1, round(self.max_words * _WORDS_PER_UNIT[self.unit]))
        text = self._cut(model.rewrite(fed.text, asked)) if fed.text else ""
        tokenizers = fed.signature.rpartition("|tok:")[2]
        return dataclasses.replace(fed, text=text, signature=f"{self.signature}|tok:{tokenizers}")

    def _cut(self, text: str) -> str:
        """The text up to the limit."""
        lang = language(text)
        if self.unit == "words":
            return truncated(text, self.max_words, lang)
        if self.unit == "characters":
            return text[: self.max_words].rstrip()
        kept = sentences(text, lang)[: self.max_words]
        return text[: text.index(kept[-1]) + len(kept[-1])] if kept else ""
