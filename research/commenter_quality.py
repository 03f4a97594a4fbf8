"""`ir-quality` against `ir-tc` in simulated worlds: graded quality and relevance of the first suggestion, with paired intervals.

`python -m research.commenter_quality FOLDER [SEED…]` (without a folder nothing is kept; seeds 6, 7 and 8 by default; the settings were chosen at seed 100). Seeds whose results are in the folder are not computed again. Each world has 1,000 articles with 20 comments; 100 articles are held out, `ranksvm` learns from the votes under 300
training articles and rates the comments of all. Grades are those of the world's simulated people (two for each suggestion, 1 to 5): they say how the systems compare in these worlds, not what readers think.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import newsdesk as nd
from newsdesk import records
from newsdesk.commenters.nearest import IrTc
from newsdesk.commenters.quality import IrQuality
from newsdesk.commenters.split import Split
from newsdesk.commenters.texts import references_of
from newsdesk.files import make_folder
from newsdesk.metrics.systems import compare_systems, join, score_systems
from newsdesk.simulate import world
from newsdesk.simulate.outputs import Grader
from newsdesk.simulate.texts import TALK
from newsdesk.stats.significance import interval
from newsdesk.types import Judgment, Output, References

EVENTS, COMMENTS = 1_000, 20
RATED_THREADS = 300
SEEDS = (6, 7, 8)
UPDATES = 800
METRICS = ("meteor", "rouge-l", "cider", "bleu-1", "w-meteor")
_WORD = re.compile(r"[^\W_]+")
BASE, OURS = "ir-tc", "ir-quality"
# What is left out of ours in each further row; none of it needs a new training.
WITHOUT: dict[str, dict[str, float | bool]] = {
    "without quality": {"quality": 0.0, "least_quality": 0.0},
    "without specificity": {"specificity": 0.0},
    "without nearness": {"nearness": 0.0},
    "any particulars": {"fitting": False},
}


def run(
    seed: int, folder: Path
) -> tuple[list[Output], list[References], dict[tuple[str, str], float]]:
    """Outputs of all systems, references and mean grades in the world of a seed; items carry the seed."""
    files = [folder / f"{seed}-{part}.jsonl" for part in ("outputs", "references", "grades")]
    if not files[2].exists():
        outputs, references, judgments = _simulated(seed)
        records.write(files[0], outputs, overwrite=True)
        records.write(files[1], references, overwrite=True)
        records.write(files[2], judgments, overwrite=True)
    given: dict[tuple[str, str], list[float]] = {}
    for each in records.read(files[2], Judgment):
        given.setdefault((each.target, f"{seed}/{each.item}"), []).append(float(each.value))
    outputs = [replace(each, id=f"{seed}/{each.id}") for each in records.read(files[0], Output)]
    references = [
        replace(each, id=f"{seed}/{each.id}") for each in records.read(files[1], References)
    ]
    return outputs, references, {key: float(np.mean(values)) for key, values in given.items()}


def _simulated(seed: int) -> tuple[list[Output], list[References], list[Judgment]]:
    simulated = world(seed=seed, preset="commenting", events=EVENTS, comments=EVENTS * COMMENTS)
    split = Split.of(simulated.threads(), test=0.1, dev=0.05, seed=seed)
    ranker = nd.ranker("ranksvm(cost=0.01)").fit(split.train[:RATED_THREADS])
    ours = IrQuality(updates=UPDATES).with_ranker(ranker).fit(split.train, split.dev)
    # The same data, settings and seed give both the same index and relevance model: it is trained once.
    base = IrTc(updates=UPDATES)
    base.restore(ours.saved())
    print(f"seed {seed}: {base.signature}\n        {ours.signature}", flush=True)
    outputs = _outputs(BASE, base, split) + _outputs(OURS, ours, split)
    for name, changed in WITHOUT.items():
        outputs += _outputs(name, ours.with_settings(**changed), split)
    references = list(references_of(split.test).references)
    return outputs, references, list(Grader(simulated.desk).judgments(outputs))


def _outputs(name: str, model: nd.Commenter, split: Split) -> list[Output]:
    return [
        Output(article.id, name, model.suggest(article, 1)[0].text) for article in split.articles
    ]


def main(folder: str | None = None, seeds: Sequence[int] = SEEDS) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        kept = make_folder(Path(folder or temporary))
        runs = [run(seed, kept) for seed in seeds]
    outputs = [each for some, _, _ in runs for each in some]
    references = [each for _, some, _ in runs for each in some]
    grades = {key: value for _, _, some in runs for key, value in some.items()}
    items = sorted({item for _, item in grades})
    print(
        f"\n{len(items)} simulated articles, seeds {seeds}; mean grade, then paired difference from {BASE}"
    )
    for name in (BASE, OURS, *WITHOUT):
        print(f"{name:<22}{_mean(grades, name, items)}  {_difference(grades, name, items)}")
    systems = join(outputs, references)
    print(f"\nrelevance: {', '.join(METRICS)}")
    for system in score_systems(systems, METRICS, samples=1_000, seed=0):
        print(f"{system.system.name:<22}" + "  ".join(f"{s.value:.4f}" for s in system.scores))
    pair = [each for each in systems if each.name in (BASE, OURS)]
    for test in compare_systems(pair, METRICS, samples=1_000, seed=0):
        print(
            f"{test.metric:<10} {test.first} - {test.second}: {test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}]"
        )
    about = {seed: _About(seed) for seed in seeds}
    print(
        "\nshare of content words that are of the article's subject, then paired difference; words"
    )
    shares: dict[tuple[str, str], float] = {}
    words: dict[str, list[int]] = {}
    for each in outputs:
        of_world, _, article = each.id.partition("/")
        shares[each.system, each.id] = about[int(of_world)].share(article, each.text)
        words.setdefault(each.system, []).append(len(each.text.split()))
    for name in (BASE, OURS, *WITHOUT):
        found = f"{_mean(shares, name, items)}  {_difference(shares, name, items)}"
        print(f"{name:<22}{found}  {np.mean(words[name]):.1f}")
    for seed in seeds:
        of_seed = [item for item in items if item.startswith(f"{seed}/")]
        print(f"seed {seed}: {OURS} - {BASE} {_difference(grades, OURS, of_seed)}")
    return 0


class _About:
    """What the world of a seed knows of the subjects of its articles."""

    def __init__(self, seed: int) -> None:
        simulated = world(seed=seed, preset="commenting", events=EVENTS, comments=EVENTS * COMMENTS)
        self.forum = simulated.forum
        self.function = {each.lower() for each in self.forum.newsroom.planner.lexicon.function}

    def share(self, article: str, text: str) -> float:
        """The share of the different content words of a text that belong to the article's topic or to the insights of its subject."""
        event = int(article.removeprefix("sim-e").partition("/")[0])
        subject = self.forum.topic(self.forum.newsroom.planner.plan(event), TALK)
        known = {each.lower() for each in (*subject.insights, *subject.words)}
        content = set(_WORD.findall(text.lower())) - self.function
        return len(content & known) / max(len(content), 1)


def _mean(grades: dict[tuple[str, str], float], name: str, items: list[str]) -> str:
    return _with_ends(np.array([grades[name, item] for item in items]))


def _difference(grades: dict[tuple[str, str], float], name: str, items: list[str]) -> str:
    return _with_ends(np.array([grades[name, item] - grades[BASE, item] for item in items]))


def _with_ends(values: np.ndarray) -> str:
    rows = np.column_stack([values, np.ones(len(values))])
    ends = interval(rows, lambda sums: sums[..., 0] / sums[..., 1], samples=2_000, seed=0)
    return f"{values.mean():+.3f} [{ends.low:+.3f}, {ends.high:+.3f}]"


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(words[0] if words else None, [int(word) for word in words[1:]] or SEEDS))
