"""The quality gate: what newsdesk reaches on real data, pinned in `gate.toml` as floors beside the digests of the data.

    python -m bench.gate              every row
    python -m bench.gate --fast       the rows that `make test` runs
    python -m bench.gate --update     raise the floors to what was measured now; a lower one is refused,
                                      unless its row is named by --lower ROW and a reason given by --why TEXT

A row that falls below its floor, or whose data changed, fails. A floor stands a thousandth below the value measured, because other processors
round otherwise. Rows are functions of the shared data folder; where it is absent there is nothing to measure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench import extract, portal
from bench._data import ABSENT, SHARED, c3, debates, in_fitted_half, rows, wcep
from newsdesk.files import write_text
from newsdesk.rankers.evaluation.compare import cross_folds
from newsdesk.rankers.evaluation.evaluate import evaluate
from newsdesk.rankers.evaluation.game_search import search
from newsdesk.rankers.evaluation.judged import Judged, system_of_run
from newsdesk.rankers.ranker import ranker
from newsdesk.rankers.ready import load_ready
from newsdesk.summarizers import evaluate_outputs, prepare, summarizer
from newsdesk.types import Cluster, Output, References, Thread
from research import soft_metric, wcep_pairs

HERE = Path(__file__).resolve().parent
FLOORS = HERE / "gate.toml"
_SLACK = 0.001
Measures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """Something measured: the data files or folders it reads, whether it is fast enough for every test run, and its measures."""

    data: tuple[str, ...]
    fast: bool
    measure: Callable[[Path], Measures]


@dataclass(frozen=True, slots=True)
class Pinned:
    """What the file holds of a row: digests of its data, floors of its measures, and why a floor was lowered."""

    data: dict[str, str]
    floors: Measures
    why: str = ""


def summaries(items: Sequence[tuple[Cluster, References]], methods: Iterable[str]) -> Measures:
    """ROUGE-1 F of methods by the protocol of Table 5, at 40 words."""
    by_name = {name: summarizer(name, max_words=40) for name in methods}
    outputs = []
    for cluster, _ in items:
        prepared = prepare(cluster)
        outputs += [
            Output(cluster.id, name, one.summarize(prepared).text) for name, one in by_name.items()
        ]
    evaluation = evaluate_outputs(outputs, [each for _, each in items], max_words=40, samples=50)
    return {row.system: row.scores["R1-F"].value for row in evaluation.rows}


def wcep_half(shared: Path) -> Measures:
    """The half of the WCEP clusters that no weight was fitted on."""
    held_out = [item for item in wcep(shared) if not in_fitted_half(item[0])]
    return summaries(held_out, ("expected-rouge", "submodular", "lead"))


def wcep_whole(shared: Path) -> Measures:
    return summaries(wcep(shared), ("expected-rouge", "centroid", "textrank", "submodular", "lead"))


def ranked(threads: list[Thread], spec: str, folds: int, tested: int | None = None) -> Measures:
    """bLMP and NDCG@5 of a ranker on articles that it has not seen; only the first `tested` folds, where a part is enough."""
    parts = cross_folds(threads, folds, seed=0)[:tested]
    held_out = [thread for part in parts for thread in part.test]
    judged = Judged.of(held_out)
    run = [
        line for part in parts for line in ranker(spec).fit([*part.train, *part.dev]).run(part.test)
    ]
    system = system_of_run(spec, run, judged)
    measures = evaluate(judged, [system], (5,), samples=50, redrawn=0).systems[spec]
    return {name: measures[name].value or 0.0 for name in ("blmp", "ndcg@5")}


def c3_fold(shared: Path) -> Measures:
    return ranked(c3(shared), "argument", 4, tested=1)


def c3_folds(shared: Path) -> Measures:
    return ranked(c3(shared), "argument", 5)


def c3_ready(shared: Path) -> Measures:
    """The English model that ships, which was fitted on other data."""
    threads = c3(shared)
    judged = Judged.of(threads)
    system = system_of_run("ready", load_ready("ready-en").run(threads), judged)
    measures = evaluate(judged, [system], (5,), samples=50, redrawn=0).systems["ready"]
    return {name: measures[name].value or 0.0 for name in ("blmp", "ndcg@5")}


def c3_rise(shared: Path) -> Measures:
    """The share of pairs that the search for the cheapest rise leaves in order, by the English model that ships."""
    tried = search(load_ready("ready-en"), c3(shared), sample=40, samples=50)
    gated = ("combined", "salad", "numbers", "quote", "foreign")
    return {each.trick: 1 - (each.share or 0.0) for each in tried if each.trick in gated}


def ukp_folds(shared: Path) -> Measures:
    """The share of gold pairs in the right order, by a ranker that has not seen their debate."""
    topics = debates(shared)
    scores: dict[tuple[str, str], float] = {}
    for debate, threads in topics.items():
        others = [each for other, some in topics.items() if other != debate for each in some]
        model = ranker("argument(prior='none')").fit(
            others
        )  # the ready model has seen these debates
        for thread in threads:
            ids = ((thread.article.id, each.id) for each in thread.comments)
            scores |= zip(ids, model.scores(thread).tolist(), strict=True)
    right = []
    for row in rows("ukpconvarg/pairs_strict.jsonl", shared):
        first, second = (scores[row["topic"], each] for each in row["id"].split("_"))
        right.append((first > second) == (row["winner"] == "a1"))
    return {"pairs": sum(right) / len(right)}


def pages_third(shared: Path) -> Measures:
    """Every third page; all of them take three times as long and change little."""
    return extract.quality(extract.pages(shared, every=3))


def pages_all(shared: Path) -> Measures:
    return extract.quality(extract.pages(shared))


def align_first(shared: Path) -> Measures:
    """Our features, and how much better they are than the paper's."""
    reached = wcep_pairs.first_events([cluster for cluster, _ in wcep(shared)])
    return {"rich": reached["rich"], "more than paper": reached["rich"] - reached["paper"]}


def align_halves(shared: Path) -> Measures:
    clusters = [cluster for cluster, _ in wcep(shared)]
    return {
        kind: wcep_pairs.measured(wcep_pairs.tables_of(clusters, kind, seed=0)["rich"])
        for kind in wcep_pairs.KINDS
    }


def graded_references(shared: Path) -> Measures:
    """What weighting by the grades of references adds to the Spearman correlation with people."""
    return {combine: soft_metric.graded(combine, shared)[0] for combine in soft_metric.GRADED}


_WCEP = ("wcep_real/clusters_train.jsonl",)
_PAGES = (f"{extract.FOLDER}/gold", f"{extract.FOLDER}/html")
ROWS = {
    "WCEP, the half left alone": Row(_WCEP, True, wcep_half),
    "WCEP, all clusters": Row(_WCEP, False, wcep_whole),
    "C3, one fold of four": Row(("c3/c3_threads.jsonl",), True, c3_fold),
    "C3, five folds": Row(("c3/c3_threads.jsonl",), False, c3_folds),
    "C3, ready model": Row(("c3/c3_threads.jsonl",), False, c3_ready),
    "C3, cheapest rise": Row(("c3/c3_threads.jsonl",), False, c3_rise),
    "UKPConvArg, debates left out": Row(
        ("ukpconvarg/ranking.jsonl", "ukpconvarg/pairs_strict.jsonl"), False, ukp_folds
    ),
    "Extraction, every third page": Row(_PAGES, True, pages_third),
    "Extraction, all pages": Row(_PAGES, False, pages_all),
    "Portal pages": Row((portal.FOLDER,), True, portal.quality),
    "Alignment, 150 events": Row(_WCEP, True, align_first),
    "Alignment, 50 other events": Row(_WCEP, False, align_halves),
    "Soft recall on dialogue": Row(
        ("multirefeval/rated_contexts.jsonl",), True, soft_metric.on_dialogue
    ),
    "Soft recall, graded references": Row(
        ("human_judgments/REALSumm.jsonl",), False, graded_references
    ),
}


def read_floors(path: Path = FLOORS) -> dict[str, Pinned]:
    if not path.exists():
        return {}
    rows = tomllib.loads(path.read_text("utf-8"))
    return {name: Pinned(**row) for name, row in rows.items()}


def write_floors(pinned: dict[str, Pinned], path: Path = FLOORS) -> None:
    """Names, digests and floors as TOML; every text in it is a JSON string, which TOML reads alike."""
    lines = [
        "# Floors of the quality gate; written by `python -m bench.gate --update`, never by hand."
    ]
    for name, row in pinned.items():
        lines += ["", f"[{json.dumps(name)}]"]
        lines += [f"why = {json.dumps(row.why)}"] if row.why else []
        for table, values in (("data", row.data), ("floors", row.floors)):
            cells = ", ".join(
                f"{json.dumps(key)} = {json.dumps(each)}" for key, each in values.items()
            )
            lines.append(f"{table} = {{ {cells} }}")
    write_text(path, "\n".join(lines) + "\n")


def digests(row: Row, shared: Path) -> dict[str, str]:
    return {name: digest(shared / name) for name in row.data}


def digest(path: Path) -> str:
    """The sha256 of a file, or of the names and digests of all files in a folder."""
    if not path.is_dir():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    files = sorted(each for each in path.rglob("*") if each.is_file())
    lines = [f"{digest(each)} {each.relative_to(path).as_posix()}\n" for each in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def faults(name: str, measures: Measures, data: dict[str, str], pinned: Pinned | None) -> list[str]:
    """What is wrong with a row: data that changed, a measure below its floor or without one."""
    if pinned is None:
        return [f"{name}: no floor is pinned; run --update"]
    changed = [file for file, digest in data.items() if pinned.data.get(file) != digest]
    below = [
        f"{name}: {measure} is {value:.4f}, below its floor {pinned.floors[measure]:.3f}"
        for measure, value in measures.items()
        if measure in pinned.floors and value < pinned.floors[measure]
    ]
    unpinned = [measure for measure in measures if measure not in pinned.floors]
    return [
        *(f"{name}: {file} is not the data that the floors were measured on" for file in changed),
        *below,
        *(f"{name}: {measure} has no floor; run --update" for measure in unpinned),
    ]


def updated(
    name: str, measures: Measures, data: dict[str, str], pinned: Pinned | None, why: str | None
) -> Pinned:
    """The row as it is to be pinned now; a floor goes down only with a reason."""
    floors = {each: math.floor((value - _SLACK) * 1000) / 1000 for each, value in measures.items()}
    if pinned is None:
        return Pinned(data, floors)
    lower = [each for each in floors if floors[each] < pinned.floors.get(each, -math.inf)]
    if lower and not why:
        raise SystemExit(
            f"{name}: {', '.join(lower)} would get a lower floor; name it by --lower {name!r} and say --why"
        )
    return replace(pinned, data=data, floors=floors, why=why or pinned.why)


def main(words: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.gate")
    parser.add_argument("--fast", action="store_true", help="only the fast rows")
    parser.add_argument("--update", action="store_true", help="raise floors to what is measured")
    parser.add_argument("--lower", metavar="ROW", help="with --update: this row may go down")
    parser.add_argument("--why", help="the reason for --lower")
    asked = parser.parse_args(words)
    if not SHARED.is_dir():
        print(ABSENT)
        return 0
    pinned, found = read_floors(), []
    for name, row in ROWS.items():
        if asked.fast and not row.fast:
            continue
        measures, data = row.measure(SHARED), digests(row, SHARED)
        print(f"{name}: " + ", ".join(f"{each} {value:.4f}" for each, value in measures.items()))
        if asked.update:
            why = asked.why if asked.lower == name else None
            pinned[name] = updated(name, measures, data, pinned.get(name), why)
            write_floors(pinned)
        else:
            found += faults(name, measures, data, pinned.get(name))
    for line in found:
        print(f"   {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
