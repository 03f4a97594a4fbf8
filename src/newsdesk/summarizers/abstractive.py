"""Submodular+Abs of the WCEP paper: Submodular extracts up to 100 words, and a sequence-to-sequence model rewrites them.

The paper used OpenNMT's bottom-up attention model trained on CNN/Daily Mail; any transformers model of the kind does, by `model='hf:PATH'`. The
sentences and the trace of a summary are those that the model was given; the text is the model's own, cut to the limit.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.summarizers.evaluate import truncated
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.rewriters import Rewriter, rewriter
from newsdesk.summarizers.submodular import Submodular
from newsdesk.summarizers.summarizer import at_least
from newsdesk.summarizers.summary import Summary
from newsdesk.text import language, sentences
from newsdesk.types import Cluster


@dataclass(frozen=True)
class SubmodularAbs(Submodular):
    """What Submodular takes, told in other words."""

    extract_words: int = 100
    model: str = ""
    beams: int = 4
    no_repeat: int = 3
    prefix: str = ""

    name = "submodular+abs"

    def __post_init__(self) -> None:
        Submodular.__post_init__(self)
        at_least("extract_words", self.extract_words, 1)
        at_least("beams", self.beams, 1)
        at_least("no_repeat", self.no_repeat, 0)

    @property
    def extractor(self) -> Submodular:
        """The method that chooses what is rewritten."""
        shared = {each.name: getattr(self, each.name) for each in dataclasses.fields(Submodular)}
        return Submodular(**{**shared, "max_words": self.extract_words, "unit": "words"})

    def rewriter(self) -> Rewriter:
        """The model that rewrites."""
        if not self.model:
            raise ArgumentError(
                f"{self.name} needs a sequence-to-sequence model; name one: --model hf:PATH "
                f"(or {self.name}(model='hf:PATH'))"
            )
        return rewriter(self.model, beams=self.beams, no_repeat=self.no_repeat, prefix=self.prefix)

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Extract, then rewrite; where nothing is extracted the summary is empty."""
        model = self.rewriter()
        fed = self.extractor.summarize(cluster)
        text = self._cut(model.rewrite(fed.text, self.max_words)) if fed.text else ""
        tokenizers = fed.signature.rpartition("|tok:")[2]
        return dataclasses.replace(
            fed, text=text, signature=f"{self.signature}|{model.signature}|tok:{tokenizers}"
        )

    def _cut(self, text: str) -> str:
        """The text up to the limit."""
        lang = language(text)
        if self.unit == "words":
            return truncated(text, self.max_words, lang)
        if self.unit == "characters":
            return text[: self.max_words].rstrip()
        kept = sentences(text, lang)[: self.max_words]
        return text[: text.index(kept[-1]) + len(kept[-1])] if kept else ""
