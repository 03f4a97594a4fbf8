"""`newsdesk corpus from`: files of any form become articles, and every row is accounted for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from newsdesk import records
from newsdesk.cli.main import main
from newsdesk.corpus.articles import ArticlesReport, Extraction, build_articles
from newsdesk.types import Article
from newsdesk.work import Running

Built = tuple[list[Article], ArticlesReport]
Build = Callable[..., Built]

FEED = """<?xml version="1.0"?><rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Post</title><language>de</language>
<item><title>Brücke zu</title><link>https://post.example/1</link><pubDate>Tue, 5 Mar 2024 23:10:00 +0900</pubDate><description>Kurz.</description>
<content:encoded><![CDATA[<p>Lang &amp; breit.</p><p>Ende.</p>]]></content:encoded></item>
<item><link>https://post.example/2</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><entry><title>Bridge closed</title><id>tag:a</id>
<link rel="self" href="https://x.example/self"/><link href="https://x.example/1"/><updated>2024-03-05T10:00:00Z</updated>
<author><name>Ann Bell</name></author><summary type="html">It &lt;b&gt;closed&lt;/b&gt;.</summary></entry></feed>"""
SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://x.example/9</loc>
<news:news><news:publication><news:name>The X</news:name><news:language>fr</news:language></news:publication>
<news:publication_date>2024-03-06</news:publication_date><news:title>Pont fermé</news:title></news:news></url></urlset>"""


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def built(content: str | bytes, name: str, **settings: Any) -> Built:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        report = build_articles(
            [str(path)],
            tmp_path / f"{name}.out",
            extraction=Extraction(any_form=True, **settings),
            running=Running("inline"),
        )
        rows = records.read(tmp_path / f"{name}.out", Article) if report.files else iter(())
        return list(rows), report

    return built


def test_columns_are_recognised_and_each_row_is_an_article_or_a_reason(build: Build) -> None:
    table = (
        "Headline;Body;Published;Link;Mood\n"
        'Dam breaks;"A dam broke\nin the north. <p>Many fled.</p>";16/11/2026 10:00;https://www.ex.org/a;x\n'
        "Again;Another broke.;5/11/2026;https://www.ex.org/b;\n"
        ";;5/11/2026;https://www.ex.org/c;\n"
        "x;too;many;cells;here;now\n"
        "Again;Another broke.;5/11/2026;https://www.ex.org/b;\n"
    )
    articles, report = build(table, "export.csv")
    assert [(row.title, row.date, row.source) for row in articles] == [
        ("Again", "2026-11-05", "ex.org"),
        ("Dam breaks", "2026-11-16", "ex.org"),
    ]
    assert articles[1].text == "A dam broke\nin the north.\nMany fled."
    assert report.tally.dropped == {"no text": 1, "broken row": 1, "same id": 1}
    assert report.tally.notes["column not read: Mood"] == 1
    assert report.rejected == 1


def test_a_mapping_wins_and_dates_without_proof_are_left_out(build: Build) -> None:
    table = "id,a,b,when\n7,Words of a.,Words of b.,5/11/2026\n"
    articles, report = build(table, "t.csv", columns=(("text", "b"), ("date", "when")))
    assert (articles[0].id, articles[0].text, articles[0].date) == ("7", "Words of b.", None)
    assert report.tally.notes["dates that cannot be read (left out)"] == 1
    again, _ = build(table, "t.csv", columns=(("text", "b"), ("date", "when")), dates="mdy")
    assert again[0].date == "2026-05-11"


def test_feeds_and_sitemaps_become_articles(build: Build) -> None:
    [item], report = build(FEED, "feed.xml")
    assert (item.title, item.date, item.lang) == ("Brücke zu", "2024-03-05", "de")
    assert item.text == "Lang & breit.\nEnde."
    assert report.tally.dropped == {"no text": 1}


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (ATOM, ("Bridge closed", "It closed.", "https://x.example/1", "2024-03-05", "Ann Bell")),
        (SITEMAP, ("Pont fermé", "", "https://x.example/9", "2024-03-06", None)),
    ],
)
def test_atom_and_news_sitemaps_are_read(
    build: Build, content: str, wanted: tuple[str | None, ...]
) -> None:
    [row], _ = build(content, "f.xml")
    assert (row.title, row.text, row.url, row.date, row.author) == wanted


def test_collections_give_an_article_for_each_text(build: Build) -> None:
    lines = [
        {"document": "One. NEWLINE_CHAR Two. ||||| Three.", "summary": "S"},
        {"id": 9, "date": "2019-05-01", "articles": [{"title": "T", "text": "Four.", "time": "2019-05-02T10:00:00"}, {"text": "Five."}]},
        {"id": "p", "document": ["Six.", "Seven."]},
    ]  # fmt: skip
    articles, _ = build("\n".join(map(json.dumps, lines)), "wcep.jsonl")
    rows = {row.id: (row.text, row.date) for row in articles}
    assert rows == {
        "wcep-1/1": ("One. \n Two.", None),
        "wcep-1/2": ("Three.", None),
        "9/1": ("Four.", "2019-05-02"),
        "9/2": ("Five.", "2019-05-01"),
        "p/1": ("Six.", None),
        "p/2": ("Seven.", None),
    }


def test_lists_parquet_and_lines_of_documents_are_read(build: Build, tmp_path: Path) -> None:
    listed, _ = build(json.dumps({"status": "ok", "articles": [{"title": "A", "content": "Text."}]}), "api.json")  # fmt: skip
    assert [row.text for row in listed] == ["Text."]
    frame = tmp_path / "frame.parquet"
    pl.DataFrame({"headline": ["B"], "maintext": ["Long."], "n": [3]}).write_parquet(frame)
    tabled, _ = build(frame.read_bytes(), "frame.parquet")
    assert [(row.title, row.text) for row in tabled if row.title == "B"] == [("B", "Long.")]
    parted, _ = build("One. story_separator_special_tag Two.\n", "test.src.cleaned")
    assert {row.text for row in parted} >= {"One.", "Two."}


def test_a_folder_of_texts_has_titles_and_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "2024-03-01 flood.txt").write_text("# A flood\n\nWater came.\n")
    (tmp_path / "texts" / "latin.txt").write_bytes("Zürich lag still.".encode("cp1252"))
    assert main(["corpus", "from", "texts", "-o", "a.jsonl", "--engine", "inline"]) == 0
    first, second = records.read("a.jsonl", Article)
    assert (first.id, first.title, first.date) == (
        "texts/2024-03-01-flood",
        "A flood",
        "2024-03-01",
    )
    assert (second.title, second.text) == (None, "Zürich lag still.")


def test_wrong_files_and_mappings_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.csv").write_text("a,b\n1,2\n")
    words = ["corpus", "from", "n.csv", "--engine", "inline", "-o"]
    assert main([*words, "out"]) == 1
    assert "no column with the text of articles among a, b" in capsys.readouterr().err
    assert main([*words, "out", "--map", "text=c"]) == 1
    assert "no column 'c' for 'text'" in capsys.readouterr().err
    assert main([*words, "out", "--map", "txt=a"]) == 1
    assert "did you mean 'text'?" in capsys.readouterr().err
    assert main([*words, "-"]) == 2
    (tmp_path / "have.jsonl").write_text("")
    assert main([*words, "have.jsonl", "--map", "text=a"]) == 1
    assert "--force" in capsys.readouterr().err


def test_the_command_reads_with_an_order_of_dates_and_exits_three_for_broken_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.jsonl").write_text('{"body": "Words.", "published": "5/11/2026"}\n[]\n')
    words = ["corpus", "from", "t.jsonl", "--engine", "inline", "--dates", "mdy", "-o", "a.jsonl"]
    assert main([*words, "--map", "date=published", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["articles"]["dropped"] == {"broken row": 1}
    [row] = records.read("a.jsonl", Article)
    assert row.date == "2026-05-11"
