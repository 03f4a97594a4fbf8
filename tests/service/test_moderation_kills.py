"""Kill -9 during moderation and uploads: nothing that was acknowledged is lost, and no file is there in part."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path

import httpx2 as httpx

from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, csrf
from tests.service.serving import Server, serving
from tests.service.test_comments import ROWS

KILLS = 2
_SOME = 6  # acknowledged answers between two kills


class Moderating(threading.Thread):
    """Somebody who pins and unpins comments and brings files until the server dies; `pinned` and `brought` are as acknowledged."""

    def __init__(
        self, server: Server, token: str, thread: str, round_: int, pinned: dict[str, bool]
    ) -> None:
        super().__init__()
        self.pinned = pinned
        self.answers = 0
        self.sent = ""  # the comment of the request that was not answered
        self.brought: dict[str, bytes] = {}
        self._thread = thread
        self._round = round_
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60)
        assert self._client.post("/sign-in", data={"token": token}).status_code == 303
        self._csrf = csrf(self._client, "/")  # type: ignore[arg-type]

    def run(self) -> None:
        for number in range(10_000):
            try:
                self._step(number)
            except httpx.HTTPError:
                return

    def _step(self, number: int) -> None:
        if number % 3 == 2:
            name = f"{self._round}-{number}.csv"
            content = ROWS.replace("pier", f"pier {self._round}-{number}").encode()
            data = {"csrf": self._csrf}
            answer = self._client.post("/files", files={"file": (name, content)}, data=data)
            if answer.status_code == 303:
                self.brought[name] = content
                self.answers += 1
            return
        self.sent = f"c{1 + number % 5}"
        pin = not self.pinned.get(self.sent, False)
        data = {"csrf": self._csrf, "comment": self.sent, "action": "pin", "undo": str(not pin).lower()}  # fmt: skip
        if self._client.post(f"{self._thread}/moderate", data=data).status_code == 303:
            self.pinned[self.sent] = pin
            self.answers += 1
        self.sent = ""


def _ranked(server: Server, token: str, file_id: str) -> None:
    """Wait until the threads of a file are ranked."""
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        assert client.post("/sign-in", data={"token": token}).status_code == 303
        while 'http-equiv="refresh"' in client.get(f"/comments/{file_id}", headers=HTML).text:
            time.sleep(0.1)


def test_after_kill_9_each_acknowledged_pin_and_file_is_there(tmp_path: Path) -> None:
    settings = ServiceSettings(data=tmp_path / "data")
    desk = Desk.open(settings)
    file = desk.library.add(io.BytesIO(ROWS.encode()), "harbour.csv", "comments", "ann")
    desk.close()
    pinned: dict[str, bool] = {}
    brought: dict[str, bytes] = {}
    for round_ in range(KILLS):
        desk = Desk.open(settings)
        tokens = [desk.access.admin_link(f"admin {number}").token for number in range(2)]
        desk.close()
        with serving(settings.data, tmp_path / "log") as server:
            _ranked(server, tokens[0], file.id)
            moderator = Moderating(server, tokens[1], f"/comments/{file.id}/a1", round_, pinned)
            moderator.start()
            while moderator.answers < _SOME and moderator.is_alive():
                time.sleep(0.01)
            server.kill()
            moderator.join()
        brought |= moderator.brought
        desk = Desk.open(settings)
        standing = {action.comment for action in desk.moderation.standing(file.id, "a1")}
        if moderator.sent:  # it may have been done, and was not acknowledged
            pinned[moderator.sent] = moderator.sent in standing
        assert {comment for comment, is_pinned in pinned.items() if is_pinned} == standing
        listed = {other.name: other.path.read_bytes() for other in desk.library.all()}
        desk.close()
        assert {name: listed.get(name) for name in brought} == brought
        assert all(content.count(b"\n") == ROWS.count("\n") for content in listed.values())
    assert pinned and brought
