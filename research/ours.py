"""What our own summarizer gains over the others, with paired intervals, wherever there is data that it was not fitted or tuned on.

Halves are by the sha256 of the cluster's id. `expected-rouge` has no fitted weights (its constants were chosen on Multi-News, see `research.multi_news`); those of TSR come from the validation half of the shared
WCEP clusters and a simulated world.
"""

from __future__ import annotations

from bench._data import (
    ABSENT,
    SHARED,
    Items,
    in_fitted_half,
    multiling,
    opinosis,
    wcep_clusters,
    with_summary,
)
from newsdesk import samples
from newsdesk.simulate import world
from newsdesk.summarizers import SummaryEvaluation, evaluate_outputs, prepare, summarizer
from newsdesk.summarizers.regression import Tsr
from newsdesk.types import Cluster, Output

OTHERS = ("lead", "textrank", "centroid", "submodular")
MEASURES = ("R1-F", "R2-F", "RL-F")


def simulated(seed: int) -> list[Cluster]:
    return list(world(seed=seed, preset="base", events=80, comments=0).clusters())


def compared(items: Items, max_words: int, tsr: Tsr | None) -> SummaryEvaluation:
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


def show(title: str, evaluation: SummaryEvaluation) -> None:
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
        raise SystemExit(ABSENT)
    real = wcep_clusters()
    seen = [cluster for cluster in real if in_fitted_half(cluster)]
    held_out = [cluster for cluster in real if not in_fitted_half(cluster)]
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
