"""`nli-faithful`: how far the sentences of a text follow from its references, by a model of natural language inference.

Each sentence of the candidate takes the highest probability of entailment that any sentence, or any whole reference, gives it; the value is the mean over sentences (Falke et al. 2019; SummaC-ZS,
Laban et al. 2022). References are what the text should be faithful to: give the articles as references to measure faithfulness to the sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.llm.nli import NliModel, nli_model
from newsdesk.metrics.metric import MeanMetric
from newsdesk.metrics.soft_recall import plain_text
from newsdesk.text import sentences
from newsdesk.text.encode import Analyzer, Encoded


@dataclass(frozen=True)
class NliFaithful(MeanMetric):
    """The mean probability that a sentence of the text follows from the references; `model` is `hf:PATH`."""

    model: str = ""

    @property
    def analyzer(self) -> Analyzer:
        """The texts as they are: the model cuts them itself."""
        return Analyzer("space", lower=False)

    @property
    def readings(self) -> Mapping[str, str]:
        """The model by name and digest, and how sentences and references are taken together."""
        return {"nli": self._named().name, "sentences": "mean", "references": "max"}

    def item_values(self, batch: Encoded) -> Floats:
        """Return the faithfulness of each item, items × 1; a text without sentences has 0."""
        model = self._named()
        values = np.zeros((len(batch), 1))
        for item in range(len(batch)):
            low, high = batch.reference_offsets[item : item + 2].tolist()
            references = [plain_text(text) for text in batch.references[low:high]]
            premises = list(dict.fromkeys(part for text in references for part in (text, *sentences(text, batch.lang)) if part.strip()))  # fmt: skip
            said = [part for part in sentences(plain_text(batch.candidates[item]), batch.lang) if part.strip()]  # fmt: skip
            if not said or not premises:
                continue
            inferred = model.infer([(premise, part) for part in said for premise in premises])
            table = np.array([each.entailment for each in inferred]).reshape(len(said), -1)
            values[item] = table.max(axis=1).mean()
        return values

    def _named(self) -> NliModel:
        if not self.model:
            raise ArgumentError("nli-faithful needs a model; write nli-faithful(model='hf:PATH')")
        return nli_model(self.model)
