"""Accounts add up, or they are refused."""

from __future__ import annotations

import pytest

from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError, DataError


def test_counts_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(DataError, match="do not add up: read 3, kept 1, dropped 1"):
        StepTally("events", 3, 1, {"empty": 1})


def test_negative_counts_are_refused() -> None:
    with pytest.raises(DataError, match="below zero"):
        StepTally("events", 0, -1, {"empty": 1})


def test_accounts_count_what_is_kept_dropped_and_noted() -> None:
    accounts = Accounts("events")
    accounts.keep()
    accounts.keep(2)
    accounts.drop("no text", 2)
    accounts.drop("empty")
    accounts.drop("never", 0)
    accounts.note("without source")
    assert accounts.tally() == StepTally(
        "events", 6, 3, {"empty": 1, "no text": 2}, {"without source": 1}
    )


def test_tallies_of_one_step_are_added_by_reason() -> None:
    left = StepTally("events", 2, 1, {"empty": 1}, {"without source": 1})
    right = StepTally("events", 3, 1, {"empty": 1, "no text": 1})
    both = left + right
    assert both.as_json() == {
        "step": "events",
        "read": 5,
        "kept": 2,
        "dropped": {"empty": 2, "no text": 1},
        "notes": {"without source": 1},
    }


def test_tallies_of_different_steps_are_not_added() -> None:
    with pytest.raises(ArgumentError, match="'dedup'"):
        StepTally("events", 0, 0, {}) + StepTally("dedup", 0, 0, {})
