"""Footnotes of wikitext that are used by their name."""

from __future__ import annotations

import pytest

from newsdesk.corpus.portal.collect import parse_page

USED = "* A dam bursts.<ref name=dam/>\n* Villages are flooded.<ref name='dam' />"
CITED = "{{cite news |url=http://wire.example/dam |newspaper=The Wire}}"


@pytest.mark.parametrize(
    "page",
    [
        f"* A dam bursts.<ref name=dam>{CITED}</ref>\n* Villages are flooded.<ref name='dam' />",
        f"* A dam bursts.<ref name=dam></ref>\n* Villages are flooded.<ref name=dam>{CITED}</ref>",
        f'{USED}\n<references><ref name="dam">{CITED}</ref></references>',
        f"{USED}\n{{{{reflist|refs=<ref name=dam>{CITED}</ref>}}}}",
    ],
    ids=["before", "after", "in references", "in a template"],
)
def test_a_footnote_used_by_name_cites_its_page_wherever_it_is_written(page: str) -> None:
    text = f"{{{{Current events|year=2012|month=05|day=3|content=\n{page}\n}}}}"
    events = parse_page(text, name="page.wiki").events
    assert [event.summary for event in events] == ["A dam bursts.", "Villages are flooded."]
    for event in events:
        assert [(s.url, s.label) for s in event.sources] == [
            ("http://wire.example/dam", "The Wire")
        ]


def test_a_name_of_another_group_or_without_a_text_cites_nothing() -> None:
    other = (
        f"* One.<ref name=a group=notes/>\n* Two.<ref name=b/>\n* Three.<ref name=a>{CITED}</ref>"
    )
    text = f"{{{{Current events|year=2012|month=05|day=3|content=\n{other}\n}}}}"
    assert [len(event.sources) for event in parse_page(text, name="page.wiki").events] == [0, 0, 1]
