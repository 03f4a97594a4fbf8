"""Texts in the chapter of correlations: outputs on which two metrics disagree most, and one whole item (Qin et al. 2018, Tables 2 to 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.results.page import Section
from newsdesk.results.table import Cell


def disagreements_part(examples: Sequence[Mapping[str, Any]]) -> Section:
    """The examples of one question, a folded table per pair of metrics."""
    section = Section("Disagreements")
    pairs = dict.fromkeys((example["first"], example["second"]) for example in examples)
    for first, second in pairs:
        part = Section(f"Where {first} and {second} disagree")
        with_text = any(example["text"] for example in examples)
        rows: list[tuple[Cell, ...]] = [
            (
                *((example["text"],) if with_text else ()),
                _number(example["human"]),
                f"{example['first_normalized']:.1f} ({example['first_value']:.2f})",
                f"{example['second_normalized']:.1f} ({example['second_value']:.2f})",
                example["system"],
                example["item"],
            )
            for example in examples
            if (example["first"], example["second"]) == (first, second)
        ]
        part.table(
            (*(("output",) if with_text else ()), "people", first, second, "system", "item"),
            rows,
            "The outputs that two metrics judge most differently: on the human scale (same mean and variance, clipped to its ends), the raw value in brackets",
        )
        section.fold(part)
    return section


def instance_part(instance: Mapping[str, Any] | None) -> Section:
    """One item with all its references and outputs."""
    if not instance:
        return Section("One whole item")
    section = Section(f"One whole item: {instance['item']}")
    section.table(
        ("weight", "reference"),
        [(_number(each["score"]), each["text"]) for each in _best_first(instance["references"])],
        "References, best first",
    )
    return section.table(
        ("people", "output", "system"),
        [
            (_number(each["score"]), each["text"], each["source"])
            for each in _best_first(instance["outputs"])
        ],
        "Outputs of the systems, best first",
    )


def _number(value: float | None) -> str | None:
    """A score as people write it: at most two decimals."""
    return None if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _best_first(texts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(texts, key=lambda each: -(each["score"] or 0.0))
