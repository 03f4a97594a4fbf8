"""Insults: the writer's own are found in whatever disguise, those of others are not theirs."""

from __future__ import annotations

import pytest

from newsdesk.rankers.insults import insults

RUDE = {
    "en": [
        "You are an idiot and a liar.",
        "You are an 1d10t.",
        "what an i d i o t you are",
        "what an i.d.i.o.t",
        "You іdiоt, go away",  # Cyrillic letters
        "𝐘𝐨𝐮 𝐢𝐝𝐢𝐨𝐭",
        "You i\u200bdiot",
        "you f**king a**hole",
        "You id*ot",
        "IDIOOOOT!!!",
        "You Are An Idiot Mr Smith",
        "You 'idiot'.",
        "Go kill yourself",
        "The author is a pathetic, brainless fool.",
    ],
    "zh": ["你这个傻逼，闭嘴吧", "傻 逼 玩意", "傻*逼", "作者就是个白痴", "不要脸的东西，去死吧"],
    "ja": [
        "死ね、バカ",
        "お前は本当に馬鹿だな",
        "この記者はクズ",
        "バ カ ですか",
        "ふざけんな、老害",
    ],
}
CIVIL = {
    "en": [
        "He called her an idiot in front of the whole council.",
        '"You are an idiot", he shouted. That is not how a mayor should speak.',
        "Calling people idiots does not help anyone.",
        "Name-calling such as 'moron' and 'idiot' should be deleted by the moderators.",
        "They are not stupid, they just have other interests.",
        "I was an idiot to vote for them.",
        "He hated being treated like an idiot by the bank.",
        "I live in Scunthorpe and my name is Dick Cockburn.",
        "Penistone and Clitheroe are both served by the line.",
        "Assess the class: the assistant passed the assassin bass.",
        "Noel Coward wrote better plays.",
        "The garbage collection is late again.",
        "Fool me once, shame on them.",
        "Clowns visited the children's ward today.",
    ],
    "zh": [
        "他骂我是白痴，我没理他。",
        "垃圾分类应该早点做，垃圾桶太少了。",
        "我真是个笨蛋，忘了带身份证。",
        "“傻逼”这个词不该出现在电视上。",
        "摇滚乐队来了，气温滚烫",
        "别把老百姓当傻子，账要公开。",
    ],
    "ja": [
        "人ばかりで座れない",
        "サブスクの料金が上がった",
        "最低賃金を上げるべきだ",
        "「バカ」と言われて傷ついた",
        "私はバカなのでよく分かりません",
        "宇宙デブリの問題",
        "行きますしね",
    ],
}


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in RUDE for text in RUDE[lang]])
def test_an_insult_is_found_in_every_disguise(lang: str, text: str) -> None:
    assert insults(text, lang).severity > 0.6


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in CIVIL for text in CIVIL[lang]])
def test_words_of_others_names_and_denials_are_no_insults(lang: str, text: str) -> None:
    assert insults(text, lang).severity == 0


def test_an_insult_weighs_less_in_a_long_comment() -> None:
    short = insults("What an idiot.", "en")
    long = insults(f"{'The pump was ordered twice and paid once. ' * 6}What an idiot.", "en")
    assert short.words == long.words == ("idiot",)
    assert long.rate < short.rate / 2 and long.severity < short.severity / 8


def test_a_language_without_lists_has_no_insults() -> None:
    assert insults("Du Idiot", "de").words == ()
