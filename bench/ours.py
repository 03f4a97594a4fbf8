"""What our own summarizer gains over the others, with paired intervals, wherever there is data that it was not fitted or tuned on.

Halves are by the sha256 of the cluster's id. `expected-rouge` has no fitted weights (its constants were chosen on Multi-News, see `bench.multi_news`); those of TSR come from the validation half of the shared
WCEP clusters and a simulated world.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from newsdesk import records, samples
from newsdesk.simulate import world
from newsdesk.summarizers import Evaluation, evaluate_outputs, prepare, summarizer
from newsdesk.summarizers.regression import Tsr
from newsdesk.types import Cluster, ClusterArticle, Output, Reference, References

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
OTHERS = ("lead", "textrank", "centroid", "submodular")
MEASURES = ("R1-F", "R2-F", "RL-F")
Items = Sequence[tuple[Cluster, References]]


def validation(cluster: Cluster) -> bool:
    return int(hashlib.sha256(f"half {cluster.id}".encode()).hexdigest(), 16) % 2 == 0


def with_summary(clusters: Sequence[Cluster]) -> Items:
    return [(each, References(each.id, (Reference(each.summary or ""),))) for each in clusters]


def simulated(seed: int) -> list[Cluster]:
    return list(world(seed=seed, preset="base", events=80, comments=0).clusters())


def rows(name: str) -> Iterator[dict[str, object]]:
    with (SHARED / name).open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def opinosis() -> Items:
    """Review sentences, each an article of its own, with several references."""
    items = []
    for row in rows("opinosis/topics.jsonl"):
        name = str(row["topic"])
        texts = enumerate(row["sentences"])  # type: ignore[arg-type, var-annotated]
        articles = tuple(ClusterArticle(f"{name}/{at}", text) for at, text in texts)
        references = tuple(map(Reference, row["gold"]))  # type: ignore[call-overload]
        items.append((Cluster(name, articles), References(name, references)))
    return items


def multiling() -> Items:
    """Ten articles with three references of 250 words; the first paragraph is the title, a short one with a number the date."""
    items = []
    for row in rows("multiling2011/clusters.jsonl"):
        name, articles = str(row["cluster"]), []
        for at, document in enumerate(row["documents"]):  # type: ignore[arg-type, var-annotated]
            title, *body = document["text"]
            if len(body) > 1 and len(body[0]) < 40 and any(map(str.isdigit, body[0])):
                body = body[1:]
            articles.append(ClusterArticle(f"{name}/{at}", "\n".join(body), title=title))
        references = tuple(Reference(" ".join(each["text"])) for each in row["references"])  # type: ignore[attr-defined]
        items.append((Cluster(name, tuple(articles)), References(name, references)))
    return items


def compared(items: Items, max_words: int, tsr: Tsr | None) -> Evaluation:
    methods = {name: summarizer(name, max_words=max_words) for name in ("expected-rouge", *OTHERS)}
    if tsr:
        methods["tsr"] = tsr
    outputs = []
    for cluster, _ in items:
        prepared = prepare(cluster)
        outputs += [
            Output(cluster.id, name, method.summarize(prepared).text)
            for name, method in methods.items()
        ]
    return evaluate_outputs(outputs, [each for _, each in items], max_words=max_words)


def show(title: str, evaluation: Evaluation) -> None:
    print(f"{title}: {len(evaluation.ids)} clusters")
    for row in evaluation.rows:
        values = "  ".join(f"{measure} {row.scores[measure].value:.4f}" for measure in MEASURES)
        line = f"  {row.system:<14} {values}"
        if row.system != "expected-rouge" and len(evaluation.ids) > 1:
            gains = (
                evaluation.difference("expected-rouge", row.system, measure) for measure in MEASURES
            )
            line += "  expected-rouge " + ", ".join(
                f"{each.difference:+.4f} [{each.low:+.4f}, {each.high:+.4f}]" for each in gains
            )
        print(line)


def main() -> None:
    if not SHARED.is_dir():
        raise SystemExit("the real data (../shared/data beside the project) is not on this machine")
    real = list(records.read(SHARED / "wcep_real" / "clusters_train.jsonl", Cluster))
    seen = [each for each in real if validation(each)]
    held_out = [each for each in real if not validation(each)]
    tsr = Tsr().fit([*seen, *simulated(100)])
    wcep = compared(with_summary(held_out), 40, tsr)
    show("WCEP, the half left alone", wcep)
    several = [each for each in held_out if len(each.articles) > 1]
    show("of these, several articles", compared(with_summary(several), 40, tsr))
    show("Opinosis, never fitted on", compared(opinosis(), 40, tsr))
    show("MultiLing, 250 words", compared(multiling(), 250, None))
    show("the sample newsroom, fiction", compared(with_summary(samples.clusters()), 40, tsr))
    show("a simulated world, other seed", compared(with_summary(simulated(101)), 40, tsr))
    behind = [
        name
        for name in ("submodular", "tsr")
        if wcep.difference("expected-rouge", name, "R1-F").low <= 0
    ]
    if behind:
        raise SystemExit(f"expected-rouge is not above {', '.join(behind)} on WCEP")


if __name__ == "__main__":
    main()
