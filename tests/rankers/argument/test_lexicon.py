"""The word lists: the same kinds in every language, and no single word taken for what it is not."""

from __future__ import annotations

import pytest

from newsdesk.languages import LISTED
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import (
    NEIGHBOURS,
    columns,
    lexicon,
    names_of,
    units_of,
)


def kinds_of(text: str, lang: str = "en") -> list[tuple[str, str]]:
    table, units = lexicon(lang), units_of(text, lang)
    joint = " " if lang == "en" else ""
    return [
        (table.kinds[hit.kind], joint.join(units[hit.start : hit.end])) for hit in table.hits(units)
    ]


@pytest.mark.parametrize("lang", LISTED)
def test_the_lists_of_all_languages_have_the_same_kinds_and_no_phrase_twice(lang: str) -> None:
    lists = sections("rankers", f"words-{lang}.txt")
    assert tuple(lists) == tuple(sections("rankers", "words-en.txt"))
    phrases = [" ".join(units_of(line, lang)) for lines in lists.values() for line in lines]
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize("lang", LISTED)
def test_every_column_is_counted_and_has_a_label_and_a_sign(lang: str) -> None:
    names = [each.name for each in columns()]
    assert len(names) == len(set(names))
    assert set(names) - set(NEIGHBOURS) <= set(names_of(lang))
    for each in columns():
        assert each.sign in (-1, 1)
        assert len(each.labels) in (1, 2) and all(each.labels)
    assert "idiom" not in names


def test_rates_that_share_a_label_share_their_sign() -> None:
    signs: dict[tuple[str, ...], set[int]] = {}
    for each in (some for some in columns() if some.is_rate):
        signs.setdefault(each.labels, set()).add(each.sign)
    assert all(len(some) == 1 for some in signs.values())


def test_the_longest_phrase_counts_and_is_passed_over() -> None:
    assert kinds_of("Thank you: for example, I WAS there, you’re not.") == [
        ("agree", "thank you"),
        ("example", "for example"),
        ("experience", "i was"),
        ("second", "you're"),
        ("negation", "not"),
    ]


@pytest.mark.parametrize(
    ("lang", "text", "kinds"),
    [
        ("zh", "因为没有数据，我建议公开。", ["reason", "negation", "source", "first", "proposal"]),
        ("ja", "例えば調査の結果が必要です。", ["example", "source", "reason", "proposal"]),
        ("de", "Weil du dumm bist, because.", []),
    ],
)
def test_other_languages_are_read_by_their_own_lists_or_by_none(
    lang: str, text: str, kinds: list[str]
) -> None:
    assert [kind for kind, _ in kinds_of(text, lang)] == kinds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Good luck to everybody down there.", "sarcasm"),
        ("I'll tell you what, the pier needs paint.", "question"),
        ("I'll tell you what, the pier needs paint.", "second"),
        ("I am sure that many feel the same.", "sarcasm"),
        ("What a week for the town.", "sarcasm"),
        ("Slow right down, turn left at the pier.", "politics"),
        ("Everyone is entitled to a view.", "insult"),
        ("The garbage strike of 2009 upset people.", "insult"),
        ("My children grow up here.", "insult"),
        ("The herd of sheep was lying in the shade.", "insult"),
        ("The public sector as a whole lost money.", "experience"),
        ("The servers have been down since six.", "reason"),
        ("It will reopen in May.", "hedge"),
        ("The first train leaves in a second.", "addition"),
        ("Finally someone tells the truth.", "addition"),
        ("The place was empty, i.e. closed.", "example"),
        ("Nobody came other than the mayor.", "comparison"),
        ("Simply put, it is over.", "certainty"),
        ("I'll take nice any day of the week.", "time"),
        ("I don't hate you.", "insult"),
        ("They won a majority government.", "quantity"),
        ("She gave a conservative estimate.", "politics"),
        ("What the US thinks is known.", "plural"),
        ("Since when is that so?", "condition"),
        ("A hundred years ago unions were new.", "experience"),
        ("It is a third rate drama.", "quantity"),
        ("Outsiders do not get lost in the trees.", "insult"),
        ("It was women and children first off the ship.", "addition"),
        ("Write to you@idiots.com or see https://news.com/you/idiot.", "second"),
        ("Write to you@idiots.com or see https://news.com/you/idiot.", "insult"),
    ],
)
def test_words_are_not_taken_for_what_they_are_not(text: str, kind: str) -> None:
    assert kind not in [each for each, _ in kinds_of(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Good luck with that.", "sarcasm"),
        ("Yeah right, lol.", "sarcasm"),
        ("Shame on you, this is total garbage.", "insult"),
        ("The left will never learn.", "politics"),
        ("It fails since there is no money.", "reason"),
        ("It may reopen.", "hedge"),
        ("As a nurse I see it daily.", "experience"),
        ("First of all, who pays?", "addition"),
        ("GIVE US A BREAK, tell us more.", "plural"),
        ("It is simply wrong.", "certainty"),
        ("The vast majority of us paid.", "quantity"),
    ],
)
def test_what_is_meant_is_still_counted(text: str, kind: str) -> None:
    assert kind in [each for each, _ in kinds_of(text)]


@pytest.mark.parametrize(
    ("lang", "text", "kind", "counted"),
    [
        ("zh", "垃圾分类的桶太少。", "insult", False),
        ("zh", "你这种人真垃圾。", "insult", True),
        ("zh", "滚动播出一切节目。", "insult", False),
        ("zh", "岁月静好。", "time", False),
        ("zh", "政府部门应该公开。", "politics", False),
        ("ja", "子どもたちの笑顔が大切。", "sarcasm", False),
        ("ja", "無理でしょ笑", "sarcasm", True),
        ("ja", "灯浦から通う。", "reason", False),
        ("ja", "高いから使わない。", "reason", True),
        ("ja", "ゴミの分別の日。", "insult", False),
        ("ja", "日本の基本。", "quantity", False),
        ("ja", "部分的に分かります。", "time", False),
        ("zh", "她年纪小。", "time", False),
        ("zh", "小明读三年级。", "time", False),
        ("zh", "住了二十二年。", "time", True),
        ("zh", "2026年，３．２万元。", "time", True),
        ("zh", "2026年，３．２万元。", "quantity", True),
        ("zh", "《万神》千载功成。", "quantity", False),
        ("zh", "最后还是没去。", "comparison", False),
        ("zh", "我觉得比较旧。", "comparison", False),
        ("zh", "真没办法。", "proposal", False),
        ("zh", "我想吃饭。", "hedge", False),
        ("zh", "他就像太阳。", "example", False),
        ("zh", "研究生的数据线。", "source", False),
        ("zh", "第一句就特别好。", "addition", False),
        ("zh", "第一点，太贵。", "addition", True),
        ("ja", "月収は高い。", "time", False),
        ("ja", "9時30分に出る。", "time", True),
        ("ja", "三分の一です。", "time", False),
        ("ja", "割ると安い。", "quantity", False),
        ("ja", "売り上げの2割。", "quantity", True),
        ("ja", "終了すると明らかにした。", "certainty", False),
        ("ja", "明らかに高い。", "certainty", True),
        ("ja", "必ずしも悪くない。", "certainty", False),
        ("ja", "これ以上は言えない。", "comparison", False),
        ("ja", "事故により遅れた。", "comparison", False),
        ("ja", "給料より休み。", "comparison", True),
        ("ja", "今なら無料。", "condition", False),
        ("ja", "言わなければならず困った。", "condition", False),
        ("ja", "もう終わったらしい。", "condition", False),
        ("ja", "現場ではどうなんでしょう。", "hedge", False),
        ("ja", "父島と母島へ行く。", "experience", False),
        ("ja", "町に住んでいる人は困る。", "experience", False),
        ("ja", "皆川さんと君津市。", "second", False),
        ("ja", "味がまずい。", "addition", False),
        ("ja", "また絶対来ます。", "addition", False),
        ("ja", "開発環境を作る。", "value", False),
        ("ja", "どうしたら戻れるの？", "condition", False),
        ("ja", "それについて聞いた。", "addition", False),
    ],
)
def test_chinese_and_japanese_characters_count_only_as_words(
    lang: str, text: str, kind: str, counted: bool
) -> None:
    assert (kind in [each for each, _ in kinds_of(text, lang)]) is counted
