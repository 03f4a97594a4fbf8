"""The ready model and what fitting makes of it, on C3 (never read when the ready model was fitted): `python -m research.ready [PART …]`.

Parts: `ready` (zero-shot), `adapt` (10, 30 and 100 articles, ten draws each; bLMP, NDCG@5, calibration), `folds` (five folds: bLMP and its halves, NDCG@5, what the discount takes from good
comments), `fillers` (every style in the bank and left out of it, in three places), `stable` (typos, case, names, copies), `scale` (a thread of 5,000 and of 20,000 comments).
"""

from __future__ import annotations

import copy
import dataclasses
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench._data import ABSENT, SHARED, c3
from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.packaged import sections
from newsdesk.rankers.argument.discount import UNLEARNED, Discount
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.logistic import calibration_error
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.argument.weights import Labels, Platt, RidgeRegression, Weights
from newsdesk.rankers.evaluation.gaming import PLACES, styles, turned
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.evaluation.length_control import MatchedPairs
from newsdesk.rankers.ranker import Ranker, ranker
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Thread

DRAWS = 10
FOLDS = 5
TYPOS = 500


@dataclasses.dataclass(frozen=True, eq=False)
class Measured:
    """The threads of C3 with what measures need: shares of yes, the article of each comment, and its length."""

    threads: list[Thread]
    labels: Labels

    @classmethod
    def of(cls) -> Measured:
        """Read C3."""
        threads = sorted(c3(), key=lambda each: each.article.id)
        return cls(threads, Labels.of(threads, "score"))

    def halves(self, scores: Floats, articles: Sequence[int] | Ints) -> tuple[float, float, float]:
        """bLMP over some articles, and its halves: the better comment is the longer, and the shorter."""
        sizes = np.array([len(each.text) for thread in self.threads for each in thread.comments])
        starts = np.flatnonzero(np.diff(self.labels.articles, prepend=-1))
        pairs = MatchedPairs.of(sizes, np.append(starts, len(sizes)))
        rows = pairs.statistics(scores, self.labels.shares)[np.asarray(articles)].sum(axis=0)
        longer, shorter = rows[0] / rows[1], rows[2] / rows[3]
        return (longer + shorter) / 2, longer, shorter

    def ndcg(self, scores: Floats, articles: Sequence[int] | Ints) -> float:
        """Mean NDCG@5 over some articles."""
        values = []
        discounts = 1 / np.log2(np.arange(2, 7))
        for article in articles:
            own = np.flatnonzero(self.labels.articles == article)
            gains = self.labels.shares[own]
            first = gains[np.argsort(-scores[own], kind="stable")[:5]]
            best = np.sort(gains)[::-1][:5]
            if best.sum():
                values.append((first @ discounts[: len(first)]) / (best @ discounts[: len(best)]))
        return float(np.mean(values))

    def within(self, articles: Sequence[int] | Ints) -> Bools:
        """Which comments belong to some articles."""
        return np.isin(self.labels.articles, articles)


def ready_model() -> Argument:
    model = load_ready("ready-en")
    if not isinstance(model, Argument):
        raise SystemExit("the ready model is no 'argument'")
    return model


def rows_of(features: ArgumentFeatures, threads: Sequence[Thread]) -> CommentRows:
    return CommentRows.joined([features.of_thread(each) for each in threads])


def zero_shot(data: Measured) -> None:
    """The ready models as they ship, beside length."""
    everything = range(len(data.threads))
    for name in ("length", "ready-en", "ready-en-plain"):
        model: Ranker = ranker("length") if name == "length" else load_ready(name)
        scores = np.concatenate([model.scores(each) for each in data.threads])
        both, longer, shorter = data.halves(scores, everything)
        ndcg = data.ndcg(scores, everything)
        print(
            f"{name}: bLMP {both:.4f} (longer {longer:.3f}, shorter {shorter:.3f}), NDCG@5 {ndcg:.4f}"
        )


def adapted(
    data: Measured, rows: CommentRows, articles: Sequence[int] | Ints
) -> tuple[Weights, Platt]:
    """The ready model adapted on some articles, by its own features."""
    model = Argument()
    inside = np.flatnonzero(data.within(articles))
    regression = RidgeRegression(model.wording, model.vector, 0, ready_model().weights_)
    return regression.fit(rows.part(inside), data.labels.part(inside))


def adapt(data: Measured) -> None:
    """Ten draws of a few articles: how the adapted model ranks the others, and how it is calibrated."""
    model = ready_model()
    rows = rows_of(model.features_, data.threads)
    ready = model.weights_.scores(rows)
    rng = np.random.default_rng(0)
    for count in (10, 30, 100):
        measured = []
        for _ in range(DRAWS):
            order = rng.permutation(len(data.threads))
            weights, platt = adapted(data, rows, order[:count])
            scores = weights.scores(rows)
            others = np.sort(order[count:])
            own, before = (data.halves(each, others)[0] for each in (scores, ready))
            outside = data.within(others)
            error = calibration_error(platt(scores)[outside], data.labels.shares[outside])
            measured.append((own, before, own - before, data.ndcg(scores, others), error))
        own, before, _, ndcg, error = np.mean(measured, axis=0)
        least = np.min(measured, axis=0)[2]
        print(
            f"{count} articles, {DRAWS} draws: bLMP {own:.4f} (ready {before:.4f}, smallest gain {least:+.4f}), "
            f"NDCG@5 {ndcg:.4f}, calibration error {error:.4f}"
        )


def folds(data: Measured) -> None:
    """Five folds by article, each fitted from the ready model."""
    scores = np.zeros(len(data.labels.rows))
    ratios = []
    for fold in range(FOLDS):
        tested = np.arange(fold, len(data.threads), FOLDS)
        train = [each for number, each in enumerate(data.threads) if number % FOLDS != fold]
        model = Argument().fit(train)
        plain = dataclasses.replace(
            model.features_, discount=Discount.nothing(model.features_.reader)
        )
        for article in tested.tolist():
            inside = data.within([article])
            own = model.weights_.scores(model.features_.of_thread(data.threads[article]))
            whole = model.weights_.scores(plain.of_thread(data.threads[article]))
            scores[inside] = own
            good = data.labels.shares[inside] >= 0.8
            ratios += (model.platt_(own) / model.platt_(whole))[good].tolist()
    everything = range(len(data.threads))
    both, longer, shorter = data.halves(scores, everything)
    print(
        f"five folds: bLMP {both:.4f} (longer {longer:.3f}, shorter {shorter:.3f}), NDCG@5 {data.ndcg(scores, everything):.4f}"
    )
    halved = np.sum(np.array(ratios) < 0.5)
    print(
        f"comments with a share of at least .8: {len(ratios)}; probability more than halved by the discount: {halved} "
        f"(smallest ratio {min(ratios):.3f})"
    )


def fillers(data: Measured) -> None:
    """The gaming test in every style and place on a fold, with the style in the bank of padding and left out of it."""
    train = [each for number, each in enumerate(data.threads) if number % FOLDS]
    tested = data.threads[:: 2 * FOLDS]
    model = Argument().fit(train)
    talks = [Talk.of(each, model.features_.reader) for each in train]
    judged = Judged.of(tested)
    kinds = [f"{style}:{place}" for style in styles() for place in PLACES]
    known = shares(model, tested, judged, kinds)
    unknown: dict[str, float] = {}
    for style in sections("rankers", "filler-en.txt"):
        if style in UNLEARNED:
            continue
        discount = Discount.of(model.features_.reader, talks, 0, (style,))
        features = dataclasses.replace(model.features_, discount=discount)
        other = copy.copy(model).hold(features_=features)
        own = [f"{style}:{place}" for place in PLACES]
        unknown.update(shares(other, tested, judged, own))
    print(
        "share of pairs overturned: append, prepend, interleave; then with the style left out of the bank"
    )
    for style in styles():
        own = [f"{style}:{place}" for place in PLACES]
        left_out = " ".join(f"{unknown[kind]:.3f}" for kind in own if kind in unknown)
        print(f"  {style:13} " + " ".join(f"{known[kind]:.3f}" for kind in own) + "   " + left_out)


def shares(
    model: Argument, threads: list[Thread], judged: Judged, kinds: Sequence[str]
) -> dict[str, float]:
    rows = turned(model, threads, judged, kinds)
    sums = {kind: np.sum(rows[kind], axis=0) for kind in kinds}
    return {kind: float(wrong / right) for kind, (wrong, right) in sums.items()}


def stable(data: Measured) -> None:
    """Changes of the log-odds by one typo, by case, and by copies of a comment in its thread."""
    model = ready_model()
    rng = np.random.default_rng(0)
    changes: dict[str, list[float]] = {"typo": [], "copies": [], "near-copies": []}
    drawn = rng.choice(len(data.labels.rows), TYPOS, replace=False).tolist()
    starts = np.flatnonzero(np.diff(data.labels.articles, prepend=-1))
    for row in drawn:
        article = int(data.labels.articles[row])
        thread, place = data.threads[article], row - int(starts[article])
        comment = thread.comments[place]
        before = model.scores(thread)[place]
        typo = dataclasses.replace(comment, text=mistyped(comment.text, rng))
        changes["typo"].append(model.replaced(thread, [place], [typo])[0] - before)
        if len(changes["copies"]) < 100:
            for name, text in (
                ("copies", comment.text),
                ("near-copies", mistyped(comment.text, rng)),
            ):
                copies = [dataclasses.replace(comment, id=f"copy {n}", text=text) for n in range(3)]
                longer = Thread(thread.article, (*thread.comments, *copies))
                changes[name].append(model.scores(longer)[place] - before)
    for name, values in changes.items():
        sizes = np.abs(values)
        print(
            f"{name}: mean change {sizes.mean():.4f}, largest {sizes.max():.4f} ({len(values)} comments)"
        )


def mistyped(text: str, rng: np.random.Generator) -> str:
    """A text with two neighbouring letters of one word exchanged."""
    places = [
        n for n in range(len(text) - 1) if text[n : n + 2].isalpha() and text[n] != text[n + 1]
    ]
    if not places:
        return text
    place = places[int(rng.integers(len(places)))]
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


_SCALE = """
import sys, time
from pathlib import Path
from bench._data import c3
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Article, Comment, Thread
texts = [each.text for thread in c3() for each in thread.comments]
count = int(sys.argv[1])
comments = tuple(Comment(str(n), texts[n % len(texts)] + ("" if n < len(texts) else f" {n}")) for n in range(count))
model = load_ready("ready-en")
model.scores(Thread(Article("a", ""), comments[:50]))
started = time.process_time()
model.scores(Thread(Article("a", ""), comments))
used = (time.process_time() - started) / count * 1e3
# The peak of this process alone; that of getrusage includes the process that started it.
(peak,) = (line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(used, int(peak) / 1024)
"""


def scale(data: Measured) -> None:
    """Milliseconds of CPU per comment and peak memory of one long thread."""
    costs = {}
    for count in (5_000, 20_000):
        done = subprocess.run(
            [sys.executable, "-c", _SCALE, str(count)],
            capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1],
        )  # fmt: skip
        costs[count], memory = map(float, done.stdout.split())
        print(f"{count:,} comments: {costs[count]:.3f} ms of CPU a comment, {memory:.0f} MB")
    print(f"ratio {costs[20_000] / costs[5_000]:.2f}")


PARTS = {
    "ready": zero_shot,
    "adapt": adapt,
    "folds": folds,
    "fillers": fillers,
    "stable": stable,
    "scale": scale,
}


def main(names: Sequence[str] = ()) -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    data = Measured.of()
    for name in names or PARTS:
        started = time.process_time()
        PARTS[name](data)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        print(f"  [{name}: {time.process_time() - started + used:.0f} s of CPU]", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
