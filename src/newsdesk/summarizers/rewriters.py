"""Rewriters: a text in, a shorter one in other words out. `hf:PATH` is any transformers sequence-to-sequence model."""

from __future__ import annotations

import functools
from typing import Protocol

from newsdesk.errors import ArgumentError, FileError
from newsdesk.registry import require

# A word is seldom more pieces than this; what is longer is cut to the limit afterwards.
_PIECES_PER_WORD = 3


class Rewriter(Protocol):
    """What every rewriter can do."""

    @property
    def signature(self) -> str:
        """The name and what fixes the texts."""
        ...

    def rewrite(self, text: str, max_words: int) -> str:
        """The text in about as many words; whoever needs a hard limit cuts."""
        ...


class HuggingFaceRewriter:
    """A transformers sequence-to-sequence model from a local folder or the hub, decoded by beam search."""

    def __init__(
        self,
        path: str,
        *,
        beams: int = 4,
        no_repeat: int = 3,
        prefix: str = "",
        max_tokens: int = 1024,
    ) -> None:
        what = "a rewriter by hf:PATH"
        transformers = require("transformers", extra="hf", what=what)
        require("torch", extra="hf", what=what)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(path)
            self._model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path).eval()
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise FileError(f"{path}: no sequence-to-sequence model there ({reason})") from error
        self.path = path
        self.beams = beams
        self.no_repeat = no_repeat
        self.prefix = prefix
        self.max_tokens = min(max_tokens, self._tokenizer.model_max_length)
        settings = f"beams={beams}, no_repeat={no_repeat}, prefix={prefix!r}"
        self.signature = f"hf:{path}({settings}, max_tokens={self.max_tokens})"

    def rewrite(self, text: str, max_words: int) -> str:
        """The text of the best beam."""
        import torch

        inputs = self._tokenizer(
            self.prefix + text, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        with torch.inference_mode():
            found = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                do_sample=False,
                num_beams=self.beams,
                no_repeat_ngram_size=self.no_repeat,
                max_new_tokens=_PIECES_PER_WORD * max_words,
            )
        decoded: str = self._tokenizer.decode(found[0], skip_special_tokens=True)
        return " ".join(decoded.split())


@functools.lru_cache(maxsize=2)
def rewriter(spec: str, *, beams: int = 4, no_repeat: int = 3, prefix: str = "") -> Rewriter:
    """The rewriter that a spec names: `hf:PATH`."""
    kind, _, path = spec.partition(":")
    if kind != "hf" or not path:
        raise ArgumentError(
            f"no rewriter is called {spec!r}; there is hf:PATH, as in hf:models/bart"
        )
    return HuggingFaceRewriter(path, beams=beams, no_repeat=no_repeat, prefix=prefix)
