"""Files of comments as people have them, each written for the test: workbooks, headers in seven languages, nested JSON, social networks, Coral with replies."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from newsdesk import packaged, records
from newsdesk.cli.main import main
from newsdesk.errors import DataError
from newsdesk.records.comments.flat import parse_map, simplified
from newsdesk.types import Article, Comment, Thread

AT = "2026-11-16T10:30:00Z"
LATER = "2026-11-16T11:05:00Z"


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding)
    return path


def dumped(path: Path, value: object, indent: int | None = None) -> Path:
    return written(path, json.dumps(value, indent=indent, ensure_ascii=False))


def workbook(path: Path, *sheets: tuple[str, list[list[Any]]]) -> Path:
    """A workbook of sheets with these names and rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        page = book.create_sheet(title)
        for row in rows:
            page.append(row)
    book.save(path)
    return path


def thread(article: Article, first: Comment, second: Comment) -> list[Thread]:
    return [Thread(article, (first, second))]


def german_workbook(folder: Path) -> tuple[Path, list[Thread]]:
    notes = [["Bitte nicht ändern"], [None, "Stand: gestern"]]
    rows: list[list[Any]] = [
        ["Export der Redaktion"],
        [],
        ["Artikel-ID", "Überschrift", "Ressort", "Kommentar-ID", "Kommentar", "Gefällt mir", "Erstellt am", "Benutzername", "Antwort auf"],
        [7, "Die Brücke bleibt zu", "Lokales", 1, "Wer prüft den Pfeiler?", 1204, datetime(2026, 11, 16, 10, 30), "anna", None],
        [7, "Die Brücke bleibt zu", "Lokales", 2, "Das Amt, laut Bescheid.", 3, datetime(2026, 11, 16, 11, 5), "ben", 1],
    ]  # fmt: skip
    path = workbook(folder / "leser.xlsx", ("Hinweise", notes), ("Kommentare", rows))
    return path, thread(
        Article("7", "", title="Die Brücke bleibt zu", category="Lokales"),
        Comment("1", "Wer prüft den Pfeiler?", likes=1204, at=AT, author="anna"),
        Comment("2", "Das Amt, laut Bescheid.", likes=3, at=LATER, author="ben", parent="1"),
    )


def german_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "Beitrag-ID;Schlagzeile;Rubrik;Kommentarnummer;Kommentartext;Daumen hoch;Daumen runter;Datum;Verfasser;Antwort auf\r\n"
        'b1;Größere Züge;Verkehr;10;"Endlich; aber spät.";1.204;2;16.11.2026 10:30;Jörg;\r\n'
        "b1;Größere Züge;Verkehr;11;Später als geplant.;0;5;16.11.2026 11:05;Uwe;10\r\n"
    )
    return written(folder / "leser.csv", text, "cp1252"), thread(
        Article("b1", "", title="Größere Züge", category="Verkehr"),
        Comment("10", "Endlich; aber spät.", likes=1204, dislikes=2, at=AT, author="Jörg"),
        Comment("11", "Später als geplant.", likes=0, dislikes=5, at=LATER, author="Uwe", parent="10"),
    )  # fmt: skip


def french_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "Identifiant article;Titre de l'article;Rubrique;ID commentaire;Commentaire;J'aime;Publié le;Pseudo;En réponse à\n"
        "a1;Le pont fermé;Société;1;Qui paie les travaux ?;1 204;16/11/2026 10:30;Zoé;\n"
        "a1;Le pont fermé;Société;2;La région, dit l'arrêté.;3;16/11/2026 11:05;Luc;1\n"
    )
    return written(folder / "avis.csv", text), thread(
        Article("a1", "", title="Le pont fermé", category="Société"),
        Comment("1", "Qui paie les travaux ?", likes=1204, at=AT, author="Zoé"),
        Comment("2", "La région, dit l'arrêté.", likes=3, at=LATER, author="Luc", parent="1"),
    )


def spanish_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "ID artículo,Título,Sección,ID comentario,Comentario,Me gusta,Fecha y hora,Usuario,En respuesta a\n"
        "n1,El puente cerrado,Ciudad,1,¿Quién paga la obra?,12,16/11/2026 10:30,Íñigo,\n"
        'n1,El puente cerrado,Ciudad,2,"El ayuntamiento, según el acta.",0,16/11/2026 11:05,Ana,1\n'
    )
    return written(folder / "lectores.csv", text), thread(
        Article("n1", "", title="El puente cerrado", category="Ciudad"),
        Comment("1", "¿Quién paga la obra?", likes=12, at=AT, author="Íñigo"),
        Comment("2", "El ayuntamiento, según el acta.", likes=0, at=LATER, author="Ana", parent="1"),
    )  # fmt: skip


def portuguese_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "ID da matéria\tManchete\tEditoria\tID do comentário\tComentário\tCurtidas\tData e hora\tNome de usuário\tEm resposta a\n"
        "m1\tPonte fechada\tCidade\t1\tQuem paga a obra?\t12\t2026-11-16 10:30\tJoão\t\n"
        "m1\tPonte fechada\tCidade\t2\tA prefeitura, diz a ata.\t0\t2026-11-16 11:05\tInês\t1\n"
    )
    return written(folder / "leitores.tsv", text), thread(
        Article("m1", "", title="Ponte fechada", category="Cidade"),
        Comment("1", "Quem paga a obra?", likes=12, at=AT, author="João"),
        Comment("2", "A prefeitura, diz a ata.", likes=0, at=LATER, author="Inês", parent="1"),
    )


def chinese_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "新闻编号,新闻标题,栏目,评论编号,评论内容,点赞数,评论时间,用户昵称,父评论ID\n"
        "n1,大桥封闭,本地,1,谁来检查桥墩？,12,2026年11月16日 10时30分,小王,\n"
        "n1,大桥封闭,本地,2,市政局，公告写了。,0,2026年11月16日 11时05分,小李,1\n"
    )
    return written(folder / "评论.csv", text, "utf-8-sig"), thread(
        Article("n1", "", title="大桥封闭", category="本地"),
        Comment("1", "谁来检查桥墩？", likes=12, at=AT, author="小王"),
        Comment("2", "市政局，公告写了。", likes=0, at=LATER, author="小李", parent="1"),
    )


def japanese_table(folder: Path) -> tuple[Path, list[Thread]]:
    text = (
        "記事ID,記事タイトル,カテゴリー,コメントＩＤ,コメント,いいね！数,投稿日時,ユーザー名,返信先\n"
        "k1,橋が閉鎖,地域,1,誰が橋脚を調べるのですか。,12,2026/11/16 10:30,花子,\n"
        "k1,橋が閉鎖,地域,2,市が調べると告示にあります。,0,2026/11/16 11:05,太郎,1\n"
    )
    return written(folder / "コメント.csv", text, "utf-16"), thread(
        Article("k1", "", title="橋が閉鎖", category="地域"),
        Comment("1", "誰が橋脚を調べるのですか。", likes=12, at=AT, author="花子"),
        Comment("2", "市が調べると告示にあります。", likes=0, at=LATER, author="太郎", parent="1"),
    )


def headline_and_section(folder: Path) -> tuple[Path, list[Thread]]:
    path = folder / "desk.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [
                ["Story ID", "Headline", "Section", "Comment ID", "Comment", "Recommendations", "Posted at", "Screen name", "Reply to", "Device"],
                ["s1", "Bridge closed", "Local", "1", "Who checks the pier?", "12", AT, "ann", "", "phone"],
                ["s1", "Bridge closed", "Local", "2", "The city does,\nsays the notice.", "0", LATER, "bo", "1", "web"],
            ]
        )  # fmt: skip
    return path, thread(
        Article("s1", "", title="Bridge closed", category="Local"),
        Comment("1", "Who checks the pier?", likes=12, at=AT, author="ann"),
        Comment("2", "The city does,\nsays the notice.", likes=0, at=LATER, author="bo", parent="1"),
    )  # fmt: skip


NESTED = "comments=stories.discussion.comments,text=body,author=user.name"


def nested_by_path(folder: Path) -> tuple[Path, list[Thread]]:
    stories = [
        {"id": "s1", "headline": "Bridge closed", "section": "Local", "discussion": {"open": True, "comments": [
            {"id": 1, "body": "Who checks the pier?", "likes": 12, "created": AT, "user": {"name": "ann"},
             "replies": [{"id": 2, "body": "The city does.", "likes": 0, "created": LATER, "user": {"name": "bo"}}]},
        ]}},
        {"id": "s2", "headline": "Rain", "section": "Weather", "discussion": {"comments": [{"id": 1, "body": "Wet."}]}},
    ]  # fmt: skip
    path = dumped(folder / "dump.json", {"exported": "today", "stories": stories}, indent=1)
    first = thread(
        Article("s1", "", title="Bridge closed", category="Local"),
        Comment("1", "Who checks the pier?", likes=12, at=AT, author="ann"),
        Comment("2", "The city does.", likes=0, at=LATER, author="bo", parent="1"),
    )
    rain = Article("s2", "", title="Rain", category="Weather")
    return path, [*first, Thread(rain, (Comment("1", "Wet."),))]


def status(name: str, answers: str | None, content: str, likes: int, at: str, who: str) -> dict[str, Any]:  # fmt: skip
    return {
        "id": name, "created_at": at, "in_reply_to_id": answers, "in_reply_to_account_id": None, "sensitive": False, "spoiler_text": "",
        "visibility": "public", "language": "en", "uri": f"https://social.example/users/{who}/statuses/{name}",
        "url": f"https://social.example/@{who}/{name}", "replies_count": 0, "reblogs_count": 4, "favourites_count": likes,
        "content": content, "reblog": None, "account": {"id": "9", "username": who, "acct": f"{who}@social.example"}, "tags": [], "card": None,
    }  # fmt: skip


def mastodon_context(folder: Path) -> tuple[Path, list[Thread]]:
    closed = status(
        "100", None, "<p>The bridge is closed.</p>", 40, "2026-11-16T09:00:00.000Z", "paper"
    )
    pier = status(
        "102",
        "101",
        "<p>Who checks<br>the pier &amp; deck?</p>",
        12,
        "2026-11-16T10:30:00.120Z",
        "ann",
    )
    city = status(
        "103",
        "102",
        '<p><span class="h-card">@ann</span> The city does.</p>',
        0,
        "2026-11-16T11:05:00.000Z",
        "bo",
    )
    private = status("104", "102", "<p>Only for you.</p>", 0, LATER, "bo") | {
        "visibility": "direct"
    }
    path = dumped(folder / "context.json", {"ancestors": [closed], "descendants": [pier, city, private]})  # fmt: skip
    url = "https://social.example/@paper/100"
    return path, thread(
        Article("100", "The bridge is closed.", url=url),
        Comment("102", "Who checks\nthe pier & deck?", likes=12, at=AT, author="ann@social.example", parent="101"),
        Comment("103", "@ann The city does.", likes=0, at=LATER, author="bo@social.example", parent="102"),
    )  # fmt: skip


def activity_streams(folder: Path) -> tuple[Path, list[Thread]]:
    public = ["https://www.w3.org/ns/activitystreams#Public"]
    site = "https://social.example"

    def created(name: str, answers: str | None, content: str, likes: int, at: str, who: str) -> dict[str, Any]:  # fmt: skip
        note = {
            "id": f"{site}/n/{name}", "type": "Note", "inReplyTo": answers, "published": at, "attributedTo": f"{site}/users/{who}", "to": public,
            "cc": [], "content": content, "contentMap": {"en": content}, "likes": {"type": "Collection", "totalItems": likes},
            "replies": {"type": "Collection", "first": {"type": "CollectionPage", "items": []}},
        }  # fmt: skip
        return {"id": f"{site}/a/{name}", "type": "Create", "actor": note["attributedTo"], "published": at, "to": public, "object": note}  # fmt: skip

    items = [
        created("1", None, "<p>The bridge is closed.</p>", 40, "2026-11-16T09:00:00Z", "paper"),
        {"id": f"{site}/a/5", "type": "Announce", "actor": f"{site}/users/paper", "object": "https://other.example/n/8"},
        created("2", f"{site}/n/1", "<p>Who checks the pier?</p>", 12, AT, "ann"),
        created("3", f"{site}/n/2", "<p>The city does.</p>", 0, LATER, "bo"),
    ]  # fmt: skip
    outbox = {"@context": "https://www.w3.org/ns/activitystreams", "id": "outbox.json", "type": "OrderedCollection", "totalItems": 4, "orderedItems": items}  # fmt: skip
    return dumped(folder / "outbox.json", outbox), thread(
        Article(f"{site}/n/1", "The bridge is closed."),
        Comment(f"{site}/n/2", "Who checks the pier?", likes=12, at=AT, author=f"{site}/users/ann"),
        Comment(f"{site}/n/3", "The city does.", likes=0, at=LATER, author=f"{site}/users/bo", parent=f"{site}/n/2"),
    )  # fmt: skip


def bluesky_post(name: str, answers: str | None, text: str, likes: int, at: str) -> dict[str, Any]:
    root = {"cid": "c", "uri": "at://did:plc:paper/app.bsky.feed.post/1"}
    reply = {"reply": {"root": root, "parent": {"cid": "c", "uri": answers}}} if answers else {}
    return {
        "uri": f"at://did:plc:{name}", "cid": "c", "author": {"did": "did:plc:x", "handle": f"{name.partition('/')[0]}.example", "displayName": "X"},
        "record": {"$type": "app.bsky.feed.post", "text": text, "createdAt": at, "langs": ["en"], **reply},
        "replyCount": 0, "repostCount": 1, "likeCount": likes, "quoteCount": 0, "indexedAt": "2026-11-17T00:00:00.000Z", "labels": [],
    }  # fmt: skip


def bluesky_thread(folder: Path) -> tuple[Path, list[Thread]]:
    kind = "app.bsky.feed.defs#threadViewPost"
    root, first = "at://did:plc:paper/app.bsky.feed.post/1", "at://did:plc:ann/app.bsky.feed.post/2"
    closed = bluesky_post(
        "paper/app.bsky.feed.post/1", None, "The bridge is closed.", 40, "2026-11-16T09:00:00.000Z"
    )
    pier = bluesky_post(
        "ann/app.bsky.feed.post/2", root, "Who checks the pier?", 12, "2026-11-16T10:30:00.250Z"
    )
    city = bluesky_post("bo/app.bsky.feed.post/3", first, "The city does.", 0, LATER)
    below = {"$type": kind, "post": pier, "replies": [{"$type": kind, "post": city, "replies": []}]}
    blocked = {
        "$type": "app.bsky.feed.defs#blockedPost",
        "uri": "at://x",
        "blocked": True,
        "author": {"did": "x"},
    }
    path = dumped(
        folder / "thread.json",
        {"thread": {"$type": kind, "post": closed, "replies": [below, blocked]}},
        indent=2,
    )
    return path, thread(
        Article(root, "The bridge is closed.", url="https://bsky.app/profile/paper.example/post/1"),
        Comment(first, "Who checks the pier?", likes=12, at=AT, author="ann.example"),
        Comment("at://did:plc:bo/app.bsky.feed.post/3", "The city does.", likes=0, at=LATER, author="bo.example", parent=first),
    )  # fmt: skip


def coral_export(folder: Path) -> tuple[Path, list[Thread]]:
    common = {
        "tenantID": "t",
        "siteID": "s",
        "storyID": "s1",
        "section": "Local",
        "status": "NONE",
        "childIDs": [],
        "tags": [],
    }
    rows = [
        {**common, "id": "c1", "authorID": "u1", "ancestorIDs": [], "parentID": None, "createdAt": {"$date": AT},
         "revisions": [{"id": "r", "body": "<div>Who checks the pier?</div>", "actionCounts": {"REACTION": 12}}]},
        {**common, "id": "c2", "authorID": "u2", "ancestorIDs": ["c1"], "parentID": "c1", "createdAt": {"$date": LATER},
         "revisions": [{"id": "r", "body": "The city does.", "actionCounts": {"REACTION": 0}}]},
        {**common, "id": "c3", "authorID": "u3", "parentID": "c1", "status": "REJECTED", "revisions": [{"body": "x"}]},
    ]  # fmt: skip
    path = written(folder / "comments.json", "\n".join(map(json.dumps, rows)))
    return path, thread(
        Article("s1", "", category="Local"),
        Comment("c1", "Who checks the pier?", likes=12, at=AT, author="u1"),
        Comment("c2", "The city does.", likes=0, at=LATER, author="u2", parent="c1"),
    )


Maker = Callable[[Path], tuple[Path, list[Thread]]]
FILES: tuple[tuple[Maker, str, str], ...] = (
    (german_workbook, "flat", ""),
    (german_table, "flat", ""),
    (french_table, "flat", ""),
    (spanish_table, "flat", ""),
    (portuguese_table, "flat", ""),
    (chinese_table, "flat", ""),
    (japanese_table, "flat", ""),
    (headline_and_section, "flat", ""),
    (nested_by_path, "nested", NESTED),
    (mastodon_context, "mastodon", ""),
    (activity_streams, "activitystreams", ""),
    (bluesky_thread, "bluesky", ""),
    (coral_export, "coral", ""),
)


@pytest.mark.parametrize(("make", "format", "mapping"), FILES)
def test_texts_threads_likes_authors_parents_and_dates_are_read(
    make: Maker, format: str, mapping: str, tmp_path: Path
) -> None:
    path, expected = make(tmp_path)
    columns = parse_map([mapping]) if mapping else None
    reader = records.read(path, Thread, columns=columns)
    assert list(reader) == expected
    assert (reader.format, dict(reader.account.rejected)) == (format, {})


@pytest.mark.parametrize(("make", "format", "mapping"), FILES)
def test_one_command_ranks_the_file(
    make: Maker, format: str, mapping: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, expected = make(tmp_path)
    out = tmp_path / "out.csv"
    options = ["--map", mapping] if mapping else []
    model = "ready" if make is german_workbook else "length"  # one with the model that ships
    assert main(["rank", "apply", model, str(path), "-o", str(out), *options]) == 0
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    # A spreadsheet would take `@ann` for a formula: an apostrophe stands before it.
    texts = {(row["article"], row["comment"]): row["text"].removeprefix("'") for row in rows}
    assert texts == {
        (each.article.id, comment.id): comment.text for each in expected for comment in each.comments
    }  # fmt: skip


def test_names_of_columns_are_listed_as_they_are_compared() -> None:
    for table in ("comment_columns.txt", "nested_keys.txt"):
        for names in packaged.sections("records", table).values():
            assert [simplified(name) for name in names] == list(names)
            assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("header", "pair"),
    [
        ("Titel;Text;Kommentar", "`Text` or `Kommentar`"),
        ("Título;Texto;Comentario", "`Comentario` or `Texto`"),
        ("标题;内容;评论", "`评论` or `内容`"),
        ("id;title;body;message", "`body` or `message`"),
    ],
)
def test_two_columns_that_may_be_the_text_ask_which(header: str, pair: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", f"{header}\n{';'.join('abcd'[: header.count(';') + 1])}\n")
    with pytest.raises(DataError, match=f"text of comments may be in {pair}; say which with --map"):
        list(records.read(path, Thread))
    last = header.rpartition(";")[2]
    (read,) = records.read(path, Thread, columns={"text": last})
    assert read.comments[0].text == "abcd"[header.count(";")]


def test_a_column_that_names_the_comment_is_its_text_beside_one_of_the_article(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "x.csv", "Titel;Text;Kommentartext\nT;Lang.;Kurz.\n")
    (read,) = records.read(path, Thread)
    assert read.comments[0].text == "Kurz."


def test_a_count_with_points_is_whole_and_a_broken_number_is_rejected(tmp_path: Path) -> None:
    rows = [{"text": "a", "likes": "1.204"}, {"text": "b", "likes": 1.204}]
    reader = records.read(dumped(tmp_path / "x.json", rows), Thread)
    assert [comment.likes for each in reader for comment in each.comments] == [1204]
    assert reader.account.rejected == {"`likes` is not a whole number": 1}


def test_a_path_that_leads_to_no_list_is_named(tmp_path: Path) -> None:
    path, _ = nested_by_path(tmp_path)
    with pytest.raises(DataError, match=r"dump\.json: no list of comments at `stories\.comments`"):
        list(records.read(path, Thread, columns={"comments": "stories.comments"}))


def test_a_path_is_read_by_line_too(tmp_path: Path) -> None:
    rows = [{"story": {"id": name, "talk": {"notes": [name * 3]}}} for name in "ab"]
    path = written(tmp_path / "x.jsonl", "\n".join(map(json.dumps, rows)))
    read = records.read(path, Thread, columns={"comments": "story.talk.notes"})
    assert [(each.article.id, each.comments[0].text) for each in read] == [("a", "aaa"), ("b", "bbb")]  # fmt: skip


def test_statuses_in_a_list_are_grouped_by_the_post_that_began_them(tmp_path: Path) -> None:
    rows = [
        status("1", None, "<p>Alone.</p>", 1, AT, "ann"),
        status("2", None, "<p>Asked.</p>", 1, AT, "ann"),
        status("3", "2", "<p>Answered.</p>", 1, AT, "bo"),
        status("4", "99", "<p>Elsewhere.</p>", 1, AT, "bo"),
        status("5", None, "", 1, AT, "bo") | {"reblog": {"id": "7"}},
    ]
    reader = records.read(dumped(tmp_path / "home line.json", rows), Thread)
    assert [(each.article.id, each.article.text, each.comments[0].id) for each in reader] == [
        ("home-line", "", "1"),
        ("2", "Asked.", "3"),
        ("99", "", "4"),
    ]
    assert reader.account.skipped == {"a boost": 1}


def test_posts_that_answer_each_other_in_a_circle_are_read(tmp_path: Path) -> None:
    rows = [status(name, above, f"<p>{name}</p>", 1, AT, "x") for name, above in ("ab", "bc", "ca")]
    (read,) = records.read(dumped(tmp_path / "x.json", rows), Thread)
    assert len(read.comments) == 2


def test_notes_without_an_id_are_all_read(tmp_path: Path) -> None:
    notes = [{"type": "Note", "content": text} for text in ("One.", "Two.")]
    value = {"type": "Collection", "items": notes}
    (read,) = records.read(dumped(tmp_path / "x.json", value), Thread)
    assert [(each.id, each.text) for each in read.comments] == [("row-1", "One."), ("row-2", "Two.")]  # fmt: skip


def test_what_is_not_public_or_deleted_in_a_collection_is_skipped_and_counted(
    tmp_path: Path,
) -> None:
    notes = [
        {"type": "Note", "id": "1", "content": "Here.", "cc": "as:Public"},
        {"type": "Note", "id": "2", "content": "Hidden.", "to": ["https://a.example/followers"]},
        {"type": "Tombstone", "id": "3"},
        {"type": "Announce", "object": {"type": "Note", "id": "4", "content": "Another's."}},
        "https://a.example/5",
    ]
    reader = records.read(dumped(tmp_path / "x.json", {"type": "Collection", "items": notes}), Thread)  # fmt: skip
    assert [each.text for thread in reader for each in thread.comments] == ["Here."]
    assert reader.account.skipped == {"not public": 1, "deleted": 1, "a boost": 1}


def test_a_sheet_of_a_file_that_has_none_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "id,text\n1,x\n")
    with pytest.raises(DataError, match="no column 'May' for 'sheet'; there are id, text"):
        list(records.read(path, Thread, columns={"sheet": "May"}))


def test_a_feed_and_a_flat_thread_of_bluesky_are_read(tmp_path: Path) -> None:
    root = "at://did:plc:paper/app.bsky.feed.post/1"
    posts = [
        bluesky_post("paper/app.bsky.feed.post/1", None, "Closed.", 1, AT),
        bluesky_post("ann/app.bsky.feed.post/2", root, "Why?", 2, AT),
    ]
    for value in (
        {"feed": [{"post": post} for post in posts]},
        {"posts": posts},
        {"thread": [{"uri": post["uri"], "depth": 0, "value": {"post": post}} for post in posts]},
    ):
        reader = records.read(dumped(tmp_path / "x.json", value), Thread)
        assert [(each.article.text, each.comments[0].text) for each in reader] == [("Closed.", "Why?")]  # fmt: skip
        assert reader.format == "bluesky"
