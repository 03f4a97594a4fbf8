"""Join the outputs of several systems with their references by id, and score them with several metrics.

The plain partner of each weighted metric: the one that it equals exactly when all weights are 1.

A table that sets a weighted metric beside a plain one shows what the weights change only if the plain one is this partner. `w-rouge-l`
is F_β of the best precision and the best recall over the language's words, so its partner is `rouge-l(combine='coco')` and not `rouge-l`,
which is rouge_score's. Readings that equal no plain metric (`w-rouge-l(combine='union')`, `w-meteor(reading='paper')`) have no partner.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.languages import check_language
from newsdesk.metrics.metric import Metric, check_batch, metric, score_of_statistics
from newsdesk.stats.significance import interval
from newsdesk.text.encode import GIVEN, Encoded, encode
from newsdesk.types import Output, References, Score
from newsdesk.wording import plural


def plain_partner(spec: str) -> str | None:
    """Return the plain metric that a weighted one equals when all weights are 1.

    None for any other metric.

    >>> plain_partner("w-rouge-l"), plain_partner("w-bleu-2(reading='outer')"), plain_partner("chrf")
    ("rouge-l(combine='coco')", 'bleu-2', None)
    """
    known = _known(spec)
    return str(known.plain) if known is not None and known.plain is not None else None


def with_partners(weighted: Iterable[str]) -> tuple[str, ...]:
    """Weighted metrics, each after its plain partner.

    >>> with_partners(["w-meteor", "w-rouge-l"])
    ('meteor', 'w-meteor', "rouge-l(combine='coco')", 'w-rouge-l')
    """
    return tuple(each for spec in weighted for each in (plain_partner(spec), spec) if each)


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
        others = [each for each in specs if metric(each).spec.name == name]
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
    known = {reference.id: reference for reference in references}
    if not known:
        raise ArgumentError("there are no references")
    texts_of: dict[str, dict[str, str]] = {}
    for output in outputs:
        texts = texts_of.setdefault(output.system, {})
        if output.id in texts:
            raise DataError(f"system {output.system!r} answers item {output.id!r} twice")
        if output.id not in known:
            raise DataError(f"no references for item {output.id!r} of system {output.system!r}")
        if not known[output.id].references:
            raise DataError(f"the list of references of item {output.id!r} is empty")
        texts[output.id] = output.text
    if not texts_of:
        raise ArgumentError("there are no outputs to score")
    lang = lang or _common_language(known)
    if lang:
        check_language(lang)
    systems = [_system(name, texts, known, lang) for name, texts in texts_of.items()]
    for system in systems:
        system.batch.weighting = weighting
    return systems


def _common_language(references: Mapping[str, References]) -> str | None:
    languages = sorted({reference.lang for reference in references.values() if reference.lang})
    if len(languages) > 1:
        raise ArgumentError(
            f"the references are in several languages ({', '.join(languages)}); score them one by one, or name one with --lang"
        )
    return languages[0] if languages else None


def _system(
    name: str, texts: Mapping[str, str], references: Mapping[str, References], lang: str | None
) -> System:
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

    The statistics of the items are computed once, for the score and its interval.
    """
    check_batch(system.batch)
    for spec in specs:
        one = metric(spec)
        statistics = one.statistics(system.batch)
        score = score_of_statistics(one, statistics, system.batch, per_item=True)
        if samples:
            estimate = interval(statistics, one.values, samples=samples, seed=seed)
            score = dataclasses.replace(score, ci=estimate.ci)
        yield score


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
