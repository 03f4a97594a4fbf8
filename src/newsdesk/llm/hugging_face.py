"""`hf:PATH`: a transformers model in a local folder, causal or sequence-to-sequence (extra `hf`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from newsdesk.errors import FileError
from newsdesk.files import file_digest, read_whole
from newsdesk.jsonl import json_value
from newsdesk.llm.questions import TOO_LONG, Completion, Prompt
from newsdesk.registry import require
from newsdesk.signatures import sha256_of

_UNLIMITED = 100_000  # tokenizers without a limit say some huge number


class TransformersModel:
    """A causal model answers after its chat template, a sequence-to-sequence model after the plain prompt."""

    parallel = False

    def __init__(self, path: str) -> None:
        if not (Path(path) / "config.json").is_file():
            raise FileError(f"{path}: no transformers model there; name a local folder")
        what = "a model by hf:PATH"
        transformers = require("transformers", extra="hf", what=what)
        self._torch = require("torch", extra="hf", what=what)
        try:
            config = transformers.AutoConfig.from_pretrained(path)
            self._both = bool(config.is_encoder_decoder)
            kind = (
                transformers.AutoModelForSeq2SeqLM
                if self._both
                else transformers.AutoModelForCausalLM
            )
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(path)
            self._model = kind.from_pretrained(path).eval()
        except (OSError, ValueError, KeyError) as error:
            raise FileError(
                f"{path}: no language model there ({str(error).splitlines()[0]})"
            ) from error
        self.name = f"hf:{Path(path).name}:{folder_digest(path)}"
        limits = [
            self._tokenizer.model_max_length,
            getattr(config, "max_position_embeddings", None),
        ]
        self._most = min(
            [int(limit) for limit in limits if limit and limit < _UNLIMITED], default=_UNLIMITED
        )

    def request(self, question: Prompt) -> dict[str, Any]:
        """Return what the answer depends on."""
        fields = ("system", "user", "max_tokens", "temperature", "seed", "top")
        return {"model": self.name, **{name: getattr(question, name) for name in fields}}

    def send(self, question: Prompt) -> Completion:
        """Generate an answer: greedily at temperature 0, else drawn with the question's seed."""
        torch = self._torch
        inputs = self._encoded(question)
        length = int(inputs["input_ids"].shape[1])
        room = self._most if self._both else self._most - question.max_tokens
        if length > room:
            return Completion(failure=TOO_LONG)
        drawn = (
            {"do_sample": True, "temperature": question.temperature}
            if question.temperature
            else {"do_sample": False}
        )
        pad = self._tokenizer.pad_token_id
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(question.seed)
            output = self._model.generate(
                **inputs,
                max_new_tokens=question.max_tokens,
                pad_token_id=self._tokenizer.eos_token_id if pad is None else pad,
                output_scores=bool(question.top),
                return_dict_in_generate=True,
                **drawn,
            )
        tokens = output.sequences[0][0 if self._both else length :]
        text = str(self._tokenizer.decode(tokens, skip_special_tokens=True)).strip()
        ended = len(tokens) < question.max_tokens or int(tokens[-1]) == self._tokenizer.eos_token_id
        return Completion(
            text=text,
            finish="stop" if ended else "length",
            first=self._first(output.scores, tokens[1:] if self._both else tokens, question.top)
            if question.top
            else (),
            prompt_tokens=length,
            completion_tokens=len(tokens),
        )

    def _encoded(self, question: Prompt) -> Any:
        plain = f"{question.system}\n\n{question.user}\n"
        if self._both or not self._tokenizer.chat_template:
            return _inputs(self._tokenizer(plain, return_tensors="pt"))
        turns = [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ]
        return _inputs(
            self._tokenizer.apply_chat_template(
                turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        )

    def _first(self, scores: Any, tokens: Any, top: int) -> tuple[tuple[str, float], ...]:
        """Return the alternatives of the first token that shows something."""
        for place, row in enumerate(scores):
            if place >= len(tokens) or str(self._tokenizer.decode(tokens[place])).strip():
                values, ids = row[0].float().log_softmax(-1).topk(min(top, row.shape[-1]))
                return tuple(
                    (str(self._tokenizer.decode(number)), float(value))
                    for number, value in zip(ids.tolist(), values.tolist(), strict=True)
                )
        return ()


def is_causal(path: str) -> bool:
    """Return whether a local folder says that it holds a causal language model."""
    config = Path(path) / "config.json"
    try:
        names = json_value(read_whole(config)).get("architectures") or ()
    except (FileError, ValueError, AttributeError):
        return False
    return any("CausalLM" in str(name) for name in names)


def folder_digest(path: str) -> str:
    """Return a digest of the files of a model, its configuration, tokenizer and weights."""
    files = sorted(file for file in Path(path).iterdir() if file.is_file())
    return sha256_of("\n".join(f"{file.name} {file_digest(file)}" for file in files), 16)


def _inputs(encoded: Any) -> dict[str, Any]:
    return {name: encoded[name] for name in ("input_ids", "attention_mask") if name in encoded}
