"""Which lines of a page are its article: one small page for each rule."""

from __future__ import annotations

import pytest

import newsdesk as nd
from tests.corpus.extract.pages import BODY, SENTENCES, TEXT, TITLE, json_ld, page

LINKS = "".join(f'<li><a href="/{n}">Another story about number {n}</a></li>' for n in range(8))


def text_of(body: str, **parts: str) -> str:
    return nd.extract(page(body, **parts)).text


def test_a_plain_article_is_its_paragraphs_without_the_headline() -> None:
    assert nd.extract(page()).text == TEXT


def test_navigation_lists_of_links_and_footers_are_left_out() -> None:
    body = (
        f"<nav>{BODY}</nav><ul>{LINKS}</ul><article><h1>{TITLE}</h1>{BODY}</article>"
        f"<div class='related-stories'><h3>More</h3><ul>{LINKS}</ul></div><footer>About us, imprint and terms.</footer>"
    )
    assert text_of(body) == TEXT


def test_a_class_that_sounds_like_boilerplate_drops_a_small_element() -> None:
    promo = "<div class='newsletter-box'><p>Get all the news of the harbour, every morning, in your mailbox.</p></div>"
    assert text_of(f"<article>{BODY}{promo}</article>") == TEXT


def test_a_class_that_sounds_like_boilerplate_is_pardoned_around_most_of_the_text() -> None:
    assert text_of(f"<div class='sidebar-layout'>{BODY}</div>") == TEXT


def test_parts_of_one_class_are_pardoned_together() -> None:
    parts = "".join(f"<div class='sidebar-grid'><p>{each}</p></div>" for each in SENTENCES)
    assert text_of(f"<article>{parts}</article>") == TEXT


def test_a_repeated_placeholder_is_not_pardoned_for_its_mass() -> None:
    notice = (
        "<p>To show you this content we need your agreement to load data from other servers.</p>"
    )
    boxes = "".join(
        f"<p>{each}</p><div class='embed-placeholder'>{notice}</div>" for each in SENTENCES
    )
    assert text_of(f"<article>{boxes}</article>") == TEXT


def test_comments_are_not_pardoned_when_they_hold_half_of_the_text() -> None:
    comments = "".join(
        f"<p>I have read this, dear reader number {n}, and do not agree with the council at all.</p>"
        for n in range(5)
    )
    assert text_of(f"<article>{BODY}</article><div class='comments'>{comments}</div>") == TEXT


def test_the_words_of_title_and_description_tell_the_article_from_longer_teasers() -> None:
    teasers = "".join(
        f"<p>Football: team {n} has won again, as it did last week, and leads the table now, for once.</p>"
        for n in range(7)
    )
    body = f"<div class='c1'><div>{teasers}</div></div><div class='c2'><div>{BODY}</div></div>"
    head = '<meta name="description" content="The council will close the old bridge; engineers warned of its pillars.">'
    assert text_of(body, head=head) == TEXT


def test_a_lead_between_headline_and_body_belongs_to_the_text() -> None:
    lead = "A detour through the valley begins next week."
    body = f"<header><h1>{TITLE}</h1><p>{lead}</p></header><div><div>{BODY}</div></div>"
    assert text_of(body) == f"{lead}\n{TEXT}"


def test_a_lead_in_a_box_is_known_by_the_description() -> None:
    lead = "Old bridge closed, valley road full: what drivers need to know now"
    body = (
        f"<h1>{TITLE}</h1><div class='teaser-box'><p>{lead}</p></div><div><div>{BODY}</div></div>"
    )
    head = f'<meta property="og:description" content="{lead}">'
    assert text_of(body, head=head) == f"{lead}\n{TEXT}"
    assert text_of(body) == TEXT


def test_an_article_inside_the_article_is_a_teaser() -> None:
    inner = "<article><h3>Read this</h3><p>The mayor of the next town has opened a new school, at last.</p></article>"
    first, rest = BODY.split("</p>", 1)
    assert text_of(f"<article><h1>{TITLE}</h1>{first}</p>{inner}{rest}</article>") == TEXT


def test_paragraphs_full_of_links_stay_and_labels_of_links_go() -> None:
    sentence = 'The report was <a href="/1">published by the board of engineers last year</a>.'
    label = f"<h3>More on this</h3><p><a href='/2'>Bridge history</a></p><ul>{LINKS}</ul>"
    text = text_of(f"<article>{BODY}<p>{sentence}</p>{label}</article>")
    assert text == f"{TEXT}\nThe report was published by the board of engineers last year."


@pytest.mark.parametrize(
    "line",
    [
        "5 March 2024, 10:15",
        "Published: 2024-03-05",
        "5. März 2024 | 10:15 Uhr",
        "2024年3月5日 10時",
        "By Jo Miller",
        "Jo Miller, Harbour Post",
        "© Harbour Post 2024",
        "Photo: Jo Miller",
        "Read also: The bridge that never was",
        "Lesen Sie auch: Die Brücke",
        "Advertisement",
        "***",
        TITLE,
    ],
)
def test_lines_around_the_text_go(line: str) -> None:
    head = json_ld(
        '{"@type":"NewsArticle","author":{"@type":"Person","name":"Jo Miller"},"headline":"'
        + TITLE
        + '"}'
    )
    first, rest = BODY.split("</p>", 1)
    assert text_of(f"<article>{first}</p><p>{line}</p>{rest}</article>", head=head) == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "By the time the work is done, three years will have gone by.",
        "On 5 March 2024 the council will meet again to discuss what all of this may cost the town in the end, said the mayor.",
        "“It was time.”",
    ],
)
def test_lines_of_the_text_stay(line: str) -> None:
    first, rest = BODY.split("</p>", 1)
    assert line in text_of(f"<article>{first}</p><p>{line}</p>{rest}</article>")


def test_headings_between_paragraphs_stay_and_the_last_without_text_goes() -> None:
    body = f"<article><h1>{TITLE}</h1>{BODY}<h2>Detour</h2><p>{SENTENCES[0]} Now.</p><h2>Topics</h2></article>"
    assert text_of(body) == f"{TEXT}\nDetour\n{SENTENCES[0]} Now."


def test_what_is_told_about_the_author_at_the_end_goes() -> None:
    head = '<meta name="author" content="Jo Miller">'
    bio = "<p>Jo Miller has been with the paper since 2004 and writes about bridges and boats.</p>"
    assert text_of(f"<article>{BODY}{bio}</article>", head=head) == TEXT


def test_two_line_breaks_end_a_paragraph_and_one_does_not() -> None:
    body = f"<div>{SENTENCES[0]}<br><br>{SENTENCES[1]}<br>{SENTENCES[2]}<br/> <br/>{SENTENCES[3]}</div>"
    assert text_of(body) == "\n".join(
        (SENTENCES[0], f"{SENTENCES[1]} {SENTENCES[2]}", SENTENCES[3])
    )


def test_a_form_around_the_whole_page_is_no_form() -> None:
    assert text_of(f"<form id='aspnetForm'><div>{BODY}</div></form>") == TEXT


def test_soft_hyphens_and_invisible_characters_are_removed() -> None:
    assert text_of(f"<p>Har\u00adbour \u200bboats.</p>{BODY}").startswith("Harbour boats.")


def test_little_text_is_filled_from_json_ld() -> None:
    body = " ".join(SENTENCES)
    head = json_ld('{"@type":"NewsArticle","headline":"x","articleBody":"' + body + '"}')
    assert text_of("<div id='root'>Please enable JavaScript.</div>", head=head) == body


def test_a_text_about_something_else_gets_a_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "".join(
        f"<p>Football: team {n} has won again, as it did last week, and leads the table now.</p>"
        for n in range(9)
    )
    body = " ".join(SENTENCES)
    head = (
        json_ld('{"@type":"NewsArticle","headline":"x","articleBody":"' + body + '"}')
        + f'<meta name="description" content="{SENTENCES[0]}">'
    )
    assert text_of(f"<div>{wrong}</div>", head=head) == body
    assert "Football" in text_of(f"<div>{wrong}</div>", head=head.replace("articleBody", "other"))
