"""One source: find its snapshot, have one taken where there is none and that is allowed, and download it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from newsdesk.corpus.archive import wayback
from newsdesk.corpus.archive.client import Answer
from newsdesk.corpus.archive.outcomes import (
    BAD_ADDRESS,
    NO_SNAPSHOT,
    NOT_NEAR,
    NOT_SAVED,
    OBTAINED,
    OUTSIDE,
    REDIRECTS,
    ROBOTS,
    NoAnswerError,
    SourceOutcome,
)
from newsdesk.corpus.archive.polite import Visitor
from newsdesk.corpus.archive.settings import ArchiveSettings
from newsdesk.corpus.archive.sources import CitedSource
from newsdesk.corpus.archive.wayback import Snapshot

_MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome for a source as far as the network tells, and the answer and snapshot to judge if a page came back."""

    outcome: SourceOutcome
    answer: Answer | None = None
    snapshot: Snapshot | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks sources up in an archive."""

    visitor: Visitor
    settings: ArchiveSettings

    def fetch(self, source: CitedSource) -> Fetched:
        """What the archive has of a source; never raises for what a server does, except where the archive itself cannot be reached."""
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
        """The snapshot nearest to the day; where all lie too far from it, only Save Page Now may take a new one."""
        ends, days = self.settings.endpoints, self.settings.days
        answer = self.visitor.get(wayback.availability_url(ends, source.url, source.date))
        closest = wayback.available(answer.body) if answer.status == 200 else None
        if closest and closest.days_from(source.date) <= days:
            return closest
        answer = self.visitor.get(wayback.cdx_url(ends, source.url, source.date, days))
        snapshots = wayback.listed(answer.body) if answer.status == 200 else []
        near = [snapshot for snapshot in snapshots if snapshot.days_from(source.date) <= days]
        if near:
            return min(near, key=lambda each: (each.days_from(source.date), each.timestamp))
        if (closest or snapshots) and not self.settings.save:
            raise NoAnswerError(NOT_NEAR)
        return None

    def _saved(self, url: str) -> Snapshot:
        """A snapshot taken now, if the site's own robots.txt lets archives in."""
        if not self.visitor.allowed(url):
            raise NoAnswerError(ROBOTS)
        ends = self.settings.endpoints
        answer = self.visitor.get(wayback.save_url(ends, url), saving=True)
        snapshot = wayback.saved(ends, answer) if answer.status < 400 else None
        if snapshot is None:
            raise NoAnswerError(NOT_SAVED)
        return snapshot

    def _download(self, snapshot: Snapshot) -> tuple[Snapshot, Answer]:
        """The page, after redirects within the archive, and the snapshot that was reached in the end."""
        ends = self.settings.endpoints
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self.visitor.get(wayback.page_url(ends, snapshot))
            if not (300 <= answer.status < 400 and "location" in answer.headers):
                return snapshot, answer
            target = wayback.replay(ends, answer.url, answer.headers["location"])
            if target is None:
                raise NoAnswerError(OUTSIDE)
            snapshot = target
        raise NoAnswerError(REDIRECTS)


def _is_http(url: str) -> bool:
    """Whether an address can be asked: a scheme of the web, a host, and nothing that no address may hold."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:  # an unclosed bracket, a port that is no number
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
