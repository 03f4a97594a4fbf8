"""Summaries as readers see them: never empty, cleaned on request, and what is new in a story."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.expected_rouge import updates
from newsdesk.summarizers.outputs import cleaned, displayed, outputs_of, without_stray_quotes
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import cluster_of, real_clusters

LONG = "The mayor of the flooded river town said that twenty seven boats had come to the rescue of people."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("PORT EDEN (Reuters) - The ferry sank.", "The ferry sank."),
        ("PORT EDEN, New Wales — The ferry sank.", "The ferry sank."),
        ("Port Eden: The ferry sank.", "The ferry sank."),
        ("(CNN) The ferry sank.", "The ferry sank."),
        ("The ferry sank, the pilot said (AP).", "The ferry sank, the pilot said."),
        ('They want change," he said.', "They want change, he said."),
        ("He said: “They want change.", "He said: They want change."),
        ('"Go," he said. "Now.', '"Go," he said. Now.'),
        ("• The ferry sank.", "The ferry sank."),
        ("The ferry “Anna” sank.", "The ferry “Anna” sank."),
        ("iPhone sales rose.", "iPhone sales rose."),
    ],
)
def test_a_sentence_is_cleaned_for_display(text: str, shown: str) -> None:
    assert cleaned(text, first=True) == shown


def test_the_trace_keeps_the_sentence_as_it_stands_beside_what_is_shown() -> None:
    text = "PORT EDEN (Reuters) - The ferry line of the old town cut its fares by a tenth."
    ((output, summary),) = outputs_of(summarizer("lead"), [cluster_of(text)], clean=True)
    assert output.text == "The ferry line of the old town cut its fares by a tenth."
    assert summary.sentences[0].text == text
    assert [(each.sentence.text, each.shown) for each in summary.trace] == [(text, output.text)]
    ((output, summary),) = outputs_of(summarizer("lead"), [cluster_of(text)])
    assert (output.text, summary.trace[0].shown) == (text, "")


def test_chronological_order_is_kept_when_cleaned() -> None:
    method = summarizer("centroid", max_words=80, order="chronological")
    for cluster in samples.clusters()[:3]:
        ((output, summary),) = outputs_of(method, [cluster], clean=True)
        at = [output.text.find(cleaned(each.text, first=True)) for each in summary.sentences]
        assert at == sorted(at)


@pytest.mark.parametrize("name", ["lead", "centroid", "expected-rouge", "submodular+abs"])
def test_where_no_sentence_fits_the_shortest_is_shown_and_marked(name: str) -> None:
    cluster = cluster_of(f"{LONG} And so on.", LONG.replace("boats", "boats and rafts"))
    method = summarizer(name, max_words=5)
    assert method.summarize(cluster).text == ""
    ((output, summary),) = outputs_of(method, [cluster])
    assert output.text == LONG
    assert summary.trace[0].outcome == "fallback"
    assert summary.trace[0].taken
    assert "no sentence fits; this one has 19 words" in summary.trace[0].detail


def test_a_cluster_of_short_sentences_or_titles_alone_has_a_summary_too() -> None:
    short = cluster_of("Fire. The bridge is closed. Run!")
    ((output, _),) = outputs_of(summarizer("centroid"), [short])
    assert output.text == "The bridge is closed."
    title = Cluster("t", (ClusterArticle("t/1", "", "Bridge closed"),))
    ((output, summary),) = outputs_of(summarizer("centroid"), [title])
    assert (output.text, summary.sentences[0].position) == ("Bridge closed", -1)
    ((output, _),) = outputs_of(summarizer("centroid"), [cluster_of("*** --- ***")])
    assert output.text == ""


def test_without_stray_quotes_every_mark_has_its_partner() -> None:
    for text in ('"a" b" c', 'a" "b c"', "“a “b” c", "a” b “c”", '"', 'He said "go'):
        clean = without_stray_quotes(text)
        assert clean.count('"') % 2 == 0
        assert clean.count("“") == clean.count("”")


def test_no_real_summary_is_empty_and_none_that_is_clean_has_a_dateline_or_a_stray_mark(
    shared_data: Path,
) -> None:
    dateline = re.compile(
        r"^[A-Z][A-Z .,'-]{3,}(?:\([A-Z]\w+\) ?)?[—–-]+ |\((?:AP|Reuters|AFP|CNN)\)"
    )
    for cluster in real_clusters(shared_data, every=12):
        for name in ("expected-rouge", "lead"):
            prepared = prepare(cluster)
            plain = summarizer(name).summarize(prepared)
            summary = displayed(plain, prepared, min_tokens=7, clean=True)
            assert summary.text
            assert summary.text.count('"') % 2 == 0
            assert summary.text.count("“") == summary.text.count("”")
            for each in (each for each in summary.trace if each.taken):
                assert not dateline.search(each.text), each.text


def story(day: str, text: str) -> Cluster:
    article = ClusterArticle(f"{day}/1", text, date=day)
    return Cluster(day, (article,), date=day, story=("Flood of Eden",))


FIRST = "A flood closed the harbour bridge of Port Eden and cut off the old town."
NEW = "Engineers pumped the water out and opened the bridge to ambulances again."


def test_an_update_leaves_out_what_an_earlier_day_said() -> None:
    earlier = story("2031-03-04", FIRST)
    later = story("2031-03-05", f"{FIRST}\n\n{NEW}")
    other = Cluster("x", later.articles, date="2031-03-05")
    method = summarizer("expected-rouge", max_words=20)
    outputs = {
        output.id: (output.text, summary)
        for output, summary in outputs_of(method, [earlier, later, other], since="2031-03-04")
    }
    assert outputs["2031-03-05"][0] == NEW
    assert "|known:" in outputs["2031-03-05"][1].signature
    assert outputs["x"][0] == method.summarize(other).text == FIRST
    assert set(outputs) == {"2031-03-05", "x"}


def test_a_sentence_that_an_earlier_article_printed_is_not_new() -> None:
    more = "Schools of the northern districts will remain closed until Friday."
    earlier = story("2031-03-04", f"{FIRST}\n\n{more}")
    later = story("2031-03-05", f"{more}\n\n{NEW}")
    method = summarizer("expected-rouge", max_words=15)
    assert more not in method.summarize(earlier).text
    ((output, _),) = outputs_of(method, [earlier, later], since="2031-03-04")
    assert output.text == NEW


def test_an_update_with_nothing_new_is_empty_and_says_why() -> None:
    earlier, later = story("2031-03-04", FIRST), story("2031-03-05", FIRST)
    method = summarizer("expected-rouge", max_words=20)
    ((output, summary),) = outputs_of(method, [earlier, later], since="2031-03-04")
    assert output.text == ""
    assert {each.outcome for each in summary.trace} == {"redundant"}


def test_what_cannot_be_an_update_is_refused() -> None:
    with pytest.raises(ArgumentError, match="needs the method expected-rouge, not lead"):
        list(updates(summarizer("lead"), [], "2031-03-04"))
    with pytest.raises(ArgumentError, match="'yesterday', not a day"):
        list(updates(summarizer("expected-rouge"), [], "yesterday"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Ferry sinks off Port Eden PORT EDEN (AP) — A ferry sank on Monday.",
            "A ferry sank on Monday.",
        ),
        ("By Ann Smith LONDON (Reuters) - The pound fell.", "The pound fell."),
        ("(0:47) NEW YORK -- Could there be a better match?", "Could there be a better match?"),
        (
            "Talks between Russia and the USA - The first since 2010 - failed.",
            "Talks between Russia and the USA - The first since 2010 - failed.",
        ),
    ],
)
def test_what_is_glued_before_a_dateline_goes_with_it(text: str, shown: str) -> None:
    assert cleaned(text, first=True) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("NAIROBI: The president said so.", "The president said so."),
        ("AUGUSTA, Ga. (WRDW/WAGT) – Multiple inquiries begin.", "Multiple inquiries begin."),
        ("WOODLAND HILLS >> Detectives are here.", "Detectives are here."),
        ("CORNISH: Can the government do it?", "CORNISH: Can the government do it?"),
        ("Those who wear hoods are the enemies.’", "Those who wear hoods are the enemies."),
        ("‘I might go down as the butcher.", "I might go down as the butcher."),
        ("Wouldn’t be prudent.’”", "Wouldn’t be prudent."),
        ("It was a joke,' they said.", "It was a joke, they said."),
        (
            "The owner of Poundtown''s shop said ''no.''",
            'The owner of Poundtown\'s shop said "no."',
        ),
        ("The boys' father said 'no'.", "The boys' father said 'no'."),
    ],
)
def test_datelines_behind_the_first_sentence_and_single_marks_are_cleaned_too(
    text: str, shown: str
) -> None:
    assert cleaned(text) == shown


@pytest.mark.parametrize("text", ["PML-N leader Ann Lee left.", "KELT-9b is a planet."])
def test_a_name_with_a_hyphen_is_no_dateline(text: str) -> None:
    assert cleaned(text, first=True) == text


def test_a_place_with_its_country_and_an_agency_goes_as_a_whole() -> None:
    text = "London (United Kingdom) (AFP) - The watchdog spoke."
    assert cleaned(text, first=True) == "The watchdog spoke."
