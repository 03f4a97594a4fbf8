"""Text, title and day of real news pages by `nd.extract` and by its peers, with intervals, and their speed in one run.

The pages are the 125 of `fundus_news` with gold by rules per publisher. Text is token F1 (runs of word characters, lower
case, multisets), a title is right when equal after folding (NFKC, white space, quotes, dashes, case), a day when equal. Intervals are
percentiles of 2,000 bootstrap samples over pages (seed 0); the gain over trafilatura is paired. The floors of our measures are in the
gate (`bench/gate.py`); this bench exits 1 where the speed falls below its own.
"""

from __future__ import annotations

import collections
import gzip
import importlib.util
import json
import logging
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bench._data import ABSENT, SHARED
from newsdesk.corpus.extract import extract
from newsdesk.corpus.extract.metadata import folded

FOLDER = "fundus_news"
SPEED_FLOOR = 2.5
SAMPLES = 2_000
MEASURES = ("text", "title", "day")
_WORD = re.compile(r"\w+")


# Text, title and day.
Answer: TypeAlias = tuple[str | None, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Page:
    """A page and what its publisher's rules read in it."""

    html: bytes
    url: str
    crawled: str
    title: str
    day: str
    text: str


Tool: TypeAlias = Callable[[Page], Answer]


def pages(shared: Path = SHARED, every: int = 1) -> list[Page]:
    """All pages, or every so many-th."""
    folder = shared / FOLDER
    rows = [
        json.loads(line)
        for path in sorted((folder / "gold").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [_page(row, folder) for row in rows[::every]]


def quality(data: list[Page]) -> dict[str, float]:
    """Mean text F1, and the shares of right titles and days, of our extractor."""
    means = scores([_ours(page) for page in data], data).mean(axis=0)
    return dict(zip(MEASURES, means.tolist(), strict=True))


def _page(row: dict[str, Any], folder: Path) -> Page:
    parts = list(row["body"]["summary"])
    for section in row["body"]["sections"]:
        parts += section["headline"] + section["paragraphs"]
    return Page(
        gzip.decompress((folder / row["html"]).read_bytes()),
        row["url"],
        row["crawl_date"][:10],
        row["title"],
        row["publishing_date"][:10],
        "\n".join(parts),
    )


def _ours(page: Page) -> Answer:
    result = extract(page.html, page.url, crawled=page.crawled)
    return result.text, result.title, result.date


def _trafilatura(page: Page) -> Answer:
    import trafilatura
    from trafilatura.settings import Document

    result = trafilatura.bare_extraction(page.html, url=page.url, fast=True, with_metadata=True)
    if not isinstance(result, Document):  # a dict only if asked for by an option
        return None, None, None
    return result.text, result.title, result.date


def _newspaper(page: Page) -> Answer:
    import newspaper

    config = newspaper.Config()
    config.fetch_images = False  # it would go to the network for every page
    html = page.html.decode("utf-8", "replace")
    try:
        article = newspaper.Article(page.url, config=config)
        article.download(input_html=html)
        article.parse()
    except ImportError:  # a tokenizer for the page's language that is not installed
        article = newspaper.Article(page.url, language="en", config=config)
        article.download(input_html=html)
        article.parse()
    day = article.publish_date
    return article.text, article.title, day.date().isoformat() if day else None


def _readability(page: Page) -> Answer:
    import lxml.html
    import readability

    document = readability.Document(page.html.decode("utf-8", "replace"))
    summary = lxml.html.fromstring(document.summary())
    return summary.text_content(), document.short_title(), None


TOOLS: dict[str, tuple[str, Tool]] = {
    "newsdesk": ("newsdesk", _ours),
    "trafilatura": ("trafilatura", _trafilatura),
    "newspaper4k": ("newspaper", _newspaper),
    "readability-lxml": ("readability", _readability),
}


def token_f1(text: str, gold: str) -> float:
    """Twice the shared words over all words, as multisets."""
    ours, theirs = (collections.Counter(_WORD.findall(each.lower())) for each in (text, gold))
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def run(
    tools: dict[str, Tool], data: list[Page]
) -> tuple[dict[str, list[Answer]], dict[str, float]]:
    """What each tool answers for every page, and its CPU seconds; page by page, so that a busy machine slows all alike."""
    answers: dict[str, list[Answer]] = {name: [] for name in tools}
    seconds = dict.fromkeys(tools, 0.0)
    for page in data:
        for name, tool in tools.items():
            started = time.process_time()
            try:
                answer = tool(page)
            except Exception as error:  # noqa: BLE001 (a tool that fails on a page scores nothing there)
                print(f"   {name}: {type(error).__name__} on {page.url}")
                answer = (None, None, None)
            seconds[name] += time.process_time() - started
            answers[name].append(answer)
    return answers, seconds


def scores(answers: list[Answer], data: list[Page]) -> np.ndarray:
    """Text F1, title right and day right: pages × 3."""
    rows = [
        (
            token_f1(text or "", page.text),
            folded(title or "") == folded(page.title),
            day == page.day,
        )
        for (text, title, day), page in zip(answers, data, strict=True)
    ]
    return np.array(rows, dtype=float)


def interval(values: np.ndarray, rng: np.random.Generator) -> str:
    """A mean and its 95 % interval over resampled pages."""
    draws = rng.integers(0, len(values), size=(SAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), (2.5, 97.5))
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"


def main() -> int:
    if not SHARED.is_dir():
        print(ABSENT)
        return 0
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    data = pages()
    tools = {}
    for name, (module, tool) in TOOLS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{name}: not installed, skipped")
        else:
            tools[name] = tool
    run(tools, data[:3])  # imports and tables
    answers, seconds = run(tools, data)
    results = {name: scores(answers[name], data) for name in tools}
    speeds = {name: len(data) / seconds[name] for name in tools}
    for name, values in results.items():
        print(f"{name:17} {_cells(values)}  {speeds[name]:.0f} pages/cpu-s")
    return _verdict(results, speeds)


def _cells(values: np.ndarray) -> str:
    """The three measures with their intervals."""
    return "  ".join(
        f"{measure} {interval(column, np.random.default_rng(0))}"
        for measure, column in zip(MEASURES, values.T, strict=True)
    )


def _verdict(results: dict[str, np.ndarray], speeds: dict[str, float]) -> int:
    ours = results["newsdesk"]
    failed = []
    ratios = {name: speeds["newsdesk"] / speed for name, speed in speeds.items()}
    print("speed of newsdesk:", ", ".join(f"{ratios[name]:.1f} x {name}" for name in [*ratios][1:]))
    if "trafilatura" in results:
        gain = ours - results["trafilatura"]
        better, worse = (gain[:, 0] > 0.001).sum(), (gain[:, 0] < -0.001).sum()
        print(f"gain over trafilatura: {_cells(gain)}; text better on {better}, worse on {worse}")
        if ratios["trafilatura"] < SPEED_FLOOR:
            failed.append(f"{ratios['trafilatura']:.1f} x trafilatura is below {SPEED_FLOOR}")
    for line in failed:
        print(f"   BELOW ITS FLOOR: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
