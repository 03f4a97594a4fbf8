"""Registries: one literal table per kind, loaded lazily, and the spec strings that pick and configure an entry.

A spec such as `w-rouge-l(combine='union', beta=1.2)` names an entry and gives its keyword arguments as Python literals.
`str(Spec.parse(text))` is canonical, parses back to the same value, and is what result files store.

>>> Spec.parse("w-rouge-l( combine = 'union' )")
Spec(name='w-rouge-l', arguments=(('combine', 'union'),))
>>> str(_)
"w-rouge-l(combine='union')"
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import math
import numbers
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from newsdesk.errors import MissingExtraError, SpecError

Literal: TypeAlias = "bool | int | float | str | tuple[Literal, ...] | None"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]*")


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its keyword arguments, in the order given."""

    name: str
    arguments: tuple[tuple[str, Literal], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read `name` or `name(key=literal, …)`."""
        name, opened, rest = text.strip().partition("(")
        name = name.strip()
        if not _NAME.fullmatch(name):
            raise SpecError(f"{text!r} is not a name or a `name(key=value)`")
        if not opened:
            return cls(name)
        return cls(name, tuple(_parse_arguments(text, rest)))

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        inside = ", ".join(f"{key}={value!r}" for key, value in self.arguments)
        return f"{self.name}({inside})"


def _parse_arguments(text: str, rest: str) -> Iterator[tuple[str, Literal]]:
    """Yield the keys and values in `rest`, what follows the bracket; `text` is the spec, for errors."""
    try:
        call = ast.parse(f"_({rest}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise SpecError(f"{text!r} is not a `name(key=value)`") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise SpecError(f"{text!r} is not a `name(key=value)`: every argument needs its key")
    seen = set()
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in seen:
            raise SpecError(f"{text!r} has an argument twice or without a key")
        seen.add(keyword.arg)
        yield keyword.arg, _literal(text, keyword.arg, keyword.value)


def _literal(text: str, key: str, node: ast.expr) -> Literal:
    try:
        return _frozen(ast.literal_eval(node))
    except (ValueError, TypeError, RecursionError) as error:
        raise SpecError(
            f"{text!r}: `{key}` is not a number, text, True, False, None or a tuple of these"
        ) from error


def _frozen(value: object) -> Literal:
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a finite number")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is not allowed here")


@dataclass(frozen=True, slots=True)
class Registry:
    """The entries of one kind, `name → "module:Attribute"`, and their aliases.

    Iterating yields the names proper. An alias is accepted wherever a name is; results, signatures and saved models carry the name.
    """

    kind: str
    entries: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    @property
    def names(self) -> list[str]:
        """Every name that is accepted: the entries, then the aliases."""
        return [*self.entries, *self.aliases]

    def real_name(self, name: str) -> str:
        """Return the name of the entry that an alias stands for; any other name is returned unchanged."""
        return self.aliases.get(name, name)

    def resolve(self, spec: str | Spec) -> Spec:
        """Return the spec under the entry's own name: an alias is replaced, an unknown name refused.

        >>> str(Registry("ranker", {"svr": "m:Svr"}, {"usual": "svr"}).resolve("usual(cost=2)"))
        'svr(cost=2)'
        """
        spec = Spec.parse(spec) if isinstance(spec, str) else spec
        name = self.real_name(spec.name)
        if name not in self.entries:
            raise SpecError(f"no {self.kind} is called {name!r}; {offer(name, self.names)}")
        return replace(spec, name=name)

    def load(self, name: str) -> Any:
        """Import the entry's module and return the attribute.

        An entry without a module is returned as it stands.
        """
        entry = self.entries[self.resolve(Spec(name)).name]
        module, named, attribute = entry.partition(":")
        return getattr(importlib.import_module(module), attribute) if named else module

    def make(self, spec: str | Spec, /, **defaults: Any) -> Any:
        """Build the entry a spec names; the spec's arguments win over `defaults`."""
        spec = self.resolve(spec)
        factory = self.load(spec.name)
        arguments = {**defaults, **dict(spec.arguments)}
        signature = inspect.signature(factory)
        for name, value in arguments.items():
            if name in signature.parameters:
                fault = _misfit(value, signature.parameters[name].annotation)
            else:
                settings = [parameter for parameter in signature.parameters if parameter != "spec"]
                fault = f"is no setting; {offer(name, settings)}"
            if fault:
                raise SpecError(f"{self.kind} {spec}: {name!r} {fault}")
        try:
            signature.bind(**arguments)
        except TypeError as error:
            raise SpecError(f"{self.kind} {spec}: {error}") from error
        return factory(**arguments)


def offer(name: str, names: Sequence[str]) -> str:
    """Suggest a close match for an unknown name and list the known ones, for an error message."""
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}there are: {', '.join(names) or 'none'}"


# What an annotation asks of a value, and how it is called. Annotations are text in every module of ours.
_PLAIN: Mapping[str, tuple[type, str]] = {
    "str": (str, "text"),
    "bool": (bool, "True or False"),
    "int": (numbers.Integral, "a whole number"),
    "float": (numbers.Real, "a number"),
    "None": (type(None), "None"),
}


def _misfit(value: object, annotation: object) -> str | None:
    """Return what is wrong with a value for a parameter, as far as plain types tell, else None."""
    names = [part.strip() for part in str(annotation).split("|")]
    if not all(name in _PLAIN for name in names):
        return None
    for name in names:
        kind, _ = _PLAIN[name]
        if isinstance(value, kind) and (name == "bool" or not isinstance(value, bool)):
            return None
    wanted = " or ".join(wording for _, wording in map(_PLAIN.__getitem__, names))
    return f"is {value!r}, not {wanted}"


def require(module: str, *, extra: str, what: str) -> Any:
    """Import an optional dependency, or say which pip command brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        raise MissingExtraError(what, extra) from error


TOKENIZERS = Registry(
    "tokenizer",
    {
        "en": "newsdesk.text.tokenize:english",
        "zh": "newsdesk.text.tokenize:chinese",
        "ja": "newsdesk.text.tokenize:japanese",
        "rouge": "newsdesk.text.tokenize:rouge",
        "13a": "newsdesk.text.tokenize:mteval_13a",
        "sacrebleu-zh": "newsdesk.text.tokenize:sacrebleu_zh",
        "char": "newsdesk.text.tokenize:characters",
        "space": "newsdesk.text.tokenize:space",
        "meteor": "newsdesk.text.meteor_words:meteor",
    },
)

ENCODERS = Registry(
    "encoder",
    {
        "lsa": "newsdesk.text.encoders:Lsa",
        "wordllama": "newsdesk.text.encoders:WordLlama",
        "hf": "newsdesk.text.encoders:HuggingFace",
        "onnx": "newsdesk.text.encoders:Onnx",
    },
)

METRICS = Registry(
    "metric",
    {
        "bleu-1": "newsdesk.metrics.bleu:bleu_1",
        "bleu-2": "newsdesk.metrics.bleu:bleu_2",
        "bleu-3": "newsdesk.metrics.bleu:bleu_3",
        "bleu-4": "newsdesk.metrics.bleu:bleu_4",
        "w-bleu-1": "newsdesk.metrics.bleu:w_bleu_1",
        "w-bleu-2": "newsdesk.metrics.bleu:w_bleu_2",
        "w-bleu-3": "newsdesk.metrics.bleu:w_bleu_3",
        "w-bleu-4": "newsdesk.metrics.bleu:w_bleu_4",
        "rouge-1": "newsdesk.metrics.rouge:rouge_1",
        "rouge-2": "newsdesk.metrics.rouge:rouge_2",
        "rouge-l": "newsdesk.metrics.rouge:RougeL",
        "rouge-lsum": "newsdesk.metrics.rouge:RougeLsum",
        "w-rouge-l": "newsdesk.metrics.rouge:WeightedRougeL",
        "cider": "newsdesk.metrics.cider:Cider",
        "cider-d": "newsdesk.metrics.cider:CiderD",
        "w-cider": "newsdesk.metrics.cider:WeightedCider",
        "chrf": "newsdesk.metrics.chrf:Chrf",
        "meteor": "newsdesk.metrics.meteor:Meteor",
        "w-meteor": "newsdesk.metrics.meteor:WeightedMeteor",
        "bertscore": "newsdesk.metrics.bertscore:BertScore",
        "soft-recall": "newsdesk.metrics.soft_recall:SoftRecall",
        "nli-faithful": "newsdesk.llm.faithful:NliFaithful",
        "llm-grade": "newsdesk.llm.grade:LlmGrade",
        "w-soft-recall": "newsdesk.metrics.soft_recall:WeightedSoftRecall",
    },
)

MODEL_METRICS = frozenset({"nli-faithful", "llm-grade"})  # they need a model by name

SUMMARIZERS = Registry(
    "summarizer",
    {
        "oracle-multi": "newsdesk.summarizers.baselines:OracleMulti",
        "oracle-single": "newsdesk.summarizers.baselines:OracleSingle",
        "oracle-lead": "newsdesk.summarizers.baselines:OracleLead",
        "lead": "newsdesk.summarizers.baselines:Lead",
        "random-lead": "newsdesk.summarizers.baselines:RandomLead",
        "lead-interleaved": "newsdesk.summarizers.baselines:LeadInterleaved",
        "random": "newsdesk.summarizers.baselines:RandomSentences",
        "lexrank": "newsdesk.summarizers.unsupervised:LexRank",
        "mmr": "newsdesk.summarizers.unsupervised:Mmr",
        "kl": "newsdesk.summarizers.unsupervised:Kl",
        "textrank": "newsdesk.summarizers.unsupervised:TextRank",
        "centroid": "newsdesk.summarizers.unsupervised:Centroid",
        "submodular": "newsdesk.summarizers.unsupervised:Submodular",
        "expected-rouge": "newsdesk.summarizers.expected_rouge:ExpectedRouge",
        "tsr": "newsdesk.summarizers.regression:Tsr",
        "bertreg": "newsdesk.summarizers.regression:BertReg",
        "submodular+abs": "newsdesk.summarizers.abstractive:SubmodularAbs",
        "llm": "newsdesk.summarizers.written:LlmSummarizer",
    },
    # The one we recommend.
    aliases={"newsdesk": "expected-rouge"},
)

RANKERS = Registry(
    "ranker",
    {
        "like": "newsdesk.rankers.baselines:Like",
        "random": "newsdesk.rankers.baselines:RandomRanker",
        "length": "newsdesk.rankers.baselines:LengthRanker",
        "ranksvm": "newsdesk.rankers.linear:RankSvm",
        "svr": "newsdesk.rankers.linear:Svr",
        "ranknet": "newsdesk.rankers.neural:RankNet",
        "lstm-reg": "newsdesk.rankers.neural:LstmReg",
        "argument": "newsdesk.rankers.argument.model:Argument",
    },
    # The one we recommend.
    aliases={"newsdesk": "argument"},
)

COMMENTERS = Registry(
    "commenter",
    {
        "ir-t": "newsdesk.commenters.nearest:IrT",
        "ir-tc": "newsdesk.commenters.nearest:IrTc",
        "ir-quality": "newsdesk.commenters.quality:IrQuality",
        "seq2seq": "newsdesk.commenters.generated:Seq2seq",
        "att": "newsdesk.commenters.generated:Att",
        "att-tc": "newsdesk.commenters.generated:AttTc",
    },
    # The one we recommend.
    aliases={"newsdesk": "ir-quality"},
)

# A protocol is a form, not code: the file in `campaigns/forms/`.
PROTOCOLS = Registry(
    "protocol",
    {
        "grade": "grade.toml",
        "constructive": "constructive.toml",
        "rank": "rank.toml",
        "relate": "relate.toml",
        "best-worst": "best-worst.toml",
        "da": "da.toml",
        "pairwise": "pairwise.toml",
        "multi-label": "multi-label.toml",
        "spans": "spans.toml",
        "likert": "likert.toml",
    },
)

# The types of records, by the name that `--type` and manifests use.
RECORDS = Registry(
    "record type",
    {
        "article": "newsdesk.types:Article",
        "event": "newsdesk.types:Event",
        "cluster": "newsdesk.types:Cluster",
        "thread": "newsdesk.types:Thread",
        "references": "newsdesk.types:References",
        "output": "newsdesk.types:Output",
        "judgment": "newsdesk.types:Judgment",
        "control": "newsdesk.types:ControlQuestion",
        "run": "newsdesk.types:Ranked",
        "pairs": "newsdesk.types:Pair",
    },
)

# File formats of others that are read.
FORMATS = Registry(
    "format",
    {
        "wcep": "newsdesk.records.foreign:WCEP",
        "coco": "newsdesk.records.foreign:COCO",
        "lines": "newsdesk.records.foreign:LINES",
        "trec": "newsdesk.records.foreign:TREC",
        "qrels": "newsdesk.records.foreign:QRELS",
        "csv": "newsdesk.records.foreign:CSV",
        "suggestions": "newsdesk.records.foreign:SUGGESTIONS",
        "tencent": "newsdesk.records.foreign:TENCENT",
        "tencent-words": "newsdesk.records.foreign:TENCENT_WORDS",
        "flat": "newsdesk.records.comments.flat:table_rows",
        "nested": "newsdesk.records.comments.nested:NestedThreads",
        "disqus": "newsdesk.records.comments.exports:read_disqus",
        "coral": "newsdesk.records.comments.exports:read_coral",
        "wordpress": "newsdesk.records.comments.exports:read_wordpress",
        "mastodon": "newsdesk.records.comments.social:read_social",
        "activitystreams": "newsdesk.records.comments.social:read_social",
        "bluesky": "newsdesk.records.comments.social:read_social",
    },
)

TABLES: Mapping[str, Registry] = {
    "metrics": METRICS,
    "rankers": RANKERS,
    "summarizers": SUMMARIZERS,
    "commenters": COMMENTERS,
    "protocols": PROTOCOLS,
    "tokenizers": TOKENIZERS,
    "encoders": ENCODERS,
}
