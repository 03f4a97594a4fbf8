"""Headlines by agreement, addresses, outlets, authors and languages."""

from __future__ import annotations

import pytest

import newsdesk as nd
from tests.corpus.extract.pages import BODY, TITLE, json_ld, page

URL = "https://www.harbour-post.example/news/bridge"


def title_of(html: str, url: str | None = URL) -> str | None:
    return nd.extract(html, url).title


@pytest.mark.parametrize(
    "title",
    [
        f"{TITLE} | Harbour Post",
        f"{TITLE} - News - Harbour Post",
        f"{TITLE} – harbour-post.example",
        f"Harbour Post: {TITLE}".replace(": ", " : "),
        f"{TITLE}｜HARBOUR POST",
    ],
)
def test_the_name_of_the_outlet_is_cut_off_a_title(title: str) -> None:
    site = '<meta property="og:site_name" content="Harbour Post">'
    html = page(f"<div>{BODY}</div>", title=title, head=site)
    assert title_of(html) in (TITLE, f"{TITLE} - News")


def test_the_host_is_the_name_of_the_outlet_where_no_other_is_given() -> None:
    assert title_of(page(f"<div>{BODY}</div>", title=f"{TITLE} - Harbour-Post")) == TITLE


def test_a_part_behind_a_dash_stays_where_nobody_disagrees() -> None:
    title = f"{TITLE} – and nobody knows why"
    assert title_of(page(f"<h1>{title}</h1>{BODY}", title=title)) == title


def test_a_section_is_cut_off_where_the_heading_lacks_it() -> None:
    assert title_of(page(title=f"{TITLE} | Regional news | Today")) == TITLE


def test_json_ld_wins_over_og_title_when_the_heading_agrees_and_the_title_does_not() -> None:
    head = '<meta property="og:title" content="You will not believe this bridge">' + json_ld(
        '{"@type":"NewsArticle","headline":"' + TITLE + '"}'
    )
    assert title_of(page(head=head, title="You will not believe this bridge")) == TITLE
    assert title_of(page(head=head, title=TITLE)) == "You will not believe this bridge"


def test_entities_and_markup_in_json_ld_headlines_are_read() -> None:
    head = json_ld('{"@type":"NewsArticle","headline":"Smith &amp; <b>Sons</b> sell"}')
    assert title_of(page(f"<div>{BODY}</div>", head=head, title="")) == "Smith & Sons sell"


def test_a_page_without_any_title_has_none() -> None:
    assert title_of("<p>nothing</p>") is None


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("/news/bridge-1", "https://www.harbour-post.example/news/bridge-1"),
        ("https://harbour-post.example/b", "https://harbour-post.example/b"),
        ("https://elsewhere.example/b", URL),
        ("https://www.harbour-post.example/", URL),
        ("javascript:void(0)", URL),
        ("http://[broken", URL),
    ],
)
def test_a_canonical_address_is_believed_on_the_same_site(link: str, url: str) -> None:
    article = nd.extract(page(head=f'<link rel="canonical" href="{link}">'), URL)
    assert article.url == url
    assert article.source == "harbour-post.example"


def test_the_address_comes_from_the_page_where_none_is_given() -> None:
    article = nd.extract(page(head=f'<meta property="og:url" content="{URL}">'))
    assert (article.url, article.source) == (URL, "harbour-post.example")


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ('"Jo Miller"', "Jo Miller"),
        ('{"@type":"Person","name":"Jo Miller"}', "Jo Miller"),
        ('[{"name":"Jo Miller"},{"name":["Ann Lee"]}]', "Jo Miller, Ann Lee"),
        ('[{"name":"Jo Miller"},{"name":"Jo Miller"}]', "Jo Miller"),
        ('"https://example.org/jo"', None),
        ('"jo@example.org"', None),
        ("7", None),
    ],
)
def test_authors_come_from_json_ld(author: str, expected: str | None) -> None:
    head = json_ld('{"@type":"NewsArticle","headline":"x","author":' + author + "}")
    assert nd.extract(page(head=head)).author == expected


def test_authors_come_from_meta_or_from_the_page_where_json_ld_names_none() -> None:
    assert nd.extract(page(head='<meta name="author" content="Jo Miller">')).author == "Jo Miller"
    shown = f"<article><a rel='author' href='/jo'>Jo Miller</a>{BODY}</article>"
    assert nd.extract(page(shown)).author == "Jo Miller"


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        ("de-DE", "Zürich ist schön, und der See ist kalt. " * 3, "de"),
        ("en", "気象庁は、日向灘で地震があったと発表した。これは大きい。" * 3, "ja"),
        ("uk", "Уряд ухвалив нове рішення, повідомили сьогодні у Києві. " * 3, "uk"),
        ("ja", "The ministry has said that it will not comment on the matter. " * 3, "en"),
        ("bn", "সরকার আজ একটি নতুন সিদ্ধান্ত নিয়েছে বলে জানানো হয়েছে। " * 3, "bn"),
        ("", "The ministry has said that it will not comment on the matter. " * 3, "en"),
    ],
)
def test_the_declared_language_is_believed_if_the_script_fits(
    declared: str, text: str, expected: str
) -> None:
    assert nd.extract(page(f"<p>{text}</p>", lang=declared)).lang == expected
