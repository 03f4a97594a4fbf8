"""`llm`: summaries written by a language model from the articles, kept to the limit and checked sentence by sentence against their sources.

All articles go into one question if they fit; else each is noted first, and the summary is written from the notes (map and reduce; `documents` reads the
important articles only). An answer that is no summary (a refusal, another language, too long) is asked for once more; then the extract of `submodular`
stands in. A sentence that says a number, name, date or negation otherwise than its source, or that a named NLI model does not accept, is replaced by its
source sentence; the trace marks it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from newsdesk.llm import (
    LanguageModel,
    ModelSettings,
    Prompt,
    answer_text,
    compose,
    estimated_tokens,
    is_counting,
    prompt_id,
    without_running,
)
from newsdesk.registry import Spec
from newsdesk.settings import at_least
from newsdesk.signatures import signature
from newsdesk.summarizers.prepare import Candidate, Outcome, Prepared, Sentence, Summary
from newsdesk.summarizers.summarizer import Room, Step, Summarizer, said
from newsdesk.summarizers.unsupervised import Submodular
from newsdesk.summarizers.verify import CheckedSentence, SourceCheck
from newsdesk.summarizers.verify.judges import judge_of
from newsdesk.summarizers.verify.verifier import Judge
from newsdesk.text import language
from newsdesk.types import Cluster

TASK = (
    "You summarize news for readers. Use only what the given texts say. Change no number, name, date, negation, or who did what. Write plain "
    "sentences in the language of the texts: no heading, no list, no remark of your own."
)
ASK = "Summarize what the {texts} report together, in at most {limit}. Write only the summary."
NOTE = "Note the main facts of the article in at most {limit}."
AGAIN = "The last answer could not be used. Write only a summary, in the language of the {texts}, in at most {limit}."
_NOTE_WORDS = 80
_TAKEN: Outcome = "taken"
_REPLACED: Outcome = "replaced"
_UNSUPPORTED: Outcome = "unsupported"
_TOO_LONG: Outcome = "does not fit"
_TOKENS_PER_UNIT = {"words": 2.5, "tokens": 2.5, "characters": 1.2, "sentences": 60.0}


@dataclass(frozen=True)
class LlmSummarizer(Summarizer, ModelSettings):
    """A language model writes the summary; rules, and an NLI model where `nli` names one, check it.

    `context` is how many tokens of texts go into one question.
    """

    nli: str = ""
    context: int = 6000

    name = "llm"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        self.check_model()
        at_least("context", self.context, 200)

    @property
    def spec(self) -> Spec:
        """Return the name and settings, without those of how the model is asked."""
        return without_running(super().spec)

    @property
    def signature(self) -> str:
        """The settings, the model, the prompt and what checks the sentences."""
        return signature(str(self.spec), self.facts)

    @property
    def facts(self) -> Mapping[str, object]:
        """The settings of every summarizer, the model as it names itself, and the prompt."""
        shared = {each.name: getattr(self, each.name) for each in dataclasses.fields(Summarizer)}
        named = {"model": self.asked.name} if self.model else {}
        return {**said(shared), **named, "prompt": prompt_id(TASK, ASK, NOTE, AGAIN)}

    @cached_property
    def _judge(self) -> Judge | None:
        return judge_of(self.nli or None)

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the steps of the extract that stands in where the model writes nothing usable."""
        return self._extractor.steps(prepared)

    @property
    def _extractor(self) -> Submodular:
        names = [each.name for each in dataclasses.fields(Summarizer)]
        return Submodular(**{name: getattr(self, name) for name in names})

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Ask for a summary, check it, and return it with a trace of what was replaced."""
        prepared = self.prepared(cluster)
        extract = super().summarize(prepared)
        if not extract.sentences:
            return extract
        texts = self._texts(prepared)
        label = "articles" if len(texts) == len(prepared.cluster.articles) else "notes"
        written = Written(self.asked, self.temperature, self.max_words, self.unit)
        text, reason = written.ask(TASK, texts, label, self.room(prepared))
        if not text:
            return stood_in(extract, reason)
        return faithful(text, prepared, extract, self.room(prepared), self._judge)

    def _texts(self, prepared: Prepared) -> list[tuple[str, str]]:
        """Return the articles, or notes on them where they are too long for one question."""
        texts = [
            ("article", f"{article.title or ''}\n{article.text}".strip())
            for article in prepared.cluster.articles
        ]
        while len(texts) > 1 and sum(estimated_tokens(text) for _, text in texts) > self.context:
            notes = [answer for answer in self._notes(texts) if answer]
            shorter = [("note", text) for text in _joined(notes, self.context // 2)]
            if not shorter or (len(shorter) >= len(texts) and texts[0][0] == "note"):
                break
            texts = shorter
        return _fitting(texts, self.context)

    def _notes(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """Return the notes on each text; empty where there is no usable answer."""
        ask = NOTE.format(limit=f"{_NOTE_WORDS} words")
        questions = [
            compose(
                TASK,
                _fitting([text], self.context),
                ask,
                max_tokens=4 * _NOTE_WORDS,
                temperature=self.temperature,
            )
            for text in texts
        ]
        return [
            answer_text(answer.text) if answer.usable else ""
            for answer in self.asked.ask_all(questions)
        ]


@dataclass(frozen=True)
class Written:
    """Asks a model for a text within a limit, twice if need be."""

    model: LanguageModel
    temperature: float
    limit: int
    unit: str

    def ask(
        self, task: str, texts: Sequence[tuple[str, str]], label: str, room: Room
    ) -> tuple[str, str]:
        """Return the text, or nothing and the reason why."""
        reason = ""
        source = language(" ".join(text for _, text in texts))
        words = {"texts": label, "limit": f"{self.limit} {self.unit}"}
        for seed, ask in enumerate((ASK.format(**words), f"{ASK} {AGAIN}".format(**words))):
            answer = self.model.ask(self._question(task, texts, ask, seed))
            text = " ".join(answer_text(answer.text).split())
            if is_counting():
                return "", "only counted"
            if answer.failure or answer.refused:
                reason = f"the model gave no answer ({answer.failure or 'it refused'})"
            elif not text or "<<<" in text or ">>>" in text:
                reason = "the model wrote no summary"
            elif language(text) != source:
                reason = "the model wrote in another language"
            elif answer.finish == "length" or room.size_of(text) > room.left:
                reason = f"the model wrote more than {self.limit} {self.unit}"
            else:
                return text, ""
        return "", reason

    def _question(self, task: str, texts: Sequence[tuple[str, str]], ask: str, seed: int) -> Prompt:
        most = 50 + round(self.limit * _TOKENS_PER_UNIT[self.unit] * 1.5)
        return compose(task, texts, ask, max_tokens=most, temperature=self.temperature, seed=seed)


def faithful(
    text: str, prepared: Prepared, extract: Summary, room: Room, judge: Judge | None
) -> Summary:
    """Return the summary of a text whose sentences are checked, within the limit; the extract where nothing is left.

    Without a judge a sentence stays if its facts are those of a source; with one it has to be supported.
    """
    check = SourceCheck.of(prepared, judge=judge)
    trace: list[Candidate] = []
    texts: list[str] = []
    used: set[Sentence] = set()
    for sentence in check.check(text):
        source = sentence.source or Sentence(sentence.text, "", -1)
        score = min((clause.support for clause in sentence.clauses), default=0.0)
        if sentence.supported if judge else sentence.plausible:
            shown, outcome, detail = sentence.text, _TAKEN, ""
        elif sentence.source is None or source in used:
            shown, outcome, detail = "", _UNSUPPORTED, _said(sentence)
        else:
            shown, outcome, detail = source.text, _REPLACED, _said(sentence)
        size = room.size_of(shown) if shown else 0
        if size > room.left:
            shown, outcome, size = "", _TOO_LONG if outcome == _TAKEN else _UNSUPPORTED, 0
        room.left -= size
        own = shown if shown != source.text else ""
        trace.append(Candidate(source, round(score, 9), outcome, detail, own))
        if shown:
            texts.append(shown)
            used.add(source)
    if not texts:
        return stood_in(extract, "no sentence of the model is supported")
    return dataclasses.replace(
        extract,
        text=prepared.glue.join(texts),
        sentences=tuple(dict.fromkeys(each.sentence for each in trace if each.taken)),
        trace=tuple(trace),
    )


def stood_in(extract: Summary, reason: str) -> Summary:
    """Return the extract in place of what a model wrote, with the reason in the trace."""
    trace = tuple(
        dataclasses.replace(each, outcome="stand-in", detail=reason) if each.taken else each
        for each in extract.trace
    )
    return dataclasses.replace(extract, trace=trace)


def _said(sentence: CheckedSentence) -> str:
    return f"{sentence.reason}: {sentence.text}"


def _joined(texts: Sequence[str], most: int) -> list[str]:
    """Return texts joined to as few as possible of at most so many tokens."""
    joined: list[str] = []
    for text in texts:
        if joined and estimated_tokens(joined[-1]) + estimated_tokens(text) <= most:
            joined[-1] = f"{joined[-1]}\n{text}"
        else:
            joined.append(text)
    return joined


def _fitting(texts: Sequence[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """Return texts cut at their ends so that together they have at most so many tokens: the longest are cut first."""
    sizes = [estimated_tokens(text) for _, text in texts]
    if sum(sizes) <= most:
        return list(texts)
    share = most / len(texts)
    short = [size for size in sizes if size <= share]
    left = (most - sum(short)) / max(1, len(sizes) - len(short))
    return [
        (label, text if size <= share else text[: int(len(text) * left / size)])
        for (label, text), size in zip(texts, sizes, strict=True)
    ]
