"""Rewriters: models that rewrite an extract as a shorter text.

`copier` is the one that ships with the package, FOLDER a fitted copier, and `hf:PATH` any transformers sequence-to-sequence model. All of them write freely; what they
write is checked only by `faithful`. `own`, the default of `submodular+abs`, is no model: it deletes by rules (`shortening`).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Protocol

from newsdesk import packaged
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.model.folder import Arrays, Saved, load_model
from newsdesk.nn.beam import Beam
from newsdesk.nn.copying import Copier
from newsdesk.registry import require
from newsdesk.text import language
from newsdesk.text.pieces import joined, pieces
from newsdesk.text.vocabulary import Vocabulary

OWN = "own"
COPIER = "copier"

# A word is seldom more pieces than this; a longer text is truncated to the limit afterwards.
_PIECES_PER_WORD = 3
# About one in seven of the copier's pieces is punctuation; without a minimum length beam search ends too early.
_PIECES_PER_MARK = 5
_SHORTEST = 0.4


class Rewriter(Protocol):
    """What every rewriter offers: a signature, and a text rewritten to a length limit."""

    @property
    def signature(self) -> str:
        """The name and every setting that determines the texts."""
        ...

    def rewrite(self, text: str, max_words: int) -> str:
        """The text rewritten in about `max_words` words; the caller truncates to a hard limit."""
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
        """The text of the best hypothesis of beam search."""
        import torch

        inputs = self._tokenizer(
            self.prefix + text, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        with torch.inference_mode():
            generated = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                do_sample=False,
                num_beams=self.beams,
                no_repeat_ngram_size=self.no_repeat,
                max_new_tokens=_PIECES_PER_WORD * max_words,
            )
        decoded: str = self._tokenizer.decode(generated[0], skip_special_tokens=True)
        return " ".join(decoded.split())


class CopyingRewriter:
    """Our own copier: content words are copied from the source, only punctuation and function words are generated."""

    def __init__(self, copier: Copier, note: str, *, beams: int = 4, no_repeat: int = 3) -> None:
        self.copier = copier
        self.note = note
        self.beams = beams
        self.no_repeat = no_repeat
        self.signature = f"copier:{copier.digest}(beams={beams}, no_repeat={no_repeat})"

    def rewrite(self, text: str, max_words: int) -> str:
        """The text of the best hypothesis of beam search, of about `max_words` words unless the source is short."""
        source = pieces(text, language(text))
        beam = Beam(
            self.beams,
            shortest=min(round(_SHORTEST * max_words), len(source) // 2),
            longest=max_words + max_words // _PIECES_PER_MARK,
            no_repeat=self.no_repeat,
        )
        return joined(self.copier.rewrite(source, beam))

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state for JSON, and the weights, which are exact in 16 bits."""
        learned = {
            "words": self.copier.vocabulary.words,
            "writable": self.copier.writable,
            "note": self.note,
        }
        return learned, {k: value.astype("float16") for k, value in self.copier.weights.items()}

    @classmethod
    def of(cls, saved: Saved, *, beams: int = 4, no_repeat: int = 3) -> CopyingRewriter:
        """Return the copier that a saved summarizer holds."""
        try:
            learned = saved.learned
            if "writable" not in learned:
                raise ValueError(f"it is a {saved.name}")
            weights = {key: value.astype("float32") for key, value in saved.arrays.items()}
            copier = Copier(Vocabulary(tuple(learned["words"])), weights, int(learned["writable"]))
            return cls(copier, str(learned["note"]), beams=beams, no_repeat=no_repeat)
        except (KeyError, TypeError, ValueError) as error:
            place = str(saved.folder)
            raise DataError(f"not a whole saved rewriter ({error})", file=place) from error


@functools.lru_cache(maxsize=2)
def rewriter(spec: str, *, beams: int = 4, no_repeat: int = 3, prefix: str = "") -> Rewriter:
    """The rewriter that a spec names: `copier`, a folder, or `hf:PATH`."""
    kind, _, path = spec.partition(":")
    if kind == "hf" and path:
        return HuggingFaceRewriter(path, beams=beams, no_repeat=no_repeat, prefix=prefix)
    if prefix:
        raise ArgumentError("prefix is for models by hf:PATH")
    if spec == COPIER:
        spec = str(packaged.path("summarizers", "data", "rewriter"))
    elif not Path(spec).is_dir():
        raise ArgumentError(
            f"no rewriter is called {spec!r}; there is {OWN!r}, {COPIER!r}, a folder made by --fit, and hf:PATH, as in hf:models/bart"
        )
    return CopyingRewriter.of(load_model(spec, "summarizer"), beams=beams, no_repeat=no_repeat)
