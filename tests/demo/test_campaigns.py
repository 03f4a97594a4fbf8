"""The demo's stage on campaigns: what it says of its workbook is true."""

from __future__ import annotations

from pathlib import Path

from newsdesk.campaigns import Store
from newsdesk.demo import campaigns


def test_the_workbook_of_an_annotator_who_has_answered_is_not_called_empty(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        campaigns.fill(store)
        done = {each.name: each.done for each in store.status("ranks").annotators}["ann"]
        sentence = campaigns._workbook_and_back(store, tmp_path / "ann.xlsx")
    assert done == 12
    assert "has 12 blinded rows, with the ranks that ann has given so far" in sentence
    assert "12 completely answered rows and 0 faults" in sentence
    assert "nobody" not in sentence
