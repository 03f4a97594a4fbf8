"""Rewriters: models that rewrite an extract as a shorter text.

`copier` is the one that ships with the package, FOLDER a fitted copier, and `hf:PATH` any transformers sequence-to-sequence model. All of them write freely; what they
write is checked only by `faithful`. `own`, the default of `submodular+abs`, is no model: it deletes by rules (`shortening`).

Training of the copier that rewrites the extract of a cluster as a summary.

Training has two stages. The first has as targets the sentences of an extract that are nearest to the summary (greedy ROUGE-1) and teaches
selection and copying of whole sentences; the second has the summaries themselves as targets, mixed with pairs of the first stage against
forgetting. Each cluster gives several extracts: by the method used at inference, its lead, and random sentences.

The copier may generate punctuation and function words; everything with content, be it a name, a number or a "not", must be copied. For
English the function words are a list; for other scripts they are the words that a tenth of the summaries hold.
"""

from __future__ import annotations

import functools
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from newsdesk import packaged
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.model import Arrays, Saved, load_model
from newsdesk.nn.copying import Copier, CopierSettings, Pair, fit_copier
from newsdesk.nn.encoder_decoder import Beam, vocabulary_of
from newsdesk.registry import require
from newsdesk.summarizers.baselines import Lead, OracleMulti, RandomSentences
from newsdesk.summarizers.prepare import prepare
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.text import language
from newsdesk.text.ragged import Vocabulary
from newsdesk.text.tokenize import joined, pieces
from newsdesk.types import Cluster, ClusterArticle
from newsdesk.work import Progress

KNOWN_WORDS = 2_500
FIRST_EPOCHS = 3
_FIRST_RATE = 2e-3
_RARE = 0.002  # a word in fewer summaries is not worth writing
_COMMON = 0.1  # where there is no list
_JOINING = frozenset(
    "a an the this that these those it its he his she her they their who which where when while after before since until as of in on at to for from by "
    "with into over near during against under between among about and or but is are was were be been being has have had will would can could may also "
    "other others more than 's".split()
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Extracts paired with their sentences nearest to the summary, and with the summary.

    All as word pieces.
    """

    sentences: tuple[Pair, ...]
    summaries: tuple[Pair, ...]

    @classmethod
    def of(cls, clusters: Iterable[Cluster], extractors: Sequence[Summarizer]) -> TrainingPairs:
        """Return the pairs of every cluster with every extractor."""
        nearest_pairs, summary_pairs = [], []
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to learn from")
            prepared = prepare(cluster)
            target = pieces(cluster.summary, language(cluster.summary))
            extracts = dict.fromkeys(extractor.summarize(prepared).text for extractor in extractors)
            for text in filter(None, extracts):
                source = pieces(text, language(text))
                summary_pairs.append((source, target))
                nearest = _nearest(text, cluster)
                nearest_pairs.append((source, pieces(nearest, language(nearest))))
        return cls(tuple(nearest_pairs), tuple(summary_pairs))


def training_extractors(extractor: Summarizer, seed: int) -> list[Summarizer]:
    """Return the extractors whose extracts are trained on.

    The one used at inference, the lead, and two random ones.
    """
    size = extractor.max_words
    drawn = (
        RandomSentences(max_words=size, order="chronological", seed=draw)
        for draw in (seed, seed + 1)
    )
    return [extractor, Lead(max_words=size), *drawn]


def train_copier(
    pairs: TrainingPairs, dev: TrainingPairs, epochs: int, seed: int
) -> tuple[Copier, float]:
    """Train a copier; return it and its loss on the dev pairs, or on the training pairs if there are none."""
    if not pairs.summaries:
        raise ArgumentError("no cluster with sentences and a summary to learn rewriting from")
    writable = _writable([summary for _, summary in pairs.summaries])
    counts = Counter(word for words, _ in pairs.summaries for word in words)
    known = [word for word, count in counts.most_common(KNOWN_WORDS) if count > 1]
    vocabulary = vocabulary_of((*writable, *known))
    first = CopierSettings(epochs=FIRST_EPOCHS, rate=_FIRST_RATE, seed=seed)
    _log.info("stage 1, selection and copying: %s extracts", f"{len(pairs.sentences):,}")
    start, _ = fit_copier(
        pairs.sentences, vocabulary, len(writable), first, dev=dev.sentences, progress=_log_epoch
    )
    mixed = (*pairs.summaries, *pairs.sentences[::2])  # half of the first stage, against forgetting
    _log.info("stage 2, rewriting: %s pairs", f"{len(mixed):,}")
    second = replace(first, epochs=epochs, rate=_FIRST_RATE / 2)
    return fit_copier(
        mixed,
        vocabulary,
        len(writable),
        second,
        start=start,
        dev=dev.summaries,
        progress=_log_epoch,
    )


def _log_epoch(epoch: Progress) -> None:
    _log.info("%s", epoch.step)


def _nearest(extract: str, cluster: Cluster) -> str:
    """Return the sentences of an extract that the greedy oracle selects."""
    alone = Cluster(cluster.id, (ClusterArticle("extract", extract),), summary=cluster.summary)
    return OracleMulti().summarize(alone).text


def _writable(summaries: Sequence[Sequence[str]]) -> list[str]:
    """Return the punctuation and function words that the copier may generate, the most frequent first."""
    # In how many summaries each word is.
    counts = Counter(word for words in summaries for word in dict.fromkeys(words))
    writable = []
    for word, count in counts.most_common():
        plain = word.strip().lower().replace("’", "'")
        joins = plain in _JOINING or not any(map(str.isalnum, plain))
        unlisted = not joins and plain.isalpha() and not plain.isascii()
        least_share = _RARE if joins else _COMMON
        if (joins or unlisted) and count >= least_share * len(summaries):
            writable.append(word)
    return writable


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
        """Return the text rewritten in about `max_words` words; the caller truncates to a hard limit."""
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
        """Return the text of the best hypothesis of beam search."""
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
    """Our own copier: content words are copied, only punctuation and function words generated."""

    def __init__(self, copier: Copier, note: str, *, beams: int = 4, no_repeat: int = 3) -> None:
        self.copier = copier
        self.note = note
        self.beams = beams
        self.no_repeat = no_repeat
        self.signature = f"copier:{copier.digest}(beams={beams}, no_repeat={no_repeat})"

    def rewrite(self, text: str, max_words: int) -> str:
        """Return the text of the best hypothesis of beam search.

        It has about `max_words` words unless the source is short.
        """
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
        weights = self.copier.weights.items()
        return learned, {name: weight.astype("float16") for name, weight in weights}

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
    """Return the rewriter that a spec names: `copier`, a folder, or `hf:PATH`."""
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
