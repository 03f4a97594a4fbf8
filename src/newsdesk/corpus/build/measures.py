"""How good an aligner is on the cited sources of a build, whose pairs are scored day by day and stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.curves import quality
from newsdesk.corpus.align.measured import MeasuredAligner
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.align.training import CitedArticle, day_pairs
from newsdesk.corpus.build.cache import DayCache
from newsdesk.corpus.build.decisions import CitedRows, EventKeys

Sources = Mapping[int, CitedRows]  # by the number of their file


def measured_by_day(
    files: Sequence[ArticleFile],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    aligner: EventAligner,
    threshold: float,
    cache: DayCache,
) -> MeasuredAligner | None:
    """The measures of an aligner on all cited sources, each against the events of its date; None if there is no source."""
    digest = aligner.digest()
    scores: list[float] = []
    labels: list[int] = []
    for day, sources in sorted(_by_day(cited, keys).items()):
        inputs = [
            digest,
            [keys.digests[place] for place in keys.calendar.on(day)],
            [
                [files[number].path.name, sorted(files[number].dropped), *_named(rows, keys)]
                for number, rows in sources.items()
            ],
        ]
        pairs = cache.value(day, inputs, partial(_scored, day, sources, files, keys, aligner))
        scores += pairs["probabilities"]
        labels += pairs["labels"]
    return MeasuredAligner(quality(scores, labels, threshold=threshold)) if labels else None


def _by_day(cited: Sequence[CitedRows], keys: EventKeys) -> dict[str, Sources]:
    """The sources of the events of each day."""
    by_day: dict[str, dict[int, dict[int, tuple[int, ...]]]] = defaultdict(dict)
    for number, rows in enumerate(cited):
        for row, places in rows.items():
            for day in {keys.calendar.events[place].date for place in places}:
                by_day[day].setdefault(number, {})[row] = places
    return {day: dict(sources) for day, sources in by_day.items()}


def _named(rows: CitedRows, keys: EventKeys) -> list[Any]:
    return [[row, *map(keys.named, places)] for row, places in rows.items()]


def _scored(
    day: str, sources: Sources, files: Sequence[ArticleFile], keys: EventKeys, aligner: EventAligner
) -> dict[str, Any]:
    cited = [
        CitedArticle(article, rows[row])
        for number, rows in sources.items()
        for row, article in files[number].articles(rows)
    ]
    pairs = day_pairs(keys.calendar, day, cited, aligner.background, aligner.features)
    probabilities = aligner.probabilities(pairs.matrix)
    return {"probabilities": probabilities.tolist(), "labels": pairs.labels.tolist()}
