"""Real rankings for the tests of statistics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def corrections(shared_data: Path) -> list[dict[str, Any]]:
    """Rankings of corrections of learners' sentences, each by one annotator."""
    lines = (shared_data / "gec_ranking" / "rankings.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
