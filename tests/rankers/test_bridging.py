"""Ranking by who voted: votes read from tables and campaigns, comments of opposed camps, what is refused and said."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from newsdesk.arrays import Floats
from newsdesk.cli.main import main
from newsdesk.rankers.bridging import VoteMatrix, bridge, judgment_votes, read_votes
from newsdesk.types import Judgment
from tests.stats.camps import BOTH, FIRST, SECOND, one_public, two_camps


def matrix_of(votes: Floats) -> VoteMatrix:
    """Votes on comments of two articles, named after voter and comment."""
    return VoteMatrix.of(
        ((f"a{column % 2}", f"c{column}"), f"v{row:03}", float(vote))
        for column in range(votes.shape[1])
        for row, vote in enumerate(votes[:, column].tolist())
        if not np.isnan(vote)
    )


def write_votes(path: Path, votes: Floats) -> None:
    lines = [
        f"c{column},v{row},{int(vote)}"
        for row, cells in enumerate(votes.tolist())
        for column, vote in enumerate(cells)
        if not np.isnan(vote)
    ]
    path.write_text("\n".join(["comment,voter,vote", *lines]))


def test_each_article_begins_with_what_both_camps_value() -> None:
    result = bridge(matrix_of(two_camps(0, voters=100, comments=24)[0]))
    assert result.verdict.startswith("2 opposed groups of ")
    for article, kinds in (("a0", (BOTH, SECOND)), ("a1", (FIRST,))):
        ranked = [one for one in result.comments if one.article == article]
        assert [one.rank for one in ranked] == list(range(1, 13))
        assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
        assert int(ranked[0].comment[1:]) % 4 in kinds[:1]
    assert all(len(group.stands_for) == 3 for group in result.groups)
    stands_for = [{int(one.comment[1:]) % 4 for one in group.stands_for} for group in result.groups]
    assert stands_for == [{FIRST}, {SECOND}]
    assert all(int(one.comment[1:]) % 4 in (FIRST, SECOND) for one in result.dividing)


def test_where_nobody_is_opposed_it_says_so_and_ranks_by_all() -> None:
    votes = one_public(0)
    result = bridge(matrix_of(votes))
    assert result.verdict.startswith("no opposed groups found")
    assert [group.voters for group in result.groups] == [60]
    assert result.dividing == ()
    for one in result.comments:
        (agreed,), (voted,) = one.agreed, one.voted
        assert one.score == (agreed + 1) / (voted + 2)


def test_few_voters_and_few_votes_are_named() -> None:
    notes = " ".join(bridge(matrix_of(one_public(1, voters=6, comments=12, seen=0.3))).notes)
    assert "fewer than 15 such voters" in notes
    assert "had fewer than 3 votes from anybody" in notes
    votes, _ = two_camps(0)
    votes[0, 3:] = np.nan
    notes = " ".join(bridge(matrix_of(votes)).notes)
    assert "2 voters cast fewer than 7 votes: in no group" in notes


def test_votes_of_a_campaign_are_read_without_controls_and_withdrawn_answers(
    tmp_path: Path,
) -> None:
    def vote(target: str, annotator: str, value: object, *, control: bool = False) -> Judgment:
        question = "constructive"
        return Judgment("c", "t", "a", target, question, value, annotator, control=control)  # type: ignore[arg-type]

    judgments = [
        vote("x", "ann", 1),
        vote("y", "ann", 0),
        vote("x", "ben", False),
        vote("y", "ben", "cannot-judge"),
        vote("gold", "ben", 1, control=True),
        vote("x", "ben", True),  # corrects the first
    ]
    matrix = judgment_votes(judgments)
    assert matrix.comments == (("a", "x"), ("a", "y"))
    assert np.nan_to_num(matrix.votes, nan=9).tolist() == [[1, -1], [1, 9]]
    file = tmp_path / "judgments.jsonl"
    nd.write(file, judgments[:3])
    assert read_votes(str(file)).voters == ("ann", "ben")
    with pytest.raises(nd.DataError, match="ann gave 'x' the value 4, which is no vote"):
        judgment_votes([vote("x", "ann", 4)])
    with pytest.raises(nd.ArgumentError, match="there is no vote to rank by"):
        judgment_votes([])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("comment,voter,vote\nx,a,1\ny,a,0\n", [[1, -1]]),  # 0 beside 1 alone is a no
        ("comment,voter,vote\nx,a,1\ny,a,0\nz,a,-1\n", [[1, 0, -1]]),
        ("Comment-ID;voter-id;vote\nx;a;agree\ny;a;pass\nz;b;\nz;a;disagree\n", [[1, 0, -1]]),
        ("target\tannotator\tvalue\nx\ta\tyes\nx\ta\tno\n", [[-1]]),
    ],
)
def test_tables_of_votes_are_read_as_people_write_them(
    table: str, expected: list[list[float]], tmp_path: Path
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(table)
    matrix = read_votes(str(file))
    assert np.nan_to_num(matrix.votes, nan=9).tolist() == expected
    assert {article for article, _ in matrix.comments} == {"votes"}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("comment,who,vote\nx,a,1\n", r"votes\.csv:2: there is no column 'voter' \(columns: comm"),
        ("comment,voter,vote\nx,a,5\n", r"votes\.csv:2: vote '5' of 'a' on 'x' is no vote"),
        ("comment,voter,vote\n", "there is no vote to rank by"),
    ],
)
def test_tables_without_votes_are_refused(table: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(table)
    with pytest.raises(nd.NewsdeskError, match=reason):
        read_votes(str(file))


def test_the_command_prints_groups_and_writes_a_table_and_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    votes, _ = two_camps(0)
    write_votes(tmp_path / "votes.csv", votes)
    comments = tuple(nd.Comment(f"c{number}", f"=text {number}") for number in range(24))
    nd.write(tmp_path / "threads.jsonl", [nd.Thread(nd.Article("votes", ""), comments)])
    command = ["rank", "bridge", "votes.csv", "--threads", "threads.jsonl"]
    assert main([*command, "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 opposed groups of 38 and 21 voters")
    assert lines[1].startswith("group 1 (38 voters) stands for: votes/c")
    assert sum(line.startswith("votes ") for line in lines) == 2
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [group["voters"] for group in printed["groups"]] == [38, 21]
    assert printed["comments"][0]["text"].startswith("=text")
    assert main([*command, "-o", "bridged.csv"]) == 0
    with (tmp_path / "bridged.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, 25)]
    assert rows[0]["text"].startswith("'=text")
    assert set(rows[0]) >= {"score", "low", "high", "share", "group 1", "group 2"}
    assert main([*command, "-o", "run.jsonl"]) == 0
    run = list(nd.read(tmp_path / "run.jsonl", nd.Ranked))
    assert [line.comment for line in run] == [row["comment"] for row in rows]
    assert main([*command, "-o", "page.html"]) == 2
    assert "name a .csv, .jsonl or .trec file" in capsys.readouterr().err
