"""The settings of a build: one TOML file, in which an unknown key is an error that says what may have been meant.

Paths are relative to the file. Every table but `events` and `articles` may be left out, and then stands at its defaults.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

from newsdesk.corpus.extraction import EXTRACTOR
from newsdesk.corpus.pages import MAX_BYTES
from newsdesk.errors import ArgumentError
from newsdesk.files import read_text
from newsdesk.records.schema import MOST_TOML_BYTES, parse_toml


@dataclass(frozen=True, slots=True)
class EventsTable:
    """`[events]`: portal pages (files or folders) or files of events (.jsonl).

    `date` is for pages that name no day.
    """

    pages: tuple[str, ...]
    date: str | None = None


@dataclass(frozen=True, slots=True)
class ArticlesTable:
    """`[articles]`: WARC files, folders of HTML, records; filters; the largest page; an extractor."""

    inputs: tuple[str, ...]
    languages: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    outlets: tuple[str, ...] = ()
    min_characters: int = 0
    max_characters: int | None = None
    max_bytes: int = MAX_BYTES
    extractor: str = EXTRACTOR


@dataclass(frozen=True, slots=True)
class DedupTable:
    """`[dedup]`: near-duplicates within days, from a similarity on; `use = false` leaves them in."""

    use: bool = True
    days: int = 3
    threshold: float = 0.7


@dataclass(frozen=True, slots=True)
class AlignTable:
    """`[align]`: features, probability, days apart; `fit` learns from the cited sources of the build."""

    features: Literal["paper", "rich"] = "rich"
    probability: float = 0.9
    days: int = 1
    fit: bool = False
    aligner: str | None = None
    uncited: bool = False


@dataclass(frozen=True, slots=True)
class SplitTable:
    """`[split]`: shares of the clusters, by date."""

    train: float = 0.8
    val: float = 0.1
    test: float = 0.1


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """`[truncate]`: the sizes to which clusters are cut, each a variant; `by` is sample or probability."""

    sizes: tuple[int, ...] = (10, 100)
    by: Literal["sample", "probability"] = "sample"


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """All tables of a settings file, and the seed of all draws."""

    events: EventsTable
    articles: ArticlesTable
    dedup: DedupTable = field(default_factory=DedupTable)
    align: AlignTable = field(default_factory=AlignTable)
    split: SplitTable = field(default_factory=SplitTable)
    truncate: TruncateTable = field(default_factory=TruncateTable)
    seed: int = 0


def read_settings(path: str | os.PathLike[str]) -> BuildSettings:
    """Read the TOML file that describes a build."""
    name = os.fspath(path)
    settings = parse_toml(read_text(name, most_bytes=MOST_TOML_BYTES), BuildSettings, name)
    _check(settings, name)
    return settings


def _check(settings: BuildSettings, name: str) -> None:
    """Refuse settings that contradict each other; `name` is the file of the settings."""
    shares = settings.split
    if abs(shares.train + shares.val + shares.test - 1) > 1e-9:
        raise ArgumentError(f"{name}: the shares of `split` do not add up to 1")
    if any(size < 1 for size in settings.truncate.sizes):
        raise ArgumentError(f"{name}: a size of `truncate` is below 1")
    if settings.align.fit and settings.align.aligner:
        raise ArgumentError(f"{name}: `align` has both `fit` and `aligner`; leave one out")
    if not settings.events.pages or not settings.articles.inputs:
        raise ArgumentError(f"{name}: `events.pages` and `articles.inputs` name at least one path")
