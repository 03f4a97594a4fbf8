"""The plain partner of each weighted metric: the one that it equals exactly when all weights are 1.

A table that sets a weighted metric beside a plain one shows what the weights change only if the plain one is this partner. `w-rouge-l`
is F_β of the best precision and the best recall over the language's words, so its partner is `rouge-l(combine='coco')` and not `rouge-l`,
which is rouge_score's. Readings that equal no plain metric (`w-rouge-l(combine='union')`, `w-meteor(reading='paper')`) have no partner.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from newsdesk.errors import SpecError
from newsdesk.metrics.metric import Metric, metric


def plain_partner(spec: str) -> str | None:
    """The plain metric that a weighted one equals when all weights are 1; None for any other metric.

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
    """Every weighted metric of a list whose plain partner is in the list too, with that partner as it is spelled there.

    >>> pairs(["rouge-l", "rouge-l( combine = 'coco' )", "w-rouge-l", "words"])
    [('w-rouge-l', "rouge-l( combine = 'coco' )")]
    """
    return [
        (spec, partner)
        for spec in specs
        if (plain := plain_partner(spec)) and (partner := _among(specs, metric(plain)))
    ]


def pairing_notes(specs: Sequence[str]) -> list[str]:
    """A sentence for each weighted metric that stands beside another form of its plain metric and not beside its partner.

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
    """The metric of a spec; None for the name of values that were computed elsewhere."""
    try:
        return metric(spec)
    except SpecError:
        return None


def _among(specs: Sequence[str], wanted: Metric) -> str | None:
    """The first spec that names this metric, whichever way its settings are written."""
    return next((spec for spec in specs if _same(_known(spec), wanted)), None)


def _same(one: Metric | None, other: Metric) -> bool:
    return one is not None and dataclasses.replace(one, spec=other.spec) == other
