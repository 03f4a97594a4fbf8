"""The clusters of a build in one file, of which only the days that changed are gathered again.

Texts of articles are not stored a second time: beside the file stands a list of its days, each with the digest of what its clusters follow from and
the bytes that they are. What has not changed is copied from the file that is replaced. A list that does not belong to the file (it holds the
file's sha256) is ignored, and all days are gathered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from newsdesk import __version__
from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.clusters import Alignment, clusters
from newsdesk.corpus.build.decisions import EventKeys
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.records.writer import record_text
from newsdesk.work import digest_of, file_digest

Places = Mapping[str, tuple[int, int]]  # digest of a day → its first byte, and how many


def write_cluster_days(
    path: Path, places: Path, alignment: Alignment, files: Sequence[ArticleFile], keys: EventKeys
) -> list[str]:
    """Write the clusters in order of days, and the list of days to `places`; the days that were gathered now."""
    before = _read_places(path, places)
    days = _days(alignment)
    digests = {day: _digest(alignment, events, files, keys) for day, events in days.items()}
    stale = [day for day, digest in digests.items() if digest not in before]
    members = {event: alignment.members[event] for day in stale for event in days[day]}
    gathered = clusters(replace(alignment, members=members), [file.articles for file in files])
    sha, offset, rows = hashlib.sha256(), 0, []
    with atomic(path) as stream:
        for day, events in days.items():
            if digests[day] in before:
                text = _copied(path, *before[digests[day]])
            else:
                lines = (record_text(each) for each in islice(gathered, len(events)))
                text = "".join(f"{line}\n" for line in lines).encode("utf-8")
            stream.write(text)
            sha.update(text)
            rows.append([digests[day], offset, len(text)])
            offset += len(text)
    with atomic(places) as stream:
        stream.write(json_line({"sha256": sha.hexdigest(), "days": rows}))
    return stale


def _days(alignment: Alignment) -> dict[str, list[int]]:
    """The events that have a cluster, by day."""
    by_day = groupby(sorted(alignment.members), lambda place: alignment.calendar.events[place].date)
    return {day: list(events) for day, events in by_day}


def _digest(
    alignment: Alignment, events: Sequence[int], files: Sequence[ArticleFile], keys: EventKeys
) -> str:
    """What the clusters of some events follow from: the events, and of each member its file, id, origin and probability."""
    value: list[Any] = [__version__]
    for event in events:
        members = [
            [files[each.file].path.name, each.id, each.origin, each.probability]
            for each in alignment.members[event]
        ]
        value.append([keys.digests[event], members])
    return digest_of(value)


def _read_places(path: Path, places: Path) -> Places:
    if not path.is_file() or not places.is_file():
        return {}
    value = json.loads(places.read_bytes())
    if value["sha256"] != file_digest(path):
        return {}
    return {digest: (first, length) for digest, first, length in value["days"]}


def _copied(path: Path, first: int, length: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(first)
        return stream.read(length)
