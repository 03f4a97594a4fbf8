"""Backups: taken from a server at work, restored whole, and archives of a stranger, of which nothing reaches the disk."""

from __future__ import annotations

import io
import stat
import tarfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from newsdesk.campaigns.store import Store
from newsdesk.errors import DataError, FileError, NewsdeskError
from newsdesk.service.backup import INDEX, back_up, restore
from newsdesk.service.settings import DataFolder
from tests.campaigns.worlds import AT, GRADE, answers, grade_tasks
from tests.cli.running import run
from tests.service.serving import serving


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = DataFolder.open(tmp_path / "desk")
    folder.secret()
    folder.newsroom.mkdir()
    (folder.newsroom / "threads.jsonl").write_text("{}\n", "utf-8")
    with Store.open(folder.store_url) as store:
        store.create("pilot", GRADE, grade_tasks(300), ["ann"], per_item=1, seed=0)
    return folder.root


def test_a_backup_under_load_has_every_answer_that_was_acknowledged_before_it(
    data: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{data / 'campaigns/newsdesk.db'}"
    acknowledged: list[str] = []
    enough, stop = threading.Event(), threading.Event()

    def annotate() -> None:
        with Store.open(url, create=False) as store:
            while not stop.is_set() and (todo := store.claim("pilot", "ann", at=AT)) is not None:
                store.answer("pilot", "ann", todo.task.id, answers(GRADE, todo.task, [3]), at=AT)
                acknowledged.append(todo.task.id)
                if len(acknowledged) == 20:
                    enough.set()

    annotator = threading.Thread(target=annotate)
    annotator.start()
    enough.wait()
    before = list(acknowledged)
    done = back_up(data, tmp_path / "desk.tar.gz")
    stop.set()
    annotator.join()
    assert (done.files, done.store) == (3, True)
    assert restore(tmp_path / "desk.tar.gz", tmp_path / "again").files == 3
    with Store.open(f"sqlite:///{tmp_path}/again/campaigns/newsdesk.db", create=False) as store:
        kept = {judgment.task for judgment in store.judgments("pilot")}
    assert set(before) <= kept <= set(acknowledged)
    for path in (tmp_path / "again").rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
    for name in ("service/secret", "newsroom/threads.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (data / name).read_bytes()


def test_a_running_server_is_backed_up_and_all_it_wrote_is_its_own(tmp_path: Path) -> None:
    data = tmp_path / "desk"
    with serving(data, tmp_path / "log"):
        done = run("serve", "backup", str(tmp_path / "desk.tar"), "--data", str(data))
        assert done.returncode == 0, done.stderr
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.rglob("*"))}
        wrong = {p: oct(m) for p, m in modes.items() if m != (0o700 if p.is_dir() else 0o600)}
        assert wrong == {}
    done = run("serve", "restore", str(tmp_path / "desk.tar"), "--data", str(tmp_path / "new"))
    assert done.returncode == 0, done.stderr
    done = run("serve", "restore", str(tmp_path / "desk.tar"), "--data", str(tmp_path / "new"))
    assert done.returncode == 1 and "restored into a new folder" in done.stderr
    assert stat.S_IMODE((tmp_path / "desk.tar").stat().st_mode) == 0o600


def test_a_backup_into_the_folder_itself_or_over_another_is_refused(
    data: Path, tmp_path: Path
) -> None:
    with pytest.raises(FileError, match="lies in the data folder itself"):
        back_up(data, data / "files.tar")
    back_up(data, tmp_path / "desk.tar")
    with pytest.raises(FileError, match="exists already"):
        back_up(data, tmp_path / "desk.tar")


Members = list[tuple[tarfile.TarInfo, bytes]]


def _member(name: str, content: bytes = b"x", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


ALTERED: dict[str, Callable[[Members], Members]] = {
    "a path upwards": lambda members: [_member("../evil"), *members],
    "a path upwards inside": lambda members: [_member("a/../../evil"), *members],
    "an absolute path": lambda members: [_member("/tmp/evil"), *members],
    "a path of another system": lambda members: [_member("..\\evil"), *members],
    "a drive": lambda members: [_member("C:/evil"), *members],
    "a symbolic link": lambda members: [
        _member("newsroom", b"", type=tarfile.SYMTYPE, linkname="/tmp"), *members],
    "a hard link": lambda members: [
        _member("evil", b"", type=tarfile.LNKTYPE, linkname="service/secret"), *members],
    "a device": lambda members: [_member("evil", b"", type=tarfile.CHRTYPE), *members],
    "a pipe": lambda members: [_member("evil", b"", type=tarfile.FIFOTYPE), *members],
    "a file twice": lambda members: [members[0], *members],
    "one more file": lambda members: [_member("evil"), *members],
    "one file less": lambda members: members[1:],
    "another secret": lambda members: [
        (info, content[::-1]) if info.name == "service/secret" else (info, content)
        for info, content in members],
    "no index": lambda members: [pair for pair in members if pair[0].name != INDEX],
    "a deep index": lambda members: [*members[:-1], _member(INDEX, b"[" * 9999)],
    "a false index": lambda members: [*members[:-1], _member(INDEX, b'{"format": 1, "files": 5}')],
}  # fmt: skip


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    folder = DataFolder.open(tmp_path_factory.mktemp("desk"))
    folder.secret()
    with Store.open(folder.store_url) as store:
        store.create("pilot", GRADE, grade_tasks(3), ["ann"], per_item=1, seed=0)
    file = tmp_path_factory.mktemp("archive") / "desk.tar"
    back_up(folder.root, file)
    with tarfile.open(file) as archive:
        yield [(info, archive.extractfile(info).read()) for info in archive]


def test_nothing_of_an_altered_archive_reaches_the_disk(members: Members, tmp_path: Path) -> None:
    taken = []
    for what, alter in ALTERED.items():
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for info, content in alter(members):
                archive.addfile(info, io.BytesIO(content))
        (tmp_path / "evil.tar").write_bytes(packed.getvalue())
        try:
            restore(tmp_path / "evil.tar", tmp_path / "in" / "desk")
            taken.append(what)
        except DataError:
            pass
        assert [path.name for path in (tmp_path / "in").iterdir()] == [], what
    assert taken == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.tar", "in"]


def test_an_archive_that_ends_early_or_is_none_is_one_line(
    members: Members, tmp_path: Path
) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    whole = packed.getvalue()
    for broken in (
        b"",
        b"no archive",
        whole[: len(whole) // 2],
        whole[: 3 * len(whole) // 4],
        whole[:100] + whole[200:],
    ):
        (tmp_path / "broken.tar.gz").write_bytes(broken)
        with pytest.raises(NewsdeskError, match=r"broken\.tar\.gz"):
            restore(tmp_path / "broken.tar.gz", tmp_path / "desk")
        assert [path.name for path in tmp_path.iterdir()] == ["broken.tar.gz"]
