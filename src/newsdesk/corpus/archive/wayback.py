"""The interfaces of the Wayback Machine: addresses to ask, and what the answers say.

The availability interface names the one snapshot nearest to a day and at times misses what is there, so the CDX index, which lists
every snapshot, is asked where it names none that is usable. Pages are downloaded with the flag `id_`: the bytes of the page, without the
archive's own banner and links. Save Page Now names the new snapshot in a header or by a redirect. `Lookup` asks them one after the other for one source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from newsdesk.corpus.archive.client import (
    BAD_ADDRESS,
    BROKEN_ANSWER,
    NO_SNAPSHOT,
    NOT_NEAR,
    NOT_SAVED,
    OBTAINED,
    OUTSIDE,
    REDIRECTS,
    ROBOTS,
    ArchiveSettings,
    Endpoints,
    SourceOutcome,
)
from newsdesk.corpus.archive.polite import Visitor
from newsdesk.corpus.archive.rot import CitedSource
from newsdesk.jsonl import json_value
from newsdesk.network import Answer, NoAnswerError

_REPLAY = re.compile(r"(\d{14})[a-z_]*/(.+)", re.DOTALL)
_SCHEME = re.compile(r"^https?://", re.IGNORECASE)
_MOST_SNAPSHOTS = 50
_FIRST_MOMENT = "00000101000000"  # the digits that a short timestamp lacks: 1 January, midnight

_MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of a page: when it was taken (14 digits) and of which address."""

    timestamp: str
    url: str

    @property
    def day(self) -> date:
        """The day on which the copy was taken."""
        return date.fromisoformat(
            f"{self.timestamp[:4]}-{self.timestamp[4:6]}-{self.timestamp[6:8]}"
        )

    def days_from(self, day: str) -> int:
        """Return how many days lie between the copy and a day; 0 for an empty `day`, which is any day."""
        if not day:
            return 0
        return abs((self.day - date.fromisoformat(day)).days)


def availability_url(ends: Endpoints, url: str, day: str) -> str:
    """Return where to ask for the snapshot nearest to a day, or without one for the latest."""
    near = {"timestamp": day.replace("-", "")} if day else {}
    return f"{ends.availability}?{urlencode({'url': url, **near})}"


def available(body: bytes) -> Snapshot | None:
    """Return the snapshot that the availability interface names, if it holds a page.

    >>> available(b'{"archived_snapshots": {"closest": {"available": true, "status": "200", "timestamp": "20190501120000", "url": "http://web.archive.org/web/20190501120000/http://a.example/"}}}')
    Snapshot(timestamp='20190501120000', url='http://a.example/')
    """
    answer = _json(body)
    try:
        closest = answer["archived_snapshots"].get("closest")
        if not closest or not closest["available"] or str(closest.get("status", "200")) != "200":
            return None
        return _snapshot(str(closest["timestamp"]), replayed(str(closest["url"])))
    except (AttributeError, KeyError, TypeError):
        raise NoAnswerError(BROKEN_ANSWER) from None


def cdx_url(ends: Endpoints, url: str, day: str, days: int) -> str:
    """Return where to ask for pages among the snapshots within so many days, nearest first.

    Without a day, where to ask for all of them.
    """
    fixed = {"output": "json", "filter": "statuscode:200"}
    around = {}
    if day:
        middle = date.fromisoformat(day)
        around = {
            "sort": "closest",
            "from": _stamp(middle, -days),
            "to": _stamp(middle, days),
            "closest": _stamp(middle, 0),
        }
    return f"{ends.cdx}?{urlencode({'url': url, **fixed, **around, 'limit': _MOST_SNAPSHOTS})}"


def listed(body: bytes) -> list[Snapshot]:
    """Return the snapshots of a CDX answer, which is empty or a list whose first row names the columns.

    >>> listed(b'[["urlkey","timestamp","original","statuscode"],["example,a)/","20190501120000","http://a.example/","200"]]')
    [Snapshot(timestamp='20190501120000', url='http://a.example/')]
    """
    if not body.strip():
        return []
    rows = _json(body)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise NoAnswerError(BROKEN_ANSWER)
    try:
        header, *lines = rows or [[]]
        named = [dict(zip(header, line, strict=True)) for line in lines]
        snapshots = [_snapshot(row["timestamp"], row["original"]) for row in named]
    except (KeyError, TypeError, ValueError):
        raise NoAnswerError(BROKEN_ANSWER) from None
    return [snapshot for snapshot in snapshots if snapshot is not None]


def page_url(ends: Endpoints, snapshot: Snapshot) -> str:
    """Return where the bytes of a snapshot are."""
    return f"{ends.web}{snapshot.timestamp}id_/{snapshot.url}"


def save_url(ends: Endpoints, url: str) -> str:
    """Return where to ask for a new snapshot."""
    return ends.save + quote(url, safe=":/?#[]@!$&'()*+,;=%~")


def saved(ends: Endpoints, answer: Answer) -> Snapshot | None:
    """Return the snapshot that Save Page Now took; None where its answer names none."""
    location = answer.headers.get("content-location") or answer.headers.get("location") or ""
    return replay(ends, answer.url, location) if location else None


def replay(ends: Endpoints, base: str, location: str) -> Snapshot | None:
    """Return the snapshot that a `Location` header of the page `base` leads to, over http or https.

    None for any other address.

    >>> replay(Endpoints(), "https://web.archive.org/save/x", "/web/20190501120000id_/http://a.example/x")
    Snapshot(timestamp='20190501120000', url='http://a.example/x')
    """
    try:
        address = urljoin(base, location)
    except ValueError:  # no address at all
        return None
    target, web = (_SCHEME.sub("", url) for url in (address, ends.web))
    if not target.startswith(web):
        return None
    match = _REPLAY.fullmatch(target.removeprefix(web))
    if not match:
        return None
    timestamp, url = match.groups()
    return _snapshot(timestamp, url)


def replayed(address: str) -> str:
    """Return the page that an address of any archive shows a copy of."""
    return re.sub(r"^.*?/web/\d+[a-z_]*/", "", address)


def _snapshot(timestamp: str, url: str) -> Snapshot | None:
    """Return a snapshot whose timestamp is a moment; a short one is filled up as in the archive."""
    filled = timestamp + _FIRST_MOMENT[len(timestamp) :]
    snapshot = Snapshot(filled, url)
    try:
        _ = snapshot.day
    except ValueError:
        return None
    return snapshot if re.fullmatch(r"\d{14}", filled) else None


def _stamp(day: date, days: int) -> str:
    """Return the day so many days later as eight digits, within what the calendar holds."""
    try:
        return (day + timedelta(days)).strftime("%Y%m%d").zfill(8)
    except OverflowError:
        return "00010101" if days < 0 else "99991231"


def _json(body: bytes) -> Any:
    try:
        return json_value(body)
    except ValueError:
        raise NoAnswerError(BROKEN_ANSWER) from None


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome for a source, and the answer and snapshot to judge if a page came back."""

    outcome: SourceOutcome
    answer: Answer | None = None
    snapshot: Snapshot | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks sources up in an archive."""

    visitor: Visitor
    settings: ArchiveSettings

    def fetch(self, source: CitedSource) -> Fetched:
        """Return what the archive has of a source; raises only where the archive cannot be reached."""
        outcome = SourceOutcome(source.key, source.url, source.date, OBTAINED)
        if not _is_http(source.url):
            return Fetched(replace(outcome, outcome=BAD_ADDRESS))
        try:
            snapshot = self._nearest(source)
            if snapshot is None and self.settings.save:
                outcome = replace(outcome, saved=True)
                snapshot = self._saved(source.url)
            elif snapshot is None:
                raise NoAnswerError(NO_SNAPSHOT)
            reached, answer = self._download(snapshot)
        except NoAnswerError as error:
            return Fetched(replace(outcome, outcome=error.reason))
        address = reached.url if reached.url != source.url else None
        outcome = replace(
            outcome, snapshot=reached.timestamp, status=answer.status, address=address
        )
        return Fetched(outcome, answer, reached)

    def _nearest(self, source: CitedSource) -> Snapshot | None:
        """Return the snapshot nearest to the day; None where only Save Page Now may take one."""
        ends, days = self.settings.endpoints, self.settings.days
        answer = self.visitor.get(availability_url(ends, source.url, source.date))
        closest = available(answer.body) if answer.status == 200 else None
        if closest and closest.days_from(source.date) <= days:
            return closest
        answer = self.visitor.get(cdx_url(ends, source.url, source.date, days))
        snapshots = listed(answer.body) if answer.status == 200 else []
        near = [snapshot for snapshot in snapshots if snapshot.days_from(source.date) <= days]
        if near:
            return min(
                near, key=lambda snapshot: (snapshot.days_from(source.date), snapshot.timestamp)
            )
        if (closest or snapshots) and not self.settings.save:
            raise NoAnswerError(NOT_NEAR)
        return None

    def _saved(self, url: str) -> Snapshot:
        """Return a snapshot taken now, if the site's own robots.txt lets archives in."""
        if not self.visitor.allowed(url):
            raise NoAnswerError(ROBOTS)
        ends = self.settings.endpoints
        answer = self.visitor.get(save_url(ends, url), saving=True)
        snapshot = saved(ends, answer) if answer.status < 400 else None
        if snapshot is None:
            raise NoAnswerError(NOT_SAVED)
        return snapshot

    def _download(self, snapshot: Snapshot) -> tuple[Snapshot, Answer]:
        """Return the snapshot that redirects within the archive lead to, and the answer with its page."""
        ends = self.settings.endpoints
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self.visitor.get(page_url(ends, snapshot))
            if not (300 <= answer.status < 400 and "location" in answer.headers):
                return snapshot, answer
            target = replay(ends, answer.url, answer.headers["location"])
            if target is None:
                raise NoAnswerError(OUTSIDE)
            snapshot = target
        raise NoAnswerError(REDIRECTS)


def _is_http(url: str) -> bool:
    """Return whether an address can be asked: a scheme of the web, a host, and a whole port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:  # an unclosed bracket, a port that is no number
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
