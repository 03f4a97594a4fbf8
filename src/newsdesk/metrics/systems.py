"""Join the outputs of several systems with their references by id, and score them with several metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.languages import check_language
from newsdesk.metrics.metric import check_batch, metric, score_of_statistics
from newsdesk.stats.significance import interval
from newsdesk.text.encode import GIVEN, Encoded, encode
from newsdesk.types import Output, References, Score
from newsdesk.wording import plural


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
    """The specs of a comma-separated list; commas inside brackets or quotes belong to their spec.

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
    """Each system's outputs beside their references, systems in the order of their first output.

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
    """The scores of one system with the value of every item, and with intervals if `samples` says how many draws.

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
    """The scores of several systems, in their order, by the same metrics."""
    return [
        SystemScores(
            system=system,
            metrics=tuple(specs),
            scores=tuple(score_system(system, specs, samples=samples, seed=seed)),
        )
        for system in systems
    ]


def incomplete(systems: Sequence[System]) -> list[str]:
    """A warning for each system that has fewer items than another."""
    most = max(len(system.ids) for system in systems)
    return [
        f"{system.name} answers {plural(len(system.ids), 'item')} where another answers {most}; compare with care"
        for system in systems
        if len(system.ids) < most
    ]
