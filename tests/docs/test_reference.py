"""The reference knows the code: links and anchors hold, and every setting, route, format and field of a signature is on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import newsdesk as nd
from docs import generate, site
from newsdesk.errors import NewsdeskError
from newsdesk.records import KINDS
from newsdesk.registry import TABLES

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_every_link_and_anchor_of_a_page_leads_somewhere() -> None:
    assert list(site.faults()) == []


def test_a_broken_link_and_a_missing_anchor_are_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = "# Here\n\n[a](gone.md) [b](#there) [c](#here)\n\n```\n[d](in-a-fence.md)\n```\n"
    (tmp_path / "docs" / "here.md").write_text(page)
    assert list(site.faults(tmp_path)) == [
        "docs/here.md: there is no gone.md",
        "docs/here.md: no heading makes the anchor of #there",
    ]


@pytest.mark.parametrize("path", list(generate.pages()), ids=lambda path: path.name)
def test_what_a_page_takes_from_the_code_is_as_the_code_says(path: Path) -> None:
    assert path.read_text("utf-8") == generate.pages()[path], "run python -m docs.generate"


def test_every_field_of_a_metrics_signature_is_explained() -> None:
    page = (REFERENCE / "signatures.md").read_text("utf-8")
    explained = set(re.findall(r"(?m)^\| `([\w-]+)` \|", page))
    used = set()
    for name in TABLES["metrics"]:
        for profile in ("", "(profile='coco')", "(profile='sacrebleu')", "(profile='perl')"):
            try:
                score = nd.metric(name + profile).corpus(["a cat"], [["a cat sat"]], lang="en")
            except NewsdeskError:
                continue  # the metric has no such profile
            used |= {field.partition(":")[0] for field in score.signature.split("|")[1:]}
    assert used == explained


def test_every_format_is_on_the_page_of_files() -> None:
    page = (REFERENCE / "files.md").read_text("utf-8")
    for name, kind in KINDS.items():
        (row,) = re.findall(rf"(?m)^\| `{name}` \|.*$", page)
        for key in kind.__dataclass_fields__:
            assert f'"{key}"' in row or f"`{key}`" in row or "article +" in row or name == "control"
