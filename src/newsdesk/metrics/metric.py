"""The interface of text metrics: a frozen value that turns a batch into statistics per item, and summed statistics into a score.

A corpus score, a score per item, a confidence interval and a paired test are then written once, for all of them: add up the rows
of the items in question and ask `values`. A metric holds its settings and nothing else, so one object scores any number of
batches.
"""

from __future__ import annotations

import dataclasses
import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.registry import METRICS, Spec
from newsdesk.signatures import signature
from newsdesk.text.encode import Analyzer, Encoded, encode
from newsdesk.types import Reference, Score


@dataclasses.dataclass(frozen=True)
class Metric(ABC):
    """A text metric with its settings."""

    spec: Spec = dataclasses.field(kw_only=True)

    weighted: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The metric as typed, such as `bleu-4(profile='coco')`."""
        return str(self.spec)

    @property
    def plain(self) -> Spec | None:
        """The plain metric that a weighted one equals exactly when all weights are 1.

        None for a plain one, and for a reading that equals none.
        """
        return None

    def _unweighted(self, *dropped: str, **defaults: str) -> Spec:
        """Return the spec of the plain metric: without `w-` and the arguments named in `dropped`.

        `defaults` are arguments it has unless the spec of this metric sets them.
        """
        kept = {name: value for name, value in self.spec.arguments if name not in dropped}
        name = self.spec.name.removeprefix("w-")
        return Spec(name, tuple({**defaults, **kept}.items()))

    @property
    @abstractmethod
    def analyzer(self) -> Analyzer:
        """The tokenizer, case and stemmer of this metric."""

    def analyzer_for(self, lang: str) -> Analyzer:
        """Return the analyzer of this metric on texts of a language."""
        return self.analyzer

    @property
    def readings(self) -> Mapping[str, str]:
        """Every setting that changes the score, for the signature."""
        return {}

    @abstractmethod
    def statistics(self, batch: Encoded) -> Floats:
        """Return one row of statistics per item; rows of several items add up."""

    @abstractmethod
    def values(self, rows: Floats) -> Floats:
        """Return the score of each row of (summed) statistics."""

    def scored(self, rows: Floats) -> Floats:
        """Return the columns of statistics that `values` reads: all that is added up for an interval."""
        return rows

    def parts(self, rows: Floats) -> Mapping[str, Floats]:
        """Return precision, recall and F of each row, by name, for metrics that have them."""
        return {}

    def signature(self, batch: Encoded) -> str:
        """Return the signature of this metric on a batch.

        Settings, tokenizer, weights and a digest of the references.
        """
        fields = {
            **self.readings,
            "tok": batch.units(self.analyzer_for(batch.lang)).signature,
            **({"weights": batch.weighting} if self.weighted else {}),
            "refs": batch.reference_digest,
        }
        return signature(self.name, fields)

    def score(
        self, candidate: str, references: Sequence[str | Reference], *, lang: str | None = None
    ) -> Score:
        """Score one candidate against its references."""
        return self.corpus([candidate], [references], lang=lang)

    def corpus(
        self,
        candidates: Sequence[str | Sequence[str]],
        references: Sequence[Sequence[str | Reference | Sequence[str]]],
        *,
        lang: str | None = None,
    ) -> Score:
        """Score many items and return one corpus score."""
        (result,) = score([self], encode(candidates, references, lang=lang))
        return result


@dataclasses.dataclass(frozen=True)
class MeanMetric(Metric):
    """A metric whose corpus score is the mean over items; its statistics are `item_values` and a count."""

    part_names: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def item_values(self, batch: Encoded) -> Floats:
        """Return items × (1 + parts): the value of each item, then its parts."""

    def statistics(self, batch: Encoded) -> Floats:
        """Return the item values with a column of ones, so that sums of rows give means."""
        values = self.item_values(batch)
        return np.column_stack([values, np.ones(len(values))])

    def values(self, rows: Floats) -> Floats:
        """Return the mean over the items summed in each row."""
        return rows[:, 0] / np.maximum(rows[:, -1], 1)

    def scored(self, rows: Floats) -> Floats:
        """Return the values and the counts of items, without the parts."""
        return rows.take([0, -1], axis=1)

    def parts(self, rows: Floats) -> Mapping[str, Floats]:
        """Return the mean of each part over the items summed in each row."""
        return {
            name: rows[:, index] / np.maximum(rows[:, -1], 1)
            for index, name in enumerate(self.part_names, 1)
        }


@functools.cache
def metric(spec: str) -> Metric:
    """Return the metric that a spec names, such as `w-meteor` or `bleu-4(profile='coco')`."""
    parsed = Spec.parse(spec)
    return METRICS.make(parsed, spec=parsed)


def score(
    metrics: Sequence[str | Metric], batch: Encoded, *, per_item: bool = False
) -> list[Score]:
    """Score a batch with several metrics, in the order given.

    With `per_item` each Score holds the value of every item.
    """
    if isinstance(metrics, str):
        raise ArgumentError(f"metrics is one text, {metrics!r}; give a list of names")
    check_batch(batch)
    chosen = (one if isinstance(one, Metric) else metric(one) for one in metrics)
    return [
        score_of_statistics(one, one.statistics(batch), batch, per_item=per_item) for one in chosen
    ]


def check_batch(batch: Encoded) -> None:
    """Refuse a batch that cannot be scored: without items, or with one that has no references."""
    if not len(batch):
        raise ArgumentError("there is nothing to score: no candidates")
    counts = np.diff(batch.reference_offsets)
    if not counts.all():
        raise ArgumentError(f"item {int(np.argmin(counts))} (counted from 0) has no references")


def score_of_statistics(one: Metric, rows: Floats, batch: Encoded, *, per_item: bool) -> Score:
    """Return the score of a batch whose statistics are computed already."""
    total = rows.sum(axis=0, keepdims=True)
    return Score(
        value=float(one.values(total)[0]),
        signature=one.signature(batch),
        parts={name: float(values[0]) for name, values in one.parts(total).items()},
        n=len(rows),
        items=tuple(one.values(rows).tolist()) if per_item else None,
    )
