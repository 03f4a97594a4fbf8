"""After forgetting, nothing of an article can be decoded from any file of the new version, and all else is as it was."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.corpus.align.background import words
from newsdesk.corpus.forget import ForgetReport, forget
from newsdesk.corpus.forget.targets import Request
from newsdesk.corpus.warc import read_pages
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Article, Cluster, Event, Output, Thread
from tests.cli.running import run
from tests.corpus.forget.decoding import plain, readable
from tests.corpus.forget.worlds import write_corpus

GONE = 2  # the article that is forgotten in most tests


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Article]]:
    folder = tmp_path_factory.mktemp("corpus") / "corpus"
    return folder, write_corpus(folder)


def shingles(articles: list[Article]) -> set[str]:
    """The runs of five words in titles and texts."""
    runs = set()
    for each in articles:
        tokens = words(f"{each.title}\n{each.text}")
        runs |= {" ".join(tokens[place : place + 5]) for place in range(len(tokens) - 4)}
    return runs


def traces(folder: Path, gone: list[Article], rest: list[Article], author: str = "") -> list[str]:
    """What can still be read of articles: file and shingle, id, address or author."""
    own = shingles(gone) - shingles(rest)
    names = [name for a in gone for name in (a.id, re.sub("^https://", "", str(a.url)))]
    names += [author] if author else []
    traces = []
    for file, text in readable(folder):
        shown = f" {plain(text)} "
        traces += [f"{file}: {each}" for each in own if f" {each} " in shown]
        traces += [f"{file}: {name}" for name in names if name.lower() in text.lower()]
    return traces


def test_the_check_finds_everything_before(corpus: tuple[Path, list[Article]]) -> None:
    folder, articles = corpus
    rest = [each for each in articles if each is not articles[GONE]]
    files = {trace.partition(":")[0] for trace in traces(folder, [articles[GONE]], rest)}
    assert files == {
        *("answers.db", "answers.db-wal", "archive/ledger.jsonl", "archive/pages.warc.gz"),
        *("archive/plain.warc", "candidates.jsonl", "clusters.jsonl.gz", "duplicates.jsonl"),
        *("events.jsonl", "outputs.jsonl", "threads.jsonl", "index.json", "search.db"),
        *("pages/2.html", "pages/3.html", f"pages/{articles[GONE].id}.txt"),
        "articles/date=2031-03-03/part-0.parquet",
    }


@pytest.mark.parametrize("by", ["id", "address", "another spelling"])
def test_nothing_of_an_article_can_be_decoded_afterwards(
    corpus: tuple[Path, list[Article]], tmp_path: Path, by: str
) -> None:
    folder, articles = corpus
    gone = articles[GONE]
    names = {
        "id": gone.id,
        "address": str(gone.url),
        "another spelling": f"http://www.{str(gone.url)[8:]}/?utm_source=x#top",
    }
    report = forget(folder, tmp_path / "new", Request(articles=(names[by],)))
    assert report.articles >= 1
    assert traces(tmp_path / "new", [gone], [a for a in articles if a is not gone]) == []


def test_all_other_records_are_as_they_were(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    new, gone = tmp_path / "new", articles[GONE]
    forget(folder, new, Request(articles=(gone.id,)))
    rest = [each for each in articles if each is not gone]
    assert sorted(records.read(new / "articles", Article), key=lambda a: a.id) == rest
    assert [t.article for t in records.read(new / "threads.jsonl", Thread)] == rest
    clusters = list(records.read(new / "clusters.jsonl.gz", Cluster))
    assert [a.id for cluster in clusters for a in cluster.articles] == [a.id for a in rest]
    events = list(records.read(new / "events.jsonl", Event))
    assert [event.id for event in events] == [f"e{n}" for n in range(6)]
    assert [len(event.sources) for event in events] == [1, 0, 1, 1, 1, 1]
    assert [each.id for each in records.read(new / "outputs.jsonl", Output)] == [
        *("e0", "e2", "e3", "e4", "e5")
    ]
    assert len((new / "candidates.jsonl").read_text().splitlines()) == 11
    assert len((new / "duplicates.jsonl").read_text().splitlines()) == 5
    pages = [page.url for page in read_pages(str(new / "archive/pages.warc.gz"))]  # type: ignore[union-attr]
    assert [str(url).partition("/https")[2] for url in pages] == [str(a.url)[5:] for a in rest]
    with sqlite3.connect(new / "answers.db") as base:
        assert base.execute("SELECT item FROM tasks").fetchall() == [(a.id,) for a in rest]
        assert base.execute("SELECT count(*) FROM answers").fetchone() == (11,)
        assert base.execute("SELECT count(*) FROM keyed").fetchone() == (11,)
        assert base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    base.close()
    assert len(json.loads((new / "index.json").read_bytes())) == 11
    assert sorted(path.name for path in (new / "pages").iterdir()) == ["0.html", "1.html", "3.html"]
    assert not list(records.changed_files(new / "manifest.json"))


def test_an_id_of_another_article_in_another_file_is_not_mistaken(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("a", "b"):
        rows = [Article("1", f"Words of {name}.", url=f"https://{name}.example/1")]
        records.write(corpus / f"{name}.jsonl", rows)
    forget(corpus, tmp_path / "by-url", Request(articles=("https://a.example/1",)))
    assert (tmp_path / "by-url/a.jsonl").read_bytes() == b""
    assert list(records.read(tmp_path / "by-url/b.jsonl", Article)) == rows
    forget(corpus, tmp_path / "by-id", Request(articles=("1",)))
    assert (tmp_path / "by-id/b.jsonl").read_bytes() == b""


def test_a_domain_goes_with_the_hosts_below_it(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    report = forget(folder, tmp_path / "new", Request(domains=("outlet-1.example",)))
    gone = [each for each in articles if "outlet-1" in str(each.url)]
    rest = [each for each in articles if each not in gone]
    assert report.articles >= len(gone) == 3
    assert traces(tmp_path / "new", gone, rest, "outlet-1.example") == []
    assert {a.id for a in records.read(tmp_path / "new/articles", Article)} == {a.id for a in rest}


def test_an_author_goes_with_all_articles(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    forget(folder, tmp_path / "new", Request(authors=("reporter  BOLVANE",)))
    gone = [each for each in articles if each.author == "Reporter Bolvane"]
    rest = [each for each in articles if each not in gone]
    assert len(gone) > 1
    assert traces(tmp_path / "new", gone, rest, "Bolvane") == []
    assert {a.id for a in records.read(tmp_path / "new/articles", Article)} == {a.id for a in rest}


def test_comments_of_an_author_go_alone(corpus: tuple[Path, list[Article]], tmp_path: Path) -> None:
    folder, articles = corpus
    forget(folder, tmp_path / "new", Request(authors=("Reader Qin",)))
    threads = list(records.read(tmp_path / "new/threads.jsonl", Thread))
    assert [thread.article for thread in threads] == articles
    assert not any(thread.comments for thread in threads)


def test_files_of_other_kinds_go_whole_where_something_is_found_and_are_copied_else(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    report = forget(folder, tmp_path / "new", Request(articles=(articles[0].id,)))
    assert [file.name for file in report.files if file.dropped] == [
        *("answers.db-wal", "notes.txt", "pages/0.html", "search.db")
    ]
    assert (tmp_path / "new/readme.txt").read_bytes() == (folder / "readme.txt").read_bytes()
    assert report.tally.read == report.tally.kept + sum(report.tally.dropped.values())


def test_a_page_that_quotes_the_forgotten_one_keeps_its_own_words(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    forget(folder, tmp_path / "new", Request(articles=(articles[GONE].id,)))
    pages = {p.url: p for p in read_pages(str(tmp_path / "new/archive/pages.warc.gz"))}  # type: ignore[union-attr]
    after = articles[GONE + 1]  # links to the forgotten one
    html = pages[f"https://web.archive.org/web/20310301000000/{after.url}"].html.decode()  # type: ignore[union-attr]
    assert all(line in html for line in after.text.split("\n"))
    assert str(articles[GONE].title) not in html


def test_only_keyed_hashes_stay_and_lists_grow(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    for number, source in enumerate((folder, tmp_path / "v1")):
        forget(source, tmp_path / f"v{number + 1}", Request(articles=(articles[number].id,)))
    first, second = (
        set(json.loads((tmp_path / name / "forgotten.json").read_bytes())["hashes"])
        for name in ("v1", "v2")
    )
    assert first < second
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in second)
    assert (tmp_path / "v1/forgotten.key").read_bytes() == (
        tmp_path / "v2/forgotten.key"
    ).read_bytes()
    assert (tmp_path / "v2/forgotten.key").stat().st_mode & 0o777 == 0o600
    forget(folder, tmp_path / "other", Request(articles=(articles[0].id,)))
    other = set(json.loads((tmp_path / "other/forgotten.json").read_bytes())["hashes"])
    assert not other & first  # another key


def test_bad_requests_and_broken_files_are_one_line_and_leave_no_finished_version(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, _ = corpus
    with pytest.raises(ArgumentError, match="nothing to forget"):
        Request()
    with pytest.raises(ArgumentError, match="not a domain"):
        Request(domains=("com",))
    with pytest.raises(ArgumentError, match="empty name"):
        Request(authors=(" ",))
    request = Request(articles=("x",))
    with pytest.raises(FileError, match="no such folder"):
        forget(tmp_path / "none", tmp_path / "new", request)
    with pytest.raises(FileError, match="lies in the corpus itself"):
        forget(folder, folder / "new", request)
    shutil.copytree(folder, tmp_path / "broken")
    part = tmp_path / "broken/articles/date=2031-03-01/part-0.parquet"
    part.write_bytes(part.read_bytes()[:200])
    with pytest.raises(DataError, match=r"part-0.parquet: not Parquet"):
        forget(tmp_path / "broken", tmp_path / "new", request)
    assert {each.name for each in tmp_path.iterdir()} == {"broken"}


def test_the_command_reports_every_file_it_touched(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    folder, articles = corpus
    words = ["corpus", "forget", str(folder), "-o", str(tmp_path / "new")]
    assert run(*words).returncode == 2
    done = run(*words, "--article", articles[GONE].id, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["models"] == []
    assert {
        "name": "threads.jsonl",
        "kind": "lines",
        "removed": 1,
        "changed": 0,
        "dropped": False,
    } in printed["files"]
    again = run(*words, "--article", articles[GONE].id)
    assert (again.returncode, "needs an empty folder" in again.stderr) == (1, True)


def test_what_is_in_nothing_changes_no_record(
    corpus: tuple[Path, list[Article]], tmp_path: Path
) -> None:
    report: ForgetReport = forget(corpus[0], tmp_path / "new", Request(articles=("nobody",)))
    assert report.articles == 0
    assert not any(file.removed or file.changed for file in report.files)
