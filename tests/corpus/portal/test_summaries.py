"""Labels go and sentences stay, wherever the link begins and ends."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from newsdesk.corpus.portal.collect import parse_page
from newsdesk.types import Event

PAGE = '<div class="vevent" id="2015_September_1"><div class="description"><ul>{}</ul></div></div>'


def link(text: str, number: int = 1) -> str:
    return f'<a class="external text" href="https://n.example/{number}">{text}</a>'


def event(bullet: str) -> Event:
    (only,) = parse_page(PAGE.format(f"<li>{bullet}</li>"), name="page.html").events
    return only


@pytest.mark.parametrize(
    ("bullet", "summary", "labels"),
    [
        (f"Five die. {link('(BBC)')}", "Five die.", ["BBC"]),
        (f"Five die ({link('BBC')}).", "Five die.", ["BBC"]),
        (f"Five die. {link('(BBC')})", "Five die.", ["BBC"]),
        (f"Five die. ({link('BBC)')}", "Five die.", ["BBC"]),
        (f"Five die. {link('(BBC')}", "Five die.", ["BBC"]),
        (f"Five die. [{link('BBC')}] [{link('AP', 2)}]", "Five die.", ["BBC", "AP"]),
        (f"Five die. ({link('BBC')}, {link('AP', 2)})", "Five die.", ["BBC", "AP"]),
        (f"Five die. {link('BBC')}, {link('AP', 2)} and {link('Tarn Mail', 3)}.", "Five die.", ["BBC", "AP", "Tarn Mail"]),
        (f"Five die. {link('(BBC)')}; {link('(AP)', 2)} / {link('(Tarn Mail)', 3)}.", "Five die.", ["BBC", "AP", "Tarn Mail"]),
        (f"Five die. {link('(BBC) (AP)')}", "Five die.", ["BBC, AP"]),
        (f"Five die. (AP via {link('Tarn Mail')})", "Five die.", ["AP via Tarn Mail"]),
        (f"Five die. {link('(Le Soir)')} (in French)", "Five die.", ["Le Soir"]),
        (f"Five die, {link('(BBC)')}, six are hurt.", "Five die, six are hurt.", ["BBC"]),
        (f"Five die {link('(BBC)')} and six are hurt {link('(AP)', 2)}.", "Five die and six are hurt.", ["BBC", "AP"]),
        (f"Five die. {link('(BBC)')} Six are hurt. {link('(AP)', 2)}", "Five die. Six are hurt.", ["BBC", "AP"]),
        (f"Five die. {link('(BBC)')}[permanent dead link]", "Five die.", ["BBC"]),
        (f"{link('(BBC)')} &ndash; Five die.", "Five die.", ["BBC"]),
        (f"Five die. {link('(BBC).')}", "Five die.", ["BBC"]),
        (f'Five die. <cite class="citation news">{link("Fire in Tarn")}. <i>Tarn Mail</i>. Retrieved 2 May.</cite>', "Five die.", ["Tarn Mail"]),
        ("Five die. (Reuters)", "Five die.", []),
        ("Five die (Reuters)", "Five die", []),
        (f"Five die. (Reuters) {link('[1]')}", "Five die.", ["Reuters"]),
        (f"“We won!” {link('Tarn Mail')}", "“We won!”", ["Tarn Mail"]),
        (f"五人死亡。{link('（新華社）')}", "五人死亡。", ["新華社"]),
    ],
)  # fmt: skip
def test_labels_are_removed_and_kept_as_labels(
    bullet: str, summary: str, labels: list[str]
) -> None:
    only = event(bullet)
    assert only.summary == summary
    assert [source.label for source in only.sources] == labels


@pytest.mark.parametrize(
    "bullet",
    [
        f"The {link('president resigns')} after protests.",
        f"{link('Bomb in Tarn kills five')}",
        "Redwater beats Oakvale. (3–1)",
        f"The World Health Organization (WHO) agrees. {link('(WHO)')}",
        f"Senator Kim (R-MT) resigns {link('(WHO)')}.",
        f"Five die (as a report by the ministry of {link('defence')} and two other offices says) today.",
    ],
)
def test_what_belongs_to_the_sentence_stays(bullet: str) -> None:
    only = event(bullet)
    plain = bullet.replace(link("(WHO)"), "").replace(" .", ".").strip()
    for each in ("president resigns", "Bomb in Tarn kills five", "defence"):
        plain = plain.replace(link(each), each)
    assert only.summary == plain


def test_labels_are_kept_in_the_text_with_labels() -> None:
    bullet = f"Five die. {link('(BBC)')} ({link('AP', 2)}) {link('[3]', 3)}"
    assert event(bullet).summary_with_labels == "Five die. (BBC) (AP)"


WORDS = st.text("abc XYZ.,;()[]{}–&<>\n\t0é中。 ", max_size=30)


@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=4))
def test_any_text_around_any_link_keeps_its_places_and_its_sources(
    parts: list[tuple[str, str, bool]],
) -> None:
    def escaped(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    bullet = "".join(
        escaped(before)
        + (link(escaped(text), n) if cited else f'<a href="/wiki/T{n}">{escaped(text)}</a>')
        for n, (before, text, cited) in enumerate(parts)
    )
    parsed = parse_page(PAGE.format(f"<li>{bullet}</li>"), name="page.html")
    assert parsed.tally.read == 1
    cited = [f"https://n.example/{n}" for n, part in enumerate(parts) if part[2]]
    for only in parsed.events:
        assert [source.url for source in only.sources] == cited
        assert only.summary == " ".join(only.summary.split())
        for entity in only.entities:
            assert only.summary[entity.start : entity.end] == entity.phrase
