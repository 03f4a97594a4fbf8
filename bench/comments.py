"""Comment corpora at the papers' sizes, from an unfiltered simulated corpus: what every preset keeps is what was planted.

11,300 threads with 3.6 million comments are simulated (their sizes differ less than a crawl's, or it would take twice as many), of which Qin et al. (2018) draw 5,000 articles for dev and 1,610 for test, Fujita et al. (2019) 9,650 articles without overlap,
and the comparison with feedback 5,000 comments of each kind. Training articles of Qin et al. are all that are left: fewer than the paper's 191,502.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

THREADS, COMMENTS, SPREAD, SEED = 11_300, 3_600_000, 0.3, 11


def planted(truth: Iterator[dict[str, Any]]) -> dict[str, int]:
    """How many articles each preset has to use, counted from the truth."""
    counts = dict.fromkeys(("copies", "qin2018", "annotatable", "fujita2019", "comments"), 0)
    for row in truth:
        counts["comments"] += row["comments"]
        if "of" in row:
            counts["copies"] += 1
            continue
        if row["different"] >= 20 and row["words"] >= 30:
            counts["qin2018"] += 1
            long = sum(each > 5 for each in row["comment_words"])
            counts["annotatable"] += sum(row["likes"]) > 200 and long >= 30
        counts["fujita2019"] += row["different"] > 100
    return counts


def check(preset: str, path: Path, folder: Path, counts: dict[str, int]) -> list[str]:
    """Build with a preset; what is not as planted."""
    from newsdesk.corpus.comments import build_comments

    started = time.process_time()
    report = build_comments([str(path)], folder / preset.partition("(")[0], preset=preset)
    seconds = time.process_time() - started
    sizes = {each.part: (each.articles, each.comments) for each in report.parts}
    used = report.articles.kept + report.articles.dropped.get("not drawn", 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{preset}: {used} articles used, {sizes}, {report.comments.read / seconds:,.0f} comments/cpu-s, peak memory so far {peak:.0f} MiB",
        flush=True,
    )
    expected: dict[str, dict[str, tuple[int, int]]] = {
        "fujita2019": {
            "shallow": (8_000, 40_000),
            "shallow-dev": (1_000, 5_000),
            "deep": (400, 40_000),
            "deep-dev": (50, 5_000),
            "test": (200, 42_436),
        },
        "feedback": {"random": (1_000, 5_000)},
        "qin2018": {"test": (1_610, 1_610 * 27)},
    }
    wrong = [
        f"{preset}: {part} is {sizes[part]}"
        for part, size in expected.get(preset, {}).items()
        if sizes[part] != size
    ]
    key = "qin2018" if preset.startswith("qin2018") else "fujita2019"
    checks = {
        "articles used": (used, counts[key]),
        "comments read": (report.comments.read, counts["comments"]),
        "copies": (report.articles.dropped.get("text of another article", 0), counts["copies"]),
    }
    if preset == "feedback":
        checks["liked"] = (sizes["liked"][1], 5_000)
    if preset == "qin2018":
        checks["dev"] = (sizes["dev"][0], 5_000)
        checks["train"] = (sizes["train"][0], counts[key] - 6_610)
    return wrong + [
        f"{preset}: {name} {got}, planted {want}"
        for name, (got, want) in checks.items()
        if got != want
    ]


def main(threads: int = THREADS, comments: int = COMMENTS) -> int:
    """Run all presets; with fewer threads at sizes of their own."""
    from newsdesk import records
    from newsdesk.simulate.lexicon import lexicon
    from newsdesk.simulate.raw import RawThreads

    full = (threads, comments) == (THREADS, COMMENTS)
    presets = ["fujita2019", "feedback", "qin2018"]
    if not full:
        presets = [
            "fujita2019(shallow_articles=20, deep_articles=2, test_articles=3, dev_comments=100, test_comments=600)"
        ]
        presets += [
            "feedback(articles=20, liked=100)",
            "qin2018(dev_articles=20, test_articles=10)",
        ]
    raw = RawThreads(lexicon("en"), SEED, threads, comments, SPREAD)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "threads.jsonl"
        started = time.process_time()
        records.write(path, raw)
        counts = planted(raw.truth())
        print(f"simulated in {time.process_time() - started:.0f} cpu-s: {counts}", flush=True)
        failed = [each for preset in presets for each in check(preset, path, Path(name), counts)]
    for each in failed:
        print(f"   FAILED: {each}")
    return len(failed)
