"""Which sentences can stand alone: every fault met in real articles is an example here."""

from __future__ import annotations

import pytest

from newsdesk.summarizers import summarizer
from newsdesk.summarizers.readable import (
    balanced,
    fault,
    faults_in_article,
    inside_quotation,
)
from tests.summarizers.examples import cluster_of

GOOD = (
    "The mayor of the flooded town asked for help.",
    '"We need boats," the mayor said.',
    "He called it “a symbol of the town.”",
    "iPhone sales rose by a tenth in the spring quarter.",
    "The probe measures 6' 3\" across, the agency said.",
    "U.S. officials met their counterparts in Geneva (Switzerland).",
    "市长说：“洪水已经淹没了三条街道。”",
    "市長は「洪水が三つの通りを飲み込んだ」と述べた。",
)
BAD = (
    ("internationally known for its beaches.", "fragment: begins in lower case"),
    ("Three killed after gunshots fired from SUV", "fragment: no final mark"),
    ("The deputy chief has ordered the military to...", "fragment: trails off"),
    ("SHE SAYS IT IS ALL BECAUSE SHE IS A VEGAN.", "fragment: all in capitals"),
    ("Well, There’s An App For That!", "fragment: a headline"),
    ("Smith in action against Lee on Wednesday.", "fragment: no verb"),
    ("September 2016 at the direction of the agency.", "fragment: no verb"),
    ("The committee?s oversight activities continue.", "fragment: damaged characters"),
    ("'It was not a real gun.", "orphan quote"),
    ("It was just a stupid joke,' they were reported to have said.", "orphan quote"),
    ("‘We are here for good.’", "orphan quote: nobody speaks"),
    ("(Ken Loach was also invited.)", "fragment: a parenthesis"),
    ('"On pay, the reactions are very strong.', "orphan quote"),
    ('They are seeking change," he said.', "orphan quote"),
    ("“This is about self-defense, plain and simple.”", "orphan quote: nobody speaks"),
    ("「洪水が三つの通りを飲み込んだ。」", "orphan quote: nobody speaks"),
    ("Dow Jones Reprints: This copy is for your personal use only.", "page furniture"),
    ("Hide Caption 7 of 15 A woman is comforted after the shooting.", "page furniture"),
    (
        "Protesters hold up flowers in Manama, Bahrain, Saturday, Feb. 19, 2011.",
        "page furniture: a caption",
    ),
)


@pytest.mark.parametrize("text", GOOD)
def test_a_whole_sentence_has_no_fault(text: str) -> None:
    assert fault(text, latin=text.isascii() or "“a" in text) == ""


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_cannot_stand_alone_is_named(text: str, reason: str) -> None:
    assert fault(text).startswith(reason)


def test_sentences_between_quotation_marks_of_others_are_inside() -> None:
    curly = ["She wrote: “Think.", "Why do I care?", "Wear what you want.”", "The post spread."]
    assert inside_quotation(curly) == [False, True, False, False]


def test_every_paragraph_of_a_long_quotation_begins_with_a_mark() -> None:
    curly = ["She said: “It was night.", "I slept.", "“I woke.", "It rained.”", "She left."]
    assert inside_quotation(curly) == [False, True, False, False, False]
    straight = ['"These were hard days.', "We stay.", '"We go on," he said.', "He left."]
    assert inside_quotation(straight) == [False, True, False, False]
    single = ["'It was a joke.", "Nobody was hurt.", "It is over,' they said.", "They left."]
    assert inside_quotation(single) == [False, True, False, False]


def test_the_rest_of_a_line_that_broke_off_is_a_fragment() -> None:
    texts = ["The court heard Ann Page, a", "citizen who lives there.", "She left."]
    assert faults_in_article(texts) == ["", "fragment: the rest of a line that broke off", ""]


def test_a_mark_that_is_never_closed_does_not_silence_the_article() -> None:
    texts = ['He said: "Go.', *["Nobody knows why."] * 20, 'It was a "test" of pumps.']
    assert not any(inside_quotation(texts))


def test_inches_are_no_quotation() -> None:
    assert balanced('A 12" pipe burst.')
    assert not balanced('A "pipe burst.')


def test_unreadable_sentences_are_left_out_with_their_reason() -> None:
    good = "The flood destroyed the old bridge of the harbour town."
    bad = "flood destroyed the old bridge of the harbour town and the mayor"
    cluster = cluster_of(f"{bad}\n\n{good}")
    summary = summarizer("expected-rouge").summarize(cluster)
    assert summary.text == good
    (left_out,) = (each for each in summary.trace if each.outcome == "unreadable")
    assert left_out.detail == "fragment: no final mark"


def test_where_nothing_is_readable_the_best_is_taken_all_the_same() -> None:
    text = "flood destroyed the old bridge of the harbour town and the mayor"
    assert summarizer("expected-rouge").summarize(cluster_of(text)).text == text
