"""The faults of the released WCEP code, each of which must not be ours. Numbers are those of the project's list of them."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.summarizers import evaluate, evaluate_outputs, prepare, summarizer
from newsdesk.types import Cluster, ClusterArticle, Output, Reference, References
from tests.summarizers.examples import EXTRACTIVE, cluster_of, ready

STORM = "The storm hit the old harbour town early on Monday morning."
FLOOD = "A flood then covered its market square with mud and water."
LATE = "Nobody had expected so much rain so late in that year."


def test_1_the_evaluation_lower_cases_and_loses_no_capital() -> None:
    references = [References("a", (Reference("emperor akihito abdicates"),))]
    found = evaluate_outputs([Output("a", "s", "Emperor Akihito ABDICATES")], references, samples=9)
    assert {name: score.value for name, score in found["s"].scores.items()} == dict.fromkeys(
        ("R1-F", "R2-F", "RL-F", "R1-R", "R2-R", "RL-R"), 1.0
    )


def test_2_an_oracle_forced_to_a_length_keeps_its_longest_summary() -> None:
    cluster = cluster_of("\n\n".join([STORM, FLOOD, LATE]), summary=STORM)
    stopping = summarizer("oracle-multi").summarize(cluster)
    assert stopping.text == STORM
    forced = summarizer("oracle-multi", max_words=25, early_stopping=False).summarize(cluster)
    assert len(forced.sentences) == 2
    assert forced.sentences[0].text == STORM
    every = summarizer("oracle-single", max_words=40, early_stopping=False).summarize(cluster)
    assert len(every.sentences) == 3


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_3_titles_are_used_when_asked_for_and_only_then(name: str) -> None:
    title = "Storm and flood hit harbour town, dozens of boats lost"
    article = ClusterArticle("a", STORM, title=title)
    cluster = Cluster("c", (article,), summary=f"{title} {STORM}")
    without = ready(name).summarize(cluster)
    assert [each.position for each in without.sentences] == [0]
    # It ends before the limit where more would lower the F it expects, unless long summaries are expected; and a title that repeats its lead is a near-repeat.
    ours = {"summary_share": 3.0, "readable": False}
    settings = ours if name == "expected-rouge" else {}
    used = ready(name, titles=True, **settings).summarize(prepare(cluster))
    assert sorted((each.position, each.text) for each in used.sentences) == [
        (-1, title),
        (0, STORM),
    ]


def test_3_titles_change_the_vectors() -> None:
    cluster = samples.clusters()[0]
    plain, titled = prepare(cluster), prepare(cluster, titles=True)
    assert titled.vectors.shape[0] == plain.vectors.shape[0] + len(cluster.articles)


def test_4_an_abbreviation_ends_no_sentence() -> None:
    text = "The U.S.A. sent three ships to help the harbour town on Tuesday."
    prepared = prepare(cluster_of(text))
    assert prepared.texts == [text]


def test_5_the_oracle_compares_in_lower_case() -> None:
    shouted = STORM.upper().replace("MORNING.", "Morning.")
    cluster = cluster_of(f"{LATE}\n\n{shouted}", summary=STORM.lower())
    assert summarizer("oracle-multi").summarize(cluster).text == shouted


@pytest.mark.parametrize("name", ["oracle-multi", "oracle-single", "oracle-lead"])
def test_5_oracles_keep_the_least_sentence_length(name: str) -> None:
    cluster = cluster_of(f"A storm hit.\n\n{LATE}", summary="A storm hit.")
    assert ready(name).summarize(cluster).text == LATE
    assert ready(name, min_tokens=1, max_words=3).summarize(cluster).text == "A storm hit."


def test_5_the_summary_limit_does_not_bind_the_greedy_oracles() -> None:
    cluster = cluster_of("\n\n".join([STORM, FLOOD, LATE]), summary=" ".join([STORM, FLOOD, LATE]))
    for name in ("oracle-multi", "oracle-single"):
        assert len(ready(name, max_words=12).summarize(cluster).sentences) == 3
    assert len(summarizer("oracle-lead", max_words=12).summarize(cluster).sentences) == 1


def test_6_the_groups_of_submodular_are_seeded() -> None:
    method = summarizer("submodular")
    for cluster in samples.clusters()[:3]:
        assert method.summarize(cluster) == method.summarize(cluster)


@pytest.mark.parametrize("name", EXTRACTIVE)
def test_7_nothing_to_choose_from_is_an_empty_summary(name: str) -> None:
    method = ready(name)
    long = " ".join(["word"] * 60) + "."
    assert method.summarize(Cluster("c", (), summary="x")).text == ""
    assert method.summarize(cluster_of("", summary="x")).text == ""
    assert method.summarize(cluster_of("It is. He was. They were.", summary="x")).text == ""
    bound = name not in ("oracle-multi", "oracle-single")
    assert method.summarize(cluster_of(long, summary="x")).text == ("" if bound else long)


def test_8_seven_tokens_are_the_least_and_there_is_no_most() -> None:
    seven, six = "One two three four five six.", "One two three four five."
    long = " ".join(f"w{n}" for n in range(70)) + "."
    method = summarizer("centroid", max_words=100)
    assert method.min_tokens == 7
    chosen = method.summarize(cluster_of("\n\n".join([six, seven, long]))).text
    assert seven in chosen
    assert six not in chosen
    assert long in chosen


def test_the_evaluation_of_a_whole_file_is_by_id_and_not_by_line() -> None:
    clusters = samples.clusters()
    forward = evaluate(clusters, ["lead"], samples=9)
    backward = evaluate(clusters[::-1], ["lead"], samples=9)
    assert backward.ids == forward.ids[::-1]
    assert backward["lead"].scores["R1-F"].value == pytest.approx(
        forward["lead"].scores["R1-F"].value
    )
