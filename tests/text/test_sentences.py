"""Sentence splitting: tables of hard cases, the invariant on any text, and time on hostile text.

A case is one string, a text with `|` at each cut; without the bars it is the input, so that what is
fed in and what is expected cannot drift apart. All cases are our own sentences.
"""

import json
import random
import textwrap
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.text.sentences import sentences
from tests.growth import growth

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
ARTICLES = DATA / "wcep_real" / "clusters_train.jsonl"
LANGUAGES = ["en", "zh", "ja"]

TITLES_AND_LINKS = [
    "Mr. Okafor met Mrs. Lindqvist and Ms. Tran at noon.| Dr. Weiss stayed away.",
    "Gen. Ortega and Lt. Col. Brandt were promoted on Friday.| Both refused to comment.",
    "Sen. Alvarez told Rep. Whitcomb to wait.| Gov. Pell did not.",
    "She wrote to Prof. Imai.| Nobody answered.",
    "The ferry to St. Helier was late.| It sank in 1987.",
    "They drove up Mt. Kenya and past Ft. Worth.",
    "The Rev. Thomas Abbey spoke first.| Then Capt. Sow took the floor.",
    "MR. DUNN WENT TO PARIS.| He came back.",
    "Many fruits, e.g. Granny Smith apples, keep well.| Others do not.",
    "One of them, i.e. The Owl, won.| The other lost.",
    "It was Leeds vs. Derby again.| Leeds won.",
    "The ruling in Amber v. Stone was a surprise.",
    "P.S. I forgot the keys.",
]

MAY_END = [
    "He sued Acme Inc. Chief Executive Paula Roy last week.",
    "He sued Acme Inc.| The company denied it.",
    "She left Baker Corp. in May.| It went bust.",
    "Shares of Ford Motor Co. fell.| Investors fled.",
    "They bought Lund & Co.| But the deal failed.",
    "Luther Banks Jr. Day is a holiday there.",
    "The prize went to Harry Moss Jr.| He was not there.",
    "Robert Moss Sr. told the court so.",
    "Police closed Elm St. and Park Ave. on Sunday.",
    "The fire began on Elm St.| The wind spread it.",
    "She holds a Ph.D. in physics.| Her brother has none.",
    "She earned her Ph.D.| Then she left.",
    "They sell nails, glue, paint, etc.| Prices are low.",
    "They sell nails, glue, etc. at low prices.",
    "They sell tea (and coffee, etc.).| Prices vary.",
    "Smith et al. found nothing.| The study was small.",
    "HARTFORD, Conn. (AP) — A judge ruled on Monday.| The case goes on.",
    "Sen. Mitch Brown (R-Ky.) Tuesday called it a farce.",
    "They met in Macon, Ga.| Kay Lee was there.",
    "The Dept. of Energy paid.| Taxpayers groaned.",
    "It measured six ft. in length.| Nobody believed it.",
    "He was 6 ft. 2 in. tall.",
]

DOTTED_LETTERS = [
    "U.S. President Barack Obama spoke.| The U.S. Senate voted.",
    "He was born in the U.S.| The next day he left.",
    "They fled to the U.S.| But they were sent back.",
    "The U.S.A. won gold.| The U.K. did not.",
    "She flew to the U.S.A.| There she stayed.",
    "WASHINGTON, D.C. - The vote was close.",
    "They met in Washington, D.C.| It rained.",
    "A U.S.-led force landed.| The U.N.'s chief protested.",
    "The U.S. All-Star team lost.",
    "The U.S. No. 1 seed is out.",
    "The U.S. 7th Fleet sailed.",
    '"I love the U.S."| The crowd cheered.',
    "Officials in the U.S. (the first to react) said no.",
    "J. K. Rowling wrote it.| J.R.R. Tolkien did not.",
    "George W. Bush won.| John F. Kennedy had won before.",
    "The director J. J. Abrams was there.",
    "He plans to pardon I. Lewis Libby.",
    "Oranges hold vitamin C.| The body needs it.",
    "Carrots hold no vitamin C.| Doctors say so.",
    "There is no plan B.| Ministers admit it.",
    "He fought in World War II.| The end came in 1945.",
    "It began before World War I.| Germany was an empire.",
]

NUMBERS = [
    "Sales rose 3.5 percent to $4.25 billion.| Costs fell .5 percent.",
    "It happened in 2009.| 50 people died.",
    "He paid $5.| She paid £6.50.| They left.",
    "Ranked No. 5 in the world, he lost to No. 12 Ruiz.",
    'She asked again and he said no.| "Never," he added.',
    "See fig. 3 and vol. 2, pp. 5-9.| Art. IV is on p. 7.",
    "He died on Jan. 5, 1999.| She died in Dec. 2001.",
    "On Sept. 11 the planes came.| Nothing was the same.",
    "The train leaves at 5 p.m. on Monday.",
    "The train leaves at 5 p.m. Monday.| Be there.",
    "The train leaves at 5 p.m.| The bus has gone.",
    "The train leaves at 5 p.m.| Passengers were waiting.",
    "At 5 a.m. Mr. Okafor woke up.| He slept again at 6 p.m.| Mr. Dunn did not.",
    "The quake struck at 3:10 a.m. EST and 9 a.m. Beijing time.",
    "It starts at 10 a.m. (0900 GMT) and ends at noon.",
    "Version 2.0.1 is out.| Get it.",
]

QUOTES_AND_BRACKETS = [
    'He said "It is over."| She left.',
    'The mayor spoke.| "We go."',
    '"We will go," she said.| "They will stay."',
    "“It is over.”| The crowd fell silent.",
    "‘It is over.’| Nobody moved.",
    '"Why?" he asked.| Nobody knew.',
    '"Who did this?" Inspector Lee asked.',
    '"Who did this?"| Lee left.| He said nothing.',
    "“Stop!” cried Anna.| “Stop now!”| She ran.",
    '"Are you mad?"| She slammed the door.',
    '"It was bad.| It was very bad," he said.',
    'He said " It is over . "| She left .',
    "(He left.)| Then he came back.",
    "He left (it was late).| Then he came back.",
    "He went home (he was tired.)| Then he slept.",
    "He asked (why?) and left.",
    'He went (she said "go.").| They stayed.',
    "The roof fell in.| (Photo: Ann Lee)| Two men died.",
    "The claim was false.[3]| It was withdrawn.[4][5]| The end.",
    "He left.| (She did not.)| They wept.",
    "Er sagte: „Es ist vorbei.“| Dann ging er.",
    "Il a dit : « C'est fini. »| Puis il est parti.",
]

MARKS = [
    "He waited...| Then he left.",
    "He waited... and waited.",
    "He waited…| Nobody came.",
    "We shall ... do our best.",
    "We shall ... Congress must act.",
    "It was long . . . and dull.| We left.",
    "You did what?!| Are you mad?!!| Yes!!!",
    "Really?...| Yes.",
    "... and so it ended.| The rest is known.",
    "Yahoo! said profits rose.| Shares fell.",
    "Yahoo! Inc. and Yahoo! Japan parted.",
    "She won on Jeopardy! in May.",
    "who knows?| nobody does.| i left.",
    "what?! she said.",
    "It is done! ***",
]

GLUED = [
    "The war ended.|The next day it rained.",
    "The war ended.|Police left.",
    'He said "it is over."|The next day he left.',
    'He left at dawn.|"We had no choice," he said.',
    "“It is over.”|She wept.",
    "Did it end?|Nobody knew!|Then it did.",
    "It was the work of NATO.|The alliance agreed.",
    "Ten men died.|–Reuters",
    "Visit example.com or Node.js docs at docs.Example.com today.",
    "Write to john.Smith@mail.example.com soon.| He answers.",
    "See https://www.example.com/a.B?c=D.Html for more.| Thanks.",
    "Open setup.exe or README.md.| Then wait.",
    "The U.S.A team and e.g.the others lost.",
    "Dr.Weiss met Mr.Okafor.| They talked.",
    "Amazon.com said so.| Booking.com agreed.",
    "The .NET runtime is old.| It works.",
    "그는 갔다.|그녀는 남았다.",
]

LISTS_AND_LINES = [
    "1. First we ate.| 2. Then we slept.",
    "1. Sugar| 2. Milk| 3. Flour",
    "Bring this:| 1. Sugar| 2. Milk",
    "I. Introduction",
    "Key facts:| • It rained.| • It snowed.",
    "Sales were poor.| iPhone sales were not.| eBay gained.",
    "It was over.| adidas said nothing.",
    "He left.| @newsdesk reported it.| #sad",
    "LONDON (Reuters) - Police shot a man.| He died.",
    "NEW YORK — U.S. stocks fell on Monday.| Oil rose.",
    "ST. LOUIS (AP) — The Cardinals won.",
    "Storm hits coast|\nThousands flee their homes",
    "Storm hits coast|\n\nThe storm hit on Monday.| Ten died.",
    "Storm hits coast|\r\nThe storm hit on Monday.",
    "the first part|\n \nof a sentence",
    "The government said on\nMonday that it would\nresign.| It did.",
    "Ten people died when the\nPacific Star sank,\nPolice said.",
    "I met Mr.\nOkafor yesterday.",
    "He lives in the U.S.|\nPresident Obama said so.",
    "The bill was passed.|\nthe vote was close.",
    "Shopping:|\n- eggs that are\n  not too old|\n- milk|\n* flour|\n• salt",
    "1. Sugar|\n2. Milk",
    # wrapped: the first word of the next line did not fit
    "A man was shot dead near the old harbour of the town late on\n"
    "Sunday by two men who fled in a car that belonged to President\n"
    "Jorge Ruiz, police said.| A spokesman for the Ministry of the\nInterior confirmed it.",
    # the same width, but a headline in Title Case
    "Harbour Killing Shocks The Whole Of The Old Town Of Saint Malo|\n"
    "A man was shot dead near the old harbour of the town late on\nSunday by two men.",
]

OTHER_LANGUAGES = [
    "Der Minister kam am 5. Mai an.| Er blieb z.B. in Bonn.",
    "¿Quién fue?| ¡Nadie lo sabe!| Fin.",
    "Он родился в 1950 г. в Москве.| Потом уехал.",
    "यह सच है।| वह गया।",
    "그는 갔다.| 그녀는 남았다.",
]

CHINESE = [
    "今天下雨。|明天天晴。",
    "他走了！|她来了？|我不知道。",
    "他说：“我们走吧。”|然后他走了。",
    "「你好。」|她笑了。",
    "他来了；她走了；我们都没说话。|后来下雨了。",
    "真的吗？！|太好了！！！|走吧。",
    "他想了很久……|最后还是走了。",
    "我……我不知道。",
    "太好了!|他来了?|是的。",
    "增长了3.5%，达到12.8亿元。|专家表示满意。",
    "请看https://example.com/a?b=c!d。|谢谢。",
    "“你去哪里？”他问。|没有人回答。",
    "“好！”，他说。|我们走了。",
    "电影《你好！李焕英》上映了。|票房很高。",
    "公司（成立于2001年。总部在北京）宣布裁员。|员工不满。",
    "他（她？）来了。|我走了。",
    "（完。）|谢谢阅读。",
    "第一行没有句号|\n第二行也没有|\n\n第三行",
    "他今天去了北京，\n明天去上海。|后天回家。",
    "他在Apple Inc.工作了三年。|后来去了Google.| 现在退休了。",
    "Mr.王来了。|我喜欢Python.|它很好.",
    "他走了.|她来了.",
    "1. 第一点。|2. 第二点。",
    "雅虎Yahoo!公司宣布裁员。|股价下跌。",
    '他说:"我们走吧。"|然后他走了。|"好。"她说。',
    '他走了。|"我们呢?"她问。',
    "这是他的“为什么？”的问题。|没有答案。",
    "“今天很好。|我们走吧。”|天黑了。",
    "的确如此。|的士来了。",
]

JAPANESE = [
    "今日は雨だ。|明日は晴れる。",
    "本当ですか？|はい！|そうです。",
    "彼は「行く。」と言った。|彼女は残った。",
    "「今日は晴れ。明日は雨。」と予報士は話した。|皆は驚いた。",
    "「行くぞ！」って叫んだ。|誰も来なかった。",
    "「もう帰る。」|彼はそう言い残した。",
    "「雨だ。」|「そうだね。」|二人は黙った。",
    "「終わった。」|ところが、続きがあった。",
    "首相（68歳。東京都出身）は辞任した。|後任は未定だ。",
    "（彼は去った。）|そして夜になった。",
    "人気アニメ「ラブライブ！」シリーズが終わる。|ファンは泣いた。",
    "モーニング娘。の新曲が出た。|すぐに売れた。",
    "なぜ？と思った。|答えはない。",
    "すごい！！|本当に？！|信じられない。",
    "それは……彼だった。|私は驚いた。",
    "価格は3.5ドル、１２．５円だった。|安い。",
    "Yahoo!ニュースが伝えた。|詳細は不明だ。",
    "見出しには句点がない|\n本文が続く。|もう一文。",
    "政府は３日、\n増税を決めた。|反対もある。",
    "彼の言葉は「行く。帰る。」だった。|短い。",
    "『終わりだ。』と叫ぶ。|「まだだ！」と、声がした。",
    "これは文だ．|次も文だ．",
    "１．はじめに",
    "「はい。」|でも彼は来なかった。",
    "彼は「えっ！」と驚き、「なぜ？」と聞いた。|私は答えた。",
]

ENGLISH = [TITLES_AND_LINKS, MAY_END, DOTTED_LETTERS, NUMBERS, QUOTES_AND_BRACKETS, MARKS, GLUED]
CASES = [
    *(("en", case) for group in (*ENGLISH, LISTS_AND_LINES, OTHER_LANGUAGES) for case in group),
    *(("zh", case) for case in CHINESE),
    *(("ja", case) for case in JAPANESE),
]

HOSTILE = [
    *[".", '"', "'", "\n", "(", ")", " ", "?!", "…", "“", "•", "-", "@", "\u2028", "😀"],
    *["a.a.a.", "a.", ". ", ". . ", " •", "[1]", "(a b ", "a@b.C", "www.", "http://", "a b"],
    *["。", "「", "「」", "……", "《", "。、", "」。"],
]


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(("lang", "case"), CASES)
def test_hard_text_is_cut_where_a_reader_would(lang: str, case: str) -> None:
    assert sentences(case.replace("|", ""), lang) == [piece.strip() for piece in case.split("|")]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\u3000\u2029"])
def test_blank_text_has_no_sentences(text: str, lang: str) -> None:
    assert sentences(text, lang) == []


def test_an_unknown_language_gets_the_english_rules() -> None:
    assert sentences("Mr. Lee left. He ran.", "fi") == ["Mr. Lee left.", "He ran."]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("stop", [".", "!", "?", "..."])
def test_a_plain_pair_is_cut_at_every_stop(stop: str, lang: str) -> None:
    text = f"The first one ended{stop} The second one did{stop}"
    expected = 1 if lang == "ja" and stop == "..." else 2
    assert len(sentences(text, lang)) == expected


# The letters of the rules, so that hypothesis meets their borders more often than by chance.
LETTERS = [
    *".!?…\"'“”’»)(][*•-—:;, \n\t\xa0\u202f1aAzZИ的。！？｡．「」『』（）《》〈〉と、他说の",
    *["U.S.", "Mr.", "No.", "p.m.", "1.", "The", "he", "said", "http://", "www.", "@", " »"],
]
tricky = st.lists(st.sampled_from(LETTERS), max_size=40).map("".join)


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.text(max_size=200), tricky), st.sampled_from(LANGUAGES))
def test_no_character_is_lost_and_no_sentence_is_empty(text: str, lang: str) -> None:
    pieces = sentences(text, lang)
    assert squeezed("".join(pieces)) == squeezed(text)
    assert all(pieces)
    assert [piece.strip() for piece in pieces] == pieces


@settings(deadline=None, max_examples=500)
@given(tricky, tricky, st.sampled_from(LANGUAGES))
def test_no_sentence_crosses_a_blank_line(one: str, two: str, lang: str) -> None:
    lengths = (len(squeezed(piece)) for piece in sentences(f"{one}\n\n{two}", lang))
    assert len(squeezed(one)) in {0, *accumulate(lengths)}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_one_pattern_loses_nothing_and_costs_linear_time(
    unit: str, lang: str
) -> None:
    text = unit * (1_000_000 // len(unit))
    assert squeezed("".join(sentences(text, lang))) == squeezed(text)
    # Eight times the text: a quadratic rule would take 64 times as long.
    assert growth(lambda size: sentences(text[:size], lang), 30_000, 240_000) < 24


@pytest.mark.parametrize("unit", ["A.", "Ab.", "U.S.The ", '"? Aa ', "A\n", "1. ", "a: 1. ", "?A"])
def test_time_grows_with_the_length_of_the_text(unit: str) -> None:
    assert growth(lambda count: sentences(unit * count), 10_000, 80_000) < 24


def _articles() -> list[str]:
    if not ARTICLES.exists():
        pytest.skip(f"needs the real articles in {ARTICLES}")
    with ARTICLES.open(encoding="utf-8") as lines:
        return [article["text"] for line in lines for article in json.loads(line)["articles"]]


@pytest.mark.real
def test_real_articles_lose_nothing_and_keep_their_number_of_sentences() -> None:
    total = 0
    for text in _articles():
        pieces = sentences(text)
        assert all(pieces)
        assert squeezed("".join(pieces)) == squeezed(text)
        total += len(pieces)
    # Read by eye at 18,801, where pysbd, which keeps quotations whole, finds 17,225: a rule that
    # moves this by more than one in a hundred is a change of scores.
    assert 18_600 < total < 19_000


@pytest.mark.real
def test_wrapping_real_paragraphs_hardly_moves_a_cut() -> None:
    rng = random.Random(5)
    recovered = total = 0
    for text in rng.sample(_articles(), 100):
        pieces = sentences(text)
        paragraphs = [" ".join(pieces[at : at + 3]) for at in range(0, len(pieces), 3)]
        plain = [sentences(paragraph) for paragraph in paragraphs]
        wrapped = "\n\n".join(
            textwrap.fill(paragraph, 72, break_long_words=False, break_on_hyphens=False)
            for paragraph in paragraphs
        )
        seen = {" ".join(piece.split()) for piece in sentences(wrapped)}
        expected = [" ".join(piece.split()) for cut in plain for piece in cut]
        recovered += sum(piece in seen for piece in expected)
        total += len(expected)
    assert recovered / total > 0.985
