"""Metrics from raw text against the fastest peers: equality, and speed as ratios in one run, with the kernel and without it.

The texts are windows of real English (news and comments; without the shared data, of the sample newsroom), a third of them with letters and quotes beyond ASCII, drawn
anew in each run so that no cache is measured. CPU time of one process and one thread, from strings to the values of all items; the jar's is its own process's.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import bleuscore
import fast_rouge
import fastchrf
import sacrebleu
from rouge_score_rs.rouge_scorer import RougeScorer

from bench import _data
from bench.metrics import child_seconds
from newsdesk import kernel, samples
from newsdesk.metrics import metric
from newsdesk.text import encode
from tests.metrics import jar, peers
from tests.metrics.generated import Item

# Items, references each, words, and the floors against rouge-score-rs with the kernel and without.
SETS = {
    "20,000 pairs of 30 words": (20_000, 1, 30, 1.4, 1 / 1.8),
    "2,000 x 5 references": (2_000, 5, 30, 1.4, 1 / 1.8),
    "9,660 x 27 short comments": (9_660, 27, 17, 1.4, 1 / 2.8),
    "1,000 pairs of 220 words": (1_000, 1, 220, 1.4, 1 / 2.8),
}
_ROUGE = ("rouge1", "rouge2", "rougeL")
_RUNS = 3


def corpus() -> list[list[str]]:
    """Texts of at least 40 words, as what stands between white space."""
    clusters = _data.multi_news() if _data.SHARED.is_dir() else list(samples.clusters())
    texts = [article.text for cluster in clusters for article in cluster.articles]
    if _data.SHARED.is_dir():
        texts += [comment.text for thread in _data.c3() for comment in thread.comments]
    return [words for text in texts if len(words := text.split()) >= 40]


def drawn(texts: Sequence[list[str]], items: int, references: int, words: int) -> list[Item]:
    """Draw candidates, and references that lie over them or, half of several, elsewhere."""
    rng = random.Random(time.time_ns())
    weights = [len(text) for text in texts]

    def window(text: list[str], start: int, length: int) -> str:
        cut = " ".join(text[max(0, start) : max(0, start) + length]) or "x"
        return _beyond_ascii(cut) if rng.random() < 1 / 3 else cut

    drawn = []
    for text, other in zip(*(rng.choices(texts, weights, k=items) for _ in range(2)), strict=True):
        length = max(3, int(rng.gauss(words, words / 4)))
        start = rng.randrange(max(1, len(text) - length))
        listed = [
            window(other, rng.randrange(len(other)), length)
            if references > 1 and rng.random() < 0.5
            else window(text, start + rng.randint(-length // 2, length // 2), length)
            for _ in range(references)
        ]
        drawn.append(Item(window(text, start, length), tuple(listed)))
    return drawn


def _beyond_ascii(text: str) -> str:
    return text.replace("'", "’").replace(' "', " “").replace('" ', "” ").replace("ee", "éé", 1)


def cpu(job: Callable[[], object]) -> float:
    """CPU seconds of the best of some runs."""
    gc.collect()
    best = float("inf")
    for _ in range(_RUNS):
        started = time.process_time()
        job()
        best = min(best, time.process_time() - started)
    return best


def values(items: Sequence[Item], specs: Sequence[str]) -> list[list[float]]:
    """The value of every item by each metric, from strings."""
    batch = encode([i.candidate for i in items], [i.references for i in items], lang="en")
    return [metric(spec).values(metric(spec).statistics(batch)).tolist() for spec in specs]


@contextmanager
def switched(value: str) -> Iterator[None]:
    before = os.environ.get(kernel.SWITCH)
    os.environ[kernel.SWITCH] = value
    try:
        yield
    finally:
        os.environ.pop(kernel.SWITCH)
        if before is not None:
            os.environ[kernel.SWITCH] = before


def compared(
    name: str,
    items: Sequence[Item],
    specs: Sequence[str],
    theirs: float,
    floors: tuple[float, float],
) -> bool:
    """Print how many times as fast as a peer's seconds we are, with the kernel and without."""
    good = True
    for way, value, floor in (("kernel", "", floors[0]), ("numpy", "off", floors[1])):
        with switched(value):
            if way == "kernel" and not kernel.has_kernel():
                print(f"{name}: NOT MEASURED WITH THE KERNEL, it is not compiled here")
                continue
            mine = cpu(partial(values, items, specs))
        good &= theirs / mine >= floor
        print(
            f"{name}, {way}: {theirs / mine:.2f} x (at least {floor:.2f}); {mine * 1e3:.0f} ms against {theirs * 1e3:.0f}"
        )
    return good


def rouge(texts: Sequence[list[str]]) -> bool:
    good = True
    for name, (count, references, words, floor, floor_numpy) in SETS.items():
        items = drawn(texts, count, references, words)
        for stem in (False, True):
            specs = [f"{one}(stem={stem})" for one in ("rouge-1", "rouge-2", "rouge-l")]
            scorer = RougeScorer(list(_ROUGE), use_stemmer=stem)

            def score(
                scorer: RougeScorer = scorer, items: list[Item] = items
            ) -> list[dict[str, object]]:
                return [scorer.score_multi(i.references, i.candidate) for i in items]

            expected = [[row[one].fmeasure for row in score()] for one in _ROUGE]  # type: ignore[attr-defined]
            equal = values(items, specs) == expected
            good &= equal
            label = f"ROUGE-1/2/L{', stemmed' if stem else ''}, {name}, rouge-score-rs ({'equal' if equal else 'NOT EQUAL'})"
            good &= compared(label, items, specs, cpu(score), (floor, 0 if stem else floor_numpy))
        if references == 1:
            rust = cpu(partial(_rust, items))
            specs = ["rouge-1", "rouge-2", "rouge-l"]
            good &= compared(f"ROUGE-1/2/L, {name}, rouge-rust", items, specs, rust, (1.4, 0))
    return good


def _rust(items: Sequence[Item]) -> None:
    for item in items:
        fast_rouge.score(item.references[0], item.candidate)


def others(texts: Sequence[list[str]]) -> bool:
    good = True
    for name, (count, references, words, *_) in SETS.items():
        items = drawn(texts, count, references, words)
        candidates, listed = [i.candidate for i in items], [list(i.references) for i in items]
        theirs = cpu(partial(bleuscore.compute, listed, candidates, ref_len_method="closest"))
        spec = "bleu-4(profile='sacrebleu', smooth='none')"
        good &= compared(f"BLEU, {name}, bleuscore", items, [spec], theirs, (1.5, 0))
        hypotheses = [[candidate] for candidate in candidates]
        theirs = cpu(partial(fastchrf.pairwise_chrf, hypotheses, listed))
        good &= compared(f"chrF, {name}, fastchrf", items, ["chrf"], theirs, (5, 0))
    items = drawn(texts, 2_000, 5, 30)
    part, scale = items[:400], 5
    bleu = sacrebleu.BLEU(effective_order=True)
    theirs = cpu(lambda: [bleu.sentence_score(i.candidate, list(i.references)) for i in part])
    spec = "bleu-4(profile='sacrebleu', effective_order=True)"
    good &= compared("BLEU, 2,000 x 5, sacrebleu", items, [spec], theirs * scale, (20, 0))
    theirs = cpu(lambda: peers.coco_cider_d(part)) * scale
    good &= compared(
        "CIDEr-D, 2,000 x 5, pycocoevalcap", items, ["cider-d(profile='coco')"], theirs, (40, 0)
    )
    if shutil.which("java") is None:
        print("METEOR 1.5: NOT MEASURED, there is no Java here")
        return good
    theirs = child_seconds(partial(jar.statistics, items, jar.NORM))
    return good & compared(
        "METEOR 1.5, 2,000 x 5, the jar fed at once", items, ["meteor"], theirs, (25, 0)
    )


def main() -> None:
    texts = corpus()
    values(drawn(texts, 20, 2, 20), ["rouge-l", "meteor"])  # imports and tables
    good = rouge(texts)
    good &= others(texts)
    if not good:
        raise SystemExit("a metric from text missed its floor")
