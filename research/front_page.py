"""What the page of comments gives away and gains by how much length counts, on C3: `python -m research.front_page PART [FILE …]`.

Parts: `lengths` (the ready model and five folds at five settings of length: bLMP and its halves, NDCG@5, rank correlation with length, words of the first five), `fillers FILE …` (styles of strangers, TOML with `[[style]]`, `name` and `texts`, added to weak comments
in three places: pairs overturned, by the detector learned on the threads at hand and by the shipped one; beside them a salad of the thread's topic words, an earlier comment copied, and sixty words of another thread), `harm` (what good comments lose, and what an honest second
half still gains).
"""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from bench._data import ABSENT, SHARED
from newsdesk.arrays import Floats
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.evaluation.gaming import PLACES, placed
from newsdesk.stats.significance import interval
from newsdesk.types import Thread
from research.ready import FOLDS, Measured, ready_model

# Styles of a stranger: twenty written before the settings were frozen, ten after. `tuning.toml` is that by which they were chosen.
FILLERS = Path(__file__).parent / "fillers"
LENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
WEAK, GOOD = 0.2, 0.8
# Weak comments of a thread that are padded, threads of the trial, words taken from another thread, topic words of a salad.
MOST_WEAK, TRIED, WORDS, TOPIC_WORDS = 3, 60, 60, 25
GENERATED = ("salad", "glued salad", "earlier comment", "other thread")
GLUE = "the of and in to is for with on that by as a are we".split()


def ready_at_hand(data: Measured) -> Argument:
    """The ready model with a detector learned from C3, without its votes."""
    return ready_model().at_hand(data.threads)


def folded(data: Measured) -> list[Argument]:
    """Models fitted on four fifths of the articles each."""
    return [
        Argument().fit(each for number, each in enumerate(data.threads) if number % FOLDS != fold)
        for fold in range(FOLDS)
    ]


def scores_of(data: Measured, models: Sequence[Argument]) -> Floats:
    """The scores of all comments, those of an article by the model of its fold."""
    return np.concatenate(
        [models[number % len(models)].scores(thread) for number, thread in enumerate(data.threads)]
    )


def described(data: Measured, scores: Floats) -> str:
    everything = range(len(data.threads))
    both, longer, shorter = data.halves(scores, everything)
    correlations, words = [], []
    for article, thread in enumerate(data.threads):
        own = scores[data.within([article])]
        sizes = [len(each.text) for each in thread.comments]
        if len(own) > 2:
            correlations.append(spearmanr(own, sizes)[0])
        first = np.argsort(-own, kind="stable")[:5].tolist()
        words += [len(thread.comments[row].text.split()) for row in first]
    return (
        f"bLMP {both:.4f} (longer {longer:.3f}, shorter {shorter:.3f}), NDCG@5 {data.ndcg(scores, everything):.4f}, "
        f"correlation with length {np.mean(correlations):.3f}, median words of the first five {np.median(words):.0f}"
    )


def lengths(data: Measured, files: Sequence[str]) -> None:
    """The ready model, shipped and at hand, and five folds, by how much length counts."""
    shipped, hand, fitted = ready_model(), ready_at_hand(data), folded(data)
    for length in LENGTHS:
        for name, models in (
            ("ready, shipped detector", [shipped]),
            ("ready, detector at hand", [hand]),
            ("fitted in five folds", fitted),
        ):
            own = [model.with_settings(length=length) for model in models]
            scores = scores_of(data, own)
            print(f"length {length}, {name}: {described(data, scores)}", flush=True)


def topic_words(talk: Talk) -> list[str]:
    """The words that a thread uses more than other threads do, most of all first."""
    names = list(talk.terms.numbers)[: len(talk.frequency)]
    rarity = talk.terms.rarities()[: len(names)]
    share = (talk.frequency[: len(names)] + 0.5) / (len(talk.centres) + 1)
    usual = (rarity > 3) & (talk.frequency[: len(names)] > 1)
    value = np.where(usual, np.log(share) + rarity, -9.0) * np.log1p(talk.frequency[: len(names)])
    return [names[number] for number in np.argsort(-value)[:TOPIC_WORDS].tolist()]


def generated(
    data: Measured, talk: Talk, article: int, row: int, rng: np.random.Generator
) -> Iterator[tuple[str, str]]:
    """Padding that only the thread itself can give, by name."""
    words = topic_words(talk)
    sentences = [[words[n] for n in rng.integers(len(words), size=10)] for _ in range(5)]
    yield "salad", " ".join(f"{' '.join(line).capitalize()}." for line in sentences)
    glued = [[x for word in line[:6] for x in (str(rng.choice(GLUE)), word)] for line in sentences]
    yield "glued salad", " ".join(f"{' '.join(line).capitalize()}." for line in glued)
    earlier = [text for text in talk.texts[:row] if len(text.split()) >= 20]
    if earlier:
        yield "earlier comment", str(rng.choice(earlier))
    other = data.threads[(article + 1 + rng.integers(len(data.threads) - 1)) % len(data.threads)]
    longest = sorted((each.text for each in other.comments), key=len)[-5:]
    yield "other thread", " ".join(str(rng.choice(longest)).split()[:WORDS])


@dataclasses.dataclass(slots=True)
class Turned:
    """Of one style, per article: pairs overturned, pairs correct before, comments that rise by a fifth, comments."""

    rows: list[Floats] = dataclasses.field(default_factory=list)

    def share(self, over: int = 0, of: int = 1) -> str:
        """The quotient of two columns over all articles, with its interval."""
        table = np.array(self.rows)
        ci = interval(table, lambda sums: sums[:, over] / sums[:, of], samples=2_000).ci
        low, high = ci or (np.nan, np.nan)
        return f"{table[:, over].sum() / table[:, of].sum():.3f} [{low:.3f}, {high:.3f}]"

    @property
    def value(self) -> float:
        """The share of pairs overturned."""
        overturned, pairs, _, _ = np.sum(self.rows, axis=0)
        return float(overturned / pairs)


def padded(
    data: Measured, models: Sequence[Argument], own: dict[str, tuple[str, ...]]
) -> dict[str, Turned]:
    """Weak comments of some threads with padding of every style, in three places."""
    rng = np.random.default_rng(0)
    result: dict[str, Turned] = {}
    for article in np.sort(rng.permutation(len(data.threads))[:TRIED]).tolist():
        model, thread = models[article % len(models)], data.threads[article]
        shares = data.labels.shares[data.within([article])]
        weak, good = np.flatnonzero(shares <= WEAK), np.flatnonzero(shares >= GOOD)
        if not (len(weak) and len(good)):
            continue
        talk = Talk.of(thread, model.features_.reader)
        hosts, names, comments = [], [], []
        for row in np.sort(rng.permutation(weak)[:MOST_WEAK]).tolist():
            styles = [(name, str(rng.choice(texts))) for name, texts in own.items()]
            for name, text in [*styles, *generated(data, talk, article, row, rng)]:
                for where in PLACES:
                    changed = placed(thread.comments[row].text, text, where, "en")
                    hosts.append(row)
                    names.append(name)
                    comments.append(dataclasses.replace(thread.comments[row], text=changed))
        before = model.scores(thread)
        after = np.zeros(len(hosts))
        # What may be a copy of another comment is tried apart: then the thread is read anew for each.
        for copied in (False, True):
            tried = [n for n, name in enumerate(names) if (name == "earlier comment") == copied]
            after[tried] = model.replaced(
                thread, [hosts[n] for n in tried], [comments[n] for n in tried]
            )
        for name in dict.fromkeys(names):
            sums = np.zeros(4)
            for host, score, style in zip(hosts, after.tolist(), names, strict=True):
                if style == name:
                    correct = before[good] > before[host]
                    passed = np.sum(before < score) - np.sum(before < before[host])
                    sums += [
                        np.sum(before[good][correct] < score),
                        correct.sum(),
                        passed > 0.2 * len(before),
                        1,
                    ]
            result.setdefault(name, Turned()).rows.append(sums)
    return result


def fillers(data: Measured, files: Sequence[str]) -> None:
    """Pairs of a weak and a good comment that padding overturns, by style."""
    paths = files or [str(FILLERS / name) for name in ("first.toml", "frozen.toml")]
    styles = [style for file in paths for style in tomllib.loads(Path(file).read_text())["style"]]
    own = {style["name"]: tuple(style["texts"]) for style in styles}
    variants: dict[str, Callable[[], list[Argument]]] = {
        "ready, detector at hand": lambda: [ready_at_hand(data)],
        "ready, shipped detector": lambda: [ready_model()],
        "ready, length 1": lambda: [ready_model().with_settings(length=1.0)],
        "fitted in five folds": lambda: folded(data),
    }
    for title, fitted in variants.items():
        models = fitted()
        turned = padded(data, models, own)
        values = {name: turned[name].value for name in own}
        if values:
            print(
                f"{title}: {len(values)} styles, mean {np.mean(list(values.values())):.3f}, above .15: "
                f"{sum(value > 0.15 for value in values.values())}, largest {max(values.values()):.3f}"
            )
        for name in sorted(values, key=lambda name: -values[name]):
            print(f"  {name:32} {turned[name].share()}")
        for name in GENERATED:
            print(
                f"  {name:32} {turned[name].share()}, rise {turned[name].share(2, 3)}", flush=True
            )


def places(data: Measured, scores: Floats) -> Floats:
    """The share of its thread that each comment stands above."""
    shares: list[Floats] = []
    for article in range(len(data.threads)):
        own = scores[data.within([article])]
        shares.append(np.sum(own[:, None] > own, axis=1) / max(len(own) - 1, 1))
    return np.concatenate(shares)


def harm(data: Measured, files: Sequence[str]) -> None:
    """What good comments lose against length 1, and what an honest second half still gains."""
    shipped, hand = ready_model(), ready_at_hand(data)
    usual = shipped.with_settings(length=1.0)
    good = data.labels.shares >= GOOD
    today = places(data, scores_of(data, [usual]))
    for title, model in (("length 1", usual), ("shipped", shipped), ("at hand", hand)):
        lost = (today - places(data, scores_of(data, [model])))[good]
        gains = [gain for thread in data.threads[::3] for gain in second_halves(model, thread)]
        print(
            f"{title}: of {len(lost):,} good comments {np.sum(lost > 1 / 3)} lose more than a third of their thread, "
            f"{np.sum(lost > 0.2)} more than a fifth; a second half gains {np.mean(gains):.3f} of the thread"
        )


def second_halves(model: Argument, thread: Thread) -> list[float]:
    """What share of the thread a comment of four sentences or more passes by its second half."""
    split = [model.features_.reader.split(each.text) for each in thread.comments]
    rows = [
        row
        for row, each in enumerate(thread.comments)
        if len(split[row]) > 3 and (each.yes or 0) >= 0.6 * (each.votes or 1)
    ]
    first = [
        dataclasses.replace(thread.comments[row], text=" ".join(split[row][: len(split[row]) // 2]))
        for row in rows[:4]
    ]
    scores = model.scores(thread)
    halves = model.replaced(thread, rows[:4], first).tolist()
    return [
        float(np.mean(scores < scores[row]) - np.mean(scores < half))
        for row, half in zip(rows[:4], halves, strict=True)
    ]


PARTS = {"lengths": lengths, "fillers": fillers, "harm": harm}


def main(arguments: Sequence[str] = ()) -> None:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    name, *files = arguments or ("lengths",)
    PARTS[name](Measured.of(), files)


if __name__ == "__main__":
    main(sys.argv[1:])
