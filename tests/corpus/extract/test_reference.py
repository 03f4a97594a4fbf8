"""The reference page: its example runs, and it names every field, source and kind of error."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import newsdesk as nd
from newsdesk.corpus.extract.dates import CONFIDENCE

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/extract.md").read_text("utf-8")


def test_the_example_of_the_reference_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "extract.md", "exec"), {})


def test_every_field_source_and_kind_is_documented() -> None:
    fields = [field.name for field in dataclasses.fields(nd.Extracted)]
    for name in (*fields, *CONFIDENCE, "empty", "binary", "too-large"):
        assert f"`{name}`" in PAGE, name
