"""The verbs of `newsdesk campaign`, with the help that the group shows without importing them."""

from __future__ import annotations

import importlib

import pytest

from newsdesk.cli.campaign import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_the_group_tells_each_verb_s_own_first_line(verb: str) -> None:
    module, text = VERBS[verb]
    command = getattr(importlib.import_module(f"newsdesk.cli.campaign.{module}"), f"{verb}_command")
    assert command.name == verb
    assert command.help.splitlines()[0] == text
