"""Kill -9 during moderation, votes and uploads, and backups in between: nothing that was acknowledged is lost, and no file is there in part."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx2 as httpx

from newsdesk.service.backup import back_up, restore
from newsdesk.service.desk import Desk
from newsdesk.service.library import NewsFile
from newsdesk.service.settings import ServiceSettings
from newsdesk.service.votes import campaign_of, has_votes
from tests.service.office import HTML, csrf
from tests.service.serving import Server, serving
from tests.service.test_comments import ROWS

KILLS = 2
_SOME = 8  # acknowledged answers between two kills
_THREAD = "a1"
_COMMENTS = tuple(f"c{number}" for number in range(1, 6))

# What a moderator did: pin, hide or vote, the comment, and whether it was done or undone (of a vote: yes or no).
Act = tuple[str, str, bool]
State = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, bool]]]


@dataclass
class Work:
    """What was acknowledged, in order, over all rounds, and the act of a request that was not answered."""

    acts: list[Act] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    sent: Act | None = None

    @property
    def answers(self) -> int:
        """How many answers came."""
        return len(self.acts) + len(self.files)


def state(acts: Sequence[Act]) -> State:
    """What stands, and the votes, after some acts."""
    standing: set[tuple[str, str]] = set()
    votes: dict[str, bool] = {}
    for kind, comment, on in acts:
        if kind == "vote":
            votes[comment] = on
        elif on:
            standing.discard(("hide" if kind == "pin" else "pin", comment))
            standing.add((kind, comment))
        else:
            standing.discard((kind, comment))
    return frozenset(standing), frozenset(votes.items())


class Moderating(threading.Thread):
    """Somebody who pins, hides, votes, undoes and brings files until the server dies."""

    def __init__(self, server: Server, token: str, thread: str, round_: int, work: Work) -> None:
        super().__init__()
        self._work = work
        self._thread = thread
        self._round = round_
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60)
        assert self._client.post("/sign-in", data={"token": token}).status_code == 303
        self._csrf = csrf(self._client, "/")  # type: ignore[arg-type]

    def run(self) -> None:
        with contextlib.closing(self._client), contextlib.suppress(httpx.HTTPError):
            for number in range(10_000):
                self._bring(number) if number % 4 == 3 else self._act(number)

    def _bring(self, number: int) -> None:
        name = f"{self._round}-{number}.csv"
        content = ROWS.replace("pier", f"pier {self._round}-{number}").encode()
        answer = self._client.post(
            "/files", files={"file": (name, content)}, data={"csrf": self._csrf}
        )
        if answer.status_code == 303:
            self._work.files[name] = content

    def _act(self, number: int) -> None:
        kind, comment = ("pin", "hide", "vote")[number % 4], _COMMENTS[number % len(_COMMENTS)]
        standing, votes = state(self._work.acts)
        on = (comment, True) not in votes if kind == "vote" else (kind, comment) not in standing
        data = {"csrf": self._csrf, "comment": comment}
        if kind == "vote":
            data["yes"] = str(on).lower()
        else:
            data |= {"action": kind, "undo": str(not on).lower()}
        self._work.sent = (kind, comment, on)
        path = f"{self._thread}/{'vote' if kind == 'vote' else 'moderate'}"
        if self._client.post(path, data=data).status_code == 303:
            self._work.acts.append((kind, comment, on))
        self._work.sent = None


@dataclass(frozen=True)
class Survived:
    """What was acknowledged in all, and how many backups were restored."""

    acts: int
    files: int
    restored: int


def survive(folder: Path, kills: int) -> Survived:
    """Kill a server again and again while somebody moderates, with a backup before each kill; check the folder, and what is restored from the backup."""
    settings = ServiceSettings(data=folder / "data")
    with _opened(settings.data) as desk:
        file = desk.library.add(io.BytesIO(ROWS.encode()), "harbour.csv", "comments", "ann")
    work = Work()
    for round_ in range(kills):
        with _opened(settings.data) as desk:
            tokens = [desk.access.admin_link(f"admin {number}").token for number in range(2)]
        enough = work.answers + _SOME
        with serving(settings.data, folder / "log") as server:
            _ranked(server, tokens[0], file.id)
            address = f"/comments/{file.id}/{_THREAD}"
            moderator = Moderating(server, tokens[1], address, round_, work)
            moderator.start()
            _wait(moderator, work, enough - _SOME // 2)
            acts, files = len(work.acts), dict(work.files)
            back_up(settings.data, folder / f"{round_}.tar")
            _wait(moderator, work, enough)
            server.kill()
            moderator.join()
        _check(settings.data, file, work, len(work.acts), work.files)
        restore(folder / f"{round_}.tar", folder / f"restored-{round_}")
        _check(folder / f"restored-{round_}", file, work, acts, files)
        with _opened(
            settings.data
        ) as desk:  # what was sent last and not acknowledged may have been done
            if work.sent is not None and _state(desk, file) != state(work.acts):
                work.acts.append(work.sent)
            work.sent = None
    return Survived(len(work.acts), len(work.files), kills)


@contextlib.contextmanager
def _opened(data: Path) -> Iterator[Desk]:
    with contextlib.closing(Desk.open(ServiceSettings(data=data))) as desk:
        yield desk


def _wait(moderator: Moderating, work: Work, answers: int) -> None:
    while work.answers < answers and moderator.is_alive():
        time.sleep(0.01)


def _ranked(server: Server, token: str, file_id: str) -> None:
    """Wait until the threads of a file are ranked."""
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        assert client.post("/sign-in", data={"token": token}).status_code == 303
        while 'http-equiv="refresh"' in client.get(f"/comments/{file_id}", headers=HTML).text:
            time.sleep(0.1)


def _state(desk: Desk, file: NewsFile) -> State:
    """What stands, and the votes, in a folder."""
    standing = {(each.action, each.comment) for each in desk.moderation.standing(file.id, _THREAD)}
    campaign = campaign_of(file)
    judgments = desk.store.judgments(campaign) if has_votes(desk.store, campaign) else ()
    return frozenset(standing), frozenset((each.target, bool(each.value)) for each in judgments)


def _check(data: Path, file: NewsFile, work: Work, acts: int, files: dict[str, bytes]) -> None:
    """Of the acts, at least the first `acts` were done and none out of turn; the files are there, and no file in part."""
    done = [*work.acts, *([work.sent] if work.sent else [])]
    with _opened(data) as desk:
        found = _state(desk, file)
        listed = {other.name: other.path.read_bytes() for other in desk.library.all()}
    assert found in [state(done[:count]) for count in range(acts, len(done) + 1)]
    assert {name: listed.get(name) for name in files} == files
    assert all(content.count(b"\n") == ROWS.count("\n") for content in listed.values())
    assert not list(data.rglob("*.part"))


def test_after_kill_9_each_acknowledged_pin_vote_and_file_is_there(tmp_path: Path) -> None:
    survived = survive(tmp_path, KILLS)
    assert survived.acts > KILLS and survived.files and survived.restored == KILLS
