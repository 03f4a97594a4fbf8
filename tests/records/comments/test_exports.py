"""Exports of comment systems, each in a file written for the test: what is read, what is skipped, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.types import Article, Comment, Thread

DISQUS = """<?xml version="1.0" encoding="utf-8"?>
<disqus xmlns="http://disqus.com" xmlns:dsq="http://disqus.com/disqus-internals">
  <category dsq:id="1"><forum>paper</forum><title>General</title></category>
  <thread dsq:id="10"><id>rail</id><link>https://paper.example/rail</link><title>Rail &amp;amp; road</title><isDeleted>false</isDeleted></thread>
  <thread dsq:id="11"><id/><link>https://paper.example/old</link><title>Old</title><isDeleted>true</isDeleted></thread>
  <post dsq:id="100"><id/><message><![CDATA[<p>Trains <b>first</b>.</p><p>Then &lt;roads&gt;</p>]]></message><createdAt>2026-11-16T10:00:00Z</createdAt>
    <isDeleted>false</isDeleted><isSpam>false</isSpam><author><name>Ann B.</name><username>ann</username></author><thread dsq:id="10"/></post>
  <post dsq:id="101"><message>Reply</message><createdAt>2026-11-16T11:00:00Z</createdAt><isDeleted>false</isDeleted><isSpam>false</isSpam>
    <author><name>Ben</name></author><thread dsq:id="10"/><parent dsq:id="100"/></post>
  <post dsq:id="102"><message>gone</message><isDeleted>true</isDeleted><isSpam>false</isSpam><thread dsq:id="10"/></post>
  <post dsq:id="103"><message>buy</message><isDeleted>false</isDeleted><isSpam>true</isSpam><thread dsq:id="10"/></post>
  <post dsq:id="104"><message>late</message><isDeleted>false</isDeleted><isSpam>false</isSpam><thread dsq:id="11"/></post>
  <post dsq:id="105"><message></message><isDeleted>false</isDeleted><isSpam>false</isSpam><thread dsq:id="10"/></post>
</disqus>
"""

WORDPRESS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Paper</title>
<item><title>Rail</title><link>https://paper.example/rail</link><excerpt:encoded>short</excerpt:encoded>
  <content:encoded><![CDATA[<p>The line opens.</p>]]></content:encoded><wp:post_id>5</wp:post_id>
  <wp:comment><wp:comment_id>1</wp:comment_id><wp:comment_author><![CDATA[Ann]]></wp:comment_author><wp:comment_date>2026-11-16 11:00:00</wp:comment_date>
    <wp:comment_date_gmt>2026-11-16 10:00:00</wp:comment_date_gmt><wp:comment_content><![CDATA[Good &amp; late]]></wp:comment_content>
    <wp:comment_approved>1</wp:comment_approved><wp:comment_type>comment</wp:comment_type><wp:comment_parent>0</wp:comment_parent></wp:comment>
  <wp:comment><wp:comment_id>2</wp:comment_id><wp:comment_content>hold</wp:comment_content><wp:comment_approved>0</wp:comment_approved><wp:comment_type/></wp:comment>
  <wp:comment><wp:comment_id>3</wp:comment_id><wp:comment_content>buy</wp:comment_content><wp:comment_approved>spam</wp:comment_approved><wp:comment_type/></wp:comment>
  <wp:comment><wp:comment_id>4</wp:comment_id><wp:comment_content>ping</wp:comment_content><wp:comment_approved>1</wp:comment_approved><wp:comment_type>pingback</wp:comment_type></wp:comment>
  <wp:comment><wp:comment_id>6</wp:comment_id><wp:comment_content>Yes</wp:comment_content><wp:comment_approved>1</wp:comment_approved><wp:comment_type></wp:comment_type><wp:comment_parent>1</wp:comment_parent></wp:comment>
</item><item><title>Silent</title><wp:post_id>6</wp:post_id></item></channel></rss>
"""

STORY = {"id": "s1", "url": "https://paper.example/rail", "metadata": {"title": "Rail"}}
CORAL = [
    {
        "id": "c1", "body": "Trains<br>first", "status": "APPROVED", "createdAt": "2026-11-16T10:00:00.000Z",
        "story": STORY, "author": {"username": "ann"}, "actionCounts": {"reaction": {"total": 4}, "flag": {"total": 1}},
        "tags": [{"code": "FEATURED"}],
        "replies": {"nodes": [{"id": "c2", "body": "Roads", "status": "NONE", "actionCounts": {"reaction": {"total": 0}}}]},
    },
    {"id": "c3", "body": "insult", "status": "REJECTED", "story": STORY},
    {"id": "c4", "body": "new", "status": "PREMOD", "story": STORY},
    {"id": "c5", "body": None, "revisions": [], "deletedAt": "2026-11-16T10:00:00Z", "story": STORY},
]  # fmt: skip


def _written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("format", ["disqus", None])
def test_disqus_posts_are_comments_of_their_threads(tmp_path: Path, format: str | None) -> None:
    reader = records.read(_written(tmp_path / "export.xml", DISQUS), Thread, format=format)
    (thread,) = reader
    assert thread == Thread(
        Article("10", "", title="Rail & road", url="https://paper.example/rail"),
        (
            Comment("100", "Trains first.\nThen <roads>", at="2026-11-16T10:00:00Z", author="ann"),
            Comment("101", "Reply", at="2026-11-16T11:00:00Z", author="Ben", parent="100"),
        ),
    )
    assert reader.format == "disqus"
    assert reader.account.skipped == {"deleted": 1, "spam": 1, "in a deleted thread": 1}
    assert reader.account.rejected == {"no text": 1}


@pytest.mark.parametrize("format", ["wordpress", None])
def test_wordpress_items_are_threads_of_approved_comments(
    tmp_path: Path, format: str | None
) -> None:
    reader = records.read(_written(tmp_path / "export.xml", WORDPRESS), Thread, format=format)
    (thread,) = reader
    assert thread == Thread(
        Article("5", "The line opens.", title="Rail", url="https://paper.example/rail"),
        (
            Comment("1", "Good & late", at="2026-11-16T10:00:00Z", author="Ann"),
            Comment("6", "Yes", parent="1"),
        ),
    )
    assert reader.account.skipped == {"not approved": 1, "spam": 1, "pingback": 1}


CORAL_THREAD = Thread(
    Article("s1", "", title="Rail", url="https://paper.example/rail"),
    (
        Comment("c1", "Trains\nfirst", likes=4, at="2026-11-16T10:00:00Z", author="ann"),
        Comment("c2", "Roads", likes=0, parent="c1"),
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(CORAL),
        json.dumps(CORAL, indent=1),
        "\n".join(map(json.dumps, CORAL)),
        json.dumps({"data": {"comments": {"edges": [{"node": each} for each in CORAL]}}}),
        json.dumps({"comments": {"nodes": CORAL}}, indent=2),
    ],
    ids=["list", "indented", "lines", "edges", "nodes"],
)
def test_coral_comments_are_found_in_every_nesting(tmp_path: Path, text: str) -> None:
    reader = records.read(_written(tmp_path / "x.json", text), Thread, format="coral")
    assert list(reader) == [CORAL_THREAD]
    assert reader.account.skipped == {"rejected": 1, "not approved": 1, "deleted": 1}
    assert reader.ignored == {"tags": 1}


def test_coral_is_recognised_where_a_comment_shows_its_story(tmp_path: Path) -> None:
    reader = records.read(_written(tmp_path / "x.json", json.dumps(CORAL)), Thread)
    assert (list(reader), reader.format) == ([CORAL_THREAD], "coral")


def test_an_answer_of_coral_is_recognised_with_the_replies_in_it(tmp_path: Path) -> None:
    replies = {"edges": [{"node": {"id": "c2", "body": "Roads"}}]}
    node = {"id": "c1", "body": "Trains", "replies": replies}
    answer = {"data": {"story": {**STORY, "comments": {"edges": [{"node": node}]}}}}
    reader = records.read(_written(tmp_path / "x.json", json.dumps(answer)), Thread)
    (thread,) = reader
    assert (reader.format, thread.article.title) == ("coral", "Rail")
    assert thread.comments == (Comment("c1", "Trains"), Comment("c2", "Roads", parent="c1"))


def test_stored_coral_comments_have_revisions(tmp_path: Path) -> None:
    row = {
        "_id": "c1", "storyID": "s1", "parentID": None, "createdAt": {"$date": "2026-11-16T10:00:00Z"},
        "revisions": [{"body": "old"}, {"body": "new", "actionCounts": {"REACTION": 2}}], "status": "NONE",
    }  # fmt: skip
    (thread,) = records.read(_written(tmp_path / "x.jsonl", json.dumps(row)), Thread)
    assert thread.comments == (Comment("c1", "new", likes=2, at="2026-11-16T10:00:00Z"),)


BOMB = '<?xml version="1.0"?><!DOCTYPE disqus [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><disqus><post><message>&b;</message></post></disqus>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item>&x;</item></rss>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE], ids=["bomb", "outside"])
def test_declared_entities_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"x\.xml: the XML declares entities, which are not read"):
        list(records.read(_written(tmp_path / "x.xml", text), Thread))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<disqus><post></disqus>", "not XML: mismatched tag in line 1"),
        ("<disqus>" + "<post>" * 200, "nested more than 100 deep"),
    ],
)
def test_broken_xml_is_one_error(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        list(records.read(_written(tmp_path / "x.xml", text), Thread))


def test_an_export_of_another_system_than_named_is_refused(tmp_path: Path) -> None:
    path = _written(tmp_path / "x.xml", WORDPRESS)
    with pytest.raises(
        DataError, match="a wordpress export, not disqus; use --input-format wordpress"
    ):
        list(records.read(path, Thread, format="disqus"))
