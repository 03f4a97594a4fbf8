"""Join the outputs of several systems with their references by id, score them with several metrics, and test every two.

**Partners**: the plain metric that a weighted one equals exactly when all weights are 1. A table that sets a weighted metric beside a plain one shows what
the weights change only if the plain one is this partner. `w-rouge-l` is F_β of the best precision and the best recall over the language's words, so its
partner is `rouge-l(combine='coco')` and not `rouge-l`, which is rouge_score's. Readings that equal no plain metric (`w-rouge-l(combine='union')`,
`w-meteor(reading='paper')`) have no partner.

**Tests** are on the items that both systems answer. The interval of a difference is that of the paired bootstrap (Koehn 2004). The p-value is the paired
bootstrap's or that of approximate randomization (Noreen 1989). The p-values of all comparisons of one call are corrected together, because each of them
could have been reported as the finding. CIDEr's idf comes from the references of the shared items.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.languages import check_language
from newsdesk.metrics.metric import Metric, check_batch, metric, score_of_statistics
from newsdesk.settings import one_of
from newsdesk.stats.bootstrap import intervals, paired_bootstraps, randomizations
from newsdesk.stats.significance import Correction, corrected
from newsdesk.text.encode import GIVEN, Encoded, encode
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Difference, Output, References, Score
from newsdesk.wording import plural


def plain_partner(spec: str) -> str | None:
    """Return the plain metric that a weighted one equals when all weights are 1.

    None for any other metric.

    >>> plain_partner("w-rouge-l"), plain_partner("w-bleu-2(reading='outer')"), plain_partner("chrf")
    ("rouge-l(combine='coco')", 'bleu-2', None)
    """
    one = _known(spec)
    return str(one.plain) if one is not None and one.plain is not None else None


def with_partners(weighted: Iterable[str]) -> tuple[str, ...]:
    """Return weighted metrics, each after its plain partner.

    >>> with_partners(["w-meteor", "w-rouge-l"])
    ('meteor', 'w-meteor', "rouge-l(combine='coco')", 'w-rouge-l')
    """
    return tuple(partner for spec in weighted for partner in (plain_partner(spec), spec) if partner)


def pairs(specs: Sequence[str]) -> list[tuple[str, str]]:
    """Return every weighted metric of a list with its plain partner, if that is in the list too.

    >>> pairs(["rouge-l", "rouge-l( combine = 'coco' )", "w-rouge-l", "words"])
    [('w-rouge-l', "rouge-l( combine = 'coco' )")]
    """
    return [
        (spec, partner)
        for spec in specs
        if (plain := plain_partner(spec)) and (partner := _among(specs, metric(plain)))
    ]


def pairing_notes(specs: Sequence[str]) -> list[str]:
    """Return a warning for each weighted metric beside another form of its plain metric.

    >>> pairing_notes(["rouge-l", "w-rouge-l"])
    ["with all weights at 1 w-rouge-l is rouge-l(combine='coco') and not rouge-l; add that metric to see what weights change"]
    """
    paired = {weighted for weighted, _ in pairs(specs)}
    notes = []
    for spec in specs:
        one = metric(spec)
        name = one.spec.name.removeprefix("w-")
        others = [other for other in specs if metric(other).spec.name == name]
        if not one.weighted or spec in paired or not others:
            continue
        if plain := plain_partner(spec):
            notes.append(
                f"with all weights at 1 {spec} is {plain} and not {others[0]}; add that metric to see what weights change"
            )
        else:
            notes.append(
                f"{spec} equals no plain metric when all weights are 1; weights alone do not explain its difference from {others[0]}"
            )
    return notes


def _known(spec: str) -> Metric | None:
    """Return the metric of a spec; None for the name of values that were computed elsewhere."""
    try:
        return metric(spec)
    except SpecError:
        return None


def _among(specs: Sequence[str], wanted: Metric) -> str | None:
    """Return the first spec that names this metric, whichever way its settings are written."""
    return next((spec for spec in specs if _same(_known(spec), wanted)), None)


def _same(one: Metric | None, other: Metric) -> bool:
    return one is not None and dataclasses.replace(one, spec=other.spec) == other


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """One system's outputs with their references: `ids[i]` names item i of the batch."""

    name: str
    ids: tuple[str, ...]
    batch: Encoded


@dataclass(frozen=True, slots=True, eq=False)
class SystemScores:
    """One system's scores: `scores[i]` is that of `metrics[i]`, a spec as typed."""

    system: System
    metrics: tuple[str, ...]
    scores: tuple[Score, ...]


def split_specs(text: str) -> list[str]:
    """Return the specs of a comma-separated list; commas inside brackets or quotes belong to their spec.

    >>> split_specs("w-rouge-l(combine='union', recall='mean'), bleu-4")
    ["w-rouge-l(combine='union', recall='mean')", 'bleu-4']
    """
    specs, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            specs.append("")
            continue
        specs[-1] += character
    names = [spec.strip() for spec in specs]
    if not all(names):
        raise SpecError(f"{text!r} has an empty name between its commas")
    return names


def join(
    outputs: Iterable[Output],
    references: Iterable[References],
    *,
    lang: str | None = None,
    weighting: str = GIVEN,
) -> list[System]:
    """Return each system's outputs beside their references, systems in the order of their first output.

    `weighting` says in signatures how the weights came about. A system may lack items; an output whose item has no references is an error, and so is one given twice.
    """
    by_item = {reference.id: reference for reference in references}
    if not by_item:
        raise ArgumentError("there are no references")
    texts_of: dict[str, dict[str, str]] = {}
    for output in outputs:
        texts = texts_of.setdefault(output.system, {})
        if output.id in texts:
            raise DataError(f"system {output.system!r} answers item {output.id!r} twice")
        if output.id not in by_item:
            raise DataError(f"no references for item {output.id!r} of system {output.system!r}")
        if not by_item[output.id].references:
            raise DataError(f"the list of references of item {output.id!r} is empty")
        texts[output.id] = output.text
    if not texts_of:
        raise ArgumentError("there are no outputs to score")
    lang = lang or _common_language(by_item)
    if lang:
        check_language(lang)
    systems = [_system(name, texts, by_item, lang) for name, texts in texts_of.items()]
    for system in systems:
        system.batch.weighting = weighting
    return systems


def _common_language(references: Mapping[str, References]) -> str | None:
    """Return the one language that references declare; None if they declare none."""
    languages = sorted({reference.lang for reference in references.values() if reference.lang})
    if len(languages) > 1:
        raise ArgumentError(
            f"the references are in several languages ({', '.join(languages)}); score them one by one, or name one with --lang"
        )
    return languages[0] if languages else None


def _system(
    name: str, texts: Mapping[str, str], references: Mapping[str, References], lang: str | None
) -> System:
    """Return a system from its texts and all references, both by item."""
    # The order of the references file, so that two systems stand item by item.
    ids = tuple(item for item in references if item in texts)
    batch = encode(
        [texts[item] for item in ids], [references[item].references for item in ids], lang=lang
    )
    return System(name, ids, batch)


def score_system(
    system: System, specs: Sequence[str], *, samples: int | None = None, seed: int = 0
) -> Iterator[Score]:
    """Yield the scores of one system with the value of every item, and intervals if there are `samples`.

    The statistics of the items are computed once, for the score and its interval, and the items are drawn
    once for all metrics.
    """
    check_batch(system.batch)
    metrics = [metric(spec) for spec in specs]
    statistics = [one.statistics(system.batch) for one in metrics]
    measures = [
        (one.scored(rows), one.values) for one, rows in zip(metrics, statistics, strict=True)
    ]
    estimates = intervals(measures, samples=samples, seed=seed) if samples else [None] * len(specs)
    for one, rows, estimate in zip(metrics, statistics, estimates, strict=True):
        score = score_of_statistics(one, rows, system.batch, per_item=True)
        yield dataclasses.replace(score, ci=estimate.ci) if estimate else score


def score_systems(
    systems: Iterable[System], specs: Sequence[str], *, samples: int | None = None, seed: int = 0
) -> list[SystemScores]:
    """Return the scores of several systems, in their order, by the same metrics."""
    return [
        SystemScores(
            system=system,
            metrics=tuple(specs),
            scores=tuple(score_system(system, specs, samples=samples, seed=seed)),
        )
        for system in systems
    ]


def incomplete(systems: Sequence[System]) -> list[str]:
    """Return a warning for each system that has fewer items than another."""
    most = max(len(system.ids) for system in systems)
    return [
        f"{system.name} answers {plural(len(system.ids), 'item')} where another answers {most}; compare with care"
        for system in systems
        if len(system.ids) < most
    ]


Test = Literal["bootstrap", "randomization"]
_FIELDS = ("first", "second", "metric", "difference", "ci", "p", "p_corrected", "n", "signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison(Difference):
    """The difference of two systems in one metric, on the `n` items that both answer."""

    metric: str
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Return the fields in the order in which they are printed."""
        return {name: getattr(self, name) for name in _FIELDS}


def compare_systems(
    systems: Sequence[System],
    specs: Sequence[str],
    *,
    test: Test = "bootstrap",
    correction: Correction = "holm",
    samples: int = 10_000,
    seed: int = 0,
) -> list[SystemComparison]:
    """Test every two systems in every metric, and correct the p-values for the number of tests."""
    one_of("test", test, get_args(Test))
    one_of("correction", correction, get_args(Correction))
    if len(systems) < 2:
        raise ArgumentError(f"a paired test needs at least two systems, not {len(systems)}")
    tested = [
        row
        for pair in itertools.combinations(systems, 2)
        for row in _tested(_shared(*pair), specs, test, samples, seed)
    ]
    note = f"test:{test}[samples={samples},seed={seed}]|correction:{correction}[{len(tested)}]"
    return [
        dataclasses.replace(row, signature=f"{row.signature}|{note}")
        for row in corrected(tested, correction)
    ]


def _tested(
    pair: tuple[System, System], specs: Sequence[str], test: Test, samples: int, seed: int
) -> Iterator[SystemComparison]:
    """Yield the comparison of two systems by each metric, its p-value not corrected yet."""
    first, second = pair
    metrics = [metric(spec) for spec in specs]
    statistics = [[one.scored(one.statistics(side.batch)) for side in pair] for one in metrics]
    measures = [
        (ours, theirs, one.values) for one, (ours, theirs) in zip(metrics, statistics, strict=True)
    ]
    results = paired_bootstraps(measures, samples=samples, seed=seed)
    p_values = [result.p for result in results]
    if test == "randomization":
        p_values = randomizations(measures, samples=samples, seed=seed)
    for spec, one, result, p in zip(specs, metrics, results, p_values, strict=True):
        yield SystemComparison(
            first.name,
            second.name,
            result.estimate,
            p=p,
            p_corrected=p,
            metric=spec,
            signature=one.signature(first.batch),
        )


def _shared(first: System, second: System) -> tuple[System, System]:
    """Return both systems on the items that both answer, in the same order."""
    if first.ids == second.ids:
        return first, second
    common = set(first.ids) & set(second.ids)
    if not common:
        raise ArgumentError(
            f"systems {first.name!r} and {second.name!r} share no items; score them in separate calls"
        )
    return _restricted(first, common), _restricted(second, common)


def _restricted(system: System, items: set[str]) -> System:
    """Return the system with the outputs of these items only."""
    places = [index for index, item in enumerate(system.ids) if item in items]
    batch = system.batch
    spans = [batch.reference_offsets[index : index + 2].tolist() for index in places]
    weights: list[Floats] = [batch.weights[low:high] for low, high in spans]
    restricted = Encoded(
        [batch.candidates[index] for index in places],
        [text for low, high in spans for text in batch.references[low:high]],
        np.concatenate(weights),
        offsets_of(np.array([high - low for low, high in spans], dtype=np.int64)),
        batch.lang,
    )
    restricted.weighting = batch.weighting
    return System(system.name, tuple(system.ids[index] for index in places), restricted)
