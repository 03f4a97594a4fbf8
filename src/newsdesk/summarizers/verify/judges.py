"""Models that are asked whether a source supports a sentence: an NLI classifier, or a language model by a question with two answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from newsdesk.jsonl import json_value
from newsdesk.llm import LanguageModel, compose, language_model, nli_model, prompt_id
from newsdesk.summarizers.verify.verifier import Judge

TASK = (
    "You check a claim against a source text. The claim is supported only if the source says it: the same people doing the same things, the same "
    "numbers, names, dates and negations. What the source leaves open is not supported."
)
ASK = "Does the source support the claim? Answer with one word: yes or no."
_OPTIONS = ("yes", "no")
_ALTERNATIVES = 10


class InferenceJudge:
    """An NLI classifier: the probability is that of entailment."""

    def __init__(self, spec: str) -> None:
        self._model = nli_model(spec)
        self.name = f"nli:{self._model.name}"

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the probability of entailment for each pair."""
        return [inference.entailment for inference in self._model.infer(pairs)]


class AskedJudge:
    """A language model that answers yes or no; the probability is that of "yes" where the endpoint gives it, else 1 or 0."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name = f"llm:{model.name}|prompt:{prompt_id(TASK, ASK)}"

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the probability for each pair; None for an answer that is neither."""
        questions = (
            compose(
                TASK, [("source", source), ("claim", claim)], ASK, max_tokens=3, top=_ALTERNATIVES
            )
            for source, claim in pairs
        )
        return [
            yes_or_no(answer.text, answer.probabilities(_OPTIONS)) if answer.usable else None
            for answer in self._model.ask_all(questions)
        ]


def yes_or_no(text: str, shares: dict[str, float] | None) -> float | None:
    """Return the probability of "yes" by the shares of the first token, else by the text; None if it is neither.

    >>> yes_or_no("No.", {"yes": 0.2, "no": 0.8}), yes_or_no("Yes, it does", None), yes_or_no("Perhaps", None)
    (0.2, 1.0, None)
    """
    if shares is not None:
        return shares["yes"]
    first = re.match(r"\W*(yes|no)\b", text.lower())
    return float(first[1] == "yes") if first else None


def judge_of(spec: str | None) -> Judge | None:
    """Return the model that a spec names: an NLI classifier by hf:PATH, or any language model; None without one."""
    if not spec:
        return None
    kind, _, path = spec.partition(":")
    return (
        InferenceJudge(spec)
        if kind == "hf" and _is_classifier(path)
        else AskedJudge(language_model(spec))
    )


def _is_classifier(path: str) -> bool:
    config = Path(path) / "config.json"
    if not config.is_file():
        return True  # says that there is no model
    names = json_value(config.read_bytes()).get("architectures") or ()
    return any("SequenceClassification" in str(name) for name in names)
