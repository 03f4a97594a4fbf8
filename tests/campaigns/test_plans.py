"""Plans of campaigns: what a form or a TOML file may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.campaigns import Store
from newsdesk.campaigns.plans import CampaignPlan, create_campaign, read_plan
from newsdesk.campaigns.protocols import form_path
from newsdesk.errors import ArgumentError, DataError

TEXT = 'name = "p"\nprotocol = "grade"\nannotators = ["ann", "ben"]\n'


def test_a_plan_creates_its_campaign(tmp_path: Path) -> None:
    records.write(tmp_path / "t.jsonl", samples.threads("en")[:1])
    plan = read_plan(TEXT + 'per_item = 1\nseed = 5\n[files]\nthreads = "t.jsonl"\n', "plan.toml")
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        campaign, reasons = create_campaign(store, plan, lambda name: tmp_path / name)
        assert (campaign.seed, campaign.per_item, reasons) == (5, 1, [])
        assert store.status("p").tasks == len(samples.threads("en")[0].comments)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("per_items = 2", "did you mean"),
        ('per_item = "two"', "whole number"),
        ("per_item = 0", "per_item"),
        ("in_order = 1", "true or false"),
        ('[files]\nthread = "t"', "no kind of file"),
        ('[files]\nthreads = ["a", "b"]', "one file of threads"),
        ("[files]\nthreads = 5", "plan.toml"),
        ("=", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said_with_its_file(more: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as error:
        read_plan(TEXT + more, "plan.toml")
    assert str(error.value).startswith("plan.toml: ")


def test_a_plan_without_a_name_is_refused() -> None:
    with pytest.raises(DataError, match="`name` is missing"):
        read_plan('protocol = "grade"', "plan.toml")


def test_a_plan_holds_a_form_of_its_own_and_names_no_file_of_the_machine() -> None:
    own = form_path("grade").read_text("utf-8").replace('name = "grade"', 'name = "mine"', 1)
    assert CampaignPlan(name="p", protocol=own, annotators=None).form.name == "mine"
    with pytest.raises(ArgumentError, match="not its file"):
        _ = CampaignPlan(name="p", protocol="/tmp/form.toml", annotators=None).form
    asked = CampaignPlan(name="p", protocol="rank", annotators=None, questions=("overall",)).form
    assert [question.name for question in asked.questions] == ["overall"]
