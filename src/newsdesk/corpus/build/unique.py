"""The near-duplicates step of a build: groups of copies, and an articles folder without those that are not kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.build.settings import DedupTable
from newsdesk.corpus.dedup import Deduplicated, near_duplicates
from newsdesk.corpus.dedup_files import texts_of, write_without
from newsdesk.files import atomic, make_folder
from newsdesk.types import Event

DUPLICATES = "duplicates.jsonl"


def write_unique(
    articles: Path, unique: Path, groups: Path, events: Sequence[Event], table: DedupTable
) -> Deduplicated:
    """Write the groups of near-duplicates, and to `unique` the partitions of `articles` without the copies that are not kept."""
    files = article_files(articles)
    result = near_duplicates(texts_of(files, events), days=table.days, threshold=table.threshold)
    with atomic(groups) as stream:
        for group in result.groups:
            row = json.dumps(asdict(group), ensure_ascii=False)
            stream.write(row.encode("utf-8") + b"\n")
    shutil.rmtree(unique, ignore_errors=True)
    dropped = {each for group in result.groups for each in group.dropped}
    write_without(files, dropped, articles, make_folder(unique), overwrite=True)
    return result
