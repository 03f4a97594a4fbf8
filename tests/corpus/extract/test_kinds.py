"""Pages of many kinds, written by hand: the article comes out whole and alone, whatever its elements are called."""

from __future__ import annotations

import pytest

import newsdesk as nd
from tests.corpus.extract.pages import BODY, SENTENCES, TEXT, TITLE, page

LINKS = "".join(f'<a href="/{name}">{name}</a> ' for name in ("Home", "World", "Sport", "Culture"))
HEAD = f"<nav>{LINKS}</nav>"
TEASERS = "".join(
    f'<div class="teaser"><h3><a href="/{n}">Ferry {n} is late</a></h3>'
    f"<p>The operator said on Tuesday that ferry {n} would stay in port for another week because of the wind.</p></div>"
    for n in range(6)
)
REPLIES = "".join(
    f"<p>I have read this and do not agree with any of it, since all of it is fine to me, reader {n}.</p>"
    for n in range(9)
)
COOKIES = "".join(
    f"<p>We and our {n} partners store and access information on your device, such as identifiers, to process data.</p>"
    for n in range(9)
)
HALF = "".join(f"<p>{each}</p>" for each in SENTENCES[:2])
REST = "".join(f"<p>{each}</p>" for each in SENTENCES[2:])
ROWS = "<br>".join(f"<a href=/{n}>Ferry {n} is late again after the storm</a>" for n in range(9))
NUMBERED = "".join(
    f"<div class='block block-{n} comment-enabled'><p>{each}</p></div>"
    for n, each in enumerate(SENTENCES)
)

KINDS = {
    "a table of the 2000s": f"<table><tr><td width=150>{LINKS}</td><td><font size=4><b>{TITLE}</b></font><p>{'<p>'.join(SENTENCES)}</td><td>{ROWS}</td></tr></table>",
    "a table with a row a paragraph": f"<table><tr><td>{LINKS}</td><td><table>{''.join(f'<tr><td>{each}</td></tr>' for each in SENTENCES)}</table></td></tr></table>",
    "lines between double breaks": f"<div>{LINKS}</div><div><h1>{TITLE}</h1>{'<br><br>'.join(SENTENCES)}</div>",
    "preformatted text": f"<h1>{TITLE}</h1>{''.join(f'<pre>{each}</pre>' for each in SENTENCES)}",
    "sections with meaningless names": f'<section class="xk3"><h1>{TITLE}</h1><section class="b7"><div class="r2">{HALF}</div></section><section class="b7"><div class="r2">{REST}</div></section></section><section class="q1">{TEASERS}</section>',
    "elements of their own": f"<h1>{TITLE}</h1><story-body><story-text>{BODY}</story-text></story-body><div>{TEASERS}</div>",
    "an AMP page": f"<amp-sidebar>{LINKS}</amp-sidebar><main><h1>{TITLE}</h1><div>{HALF}<amp-ad></amp-ad>{REST}</div><amp-list>{TEASERS}</amp-list></main>",
    "a live blog": f"<main><h1>{TITLE}</h1><div>{''.join(f'<div class=live-post><time>1{n}:05</time><p>{each}</p><div class=share><a href=#>Share</a></div></div>' for n, each in enumerate(SENTENCES))}</div></main><aside>{TEASERS}</aside>",
    "numbered blocks that allow comments": f"<main><h1>{TITLE}</h1>{NUMBERED}</main><div class='more'>{TEASERS}</div>",
    "comments longer than the article": f"<div class='story'><h1>{TITLE}</h1>{BODY}</div><div class='commentlist'>{REPLIES}</div>",
    "replies longer than the article under no name": f"<div class='story'><h1>{TITLE}</h1>{BODY}</div><div id='x'><div>{REPLIES}</div></div>",
    "a notice longer than the article": f"<div id='cookie-layer'>{COOKIES}</div><div class='story'><h1>{TITLE}</h1>{BODY}</div>",
    "a notice under no name": f"<div class='z'><div>{COOKIES}</div></div><div class='story'><h1>{TITLE}</h1>{BODY}</div>",
    "a wall that holds the article": f"<article><h1>{TITLE}</h1><div class='subscriber-only'>{BODY}</div></article><aside>{TEASERS}</aside>",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_article_comes_out_whole_and_alone(kind: str) -> None:
    article = nd.extract(page(HEAD + KINDS[kind]))
    assert (article.title, article.text) == (TITLE, TEXT)


def test_a_notice_of_one_paragraph_is_not_filled_with_teasers() -> None:
    body = f"{HEAD}<div class='brief'><h1>{TITLE}</h1><p>{SENTENCES[0]}</p></div><div class='list'>{TEASERS}</div>"
    assert nd.extract(page(body)).text == SENTENCES[0]


def test_an_invitation_to_subscribe_is_no_line_of_a_stub() -> None:
    wall = "<div class='wall'><h2>Read on with a subscription</h2><p>Subscribe now to read this article and all others, a month is free.</p></div>"
    body = f"{HEAD}<article><h1>{TITLE}</h1>{HALF}{wall}</article><aside>{TEASERS}</aside>"
    assert nd.extract(page(body)).text == "\n".join(SENTENCES[:2])


def test_an_article_goes_on_in_an_element_of_another_name() -> None:
    intro = f"<div class='intro'><h1>{TITLE}</h1>{HALF}</div>"
    more = "A new bridge would cost the town forty million, said the council of the harbour."
    body = f"{HEAD}<div>{intro}<div class='rest'><div>{REST}<p>{more}</p></div></div></div><div class='side'>{TEASERS}</div>"
    assert nd.extract(page(body)).text == f"{TEXT}\n{more}"


def test_a_title_without_h1_is_the_part_that_the_page_shows() -> None:
    body = f"<p><a href='/'>Harbour Post</a></p><b>{TITLE}</b>{BODY}"
    assert nd.extract(page(body, title=f"{TITLE} | Harbour Post")).title == TITLE


@pytest.mark.parametrize(
    ("lang", "title", "sentences"),
    [
        (
            "ar",
            "مدينة ساحلية تغلق جسرها القديم",
            (
                "قرر مجلس المدينة الساحلية الصغيرة يوم الاثنين إغلاق الجسر القديم الذي يحمل الحافلات منذ عام 1931.",
                "ويخشى أصحاب المتاجر على تجارتهم، ووعدتهم رئيسة البلدية بالمساعدة قبل بدء موسم الصيف.",
            ),
        ),
        (
            "ja",
            "港町、古い橋を閉鎖",
            (
                "港町の議会は月曜日、1931年からバスを通してきた古い橋を閉鎖することを決めた。",
                "商店主たちは商売への影響を心配しており、市長は夏の季節が始まる前に支援すると約束した。",
            ),
        ),
        (
            "zh",
            "港口小镇关闭旧桥",
            (
                "港口小镇议会周一决定关闭自1931年以来一直通行公交车的旧桥，司机必须绕行约十一公里。",
                "店主们担心生意受影响，镇长承诺在夏季开始前给予帮助，并在秋天之前决定新桥的资金。",
            ),
        ),
    ],
)
@pytest.mark.parametrize("between", ["</p><p>", "<br><br>"])
def test_other_scripts_are_read_alike(
    lang: str, title: str, sentences: tuple[str, ...], between: str
) -> None:
    links = "".join(f'<a href="/{n}">{each[:12]}</a> ' for n, each in enumerate(sentences))
    body = f"<div class='n'>{links}</div><div class='r'><h1>{title}</h1><p>{between.join(sentences)}</p></div>"
    article = nd.extract(page(body, title=title, lang=lang))
    assert (article.title, article.text, article.lang) == (title, "\n".join(sentences), lang)
