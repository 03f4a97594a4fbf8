"""Shortening by deletion: what each rule deletes, every bad case that was met when shortened sentences were read, and the checker.

The sentences are our own, built like the real ones that were read; research/results/shortening.md lists those by id.
"""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from newsdesk import samples
from newsdesk.summarizers import prepare, summarizer
from newsdesk.summarizers.shortening import quoted_spans, refusal, shorten
from newsdesk.text import sentences, tokenizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers.examples import cluster_of

SHORTENED = (
    (
        "dateline",
        "PORT EDEN (Reuters) - The ferry line cut its fares by a tenth.",
        "The ferry line cut its fares by a tenth.",
    ),
    (
        "dateline",
        "Port Eden, New Wales (AFP) The ferry line cut its fares by a tenth.",
        "The ferry line cut its fares by a tenth.",
    ),
    (
        "weekday",
        "The council on Tuesday voted to close the old bridge.",
        "The council voted to close the old bridge.",
    ),
    (
        "weekday",
        "Early on Friday, a lorry killed two people in the volatile south-west.",
        "A lorry killed two people in the volatile south-west.",
    ),
    (
        "weekday",
        "The bridge will stay closed for a year, the mayor said Tuesday.",
        "The bridge will stay closed for a year, the mayor said.",
    ),
    (
        "weekday",
        "A tanker ran aground off Port Eden, in the north, on Tuesday, according to two pilots.",
        "A tanker ran aground off Port Eden, in the north, according to two pilots.",
    ),
    (
        "parenthesis",
        "The wall is 30 metres (98 feet) high and has no gate.",
        "The wall is 30 metres high and has no gate.",
    ),
    (
        "relative clause, middle",
        "Anna Hill, who has led the town since May, said the pumps had held all night.",
        "Anna Hill said the pumps had held all night.",
    ),
    (
        "relative clause, middle",
        "The first pilot, Tom Reed, 19, who left school in spring, was arrested as he ran.",
        "The first pilot, Tom Reed, 19, was arrested as he ran.",
    ),
    (
        "relative clause, middle",
        "Anna Hill, daughter of the late mayor Tom Hill, who died in a flood, is standing again.",
        "Anna Hill, daughter of the late mayor Tom Hill, is standing again.",
    ),
    (
        "including, middle",
        "Anna Hill, who left after disputes with Reed, including one over the dam, said she is well.",
        "Anna Hill, who left after disputes with Reed, said she is well.",
    ),
    (
        "aside",
        "The judges, however, upheld the rest of the plan for the old town.",
        "The judges upheld the rest of the plan for the old town.",
    ),
    (
        "relative clause, end",
        "The council met the engineers of the old dam, which was built in 1912.",
        "The council met the engineers of the old dam.",
    ),
    (
        "relative clause, end",
        "He would not hear the owner of the mill, Adam Fell Jr., whose fund is bankrupt.",
        "He would not hear the owner of the mill, Adam Fell Jr.",
    ),
    (
        "apposition",
        "Anna Hill, a former engineer at the dam, said the pumps had held all night.",
        "Anna Hill said the pumps had held all night.",
    ),
    (
        "including, end",
        "The flood of the spring damaged dozens of houses, including a school and two shops.",
        "The flood of the spring damaged dozens of houses.",
    ),
    (
        "participle, end",
        "The water rose to the windows of the school, trapping the cook inside.",
        "The water rose to the windows of the school.",
    ),
    (
        "dashes",
        "The fee — once two pounds — was the first thing to go.",
        "The fee was the first thing to go.",
    ),
    (
        "opener",
        "But the pumps of the old town held until the morning.",
        "The pumps of the old town held until the morning.",
    ),
    (
        "statement",
        "The pumps of the old town held, the water board said in a statement.",
        "The pumps of the old town held, the water board said.",
    ),
    (
        "also",
        "The mayor also asked for sand and for more pumps.",
        "The mayor asked for sand and for more pumps.",
    ),
    (
        "aside",
        "The town, however, was spared by the second flood of the year.",
        "The town was spared by the second flood of the year.",
    ),
    (
        "aside",
        "The mayor walks to work (unless, of course, it rains), and often has to say why.",
        "The mayor walks to work (unless it rains), and often has to say why.",
    ),
    (
        "aside",
        "The flood moves money away from the roads to, for example, the building of pumps, she says.",
        "The flood moves money away from the roads to the building of pumps, she says.",
    ),
    (
        "parenthesis",
        "Look for dark water mixed with sand, (sometimes with threads of oil), in the pipes.",
        "Look for dark water mixed with sand, (sometimes with threads of oil), in the pipes.",
    ),
)

# Each was once shortened into something false, clumsy or without a verb.
LEFT_ALONE = (
    "A climber fell to her death from a ridge above Port Eden, an inquest heard.",
    "Oil was found in the sand 600 miles from Port Eden, a new paper reports.",
    "It was only early on Friday that a lorry killed two people in the south-west.",
    "Stones hit forty people attending Sunday morning services in the old town, officials said.",
    "A blast shook the mall, killing three people, including a nurse, and injuring nine others.",
    "It brings wind to the Eden Isles, the Outer Cays and the Long Reef.",
    "The order, signed Friday, was needed to stop the flood.",
    "The board said it wants more pumps in a policy paper released Friday.",
    "The two ferry lines joined in a large deal announced Monday.",
    "The board is studying the water after ten people, including two cooks, fall ill.",
    "He wrote down his affairs and said he was, at times, sleeping in his van.",
    "They sell private lists — sometimes to thieves — in many towns.",
    "Not only is the moon full, the eclipse will also be seen from Port Eden.",
    "Leaders of the People's League (Nolan) said they would not vote.",
    "In a clash years back, a pupil was hurt outside the school, ran inside and fell.",
    "When she stayed at her desk, the guard put an arm around her, lifted her and left.",
    "The union gave the rebels money, training and air support for a year.",
    "The prize is to be announced Tuesday, followed by the one for poems.",
    "The reason was to give the new head of staff, General Tom Reed, a clean slate.",
    "As head of the Eden office—which looks after the north—he needed a plan.",
    "You can reach the line without giving a name by dialing (800) 222-4411.",
    "Votes are held on March 1, also called Super Tuesday, and he thanked the crowd.",
    "Samples were treated by acid–base–acid steps and their age was measured.",
    "A treaty lets Northland, the Outer Isles and thirty other states to fly short, unarmed flights.",
    "The minister, who along with Anna Hill, is responsible for the school, wrote on Monday.",
    "The family are (albeit indirectly) responsible for the fact that she is famous.",
    "Some early reviews for the new show were not particularly kind at all.",
    "There were fewer floods in northern countries such as Northland.",
    "“We have a mixture of nurses, and, of course, we are”, too, says Ann Rhoads of the old clinic.",
    "They began a strike, which saw nurses, teachers and students refuse to return to the old town.",
    "This includes water, street lighting, storage, improved pavements, trading shelters and toilets.",
    "The pumps, the mayor said, were never switched on that night.",
    "The pumps of the old town, which might fail at any time, were never replaced.",
)


@pytest.mark.parametrize(("rule", "source", "text"), SHORTENED)
def test_a_rule_deletes_a_modifier_and_nothing_else(rule: str, source: str, text: str) -> None:
    short = shorten(source, first=True)
    assert short.text == text
    assert short.source == source
    assert (rule in short.rules) == (text != source)


@pytest.mark.parametrize("source", LEFT_ALONE)
def test_what_would_turn_out_false_or_broken_is_left_alone(source: str) -> None:
    assert shorten(source, first=True).text == source


def test_a_headline_glued_to_the_first_sentence_goes_with_the_dateline() -> None:
    title = "Ferry line cuts fares again"
    source = f"{title} PORT EDEN (AP) — The ferry line cut its fares by a tenth."
    assert shorten(source, first=True, title=title).text.startswith("The ferry line cut")
    assert shorten(source, first=False, title=title).text == source


@pytest.mark.parametrize(
    "source",
    [
        'The mayor said: "The pumps (all of them) held on Monday, which was good."',
        '"I wanted to thank them (the crew), and also the cook, on Monday, she said.',
        "But he said the pumps (all of them) had saved him on Monday.”",
        "The mayor called it ‘a gift (of sorts), which also came on Monday’ and left the room.",
    ],
)
def test_no_text_inside_quotation_marks_is_changed(source: str) -> None:
    assert shorten(source).text == source


def test_quotations_are_found_even_if_one_mark_is_missing() -> None:
    assert quoted_spans('He said "go" and "stay') == [(8, 12), (17, 22)]
    assert quoted_spans('gone," he said.') == [(0, 6)]
    assert quoted_spans("the boats' crews and the town's boats") == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The mayor did resign in May.", 'it lacks "not" of its source'),
        ("The mayor did not resign in June.", "its words are not those"),
        ("The mayor did not resign in", "it lacks the final mark"),
        ("Mayor the did not resign in May.", "its words are not those"),
    ],
)
def test_the_checker_refuses_what_is_no_deletion(text: str, reason: str) -> None:
    assert refusal(text, "The mayor did not resign in May.").startswith(reason)


@pytest.mark.parametrize(
    ("text", "source", "reason"),
    [
        (
            "Anna said the pumps had held all night.",
            "Anna Hill said the pumps had held all night.",
            "it cuts the name",
        ),
        ("The pumps held.", "The pumps held, police said.", 'it lacks "said"'),
        ("The pumps will fail.", "The pumps may or will fail.", 'it lacks "may"'),
        ('He said "go".', 'He said "go now".', "a quotation was changed"),
    ],
)
def test_the_checker_guards_names_attributions_modals_and_quotations(
    text: str, source: str, reason: str
) -> None:
    assert refusal(text, source).startswith(reason)


WORDS = st.sampled_from(
    "The the mayor said not Monday on Tuesday , . ( ) who which was — including also a Anna Hill "
    "killed saying \" “ ” But may town's 27 ferry's reported , ,".split()
)


@given(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), st.booleans())
def test_whatever_comes_out_passes_the_checker(source: str, first: bool) -> None:
    short = shorten(source, first=first)
    if short.rules and not {"dateline", "headline"} & set(short.rules):
        assert refusal(short.text, source) == ""
    assert bool(short.rules) == (short.text != source)


def size(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in tokenizer("en").words(text))


def test_submodular_abs_takes_shortened_whole_sentences_with_their_sources() -> None:
    shorter = 0
    for cluster in samples.clusters():
        prepared = prepare(cluster)
        for limit in (25, 40, 150):
            summary = summarizer("submodular+abs", max_words=limit).summarize(prepared)
            assert 0 < size(summary.text) <= limit
            taken = [each for each in summary.trace if each.taken]
            assert summary.text == " ".join(each.text for each in taken)
            assert summary.sentences == tuple(each.sentence for each in taken)
            assert {each.sentence.text for each in taken} <= set(prepared.texts)
            shorter += sum(bool(each.shown) for each in taken)
            assert "|deletions:" in summary.signature
    assert shorter


def test_long_limits_are_filled() -> None:
    for cluster in samples.clusters()[:3]:
        text = summarizer("submodular+abs", max_words=200).summarize(cluster).text
        assert size(text) > 160


def test_a_sentence_inside_a_quotation_and_other_languages_stay_as_they_are() -> None:
    inner = "But the ferry line also cut its fares (by a tenth) in the old town."
    cluster = cluster_of(
        f'The mayor said: "Listen to me now, people of Eden.\n\n{inner}\n\nGo home."'
    )
    summary = summarizer("submodular+abs", max_words=100).summarize(cluster)
    assert inner in summary.text
    chinese = "市长昨天晚上在记者会上说，洪水（一场大洪水）已经淹没了老城区的三条街道。"
    cluster = Cluster("c", (ClusterArticle("a", chinese),))
    assert summarizer("submodular+abs").summarize(cluster).text == chinese


def test_what_a_network_writes_is_labelled_and_with_faithful_it_is_checked() -> None:
    for cluster in samples.clusters()[:4]:
        free = summarizer("submodular+abs(model='copier')").summarize(cluster)
        assert "|unchecked|" in free.signature
        method = summarizer("submodular+abs(model='copier', faithful=True)")
        summary = method.summarize(cluster)
        assert "|faithful|" in summary.signature
        assert size(summary.text) <= 40
        for each in (each for each in summary.trace if each.taken):
            assert refusal(each.text, each.sentence.text) == ""
        sources = {each.text for each in prepare_texts(cluster)}
        assert all(each.text in sources for each in summary.sentences)


def prepare_texts(cluster: Cluster) -> list:  # type: ignore[type-arg]
    prepared = prepare(cluster)
    return [prepared.sentence(number) for number in range(len(prepared))]


def test_every_shortened_sentence_of_the_sample_ends_as_its_source_does() -> None:
    for cluster in samples.clusters():
        for article in cluster.articles:
            for at, source in enumerate(sentences(article.text, "en")):
                text = shorten(source, first=at == 0, title=article.title or "").text
                assert text[-1:] == source.strip()[-1:]
