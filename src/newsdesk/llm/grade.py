"""`llm-grade`: a language model grades a text beside its references, in the form of G-Eval (Liu et al. 2023).

The model is told the criterion and answers with one number of a scale. The grade is the mean of the numbers under the probabilities of the first token; where the endpoint gives none, the number
that was written. It is mapped to 0 … 1. A refusal or an answer without a number is no opinion: such items take no part in the mean, and 0 as values of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.llm.prompts import compose, prompt_id
from newsdesk.llm.questions import Completion, Prompt
from newsdesk.llm.settings import ModelSettings
from newsdesk.metrics.metric import Metric
from newsdesk.metrics.soft_recall import plain_text
from newsdesk.settings import at_least
from newsdesk.text.encode import Analyzer, Encoded

TASK = "You grade a text against reference texts, as a careful evaluator. Criterion: {criterion}"
ASK = "Grade the text from {low} (worst) to {high} (best). Answer with the number alone."
CRITERION = "the text says what matters of the references, truly, and reads well"


@dataclass(frozen=True, kw_only=True)
class LlmGrade(ModelSettings, Metric):
    """The grade of a language model, from 0 to 1; `scale` is the highest number it may give, `criterion` what it grades."""

    criterion: str = CRITERION
    scale: int = 5

    def __post_init__(self) -> None:
        self.check_model()
        at_least("scale", self.scale, 2)
        if self.scale > 9:
            raise ArgumentError(f"scale is {self.scale}; grades have one digit, so that a token holds them")  # fmt: skip

    @property
    def analyzer(self) -> Analyzer:
        """The texts as they are."""
        return Analyzer("space", lower=False)

    @property
    def readings(self) -> Mapping[str, str]:
        """The model, its temperature, the prompt and the scale."""
        return {
            "model": self.asked.name,
            "temperature": f"{self.temperature:g}",
            "prompt": prompt_id(TASK, ASK, self.criterion),
            "scale": f"1-{self.scale}",
        }

    def statistics(self, batch: Encoded) -> Floats:
        """Return the grade and whether there is one, items × 2."""
        prompts = [self._prompt(batch, item) for item in range(len(batch))]
        rows = np.zeros((len(prompts), 2))
        for item, answer in enumerate(self.asked.ask_all(prompts)):
            grade = self.grade(answer)
            if grade is not None:
                rows[item] = (grade - 1) / (self.scale - 1), 1
        return rows

    def values(self, rows: Floats) -> Floats:
        """Return the mean grade of the items that have one; 0 without any."""
        return rows[:, 0] / np.maximum(rows[:, 1], 1)

    def grade(self, answer: Completion) -> float | None:
        """Return the expected number of an answer, None where there is no opinion."""
        if not answer.usable:
            return None
        options = [str(number) for number in range(1, self.scale + 1)]
        chances = answer.probabilities(options)
        if chances is not None:
            return sum(int(option) * chance for option, chance in chances.items())
        number = re.search(rf"(?<!\d)[1-{self.scale}](?!\d)", answer.text)
        return float(number[0]) if number else None

    def _prompt(self, batch: Encoded, item: int) -> Prompt:
        low, high = batch.reference_offsets[item : item + 2].tolist()
        texts = [("reference", plain_text(text)) for text in batch.references[low:high]]
        texts.append(("text", plain_text(batch.candidates[item])))
        task = TASK.format(criterion=self.criterion)
        ask = ASK.format(low=1, high=self.scale)
        return compose(task, texts, ask, max_tokens=3, top=20, temperature=self.temperature)
