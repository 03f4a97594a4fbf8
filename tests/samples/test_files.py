"""Sample files to try commands on: as people have them, and readable by the commands they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.samples.files import sample_names, write_sample

_TABLES = {"articles.csv": "article", "comments.csv": "thread"}  # a table shows no record type


@pytest.mark.parametrize("name", [name for name in sample_names() if not name.endswith(".gz")])
def test_every_sample_is_read_as_it_stands(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / name)
    assert main(["samples", path]) == 0
    kind = ["--type", _TABLES[name]] if name in _TABLES else []
    assert main(["records", "check", path, *kind]) == 0
    assert capsys.readouterr().out.startswith(f"{path}\n")


def test_the_table_of_comments_has_every_comment_and_no_votes(tmp_path: Path) -> None:
    write_sample(str(tmp_path / "comments.csv"), overwrite=False)
    threads = list(records.read_named(str(tmp_path / "comments.csv"), "thread"))
    wanted = {c.id: c.text for thread in samples.threads("en") for c in thread.comments}
    assert {c.id: c.text for thread in threads for c in thread.comments} == wanted
    assert all(c.votes is None and c.score is None for thread in threads for c in thread.comments)


def test_an_unknown_name_lists_what_there_is_and_a_file_is_kept(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"did you mean 'comments.csv'\? there are: comments"):
        write_sample(str(tmp_path / "comment.csv"), overwrite=False)
    assert main(["samples", str(tmp_path / "events.jsonl")]) == 0
    assert main(["samples", str(tmp_path / "events.jsonl")]) == 1
