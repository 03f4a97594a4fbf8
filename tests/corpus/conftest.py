"""What several folders of corpus tests share."""

from __future__ import annotations

import pytest

from tests.corpus.build.built import Newsroom, build_newsroom


@pytest.fixture(scope="session")
def newsroom(tmp_path_factory: pytest.TempPathFactory) -> Newsroom:
    return build_newsroom(tmp_path_factory.mktemp("newsroom"))
