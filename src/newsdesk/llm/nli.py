"""Natural language inference: whether a text follows from another, by a classifier that the user names."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError, FileError
from newsdesk.llm.hugging_face import folder_digest
from newsdesk.registry import require

_BATCH = 16
_MOST_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Inference:
    """The probabilities that a premise entails, leaves open or contradicts a hypothesis."""

    entailment: float
    neutral: float
    contradiction: float


class NliModel:
    """A transformers classifier of pairs of texts with the usual three labels, or two."""

    def __init__(self, path: str) -> None:
        if not (Path(path) / "config.json").is_file():
            raise FileError(f"{path}: no NLI model there; name a local folder")
        what = "an NLI model by hf:PATH"
        transformers = require("transformers", extra="hf", what=what)
        self._torch = require("torch", extra="hf", what=what)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                path, local_files_only=True
            )
            self._model = transformers.AutoModelForSequenceClassification.from_pretrained(
                path, local_files_only=True
            ).eval()
        except (OSError, ValueError, KeyError) as error:
            raise FileError(f"{path}: no NLI model there ({str(error).splitlines()[0]})") from error
        names = {int(at): str(name).lower() for at, name in self._model.config.id2label.items()}
        self._places = {
            label: [at for at, name in names.items() if name.startswith(label)]
            for label in ("entail", "neutral", "contra", "not_entail")
        }
        if not self._places["entail"]:
            raise FileError(
                f"{path}: its labels are {', '.join(names.values())}, none of them entailment"
            )
        self.name = f"hf:{Path(path).name}:{folder_digest(path)}"

    def infer(self, pairs: Sequence[tuple[str, str]]) -> list[Inference]:
        """Return the inference for each pair of premise and hypothesis."""
        results: list[Inference] = []
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            inputs = self._tokenizer(
                [premise for premise, _ in batch],
                [hypothesis for _, hypothesis in batch],
                truncation="only_first",
                max_length=_MOST_TOKENS,
                padding=True,
                return_tensors="pt",
            )
            with self._torch.inference_mode():
                rows: Any = self._model(**inputs).logits.float().softmax(-1).tolist()
            results += [self._inference(row) for row in rows]
        return results

    def _inference(self, row: Sequence[float]) -> Inference:
        shares = {label: sum(row[at] for at in places) for label, places in self._places.items()}
        open_ = shares["neutral"] + shares["not_entail"]
        return Inference(shares["entail"], open_, shares["contra"])


@functools.lru_cache(maxsize=2)
def nli_model(spec: str) -> NliModel:
    """Return the NLI model that `hf:PATH` names."""
    kind, colon, path = spec.partition(":")
    if kind != "hf" or not colon or not path:
        raise ArgumentError(f"{spec!r} is no NLI model; name one as hf:PATH")
    return NliModel(path)
