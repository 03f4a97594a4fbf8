"""Standard input is one input: a command line that names it twice is told so before anything is read."""

from __future__ import annotations

import pytest

from tests.cli.running import run


@pytest.mark.parametrize(
    "words",
    [
        "score - -r -",
        "score -r - -",
        "score - - -r x.jsonl",
        "summarize - -m tsr --fit x --dev -",
        "rank eval - -t -",
        "rank fit --train - --dev - -o x",
        "rank compare -m length --train - --test -",
        "rank vectors - - -o x",
        "study table5 - --references -",
        "campaign new x - --protocol rank --references - --annotators 2",
        "campaign new x --protocol rank --clusters - --controls - --annotators 2",
        "campaign import x - -",
        "records check - -",
    ],
)
def test_two_inputs_cannot_both_be_standard_input(words: str) -> None:
    done = run(*words.split(), stdin=b"")
    assert (done.returncode, done.stdout) == (2, "")
    assert "only one input can be standard input (-); name a file." in done.stderr


def test_one_input_may_be_standard_input_and_the_output_standard_output() -> None:
    done = run("records", "check", "-", "--type", "article", stdin=b'{"id": "a", "text": ""}\n')
    assert (done.returncode, done.stderr) == (0, "")
    row = b'{"id": "a", "text": "b"}\n'
    converted = run("records", "convert", "-", "--type", "article", "-o", "-", stdin=row)
    assert (converted.returncode, converted.stdout) == (0, row.decode())
