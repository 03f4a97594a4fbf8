"""One small world, written once for all tests that only read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import simulate

EVENTS, COMMENTS, SEED = 120, 5000, 7


@pytest.fixture(scope="session")
def world() -> simulate.World:
    return simulate.world(seed=SEED, events=EVENTS, comments=COMMENTS)


@pytest.fixture(scope="session")
def folder(world: simulate.World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("simulate") / "world"
    simulate.write_world(world, path)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
