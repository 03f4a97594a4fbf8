"""`newsdesk serve --demo`: the folder is made once, and opens with tasks that wait, a thread to moderate and the report one click away."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsdesk import demo
from newsdesk.campaigns import Store
from newsdesk.cli.main import main
from newsdesk.demo.campaigns import prepare
from newsdesk.service import app as web
from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office

STAGES = {"newsroom": "newsroom"}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str]]]:
    """A folder that was made by `serve --demo`, and what was printed at the first start and at the second."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    printed, mask = [], os.umask(0o077)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(demo, "STAGES", STAGES)
        patched.setattr(web, "run", lambda *_, **__: None)
        for _ in range(2):
            said: list[str] = []
            patched.setattr(
                "newsdesk.cli.serve.click.echo", lambda text, said=said, **_: said.append(text)
            )
            assert main(["serve", "--demo", "--data", str(folder)]) == 0
            printed.append("\n".join(said))
    os.umask(mask)
    yield folder, printed


@pytest.fixture
def office(started: tuple[Path, list[str]]) -> Iterator[Office]:
    with Office.opened(create_app(ServiceSettings(data=started[0]))) as opened:
        yield opened


def _path(printed: str, name: str) -> str:
    """The path of the address that was printed under this name."""
    return re.search(rf"^{name}: http://127.0.0.1:8000(\S+)$", printed, re.MULTILINE)[1]


def test_a_second_start_keeps_the_folder_and_prints_new_links(
    started: tuple[Path, list[str]],
) -> None:
    folder, (first, second) = started
    assert (folder / "report.html").is_file()
    assert "[1/1] newsroom" in first
    assert "[1/1]" not in second
    assert _path(first, "sign in as admin") != _path(second, "sign in as admin")


def test_the_links_lead_to_a_task_a_thread_and_the_report(
    started: tuple[Path, list[str]], office: Office
) -> None:
    _, (_, printed) = started
    admin, annotator = office.stranger(), office.stranger()
    token = _path(printed, "sign in as admin").partition("token=")[2]
    assert admin.post("/sign-in", data={"token": token}).headers["location"] == "/"
    front = admin.get("/", headers=HTML).text
    assert 'href="/studies/reports/report.html"' in front
    assert 'href="/campaigns/try-it"' in front
    assert admin.get(_path(printed, "read the report, as admin"), headers=HTML).status_code == 200
    assert admin.get(_path(printed, "moderate a thread, as admin"), headers=HTML).status_code == 200
    joined = annotator.post(_path(printed, "answer tasks as annotator"), data={"name": "dora"})
    task = annotator.get(joined.headers["location"] + "/continue").headers["location"]
    assert "/annotate/try-it/tasks/" in task
    status = office.desk.store.status("try-it")
    assert 0 < status.done < status.slots


def test_the_demo_itself_leaves_an_unfinished_campaign(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        prepare(store)
        prepare(store)
        states = {each.name: store.status(each.name) for each in store.campaigns()}
    assert list(states) == ["grades", "votes", "ranks", "try-it"]
    assert 0 < states["try-it"].done < states["try-it"].slots


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "novel.txt").write_text("Chapter 1")
    assert main(["serve", "--demo", "--data", str(tmp_path)]) == 1
    assert "holds something else than the demo; name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["novel.txt"]


def test_neither_data_nor_demo_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve"]) == 2
    assert "Missing option '--data' (or --demo)" in capsys.readouterr().err
