"""Sentence splitting: tables of hard cases, the invariant on any text, and time on hostile text.

A case is one string: the sentences expected, with `|` at each cut. `_text_and_sentences` removes the
bars to get the input, so that what is fed in and what is expected cannot drift apart.
"""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsdesk.text.sentences import sentences

ARTICLES = (
    Path(__file__).resolve().parents[2].parent
    / "shared"
    / "data"
    / "wcep_real"
    / "clusters_train.jsonl"
)

ENGLISH = [
    # titles and other abbreviations that continue
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
    "The defendant in Roe v. Wade was a district attorney.",
    # abbreviations that may end a sentence
    "He sued Acme Inc. Chief Executive Paula Roy last week.",
    "He sued Acme Inc. The company denied it.",
    "She left Baker Corp. in May.| It went bust.",
    "Shares of Ford Motor Co. fell.| Investors fled.",
    "They bought Lund & Co. But the deal failed.".replace("Co. But", "Co.| But"),
    "Martin Luther King Jr. Day is a holiday.",
    "The prize went to Harry Connick Jr.| He was not there.",
    "Robert Moss Sr. told the court so.",
    "Police closed Elm St. and Park Ave. on Sunday.",
    "The fire began on Elm St.| The wind spread it.",
    "She holds a Ph.D. in physics.| Her brother has none.",
    "She earned her Ph.D.| Then she left.",
    "They sell nails, glue, paint, etc.| Prices are low.",
    "They sell nails, glue, etc. at low prices.",
    "Smith et al. found nothing.| The study was small.",
    "He was born in Calif. on a Monday.",
    "HARTFORD, Conn. (AP) — A judge ruled on Monday.| The case goes on.",
    "Sen. Mitch Brown (R-Ky.) Tuesday called it a farce.",
    "The Dept. of Energy paid.| Taxpayers groaned.",
    "It measured six ft. in length.| Nobody believed it.",
    # U.S. and other dotted letters
    "U.S. President Barack Obama spoke.| The U.S. Senate voted.",
    "He was born in the U.S.| The next day he left.",
    "They fled to the U.S.| But they were sent back.",
    "The U.S.A. won gold.| The U.K. did not.",
    "She flew to the U.S.A.| There she stayed.",
    "WASHINGTON, D.C. - The vote was close.",
    "They met in Washington, D.C.| It rained.",
    "A U.S.-led force landed.| The U.N. protested.",
    "The U.S. All-Star team lost.",
    "The U.S. No. 1 seed is out.",
    "The U.S. 7th Fleet sailed.",
    '"I love the U.S."| The crowd cheered.',
    "Officials in the U.S. (the first to react) said no.",
    # initials, letters and numerals
    "J. K. Rowling wrote it.| J.R.R. Tolkien did not.",
    "George W. Bush won.| John F. Kennedy had won before.",
    "The director J. J. Abrams was there.",
    "Oranges hold vitamin C.| The body needs it.",
    "Carrots hold no vitamin C.| Doctors say so.",
    "There is no plan B.| Ministers admit it.",
    "He fought in World War II.| The end came in 1945.",
    "It began before World War I.| Germany was an empire.",
    "Pope John Paul II. waved.".replace("II. waved", "II waved"),
    "She is taller than I.| Peter is not.",
    # numbers, prices, dates, times
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
    "The quake struck at 3:10 a.m. EST and 9 a.m. Beijing time.",
    "It starts at 10 a.m. (0900 GMT) and ends at noon.",
    "Version 2.0.1 is out.| Get it.",
    # quotation marks and brackets
    'He said "It is over."| She left.',
    'The mayor said.| "We go."',
    '"We will go," she said.| "They will stay."',
    "“It is over.”| The crowd fell silent.",
    "‘It is over.’| Nobody moved.",
    '"Why?" he asked.| Nobody knew.',
    '"Who did this?" Inspector Lee asked.',
    "“Stop!” cried Anna.| “Stop now!”| She ran.",
    '"Are you mad?"| She slammed the door.',
    '"It was bad.| It was very bad," he said.',
    "(He left.)| Then he came back.",
    "He left (it was late).| Then he came back.",
    "He went home (he was tired.)| Then he slept.",
    "He asked (why?) and left.",
    'The sign said "Keep out.").| We did.'.replace('.").', '".'),
    'He went (she said "go.").| They stayed.',
    "The claim was false.[3]| It was withdrawn.[4][5]| The end.",
    "He left.| (She did not.)| They wept.",
    "Er sagte: „Es ist vorbei.“| Dann ging er.",
    "Il a dit : « C'est fini. »| Puis il est parti.",
    # ellipsis and runs
    "He waited...| Then he left.",
    "He waited... and waited.",
    "He waited…| Nobody came.",
    "We shall ... do our best.",
    "We shall ... Congress must act.",
    "It was long . . . and dull.| We left.",
    "You did what?!| Are you mad?!!| Yes!!!",
    "Really?...| Yes.",
    "... and so it ended.| The rest is known.",
    # names with marks
    "Yahoo! said profits rose.| Shares fell.",
    "Yahoo! Inc. and Yahoo! Japan parted.",
    "She won on Jeopardy! in May.",
    # glued sentences, and what only looks like them
    "The war ended.The next day it rained.",
    "The war ended.| Police left.".replace("| Police", "|Police"),
    'He said "it is over."|The next day he left.',
    'He left at dawn.|"We had no choice," he said.',
    "“It is over.”|She wept.",
    "Did it end?|Nobody knew!|Then it did.",
    "It was the work of NATO.|The alliance agreed.",
    "Visit example.com or Node.js docs at docs.Example.com today.",
    "Write to john.Smith@mail.example.com soon.| He answers.",
    "See https://www.example.com/a.B?c=D.Html for more.| Thanks.",
    "Open setup.exe or README.md.| Then wait.",
    "The U.S.A team and e.g.the others lost.",
    "Dr.Weiss met Mr.Okafor.| They talked.",
    "Amazon.com said so.| Booking.com agreed.",
    "The .NET runtime is old.| It works.",
    # lists, bullets, small letters
    "1. First we ate.| 2. Then we slept.",
    "1. Sugar| 2. Milk| 3. Flour",
    "I. Introduction",
    "Key facts: • It rained.| • It snowed.".replace("facts: •", "facts:| •"),
    "Sales were poor.| iPhone sales were not.| eBay gained.",
    "It was over.| adidas said nothing.",
    "He left.| @newsdesk reported it.| #sad",
    # datelines
    "LONDON (Reuters) - Police shot a man.| He died.",
    "NEW YORK — U.S. stocks fell on Monday.| Oil rose.",
    "ST. LOUIS (AP) — The Cardinals won.",
    # lines
    "Storm hits coast|\nThousands flee their homes",
    "Storm hits coast|\n\nThe storm hit on Monday.| Ten died.",
    "Storm hits coast|\nThe storm hit on Monday.",
    "the first part|\n\nof a sentence",
    "The government said on\nMonday that it would\nresign.| It did.",
    "Ten people died when the\nPacific Star sank,\nPolice said.",
    "I met Mr.\nOkafor yesterday.",
    "He lives in the U.S.|\nPresident Obama said so.",
    "The bill was passed.|\nthe vote was close.",
    "Shopping:|\n- eggs|\n- milk|\n* flour|\n• salt",
    "1. Sugar|\n2. Milk",
    "A man was shot dead near the old harbour of the town late on\nSunday by two men who fled in a car that belonged to President\nJorge Ruiz, police said.| A Spokesman for the Ministry of the\nInterior confirmed it.",
    "Harbour Killing Shocks The Whole Of The Old Town Of Saint Malo|\nA man was shot dead near the old harbour of the town late on\nsunday by two men.",
    # other languages with spaces share the rules
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
    "（完。）|谢谢阅读。",
    "第一行没有句号|\n第二行也没有|\n\n第三行",
    "他今天去了北京，\n明天去上海。|后天回家。",
    "他在Apple Inc.工作了三年。|后来去了Google.| 现在退休了。",
    "他走了.|她来了.",
    "雅虎Yahoo!公司宣布裁员。|股价下跌。",
    '他说:"我们走吧。"|然后他走了。|"好。"|她说。'.replace('"好。"|她说', '"好。"她说'),
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
    "「終わった。」ところが、続きがあった。".replace("」ところ", "」|ところ"),
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
    "『終わりだ。』と叫ぶ。|「まだだ！」|と、声がした。".replace("」|と、", "」と、"),
    "これは文だ．|次も文だ．",
    "「はい。」|でも彼は来なかった。",
    "彼は「えっ！」と驚き、「なぜ？」と聞いた。|私は答えた。",
]


def _text_and_sentences(case: str) -> tuple[str, list[str]]:
    return case.replace("|", ""), [piece.strip() for piece in case.split("|")]


@pytest.mark.parametrize("case", ENGLISH)
def test_hard_english_text_is_cut_where_a_reader_would(case: str) -> None:
    text, expected = _text_and_sentences(case)
    assert sentences(text) == expected


@pytest.mark.parametrize("case", CHINESE)
def test_hard_chinese_text_is_cut_where_a_reader_would(case: str) -> None:
    text, expected = _text_and_sentences(case)
    assert sentences(text, "zh") == expected


@pytest.mark.parametrize("case", JAPANESE)
def test_hard_japanese_text_is_cut_where_a_reader_would(case: str) -> None:
    text, expected = _text_and_sentences(case)
    assert sentences(text, "ja") == expected
