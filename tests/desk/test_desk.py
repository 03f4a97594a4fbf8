"""`newsdesk desk run`: the same command every day, with the same files as one run over all days."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.desk import run as desk_run
from newsdesk.desk.run import read_desk, run_desk
from newsdesk.errors import DataError
from newsdesk.types import Article

SETTINGS = '[articles]\ninputs = ["inbox"]\n[summaries]\nmethod = "lead"\n'
FILES = ("clusters.jsonl", "why.jsonl", "summaries.jsonl")


def by_day() -> dict[str, list[Article]]:
    days: dict[str, list[Article]] = defaultdict(list)
    for cluster in samples.clusters():
        for article in cluster.articles:
            days[article.date or ""].append(article)
    return dict(sorted(days.items()))


def desk(folder: Path) -> Path:
    (folder / "inbox").mkdir(parents=True)
    (folder / "desk.toml").write_text(SETTINGS)
    return folder


def fill(folder: Path, day: str, rows: list[Article]) -> None:
    records.write(folder / "inbox" / f"{day}.jsonl", rows)


def run(folder: Path) -> desk_run.DeskRun:
    return run_desk(read_desk(folder / "desk.toml"), folder)


def digests(folder: Path) -> dict[str, str]:
    paths = (path for path in (folder / "desk").rglob("*") if path.is_file() and ".work" not in path.parts)  # fmt: skip
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
    }


def test_daily_runs_equal_one_run_and_the_ledger_says_what_each_brought(tmp_path: Path) -> None:
    daily, whole = desk(tmp_path / "daily"), desk(tmp_path / "whole")
    brought = []
    for day, rows in by_day().items():
        fill(daily, day, rows)
        fill(whole, day, rows)
        brought.append(run(daily))
    run(whole)
    ours, theirs = digests(daily), digests(whole)
    assert ours.pop("desk/ledger.jsonl") != theirs.pop("desk/ledger.jsonl")
    assert ours == theirs
    lines = [json.loads(line) for line in (daily / "desk/ledger.jsonl").read_text().splitlines()]
    assert [list(line["new"]) for line in lines] == [[day] for day in by_day()]
    assert not any(line["moved"] or line["gone"] or line["late"] for line in lines)
    assert all(each.computed == (day,) for each, day in zip(brought, by_day(), strict=True))


def test_a_second_run_changes_nothing_and_late_articles_are_in_the_ledger(tmp_path: Path) -> None:
    folder, days = desk(tmp_path), by_day()
    first, *rest = days
    for day in rest:
        fill(folder, day, days[day])
    run(folder)
    before = digests(folder)
    again = run(folder)
    assert (again.changed, again.computed, again.summarized) == (False, (), 0)
    assert digests(folder) == before
    fill(folder, first, days[first])
    late = run(folder)
    assert late.changed
    *_, line = (folder / "desk/ledger.jsonl").read_text().splitlines()
    assert json.loads(line)["late"] == sorted(row.id for row in days[first])


def test_a_run_that_is_killed_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, whole = desk(tmp_path / "killed"), desk(tmp_path / "whole")
    for day, rows in by_day().items():
        fill(killed, day, rows)
        fill(whole, day, rows)
    run(whole)
    for name in ("append", "_write", "_write_records", "_summaries"):
        with monkeypatch.context() as patch:

            def stop(*_: object, **__: object) -> None:
                raise KeyboardInterrupt

            patch.setattr(desk_run, name, stop)
            with pytest.raises(KeyboardInterrupt):
                run(killed)
    run(killed)
    assert digests(killed) == digests(whole)


def test_the_command_and_its_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk(tmp_path))
    (tmp_path / "inbox" / "a.csv").write_text("title,text,date\nDam,It broke.,2031-03-01\n")
    assert main(["desk", "run", "desk.toml", "--engine", "inline", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] is True
    assert main(["desk", "run", "desk.toml", "--engine", "inline"]) == 0
    assert "nothing new" in capsys.readouterr().out
    (tmp_path / "desk.toml").write_text(SETTINGS + "[sumaries]\n")
    with pytest.raises(DataError, match="sumaries"):
        read_desk(tmp_path / "desk.toml")
    assert all((tmp_path / "desk" / name).is_file() for name in FILES)
