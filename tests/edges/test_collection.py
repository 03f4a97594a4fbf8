"""No folder of tests is passed over: pytest does not enter folders of certain names, such as `build`, unless it is told to."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def test_every_folder_of_tests_is_entered(request: pytest.FixtureRequest) -> None:
    avoided = request.config.getini("norecursedirs")
    folders = {path.parent for path in TESTS.rglob("test_*.py")}
    names = {part for folder in folders for part in folder.relative_to(TESTS).parts}
    assert "build" in names
    assert [name for name in sorted(names) if any(fnmatch(name, each) for each in avoided)] == []
