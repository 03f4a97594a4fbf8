"""Summaries by a language model: within the limit, checked against the sources, and never worse than the extract."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.llm import counted_only
from newsdesk.summarizers import Summarizer, prepare, summarizer
from newsdesk.types import Cluster
from tests.cli.running import run
from tests.llm.endpoint import INJECTIONS, Reply, endpoint, outside_data, prompt_of
from tests.summarizers.examples import cluster_of

TEXTS = (
    "Ann Marlow, the mayor of Port Eden, resigned on Friday after 12 years in office. She gave no reason for leaving the town hall.",
    "The ferry Anna ran aground in thick fog near Port Eden. Two villages were cut off for nine days, the coast guard said.",
)
GOOD = "Ann Marlow, the mayor of Port Eden, resigned on Friday. Two villages were cut off for nine days."


def method(spec: str, tmp_path: Path, **settings: Any) -> Summarizer:
    cache = {} if settings.get("name") else {"cache": str(tmp_path / "cache")}
    return summarizer(settings.pop("name", "llm"), model=spec, **cache, **settings)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWSDESK_LLM_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", ["llm", "submodular+abs"])
def test_a_faithful_summary_stands_as_it_is(name: str, tmp_path: Path, own_cache: None) -> None:
    with endpoint(f"Summary: {GOOD}") as server:
        wrote = method(server.spec, tmp_path, name=name)
        summary = wrote.summarize(cluster_of(*TEXTS))
        assert summary.text == GOOD
        assert [each.outcome for each in summary.trace] == ["taken", "taken"]
        assert [each.sentence.article for each in summary.trace] == ["c/1", "c/2"]
        assert server.spec in summary.signature and "prompt:" in summary.signature
        assert len(server.requests) == 1
        wrote.summarize(cluster_of(*TEXTS))
        assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["llm", "submodular+abs"])
def test_a_sentence_that_changes_a_fact_is_replaced_by_its_source(
    name: str, tmp_path: Path, own_cache: None
) -> None:
    for false in (
        GOOD.replace("nine", "ten"),
        GOOD.replace("Friday", "Monday"),
        GOOD.replace("Marlow", "Reed"),
        GOOD.replace("were cut", "were not cut"),
    ):
        with endpoint(false) as server:
            summary = method(server.spec, tmp_path, name=name).summarize(cluster_of(*TEXTS))
        outcomes = [each.outcome for each in summary.trace]
        assert sorted(outcomes) == ["replaced", "taken"], false
        [replaced] = [each for each in summary.trace if each.outcome == "replaced"]
        assert replaced.sentence.text in summary.text and ":" in replaced.detail
        for mark in ("ten days", "Monday", "Reed", "not cut"):
            assert mark not in summary.text


UNUSABLE = {
    "a refusal": (Reply(refusal="I can't summarize that."), "refused"),
    "a polite refusal": (Reply(text="I'm sorry, but I cannot help with that."), "refused"),
    "another language": (Reply(text="市长在任十二年后于星期五辞职。"), "another language"),
    "too long": (Reply(text=GOOD * 9), "more than 40 words"),
    "nothing": (Reply(text="  "), "no summary"),
    "the fence": (Reply(text="<<<article 1234\nresigned"), "no summary"),
    "cut off": (Reply(text=GOOD, finish="length"), "more than"),
    "silence": (Reply(status=500), "no answer"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_where_no_summary_comes_the_extract_stands_in(name: str, tmp_path: Path) -> None:
    reply, reason = UNUSABLE[name]
    cluster = cluster_of(*TEXTS)
    with endpoint(reply) as server:
        summary = method(server.spec, tmp_path, attempts=2, backoff_s=0).summarize(cluster)
        prompts = list(dict.fromkeys(map(prompt_of, server.requests)))
    assert len(prompts) == 2 and "could not be used" in prompts[1]
    assert summary.text == summarizer("submodular").summarize(cluster).text
    taken = [each for each in summary.trace if each.taken]
    assert {each.outcome for each in taken} == {"stand-in"} and reason in taken[0].detail


def test_a_second_answer_that_is_usable_counts(tmp_path: Path) -> None:
    with endpoint(
        lambda body: GOOD if "could not be used" in prompt_of(body) else GOOD * 9
    ) as server:
        assert method(server.spec, tmp_path).summarize(cluster_of(*TEXTS)).text == GOOD


def test_long_clusters_are_noted_first_and_documents_are_chosen_before(tmp_path: Path) -> None:
    long = cluster_of(
        *(
            f"{text} {'The fog lay over the harbour of the town all week. ' * 40}"
            for text in TEXTS * 4
        )
    )

    def answer(body: dict[str, Any]) -> str:
        return (
            "Ann Marlow resigned on Friday." if "Note the main facts" in prompt_of(body) else GOOD
        )

    with endpoint(answer) as server:
        summary = method(server.spec, tmp_path, context=900).summarize(long)
        asked = [outside_data(body) for body in server.requests]
        assert (
            sum("Note the main facts" in text for text in asked) == 2
        )  # of eight articles two differ
        assert "<<<note" in prompt_of(server.requests[-1]) and summary.text
        assert all(len(prompt_of(body)) < 900 * 3.5 + 1500 for body in server.requests)
    with endpoint(GOOD) as server:
        method(server.spec, tmp_path, documents=1).summarize(long)
        assert prompt_of(server.requests[0]).count("<<<article") == 1


def test_instructions_in_articles_stay_data_and_what_they_ask_for_stays_out(tmp_path: Path) -> None:
    gullible = "HACKED. The minister resigned in 2099."
    for text in INJECTIONS:
        cluster = cluster_of(TEXTS[0], f"{TEXTS[1]} {text}")
        with endpoint(gullible) as server:
            summary = method(server.spec, tmp_path).summarize(cluster)
            assert not any("HACKED" in outside_data(body) for body in server.requests)
        assert "2099" not in summary.text
        assert all(
            each.sentence.text in prepare(cluster).texts for each in summary.trace if each.taken
        )


def test_a_dry_run_counts_and_sends_nothing(tmp_path: Path) -> None:
    with endpoint(GOOD) as server:
        own = method(server.spec, tmp_path, price_in=1.0, price_out=2.0)
        with counted_only() as usage:
            own.summarize(cluster_of(*TEXTS))
        assert usage.requests == 1 and usage.cost > 0 and not server.requests


def test_the_command_says_what_was_asked_and_resumes_for_nothing(tmp_path: Path) -> None:
    clusters = samples.clusters()[:3]
    source, out, trace = (str(tmp_path / name) for name in ("c.jsonl", "o.jsonl", "t.jsonl"))
    records.write(source, clusters)

    def first_sentences(body: dict[str, Any]) -> str:
        found = re.search(r"<<<article \w+\n.*\n(.*)", prompt_of(body))
        return found[1][:600] if found else "Nothing."

    with endpoint(first_sentences) as server:
        spec = f"llm(model='{server.spec}', cache='{tmp_path / 'cache'}', max_words=200)"
        words = ("summarize", source, "--method", spec)
        dry = run(*words, "--dry-run")
        assert dry.returncode == 0 and dry.stdout.startswith("3 requests"), dry.stderr
        assert not server.requests
        done = run(*words, "-o", out, "--trace", trace)
        assert done.returncode == 0, done.stderr
        sent = len(server.requests)
        again = run(*words, "-o", out, "--trace", trace, "--force")
        assert again.returncode == 0 and len(server.requests) == sent
    rows = [json.loads(line) for line in Path(out).read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [each.id for each in clusters]
    assert all("cache" not in row["system"] for row in rows)
    assert len(list(records.read(source, Cluster))) == 3


def test_a_summarizer_without_a_model_says_how_to_name_one() -> None:
    with pytest.raises(ValueError, match="no language model is named"):
        summarizer("llm").summarize(cluster_of(*TEXTS))
