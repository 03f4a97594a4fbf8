"""The report page: whatever goes in as text comes out as text, and cells are shown by what they hold."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st

from newsdesk.results.page import Section, page


class _Reader(HTMLParser):
    """The text of a page and its tags."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_text_comes_back_as_it_went_in_and_adds_no_tag(text: str) -> None:
    section = Section(text, text).code(text).table([text], [[text]], text)
    reader = _Reader(page(text, text, [section.include(Section(text))]))
    assert reader.tags == _Reader(
        page("t", "t", [Section("t", "t").code("t").table(["t"], [["t"]], "t").include(Section("t"))])
    ).tags  # fmt: skip
    assert sum(text in each for each in reader.texts) >= 8


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (None, '<td class="number">–</td>'),
        (1234567, '<td class="number">1,234,567</td>'),
        (0.5, '<td class="number">0.500</td>'),
        ("2031-03-03", '<td class="short">2031-03-03</td>'),
        ("+0.045 [+0.026, +0.066]", '<td class="short">+0.045 [+0.026, +0.066]</td>'),
        ("a sentence of some words", "<td>a sentence of some words</td>"),
        ("word " * 13, f'<td class="long">{"word " * 13}</td>'),
        ("一方、高校生の利用が多い午後4時台と5時台は1本", None),
    ],
)
def test_a_cell_is_shown_by_what_it_holds(cell: str | float | None, shown: str | None) -> None:
    html = Section("t").table(["x"], [[cell]]).html(1)
    assert (shown or f'<td class="long">{cell}</td>') in html


def test_a_table_without_rows_has_its_header() -> None:
    assert "<th>a</th><th>b</th>" in Section("t").table(["a", "b"], []).html(1)


def test_the_page_lists_its_sections_and_fetches_nothing() -> None:
    html = page("Title", "lead", [Section("One"), Section("Two")])
    for number, title in ((1, "One"), (2, "Two")):
        assert f'<a href="#s{number}">{title}</a>' in html
        assert f'<section id="s{number}"><h2>{number}. {title}</h2>' in html
    assert not re.search(r"(src|href)=\"(?!#)|url\(|@import|https?:", html)
