"""Metrics in the browser: pasted texts and files are scored as the command scores them, and the matched words are shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from newsdesk.metrics.systems import join, score_systems
from newsdesk.types import Output, Reference, References
from tests.service.office import HTML, Office, csrf

_CANDIDATE = "A ferry sank off the coast."
_PASTED = "0.5 | The ferry sank near the coast.\nA ship went down."


def _sent(office: Office, fields: dict[str, Any], **rest: Any) -> str:
    admin = office.admin()
    answer = admin.post("/score", data={"csrf": csrf(admin), **fields}, headers=HTML, **rest)
    assert answer.status_code in (200, 400), answer.text
    return answer.text


def test_a_pasted_candidate_has_the_scores_of_the_library(shared_office: Office) -> None:
    page = _sent(
        shared_office,
        {"candidate": _CANDIDATE, "references": _PASTED, "metric": ["w-meteor", "rouge-1"]},
    )
    references = References(
        "x", (Reference("The ferry sank near the coast.", 0.5), Reference("A ship went down."))
    )
    [result] = score_systems(
        join([Output("x", "s", _CANDIDATE)], [references]), ["rouge-1", "w-meteor"]
    )
    shown = re.findall(r'data-label="score">([0-9.]+)<', page)
    assert shown == [f"{score.value:.4f}" for score in result.scores]
    assert '<span class="s5">A</span>' not in page  # the words are those that metrics compare
    assert 'class="s2 on-lcs">ferry' in page


def test_two_files_of_lines_are_scored_by_number(shared_office: Office) -> None:
    files = {
        "outputs": ("hyp.txt", b"A ferry sank.\nNobody won.\n"),
        "references-file": ("ref.txt", b"A ferry sank.\nNo one won.\n"),
    }
    page = _sent(shared_office, {"metric": "rouge-1"}, files=files)
    assert "Scores of 2 items" in page
    assert "hyp" in page


@pytest.mark.parametrize(
    ("fields", "files", "fault"),
    [
        ({"candidate": "x"}, None, "at least one reference"),
        ({}, {"outputs": ("hyp.txt", b"a\n")}, "go together"),
        (
            {},
            {"outputs": ("a.txt", b"a\nb\n"), "references-file": ("b.txt", b"a\n")},
            "no references",
        ),
        ({"candidate": "x", "references": "y" * 30_000}, None, "put them into files"),
    ],
)
def test_what_cannot_be_scored_is_said_beside_the_form(
    shared_office: Office, fields: dict[str, str], files: Any, fault: str
) -> None:
    page = _sent(shared_office, fields, files=files)
    assert fault in page
    assert "newsdesk-upload-" not in page
