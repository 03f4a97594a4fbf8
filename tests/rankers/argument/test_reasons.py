"""Explanations: parts that sum to the score, with labels that fit the comment and the words that show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import columns
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.ranker import Explained, standings, write_reasons
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Article, Comment, Thread

LACKING = {"has less of what raises others here", "has less of what lowers others here"}
LABELS = {label for each in columns() for label in each.labels} | LACKING
ARTICLE = Article("a", "The old bridge will close in May. A ferry will carry cars for two years.")
LONG_WORDS = "Municipal authorities announced considerable infrastructure investments yesterday."
COMMENTS = (
    Comment("c1", "We should keep the ferry because, for example, 30 % of cars use it."),
    Comment("c2", "You idiots!!!"),
    Comment("c3", ""),
)


@pytest.fixture(scope="module")
def explained(model: Argument) -> list[Explained]:
    return everything(model, Thread(ARTICLE, COMMENTS))


def everything(model: Argument, thread: Thread) -> list[Explained]:
    """Explain with all that could be told, however small."""
    return model.explain(thread, most=50, least=0.0)


@pytest.mark.parametrize(
    ("name", "lang"), [("ready-en", "en"), ("ready-en-plain", "en"), ("ready-zh", "zh"), ("ready-ja", "ja")]
)  # fmt: skip
def test_the_parts_sum_to_the_score_of_every_comment_of_the_sample(name: str, lang: str) -> None:
    ready = cast(Argument, load_ready(name))
    for thread in samples.threads(lang):
        for each in ready.explain(thread):
            total = sum(reason.effect for reason in each.reasons)
            assert total == pytest.approx(each.score, abs=1e-6)


@pytest.mark.parametrize("most", [0, 1, 50])
def test_the_parts_sum_to_the_score_however_many_are_shown(model: Argument, most: int) -> None:
    thread = samples.threads()[10]
    explanations = model.explain(thread, most=most)
    sums = [sum(reason.effect for reason in each.reasons) for each in explanations]
    np.testing.assert_allclose(sums, model.scores(thread), atol=1e-6)
    for each in explanations:
        assert len(each.signs) <= most
        assert all(0.1 <= reason.share <= 1 for reason in each.signs if reason.part != "several")


def test_at_most_three_reasons_are_told_and_only_what_matters() -> None:
    ready = cast(Argument, load_ready("ready-en"))
    for thread in samples.threads("en"):
        explanations = ready.explain(thread)
        assert all(len(each.signs) <= 3 for each in explanations)
        told = [reason for each in explanations for reason in each.signs]
        shares = [reason.share for reason in told if reason.part != "several"]
        assert min(shares) >= 0.1
        assert max(sum(reason.share for reason in each.signs) for each in explanations) <= 1.001


def test_length_is_a_reason_like_any_other_with_its_size_and_share() -> None:
    ready = cast(Argument, load_ready("ready-en"))
    said = "We would like to know what it is that the town wants to do with all the money from the new tolls."
    texts = ("No.", said, "It is as it was before.")
    thread = Thread(ARTICLE, tuple(Comment(str(n), text) for n, text in enumerate(texts)))
    short, long = (each.signs[0] for each in ready.explain(thread)[:2])
    assert short.text == "short for this thread (1 word)"
    assert long.text == "long for this thread (22 words)"
    assert short.effect < 0 < long.effect and long.share > 0.3
    chinese = cast(Argument, load_ready("ready-zh"))
    told = [reason.text for each in chinese.explain(samples.threads("zh")[0]) for reason in each.signs]  # fmt: skip
    assert "short for this thread (3 characters)" in told


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_reasons_agree_with_the_place_in_the_thread(lang: str) -> None:
    ready = cast(Argument, load_ready("ready", lang))
    agreed = []
    for thread in samples.threads(lang):
        ranked = sorted(ready.explain(thread), key=lambda each: -each.score)
        third = len(ranked) // 3
        for side, part in ((1, ranked[:third]), (-1, ranked[-third:])):
            agreed += [sum(reason.effect for reason in each.signs) * side > 0 for each in part]
    assert len(agreed) >= 32
    assert np.mean(agreed) >= 0.9


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_no_reason_contradicts_another_about_the_same_thing(lang: str) -> None:
    about = dict.fromkeys(LACKING, "lacking") | {
        label: each.about for each in columns() for label in each.labels
    }
    ready = cast(Argument, load_ready("ready", lang))
    for thread in samples.threads(lang):
        for each in everything(ready, thread):
            sides: dict[str, set[bool]] = {}
            for reason in each.signs:
                subject = about.get(
                    reason.text, "nearness" if reason.part == "likeness" else reason.part
                )
                sides.setdefault(subject, set()).add(reason.effect > 0)
            assert all(len(side) == 1 for side in sides.values())


def test_reasons_name_what_a_comment_does_and_the_words_that_show_it(
    explained: list[Explained],
) -> None:
    first, second, third = explained
    told = {reason.text: reason for reason in first.reasons}
    assert told["gives a reason, a cause or a purpose"].words == ("because",)
    assert told["gives a reason, a cause or a purpose"].quote == "We should keep the ferry because"
    assert told["says what is needed, wished or proposed"].words == ("should",)
    assert told["contains numbers"].label == "contains numbers: “30 % of cars use”"
    assert first.point == "A ferry will carry cars for two years."
    insult = next(
        reason for reason in second.reasons if reason.text == "uses insulting or harsh words"
    )
    assert (insult.words, insult.quote) == (("idiots",), "You idiots!!!")
    assert insult.effect < 0
    assert (third.comment, third.padding, third.point) == ("c3", (), "")
    assert second.score < first.score


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("ready-en", "This is wrong, as entry 4417 of the Ministry’s report shows. See www.report.example/data now.", "“entry 4417 of the Ministry’s report shows”"),
        ("ready-en", "I would say STOP THE SPENDING now.", "writes words in capitals: “I would say STOP THE SPENDING now”"),
        ("ready-zh", "我看过统计年鉴，上面的数据是1.1万。", "“我看过统计年鉴”"),
        ("ready-zh", "为什么不分段修？", "asks: “为什么不分段修？”"),
        ("ready-ja", "県の交通年報によると、年間310万人です。", "“県の交通年報によると”"),
    ],
)  # fmt: skip
def test_a_reason_quotes_the_comment_in_whole_words(name: str, text: str, label: str) -> None:
    ready = cast(Argument, load_ready(name))
    host = samples.threads(ready.language)[0]
    thread = Thread(host.article, (Comment("new", text), *host.comments))
    labels = [reason.label for reason in everything(ready, thread)[0].signs]
    assert any(each.endswith(label) for each in labels), labels


def test_every_quotation_is_in_the_comment() -> None:
    for lang in ("en", "zh", "ja"):
        ready = cast(Argument, load_ready("ready", lang))
        for thread in samples.threads(lang):
            for comment, each in zip(thread.comments, everything(ready, thread), strict=True):
                for reason in each.signs:
                    assert reason.quote.strip("…") in " ".join(comment.text.split())


def test_a_comment_alone_is_compared_with_those_of_the_training_data() -> None:
    ready = cast(Argument, load_ready("ready-en"))
    [alone] = everything(ready, Thread(ARTICLE, COMMENTS[1:2]))
    assert "uses insulting or harsh words" in {reason.text for reason in alone.signs}


def test_an_explanation_has_the_same_parts_in_the_same_order(explained: list[Explained]) -> None:
    for each in explained:
        parts = [reason.part for reason in each.reasons]
        assert (parts[0], parts[-1]) == ("base", "rest")
        told = {"length", "likeness", "discount", "wording", "neighbours", "several"}
        assert set(parts[1:-1]) <= told
        assert all(reason.text in LABELS for reason in each.signs if reason.part in ("wording", "neighbours"))  # fmt: skip
        sizes = [abs(reason.effect) for reason in each.signs]
        assert sizes == sorted(sizes, reverse=True)


def test_a_sign_never_works_against_its_label(model: Argument) -> None:
    sides = {each.labels[0]: each.sign for each in columns() if each.is_rate}
    shown = [
        reason.effect * sides[reason.text]
        for thread in samples.threads()[9:]
        for each in everything(model, thread)
        for reason in each.reasons
        if reason.text in sides
    ]
    assert len(shown) > 100
    assert min(shown) > 0


def test_length_and_likeness_are_told_in_the_direction_of_their_effect(model: Argument) -> None:
    raising = {"long": 1, "short": -1, "reads like": 1, "reads unlike": -1}
    shown = [
        (beginning, reason.effect * side)
        for each in everything(model, samples.threads()[9])
        for reason in each.reasons
        for beginning, side in raising.items()
        if reason.part in ("length", "likeness") and reason.text.startswith(beginning + " ")
    ]
    assert {beginning for beginning, _ in shown} == raising.keys()
    assert min(effect for _, effect in shown) > 0


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], []),
        ([1.0], ["solid"]),
        ([4.0, 3.0, 2.0, 1.0], ["solid", "solid", "solid", "thin"]),
        ([1.0, 1.0, 1.0, 1.0, 1.0], ["solid"] * 5),
        ([5.0, 1.0, 2.0, 3.0, 4.0], ["stands out", "thin", "solid", "solid", "solid"]),
    ],
)
def test_three_words_tell_where_a_comment_stands(scores: list[float], words: list[str]) -> None:
    assert standings(np.array(scores)) == words


@pytest.mark.parametrize(
    ("name", "text", "false", "true"),
    [
        ("ready-zh", "别的不管，先告诉我哪一家抽中了，快说。", "misspells words or misplaces spaces", "ends its sentences with a mark"),
        ("ready-zh", "搬后第一个月人少了，第二年空了四成。", "adds point to point", "speaks of time"),
        ("ready-ja", "宮崎県：延岡市、西都市、木城町。", "misspells words or misplaces spaces", "uses more marks, dots or emoji than usual here"),
        ("ready-ja", "雨の多い、大分県の市です。", "speaks of time", "ends its sentences with a mark"),
        ("ready-zh", "大家好，方案里一个字没写，一定要问清楚？", "speaks of us or of everybody", "asks"),
        ("ready-ja", "理由欄は作りません、私服でもいい？", "gives a reason, a cause or a purpose", "asks"),
        ("ready-en", "You can fool all of us at the cost of a fair bit?", "uses insulting or harsh words", "asks"),
        ("ready-en", "The ABC and the RCMP met the NDP.", "writes words in capitals", "names parties, politicians or political camps"),
        ("ready-en", "The %#@* road, the %#@* bus.", "contains numbers", "uses more marks, dots or emoji than usual here"),
        ("ready-en", "Another fine article on foreign policy, as a country.", "speaks of reporting, research, data, experts or law", "uses commas or colons"),
    ],
)  # fmt: skip
def test_no_sign_is_read_that_a_comment_has_not(
    name: str, text: str, false: str, true: str
) -> None:
    ready = cast(Argument, load_ready(name))
    host = samples.threads(ready.language)[0]
    thread = Thread(host.article, (Comment("new", text), *host.comments))
    texts = {reason.text for reason in everything(ready, thread)[0].signs}
    assert true in texts
    assert false not in texts


def test_labels_do_not_praise_and_blame_the_same_words() -> None:
    # Plain words raised a score where simple words lowered it, often in one row.
    pairs = [("uses longer words than usual here", "uses shorter words than usual here"), ("uses more common words than usual here", "uses more unusual or misspelt words or apostrophes than usual here")]  # fmt: skip
    about_words = {label for label in LABELS if label.startswith("uses ") and "words" in label} - {
        "uses insulting or harsh words",
        "uses words like all, never or only",
    }
    assert about_words == {label for pair in pairs for label in pair}
    ready = cast(Argument, load_ready("ready-en"))
    for thread in samples.threads("en")[:3]:
        for each in everything(ready, thread):
            texts = {reason.text for reason in each.signs}
            assert not any(texts.issuperset(pair) for pair in pairs)


def test_a_level_above_the_usual_one_has_the_label_of_more(model: Argument) -> None:
    sides = {label: 1 - 2 * place for each in columns() for place, label in enumerate(each.labels) if not each.is_rate}  # fmt: skip
    texts = ("so it is as it was and we go on as we do", LONG_WORDS)
    thread = Thread(ARTICLE, tuple(Comment(str(n), text) for n, text in enumerate(texts)))
    short, long = (
        {reason.text: reason.effect for reason in each.signs} for each in everything(model, thread)
    )
    assert (
        short["uses shorter words than usual here"] < 0 < long["uses longer words than usual here"]
    )
    assert short["leaves out final marks"] < 0 < long["ends its sentences with a mark"]
    shown = {**short, **long}
    assert all(shown[label] * side > 0 for label, side in sides.items() if label in shown)


def test_a_level_whose_columns_disagree_has_no_label(model: Argument) -> None:
    # Shorter words on the mean than in the other comment, and yet more long ones.
    texts = (
        "It is so as we do go in an extraordinarily odd way to it, or is it so to us by now?",
        "Those women never leave their houses under heavy rainy summer skies, while others wait.",
    )
    thread = Thread(ARTICLE, tuple(Comment(str(n), text) for n, text in enumerate(texts)))
    for each in everything(model, thread):
        assert not {"uses longer words than usual here", "uses shorter words than usual here"} & {
            sign.text for sign in each.signs
        }
        total = sum(reason.effect for reason in each.reasons)
        assert total == pytest.approx(each.score, abs=1e-6)


def test_the_discount_tells_what_it_did(model: Argument) -> None:
    told = {"is partly taken for padding or repetition": 0, "some sentences count for less": 0}
    for thread in samples.threads()[9:]:
        for each in everything(model, thread):
            for reason in each.reasons:
                if reason.part == "discount":
                    told[reason.text] += 1
                    assert bool(each.padding) == (reason.text.startswith("is partly"))
    assert all(told.values())


def test_padding_is_listed_and_lowers_the_score(model: Argument) -> None:
    host = samples.threads()[10]
    filler = sections("rankers", "filler-en.txt")["boilerplate"][:4]
    text = f"{host.comments[0].text} {' '.join(filler)}"
    one = Thread(host.article, (Comment("padded", text), *host.comments[1:]))
    padded = model.explain(one)[0]
    assert any(sentence in filler for sentence in padded.padding)
    effects = {reason.part: reason.effect for reason in padded.reasons}
    assert effects["discount"] < 0


def test_explanations_are_written_as_lines_of_json(
    explained: list[Explained], tmp_path: Path
) -> None:
    write_reasons(tmp_path / "reasons.jsonl", explained)
    first = json.loads((tmp_path / "reasons.jsonl").read_text("utf-8").splitlines()[0])
    assert list(first) == [
        "article",
        "comment",
        "score",
        "probability",
        "reasons",
        "padding",
        "point",
        "standing",
        "probability_error",
    ]
    assert list(first["reasons"][0]) == ["part", "text", "words", "effect", "share", "quote"]


def test_a_thread_without_comments_has_no_explanation(model: Argument) -> None:
    assert model.explain(Thread(ARTICLE, ())) == []
