"""Pages that are broken, huge, binary or malicious: an empty text or an error with a reason, soon."""

from __future__ import annotations

import time

import hypothesis
import pytest
from hypothesis import strategies as st

import newsdesk as nd
from newsdesk.errors import PageError
from tests.corpus.extract.pages import BODY, SENTENCES, TEXT, page

GERMAN = (
    "Zürich und Köln sind schöne Städte, in denen viele Menschen leben, sagte die Bürgermeisterin."
)
CHINESE = "中华人民共和国国务院总理今天在北京会见了来访的外国客人，双方就共同关心的问题交换了意见。"
JAPANESE = "気象庁は十三日、午後九時ごろ、日向灘で震度五弱の地震があったと発表した。"


@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("utf-8", "utf-8", GERMAN),
        ("iso-8859-1", "utf-8", GERMAN),
        ("iso-8859-1", "cp1252", GERMAN + " „So“ – 5 €"),
        ("gb2312", "gb18030", CHINESE),
        ("Shift_JIS", "cp932", JAPANESE),
        ("no-such-charset", "cp1252", GERMAN),
        ("rot13", "cp1252", GERMAN),
        ("", "utf-16", GERMAN),
        ("", "utf-8-sig", GERMAN),
        ("", "cp1252", GERMAN * 3),
    ],
)
def test_charsets_are_read_from_the_bytes_before_the_declaration(
    declared: str, codec: str, text: str
) -> None:
    html = f'<html><head><meta charset="{declared}"></head><body><p>{text}</p></body></html>'
    assert nd.extract(html.encode(codec)).text == text


def test_the_charset_of_the_http_header_counts_where_the_page_names_none() -> None:
    html = f"<p>{CHINESE}</p>".encode("gb18030")
    assert nd.extract(html, charset="GBK").text == CHINESE


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        ("<!-- only a comment -->", "empty"),
        (b"%PDF-1.7 and so on", "binary"),
        (b"\x89PNG\r\n\x1a\n", "binary"),
        (bytes(range(256)) * 9, "binary"),
        (b"<p>long</p>" * 100, "too-large"),
    ],
)
def test_what_is_no_page_raises_an_error_with_its_kind(html: str | bytes, kind: str) -> None:
    with pytest.raises(PageError) as error:
        nd.extract(html, max_bytes=1_000 if kind == "too-large" else 10_000)
    assert error.value.kind == kind
    assert isinstance(error.value, nd.DataError)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000 + BODY,
        "<table><tr><td>" * 3_000 + BODY,
        "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + f">{BODY}",
        '<p x=">" ' + " ".join(f"a{n}=1" for n in range(50_000)) + f">{BODY}",
        "<" * 500_000,
        "<a" * 200_000,
        "&#0;&#1;&#xD800;&#99999999999;" * 5_000,
        "<br>" * 50_000 + "text",
        "<p>" + '<a href="x">link text</a>, ' * 20_000,
        "<title>" + " - x" * 50_000 + "</title>" + BODY,
        "<h1>a - b</h1>" * 5_000,
        "<title>" + "1" * 300_000 + "</title>",
        '<script type="application/ld+json">' + "[" * 100_000 + "</script>" + BODY,
        '<script type="application/ld+json">{"headline":"' + '\\"' * 50_000 + "</script>" + BODY,
        f'<time datetime="{"9" * 50_000}"></time>{BODY}',
        '<frameset><frame src="x"></frameset>',
        "<p>\ud800 lone surrogate",
        "<html><head></head></html>",
        "<svg><p>" + BODY,
        "\x00\x01\x02" * 10 + BODY,
    ],
)
def test_malicious_pages_end_soon(html: str) -> None:
    started = time.process_time()
    article = nd.extract(html, "https://example.org/a")
    assert time.process_time() - started < 5
    article.text.encode("utf-8")


def test_deep_nesting_within_the_limit_keeps_the_text() -> None:
    assert nd.extract("<div>" * 1_500 + BODY).text == TEXT


def test_markup_that_is_never_closed_keeps_the_text() -> None:
    html = "<html><body><article><h1>Title" + "".join(f"<p>{each}" for each in SENTENCES)
    assert nd.extract(html).text == TEXT


def test_control_characters_are_removed() -> None:
    html = page().replace("bridge", "bri\x00\x07d\x1bge\x9f").encode()
    assert nd.extract(html).text == TEXT


@pytest.mark.parametrize(
    "value",
    ["null", "[]", "{}", "7", '"x"', '{"name":7}', "[[[[[[1]]]]]]", '{"@value":"x"}', '["","x"]'],
)
@pytest.mark.parametrize(
    "key",
    ["headline", "datePublished", "author", "publisher", "description", "@type", "articleBody"],
)
def test_json_ld_of_any_type_is_survived(key: str, value: str) -> None:
    ld = f'{{"@type":"NewsArticle","headline":"x","{key}":{value}}}'
    head = f'<script type="application/ld+json">{ld}</script>'
    assert nd.extract(page(head=head)).text == TEXT


PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<div class='ad'>", "</div>", "<article>", "</article>", "<h1>", "</h1>"),
        *("<table>", "<td>", "<br>", "<a href=x>", "</a>", "<!--", "-->", "<script>", "</script>"),
        *("<li>", "<form>", "<aside>", "<body>", "</html>", "<time datetime='2024-01-01'>"),
        *('<script type="application/ld+json">{"@type":"Article"', "&amp;", "&#", "<", '"', "\x00"),
        *SENTENCES,
    ]
)


@hypothesis.settings(max_examples=150)
@hypothesis.given(st.lists(PIECES | st.text(max_size=20), max_size=40))
def test_any_mixture_of_markup_gives_an_article_or_a_page_error(pieces: list[str]) -> None:
    try:
        article = nd.extract(
            "".join(pieces), "https://example.org/2024/01/02/a", crawled="2024-02-01"
        )
    except PageError:
        return
    assert article.date is None or article.date <= "2024-02-02"
    article.text.encode("utf-8")


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.binary(max_size=400))
def test_any_bytes_give_an_article_or_a_page_error(data: bytes) -> None:
    try:
        nd.extract(data)
    except PageError as error:
        assert error.kind in ("binary", "empty")
