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
from newsdesk.rankers.ranker import Explained, write_reasons
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Article, Comment, Thread

LABELS = {label for each in columns() for label in each.labels}
ARTICLE = Article("a", "The old bridge will close in May. A ferry will carry cars for two years.")
LONG_WORDS = "Municipal authorities announced considerable infrastructure investments yesterday."
COMMENTS = (
    Comment("c1", "We should keep the ferry because, for example, 30 % of cars use it."),
    Comment("c2", "You idiots!!!"),
    Comment("c3", ""),
)


@pytest.fixture(scope="module")
def explained(model: Argument) -> list[Explained]:
    return model.explain(Thread(ARTICLE, COMMENTS), most=50)


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
    np.testing.assert_allclose(
        [each.probability for each in explanations], model.probability(thread)
    )
    for each in explanations:
        shown = [reason for reason in each.signs if reason.part in ("wording", "neighbours")]
        assert len(shown) <= most
        assert all(abs(reason.effect) >= 0.03 for reason in each.signs)


def test_reasons_name_what_a_comment_does_and_the_words_that_show_it(
    explained: list[Explained],
) -> None:
    first, second, third = explained
    words = {reason.text: reason.words for reason in first.reasons}
    assert words["gives a reason, a cause or a purpose"] == ("because",)
    assert words["says what is needed, wished or proposed"] == ("should",)
    assert "contains numbers" in words
    assert first.point == "A ferry will carry cars for two years."
    insult = next(
        reason for reason in second.reasons if reason.text == "uses insulting or harsh words"
    )
    assert insult.words == ("idiots",)
    assert insult.effect < 0
    assert (third.comment, third.padding, third.point) == ("c3", (), "")
    assert second.score < first.score


def test_an_explanation_has_the_same_parts_in_the_same_order(explained: list[Explained]) -> None:
    for each in explained:
        parts = [reason.part for reason in each.reasons]
        assert parts[:2] == ["base", "length"]
        assert parts[-1] == "rest"
        assert set(parts) <= {
            "base",
            "length",
            "likeness",
            "discount",
            "wording",
            "neighbours",
            "rest",
        }
        assert all(
            reason.text in LABELS
            for reason in each.reasons
            if reason.part in ("wording", "neighbours")
        )
        sizes = [abs(each.effect) for each in each.signs if each.part in ("wording", "neighbours")]
        assert sizes == sorted(sizes, reverse=True)


def test_a_sign_never_works_against_its_label(model: Argument) -> None:
    sides = {each.labels[0]: each.sign for each in columns() if each.is_rate}
    shown = [
        reason.effect * sides[reason.text]
        for thread in samples.threads()[9:]
        for each in model.explain(thread, most=50)
        for reason in each.reasons
        if reason.text in sides
    ]
    assert len(shown) > 100
    assert min(shown) >= 0


def test_length_and_likeness_are_told_in_the_direction_of_their_effect(model: Argument) -> None:
    raising = {"long": 1, "short": -1, "reads like what judges liked": 1, "reads unlike what judges liked": -1}  # fmt: skip
    shown = [
        (reason.text, reason.effect * raising[reason.text])
        for each in model.explain(samples.threads()[9], most=50)
        for reason in each.reasons
        if reason.part in ("length", "likeness")
    ]
    assert {text for text, _ in shown} == raising.keys()
    assert min(effect for _, effect in shown) >= 0


@pytest.mark.parametrize(
    ("name", "text", "false", "true"),
    [
        ("ready-zh", "别的不管，先告诉我哪一家抽中了，快说。", "misspells words or misplaces spaces", "uses commas or colons"),
        ("ready-zh", "搬后第一个月人少了，第二年空了四成。", "adds point to point", "uses commas or colons"),
        ("ready-ja", "宮崎県：延岡市、西都市、木城町。", "misspells words or misplaces spaces", "uses commas or colons"),
        ("ready-ja", "雨の多い、大分県の市です。", "speaks of time", "uses commas or colons"),
        ("ready-en", "The ABC and the RCMP met the NDP.", "writes words in capitals", "names parties, politicians or political camps"),
        ("ready-en", "The %#@* road, the %#@* bus.", "contains numbers", "uses commas or colons"),
        ("ready-en", "Another fine article on foreign policy, as a country.", "speaks of reporting, research, data, experts or law", "uses commas or colons"),
    ],
)  # fmt: skip
def test_no_sign_is_read_that_a_comment_has_not(
    name: str, text: str, false: str, true: str
) -> None:
    ready = cast(Argument, load_ready(name))
    host = samples.threads(ready.language)[0]
    thread = Thread(host.article, (Comment("new", text), *host.comments))
    texts = {reason.text for reason in ready.explain(thread, most=50)[0].signs}
    assert true in texts
    assert false not in texts


def test_labels_do_not_praise_and_blame_the_same_words() -> None:
    # Plain words raised a score where simple words lowered it, often in one row.
    pairs = [("uses long words", "uses short words"), ("uses mostly common words", "uses unusual or misspelt words or apostrophes")]  # fmt: skip
    about_words = {label for label in LABELS if label.startswith("uses ") and "words" in label} - {
        "uses insulting or harsh words",
        "uses words like all, never or only",
    }
    assert about_words == {label for pair in pairs for label in pair}
    ready = cast(Argument, load_ready("ready-en"))
    for thread in samples.threads("en")[:3]:
        for each in ready.explain(thread, most=50):
            texts = {reason.text for reason in each.signs}
            assert not any(texts.issuperset(pair) for pair in pairs)


def test_a_level_above_the_usual_one_has_the_label_of_more(model: Argument) -> None:
    sides = {label: 1 - 2 * place for each in columns() for place, label in enumerate(each.labels) if not each.is_rate}  # fmt: skip
    texts = ("so it is as it was and we go on as we do", LONG_WORDS)
    thread = Thread(ARTICLE, tuple(Comment(str(n), text) for n, text in enumerate(texts)))
    short, long = (
        {reason.text: reason.effect for reason in each.signs} for each in model.explain(thread, 50)
    )
    assert short["uses short words"] < 0 < long["uses long words"]
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
    for each in model.explain(thread, most=50):
        assert not {"uses long words", "uses short words"} & {sign.text for sign in each.signs}
        total = sum(reason.effect for reason in each.reasons)
        assert total == pytest.approx(each.score, abs=1e-6)


def test_the_discount_tells_what_it_did(model: Argument) -> None:
    told = {"is partly taken for padding or repetition": 0, "some sentences count for less": 0}
    for thread in samples.threads()[9:]:
        for each in model.explain(thread, most=50):
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
    ]
    assert list(first["reasons"][0]) == ["part", "text", "words", "effect"]


def test_a_thread_without_comments_has_no_explanation(model: Argument) -> None:
    assert model.explain(Thread(ARTICLE, ())) == []
