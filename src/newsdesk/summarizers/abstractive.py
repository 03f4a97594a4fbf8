"""Submodular+Abs (Gholipour Ghalandari et al. 2020): Submodular extracts up to 100 words, and a sequence-to-sequence model rewrites them.

The paper used OpenNMT's bottom-up attention model trained on CNN/Daily Mail, which is not at hand; any transformers model of the kind does, by `model='hf:PATH'`.
`own`, the default, is no model: it deletes words within single sentences by rules (`shortening`), and takes shortened sentences up to the limit. `copier` is a
small network that ships with the package; `fit` returns a summarizer with one trained on clusters (`model=''`: not fitted yet). What a network
writes is not checked, and its signature says so, unless `faithful` is set: then each sentence must be a permitted deletion of one
sentence of the extract (`shortening`), or is replaced by that sentence as it stands.

Rewritten sentences with their sources: shortened by rules or checked, and taken up to the limit as whole sentences.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Self

from newsdesk.errors import ArgumentError
from newsdesk.llm import LanguageModel, is_language_model, language_model, prompt_id
from newsdesk.model import Arrays, Saved
from newsdesk.packaged import table
from newsdesk.settings import at_least
from newsdesk.signatures import signature
from newsdesk.summarizers.evaluate import truncated
from newsdesk.summarizers.prepare import Candidate, Prepared, Sentence, Summary
from newsdesk.summarizers.readable import inside_quotation
from newsdesk.summarizers.rewriters import OWN, CopyingRewriter, Rewriter, rewriter
from newsdesk.summarizers.shortening import VERSION, refusal, shorten
from newsdesk.summarizers.summarizer import WORDS_PER_TOKEN, Room, Unit, said
from newsdesk.summarizers.trained import Cache, TrainedSummarizer
from newsdesk.summarizers.unsupervised import Submodular
from newsdesk.summarizers.verify.judges import judge_of
from newsdesk.summarizers.written import AGAIN, ASK, TASK, Written, faithful, stood_in
from newsdesk.text import language, sentences
from newsdesk.types import Cluster
from newsdesk.wording import plural


def shortened_sentence(prepared: Prepared, article: int, sentence: Sentence) -> str:
    """Return a sentence of an article, shortened if it is English and does not stand inside a quotation."""
    if prepared.languages[article] != "en" or sentence.position < 0:
        return sentence.text
    start, end = map(int, prepared.offsets[article : article + 2])
    inside = prepared.once(
        f"quotations {article}", lambda: inside_quotation(prepared.texts[start:end])
    )  # by sentence of the article
    if inside[prepared.texts.index(sentence.text, start, end) - start]:
        return sentence.text
    title = prepared.cluster.articles[article].title or ""
    return shorten(sentence.text, first=sentence.position == 0, title=title).text


def checked(texts: Sequence[str], sources: Sequence[Sentence]) -> dict[Sentence, str]:
    """Return each text by the source that it is a permitted deletion of.

    A text that is none becomes the nearest source as it stands, or is dropped if it shares no word with any.

    A source is used once: a second text of the same source is dropped.
    """
    passages: dict[Sentence, str] = {}
    for text in texts:
        passing = (each for each in sources if not refusal(text, each.text))
        source = next(passing, None)
        if source is not None:
            passages.setdefault(source, text)
        elif nearest := _nearest(text, sources):
            passages.setdefault(nearest, nearest.text)
    return passages


def fitted_in(passages: Mapping[Sentence, str], room: Room, extract: Summary) -> Summary:
    """Return the summary of the passages that fit, in their order; `room` is used up by them.

    Passages map a sentence of the extract to its text as it is printed, which the trace has too.
    """
    trace: list[Candidate] = []
    scores = {each.sentence: each.score for each in extract.trace}
    for source, text in passages.items():
        size = room.size_of(text)
        if size > room.left:
            trace.append(Candidate(source, scores.get(source), "does not fit", str(room)))
            continue
        room.left -= size
        shown = text if text != source.text else ""
        trace.append(Candidate(source, scores.get(source), "taken", shown=shown))
    others = (each for each in extract.trace if each.sentence not in passages)
    taken = [each for each in trace if each.taken]
    # An extract of whole sentences without spaces is joined without them.
    glue = " " if " ".join(sentence.text for sentence in extract.sentences) == extract.text else ""
    return dataclasses.replace(
        extract,
        text=glue.join(each.text for each in taken),
        sentences=tuple(each.sentence for each in taken),
        trace=(*trace, *(_not_shown(each) for each in others)),
    )


@cache
def rules_digest() -> str:
    """Return the version of the rules of shortening, and eight hex digits of their word lists."""
    words = "\n".join(
        (*table("summarizers", "guarded_en.txt"), *table("summarizers", "verbs_en.txt"))
    )
    return f"{VERSION}-{hashlib.sha256(words.encode()).hexdigest()[:8]}"


def _not_shown(candidate: Candidate) -> Candidate:
    """Return a candidate of the extract that has no place in the summary."""
    if candidate.taken:
        return dataclasses.replace(candidate, outcome="no gain", detail="the model left it out")
    return candidate


def _nearest(text: str, sources: Sequence[Sentence]) -> Sentence | None:
    """Return the source that shares most words with a text; None if none shares any."""
    words = Counter(text.lower().split())
    shared = [sum((words & Counter(source.text.lower().split())).values()) for source in sources]
    best = max(range(len(sources)), key=shared.__getitem__, default=None)
    return sources[best] if best is not None and shared[best] else None


_EXTRACT_WORDS = 100  # the paper's, for summaries of 40
_EXTRACT_RATIO = 2.5
# The words to ask a model for.
_WORDS_PER_UNIT: dict[Unit, float] = {
    "words": 1.0,
    "tokens": WORDS_PER_TOKEN,
    "characters": 1 / 6,
    "sentences": 25.0,
}


@dataclass(frozen=True)
class SubmodularAbs(Submodular, TrainedSummarizer):
    """The extract of Submodular, rewritten by a sequence-to-sequence model."""

    extract_words: int | None = None
    model: str = OWN
    beams: int = 4
    no_repeat: int = 3
    prefix: str = ""
    epochs: int = 6
    faithful: bool = False
    nli: str = ""
    rewriter_: CopyingRewriter | None = field(default=None, init=False, repr=False)

    name = "submodular+abs"

    def __post_init__(self) -> None:
        Submodular.__post_init__(self)
        if self.extract_words is not None:
            at_least("extract_words", self.extract_words, 1)
        if self.nli and not is_language_model(self.model):
            raise ArgumentError("nli is for language models: openai:URL#MODEL, gguf:PATH, hf:PATH")
        if self.prefix and not self.model.startswith("hf:"):
            raise ArgumentError("prefix is for models by hf:PATH")
        at_least("epochs", self.epochs, 1)
        at_least("beams", self.beams, 1)
        at_least("no_repeat", self.no_repeat, 0)

    @property
    def extractor(self) -> Submodular:
        """The method that selects the extract.

        It has 100 words for 40, and more for longer summaries, unless `extract_words` is set.
        """
        size = self.extract_words
        if size is None:
            limit = self.max_words if self.unit in ("words", "tokens") else 0
            size = max(_EXTRACT_WORDS, round(_EXTRACT_RATIO * limit))
        return Submodular(**{**self._shared, "max_words": size, "unit": "words"})

    @property
    def signature(self) -> str:
        """The settings of Submodular, the length of the extract, and the rewriting model.

        It says whether what the model writes is checked.
        """
        words = self.extractor.max_words
        return signature(self.name, {**said(self._shared), "extract_words": words}, self._model)

    @property
    def _model(self) -> str:
        """The rewriting model, or the rules of deletion, as the signature names them."""
        if not self.trained:
            return "unfitted"
        if self._deletes:
            return f"deletions:{rules_digest()}"
        if is_language_model(self.model):
            return f"{self._asked.name}|prompt:{prompt_id(TASK, ASK, AGAIN)}|checked:{self.nli or 'rules'}"
        return f"{self.rewriter().signature}|{'faithful' if self.faithful else 'unchecked'}"

    @property
    def _deletes(self) -> bool:
        """True if sentences are shortened by rules, without a model."""
        return self.model == OWN and self.rewriter_ is None

    @property
    def _shared(self) -> dict[str, Any]:
        """The settings that Submodular has too, by name."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(Submodular)}

    @property
    def trained(self) -> bool:
        """True if there is a model: named by `model`, or fitted."""
        return bool(self.model) or self.rewriter_ is not None

    @property
    def digest(self) -> str:
        """The digest of the fitted copier."""
        return self._fitted().copier.digest

    @property
    def summary(self) -> str:
        """The name and a note on the training data, in one line."""
        return f"{self.name}: {self._fitted().note}"

    def rewriter(self) -> Rewriter:
        """Return the rewriting model, fitted or named by `model`."""
        if self.rewriter_ is not None:
            return self.rewriter_
        if not self.model:
            raise ArgumentError(
                f"{self.name} is not fitted; leave `model` out for our own, or name one: --fitted copier, hf:PATH or a folder made by --fit"
            )
        return rewriter(self.model, beams=self.beams, no_repeat=self.no_repeat, prefix=self.prefix)

    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer whose copier is trained on clusters with summaries.

        The epoch of lowest loss on `dev` clusters is used. Nothing is cached.
        """
        from newsdesk.summarizers.rewriters import TrainingPairs, train_copier, training_extractors

        if self.model not in ("", OWN):
            raise ArgumentError(f"this {self.name} is fitted: {self.model!r}; leave `model` out")
        extractors = training_extractors(self.extractor, self.seed)
        pairs = TrainingPairs.of(clusters, extractors)
        dev_pairs = TrainingPairs.of(dev or (), extractors[:1])
        copier, loss = train_copier(pairs, dev_pairs, self.epochs, self.seed)
        note = (
            f"{plural(len(pairs.summaries), 'extract')}, {loss:.3f} nats a word"
            f"{' on dev clusters' if dev_pairs.summaries else ''}"
        )
        fitted = CopyingRewriter(copier, note, beams=self.beams, no_repeat=self.no_repeat)
        return self.with_settings(model="").hold(rewriter_=fitted)

    def saved(self) -> Saved:
        """Return the fitted copier; settings belong to the summarizer that names its folder."""
        return dataclasses.replace(super().saved(), settings={})

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the vocabulary and the weights of the fitted copier."""
        return self._fitted().learned()

    def restore(self, saved: Saved) -> None:
        """Set the fitted copier."""
        copier = CopyingRewriter.of(saved, beams=self.beams, no_repeat=self.no_repeat)
        self.hold(rewriter_=copier, model="")

    def _fitted(self) -> CopyingRewriter:
        if self.rewriter_ is None:
            raise ArgumentError(f"this {self.name} was not fitted here")
        return self.rewriter_

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Extract, then shorten or rewrite; the summary is empty if nothing is extracted."""
        prepared = self.prepared(cluster)
        extract = self.extractor.summarize(prepared)
        if is_language_model(self.model):
            summary = self._written(prepared, extract)
        elif self._deletes:
            summary = fitted_in(self._shortened(prepared, extract), self.room(prepared), extract)
        else:
            model = self.rewriter()
            words = max(1, round(self.max_words * _WORDS_PER_UNIT[self.unit]))
            text = model.rewrite(extract.text, words) if extract.text else ""
            if self.faithful:
                passages = checked(sentences(text, language(text)), extract.sentences)
                summary = fitted_in(passages, self.room(prepared), extract)
            else:
                summary = dataclasses.replace(extract, text=self._cut(text))
        tokenizers = extract.signature.rpartition("|tok:")[2]
        return dataclasses.replace(summary, signature=f"{self.signature}|tok:{tokenizers}")

    @cached_property
    def _asked(self) -> LanguageModel:
        return language_model(self.model)

    def _written(self, prepared: Prepared, extract: Summary) -> Summary:
        """Return the extract rewritten by a language model and checked; a short extract where it writes nothing usable."""
        short = Submodular(**self._shared).summarize(prepared)
        if not extract.text:
            return short
        written = Written(self._asked, 0.0, self.max_words, self.unit)
        room = self.room(prepared)
        text, reason = written.ask(TASK, [("extract", extract.text)], "extract", room)
        if not text:
            return stood_in(short, reason)
        return faithful(text, prepared, short, room, judge_of(self.nli or None))

    def _shortened(self, prepared: Prepared, extract: Summary) -> dict[Sentence, str]:
        """Return the sentences of the extract, each shortened if it is English."""
        numbers = {article.id: number for number, article in enumerate(prepared.cluster.articles)}
        return {
            sentence: shortened_sentence(prepared, numbers[sentence.article], sentence)
            for sentence in extract.sentences
        }

    def _cut(self, text: str) -> str:
        """Return the text truncated to the limit."""
        lang = language(text)
        if self.unit == "words" or self.unit == "tokens":
            return truncated(text, self.max_words, lang, self.unit)
        if self.unit == "characters":
            return text[: self.max_words].rstrip()
        kept = sentences(text, lang)[: self.max_words]
        return text[: text.index(kept[-1]) + len(kept[-1])] if kept else ""
