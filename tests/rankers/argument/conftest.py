"""Fitted once for all tests of the ranker `argument`: on nine articles of the sample, from the ready model and from nothing."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.rankers.argument.model import Argument


@pytest.fixture(scope="session")
def model() -> Argument:
    return Argument().fit(samples.threads()[:9])


@pytest.fixture(scope="session")
def from_nothing() -> Argument:
    return Argument(vectors="none", padding=False, prior="none").fit(samples.threads()[:9])
