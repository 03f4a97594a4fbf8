"""The whole metric family against its peers: equality on 20,000 generated pairs, speed as ratios in one run, cost as it grows.

Speed is measured from tokens on both sides (our `encode` done, the peer given ready or space-separated tokens), and once from text. CPU
time of one process on one core; the jar's is its own process's.
"""

from __future__ import annotations

import logging
import resource
import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

from newsdesk import samples
from newsdesk.metrics import metric
from newsdesk.text import Encoded, encode, sentences, tokenizer
from newsdesk.types import Reference
from tests.metrics import jar, peers
from tests.metrics.generated import Item, generated

FAMILY = (
    *("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "meteor", "cider", "cider-d"),
    *("w-bleu-1", "w-bleu-2", "w-bleu-3", "w-bleu-4", "w-rouge-l", "w-meteor", "w-cider"),
)  # fmt: skip
PAPER_ITEMS, PAPER_REFERENCES, PAPER_WORDS = 9_660, 27, 17


def zipf_items(items: int, references: int, words: float, seed: int = 0) -> list[Item]:
    """Items with Zipfian words, about as long as told; each reference shares some words with its candidate."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"w{n}" for n in range(20_000)])
    odds = 1 / np.arange(1, len(vocabulary) + 1)
    odds /= odds.sum()
    count = items * (references + 1)
    lengths = np.clip(rng.normal(words, words / 4, count).astype(int), 3, 60)
    drawn = vocabulary[rng.choice(len(vocabulary), lengths.sum(), p=odds)]
    texts = [" ".join(each) for each in np.split(drawn, np.cumsum(lengths)[:-1])]
    step = references + 1
    return [Item(texts[i], tuple(texts[i + 1 : i + step])) for i in range(0, count, step)]


def news_items(items: int, references: int, seed: int = 0) -> list[Item]:
    """Sentences of the sample newsroom: candidate and references are about the same event, some twenty words long."""
    rng = np.random.default_rng(seed)
    events = [
        [" ".join(tokenizer("en").words(each.lower())) for article in cluster.articles for each in sentences(article.text, "en")]
        for cluster in samples.clusters()
    ]  # fmt: skip
    corpus = []
    for place in range(items):
        event = events[place % len(events)]
        candidate, *others = (
            event[n] for n in rng.choice(len(event), references + 1, replace=False)
        )
        corpus.append(Item(candidate, tuple(others)))
    return corpus


def batch_of(items: Sequence[Item], *, weighted: bool = False) -> Encoded:
    rng = np.random.default_rng(1)
    references = [
        [Reference(text, float(rng.random()) if weighted else 1.0) for text in item.references]
        for item in items
    ]
    return encode([item.candidate for item in items], references, lang="en")


def cpu(job: Callable[[], object]) -> float:
    started = time.process_time()
    job()
    return time.process_time() - started


def ours(items: Sequence[Item], specs: Sequence[str]) -> float:
    """CPU seconds of these metrics from words that are numbered already; the best of three fresh batches."""

    def once() -> float:
        batch = batch_of(items)
        for spec in specs:
            batch.units(metric(spec).analyzer)
        return cpu(lambda: [metric(spec).values(metric(spec).statistics(batch)) for spec in specs])

    return min(once() for _ in range(3))


class _Spaces:
    """A tokenizer that only splits, for peers that insist on one."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def rouge_peer(items: Sequence[Item], tokenizer: object) -> None:
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=tokenizer)
    for item in items:
        scorer.score_multi(list(item.references), item.candidate)


def ratio(name: str, ours_s: float, theirs_s: float, scale: float, floor: float) -> bool:
    """Print a ratio; the peer ran on a part of the items, `scale` times as small."""
    times = theirs_s * scale / ours_s
    print(
        f"{name}: {times:.0f} x (at least {floor:g}); {ours_s:.2f} s against {theirs_s * scale:.1f} s of CPU"
    )
    return times >= floor


def speed() -> bool:
    items = zipf_items(10_000, 5, 20)
    part = items[:1_000]
    scale = len(items) / len(part)
    good = ratio(
        "ROUGE-1/2/L, rouge-score, from tokens",
        ours(items, ["rouge-1(profile='rouge_score')", "rouge-2(profile='rouge_score')", "rouge-l(profile='rouge_score')"]),
        cpu(lambda: rouge_peer(part, _Spaces())), scale, 25,
    )  # fmt: skip
    bleu = sacrebleu.BLEU(tokenize="none", effective_order=True)
    good &= ratio(
        "BLEU-4, sacrebleu sentence BLEU",
        ours(items, ["bleu-4(profile='sacrebleu', tokenizer='space', effective_order=True)"]),
        cpu(lambda: [bleu.sentence_score(i.candidate, list(i.references)) for i in part]), scale, 10,
    )  # fmt: skip
    good &= ratio(
        "CIDEr-D, pycocoevalcap",
        ours(items, ["cider-d(profile='coco')"]),
        cpu(lambda: peers.coco_cider_d(part)), scale, 15,
    )  # fmt: skip
    good &= meteor_speed()
    text = [
        Item(i.candidate.capitalize() + ".", tuple(f"{r}." for r in i.references)) for i in items
    ]
    specs = [f"{name}(profile='rouge_score')" for name in ("rouge-1", "rouge-2", "rouge-l")]
    whole = min(
        cpu(lambda: [metric(s).statistics(b) for b in [batch_of(text)] for s in specs])
        for _ in range(3)
    )
    good &= ratio(
        "all three ROUGEs from text, rouge-score",
        whole, cpu(lambda: rouge_peer(text[: len(part)], None)), scale, 8,
    )  # fmt: skip
    return good


def meteor_speed() -> bool:
    """On news sentences. Random Zipfian words are printed too: frequent words repeat there and nothing else matches, which is the
    aligner's worst case and the peers' best.
    """
    good = True
    for name, items, floors in (
        ("news sentences", news_items(10_000, 5), (50, 20)),
        ("random words", zipf_items(10_000, 5, 20), (0, 0)),
    ):
        theirs = cpu(partial(peers.nltk_meteor, items[:1_000]))
        mine = ours(items, ["meteor(version='2005')"])
        good &= ratio(f"METEOR 2005, nltk, {name}", mine, theirs, 10.0, floors[0])
        if shutil.which("java") is None:
            print("METEOR 1.5: NOT MEASURED, there is no Java here")
            continue
        mine = ours(items, ["meteor"])
        theirs = child_seconds(partial(jar.coco_scores, items))
        good &= ratio(f"METEOR 1.5, pycocoevalcap's jar, {name}", mine, theirs, 1.0, floors[1])
        theirs = child_seconds(partial(jar.statistics, items, jar.EXACT_STEM))
        ratio(f"METEOR 1.5, the jar fed all at once, {name}", mine, theirs, 1.0, 0)
    return good


def child_seconds(job: Callable[[], object]) -> float:
    """The smaller of a Java process's CPU and wall time: its compiler threads may run beside it."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    job()
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return min(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def paper_size() -> bool:
    items = zipf_items(PAPER_ITEMS, PAPER_REFERENCES, PAPER_WORDS)
    batch = batch_of(items, weighted=True)
    tokenizing = cpu(lambda: [batch.units(metric(spec).analyzer) for spec in FAMILY])
    scoring = cpu(lambda: [metric(spec).values(metric(spec).statistics(batch)) for spec in FAMILY])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(FAMILY)} metrics, {PAPER_ITEMS:,} x {PAPER_REFERENCES}: {scoring:.2f} s of CPU from ids (at most 4), "
        f"tokenizing {tokenizing:.2f} s, peak {peak:.2f} GB (at most 2)"
    )
    return scoring < 4 and peak < 2


def growth() -> None:
    specs = ("bleu-4", "rouge-l", "w-cider", "w-meteor")
    for items, references in (
        (1_000, 5),
        (2_000, 5),
        (4_000, 5),
        (8_000, 5),
        (2_000, 10),
        (2_000, 20),
    ):
        data = zipf_items(items, references, 20)
        cells = [f"{spec} {1e6 * ours(data, [spec]) / items / references:.1f}" for spec in specs]
        print(f"{items:,} items x {references} references, microseconds a pair: {', '.join(cells)}")


def equality() -> bool:
    items = generated(20_000)
    batch = batch_of(items)
    worst = 0.0
    checks = [
        *((f"bleu-{n}(profile='coco')", peers.coco_bleu(items)[1][n - 1]) for n in (1, 4)),
        ("cider-d(profile='coco')", peers.coco_cider_d(items)),
        *(
            (
                f"{ours}(profile='rouge_score', stem=True)",
                peers.rouge_score(items, theirs, stem=True)[:, 2],
            )
            for ours, theirs in (
                ("rouge-1", "rouge1"),
                ("rouge-2", "rouge2"),
                ("rouge-l", "rougeL"),
            )
        ),
        ("bleu-4(profile='sacrebleu')", peers.sacrebleu_sentences(items)),
        ("chrf", peers.sacrebleu_chrf(items)),
    ]
    for spec, theirs in checks:
        ours = metric(spec).values(metric(spec).statistics(batch))
        worst = max(worst, float(np.abs(ours - theirs).max()))
    pairs = sum(len(item.references) for item in items)
    print(
        f"{pairs:,} generated pairs, {len(checks)} metrics: the largest difference from a peer is {worst:.1e}"
    )
    return worst < 1e-9


def main() -> None:
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it warns about every sentence
    good = paper_size()
    good &= speed()
    growth()
    good &= equality()
    if not good:
        raise SystemExit("a metric missed its floor")
