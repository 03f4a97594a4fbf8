"""What the command says on standard error: all, nothing but errors, or a log; with colours or without; and completion."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from newsdesk.cli.main import main


def test_quiet_leaves_data_and_errors_and_drops_everything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "comments.csv")
    assert main(["samples", path]) == 0
    words = ["rank", "apply", "length", path, "-o", "-"]
    assert main(words) == 0
    loud = capsys.readouterr()
    assert main(["--quiet", *words]) == 0
    quiet = capsys.readouterr()
    assert loud.err and not quiet.err
    assert loud.out.partition("\n")[2] == quiet.out
    assert main(["--quiet", "samples", path]) == 1
    assert "exists already" in capsys.readouterr().err


def test_verbose_logs_with_times_and_only_during_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_sample(path: str, *, overwrite: bool) -> None:
        logging.getLogger("newsdesk.samples").info("writing %s", path)

    monkeypatch.setattr("newsdesk.samples.files.write_sample", write_sample)
    assert main(["--verbose", "samples", "x.csv"]) == 0
    assert "newsdesk.samples: writing x.csv" in capsys.readouterr().err
    assert main(["samples", "x.csv"]) == 0
    assert not capsys.readouterr().err
    assert main(["--verbose", "--quiet", "samples", "x.csv"]) == 2


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_no_color_turns_colours_off(
    value: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setattr("click.secho", lambda text, **how: shown.append(how.get("color")))
    assert main(["samples", "none"]) == 1
    assert shown == [None if coloured else False]


def test_completion_offers_commands_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.shell_completion import ShellComplete

    from newsdesk.cli.main import newsdesk

    complete = ShellComplete(newsdesk, {}, "newsdesk", "_NEWSDESK_COMPLETE")
    assert "samples" in [item.value for item in complete.get_completions([], "sam")]
    offered = complete.get_completions(["rank", "apply"], "--diver")
    assert [item.value for item in offered] == ["--diversity"]
